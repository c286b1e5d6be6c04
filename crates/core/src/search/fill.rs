//! Adds rows of a node to a pair table, with the kernel that costs less there.

use super::aligned::Aligned;
use super::control::Control;
use super::kernel::bitset::{add_counts, turn};
use super::kernel::histogram::{add_record, flush};
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

/// Vector steps that adding rows costs, by kernel: the work per row (histogram), and per row and per word of rows (bitset).
#[derive(Clone, Copy, Debug)]
pub struct FillCost {
    per_row: f64,
    per_word: f64,
    /// Of the bitset kernel, before any word is counted.
    per_row_turned: f64,
    groups: f64,
    groups_per_row: f64,
    rows_per_word: f64,
}

/// Cells that are added between two looks at the clock: some ten milliseconds of work.
const PORTION: usize = 1 << 26;
/// Rows that are fetched together.
const FETCHED: usize = 32;
/// Cost of one bitset step (load, and, count, add) in histogram steps (load, add, store).
const BITSET_STEP: f64 = 1.3;
/// Cost per record of spreading its split bits, in histogram steps per chunk of splits.
const SPREAD_STEP: f64 = 2.0;
/// Cost of touching a table row at all, in histogram steps of 16-bit lanes.
const ROW_STEP: f64 = 2.0;
/// Cost of asking whether a record belongs to a group of the bitset kernel, in the same steps.
const GROUP_STEP: f64 = 0.9;
/// Cost of turning a chunk of split bits of a record, in the same steps.
const TURN_STEP: f64 = 4.0;

impl FillCost {
    /// Cost for a node, whose values have the bits `used`: the bitset kernel takes one group of rows per (plane, sign, bit).
    pub fn new(node: &Node, layout: &Layout, rows_per_word: usize, used: &[UsedBits]) -> Self {
        // What does not run over vectors of lanes takes as long in wide lanes as in narrow ones, whose steps are shorter.
        let step = i16::ROWS_PER_WORD as f64 / rows_per_word as f64;
        let groups: f64 = used.iter().map(UsedBits::groups).sum();
        let ones: f64 = used.iter().map(|plane| plane.ones as f64).sum();
        let groups_per_row = ones / node.len().max(1) as f64;
        let mut per_row = SPREAD_STEP * layout.words() as f64;
        let mut per_word = 0.0;
        for span in &layout.spans {
            let chunks = ((layout.width - span.first) / CHUNK) as f64;
            per_row += chunks + ROW_STEP * step;
            per_word += span.len as f64 * chunks * BITSET_STEP;
        }
        let planes = node.lanes + usize::from(!node.counts.is_empty());
        Self {
            per_row: per_row * planes as f64,
            per_word,
            per_row_turned: step
                * (groups * GROUP_STEP + groups_per_row * layout.words() as f64 * TURN_STEP),
            groups,
            groups_per_row,
            rows_per_word: rows_per_word as f64,
        }
    }

    /// Cost of adding `rows` rows in `batches` batches.
    pub fn of(&self, fill: Fill, rows: usize, batches: usize) -> f64 {
        match fill {
            Fill::Histogram => self.per_row * rows as f64,
            Fill::Bitset => {
                let members = rows as f64 * self.groups_per_row;
                // The last word of a group is half full.
                let rests = (self.groups * batches as f64).min(members) / 2.0;
                self.per_word * (members / self.rows_per_word + rests)
                    + rows as f64 * self.per_row_turned
            }
        }
    }
}

/// Buffers of one thread.
#[derive(Debug, Default)]
pub struct FillBuffers<T: Lane> {
    scratch: Aligned<T>,
    words: Aligned<T::Bits>,
    narrow_cells: Aligned<i16>,
    narrow_margin: Aligned<i16>,
    narrow_scratch: Aligned<i16>,
    block: Vec<u32>,
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
    /// What one unit of gain counts in the table.
    pub unit: i64,
    /// The kernel.
    pub fill: Fill,
    /// The bits of its values.
    pub used: &'a [UsedBits],
    /// Stops long fills, if they may be stopped.
    pub control: Option<&'a Control>,
}

impl Source<'_> {
    fn value(&self, row: usize, plane: usize) -> i64 {
        if plane == self.rule.lanes {
            i64::from(self.node.counts[row])
        } else {
            self.node.gains[row * self.node.lanes + plane]
        }
    }

    /// What one unit of a plane counts: records count one each.
    fn unit_of(&self, plane: usize) -> i64 {
        if plane == self.rule.lanes {
            1
        } else {
            self.unit
        }
    }

    /// Add `rows` to `table`, or take them off again if `sign` is -1. Returns whether it was not stopped on the way.
    pub fn add<T: Lane>(
        &self,
        rows: &[u32],
        sign: i64,
        table: &mut PairTable<T>,
        buffers: &mut FillBuffers<T>,
    ) -> bool {
        let per_row = self.layout.width * self.layout.spans.len();
        for portion in rows.chunks((PORTION / per_row.max(1)).max(512)) {
            if self.control.is_some_and(Control::stopped) {
                return false;
            }
            for plane in 0..self.rule.planes() {
                let values = portion.iter().map(|&row| self.value(row as usize, plane));
                let sum: i64 = values.sum();
                table.sums[plane] =
                    table.sums[plane].plus(T::narrow(sign * sum * self.unit_of(plane)));
                match self.fill {
                    Fill::Histogram => self.add_histogram(portion, plane, sign, table, buffers),
                    Fill::Bitset => self.add_bitset(portion, plane, sign, table, buffers),
                }
            }
        }
        true
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
        let PairTable {
            cells: all_cells,
            margins,
            ..
        } = table;
        let plane_cells = &mut all_cells[plane * cells..(plane + 1) * cells];
        let plane_margin = &mut margins[plane * width..(plane + 1) * width];
        if size_of::<T>() > size_of::<i16>() && rows.len() * self.layout.spans.len() > cells / 4 {
            let used = &self.used[plane];
            if used.positive.max(used.negative) <= i64::from(i16::MAX) {
                self.add_by_narrow(rows, plane, sign, plane_cells, plane_margin, buffers);
                return;
            }
        }
        buffers.scratch.reset(width, T::default());
        let unit = sign * self.unit_of(plane);
        for batch in rows.chunks(FETCHED) {
            self.fetch(batch, plane);
            for &row in batch {
                let row = row as usize;
                let value = self.value(row, plane);
                if value != 0 {
                    add_record(
                        self.layout,
                        &self.bits[row * words..(row + 1) * words],
                        self.node.row(row),
                        T::narrow(unit * value),
                        plane_cells,
                        plane_margin,
                        &mut buffers.scratch,
                    );
                }
            }
        }
    }

    /// Bring a batch of rows into the cache. They lie scattered, and reading them one by one would wait for memory each time; here the
    /// reads do not depend on each other and wait together.
    fn fetch(&self, rows: &[u32], plane: usize) {
        let (words, f) = (self.layout.words(), self.node.columns.len());
        let mut seen = 0_i64;
        for &row in rows {
            let row = row as usize;
            seen ^= i64::from(self.bits[row * words] ^ self.bits[(row + 1) * words - 1]);
            seen ^= i64::from(self.node.codes[row * f] ^ self.node.codes[(row + 1) * f - 1]);
            seen ^= self.value(row, plane);
        }
        std::hint::black_box(seen);
    }

    /// Many rows with small values: sum them up in 16-bit lanes as long as those cannot overflow, then add the sums.
    fn add_by_narrow<T: Lane>(
        &self,
        rows: &[u32],
        plane: usize,
        sign: i64,
        cells: &mut [T],
        margin: &mut [T],
        buffers: &mut FillBuffers<T>,
    ) {
        let (width, words) = (self.layout.width, self.layout.words());
        let FillBuffers {
            narrow_cells,
            narrow_margin,
            narrow_scratch,
            ..
        } = buffers;
        narrow_cells.reset(cells.len(), 0);
        narrow_margin.reset(width, 0);
        narrow_scratch.reset(width, 0);
        let unit = T::narrow(self.unit_of(plane));
        let mut mass = 0;
        for batch in rows.chunks(FETCHED) {
            self.fetch(batch, plane);
            for &row in batch {
                let row = row as usize;
                let value = self.value(row, plane);
                if value == 0 {
                    continue;
                }
                mass += value.abs();
                if mass > i64::from(i16::MAX) {
                    flush(narrow_cells, cells, unit);
                    flush(narrow_margin, margin, unit);
                    mass = value.abs();
                }
                add_record(
                    self.layout,
                    &self.bits[row * words..(row + 1) * words],
                    self.node.row(row),
                    i16::narrow(sign * value),
                    narrow_cells,
                    narrow_margin,
                    narrow_scratch,
                );
            }
        }
        flush(narrow_cells, cells, unit);
        flush(narrow_margin, margin, unit);
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
        let PairTable {
            cells: all_cells,
            margins,
            ..
        } = table;
        let plane_cells = &mut all_cells[plane * cells..(plane + 1) * cells];
        let plane_margin = &mut margins[plane * width..(plane + 1) * width];
        for (side, used) in [
            (1, self.used[plane].positive),
            (-1, self.used[plane].negative),
        ] {
            let mut rest = used;
            while rest != 0 {
                let bit = rest & rest.wrapping_neg();
                rest ^= bit;
                self.group(rows, plane, side, bit, &mut buffers.group);
                if buffers.group.is_empty() {
                    continue;
                }
                turn::<T>(
                    self.layout,
                    self.bits,
                    &buffers.group,
                    &mut buffers.block,
                    &mut buffers.words,
                );
                let weight = T::narrow(sign * side * bit * self.unit_of(plane));
                add_counts::<T>(
                    self.layout,
                    &buffers.words,
                    weight,
                    plane_cells,
                    plane_margin,
                );
            }
        }
    }

    /// The rows whose value on this side has this bit. Without branches: the outcome is as good as random.
    fn group(&self, rows: &[u32], plane: usize, side: i64, bit: i64, group: &mut Vec<u32>) {
        group.clear();
        group.resize(rows.len(), 0);
        let mut len = 0;
        for &row in rows {
            let value = side * self.value(row as usize, plane);
            group[len] = row;
            len += usize::from((value > 0) & (value & bit != 0));
        }
        group.truncate(len);
    }
}

/// Which bits the values of a plane have, on either side of zero.
#[derive(Clone, Copy, Debug, Default)]
pub struct UsedBits {
    positive: i64,
    negative: i64,
    /// Ones in all values.
    ones: u64,
}

impl UsedBits {
    fn groups(&self) -> f64 {
        f64::from(self.positive.count_ones() + self.negative.count_ones())
    }
}

/// The bits that a node's values have, per plane: the bitset kernel takes one group of rows per bit.
pub fn used_bits(node: &Node, rule: LeafRule) -> Vec<UsedBits> {
    let mut used = vec![UsedBits::default(); rule.planes()];
    for gains in node.gains.chunks_exact(node.lanes.max(1)) {
        for (plane, &gain) in used.iter_mut().zip(gains) {
            plane.positive |= gain.max(0);
            plane.negative |= (-gain).max(0);
            plane.ones += u64::from(gain.unsigned_abs().count_ones());
        }
    }
    if let Some(counts) = used.get_mut(rule.lanes) {
        for &count in &node.counts {
            counts.positive |= i64::from(count);
            counts.ones += u64::from(count.count_ones());
        }
    }
    used
}
