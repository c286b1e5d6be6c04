//! Class masses of sets of rows, and the best single split read off them.

use super::criterion::Impurity;
use crate::problem::Problem;
use crate::table::{Kind, SplitRef};

/// A set of merged rows.
#[derive(Clone, Debug)]
pub struct Set {
    /// The rows.
    pub rows: Vec<u32>,
    /// Records, then the mass of each class.
    pub sums: Vec<f64>,
    /// Cost if every row had a leaf of its own: no tree costs less.
    pub floor: f64,
    /// Fingerprint: the sum of one random number per row.
    pub key: u128,
}

/// The rows of a problem with their class masses.
#[derive(Clone, Debug)]
pub struct Masses<'a> {
    /// The merged rows.
    pub problem: &'a Problem,
    /// Leaf cost.
    pub impurity: Impurity,
    /// Numbers per row: records, then the mass of each class. Whole numbers, so that sums are exact.
    pub width: usize,
    /// Fewest records in a leaf.
    pub min_records: f64,
    values: Vec<f64>,
    floors: Vec<f64>,
    keys: Vec<u128>,
    /// For each column, where its first code's cell begins in a histogram; then the length.
    offsets: Vec<usize>,
}

impl<'a> Masses<'a> {
    /// Read the class masses off a problem whose costs are misclassified weights.
    pub fn new(problem: &'a Problem, impurity: Impurity, min_records: u32) -> Self {
        let k = problem.n_labels;
        let width = k + 1;
        let mut values = Vec::with_capacity(problem.n_rows() * width);
        let mut floors = Vec::with_capacity(problem.n_rows());
        for (costs, &count) in problem.costs.chunks_exact(k).zip(&problem.counts) {
            // A label costs the mass of all other classes.
            let others = i64::try_from(k).unwrap_or(i64::MAX) - 1;
            let total = if k > 1 {
                costs.iter().sum::<i64>() / others
            } else {
                0
            };
            let at = values.len();
            values.push(f64::from(count));
            values.extend(costs.iter().map(|&cost| (total - cost) as f64));
            floors.push(impurity.cost(&values[at + 1..]));
        }
        let mut offsets = vec![0];
        for column in &problem.columns {
            offsets.push(offsets[offsets.len() - 1] + column.n_codes * width);
        }
        let keys = (0..problem.n_rows() as u64).map(fingerprint).collect();
        Self {
            problem,
            impurity,
            width,
            min_records: f64::from(min_records),
            values,
            floors,
            keys,
            offsets,
        }
    }

    /// The set of some rows.
    pub fn set(&self, rows: Vec<u32>) -> Set {
        let mut set = Set {
            rows,
            sums: vec![0.0; self.width],
            floor: 0.0,
            key: 0,
        };
        for &row in &set.rows {
            add(&mut set.sums, self.of(row));
            set.floor += self.floors[row as usize];
            set.key = set.key.wrapping_add(self.keys[row as usize]);
        }
        set
    }

    /// Part a set by a split into the rows inside and outside.
    ///
    /// # Errors
    /// Which side is empty, or that one is too small for a leaf.
    pub fn part(&self, set: &Set, split: SplitRef) -> Result<(Set, Set), Side> {
        let column = split.column as usize;
        let (inside, outside): (Vec<u32>, Vec<u32>) = set.rows.iter().partition(|&&row| {
            let code = u32::from(self.problem.row(row as usize)[column]);
            match self.problem.columns[column].kind {
                Kind::Ordered => code <= split.split,
                Kind::Nominal => code == split.split,
            }
        });
        match (inside.is_empty(), outside.is_empty()) {
            (true, _) => return Err(Side::Inside),
            (_, true) => return Err(Side::Outside),
            _ => {}
        }
        let (inside, outside) = (self.set(inside), self.set(outside));
        if inside.sums[0].min(outside.sums[0]) < self.min_records {
            return Err(Side::TooSmall);
        }
        Ok((inside, outside))
    }

    /// Cost of a set as a leaf.
    pub fn leaf(&self, sums: &[f64]) -> f64 {
        self.impurity.cost(&sums[1..])
    }

    /// An empty histogram.
    pub fn histogram(&self) -> Vec<f64> {
        vec![0.0; self.offsets[self.offsets.len() - 1]]
    }

    /// Add a row to a histogram.
    pub fn count(&self, histogram: &mut [f64], row: u32) {
        for (column, &code) in self.problem.row(row as usize).iter().enumerate() {
            let at = self.offsets[column] + usize::from(code) * self.width;
            add(&mut histogram[at..at + self.width], self.of(row));
        }
    }

    /// The numbers of a row.
    pub fn of(&self, row: u32) -> &[f64] {
        &self.values[row as usize * self.width..][..self.width]
    }

    /// The best single split of the set behind a histogram, and the summed cost of its two leaves.
    ///
    /// Of equally good ones the first. `None` if no split parts the set into leaves that are large enough.
    pub fn best_split(&self, histogram: &[f64], sums: &[f64]) -> Option<(f64, SplitRef)> {
        let mut best: Option<(f64, SplitRef)> = None;
        let mut inside = vec![0.0; self.width];
        let mut outside = vec![0.0; self.width];
        for (index, column) in self.problem.columns.iter().enumerate() {
            inside.fill(0.0);
            for split in 0..column.n_splits {
                let at = self.offsets[index] + split * self.width;
                let cell = &histogram[at..at + self.width];
                if cell[0] == 0.0 {
                    continue; // the same as the split before, or no split at all
                }
                match column.kind {
                    Kind::Ordered => add(&mut inside, cell),
                    Kind::Nominal => inside.copy_from_slice(cell),
                }
                for ((rest, total), part) in outside.iter_mut().zip(sums).zip(&inside) {
                    *rest = total - part;
                }
                if outside[0] < self.min_records.max(1.0) || inside[0] < self.min_records {
                    continue;
                }
                let cost = self.leaf(&inside) + self.leaf(&outside);
                if best.is_none_or(|(least, _)| cost < least) {
                    best = Some((
                        cost,
                        SplitRef {
                            column: index as u32,
                            split: split as u32,
                        },
                    ));
                }
            }
        }
        best
    }
}

/// Why a split does not part a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// No row is inside.
    Inside,
    /// No row is outside.
    Outside,
    /// A side holds too few records.
    TooSmall,
}

/// Add numbers, one by one.
#[inline]
pub fn add(sums: &mut [f64], values: &[f64]) {
    for (sum, value) in sums.iter_mut().zip(values) {
        *sum += value;
    }
}

/// A fixed random number of 128 bits (two rounds of splitmix64).
fn fingerprint(row: u64) -> u128 {
    let mix = |seed: u64| {
        let mut z = seed
            .wrapping_mul(0x9E37_79B9_7F4A_7C15)
            .wrapping_add(0x9E37_79B9_7F4A_7C15);
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    };
    (u128::from(mix(2 * row)) << 64) | u128::from(mix(2 * row + 1))
}
