//! The records that reach a node, compacted: only the columns and codes that still vary.

use super::layout::{CHUNK, Layout};
use crate::problem::Problem;
use crate::table::{Kind, SplitRef};

/// A column of a node.
#[derive(Clone, Debug)]
pub struct NodeColumn {
    /// Index in the problem.
    pub source: u32,
    /// Whether splits are thresholds (always so with two codes).
    pub ordered: bool,
    /// How the problem reads the column.
    source_kind: Kind,
    /// Number of splits.
    pub n_splits: usize,
    /// For each local code, the problem's code, rising.
    pub code_of: Vec<u8>,
}

impl NodeColumn {
    /// The problem's split that acts on this node's rows as local split `split` does.
    ///
    /// Between two codes that are no neighbours in the problem, several thresholds do: the middle one is taken.
    pub fn problem_split(&self, split: usize) -> SplitRef {
        let code = match self.source_kind {
            Kind::Ordered => {
                (u32::from(self.code_of[split]) + u32::from(self.code_of[split + 1]) - 1) / 2
            }
            Kind::Nominal => u32::from(self.code_of[split]),
        };
        SplitRef {
            column: self.source,
            split: code,
        }
    }

    /// Whether local split `split` is true for local code `code`.
    #[inline]
    pub fn is_true(&self, split: usize, code: u8) -> bool {
        if self.ordered {
            usize::from(code) <= split
        } else {
            usize::from(code) == split
        }
    }
}

/// The rows of a subproblem.
#[derive(Clone, Debug)]
pub struct Node {
    /// Columns that vary here, the ones with most splits first (that keeps the pair table's work least).
    pub columns: Vec<NodeColumn>,
    /// Local codes, row-major.
    pub codes: Vec<u8>,
    /// Rows of the problem.
    pub rows: Vec<u32>,
    /// Gain of each label but the reference one, row-major: row x lane.
    pub gains: Vec<i64>,
    /// Number of gain lanes.
    pub lanes: usize,
    /// Most that a row can gain.
    pub potentials: Vec<i64>,
    /// Most that a row can cost: what moving it to another node can change.
    pub spreads: Vec<i64>,
    /// Records behind each row; empty unless leaves must hold a minimum.
    pub counts: Vec<u32>,
    /// Sum of gains by lane.
    pub gain_sums: Vec<i64>,
    /// Sum of potentials.
    pub potential: i64,
    /// Sum of spreads.
    pub spread: i64,
    /// Largest absolute sum any lane could reach.
    pub mass: i64,
    /// Sum of counts.
    pub count: i64,
    /// Fingerprint of the set of rows: the sum of one random number per row.
    pub key: u128,
}

impl Node {
    /// The root: the rows of the problem that can tell labels apart, or all of them; with record counts if leaves must hold a minimum.
    pub fn root(problem: &Problem, counted: bool, all_rows: bool) -> Self {
        let k = problem.n_labels;
        let lanes = k - 1;
        let mut totals = vec![0_i64; k];
        for row in problem.costs.chunks_exact(k) {
            for (total, cost) in totals.iter_mut().zip(row) {
                *total += cost;
            }
        }
        // The reference label is the best constant one: gains are then mostly negative and scores small.
        let reference = (0..k).min_by_key(|&label| totals[label]).unwrap_or(0);
        let mut node = Self::empty(lanes);
        for (row, costs) in problem.costs.chunks_exact(k).enumerate() {
            let least = costs.iter().copied().min().unwrap_or(0);
            let spread = costs.iter().copied().max().unwrap_or(0) - least;
            if spread == 0 && !all_rows {
                continue;
            }
            node.rows.push(row as u32);
            node.gains.extend(
                (0..k)
                    .filter(|&label| label != reference)
                    .map(|label| costs[reference] - costs[label]),
            );
            node.potentials.push(costs[reference] - least);
            node.spreads.push(spread);
            if counted {
                node.counts.push(problem.counts[row]);
            }
        }
        let wide: Vec<(u32, Kind)> = problem
            .columns
            .iter()
            .enumerate()
            .map(|(c, column)| (c as u32, column.kind))
            .collect();
        let codes: Vec<u8> = node
            .rows
            .iter()
            .flat_map(|&row| problem.row(row as usize).iter().copied())
            .collect();
        let identity: Vec<Vec<u8>> = problem
            .columns
            .iter()
            .map(|column| (0..column.n_codes).map(|code| code as u8).collect())
            .collect();
        let has_split: Vec<usize> = problem
            .columns
            .iter()
            .map(|column| column.n_splits)
            .collect();
        let columns = wide
            .iter()
            .zip(identity)
            .zip(&has_split)
            .map(|((&(source, kind), code_of), &n_splits)| NodeColumn {
                source,
                ordered: kind == Kind::Ordered,
                source_kind: kind,
                n_splits,
                code_of,
            })
            .collect::<Vec<_>>();
        node.compact(&columns, &codes);
        node.finish();
        node
    }

    fn empty(lanes: usize) -> Self {
        Self {
            columns: Vec::new(),
            codes: Vec::new(),
            rows: Vec::new(),
            gains: Vec::new(),
            lanes,
            potentials: Vec::new(),
            spreads: Vec::new(),
            counts: Vec::new(),
            gain_sums: Vec::new(),
            potential: 0,
            spread: 0,
            mass: 0,
            count: 0,
            key: 0,
        }
    }

    /// The node that holds the local rows `rows` of this one.
    pub fn child(&self, rows: &[u32]) -> Self {
        let mut node = Self::empty(self.lanes);
        let f = self.columns.len();
        let mut codes = Vec::with_capacity(rows.len() * f);
        node.rows.reserve(rows.len());
        node.gains.reserve(rows.len() * self.lanes);
        for &row in rows {
            let r = row as usize;
            node.rows.push(self.rows[r]);
            node.gains
                .extend_from_slice(&self.gains[r * self.lanes..(r + 1) * self.lanes]);
            node.potentials.push(self.potentials[r]);
            node.spreads.push(self.spreads[r]);
            if !self.counts.is_empty() {
                node.counts.push(self.counts[r]);
            }
            codes.extend_from_slice(&self.codes[r * f..(r + 1) * f]);
        }
        node.compact(&self.columns, &codes);
        node.finish();
        node
    }

    /// Keep the columns that vary, and renumber the codes that occur.
    fn compact(&mut self, columns: &[NodeColumn], codes: &[u8]) {
        let f = columns.len();
        let n = self.rows.len();
        let present = codes_present(codes, columns);
        let mut kept: Vec<(usize, NodeColumn, [u8; 256])> = Vec::new();
        for (c, column) in columns.iter().enumerate() {
            let mut local = [0_u8; 256];
            let mut code_of = Vec::new();
            let mut n_splits = 0;
            for (code, &source_code) in column.code_of.iter().enumerate() {
                if present[c][code / 64] >> (code % 64) & 1 == 1 {
                    local[code] = code_of.len() as u8;
                    code_of.push(source_code);
                    n_splits += usize::from(code < column.n_splits);
                }
            }
            let ordered = column.ordered || code_of.len() == 2;
            if ordered {
                n_splits = code_of.len().saturating_sub(1);
            }
            if code_of.len() > 1 && n_splits > 0 {
                let source_kind = column.source_kind;
                let source = column.source;
                kept.push((
                    c,
                    NodeColumn {
                        source,
                        ordered,
                        source_kind,
                        n_splits,
                        code_of,
                    },
                    local,
                ));
            }
        }
        kept.sort_by_key(|(_, column, _)| std::cmp::Reverse(column.n_splits));
        self.codes = vec![0; n * kept.len()];
        let width = kept.len();
        let same = |(from, column, _): &(usize, NodeColumn, [u8; 256])| {
            column.code_of.len() == columns[*from].code_of.len()
        };
        if width == f
            && kept
                .iter()
                .enumerate()
                .all(|(to, entry)| entry.0 == to && same(entry))
        {
            self.codes.copy_from_slice(codes);
        } else if width > 0 {
            let sources: Vec<(usize, &[u8; 256])> =
                kept.iter().map(|(from, _, local)| (*from, local)).collect();
            for (out, row) in self
                .codes
                .chunks_exact_mut(width)
                .zip(codes.chunks_exact(f))
            {
                for (cell, (from, local)) in out.iter_mut().zip(&sources) {
                    *cell = local[usize::from(row[*from])];
                }
            }
        }
        debug_assert_eq!(self.codes.len(), n * width);
        self.columns = kept.into_iter().map(|(_, column, _)| column).collect();
    }

    fn finish(&mut self) {
        self.gain_sums = vec![0; self.lanes];
        let mut masses = vec![0_i64; self.lanes];
        for gains in self.gains.chunks_exact(self.lanes.max(1)) {
            for (lane, &gain) in gains.iter().enumerate() {
                self.gain_sums[lane] += gain;
                masses[lane] += gain.abs();
            }
        }
        self.potential = self.potentials.iter().sum();
        self.spread = self.spreads.iter().sum();
        self.count = self.counts.iter().map(|&c| i64::from(c)).sum();
        self.mass = masses
            .into_iter()
            .max()
            .unwrap_or(0)
            .max(self.potential)
            .max(self.count);
        self.key = self
            .rows
            .iter()
            .fold(0_u128, |sum, &row| sum.wrapping_add(row_number(row)));
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Codes of local row `row`.
    #[inline]
    pub fn row(&self, row: usize) -> &[u8] {
        let f = self.columns.len();
        &self.codes[row * f..(row + 1) * f]
    }

    /// Loss of a leaf that holds exactly these rows.
    pub fn leaf_loss(&self) -> i64 {
        self.potential - leaf_score(&self.gain_sums)
    }

    /// Split positions of this node.
    pub fn layout(&self) -> Layout {
        Layout::new(
            self.columns
                .iter()
                .map(|column| (column.n_splits, column.ordered)),
        )
    }

    /// Split bits of every row: bit `g` of a row's words is set where split `g` is true.
    pub fn split_bits(&self, layout: &Layout) -> Vec<u32> {
        let words = layout.words();
        let mut bits = vec![0_u32; self.len() * words];
        if self.columns.is_empty() {
            return bits;
        }
        for (out, codes) in bits
            .chunks_exact_mut(words)
            .zip(self.codes.chunks_exact(self.columns.len()))
        {
            for (span, &code) in layout.spans.iter().zip(codes) {
                let code = usize::from(code);
                if span.len == 1 {
                    // Without a branch: it would be as good as random.
                    out[span.start / CHUNK] |= u32::from(code == 0) << (span.start % CHUNK);
                } else if !span.ordered {
                    if code < span.len {
                        let g = span.start + code;
                        out[g / CHUNK] |= 1 << (g % CHUNK);
                    }
                } else if code < span.len {
                    set_range(out, span.start + code, span.start + span.len);
                }
            }
        }
        bits
    }

    /// Local rows where a split is true, and the others.
    pub fn partition(&self, column: usize, split: usize) -> (Vec<u32>, Vec<u32>) {
        let f = self.columns.len();
        let reader = &self.columns[column];
        (0..self.len() as u32)
            .partition(|&row| reader.is_true(split, self.codes[row as usize * f + column]))
    }

    /// Local rows by code of a column, and for each code where its rows begin (one more entry than codes).
    pub fn rows_by_code(&self, column: usize) -> (Vec<u32>, Vec<usize>) {
        let f = self.columns.len();
        let n_codes = self.columns[column].code_of.len();
        if n_codes == 2 {
            return self.rows_by_two_codes(column);
        }
        let mut starts = vec![0_usize; n_codes + 1];
        for row in 0..self.len() {
            starts[usize::from(self.codes[row * f + column]) + 1] += 1;
        }
        for code in 0..n_codes {
            starts[code + 1] += starts[code];
        }
        let mut next = starts.clone();
        let mut rows = vec![0_u32; self.len()];
        for row in 0..self.len() {
            let place = &mut next[usize::from(self.codes[row * f + column])];
            rows[*place] = row as u32;
            *place += 1;
        }
        (rows, starts)
    }

    /// The same for a column of two codes, without branches or counters that wait for each other.
    fn rows_by_two_codes(&self, column: usize) -> (Vec<u32>, Vec<usize>) {
        let f = self.columns.len();
        let n = self.len();
        let mut rows = vec![0_u32; n];
        let (mut first, mut last) = (0, n);
        for row in 0..n {
            let is_second = usize::from(self.codes[row * f + column]);
            rows[if is_second == 0 { first } else { last - 1 }] = row as u32;
            first += 1 - is_second;
            last -= is_second;
        }
        rows[first..].reverse();
        (rows, vec![0, first, n])
    }
}

/// Score of a leaf: the most that a label gains over the reference label.
pub fn leaf_score(gain_sums: &[i64]) -> i64 {
    gain_sums.iter().copied().fold(0, i64::max)
}

/// For each column, which codes occur: one bit per code.
fn codes_present(codes: &[u8], columns: &[NodeColumn]) -> Vec<[u64; 4]> {
    let f = columns.len();
    let mut present = vec![[0_u64; 4]; f];
    if f == 0 {
        return present;
    }
    if columns.iter().all(|column| column.code_of.len() <= 64) {
        let mut low = vec![0_u64; f];
        for row in codes.chunks_exact(f) {
            for (seen, &code) in low.iter_mut().zip(row) {
                *seen |= 1 << (code & 63);
            }
        }
        for (all, seen) in present.iter_mut().zip(low) {
            all[0] = seen;
        }
        return present;
    }
    for row in codes.chunks_exact(f) {
        for (seen, &code) in present.iter_mut().zip(row) {
            seen[usize::from(code / 64)] |= 1 << (code % 64);
        }
    }
    present
}

fn set_range(words: &mut [u32], from: usize, to: usize) {
    let (first, last) = (from / CHUNK, (to - 1) / CHUNK);
    let low = u32::MAX << (from % CHUNK);
    let high = u32::MAX >> (CHUNK - 1 - (to - 1) % CHUNK);
    if first == last {
        words[first] |= low & high;
        return;
    }
    words[first] |= low;
    for word in &mut words[first + 1..last] {
        *word = u32::MAX;
    }
    words[last] |= high;
}

/// A fixed pseudo-random 128-bit number per row (two rounds of splitmix64).
pub(crate) fn row_number(row: u32) -> u128 {
    let mix = |mut z: u64| {
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    };
    let seed = u64::from(row) + 1;
    let low = mix(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let high = mix(low ^ seed.wrapping_mul(0xd1b5_4a32_d192_ed03));
    (u128::from(high) << 64) | u128::from(low)
}
