//! Dropping of columns that say nothing new.

use super::bits::BitColumns;
use hashbrown::HashTable;

/// The columns of a matrix, parted.
pub(super) struct Reduced {
    /// Columns of which none is constant, nor equal or complementary to another.
    pub(super) kept: Vec<u32>,
    /// The others.
    pub(super) dropped: Vec<u32>,
}

/// Keep the first of the columns that are equal or complementary to one another; drop constant ones.
pub(super) fn distinct_columns(columns: &BitColumns) -> Reduced {
    let mut seen: HashTable<(u64, u32)> = HashTable::new();
    let mut reduced = Reduced {
        kept: Vec::new(),
        dropped: Vec::new(),
    };
    for column in 0..columns.n_columns() as u32 {
        let words = columns.column(column);
        let (Some(&first), false) = (words.first(), is_constant(columns, words)) else {
            reduced.dropped.push(column);
            continue;
        };
        // A column and its complement hash alike when the one that is false in the first row stands for both.
        let flip = (first & 1).wrapping_neg();
        let last = words.len() - 1;
        let canonical = |words: &[u64], flip: u64, at: usize| {
            (words[at] ^ flip)
                & if at == last {
                    columns.mask(last)
                } else {
                    u64::MAX
                }
        };
        let hash = (0..words.len()).fold(0x9e37_79b9_7f4a_7c15_u64, |state, at| {
            let product = u128::from(state ^ canonical(words, flip, at)) * 0xa076_1d64_78bd_642f;
            (product as u64) ^ ((product >> 64) as u64)
        });
        let same = |&(other_hash, other): &(u64, u32)| {
            let other = columns.column(other);
            let other_flip = (other[0] & 1).wrapping_neg();
            other_hash == hash
                && (0..words.len())
                    .all(|at| canonical(words, flip, at) == canonical(other, other_flip, at))
        };
        match seen.find(hash, same) {
            Some(_) => reduced.dropped.push(column),
            None => {
                seen.insert_unique(hash, (hash, column), |&(hash, _)| hash);
                reduced.kept.push(column);
            }
        }
    }
    reduced
}

fn is_constant(columns: &BitColumns, words: &[u64]) -> bool {
    let Some((&last, full)) = words.split_last() else {
        return true;
    };
    let all_false = last == 0 && full.iter().all(|&word| word == 0);
    all_false || (last == columns.mask(full.len()) && full.iter().all(|&word| word == u64::MAX))
}
