//! The sets of codes that splits can leave of one column, and how each is reached and summed.
//!
//! Splits of an ordered column leave intervals; splits of a nominal column leave one category, or all but a few. Sets are found breadth
//! first, so their distance (fewest splits that leave them) rises with their index, and index 0 is the whole column.

use std::ops::Range;

use hashbrown::HashMap;

use crate::problem::ProblemColumn;
use crate::table::Kind;

/// A set of codes, bit per code.
type Codes = [u64; 4];

/// How the mass of a set follows from the slots of its column: one slot, less others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recipe {
    /// The slot to start from.
    pub plus: usize,
    /// The slots to take off.
    pub minus: Vec<usize>,
}

/// A split of a set in two, neither of them empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut {
    /// The column's split.
    pub split: u32,
    /// Set where the split is true.
    pub inside: u32,
    /// Set where it is false.
    pub outside: u32,
}

/// The sets of one column.
#[derive(Clone, Debug)]
pub struct ColumnStates {
    /// Index of the column in the problem.
    pub column: usize,
    /// Kind of the column.
    kind: Kind,
    /// Number of codes.
    n_codes: usize,
    /// The sets.
    members: Vec<Codes>,
    /// Fewest splits that leave each set.
    pub distance: Vec<u32>,
    /// For each distance up to the limit, how many sets lie within it.
    pub within: Vec<usize>,
    /// The cuts of all sets, set by set.
    cuts: Vec<Cut>,
    /// Where the cuts of each set begin.
    starts: Vec<usize>,
    /// How to sum each set.
    pub recipes: Vec<Recipe>,
}

impl ColumnStates {
    /// The sets of `column` within `limit` splits.
    pub fn new(index: usize, column: &ProblemColumn, limit: u32) -> Self {
        let mut whole = Codes::default();
        for code in 0..column.n_codes {
            insert(&mut whole, code);
        }
        let mut states = Self {
            column: index,
            kind: column.kind,
            n_codes: column.n_codes,
            members: vec![whole],
            distance: vec![0],
            within: Vec::new(),
            cuts: Vec::new(),
            starts: vec![0],
            recipes: Vec::new(),
        };
        let sides: Vec<Codes> = (0..column.n_splits)
            .map(|split| states.true_codes(split))
            .collect();
        let mut index_of: HashMap<Codes, u32> = HashMap::from([(whole, 0)]);
        let mut next = 0;
        while next < states.members.len() {
            let (set, distance) = (states.members[next], states.distance[next]);
            next += 1;
            if distance < limit {
                for (split, side) in sides.iter().enumerate() {
                    let inside = both(&set, side, |a, b| a & b);
                    let outside = both(&set, side, |a, b| a & !b);
                    if inside == Codes::default() || outside == Codes::default() {
                        continue;
                    }
                    let mut place = |child: Codes| {
                        *index_of.entry(child).or_insert_with(|| {
                            states.members.push(child);
                            states.distance.push(distance + 1);
                            states.members.len() as u32 - 1
                        })
                    };
                    let (inside, outside) = (place(inside), place(outside));
                    states.cuts.push(Cut {
                        split: split as u32,
                        inside,
                        outside,
                    });
                }
            }
            states.starts.push(states.cuts.len());
        }
        states.within = (0..=limit)
            .map(|limit| {
                states
                    .distance
                    .partition_point(|&distance| distance <= limit)
            })
            .collect();
        states.recipes = states
            .members
            .iter()
            .map(|set| states.recipe(set))
            .collect();
        states
    }

    fn true_codes(&self, split: usize) -> Codes {
        let mut side = Codes::default();
        match self.kind {
            Kind::Ordered => (0..=split).for_each(|code| insert(&mut side, code)),
            Kind::Nominal => insert(&mut side, split),
        }
        side
    }

    /// Slots of an ordered column hold cumulated masses; those of a nominal one hold the codes' masses, and in the end their sum.
    fn recipe(&self, set: &Codes) -> Recipe {
        let (held, left_out): (Vec<usize>, Vec<usize>) =
            (0..self.n_codes).partition(|&code| holds(set, code));
        match self.kind {
            Kind::Ordered => Recipe {
                plus: held.last().copied().unwrap_or(0),
                minus: held
                    .first()
                    .filter(|&&code| code > 0)
                    .map(|code| code - 1)
                    .into_iter()
                    .collect(),
            },
            Kind::Nominal if held.len() == 1 => Recipe {
                plus: held[0],
                minus: Vec::new(),
            },
            Kind::Nominal => Recipe {
                plus: self.n_codes,
                minus: left_out,
            },
        }
    }

    /// Number of sets.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Number of slots that masses are kept in.
    pub fn n_slots(&self) -> usize {
        self.n_codes + usize::from(self.kind == Kind::Nominal)
    }

    /// Number of splits: the cuts of the whole column.
    pub fn n_splits(&self) -> usize {
        self.cuts(0).len()
    }

    /// Turn masses per code into slots, on an axis of `stride` values per slot.
    pub fn fill_slots<T: Copy + std::ops::AddAssign>(&self, masses: &mut [T], stride: usize) {
        for slab in masses.chunks_exact_mut(self.n_slots() * stride) {
            for slot in 1..self.n_slots() {
                let (before, rest) = slab.split_at_mut(slot * stride);
                match self.kind {
                    Kind::Ordered => add(&mut rest[..stride], &before[(slot - 1) * stride..]),
                    Kind::Nominal if slot == self.n_codes => {
                        before
                            .chunks_exact(stride)
                            .for_each(|code| add(&mut rest[..stride], code));
                    }
                    Kind::Nominal => {}
                }
            }
        }
    }

    /// Whether set `state` holds `code`.
    #[inline]
    pub fn holds(&self, state: usize, code: usize) -> bool {
        holds(&self.members[state], code)
    }

    /// The cuts of a set, in the order of the splits.
    #[inline]
    pub fn cuts(&self, state: usize) -> &[Cut] {
        &self.cuts[self.range(state)]
    }

    fn range(&self, state: usize) -> Range<usize> {
        self.starts[state]..self.starts[state + 1]
    }
}

fn add<T: Copy + std::ops::AddAssign>(sums: &mut [T], values: &[T]) {
    for (sum, &value) in sums.iter_mut().zip(values) {
        *sum += value;
    }
}

fn insert(codes: &mut Codes, code: usize) {
    codes[code / 64] |= 1 << (code % 64);
}

fn holds(codes: &Codes, code: usize) -> bool {
    codes[code / 64] >> (code % 64) & 1 == 1
}

fn both(a: &Codes, b: &Codes, combine: impl Fn(u64, u64) -> u64) -> Codes {
    std::array::from_fn(|word| combine(a[word], b[word]))
}
