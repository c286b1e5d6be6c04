//! Codes of the rows, computed 64 rows at a time.

use super::bits::BitColumns;
use super::union::{Reading, Union};
use super::{BinaryGroup, Literal, PARALLEL_CELLS};
use crate::table::column::Kind;
use crate::table::words::{transpose_bits, transpose_bytes};
use rayon::prelude::*;

/// Words whose code planes are built at a time; eight planes of them fit the first level cache.
const BLOCK: usize = 64;

/// Write the codes of every union, one after the other, and describe them.
pub(super) fn encode(columns: &BitColumns, unions: &mut [Union]) -> (Vec<u8>, Vec<BinaryGroup>) {
    let n_rows = columns.n_rows();
    let mut codes = vec![0u8; n_rows * unions.len()];
    let is_large = n_rows * columns.n_columns() >= PARALLEL_CELLS;
    let groups = if codes.is_empty() {
        Vec::new()
    } else if is_large {
        let parts = codes.par_chunks_mut(n_rows).zip(unions.par_iter_mut());
        parts
            .map(|(codes, union)| encode_union(columns, union, codes))
            .collect()
    } else {
        let parts = codes.chunks_mut(n_rows).zip(unions);
        parts
            .map(|(codes, union)| encode_union(columns, union, codes))
            .collect()
    };
    (codes, groups)
}

/// Write the codes of one union and describe it.
///
/// The bits of a code are sums modulo two of literals. In a chain of literals `l[0]` in `l[1]` in ... the code counts
/// the false ones; these come first, so bit `b` of the count is the parity of the false ones among `l[2^b - 1]`,
/// `l[2 * 2^b - 1]`, and so on. In an exclusive group of `k` the code is `k`, unless literal `i` is true and turns it to `i`.
fn encode_union(columns: &BitColumns, union: &mut Union, codes: &mut [u8]) -> BinaryGroup {
    match union.settle() {
        Reading::Chain(literals) => {
            let terms = literals.iter().enumerate().map(|(index, literal)| Term {
                literal: Literal {
                    negated: !literal.negated,
                    ..*literal
                },
                flips: (index + 1) ^ index,
            });
            write_codes(columns, 0, &terms.collect::<Vec<_>>(), codes);
            BinaryGroup {
                kind: Kind::Ordered,
                members: literals.to_vec(),
                n_codes: literals.len() + 1,
            }
        }
        Reading::Exclusive(literals) => {
            let other = literals.len();
            let terms = literals.iter().enumerate().map(|(index, &literal)| Term {
                literal,
                flips: index ^ other,
            });
            write_codes(columns, other, &terms.collect::<Vec<_>>(), codes);
            let covered: usize = literals.iter().map(|&literal| columns.count(literal)).sum();
            let n_codes = other + usize::from(covered < columns.n_rows());
            BinaryGroup {
                kind: Kind::Nominal,
                members: literals.to_vec(),
                n_codes,
            }
        }
    }
}

/// A literal and the bits of the code that change where it is true.
struct Term {
    literal: Literal,
    flips: usize,
}

/// Write `start`, changed by each term, as the code of every row.
fn write_codes(columns: &BitColumns, start: usize, terms: &[Term], codes: &mut [u8]) {
    let n_words = columns.words_per_column();
    for (block, codes) in codes.chunks_mut(64 * BLOCK).enumerate() {
        let from = block * BLOCK;
        let to = n_words.min(from + BLOCK);
        let mut planes: [[u64; BLOCK]; 8] =
            std::array::from_fn(|bit| [((start >> bit & 1) as u64).wrapping_neg(); BLOCK]);
        for Term { literal, flips } in terms {
            let flip = u64::from(literal.negated).wrapping_neg();
            let words = &columns.column(literal.column)[from..to];
            for (bit, plane) in planes.iter_mut().enumerate() {
                if flips >> bit & 1 == 1 {
                    plane
                        .iter_mut()
                        .zip(words)
                        .for_each(|(bits, word)| *bits ^= word ^ flip);
                }
            }
        }
        for (word, codes) in codes.chunks_mut(64).enumerate() {
            let mut square = planes.each_ref().map(|plane| plane[word]);
            transpose_bytes(&mut square);
            for (bits, codes) in square.into_iter().zip(codes.chunks_mut(8)) {
                let eight = transpose_bits(bits).to_le_bytes();
                codes.copy_from_slice(&eight[..codes.len()]);
            }
        }
    }
}
