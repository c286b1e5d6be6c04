//! Sets of merged rows with summed costs and dues, and the best single split read off histograms.

use super::paid::Paid;
use super::priced::Priced;
use crate::table::{Kind, SplitRef};

/// A set of merged rows.
#[derive(Clone, Debug)]
pub struct Set {
    /// The rows.
    pub rows: Vec<u32>,
    /// See [`Rows::width`].
    pub sums: Vec<i64>,
    /// Fingerprint: the sum of one random number per row.
    pub key: u128,
}

/// The rows of a problem with their numbers.
#[derive(Clone, Debug)]
pub struct Rows<'a> {
    /// The merged rows.
    pub priced: &'a Priced,
    /// Fewest records in a leaf.
    pub min_records: i64,
    /// Numbers per row: records, cost of each label, least cost of a label, dues for each price.
    width: usize,
    /// Leading numbers of a row that histograms hold.
    cell: usize,
    values: Vec<i64>,
    keys: Vec<u128>,
    /// For each column, where its first code's cell begins in a histogram; then the length.
    offsets: Vec<usize>,
}

impl<'a> Rows<'a> {
    /// Lay out the numbers of the rows.
    pub fn new(priced: &'a Priced, min_records: u32) -> Self {
        let problem = &priced.problem;
        let (k, p) = (problem.n_labels, priced.n_amounts);
        let mut values = Vec::with_capacity(problem.n_rows() * (k + p + 2));
        for (row, &count) in problem.counts.iter().enumerate() {
            let costs = &problem.costs[row * k..(row + 1) * k];
            values.push(i64::from(count));
            values.extend_from_slice(costs);
            values.push(costs.iter().copied().min().unwrap_or(0));
            values.extend_from_slice(&priced.dues[row * p..(row + 1) * p]);
        }
        let mut offsets = vec![0];
        for column in &problem.columns {
            offsets.push(offsets[offsets.len() - 1] + column.n_codes * (k + 1));
        }
        Self {
            priced,
            min_records: i64::from(min_records),
            width: k + p + 2,
            cell: k + 1,
            values,
            keys: (0..problem.n_rows() as u64).map(fingerprint).collect(),
            offsets,
        }
    }

    /// The set of some rows.
    pub fn set(&self, rows: Vec<u32>) -> Set {
        let mut set = Set {
            rows,
            sums: self.zeros(),
            key: 0,
        };
        for &row in &set.rows {
            add(&mut set.sums, self.of(row));
            set.key = set.key.wrapping_add(self.keys[row as usize]);
        }
        set
    }

    /// Part a set by a split into the rows inside and outside.
    ///
    /// # Errors
    /// Which side is empty, or that one is too small for a leaf.
    pub fn part(&self, set: &Set, split: SplitRef) -> Result<(Set, Set), Side> {
        let (inside, outside): (Vec<u32>, Vec<u32>) = set
            .rows
            .iter()
            .partition(|&&row| self.priced.problem.is_true(split, row as usize));
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
    #[inline]
    pub fn leaf(&self, sums: &[i64]) -> i64 {
        sums[1..self.cell].iter().copied().min().unwrap_or(0)
    }

    /// Cost if every row had a leaf of its own: no tree costs less.
    #[inline]
    pub fn floor(&self, sums: &[i64]) -> i64 {
        sums[self.cell]
    }

    /// What each price amounts to.
    #[inline]
    pub fn dues<'s>(&self, sums: &'s [i64]) -> &'s [i64] {
        &sums[self.cell + 1..]
    }

    /// Sums of an empty set.
    pub fn zeros(&self) -> Vec<i64> {
        vec![0; self.width]
    }

    /// An empty histogram.
    pub fn histogram(&self) -> Vec<i64> {
        vec![0; self.offsets[self.offsets.len() - 1]]
    }

    /// Add a row to a histogram.
    pub fn count(&self, histogram: &mut [i64], row: u32) {
        let values = &self.of(row)[..self.cell];
        for (column, &code) in self.priced.problem.row(row as usize).iter().enumerate() {
            let at = self.offsets[column] + usize::from(code) * self.cell;
            let cell = &mut histogram[at..at + self.cell];
            // Two labels are the rule; a loop of known length is several times as fast.
            if let ([a, b, c], [x, y, z]) = (&mut *cell, values) {
                *a += x;
                *b += y;
                *c += z;
            } else {
                add(cell, values);
            }
        }
    }

    /// The numbers of a row.
    #[inline]
    pub fn of(&self, row: u32) -> &[i64] {
        &self.values[row as usize * self.width..][..self.width]
    }

    /// The best single split of the set behind a histogram: its charge and the summed cost of its two leaves, if below `limit`.
    ///
    /// Of equally good ones the first. `None` if no split parts the set into leaves that are large enough.
    pub fn best_split(
        &self,
        histogram: &[i64],
        sums: &[i64],
        paid: &Paid<'_>,
        limit: i64,
    ) -> Option<(i64, SplitRef)> {
        let mut least = limit;
        let mut best = None;
        let mut inside = vec![0; self.cell];
        for (index, column) in self.priced.problem.columns.iter().enumerate() {
            let charge = paid.charge(self.priced.feature_of_column[index], self.dues(sums));
            if charge + self.floor(sums) >= least {
                continue;
            }
            inside.fill(0);
            for split in 0..column.n_splits {
                let at = self.offsets[index] + split * self.cell;
                let cell = &histogram[at..at + self.cell];
                if cell[0] == 0 {
                    continue; // the same as the split before, or no split at all
                }
                match (column.kind, &mut inside[..], cell) {
                    (Kind::Ordered, [a, b, c], [x, y, z]) => {
                        *a += x;
                        *b += y;
                        *c += z;
                    }
                    (Kind::Ordered, inside, cell) => add(inside, cell),
                    (Kind::Nominal, inside, cell) => inside.copy_from_slice(cell),
                }
                let outside = sums[0] - inside[0];
                if outside.min(inside[0]) < self.min_records.max(1) {
                    continue;
                }
                let cost = if let [_, a, b] = inside[..] {
                    a.min(b) + (sums[1] - a).min(sums[2] - b)
                } else {
                    let (mut a, mut b) = (i64::MAX, i64::MAX);
                    for (part, total) in inside[1..].iter().zip(&sums[1..]) {
                        a = a.min(*part);
                        b = b.min(total - part);
                    }
                    a + b
                };
                if charge + cost < least {
                    least = charge + cost;
                    best = Some(SplitRef {
                        column: index as u32,
                        split: split as u32,
                    });
                }
            }
        }
        best.map(|split| (least, split))
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
pub fn add(sums: &mut [i64], values: &[i64]) {
    for (sum, value) in sums.iter_mut().zip(values) {
        *sum += value;
    }
}

/// A fixed random number of 128 bits (two rounds of splitmix64).
pub fn fingerprint(number: u64) -> u128 {
    let mix = |seed: u64| {
        let mut z = seed
            .wrapping_mul(0x9E37_79B9_7F4A_7C15)
            .wrapping_add(0x9E37_79B9_7F4A_7C15);
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    };
    (u128::from(mix(2 * number)) << 64) | u128::from(mix(2 * number + 1))
}
