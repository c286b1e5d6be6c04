//! Random tables for property tests.

use super::column::{Column, Kind, Table};
use proptest::prelude::*;

/// Any table of at most that many rows, columns and codes per column.
pub(crate) fn any_table(
    max_rows: usize,
    max_columns: usize,
    max_codes: usize,
) -> impl Strategy<Value = Table> {
    (0..=max_rows, 0..=max_columns).prop_flat_map(move |(n_rows, n_columns)| {
        prop::collection::vec(any_column(n_rows, max_codes), n_columns)
            .prop_map(move |columns| Table::new(n_rows, columns).expect("columns are consistent"))
    })
}

fn any_column(n_rows: usize, max_codes: usize) -> impl Strategy<Value = Column> {
    (1..=max_codes, any::<bool>(), any::<bool>()).prop_flat_map(move |(n_codes, nominal, other)| {
        prop::collection::vec(0..n_codes as u8, n_rows).prop_map(move |codes| Column {
            kind: if nominal {
                Kind::Nominal
            } else {
                Kind::Ordered
            },
            codes,
            n_codes,
            n_splits: n_codes - usize::from(!nominal || other),
        })
    })
}
