//! The best tree of depth two: walk the splits of each column, moving rows from one histogram to the other.

use std::sync::Arc;

use super::rows::{Set, add};
use super::solver::{Answer, Solver};
use crate::search::Shape;
use crate::search::cost::{Cost, UNREACHABLE};
use crate::table::{Kind, SplitRef};

/// A side of the root split: its leaf, and a single split that is better.
struct Side {
    leaf: Cost,
    split: Option<(Cost, SplitRef)>,
}

impl Side {
    /// Cost and split with at most `nodes` branching nodes, zero or one.
    fn best(&self, nodes: u32) -> (Cost, Option<SplitRef>) {
        match self.split {
            Some((cost, split)) if nodes > 0 => (cost, Some(split)),
            _ => (self.leaf, None),
        }
    }
}

/// What the root split costs, and what is asked for.
#[derive(Clone, Copy)]
struct Place {
    price: Cost,
    budget: u32,
    upper: Cost,
}

/// The two sides of a root split while it moves along a column.
struct Walk {
    total: Vec<i64>,
    inside: Vec<i64>,
    outside: Vec<i64>,
    inside_sums: Vec<i64>,
    outside_sums: Vec<i64>,
}

impl Solver<'_> {
    /// Find the best tree of at most two levels and `budget` branching nodes, two or three; see [`Solver::solve`] for `upper`.
    pub(super) fn depth_two(&mut self, set: &Set, budget: u32, upper: Cost) -> Answer {
        let rows = self.rows;
        let mut best = Answer {
            lower: UNREACHABLE,
            cost: self.leaf(&set.sums),
            shape: Shape::leaf(),
        };
        let mut total = rows.histogram();
        for &row in &set.rows {
            rows.count(&mut total, row);
        }
        let mut walk = Walk {
            inside: rows.histogram(),
            outside: total.clone(),
            total,
            inside_sums: rows.zeros(),
            outside_sums: rows.zeros(),
        };
        let floor = self.scale.loss(rows.floor(&set.sums));
        for column in 0..rows.priced.problem.columns.len() {
            if self.control.stopped() {
                return Answer {
                    lower: self.quick_lower(&set.sums).min(best.cost),
                    ..best
                };
            }
            let price = self.price(column, &set.sums);
            if price + floor >= best.cost.min(upper) {
                best.lower = best.lower.min(price + floor);
                continue;
            }
            let feature = rows.priced.feature_of_column[column];
            let is_new = self.paid.push(feature);
            self.walk(
                set,
                column,
                Place {
                    price,
                    budget,
                    upper,
                },
                &mut walk,
                &mut best,
            );
            if is_new {
                self.paid.pop(feature);
            }
        }
        best.lower = best.lower.min(best.cost);
        best
    }

    /// Try the splits of a column, whose feature is paid, as root. Lowers `best.lower` to what is proven of those left out.
    fn walk(&self, set: &Set, index: usize, place: Place, walk: &mut Walk, best: &mut Answer) {
        let rows = self.rows;
        let column = &rows.priced.problem.columns[index];
        let mut by_code: Vec<Vec<u32>> = vec![Vec::new(); column.n_codes];
        for &row in &set.rows {
            by_code[usize::from(rows.priced.problem.row(row as usize)[index])].push(row);
        }
        walk.inside.fill(0);
        walk.inside_sums.fill(0);
        let nest = self.sides_nest(index);
        let mut inside_lower = 0;
        for (split, moved) in by_code.iter().enumerate().take(column.n_splits) {
            if moved.is_empty() {
                continue;
            }
            if column.kind == Kind::Nominal {
                walk.inside.fill(0);
                walk.inside_sums.fill(0);
            }
            for &row in moved {
                rows.count(&mut walk.inside, row);
                add(&mut walk.inside_sums, rows.of(row));
            }
            subtract(&mut walk.outside_sums, &set.sums, &walk.inside_sums);
            let smaller = walk.inside_sums[0].min(walk.outside_sums[0]);
            if smaller < rows.min_records.max(1) {
                continue;
            }
            let rest = place.price + self.quick_lower(&walk.outside_sums);
            let bound = rest + inside_lower.max(self.quick_lower(&walk.inside_sums));
            if bound >= best.cost.min(place.upper) {
                best.lower = best.lower.min(bound);
                continue;
            }
            let inside = self.side(&walk.inside, &walk.inside_sums);
            let least = inside.best(1).0;
            if nest {
                inside_lower = least;
            }
            if rest + least >= best.cost.min(place.upper) {
                best.lower = best.lower.min(rest + least);
                continue;
            }
            subtract(&mut walk.outside, &walk.total, &walk.inside);
            let sides = [inside, self.side(&walk.outside, &walk.outside_sums)];
            let root = SplitRef {
                column: index as u32,
                split: split as u32,
            };
            offer(best, root, &sides, place);
        }
    }

    fn side(&self, histogram: &[i64], sums: &[i64]) -> Side {
        let leaf = self.leaf(sums);
        let split = self
            .rows
            .best_split(histogram, sums, &self.paid, self.rows.leaf(sums))
            .map(|(units, split)| (self.scale.loss(units) + self.scale.node, split))
            .filter(|(cost, _)| *cost < leaf);
        Side { leaf, split }
    }
}

/// Keep the tree with this root split if it is better.
fn offer(best: &mut Answer, root: SplitRef, sides: &[Side; 2], place: Place) {
    let shares: &[[u32; 2]] = if place.budget >= 3 {
        &[[1, 1]]
    } else {
        &[[1, 0], [0, 1]]
    };
    for share in shares {
        let [a, b] = [0, 1].map(|side| sides[side].best(share[side]));
        let cost = a.0 + b.0 + place.price;
        if cost < best.cost {
            let child = |split: Option<SplitRef>| -> Arc<Shape> {
                split.map_or_else(Shape::leaf, |split| {
                    Shape::branch(split, Shape::leaf(), Shape::leaf())
                })
            };
            best.cost = cost;
            best.shape = Shape::branch(root, child(a.1), child(b.1));
        }
    }
}

fn subtract(rest: &mut [i64], whole: &[i64], part: &[i64]) {
    for ((rest, whole), part) in rest.iter_mut().zip(whole).zip(part) {
        *rest = whole - part;
    }
}
