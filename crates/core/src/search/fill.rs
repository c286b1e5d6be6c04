//! Adds rows of a node to a pair table, with the kernel that costs less there.

use super::kernel::bitset::{add_counts, turn};
use super::kernel::histogram::add_record;
use super::kernel::score::{LeafRule, PairTable};
use super::lane::Lane;
use super::layout::{CHUNK, Layout};
use super::node::Node;

/// How rows are added to pair tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fill {
    /// Row by row; rows of ordered columns stay uncumulated.
    Histogram,
    /// By counting bits; everything is cumulated at once.
    Bitset,
}

/// Vector steps that adding rows costs, by kernel: the work per row (histogram) and per word of rows (bitset).
#[derive(Clone, Copy, Debug)]
pub struct FillCost {
    per_row: f64,
    per_word: f64,
    words_per_group: f64,
    rows_per_word: f64,
}

/// Cost of one bitset step (load, and, count, add) in histogram steps (load, add, store).
const BITSET_STEP: f64 = 1.3;
/// Cost per record of spreading its split bits, in histogram steps per chunk of splits.
const SPREAD_STEP: f64 = 2.0;
/// Cost of touching a table row at all, in histogram steps.
const ROW_STEP: f64 = 2.0;

impl FillCost {
    /// Cost for a node; `groups` is the number of (plane, sign, bit) groups that the bitset kernel splits its rows into.
    pub fn new(node: &Node, layout: &Layout, rows_per_word: usize, groups: usize) -> Self {
        let mut per_row = SPREAD_STEP * layout.words() as f64;
        let mut per_word = 0.0;
        for span in &layout.spans {
            let chunks = ((layout.width - span.first) / CHUNK) as f64;
            per_row += chunks + ROW_STEP;
            per_word += span.len as f64 * chunks * BITSET_STEP;
        }
        let planes = node.lanes + usize::from(!node.counts.is_empty());
        Self {
            per_row: per_row * planes as f64,
            per_word,
            words_per_group: groups as f64 / 2.0,
            rows_per_word: rows_per_word as f64,
        }
    }

    /// Cost of adding `rows` rows in `batches` batches.
    pub fn of(&self, fill: Fill, rows: usize, batches: usize) -> f64 {
        match fill {
            Fill::Histogram => self.per_row * rows as f64,
            Fill::Bitset => {
                let words = rows as f64 / self.rows_per_word + self.words_per_group * batches as f64;
                self.per_word * words + rows as f64 * SPREAD_STEP
            }
        }
    }
}

/// Buffers of one thread.
#[derive(Clone, Debug, Default)]
pub struct FillBuffers<T: Lane> {
    scratch: Vec<T>,
    words: Vec<T::Bits>,
    group: Vec<u32>,
}

/// What a fill needs to know of a node.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// The node.
    pub node: &'a Node,
    /// Its splits.
    pub layout: &'a Layout,
    /// Its rows' split bits.
    pub bits: &'a [u32],
    /// Its planes.
    pub rule: LeafRule,
    /// The kernel.
    pub fill: Fill,
}

impl Source<'_> {
    fn value(&self, row: usize, plane: usize) -> i64 {
        if plane == self.rule.lanes {
            i64::from(self.node.counts[row])
        } else {
            self.node.gains[row * self.node.lanes + plane]
        }
    }

    /// Add `rows` to `table`, or take them off again if `sign` is -1.
    pub fn add<T: Lane>(
        &self,
        rows: &[u32],
        sign: i64,
        table: &mut PairTable<T>,
        buffers: &mut FillBuffers<T>,
    ) {
        for plane in 0..self.rule.planes() {
            let sum: i64 = rows.iter().map(|&row| self.value(row as usize, plane)).sum();
            table.sums[plane] = table.sums[plane].plus(T::narrow(sign * sum));
            match self.fill {
                Fill::Histogram => self.add_histogram(rows, plane, sign, table, buffers),
                Fill::Bitset => self.add_bitset(rows, plane, sign, table, buffers),
            }
        }
    }

    fn add_histogram<T: Lane>(
        &self,
        rows: &[u32],
        plane: usize,
        sign: i64,
        table: &mut PairTable<T>,
        buffers: &mut FillBuffers<T>,
    ) {
        let (cells, width, words) = (self.layout.cells, self.layout.width, self.layout.words());
        let PairTable { cells: all_cells, margins, .. } = table;
        let plane_cells = &mut all_cells[plane * cells..(plane + 1) * cells];
        let plane_margin = &mut margins[plane * width..(plane + 1) * width];
        buffers.scratch.resize(width, T::default());
        for &row in rows {
            let row = row as usize;
            let value = self.value(row, plane);
            if value != 0 {
                add_record(
                    self.layout,
                    &self.bits[row * words..(row + 1) * words],
                    self.node.row(row),
                    T::narrow(sign * value),
                    plane_cells,
                    plane_margin,
                    &mut buffers.scratch,
                );
            }
        }
    }

    fn add_bitset<T: Lane>(
        &self,
        rows: &[u32],
        plane: usize,
        sign: i64,
        table: &mut PairTable<T>,
        buffers: &mut FillBuffers<T>,
    ) {
        let (cells, width) = (self.layout.cells, self.layout.width);
        let PairTable { cells: all_cells, margins, .. } = table;
        let plane_cells = &mut all_cells[plane * cells..(plane + 1) * cells];
        let plane_margin = &mut margins[plane * width..(plane + 1) * width];
        for side in [1_i64, -1] {
            let used = rows
                .iter()
                .map(|&row| (side * self.value(row as usize, plane)).max(0))
                .fold(0, |all, value| all | value);
            let mut rest = used;
            while rest != 0 {
                let bit = rest & rest.wrapping_neg();
                rest ^= bit;
                buffers.group.clear();
                buffers.group.extend(rows.iter().copied().filter(|&row| {
                    let value = side * self.value(row as usize, plane);
                    value > 0 && value & bit != 0
                }));
                turn::<T>(self.layout, self.bits, &buffers.group, &mut buffers.words);
                let weight = T::narrow(sign * side * bit);
                add_counts::<T>(self.layout, &buffers.words, weight, plane_cells, plane_margin);
            }
        }
    }
}

/// Number of (plane, sign, bit) groups that the bitset kernel splits a node's rows into.
pub fn bit_groups(node: &Node, rule: LeafRule) -> usize {
    let mut groups = 0;
    for plane in 0..rule.planes() {
        let (mut positive, mut negative) = (0_i64, 0_i64);
        for row in 0..node.len() {
            let value = if plane == rule.lanes {
                i64::from(node.counts[row])
            } else {
                node.gains[row * node.lanes + plane]
            };
            positive |= value.max(0);
            negative |= (-value).max(0);
        }
        groups += (positive.count_ones() + negative.count_ones()) as usize;
    }
    groups
}
