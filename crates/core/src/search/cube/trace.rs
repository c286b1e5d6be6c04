//! From costs back to a tree.

use std::sync::Arc;

use super::level::{Level, plane_below, shares};
use super::states::ColumnStates;
use super::value::Value;
use crate::search::shape::Shape;
use crate::table::SplitRef;

/// A best tree of the whole table at the last level; of several, the one whose splits come first, column by column.
pub fn shape<T: Value>(columns: &[ColumnStates], levels: &[Level<T>], node_price: T) -> Arc<Shape> {
    let mut order: Vec<usize> = (0..columns.len()).collect();
    order.sort_by_key(|&c| columns[c].column);
    let trace = Trace {
        columns,
        levels,
        node_price,
        order,
    };
    let last = levels.len() - 1;
    trace.follow(&vec![0; columns.len()], last, levels[last].planes.len() - 1)
}

struct Trace<'a, T> {
    columns: &'a [ColumnStates],
    levels: &'a [Level<T>],
    node_price: T,
    order: Vec<usize>,
}

impl<T: Value> Trace<'_, T> {
    fn cost(&self, sets: &[u32], level: usize, plane: usize) -> T {
        let level = &self.levels[level];
        level.planes[plane][level.ranks.rank(self.columns, sets) as usize]
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
        for &c in &self.order {
            for cut in self.columns[c].cuts(sets[c] as usize) {
                let (mut inside, mut outside) = (sets.to_vec(), sets.to_vec());
                inside[c] = cut.inside;
                outside[c] = cut.outside;
                for share in shares.iter().filter(|share| share.all == plane) {
                    let sum = self.cost(&inside, level - 1, share.inside)
                        + self.cost(&outside, level - 1, share.outside)
                        + self.node_price;
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
