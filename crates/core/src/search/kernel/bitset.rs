//! Bitset kernel: add rows to a pair table by counting, for every pair of splits, the records where both are true.
//!
//! Words run over records, vectors over splits: a word of split `f` is broadcast and combined with the words of 32 splits `g`
//! at a time, so that counts accumulate lane by lane and no vector is ever summed across. Best where columns have few splits.

use crate::search::aligned::Aligned;
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

/// Rows that are turned together: the bits of a word of split bits.
const BLOCK: usize = 32;

dispatch! {
    /// Turn the split bits of `rows` (row-major, `layout.words()` words each) so that words run over records.
    ///
    /// 32 records at a time are transposed as 32 x 32 bit matrices, all words of a record side by side (Warren, Hacker's Delight,
    /// section 7-3): every step then works on whole vectors.
    pub fn turn<T: Lane>(layout: &Layout, bits: &[u32], rows: &[u32], block: &mut Vec<u32>, words: &mut Aligned<T::Bits>) = turn_body;
}

#[inline(always)]
fn turn_body<T: Lane>(
    layout: &Layout,
    bits: &[u32],
    rows: &[u32],
    block: &mut Vec<u32>,
    words: &mut Aligned<T::Bits>,
) {
    let per_row = layout.words();
    words.reset(
        rows.len().div_ceil(T::ROWS_PER_WORD) * layout.width,
        T::Bits::default(),
    );
    for (number, members) in rows.chunks(BLOCK).enumerate() {
        block.clear();
        block.resize(BLOCK * per_row, 0);
        for (out, &row) in block.chunks_exact_mut(per_row).zip(members) {
            out.copy_from_slice(&bits[row as usize * per_row..(row as usize + 1) * per_row]);
        }
        transpose(block, per_row);
        for g in 0..CHUNK {
            for (word, &turned) in block[g * per_row..(g + 1) * per_row].iter().enumerate() {
                T::place(turned, number, layout.width, word * CHUNK + g, words);
            }
        }
    }
}

/// Transpose the 32 x 32 bit matrix in each of `per_row` word columns of a block of 32 rows.
#[inline(always)]
fn transpose(block: &mut [u32], per_row: usize) {
    let mut distance = BLOCK / 2;
    let mut mask = 0x0000_ffff_u32;
    while distance > 0 {
        let mut row = 0;
        while row < BLOCK {
            let (upper, lower) = block.split_at_mut((row + distance) * per_row);
            let upper = &mut upper[row * per_row..(row + 1) * per_row];
            let lower = &mut lower[..per_row];
            for (a, b) in upper.iter_mut().zip(lower) {
                let swap = ((*a >> distance) ^ *b) & mask;
                *b ^= swap;
                *a ^= swap << distance;
            }
            row = (row + distance + 1) & !distance;
        }
        distance /= 2;
        mask ^= mask << distance;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turned<T: Lane>(rows: &[u32], bits: &[u32], layout: &Layout) -> Aligned<T::Bits> {
        let mut words = Aligned::default();
        turn::<T>(layout, bits, rows, &mut Vec::new(), &mut words);
        words
    }

    #[test]
    fn turning_moves_every_bit_to_its_place() {
        let layout = Layout::new([(70_usize, true), (3, false)].into_iter());
        let per_row = layout.words();
        let mut state = 1_u64;
        let bits: Vec<u32> = (0..90 * per_row)
            .map(|_| {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                (state >> 33) as u32
            })
            .collect();
        let rows: Vec<u32> = (0..83).map(|row| (row * 7) % 90).collect();
        let (narrow, medium, wide) = (
            turned::<i16>(&rows, &bits, &layout),
            turned::<i32>(&rows, &bits, &layout),
            turned::<i64>(&rows, &bits, &layout),
        );
        for (place, &row) in rows.iter().enumerate() {
            for g in 0..layout.width {
                let bit = bits[row as usize * per_row + g / 32] >> (g % 32) & 1;
                let at = |per_word: usize| (place / per_word * layout.width + g, place % per_word);
                let (word, shift) = at(16);
                assert_eq!(u32::from(narrow[word] >> shift & 1), bit);
                let (word, shift) = at(32);
                assert_eq!(medium[word] >> shift & 1, bit);
                let (word, shift) = at(64);
                assert_eq!((wide[word] >> shift & 1) as u32, bit);
            }
        }
    }
}
