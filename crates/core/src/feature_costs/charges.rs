//! What each test of a tree of two levels costs a set of rows, in the lanes of its pair table.
//!
//! A test is charged by a factor, which depends on its column and on what was paid before, times the weight of the rows
//! that come by.

use super::amounts::Amounts;
use super::margins::Margins;
use super::paid::Paid;
use crate::search::aligned::Aligned;
use crate::search::kernel::score::{Chunk, chunk_of, chunk_of_mut};
use crate::search::lane::Lane;
use crate::search::layout::{CHUNK, Layout};
use crate::search::node::Node;

/// The factors of all tests of two levels at a node, with what its path has paid.
#[derive(Debug, Default)]
pub struct Rates<T> {
    n_weights: usize,
    width: usize,
    /// For each column, its price as root; none if it is free.
    root: Vec<Option<usize>>,
    /// For each column, the prices of its test and of one before it that is made for the discount alone, for each such test.
    doors: Vec<Vec<[Option<usize>; 2]>>,
    /// Factors of a child at each split, below a root column: weight x root column x split.
    below: Aligned<T>,
    /// Factors of a child column below each root split: weight x child column x split.
    above: Aligned<T>,
}

impl<T: Lane> Rates<T> {
    /// Set the factors.
    pub fn set(&mut self, node: &Node, layout: &Layout, paid: &mut Paid<'_>, amounts: &Amounts) {
        let (width, n_columns) = (layout.width, layout.spans.len());
        (self.width, self.n_weights) = (width, amounts.n_weights);
        let cells = self.n_weights * n_columns * width;
        self.below.reset(cells, T::default());
        self.above.reset(cells, T::default());
        let features: Vec<usize> = node.columns.iter().map(|c| paid.feature_of(c)).collect();
        self.root.clear();
        self.root.extend(features.iter().map(|&f| paid.price(f)));
        self.doors.clear();
        self.doors
            .extend(features.iter().map(|&f| paid.doors(f).collect()));
        for (root, &feature) in features.iter().enumerate() {
            let is_new = paid.push(feature);
            for (child, &feature) in features.iter().enumerate() {
                let Some(price) = paid.price(feature) else {
                    continue;
                };
                let amount = amounts.amounts[price];
                let factor = T::narrow(amount.factor);
                for (factors, column, splits) in [
                    (&mut self.below, root, &layout.spans[child]),
                    (&mut self.above, child, &layout.spans[root]),
                ] {
                    let at = (amount.weight * n_columns + column) * width + splits.start;
                    factors[at..at + splits.len].fill(factor);
                }
            }
            if is_new {
                paid.pop(feature);
            }
        }
    }

    /// Factors of children below a root column, or of a child column below roots, for each weight.
    #[inline(always)]
    fn rows<'r>(&self, factors: &'r [T], column: usize) -> impl Iterator<Item = &'r [T]> {
        let width = self.width;
        let per_weight = factors.len() / self.n_weights.max(1);
        (0..self.n_weights).map(move |weight| {
            let at = weight * per_weight + column * width;
            &factors[at..at + width]
        })
    }
}

/// The weights that a set of rows is charged by.
#[derive(Debug, Default)]
pub struct Charges<T> {
    /// Per split, what it costs as root; more than it can gain if all rows are on one side of it.
    pub root: Aligned<T>,
    /// The same with the discount that another test opens, and that test.
    pub door: Aligned<T>,
    /// Weight x split: on the true side.
    inside: Aligned<T>,
    /// The same on the false side.
    outside: Aligned<T>,
}

impl<T: Lane> Charges<T> {
    /// Charges of the rows behind `margins`, which are cumulated; `most` is above what any test can gain.
    pub fn set(
        &mut self,
        layout: &Layout,
        rates: &Rates<T>,
        amounts: &Amounts,
        margins: &Margins,
        most: i64,
    ) {
        let width = layout.width;
        self.root.reset(width, T::narrow(most));
        self.door.reset(width, T::narrow(most));
        self.inside.reset(width * amounts.n_weights, T::default());
        self.outside.reset(width * amounts.n_weights, T::default());
        let records = margins.plane(0);
        let due = |price: Option<usize>| price.map_or(0, |price| amounts.due(price, &margins.sums));
        for ((&price, doors), span) in rates.root.iter().zip(&rates.doors).zip(&layout.spans) {
            let splits = span.start..span.start + span.len;
            let root = T::narrow(due(price).min(most));
            for (charge, &inside) in self.root[splits.clone()]
                .iter_mut()
                .zip(&records[splits.clone()])
            {
                if inside > 0 && inside < margins.sums[0] {
                    *charge = root;
                }
            }
            let pairs = doors
                .iter()
                .map(|&[door, discounted]| due(door) + due(discounted));
            if let Some(least) = pairs.min() {
                self.door[splits].fill(T::narrow(least.min(most)));
            }
        }
        for (weight, &all) in margins.sums.iter().enumerate() {
            let planes = weight * width..(weight + 1) * width;
            for ((inside, outside), &part) in self.inside[planes.clone()]
                .iter_mut()
                .zip(&mut self.outside[planes])
                .zip(margins.plane(weight))
            {
                *inside = T::narrow(part);
                *outside = T::narrow(all - part);
            }
        }
    }

    /// Charges of all children below root split `f` of a column, from chunk `first` on: on its true and on its false side.
    #[inline(always)]
    pub fn below(
        &self,
        rates: &Rates<T>,
        (column, f): (usize, usize),
        first: usize,
        [inside, outside]: [&mut [T]; 2],
    ) {
        let width = rates.width;
        for (weight, factors) in rates.rows(&rates.below, column).enumerate() {
            let (part, rest) = (
                self.inside[weight * width + f],
                self.outside[weight * width + f],
            );
            for at in (first..width).step_by(CHUNK) {
                let factors = chunk_of(factors, at);
                for (row, weight_of_side) in [(&mut *inside, part), (&mut *outside, rest)] {
                    let row = chunk_of_mut(row, at);
                    let charges = charges(factors, &[weight_of_side; CHUNK]);
                    *row = if weight == 0 {
                        charges
                    } else {
                        sum(row, &charges)
                    };
                }
            }
        }
    }

    /// Take the charges of child column `column` off what it scores below each root split, from chunk `first` on.
    #[inline(always)]
    pub fn take_off(
        &self,
        rates: &Rates<T>,
        column: usize,
        first: usize,
        [inside, outside]: [&mut [T]; 2],
    ) {
        let width = rates.width;
        for (weight, factors) in rates.rows(&rates.above, column).enumerate() {
            for at in (first..width).step_by(CHUNK) {
                let factors = chunk_of(factors, at);
                for (found, weights) in
                    [(&mut *inside, &self.inside), (&mut *outside, &self.outside)]
                {
                    let weights = chunk_of(weights, weight * width + at);
                    let charges = charges(factors, weights);
                    let found = chunk_of_mut(found, at);
                    for (found, charge) in found.iter_mut().zip(charges) {
                        *found = found.minus(charge);
                    }
                }
            }
        }
    }
}

#[inline(always)]
fn charges<T: Lane>(factors: &Chunk<T>, weights: &Chunk<T>) -> Chunk<T> {
    let mut charges = [T::default(); CHUNK];
    for g in 0..CHUNK {
        charges[g] = factors[g].times(weights[g]);
    }
    charges
}

#[inline(always)]
fn sum<T: Lane>(a: &Chunk<T>, b: &Chunk<T>) -> Chunk<T> {
    let mut sums = *a;
    for g in 0..CHUNK {
        sums[g] = sums[g].plus(b[g]);
    }
    sums
}
