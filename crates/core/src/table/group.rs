//! Grouping of rows that hold the same codes in every column.
//!
//! Rows are packed eight codes to a word, a block at a time, then looked up in a hash table that compares whole rows,
//! so the answer never depends on the hash.

use super::words::transpose_bytes;
use hashbrown::HashTable;

/// Rows packed at a time: a block of packed rows stays in the first or second level cache.
const BLOCK: usize = 512;

/// Rows looked at before the number of groups is estimated, a multiple of [`BLOCK`].
const SAMPLE: usize = 8 * BLOCK;

/// Which rows agree on every column.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Groups {
    /// Group of each row; groups are numbered in the order of their first rows.
    pub group_of_row: Vec<u32>,
    /// First row of each group, ascending.
    pub representative: Vec<u32>,
}

/// Group the rows that hold equal codes in all columns.
///
/// Without columns all rows fall in one group; without rows there is no group.
///
/// # Panics
/// If a column is shorter than `n_rows`, or there are more than `u32::MAX` rows: the caller holds a checked table.
pub fn group_rows(columns: &[&[u8]], n_rows: usize) -> Groups {
    assert!(
        u32::try_from(n_rows).is_ok(),
        "row numbers must fit 32 bits"
    );
    if n_rows == 0 {
        return Groups::default();
    }
    match columns.len().div_ceil(8) {
        0 => Groups {
            group_of_row: vec![0; n_rows],
            representative: vec![0],
        },
        1 => group_packed::<1>(columns, n_rows),
        2 => group_packed::<2>(columns, n_rows),
        3 => group_packed::<3>(columns, n_rows),
        4 => group_packed::<4>(columns, n_rows),
        _ => group_wide(columns, n_rows),
    }
}

/// Rows of a fixed number of words: keys live in the hash table, which saves a look-up elsewhere.
fn group_packed<const WORDS: usize>(columns: &[&[u8]], n_rows: usize) -> Groups {
    let mut table: HashTable<([u64; WORDS], u32)> = HashTable::new();
    let mut groups = Groups {
        group_of_row: Vec::with_capacity(n_rows),
        representative: Vec::new(),
    };
    let mut packed = vec![0u64; BLOCK * WORDS];
    for start in (0..n_rows).step_by(BLOCK) {
        if start == SAMPLE {
            table.reserve(
                expected_groups(groups.representative.len(), n_rows),
                |(k, _)| hash(k),
            );
        }
        let rows = BLOCK.min(n_rows - start);
        pack_block(columns, start, rows, WORDS, &mut packed);
        let (keys, _) = packed.as_chunks::<WORDS>();
        let mut previous = ([0u64; WORDS], u32::MAX);
        for (row, key) in keys[..rows].iter().enumerate() {
            // Neighbouring rows are often equal in sorted data.
            if previous.1 == u32::MAX || previous.0 != *key {
                let next = groups.representative.len() as u32;
                let entry = table.entry(hash(key), |(other, _)| other == key, |(k, _)| hash(k));
                previous = *entry.or_insert((*key, next)).get();
                if previous.1 == next {
                    groups.representative.push((start + row) as u32);
                }
            }
            groups.group_of_row.push(previous.1);
        }
    }
    groups
}

/// Rows of any number of words: the packed rows of the representatives are kept beside the hash table.
fn group_wide(columns: &[&[u8]], n_rows: usize) -> Groups {
    let words = columns.len().div_ceil(8);
    // (upper half of the hash, group): most comparisons end at the tag, and growing needs no packed row.
    let mut table: HashTable<(u64, u32)> = HashTable::new();
    let mut stored: Vec<u64> = Vec::new();
    let mut groups = Groups {
        group_of_row: Vec::with_capacity(n_rows),
        representative: Vec::new(),
    };
    let mut packed = vec![0u64; BLOCK * words];
    for start in (0..n_rows).step_by(BLOCK) {
        if start == SAMPLE {
            let expected = expected_groups(groups.representative.len(), n_rows);
            table.reserve(expected, |&(other, _)| other);
            stored.reserve(expected * words);
        }
        let rows = BLOCK.min(n_rows - start);
        pack_block(columns, start, rows, words, &mut packed);
        for (row, key) in packed.chunks_exact(words).take(rows).enumerate() {
            let code = hash(key);
            let next = groups.representative.len() as u32;
            let same = |&(other, group): &(u64, u32)| {
                let at = group as usize * words;
                other == code && stored[at..at + words] == *key
            };
            let entry = table.entry(code, same, |&(other, _)| other);
            let group = entry.or_insert((code, next)).get().1;
            if group == next {
                stored.extend_from_slice(key);
                groups.representative.push((start + row) as u32);
            }
            groups.group_of_row.push(group);
        }
    }
    groups
}

/// Groups still to come, if the rest is like the sample; 0 unless most rows of it were new.
///
/// Growing a large table step by step costs more than filling it; a table of few groups should stay small.
fn expected_groups(groups: usize, n_rows: usize) -> usize {
    if groups * 2 < SAMPLE {
        0
    } else {
        (n_rows - SAMPLE) * groups / SAMPLE
    }
}

/// Write rows `start..start + rows` row by row, eight codes to a word; missing codes of the last word are 0.
fn pack_block(columns: &[&[u8]], start: usize, rows: usize, words: usize, packed: &mut [u64]) {
    for (word, eight) in columns.chunks(8).enumerate() {
        for row in (0..rows).step_by(8) {
            let present = 8.min(rows - row);
            let mut block = [0u64; 8];
            for (lane, column) in block.iter_mut().zip(eight) {
                let codes = &column[start + row..start + row + present];
                *lane = match codes.first_chunk() {
                    Some(bytes) => u64::from_le_bytes(*bytes),
                    None => codes
                        .iter()
                        .rev()
                        .fold(0, |sum, &code| sum << 8 | u64::from(code)),
                };
            }
            transpose_bytes(&mut block);
            for (offset, value) in block.iter().take(present).enumerate() {
                packed[(row + offset) * words + word] = *value;
            }
        }
    }
}

/// Multiply-and-fold hash of a packed row (the mixing step of wyhash).
#[inline]
fn hash(words: &[u64]) -> u64 {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    for &word in words {
        let product = u128::from(state ^ word) * 0xa076_1d64_78bd_642f_u128;
        state = (product as u64) ^ ((product >> 64) as u64);
    }
    state ^ state >> 29
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    /// The obviously right twin: a map from whole rows to group numbers.
    fn group_slowly(columns: &[Vec<u8>], n_rows: usize) -> Groups {
        let mut seen: HashMap<Vec<u8>, u32> = HashMap::new();
        let mut groups = Groups::default();
        for row in 0..n_rows {
            let key: Vec<u8> = columns.iter().map(|c| c[row]).collect();
            let next = seen.len() as u32;
            let group = *seen.entry(key).or_insert(next);
            if group == next {
                groups.representative.push(row as u32);
            }
            groups.group_of_row.push(group);
        }
        groups
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn agrees_with_a_map_of_rows(
            n_columns in 0usize..45, n_rows in 0usize..6000, n_codes in 1u8..=3, seed: u64,
        ) {
            let mut state = seed;
            let columns: Vec<Vec<u8>> = (0..n_columns)
                .map(|_| (0..n_rows).map(|_| {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    // Few codes, some of them large, so that rows repeat and all bits are used.
                    ((state >> 60) as u8 % n_codes) * 127
                }).collect())
                .collect();
            let slices: Vec<&[u8]> = columns.iter().map(Vec::as_slice).collect();
            prop_assert_eq!(group_rows(&slices, n_rows), group_slowly(&columns, n_rows));
        }
    }

    #[test]
    fn no_rows_and_no_columns() {
        assert_eq!(group_rows(&[], 0), Groups::default());
        assert_eq!(group_rows(&[&[]], 0), Groups::default());
        let one = group_rows(&[], 3);
        assert_eq!(one.group_of_row, [0, 0, 0]);
        assert_eq!(one.representative, [0]);
    }

    #[test]
    fn groups_are_numbered_by_first_appearance() {
        let groups = group_rows(&[&[5, 9, 5, 0], &[1, 1, 1, 1]], 4);
        assert_eq!(groups.group_of_row, [0, 1, 0, 2]);
        assert_eq!(groups.representative, [0, 1, 3]);
    }
}
