//! The sweep of one column: both sides of every split scored outright, or ruled out by a split that was.

use super::depth_three::Candidate;
use super::depth_two::{Root, cheapest};
use super::margins::Margins;
use super::score::{Side, score_both};
use super::searcher::{Prepared, Scored, Searcher, Workspace};
use crate::search::bounds::{Known, neighbour};
use crate::search::cost::{Cost, UNREACHABLE};
use crate::search::incumbent::{Incumbent, Order};
use crate::search::kernel::score::PairTable;
use crate::search::lane::Lane;
use crate::search::layout::CHUNK;

/// Cost of scoring a cell chunk on both sides, in steps of adding a row to a chunk.
const SCORE_STEP: f64 = 16.0;
/// Passes when scoring a split costs far more than adding its rows, and when it costs less.
const MANY_PASSES: &[usize] = &[8, 4, 2, 1];
const TWO_PASSES: &[usize] = &[4, 1];
const ONE_PASS: &[usize] = &[1];

/// A node of depth three with what the sweeps of all its columns need.
pub(super) struct Frame<'p, T: Lane> {
    pub(super) prepared: &'p Prepared<'p>,
    /// Cumulated table and margins of all rows.
    pub(super) total: &'p PairTable<T>,
    pub(super) margins: &'p Margins,
    pub(super) budget: u32,
    /// Columns in the order in which they are swept.
    pub(super) order: Vec<usize>,
}

/// The sweep of one column, whose feature is paid.
pub(super) struct Sweep<'s, 'a, 'p, T: Lane> {
    searcher: &'s mut Searcher<'a>,
    frame: &'p Frame<'p, T>,
    found: &'s Incumbent<Candidate>,
    workspace: &'s mut Workspace<T>,
    column: usize,
    /// Whether the codes are walked from the last to the first. The rows of the last code met are never added, so the walk ends at
    /// the larger end. Splits below are numbered along the walk, and "inside" is the side of the codes met.
    mirrored: bool,
    /// What a split of the column costs by itself.
    price: Cost,
    /// Rows by code, and for each code where they begin.
    rows: Vec<u32>,
    starts: Vec<usize>,
    /// Sums before each code: of what a row can change, and of potentials.
    masses: Vec<i64>,
    potentials: Vec<i64>,
    /// Number of leading codes whose rows are in the part table.
    position: usize,
    /// Margins of the part: by code, cumulated; and of the rest.
    by_code: Margins,
    part: Margins,
    rest: Margins,
    /// Least cost met.
    lower: Cost,
}

impl<'s, 'a, 'p, T: Lane> Sweep<'s, 'a, 'p, T> {
    /// Sweep the column at place `rank`; returns a lower bound on trees with its splits as root.
    pub(super) fn run(
        searcher: &'s mut Searcher<'a>,
        frame: &'p Frame<'p, T>,
        rank: usize,
        found: &'s Incumbent<Candidate>,
        workspace: &'s mut Workspace<T>,
    ) -> Cost {
        let node = frame.prepared.node;
        let column = frame.order[rank];
        // Orders within a column stay below 2^16: at most 255 splits, each met in at most 4 passes.
        let first: Order = ((rank as Order + 1) << 16) + 1;
        let price = searcher.split_price(node, column);
        if price >= found.limit(first) || searcher.shared.control.stopped() {
            return price;
        }
        let feature = searcher.paid.feature_of(&node.columns[column]);
        let is_new = searcher.paid.push(feature);
        let reaches = searcher.reaches(node, 2);
        let (mut rows, mut starts) = node.rows_by_code(column);
        let ordered = frame.prepared.layout.spans[column].ordered;
        let mirrored = ordered && starts[1] > rows.len() - starts[starts.len() - 2];
        if mirrored {
            rows.reverse();
            starts.reverse();
            for start in &mut starts {
                *start = rows.len() - *start;
            }
        }
        let before = |values: &[i64]| -> Vec<i64> {
            let mut sum = 0;
            let mut sums = vec![0];
            sums.extend(starts.windows(2).map(|code| {
                sum += rows[code[0]..code[1]]
                    .iter()
                    .map(|&row| values[row as usize])
                    .sum::<i64>();
                sum
            }));
            sums
        };
        let mut sweep = Self {
            masses: before(&reaches),
            potentials: before(&node.potentials),
            searcher,
            frame,
            found,
            workspace,
            column,
            mirrored,
            price,
            rows,
            starts,
            position: usize::MAX,
            by_code: Margins::default(),
            part: Margins::default(),
            rest: Margins::default(),
            lower: UNREACHABLE,
        };
        if ordered {
            sweep.ordered(first);
        } else {
            sweep.nominal(first);
        }
        if is_new {
            sweep.searcher.paid.pop(feature);
        }
        sweep.lower
    }

    fn n_splits(&self) -> usize {
        self.frame.prepared.layout.spans[self.column].len
    }

    /// Least cost of all rows with two levels, now that the column is paid, tests for a discount alone allowed.
    fn shallower(&mut self) -> Cost {
        let Frame {
            prepared,
            total,
            margins,
            budget,
            ..
        } = *self.frame;
        let Workspace {
            rates,
            charges: [charges, _],
            children: [children, _],
            ..
        } = &mut *self.workspace;
        let buffers = (rates, charges, children);
        let costs = self.searcher.score_total(prepared, margins, total, buffers);
        self.searcher
            .leaf_cost(prepared.node)
            .min(cheapest(&costs.relaxed, budget - 1))
    }

    /// What is known before the first split and after the last one.
    fn ends(&mut self) -> [Known; 2] {
        // Scoring the whole sets the rates for all that follows, whether or not it bounds the sides.
        let shallower = self.shallower();
        let nests = self.searcher.shared.nests;
        let shallower = if nests { shallower } else { 0 };
        let mass = self.masses[self.masses.len() - 1];
        let end = Known {
            inside: 0,
            outside: shallower,
            whole: self.price + shallower,
            mass: 0,
        };
        let last = Known {
            inside: shallower,
            outside: 0,
            mass,
            ..end
        };
        [end, last]
    }

    /// An ordered column: passes of falling stride.
    fn ordered(&mut self, first: Order) {
        let n_splits = self.n_splits();
        let [start, end] = self.ends();
        let mut known: Vec<Option<Known>> = vec![None; n_splits];
        let mut order = first;
        let strides = self.strides();
        for (pass, &stride) in strides.iter().enumerate() {
            let last_pass = pass + 1 == strides.len();
            let mut left = start;
            let mut right_at = 0;
            let mut right = end;
            for split in 0..n_splits {
                if let Some(here) = known[split] {
                    left = here;
                    continue;
                }
                order += 1;
                if (split + 1) % stride != 0 {
                    continue;
                }
                if split >= right_at {
                    let next = (split + 1..n_splits).find(|&s| known[s].is_some());
                    right_at = next.unwrap_or(n_splits);
                    right = next.and_then(|s| known[s]).unwrap_or(end);
                }
                let bound = self.bound(&left, &right, self.masses[split + 1]);
                if bound >= self.found.limit(order) {
                    // Only the last pass may leave a split out for good.
                    if last_pass {
                        self.lower = self.lower.min(bound);
                    }
                    continue;
                }
                if self.searcher.shared.control.stopped() || !self.move_to(split + 1) {
                    self.lower = self.lower.min(self.price);
                    return;
                }
                let costs = self.score(self.potentials[split + 1]);
                left = self.consider(split, &costs, self.masses[split + 1], order);
                known[split] = Some(left);
            }
        }
    }

    /// Passes that suit the column: coarse ones first if scoring dominates.
    fn strides(&self) -> &'static [usize] {
        let (n_splits, prepared) = (self.n_splits(), self.frame.prepared);
        let score = prepared.layout.cells as f64 / CHUNK as f64 * SCORE_STEP;
        let scoring = score * n_splits as f64;
        if !self.searcher.shared.nests || n_splits < 8 || scoring < 4.0 * prepared.add_cost {
            ONE_PASS
        } else if scoring < 12.0 * prepared.add_cost {
            TWO_PASSES
        } else {
            MANY_PASSES
        }
    }

    /// A lower bound on a split between two that are known.
    fn bound(&self, left: &Known, right: &Known, mass: i64) -> Cost {
        if !self.searcher.shared.nests {
            return self.price;
        }
        let between = self.price + left.inside + right.outside;
        between.max(neighbour(left, right, mass, self.searcher.shared.scale))
    }

    /// A nominal column: every category on its own.
    fn nominal(&mut self, first: Order) {
        let [all, _] = self.ends();
        let whole_mass = self.masses[self.masses.len() - 1];
        for split in 0..self.n_splits() {
            let order = first + split as Order + 1;
            let mass = self.masses[split + 1] - self.masses[split];
            let moved = self.searcher.shared.scale.loss(mass.min(whole_mass - mass));
            let bound = self.price.max(all.whole - moved);
            if bound >= self.found.limit(order) {
                self.lower = self.lower.min(bound);
                continue;
            }
            // The smaller side is added: the category, or all others.
            let n_rows = self.starts[split + 1] - self.starts[split];
            let is_smaller = 2 * n_rows <= self.rows.len();
            self.load();
            let complete = if is_smaller {
                self.add(split..split + 1)
            } else {
                self.add(0..split) && self.add(split + 1..self.starts.len() - 1)
            };
            if self.searcher.shared.control.stopped() || !complete {
                self.lower = self.lower.min(self.price);
                return;
            }
            let potential = self.potentials[split + 1] - self.potentials[split];
            let costs = if is_smaller {
                self.score(potential)
            } else {
                let [others, category] = self.score(self.frame.prepared.node.potential - potential);
                [category, others]
            };
            self.consider(split, &costs, mass, order);
        }
    }

    /// Clear the part.
    fn load(&mut self) {
        let prepared = self.frame.prepared;
        let shared = self.searcher.shared;
        self.workspace
            .part
            .reset(&prepared.layout, shared.rule.planes());
        self.by_code
            .reset(&prepared.layout, shared.priced.amounts.n_weights);
    }

    /// Add the rows of some codes to the part. Returns whether it was not stopped.
    fn add(&mut self, codes: std::ops::Range<usize>) -> bool {
        let prepared = self.frame.prepared;
        let rows = &self.rows[self.starts[codes.start]..self.starts[codes.end]];
        let shared = self.searcher.shared;
        let Workspace { part, fill, .. } = &mut *self.workspace;
        let amounts = &shared.priced.amounts;
        self.by_code
            .add(prepared.node, &prepared.places, amounts, rows);
        prepared.source(shared, true).add(rows, 1, part, fill)
    }

    /// Bring the part to hold the rows of the first `codes` codes. Returns whether it was not stopped.
    fn move_to(&mut self, codes: usize) -> bool {
        if self.position > codes {
            self.load();
            self.position = 0;
        }
        let complete = self.add(self.position..codes);
        self.position = codes;
        complete
    }

    /// Costs of the part, whose potential is given, and of the rest.
    fn score(&mut self, potential: i64) -> [Scored; 2] {
        let Frame {
            prepared,
            total,
            margins,
            ..
        } = *self.frame;
        let (node, layout) = (prepared.node, &prepared.layout);
        let amounts = &self.searcher.shared.priced.amounts;
        self.by_code.cumulate(layout, &mut self.part);
        margins.without(&self.part, &mut self.rest);
        let Workspace {
            part,
            rates,
            running,
            charges,
            children,
            rest_margins,
            rest_sums,
            ..
        } = &mut *self.workspace;
        let most = prepared.most_charge;
        for (charges, margins) in charges.iter_mut().zip([&self.part, &self.rest]) {
            charges.set(layout, rates, amounts, margins, most);
        }
        total.rest(part, rest_margins, rest_sums);
        let [charges, rest_charges] = &*charges;
        let [children, rest_children] = children;
        let sides = [
            Side {
                margins: &part.margins,
                sums: &part.sums,
                charges,
                children,
            },
            Side {
                margins: rest_margins,
                sums: rest_sums,
                charges: rest_charges,
                children: rest_children,
            },
        ];
        let [inside, outside] = score_both(
            layout,
            self.searcher.shared.rule,
            rates,
            &total.cells,
            &part.cells,
            prepared.is_cumulated(),
            running,
            sides,
        );
        [
            self.searcher.scored(potential, &inside),
            self.searcher.scored(node.potential - potential, &outside),
        ]
    }

    /// Offer the best tree with this split at its root; returns what bounds other splits.
    fn consider(
        &mut self,
        split: usize,
        [inside, outside]: &[Scored; 2],
        mass: i64,
        order: Order,
    ) -> Known {
        let left = self.frame.budget - 1;
        let (mut whole, mut relaxed) = (UNREACHABLE, UNREACHABLE);
        let mut best = (0, 0);
        for m0 in 0..=left.min(3) {
            for m1 in 0..=(left - m0).min(3) {
                let (m0, m1) = (m0 as usize, m1 as usize);
                let cost = inside.exact[m0] + outside.exact[m1] + self.price;
                if cost < whole {
                    whole = cost;
                    best = (m0 as u32, m1 as u32);
                }
                relaxed = relaxed.min(inside.relaxed[m0] + outside.relaxed[m1] + self.price);
            }
        }
        self.lower = self.lower.min(whole);
        if whole < UNREACHABLE {
            let (inside, outside) = best;
            let root = if self.mirrored {
                Root {
                    column: self.column,
                    split: self.n_splits() - 1 - split,
                    inside: outside,
                    outside: inside,
                }
            } else {
                Root {
                    column: self.column,
                    split,
                    inside,
                    outside,
                }
            };
            self.found.offer(whole, order, || Candidate::Root(root));
        }
        Known {
            inside: cheapest(&inside.relaxed, left),
            outside: cheapest(&outside.relaxed, left),
            whole: relaxed,
            mass,
        }
    }
}
