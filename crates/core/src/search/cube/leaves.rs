//! Level zero: the cost of every box as a leaf.
//!
//! The merged rows are walked column by column. While the remaining columns span more cells than is worth holding, a box carries the
//! rows it holds; from then on it carries a grid of masses over the remaining columns, in slots ([`ColumnStates::fill_slots`]), so that
//! each set of codes costs one or a few subtractions of a smaller grid from a larger one.

use super::ranks::Ranks;
use super::states::{ColumnStates, Recipe};
use super::value::Value;
use crate::problem::Problem;
use crate::search::control::Control;

/// Cells (lanes counted) that a grid may have whatever the number of rows.
const SMALL_GRID: usize = 1 << 15;

/// What rows weigh, and what a leaf over some of them costs.
#[derive(Clone, Debug)]
pub struct Masses<T> {
    /// Row-major: row x lane; one lane per label (cost above the row's least), and one of record counts if leaves must hold a minimum.
    lanes: Vec<T>,
    /// Codes, row-major: row x column, in the order of the cube's columns.
    codes: Vec<u8>,
    n_columns: usize,
    n_labels: usize,
    min_records: Option<T>,
    /// Cost of one unit of loss.
    per_unit: T,
}

impl<T: Value> Masses<T> {
    /// The masses of a problem's rows.
    pub fn new(problem: &Problem, columns: &[ColumnStates], min_records: i64, per_unit: i64) -> Self {
        let counted = min_records > 0;
        let mut lanes = Vec::new();
        let mut codes = Vec::with_capacity(problem.n_rows() * columns.len());
        for (row, costs) in problem.costs.chunks_exact(problem.n_labels).enumerate() {
            let least = costs.iter().copied().min().unwrap_or(0);
            lanes.extend(costs.iter().map(|&cost| T::narrow(cost - least)));
            if counted {
                lanes.push(T::narrow(i64::from(problem.counts[row])));
            }
            codes.extend(columns.iter().map(|states| problem.row(row)[states.column]));
        }
        Self {
            lanes,
            codes,
            n_columns: columns.len(),
            n_labels: problem.n_labels,
            min_records: counted.then(|| T::narrow(min_records)),
            per_unit: T::narrow(per_unit),
        }
    }

    fn n_lanes(&self) -> usize {
        self.n_labels + usize::from(self.min_records.is_some())
    }

    fn row(&self, row: u32) -> &[T] {
        let lanes = self.n_lanes();
        &self.lanes[row as usize * lanes..(row as usize + 1) * lanes]
    }

    fn code(&self, row: u32, column: usize) -> u8 {
        self.codes[row as usize * self.n_columns + column]
    }

    #[inline]
    fn leaf_cost(&self, lanes: &[T]) -> T {
        if self.min_records.is_some_and(|least| lanes[self.n_labels] < least) {
            return T::UNREACHABLE;
        }
        let loss = lanes[..self.n_labels].iter().copied().min().unwrap_or_default();
        loss * self.per_unit
    }
}

/// The cost of every box as a leaf, by rank; `None` if stopped on the way.
pub fn leaf_costs<T: Value>(
    masses: &Masses<T>,
    columns: &[ColumnStates],
    ranks: &Ranks,
    control: &Control,
) -> Option<Vec<T>> {
    let n_rows = masses.lanes.len() / masses.n_lanes();
    let mut walk = Walk::new(masses, columns, ranks, control, n_rows);
    let rows: Vec<u32> = (0..n_rows as u32).collect();
    walk.from_rows(0, 0, 0, &rows);
    (!walk.stopped).then_some(walk.costs)
}

/// Columns that are walked by rows, because the grid over the others would be much larger than the rows.
pub fn n_listed(slots: &[usize], n_rows: usize, lanes: usize) -> usize {
    let most = SMALL_GRID.max(8 * n_rows) / lanes;
    (0..slots.len()).find(|&first| grid_cells(&slots[first..]) <= most).unwrap_or(slots.len())
}

fn grid_cells(slots: &[usize]) -> usize {
    slots.iter().fold(1, |cells: usize, &slots| cells.saturating_mul(slots))
}

struct Walk<'a, T> {
    masses: &'a Masses<T>,
    columns: &'a [ColumnStates],
    ranks: &'a Ranks,
    control: &'a Control,
    n_listed: usize,
    /// Values per slot on the axis of each column: cells of the columns after it, times lanes.
    strides: Vec<usize>,
    /// Per column, the grid over the columns from it on.
    grids: Vec<Vec<T>>,
    costs: Vec<T>,
    stopped: bool,
}

impl<'a, T: Value> Walk<'a, T> {
    fn new(
        masses: &'a Masses<T>,
        columns: &'a [ColumnStates],
        ranks: &'a Ranks,
        control: &'a Control,
        n_rows: usize,
    ) -> Self {
        let lanes = masses.n_lanes();
        let slots: Vec<usize> = columns.iter().map(ColumnStates::n_slots).collect();
        let n_listed = n_listed(&slots, n_rows, lanes);
        let cells: Vec<usize> = (0..=columns.len())
            .map(|first| if first < n_listed { 0 } else { grid_cells(&slots[first..]) * lanes })
            .collect();
        Self {
            masses,
            columns,
            ranks,
            control,
            n_listed,
            strides: cells[1..].to_vec(),
            grids: cells.iter().map(|&cells| vec![T::default(); cells]).collect(),
            costs: vec![T::default(); ranks.n_boxes()],
            stopped: false,
        }
    }

    /// Boxes that hold `rows` before column `c`.
    #[allow(clippy::wrong_self_convention)]
    fn from_rows(&mut self, c: usize, rank: u32, used: u32, rows: &[u32]) {
        self.stopped = self.stopped || self.control.stopped();
        if self.stopped {
            return;
        }
        let left = self.ranks.limit - used;
        if left == 0 {
            // Every later column is whole.
            let mut sums = vec![T::default(); self.masses.n_lanes()];
            for &row in rows {
                sums.iter_mut().zip(self.masses.row(row)).for_each(|(sum, &mass)| *sum += mass);
            }
            self.costs[rank as usize] = self.masses.leaf_cost(&sums);
            return;
        }
        if c == self.n_listed {
            let mut grid = std::mem::take(&mut self.grids[c]);
            self.fill_grid(&mut grid, c, rows);
            self.from_grid(c, rank, used, &grid);
            self.grids[c] = grid;
            return;
        }
        let column = &self.columns[c];
        let mut held = Vec::with_capacity(rows.len());
        for state in 0..column.within[left as usize] {
            let rank = rank + self.ranks.step(c, used, state as u32);
            let used = used + column.distance[state];
            held.clear();
            held.extend(
                rows.iter().filter(|&&row| column.holds(state, self.masses.code(row, c))),
            );
            self.from_rows(c + 1, rank, used, &held);
        }
    }

    fn fill_grid(&self, grid: &mut [T], first: usize, rows: &[u32]) {
        grid.fill(T::default());
        let lanes = self.masses.n_lanes();
        for &row in rows {
            let at: usize = (first..self.columns.len())
                .map(|c| usize::from(self.masses.code(row, c)) * self.strides[c])
                .sum();
            for (cell, &mass) in grid[at..at + lanes].iter_mut().zip(self.masses.row(row)) {
                *cell += mass;
            }
        }
        for c in first..self.columns.len() {
            self.columns[c].fill_slots(grid, self.strides[c]);
        }
    }

    /// Boxes that hold the masses of `grid` before column `c`.
    #[allow(clippy::wrong_self_convention)]
    fn from_grid(&mut self, c: usize, rank: u32, used: u32, grid: &[T]) {
        let left = self.ranks.limit - used;
        if left == 0 || c == self.columns.len() {
            // The last cell holds the sum of all.
            self.costs[rank as usize] =
                self.masses.leaf_cost(&grid[grid.len() - self.masses.n_lanes()..]);
            return;
        }
        if c < self.n_listed + 2 {
            self.stopped = self.stopped || self.control.stopped();
            if self.stopped {
                return;
            }
        }
        let (columns, stride) = (self.columns, self.strides[c]);
        let column = &columns[c];
        if c + 1 == columns.len() {
            let mut lanes = vec![T::default(); stride];
            for (state, recipe) in column.recipes[..column.within[left as usize]].iter().enumerate() {
                subtract(&mut lanes, grid, recipe);
                // In the last column every set adds one box.
                self.costs[rank as usize + state] = self.masses.leaf_cost(&lanes);
            }
            return;
        }
        let mut part = std::mem::take(&mut self.grids[c + 1]);
        for (state, recipe) in column.recipes[..column.within[left as usize]].iter().enumerate() {
            let rank = rank + self.ranks.step(c, used, state as u32);
            let used = used + column.distance[state];
            if recipe.minus.is_empty() {
                self.from_grid(c + 1, rank, used, &grid[recipe.plus * stride..][..stride]);
            } else if used == self.ranks.limit {
                // Only the last cell is needed.
                let lanes = self.masses.n_lanes();
                let last = &mut part[stride - lanes..];
                subtract_at(last, grid, recipe, stride, stride - lanes);
                self.costs[rank as usize] = self.masses.leaf_cost(last);
            } else {
                subtract(&mut part, grid, recipe);
                self.from_grid(c + 1, rank, used, &part);
            }
        }
        self.grids[c + 1] = part;
    }
}

/// The masses of a set of codes: slots of `grid` of `part.len()` values each.
#[inline]
fn subtract<T: Value>(part: &mut [T], grid: &[T], recipe: &Recipe) {
    subtract_at(part, grid, recipe, part.len(), 0);
}

/// The same for the values from `from` on of every slot of `stride` values.
#[inline]
fn subtract_at<T: Value>(part: &mut [T], grid: &[T], recipe: &Recipe, stride: usize, from: usize) {
    part.copy_from_slice(&grid[recipe.plus * stride + from..][..part.len()]);
    for &less in &recipe.minus {
        let less = &grid[less * stride + from..][..part.len()];
        for (value, &off) in part.iter_mut().zip(less) {
            *value -= off;
        }
    }
}
