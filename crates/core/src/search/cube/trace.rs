//! From costs back to a tree.

use std::sync::Arc;

use super::level::{Level, plane_below, shares};
use super::prices::TestPrices;
use super::states::ColumnStates;
use super::value::Value;
use crate::search::shape::Shape;
use crate::table::SplitRef;

/// A best tree of the whole table at the last level; of several, the one whose splits come first, column by column.
pub fn shape<T: Value, P: TestPrices>(
    columns: &[ColumnStates],
    levels: &[Level<T>],
    node_price: T,
    (prices, per_unit): (&P, T),
) -> Arc<Shape> {
    let mut order: Vec<usize> = (0..columns.len()).collect();
    order.sort_by_key(|&c| columns[c].column);
    let trace = Trace {
        columns,
        levels,
        node_price,
        prices,
        per_unit,
        order,
    };
    let last = levels.len() - 1;
    trace.follow(&vec![0; columns.len()], last, levels[last].planes.len() - 1)
}

struct Trace<'a, T, P> {
    columns: &'a [ColumnStates],
    levels: &'a [Level<T>],
    node_price: T,
    /// What tests cost with nothing tested yet, in units.
    prices: &'a P,
    /// Cost of one unit of price.
    per_unit: T,
    order: Vec<usize>,
}

impl<T: Value, P: TestPrices> Trace<'_, T, P> {
    fn cost(&self, sets: &[u32], level: usize, plane: usize) -> T {
        let level = &self.levels[level];
        level.planes[plane][level.ranks.rank(self.columns, sets) as usize]
    }

    /// Price of a split of a box on each column, its branching node included.
    fn split_prices(&self, sets: &[u32], level: usize) -> Vec<T> {
        if !P::PRICED {
            return vec![self.node_price; self.columns.len()];
        }
        let mut prices = self.prices.clone();
        for (states, _) in self.columns.iter().zip(sets).filter(|&(_, &set)| set != 0) {
            prices.test(states.column);
        }
        let level = &self.levels[level];
        let weight = level.weights[level.ranks.rank(self.columns, sets) as usize];
        let factors = self
            .columns
            .iter()
            .map(|states| prices.factor(states.column));
        factors
            .map(|factor| self.node_price + T::narrow(factor) * self.per_unit * weight)
            .collect()
    }

    fn follow(&self, sets: &[u32], level: usize, plane: usize) -> Arc<Shape> {
        if level == 0 {
            return Shape::leaf();
        }
        let cost = self.cost(sets, level, plane);
        let planes_below = self.levels[level - 1].planes.len();
        let below = plane_below(plane, planes_below);
        if self.cost(sets, level - 1, below) == cost {
            return self.follow(sets, level - 1, below);
        }
        let shares = shares(self.levels[level].planes.len(), planes_below);
        let prices = self.split_prices(sets, level);
        for &c in &self.order {
            for cut in self.columns[c].cuts(sets[c] as usize) {
                let (mut inside, mut outside) = (sets.to_vec(), sets.to_vec());
                inside[c] = cut.inside;
                outside[c] = cut.outside;
                for share in shares.iter().filter(|share| share.all == plane) {
                    let sum = self.cost(&inside, level - 1, share.inside)
                        + self.cost(&outside, level - 1, share.outside)
                        + prices[c];
                    if sum == cost {
                        let split = SplitRef {
                            column: self.columns[c].column as u32,
                            split: cut.split,
                        };
                        return Shape::branch(
                            split,
                            self.follow(&inside, level - 1, share.inside),
                            self.follow(&outside, level - 1, share.outside),
                        );
                    }
                }
            }
        }
        unreachable!("a cost below that of the level below comes from one of the cuts")
    }
}
