//! Columns of bits, and how two of them relate.

use super::{BinaryMatrix, Layout, Literal, PARALLEL_CELLS};
use crate::error::Error;
use crate::table::words::transpose_bytes;
use rayon::prelude::*;

/// Columns packed side by side from a row-major matrix: two cache lines of each row.
const STRIP: usize = 128;

/// Words written to a column at a time: one cache line.
const LINE: usize = 8;
/// Bytes that are folded at a time.
const RUN: usize = 32;

/// Words compared between two looks at whether the answer is already known.
const STRIDE: usize = 16;

/// The columns of a 0/1 matrix, 64 rows to a word. Bits beyond the last row are 0.
pub(super) struct BitColumns {
    words: Vec<u64>,
    n_rows: usize,
    n_columns: usize,
    words_per_column: usize,
    /// Number of ones of each column.
    counts: Vec<usize>,
}

/// How two columns relate, neither being constant nor equal or complementary to the other: then at most one holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Relation {
    /// Where the first is true, so is the second.
    Inside,
    /// Where the second is true, so is the first.
    Around,
    /// Nowhere are both true.
    Disjoint,
    /// Everywhere at least one is true.
    Covering,
    /// None of these.
    Unrelated,
}

impl BitColumns {
    /// Pack a matrix of bytes.
    pub(super) fn pack(matrix: BinaryMatrix<'_>) -> Result<Self, Error> {
        let BinaryMatrix {
            cells,
            n_rows,
            n_columns,
            layout,
        } = matrix;
        if Some(cells.len()) != n_rows.checked_mul(n_columns) || u32::try_from(n_columns).is_err() {
            return Err(Error::Table(format!(
                "the 0/1 matrix holds {} cells but its shape is {n_rows} x {n_columns}; give one byte per cell",
                cells.len()
            )));
        }
        let words_per_column = n_rows.div_ceil(64);
        let mut words = vec![0u64; words_per_column * n_columns];
        let is_binary = match layout {
            _ if words.is_empty() => true,
            Layout::ColumnMajor => {
                let pack = |(out, cells): (&mut [u64], &[u8])| pack_column(cells, out);
                if cells.len() < PARALLEL_CELLS {
                    words
                        .chunks_mut(words_per_column)
                        .zip(cells.chunks(n_rows))
                        .all(pack)
                } else {
                    words
                        .par_chunks_mut(words_per_column)
                        .zip(cells.par_chunks(n_rows))
                        .all(pack)
                }
            }
            Layout::RowMajor => {
                let strip = words_per_column * STRIP;
                let pack = |(index, out): (usize, &mut [u64])| {
                    pack_strip(cells, n_columns, index * STRIP, out, words_per_column)
                };
                if cells.len() < PARALLEL_CELLS {
                    words.chunks_mut(strip).enumerate().all(pack)
                } else {
                    words.par_chunks_mut(strip).enumerate().all(pack)
                }
            }
        };
        if !is_binary {
            return Err(not_binary(matrix));
        }
        let counts = words
            .chunks(words_per_column.max(1))
            .map(|column| column.iter().map(|word| word.count_ones() as usize).sum())
            .chain(std::iter::repeat(0))
            .take(n_columns)
            .collect();
        Ok(Self {
            words,
            n_rows,
            n_columns,
            words_per_column,
            counts,
        })
    }

    pub(super) fn n_rows(&self) -> usize {
        self.n_rows
    }

    pub(super) fn n_columns(&self) -> usize {
        self.n_columns
    }

    /// Words of every column.
    pub(super) fn words_per_column(&self) -> usize {
        self.words_per_column
    }

    /// The words of a column.
    pub(super) fn column(&self, column: u32) -> &[u64] {
        let start = column as usize * self.words_per_column;
        &self.words[start..start + self.words_per_column]
    }

    /// Number of rows where a literal is true.
    pub(super) fn count(&self, literal: Literal) -> usize {
        let ones = self.counts[literal.column as usize];
        if literal.negated {
            self.n_rows - ones
        } else {
            ones
        }
    }

    /// The valid bits of word `word`.
    pub(super) fn mask(&self, word: usize) -> u64 {
        let rows = self.n_rows - word * 64;
        if rows >= 64 {
            u64::MAX
        } else {
            (1 << rows) - 1
        }
    }

    /// The words of a literal, bits beyond the last row being 0.
    pub(super) fn literal(&self, literal: Literal) -> Vec<u64> {
        let mut words = self.column(literal.column).to_vec();
        if literal.negated {
            words.iter_mut().for_each(|word| *word = !*word);
            if let Some(last) = words.last_mut() {
                *last &= self.mask(self.words_per_column - 1);
            }
        }
        words
    }

    /// How two columns relate.
    pub(super) fn relation(&self, first: u32, second: u32) -> Relation {
        let (a, b) = (self.column(first), self.column(second));
        let Some(last) = self.words_per_column.checked_sub(1) else {
            return Relation::Unrelated;
        };
        // Which of the four combinations of values have been met.
        let mut met = [0u64; 4];
        let mut start = 0;
        while start < last {
            let end = last.min(start + STRIDE);
            for (&a, &b) in a[start..end].iter().zip(&b[start..end]) {
                meet(&mut met, a, b, u64::MAX);
            }
            if met.iter().all(|&m| m != 0) {
                return Relation::Unrelated;
            }
            start = end;
        }
        meet(&mut met, a[last], b[last], self.mask(last));
        let [both, only_first, only_second, neither] = met.map(|m| m != 0);
        match () {
            () if !only_first => Relation::Inside,
            () if !only_second => Relation::Around,
            () if !both => Relation::Disjoint,
            () if !neither => Relation::Covering,
            () => Relation::Unrelated,
        }
    }
}

#[inline]
fn meet(met: &mut [u64; 4], a: u64, b: u64, mask: u64) {
    met[0] |= a & b;
    met[1] |= a & !b;
    met[2] |= b & !a;
    met[3] |= !(a | b) & mask;
}

/// Whether two bit sets of equal length share a row, the first being complemented if `flip` has all bits set.
pub(super) fn intersects(a: &[u64], flip: u64, b: &[u64]) -> bool {
    let share =
        |(a, b): (&[u64], &[u64])| a.iter().zip(b).fold(0, |any, (a, b)| any | (a ^ flip) & b) != 0;
    a.chunks(STRIDE).zip(b.chunks(STRIDE)).any(share)
}

/// Pack one contiguous column; false if a cell is neither 0 nor 1.
fn pack_column(cells: &[u8], out: &mut [u64]) -> bool {
    const ONES: u64 = 0x0101_0101_0101_0101;
    // Gathers the lowest bits of eight bytes in the top byte.
    const GATHER: u64 = 0x0102_0408_1020_4080;
    let mut seen = 0;
    for (cells, word) in cells.chunks(64).zip(out) {
        let (eights, rest) = cells.as_chunks::<8>();
        for (index, eight) in eights.iter().enumerate() {
            let eight = u64::from_le_bytes(*eight);
            seen |= eight;
            *word |= ((eight & ONES).wrapping_mul(GATHER) >> 56) << (8 * index);
        }
        for (index, &cell) in rest.iter().enumerate() {
            seen |= u64::from(cell);
            *word |= u64::from(cell & 1) << (8 * eights.len() + index);
        }
    }
    seen & !ONES == 0
}

/// [`pack_strip_body`] compiled for the best instruction set of this machine.
fn pack_strip(
    cells: &[u8],
    n_columns: usize,
    first: usize,
    out: &mut [u64],
    stride: usize,
) -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        use crate::search::simd::{Level, level};

        #[target_feature(enable = "avx2")]
        fn avx2(c: &[u8], n_columns: usize, first: usize, out: &mut [u64], stride: usize) -> bool {
            pack_strip_body(c, n_columns, first, out, stride)
        }
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2")]
        fn avx512(
            c: &[u8],
            n_columns: usize,
            first: usize,
            out: &mut [u64],
            stride: usize,
        ) -> bool {
            pack_strip_body(c, n_columns, first, out, stride)
        }
        match level() {
            Level::Avx512 | Level::Avx512Popcount => {
                // SAFETY: `level` reports a set of instructions only after finding every one of them on this machine.
                return unsafe { avx512(cells, n_columns, first, out, stride) };
            }
            // SAFETY: as above.
            Level::Avx2 => return unsafe { avx2(cells, n_columns, first, out, stride) },
            Level::Base => {}
        }
    }
    pack_strip_body(cells, n_columns, first, out, stride)
}

/// Pack up to [`STRIP`] columns, from column `first` on, of a row-major matrix; false if a cell is neither 0 nor 1.
///
/// Eight rows are folded into one byte per column by doubling and adding, which works on whole vectors of bytes; the
/// bytes are then transposed so that those of one column come together.
#[inline(always)]
fn pack_strip_body(
    cells: &[u8],
    n_columns: usize,
    first: usize,
    out: &mut [u64],
    stride: usize,
) -> bool {
    let width = out.len() / stride;
    let n_rows = cells.len() / n_columns;
    let mut seen = [0u8; STRIP];
    let mut line = [[0u64; STRIP]; LINE];
    for line_start in (0..stride).step_by(LINE) {
        let words = LINE.min(stride - line_start);
        for (word, bits_of_word) in line.iter_mut().enumerate().take(words) {
            let mut octets = [[0u8; STRIP]; 8];
            for (index, octet) in octets.iter_mut().enumerate() {
                let start = (line_start + word) * 64 + index * 8;
                for row in (start..n_rows.min(start + 8)).rev() {
                    let at = row * n_columns + first;
                    fold_row(&cells[at..at + width], octet, &mut seen);
                }
            }
            for block in (0..width).step_by(8) {
                let mut square = octets.each_ref().map(|octet| {
                    octet[block..]
                        .first_chunk()
                        .map_or(0, |bytes| u64::from_le_bytes(*bytes))
                });
                transpose_bytes(&mut square);
                bits_of_word[block..block + 8].copy_from_slice(&square);
            }
        }
        for column in 0..width {
            let at = column * stride + line_start;
            let words = out[at..at + words].iter_mut().zip(&line);
            words.for_each(|(word, line)| *word = line[column]);
        }
    }
    seen.iter().all(|&cell| cell <= 1)
}

/// Make room for one more row in every byte, and add it.
#[inline(always)]
fn fold_row(row: &[u8], octet: &mut [u8; STRIP], seen: &mut [u8; STRIP]) {
    // Runs of a fixed length become whole vectors.
    let (row, row_end) = row.as_chunks::<RUN>();
    let (octet, octet_end) = octet.split_at_mut(row.len() * RUN);
    let (seen, seen_end) = seen.split_at_mut(row.len() * RUN);
    for ((row, octet), seen) in row
        .iter()
        .zip(octet.chunks_mut(RUN))
        .zip(seen.chunks_mut(RUN))
    {
        fold_cells(row, octet, seen);
    }
    fold_cells(row_end, octet_end, seen_end);
}

#[inline(always)]
fn fold_cells(row: &[u8], octet: &mut [u8], seen: &mut [u8]) {
    for ((&cell, bits), seen) in row.iter().zip(octet).zip(seen) {
        *bits = bits.wrapping_add(*bits) | cell;
        *seen |= cell;
    }
}

/// The error for a matrix known to hold something else than 0 and 1.
fn not_binary(matrix: BinaryMatrix<'_>) -> Error {
    let at = matrix.cells.iter().position(|&cell| cell > 1).unwrap_or(0);
    let (row, column) = match matrix.layout {
        Layout::RowMajor => (at / matrix.n_columns, at % matrix.n_columns),
        Layout::ColumnMajor => (at % matrix.n_rows, at / matrix.n_rows),
    };
    Error::Table(format!(
        "the 0/1 matrix holds {} in row {row}, column {column}; only 0 and 1 are allowed: code other values first",
        matrix.cells[at]
    ))
}
