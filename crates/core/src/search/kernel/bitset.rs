//! Bitset kernel: add rows to a pair table by counting, for every pair of splits, the records where both are true.
//!
//! Words run over records, vectors over splits: a word of split `f` is broadcast and combined with the words of 32 splits `g`
//! at a time, so that counts accumulate lane by lane and no vector is ever summed across. Best where columns have few splits.

use crate::search::lane::Lane;
use crate::search::layout::{CHUNK, Layout};
use crate::search::simd::dispatch;

dispatch! {
    /// Add `value` x (number of records where both splits are true) to every cell of `plane`, and the same per split to `margin`.
    ///
    /// `words` are the records' split bits turned by [`turn`]: one run of `layout.width` words per block of records.
    pub fn add_counts<T: Lane>(layout: &Layout, words: &[T::Bits], value: T, plane: &mut [T], margin: &mut [T]) = add_counts_body;
}

#[inline(always)]
fn add_counts_body<T: Lane>(
    layout: &Layout,
    words: &[T::Bits],
    value: T,
    plane: &mut [T],
    margin: &mut [T],
) {
    let width = layout.width;
    for block in words.chunks_exact(width) {
        for (sum, &word) in margin.iter_mut().zip(block) {
            *sum = sum.plus(T::ones(word).times(value));
        }
    }
    for span in &layout.spans {
        for f in span.start..span.start + span.len {
            let start = layout.row_start[f];
            let row = &mut plane[start..start + width - span.first];
            for (chunk, cells) in row.chunks_exact_mut(CHUNK).enumerate() {
                let first = span.first + chunk * CHUNK;
                let mut sums = [T::default(); CHUNK];
                for block in words.chunks_exact(width) {
                    let mine = block[f];
                    let others = &block[first..first + CHUNK];
                    for g in 0..CHUNK {
                        sums[g] = sums[g].plus(T::ones(mine & others[g]));
                    }
                }
                for g in 0..CHUNK {
                    cells[g] = cells[g].plus(sums[g].times(value));
                }
            }
        }
    }
}

dispatch! {
    /// Turn the split bits of `rows` (row-major, `layout.words()` words each) so that words run over records.
    pub fn turn<T: Lane>(layout: &Layout, bits: &[u32], rows: &[u32], words: &mut Vec<T::Bits>) = turn_body;
}

#[inline(always)]
fn turn_body<T: Lane>(layout: &Layout, bits: &[u32], rows: &[u32], words: &mut Vec<T::Bits>) {
    let per_row = layout.words();
    words.clear();
    words.resize(rows.len().div_ceil(T::ROWS_PER_WORD) * layout.width, T::Bits::default());
    for (block, members) in
        words.chunks_exact_mut(layout.width).zip(rows.chunks(T::ROWS_PER_WORD))
    {
        for (place, &row) in members.iter().enumerate() {
            let bit = T::ONE_BIT << place;
            let row_bits = &bits[row as usize * per_row..(row as usize + 1) * per_row];
            for (out, &word) in block.chunks_exact_mut(CHUNK).zip(row_bits) {
                for g in 0..CHUNK {
                    out[g] |= T::bits_if(bit, (word >> g) & 1);
                }
            }
        }
    }
}
