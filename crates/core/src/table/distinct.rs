//! Splits that are worth keeping: none constant, none a repetition of another.

use super::column::{Column, Kind, SplitRef, Table};
use std::collections::HashSet;

/// Rows whose random numbers are held at a time (64 KiB of them).
const BLOCK: usize = 4096;

/// Starting point of the random sequence; fixed so that the same table always gives the same answer.
const SEED: u64 = 0x6365_7274_6974_7265;

/// All splits of a table, also those that are constant or equal each other.
pub fn all_splits(table: &Table) -> Vec<SplitRef> {
    let columns = table.columns().iter().enumerate();
    columns
        .flat_map(|(column, shape)| {
            (0..shape.n_splits).map(move |split| SplitRef {
                column: column as u32,
                split: split as u32,
            })
        })
        .collect()
}

/// List the splits that remain after dropping those that are constant and those that equal, or complement, an earlier
/// kept split on every row. "Earlier" is the order of columns, then of splits.
///
/// A split's row set is identified by a 128-bit additive fingerprint: the sum of one pseudo-random number per row where
/// it is true. A column's fingerprints then cost one addition per row, whatever its number of splits; two different
/// row sets of a table collide with probability 2^-128.
pub fn distinct_splits(table: &Table) -> Vec<SplitRef> {
    let sums = sums_by_code(table);
    let total = match sums.first() {
        Some(column) => column
            .iter()
            .fold(0u128, |sum, &part| sum.wrapping_add(part)),
        None => return Vec::new(),
    };
    let mut seen = HashSet::with_capacity(table.n_splits());
    let mut kept = Vec::new();
    for (index, (column, by_code)) in table.columns().iter().zip(&sums).enumerate() {
        let mut cumulated = 0u128;
        for (split, &sum) in by_code.iter().enumerate().take(column.n_splits) {
            cumulated = cumulated.wrapping_add(sum);
            let print = match column.kind {
                Kind::Ordered => cumulated,
                Kind::Nominal => sum,
            };
            if print != 0 && print != total && seen.insert(print.min(total.wrapping_sub(print))) {
                kept.push(SplitRef {
                    column: index as u32,
                    split: split as u32,
                });
            }
        }
    }
    kept
}

/// For each column the sum of its rows' random numbers by code.
fn sums_by_code(table: &Table) -> Vec<Vec<u128>> {
    let mut sums: Vec<Vec<u128>> = table.columns().iter().map(|c| vec![0; c.n_codes]).collect();
    let mut numbers = Vec::with_capacity(BLOCK.min(table.n_rows()));
    for start in (0..table.n_rows()).step_by(BLOCK) {
        let end = table.n_rows().min(start + BLOCK);
        numbers.clear();
        numbers.extend((start..end).map(|row| random_number(row as u64)));
        for (Column { codes, .. }, by_code) in table.columns().iter().zip(&mut sums) {
            for (&code, &number) in codes[start..end].iter().zip(&numbers) {
                let sum = &mut by_code[usize::from(code)];
                *sum = sum.wrapping_add(number);
            }
        }
    }
    sums
}

/// The 128-bit number of a row: two outputs of splitmix64 (Steele, Lea and Flood 2014).
fn random_number(row: u64) -> u128 {
    let half = |counter: u64| {
        let mut z = SEED.wrapping_add(counter.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    };
    u128::from(half(2 * row + 1)) << 64 | u128::from(half(2 * row + 2))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::samples::any_table;
    use proptest::prelude::*;

    fn row_set(table: &Table, split: SplitRef) -> Vec<bool> {
        let column = &table.columns()[split.column as usize];
        column
            .codes
            .iter()
            .map(|&code| column.is_true(split.split as usize, code))
            .collect()
    }

    proptest! {
        #[test]
        fn agrees_with_comparing_row_sets(table in any_table(12, 6, 6)) {
            let mut seen: Vec<Vec<bool>> = Vec::new();
            let mut kept = Vec::new();
            for (index, column) in table.columns().iter().enumerate() {
                for split in 0..column.n_splits {
                    let split = SplitRef { column: index as u32, split: split as u32 };
                    let rows = row_set(&table, split);
                    let complement: Vec<bool> = rows.iter().map(|&r| !r).collect();
                    let constant = rows.iter().all(|&r| r) || complement.iter().all(|&r| r);
                    if !constant && !seen.contains(&rows) && !seen.contains(&complement) {
                        kept.push(split);
                        seen.push(rows);
                    }
                }
            }
            prop_assert_eq!(distinct_splits(&table), kept);
        }
    }

    #[test]
    fn a_table_without_rows_or_columns_has_no_split_to_keep() {
        let column = Column {
            kind: Kind::Ordered,
            codes: vec![],
            n_codes: 3,
            n_splits: 2,
        };
        assert!(distinct_splits(&Table::new(0, vec![column]).unwrap()).is_empty());
        assert!(distinct_splits(&Table::new(4, vec![]).unwrap()).is_empty());
    }
}
