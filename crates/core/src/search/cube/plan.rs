//! Whether the cube solver suits a problem, by what it would take.

use std::time::Duration;

use super::leaves::{LARGEST_GRID, Span};
use super::states::ColumnStates;
use super::value::Value;
use crate::problem::{Problem, ProblemColumn};
use crate::search::lane::Lane;
use crate::search::params::Params;
use crate::search::searcher::{KernelChoice, full_budget};
use crate::table::Kind;

/// Boxes of one depth: their ranks must fit 32 bits.
const MOST_BOXES: f64 = 1e9;

/// Least work done in a second.
const WORK_PER_SECOND: f64 = 2e8;
/// Share of the general search's estimate that the cube solver may take: that search prunes, the more so the larger the problem.
const GENERAL_SHARE: f64 = 0.6;
/// Work of some ten milliseconds.
const LONG_WORK: f64 = 1e7;

/// What the cube solver would do for a problem.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Depth of the tree.
    pub depth: u32,
    /// Planes per level, from depth 0 on.
    pub planes: Vec<usize>,
    /// Whether costs fit 32 bits.
    pub narrow: bool,
    /// Bytes for the costs of all boxes and the largest grid.
    pub bytes: f64,
    /// Sums of two costs, the unit of work.
    pub work: f64,
    /// What the general search would take, in the same unit.
    pub general_work: f64,
    /// The columns with splits, in the order of the walk: the one with most sets last.
    order: Vec<usize>,
}

impl Plan {
    /// Plan for `problem`; `None` if it has no splits, no depth, or far too many boxes.
    pub fn new(problem: &Problem, params: &Params) -> Option<Self> {
        Self::below(problem, params, loss_beyond(problem), 0)
    }

    /// The same where no tree costs more than `most` units, what tests cost included; each box carries `extra` sums besides its costs.
    pub fn below(problem: &Problem, params: &Params, most: i64, extra: usize) -> Option<Self> {
        let budget = params.budget();
        let depth = params.max_depth.min(budget);
        let mut columns = sets_of_columns(problem, depth);
        if depth == 0 || columns.is_empty() {
            return None;
        }
        columns.sort_by(|(_, a), (_, b)| a.iter().sum::<f64>().total_cmp(&b.iter().sum()));
        let boxes = count_boxes(&columns, depth);
        if boxes[depth as usize] > MOST_BOXES {
            return None;
        }
        let planes = planes(depth, budget);
        let n_splits = n_splits(problem);
        let narrow = params.node_penalty == 0.0 && fits_narrow(problem, most, depth);
        let width = if narrow { 4.0 } else { 8.0 };
        let (mut bytes, mut work) = (0.0, 0.0);
        for (level, &count) in planes.iter().enumerate() {
            let boxes = boxes[depth as usize - level];
            bytes += width * boxes * (count + extra) as f64;
            let shares = (count * count).div_ceil(2) as f64;
            work += boxes
                * if level == 0 {
                    1.0
                } else {
                    shares * n_splits as f64
                };
        }
        let cells: f64 = columns
            .iter()
            .map(|&(index, _)| n_slots(&problem.columns[index]) as f64)
            .product();
        bytes += width * (cells * (problem.n_labels + extra) as f64).min(LARGEST_GRID as f64);
        let order: Vec<usize> = columns.iter().map(|&(index, _)| index).collect();
        let sets: Vec<Vec<f64>> = columns.iter().map(|(_, sets)| sets.clone()).collect();
        work += leaf_work(problem, &order, &sets, depth);
        let general_work = general_work(problem, n_splits, columns.len(), &boxes);
        Some(Self {
            depth,
            planes,
            narrow,
            bytes,
            work,
            general_work,
            order,
        })
    }

    /// The plan, if the cube solver is asked for, or chosen as the cheaper way.
    pub fn choose(problem: &Problem, params: &Params, time_left: Option<Duration>) -> Option<Self> {
        Self::choose_from(params, time_left, || Self::new(problem, params))
    }

    /// The same with a plan made on demand.
    pub fn choose_from(
        params: &Params,
        time_left: Option<Duration>,
        make: impl FnOnce() -> Option<Self>,
    ) -> Option<Self> {
        match params.kernel {
            KernelChoice::Cube => make(),
            // One pair table solves depth two as fast.
            KernelChoice::Auto if params.max_depth > 2 => {
                let memory = params.memory_limit.unwrap_or(Params::DEFAULT_MEMORY) as f64;
                // A search that will be cut off is better off with bounds from the first moment.
                let most_work =
                    time_left.map_or(f64::INFINITY, |left| left.as_secs_f64() * WORK_PER_SECOND);
                make().filter(|plan| {
                    plan.bytes <= memory
                        && plan.work <= most_work.min(plan.general_work * GENERAL_SHARE)
                })
            }
            _ => None,
        }
    }

    /// Whether it takes long enough that a time limit or an interrupt should find a tree.
    pub fn may_be_stopped(&self) -> bool {
        self.work > LONG_WORK
    }

    /// Whether it needs more memory than the search may take.
    pub fn exceeds_memory(&self, params: &Params) -> bool {
        params
            .memory_limit
            .is_some_and(|limit| self.bytes > limit as f64)
    }

    /// Narrow cost of one unit of loss: more than a tree has branching nodes.
    pub fn steps(&self) -> i64 {
        i64::from(full_budget(self.depth)) + 1
    }

    /// The sets of every column.
    pub(super) fn columns(&self, problem: &Problem) -> Vec<ColumnStates> {
        self.order
            .iter()
            .map(|&index| ColumnStates::new(index, &problem.columns[index], self.depth))
            .collect()
    }
}

/// Rough work of the search that is chosen for `problem`, in sums of two costs: some 1e9 of them take a second.
pub fn expected_work(problem: &Problem, params: &Params) -> f64 {
    let depth = params.max_depth.min(params.budget());
    let columns = sets_of_columns(problem, depth);
    if depth == 0 || columns.is_empty() {
        return 0.0;
    }
    match Plan::choose(problem, params, None) {
        Some(plan) => plan.work,
        None => {
            let boxes = count_boxes(&columns, depth);
            GENERAL_SHARE * general_work(problem, n_splits(problem), columns.len(), &boxes)
        }
    }
}

/// Whether losses of up to `most` with numbers of branching nodes, and sums of two such costs, fit 32 bits.
fn fits_narrow(problem: &Problem, most: i64, depth: u32) -> bool {
    most.checked_mul(i64::from(full_budget(depth)) + 1)
        .is_some_and(|most| most < i32::UNREACHABLE.widen())
        && (problem.n_records as i64) < i32::UNREACHABLE.widen()
}

/// The most that a tree can lose beyond what none can avoid.
pub fn loss_beyond(problem: &Problem) -> i64 {
    let rows = problem.costs.chunks_exact(problem.n_labels);
    rows.map(|costs| costs.iter().max().unwrap_or(&0) - costs.iter().min().unwrap_or(&0))
        .sum()
}

/// Work of the general search. Small sets of splits leave it little to prune: it sweeps through about as many depth-three subproblems as
/// there are boxes above them, each at a cost of adding the rows to pair tables and of scoring those, per split of the root.
fn general_work(problem: &Problem, n_splits: usize, n_columns: usize, boxes: &[f64]) -> f64 {
    let above = boxes.len().saturating_sub(4);
    let rows = problem.n_rows() as f64 / f64::from(1_u32 << above);
    boxes[above] * sweep_work(rows, n_columns, n_splits)
}

/// Work of one sweep at depth three.
fn sweep_work(rows: f64, n_columns: usize, n_splits: usize) -> f64 {
    let splits = n_splits as f64;
    splits * (rows * n_columns as f64 + splits * splits / 2.0)
}

/// Whether a search, over boxes if there is a plan for them, ends before an observer would hear of it.
pub fn is_short(plan: Option<&Plan>, params: &Params, problem: &Problem) -> bool {
    match plan {
        Some(plan) => !plan.may_be_stopped(),
        None => params.max_depth <= 3 && !is_long_sweep(problem),
    }
}

/// Whether the general search takes long enough, at depth three, that a time limit or an interrupt should find a tree.
fn is_long_sweep(problem: &Problem) -> bool {
    let rows = (problem.n_rows() * problem.n_labels) as f64;
    sweep_work(rows, problem.columns.len(), n_splits(problem)) > LONG_WORK
}

fn n_splits(problem: &Problem) -> usize {
    problem.columns.iter().map(|column| column.n_splits).sum()
}

/// The columns with splits, and how many sets of codes are left of each after 0, 1, 2, ... splits.
fn sets_of_columns(problem: &Problem, depth: u32) -> Vec<(usize, Vec<f64>)> {
    let columns = problem.columns.iter().enumerate();
    columns
        .filter(|(_, column)| column.n_splits > 0 && column.n_codes > 1)
        .map(|(index, column)| (index, count_sets(column, depth)))
        .collect()
}

/// As [`ColumnStates::n_slots`], without the sets.
fn n_slots(column: &ProblemColumn) -> usize {
    column.n_codes + usize::from(column.kind == Kind::Nominal)
}

/// Sets of codes that are left after 0, 1, 2, ... splits of a column, an upper bound.
fn count_sets(column: &ProblemColumn, limit: u32) -> Vec<f64> {
    let splits = column.n_splits as f64;
    let mut sets = match column.kind {
        Kind::Ordered => vec![1.0, 2.0 * splits, splits * (splits - 1.0) / 2.0],
        Kind::Nominal => {
            let mut subsets = vec![1.0];
            for taken in 0..limit.min(column.n_splits as u32) {
                let last = subsets[taken as usize];
                subsets.push(last * (splits - f64::from(taken)) / f64::from(taken + 1));
            }
            if let Some(one) = subsets.get_mut(1) {
                *one += splits;
            }
            subsets
        }
    };
    sets.truncate(limit as usize + 1);
    sets
}

/// Number of boxes within each distance up to `limit`, from the sets of every column.
fn count_boxes(columns: &[(usize, Vec<f64>)], limit: u32) -> Vec<f64> {
    let mut boxes = vec![0.0; limit as usize + 1];
    boxes[0] = 1.0;
    for (_, sets) in columns {
        let mut sums = vec![0.0; boxes.len()];
        for (used, &count) in boxes.iter().enumerate() {
            for (sum, &sets) in sums[used..].iter_mut().zip(sets) {
                *sum += count * sets;
            }
        }
        boxes = sums;
    }
    for distance in 1..boxes.len() {
        boxes[distance] += boxes[distance - 1];
    }
    boxes
}

/// Work of the leaves beyond one step per box: scanning rows, filling and splitting grids.
fn leaf_work(problem: &Problem, order: &[usize], sets: &[Vec<f64>], depth: u32) -> f64 {
    let mut spans = vec![Span::NOTHING];
    for &c in order.iter().rev() {
        let column = &problem.columns[c];
        spans.push(spans[spans.len() - 1].with(column.n_splits, n_slots(column)));
    }
    spans.reverse();
    let lanes = problem.n_labels;
    // Boxes still carried as rows, by the splits used; each split leaves about half of the rows.
    let mut carried = vec![0.0; depth as usize + 1];
    carried[0] = 1.0;
    let mut work = 0.0;
    for (c, span) in spans.iter().enumerate() {
        let mut next = vec![0.0; carried.len()];
        for (used, &boxes) in carried.iter().enumerate() {
            let rows = problem.n_rows() as f64 / f64::from(1_u32 << used.min(20));
            let left = depth - used as u32;
            if left <= 1 || c == order.len() {
                work += boxes * rows * ((1 + left as usize * span.columns) * lanes) as f64;
            } else if span.wants_grid(rows as usize, left, lanes) {
                work += boxes * (span.cells * lanes * span.columns) as f64;
            } else {
                work += boxes * rows;
                for (more, &sets) in sets[c].iter().enumerate().take(left as usize + 1) {
                    next[used + more] += boxes * sets;
                }
            }
        }
        carried = next;
    }
    work
}

/// Number of planes per level: one, unless the node budget is tighter than the depth.
fn planes(depth: u32, budget: u32) -> Vec<usize> {
    (0..=depth)
        .map(|level| {
            if budget >= full_budget(depth) {
                1
            } else {
                (budget - (depth - level)).min(full_budget(level)) as usize + 1
            }
        })
        .collect()
}
