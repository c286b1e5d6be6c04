//! Local search: splits of the upper levels moved to neighbouring ones, windows and bottoms solved anew, until nothing helps.

use super::improve::{EXACT_DEPTH, Improver, Part};
use crate::error::Error;
use crate::problem::ProblemColumn;
use crate::search::Shape;
use crate::table::{Kind, SplitRef};

/// How far thresholds are moved, far moves first.
const STEPS: [i64; 6] = [8, -8, 3, -3, 1, -1];
/// Levels of a window: more labels than 2^2 cost more than they bring.
const WINDOW: u32 = 2;

impl Improver<'_, '_> {
    /// Improve a tree by all moves until none of them helps.
    pub fn improve(
        &mut self,
        known: Part,
        rows: &[u32],
        depth: u32,
        budget: u32,
    ) -> Result<Part, Error> {
        let mut best = self.solve_bottoms(&known, rows, depth, budget)?;
        while depth > EXACT_DEPTH && !self.stopped() {
            let mut found = self.improve_above(&best, rows, depth, budget)?;
            if found.beats(&best) {
                found = self.solve_bottoms(&found, rows, depth, budget)?;
            }
            if !found.beats(&best) {
                break;
            }
            best = found;
        }
        Ok(best)
    }

    /// One round of moves at every node above the exact bottoms, from the lowest of them up.
    fn improve_above(
        &mut self,
        known: &Part,
        rows: &[u32],
        depth: u32,
        budget: u32,
    ) -> Result<Part, Error> {
        if depth <= EXACT_DEPTH || self.stopped() {
            return Ok(known.clone());
        }
        let mut best = known.clone();
        if let Shape::Branch {
            split,
            inside,
            outside,
        } = &*best.shape.clone()
        {
            let (a_rows, b_rows) = self.divide(*split, rows);
            let spare = budget - best.shape.n_branching() as u32;
            let a = self.part(inside.clone(), &a_rows);
            let a =
                self.improve_above(&a, &a_rows, depth - 1, inside.n_branching() as u32 + spare)?;
            let b = self.part(outside.clone(), &b_rows);
            let b_budget = budget - 1 - a.shape.n_branching() as u32;
            let b = self.improve_above(&b, &b_rows, depth - 1, b_budget)?;
            let found = self.part(Shape::branch(*split, a.shape, b.shape), rows);
            if found.beats(&best) {
                best = found;
            }
        }
        let found = self.solve_window(&best, rows, WINDOW, budget)?;
        if found.beats(&best) {
            best = self.solve_bottoms(&found, rows, depth, budget)?;
        }
        self.move_split(best, rows, depth, budget)
    }

    /// Move the threshold at the top as long as that helps, solving the bottoms below it anew.
    fn move_split(
        &mut self,
        known: Part,
        rows: &[u32],
        depth: u32,
        budget: u32,
    ) -> Result<Part, Error> {
        let mut best = known;
        let mut tried: Vec<u32> = Vec::new();
        loop {
            let Shape::Branch {
                split,
                inside,
                outside,
            } = &*best.shape.clone()
            else {
                return Ok(best);
            };
            let column = &self.base.columns[split.column as usize];
            let mut moved = false;
            for next in neighbours(column, *split) {
                if self.stopped() {
                    return Ok(best);
                }
                if tried.contains(&next.split) {
                    continue;
                }
                tried.push(next.split);
                let shape = self.tidy(&Shape::branch(next, inside.clone(), outside.clone()), rows);
                if !self.is_allowed(&shape, rows) {
                    continue;
                }
                let start = self.part(shape, rows);
                let found = self.solve_bottoms(&start, rows, depth, budget)?;
                if found.beats(&best) {
                    best = found;
                    moved = true;
                    break;
                }
            }
            if !moved {
                return Ok(best);
            }
        }
    }
}

fn neighbours(column: &ProblemColumn, split: SplitRef) -> Vec<SplitRef> {
    if column.kind == Kind::Nominal {
        return Vec::new();
    }
    STEPS
        .iter()
        .map(|step| i64::from(split.split) + step)
        .filter(|&at| at >= 0 && at < column.n_splits as i64)
        .map(|at| SplitRef {
            column: split.column,
            split: at as u32,
        })
        .collect()
}
