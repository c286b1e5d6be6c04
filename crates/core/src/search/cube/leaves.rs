//! Level zero: the cost of every box as a leaf, and its weight where tests are charged by it.
//!
//! The merged rows are walked column by column. While the remaining columns span many more cells than there are rows to scan, a box
//! carries the rows it holds; from then on it carries a grid of masses over the remaining columns, in slots
//! ([`ColumnStates::fill_slots`]), so that each set of codes costs one or a few subtractions of a smaller grid from a larger one.

use super::ranks::Ranks;
use super::states::{ColumnStates, Recipe};
use super::value::Value;
use crate::problem::Problem;
use crate::search::control::Control;

/// Most values that a grid may have, whatever it saves.
pub const LARGEST_GRID: usize = 1 << 22;

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
    /// Lane of the weights that tests are charged by, if tests cost something.
    weight_lane: Option<usize>,
    /// Cost of one unit of loss.
    per_unit: T,
}

/// Per box, by rank.
#[derive(Debug)]
pub struct Leaves<T> {
    /// Its cost as a leaf.
    pub costs: Vec<T>,
    /// Its weight; empty if tests cost nothing.
    pub weights: Vec<T>,
}

impl<T: Value> Masses<T> {
    /// The masses of a problem's rows, with the weight of each unless there are none: then tests cost nothing.
    pub fn new(
        problem: &Problem,
        columns: &[ColumnStates],
        weights: &[i64],
        min_records: i64,
        per_unit: i64,
    ) -> Self {
        let counted = min_records > 0;
        let mut lanes = Vec::new();
        let mut codes = Vec::with_capacity(problem.n_rows() * columns.len());
        for (row, costs) in problem.costs.chunks_exact(problem.n_labels).enumerate() {
            let least = costs.iter().copied().min().unwrap_or(0);
            lanes.extend(costs.iter().map(|&cost| T::narrow(cost - least)));
            if counted {
                lanes.push(T::narrow(i64::from(problem.counts[row])));
            }
            if let Some(&weight) = weights.get(row) {
                lanes.push(T::narrow(weight));
            }
            codes.extend(columns.iter().map(|states| problem.row(row)[states.column]));
        }
        Self {
            lanes,
            codes,
            n_columns: columns.len(),
            n_labels: problem.n_labels,
            // More than all records is as good as one more than all, and fits the lane.
            min_records: counted.then(|| T::narrow(min_records.min(problem.n_records as i64 + 1))),
            weight_lane: (!weights.is_empty()).then(|| problem.n_labels + usize::from(counted)),
            per_unit: T::narrow(per_unit),
        }
    }

    fn n_lanes(&self) -> usize {
        self.n_labels
            + usize::from(self.min_records.is_some())
            + usize::from(self.weight_lane.is_some())
    }

    fn row(&self, row: u32) -> &[T] {
        let lanes = self.n_lanes();
        &self.lanes[row as usize * lanes..(row as usize + 1) * lanes]
    }

    fn code(&self, row: u32, column: usize) -> u8 {
        self.codes[row as usize * self.n_columns + column]
    }

    fn codes_from(&self, row: u32, column: usize) -> &[u8] {
        &self.codes[row as usize * self.n_columns + column..(row as usize + 1) * self.n_columns]
    }

    /// The cost of a leaf whose sums are given by lane.
    #[inline(always)]
    fn cost_of(&self, sum: impl Fn(usize) -> T) -> T {
        if let Some(least) = self.min_records
            && sum(self.n_labels) < least
        {
            return T::UNREACHABLE;
        }
        let loss = (0..self.n_labels).map(sum).min().unwrap_or_default();
        loss * self.per_unit
    }
}

/// Every box as a leaf; `None` if stopped on the way.
pub fn leaves<T: Value>(
    masses: &Masses<T>,
    columns: &[ColumnStates],
    ranks: &Ranks,
    control: &Control,
) -> Option<Leaves<T>> {
    let mut walk = Walk::new(masses, columns, ranks, control);
    let n_rows = masses.lanes.len() / masses.n_lanes();
    let rows: Vec<u32> = (0..n_rows as u32).collect();
    walk.from_rows(0, 0, 0, &rows);
    (!walk.stopped).then_some(walk.leaves)
}

/// What the columns from some column on span.
#[derive(Clone, Copy, Debug)]
pub struct Span {
    /// Number of columns.
    pub columns: usize,
    /// Number of splits.
    pub splits: usize,
    /// Cells of a grid over them.
    pub cells: usize,
}

impl Span {
    /// The span of no columns.
    pub const NOTHING: Self = Self {
        columns: 0,
        splits: 0,
        cells: 1,
    };

    /// The span with one more column before it.
    pub fn with(self, splits: usize, slots: usize) -> Self {
        Self {
            columns: self.columns + 1,
            splits: self.splits + splits,
            cells: self.cells.saturating_mul(slots),
        }
    }

    /// Whether a grid over these columns pays: filling it against scanning `rows` rows for every box that `left` splits leave.
    pub fn wants_grid(self, rows: usize, left: u32, lanes: usize) -> bool {
        let scans = (self.splits as f64).powi(left as i32 - 1);
        self.cells.saturating_mul(lanes) <= LARGEST_GRID
            && (self.cells * self.columns) as f64 <= rows as f64 * scans
    }
}

struct Walk<'a, T> {
    masses: &'a Masses<T>,
    columns: &'a [ColumnStates],
    ranks: &'a Ranks,
    control: &'a Control,
    /// Per column, the columns from it on; one more entry for none.
    spans: Vec<Span>,
    /// Per column, a grid over the columns from it on; allocated where used.
    grids: Vec<Vec<T>>,
    leaves: Leaves<T>,
    stopped: bool,
}

impl<'a, T: Value> Walk<'a, T> {
    fn new(
        masses: &'a Masses<T>,
        columns: &'a [ColumnStates],
        ranks: &'a Ranks,
        control: &'a Control,
    ) -> Self {
        let mut spans = vec![Span::NOTHING];
        for column in columns.iter().rev() {
            spans.push(spans[spans.len() - 1].with(column.n_splits(), column.n_slots()));
        }
        spans.reverse();
        Self {
            masses,
            columns,
            ranks,
            control,
            grids: vec![Vec::new(); spans.len()],
            spans,
            leaves: Leaves {
                costs: vec![T::default(); ranks.n_boxes()],
                weights: match masses.weight_lane {
                    Some(_) => vec![T::default(); ranks.n_boxes()],
                    None => Vec::new(),
                },
            },
            stopped: false,
        }
    }

    /// Write down the box of a rank, whose sums are given by lane.
    #[inline(always)]
    fn put(&mut self, rank: u32, sum: impl Fn(usize) -> T) {
        self.leaves.costs[rank as usize] = self.masses.cost_of(&sum);
        if let Some(lane) = self.masses.weight_lane {
            self.leaves.weights[rank as usize] = sum(lane);
        }
    }

    fn must_stop(&mut self) -> bool {
        self.stopped = self.stopped || self.control.stopped();
        self.stopped
    }

    /// Values per slot on the axis of column `c`.
    fn stride(&self, c: usize) -> usize {
        self.spans[c + 1].cells * self.masses.n_lanes()
    }

    /// All boxes of the first `c` columns of one box, which holds `rows`.
    #[allow(clippy::wrong_self_convention)]
    fn from_rows(&mut self, c: usize, rank: u32, used: u32, rows: &[u32]) {
        let left = self.ranks.limit - used;
        match left {
            0 => return self.one_box(rank, rows),
            1 => return self.one_split_more(c, rank, used, rows),
            _ => {}
        }
        if self.must_stop() {
            return;
        }
        if self.spans[c].wants_grid(rows.len(), left, self.masses.n_lanes()) {
            let mut grid = std::mem::take(&mut self.grids[c]);
            self.fill_grid(&mut grid, c, rows);
            self.from_grid(c, rank, used, &grid);
            self.grids[c] = grid;
            return;
        }
        let column = &self.columns[c];
        let mut by_code = vec![Vec::new(); column.n_slots()];
        for &row in rows {
            by_code[usize::from(self.masses.code(row, c))].push(row);
        }
        let mut held = Vec::with_capacity(rows.len());
        for state in 0..column.within[left as usize] {
            let rank = rank + self.ranks.step(c, used, state as u32);
            let used = used + column.distance[state];
            held.clear();
            for (code, rows) in by_code.iter().enumerate() {
                if column.holds(state, code) {
                    held.extend_from_slice(rows);
                }
            }
            self.from_rows(c + 1, rank, used, &held);
        }
    }

    /// One box: every later column is whole.
    fn one_box(&mut self, rank: u32, rows: &[u32]) {
        let mut sums = vec![T::default(); self.masses.n_lanes()];
        for &row in rows {
            sums.iter_mut()
                .zip(self.masses.row(row))
                .for_each(|(sum, &mass)| *sum += mass);
        }
        self.put(rank, |lane| sums[lane]);
    }

    /// A box, and the boxes that one more split of a column from `c` on makes of it.
    fn one_split_more(&mut self, c: usize, rank: u32, used: u32, rows: &[u32]) {
        self.one_box(rank, rows);
        let lanes = self.masses.n_lanes();
        let mut starts = vec![0];
        for column in &self.columns[c..] {
            starts.push(starts[starts.len() - 1] + column.n_slots() * lanes);
        }
        let mut slots = vec![T::default(); starts[starts.len() - 1]];
        for &row in rows {
            let masses = self.masses.row(row);
            for (&start, &code) in starts.iter().zip(self.masses.codes_from(row, c)) {
                let at = start + usize::from(code) * lanes;
                for (slot, &mass) in slots[at..at + lanes].iter_mut().zip(masses) {
                    *slot += mass;
                }
            }
        }
        let mut sums = vec![T::default(); lanes];
        for (later, column) in self.columns.iter().enumerate().skip(c) {
            let slots = &mut slots[starts[later - c]..starts[later - c + 1]];
            column.fill_slots(slots, lanes);
            for state in 1..column.within[1] {
                subtract(&mut sums, slots, &column.recipes[state], lanes, 0);
                let place = rank + self.ranks.step(later, used, state as u32);
                self.put(place, |lane| sums[lane]);
            }
        }
    }

    fn fill_grid(&self, grid: &mut Vec<T>, first: usize, rows: &[u32]) {
        let lanes = self.masses.n_lanes();
        grid.clear();
        grid.resize(self.spans[first].cells * lanes, T::default());
        for &row in rows {
            let at: usize = (first..self.columns.len())
                .map(|c| usize::from(self.masses.code(row, c)) * self.stride(c))
                .sum();
            for (cell, &mass) in grid[at..at + lanes].iter_mut().zip(self.masses.row(row)) {
                *cell += mass;
            }
        }
        self.fill_axes(grid, first);
    }

    /// Turn masses per code into slots on the axes from column `c` on: the inner ones first, while their part of the grid is in the cache.
    fn fill_axes(&self, grid: &mut [T], c: usize) {
        let Some(column) = self.columns.get(c) else {
            return;
        };
        let stride = self.stride(c);
        if c + 1 < self.columns.len() {
            for part in grid.chunks_exact_mut(stride) {
                self.fill_axes(part, c + 1);
            }
        }
        column.fill_slots(grid, stride);
    }

    /// All boxes of the first `c` columns of one box, whose masses over the others are `grid`.
    #[allow(clippy::wrong_self_convention)]
    fn from_grid(&mut self, c: usize, rank: u32, used: u32, grid: &[T]) {
        let lanes = self.masses.n_lanes();
        let left = self.ranks.limit - used;
        if left == 0 || c == self.columns.len() {
            // The last cell holds the sum of all.
            let sums = &grid[grid.len() - lanes..];
            return self.put(rank, |lane| sums[lane]);
        }
        if c + 1 == self.columns.len() {
            return self.last_column(rank, used, grid);
        }
        let stride = self.stride(c);
        if self.must_stop() {
            return;
        }
        let columns = self.columns;
        let column = &columns[c];
        let mut part = std::mem::take(&mut self.grids[c + 1]);
        part.resize(stride, T::default());
        for (state, recipe) in column.recipes[..column.within[left as usize]]
            .iter()
            .enumerate()
        {
            let rank = rank + self.ranks.step(c, used, state as u32);
            let used = used + column.distance[state];
            if recipe.minus.is_empty() {
                self.from_grid(c + 1, rank, used, &grid[recipe.plus * stride..][..stride]);
                continue;
            }
            // With no split left only the last cell is needed.
            let from = if used == self.ranks.limit {
                stride - lanes
            } else {
                0
            };
            subtract(&mut part[from..], grid, recipe, stride, from);
            self.from_grid(c + 1, rank, used, &part[from..]);
        }
        self.grids[c + 1] = part;
    }
}

impl<T: Value> Walk<'_, T> {
    /// The boxes that differ in the last column only: their ranks follow each other, and no grid is left to write down.
    fn last_column(&mut self, rank: u32, used: u32, grid: &[T]) {
        let lanes = self.masses.n_lanes();
        let columns = self.columns;
        let column = &columns[columns.len() - 1];
        let n_states = column.within[(self.ranks.limit - used) as usize];
        for (rank, recipe) in (rank..).zip(&column.recipes[..n_states]) {
            let slot = |slot: usize| &grid[slot * lanes..(slot + 1) * lanes];
            match (slot(recipe.plus), recipe.minus.as_slice()) {
                (plus, []) => self.put(rank, |lane| plus[lane]),
                (plus, [minus]) => {
                    let minus = slot(*minus);
                    self.put(rank, |lane| plus[lane].minus(minus[lane]));
                }
                (plus, several) => self.put(rank, |lane| {
                    let less = several.iter().map(|&minus| slot(minus)[lane]);
                    less.fold(plus[lane], T::minus)
                }),
            }
        }
    }
}

/// The masses of a set of codes: the values from `from` on of each slot, of `stride` values, that its recipe names.
#[inline]
fn subtract<T: Value>(part: &mut [T], grid: &[T], recipe: &Recipe, stride: usize, from: usize) {
    let part_len = part.len();
    let slot = |slot: usize| &grid[slot * stride + from..][..part_len];
    let Some((&first, others)) = recipe.minus.split_first() else {
        part.copy_from_slice(slot(recipe.plus));
        return;
    };
    for ((value, &all), &off) in part.iter_mut().zip(slot(recipe.plus)).zip(slot(first)) {
        *value = all.minus(off);
    }
    for &other in others {
        let less = slot(other);
        for (value, &off) in part.iter_mut().zip(less) {
            *value -= off;
        }
    }
}
