//! The best tree of depth two: walk the splits of each column, moving rows from one histogram to the other.

use std::sync::Arc;

use super::solver::{Answer, Solver};
use super::sums::{Set, add};
use crate::search::Shape;
use crate::table::{Kind, SplitRef};

/// A side of the root split: its leaf, and its best single split.
struct Side {
    leaf: f64,
    split: Option<(f64, SplitRef)>,
}

impl Side {
    /// Cost and shape with at most `nodes` branching nodes, zero or one.
    fn best(&self, nodes: u32, penalty: f64) -> (f64, Option<SplitRef>) {
        match self.split {
            Some((cost, split)) if nodes > 0 && cost + penalty < self.leaf => {
                (cost + penalty, Some(split))
            }
            _ => (self.leaf, None),
        }
    }
}

impl Solver<'_> {
    /// Find the best tree of at most two levels and `budget` branching nodes, two or three.
    pub(super) fn depth_two(&mut self, set: &Set, budget: u32) -> Answer {
        let masses = self.masses;
        let mut best = Answer::exactly(masses.leaf(&set.sums), Shape::leaf());
        let mut total = masses.histogram();
        for &row in &set.rows {
            masses.count(&mut total, row);
        }
        let mut inside = masses.histogram();
        let mut outside = total.clone();
        for (index, column) in masses.problem.columns.iter().enumerate() {
            if self.control.stopped() {
                return Answer {
                    lower: set.floor.min(best.cost),
                    ..best
                };
            }
            let mut by_code: Vec<Vec<u32>> = vec![Vec::new(); column.n_codes];
            for &row in &set.rows {
                by_code[usize::from(masses.problem.row(row as usize)[index])].push(row);
            }
            inside.fill(0.0);
            let mut inside_sums = vec![0.0; masses.width];
            for (split, rows) in by_code.iter().enumerate().take(column.n_splits) {
                if rows.is_empty() {
                    continue;
                }
                if column.kind == Kind::Nominal {
                    inside.fill(0.0);
                    inside_sums.fill(0.0);
                }
                for &row in rows {
                    masses.count(&mut inside, row);
                    add(&mut inside_sums, masses.of(row));
                }
                let outside_sums: Vec<f64> = set
                    .sums
                    .iter()
                    .zip(&inside_sums)
                    .map(|(all, part)| all - part)
                    .collect();
                let smaller = inside_sums[0].min(outside_sums[0]);
                if smaller < masses.min_records.max(1.0) {
                    continue;
                }
                for ((rest, all), part) in outside.iter_mut().zip(&total).zip(&inside) {
                    *rest = all - part;
                }
                let sides = [(&inside, &inside_sums), (&outside, &outside_sums)].map(
                    |(histogram, sums)| Side {
                        leaf: masses.leaf(sums),
                        split: masses.best_split(histogram, sums),
                    },
                );
                let root = SplitRef {
                    column: index as u32,
                    split: split as u32,
                };
                self.offer(&mut best, root, &sides, budget);
            }
        }
        best.lower = best.cost;
        best
    }

    /// Keep the tree with this root split if it is better.
    fn offer(&self, best: &mut Answer, root: SplitRef, sides: &[Side; 2], budget: u32) {
        let shares: &[[u32; 2]] = if budget >= 3 {
            &[[1, 1]]
        } else {
            &[[1, 0], [0, 1]]
        };
        for share in shares {
            let [a, b] = [0, 1].map(|side| sides[side].best(share[side], self.penalty));
            let cost = a.0 + b.0 + self.penalty;
            if cost < best.cost - self.tolerance {
                let child = |split: Option<SplitRef>| -> Arc<Shape> {
                    split.map_or_else(Shape::leaf, |split| {
                        Shape::branch(split, Shape::leaf(), Shape::leaf())
                    })
                };
                *best = Answer::exactly(cost, Shape::branch(root, child(a.1), child(b.1)));
            }
        }
    }
}
