//! Projection of a table onto a candidate set of splits.

use super::column::{Column, Kind, SplitRef, Table};
use crate::error::Error;

/// A table recoded to a candidate set.
#[derive(Clone, Debug)]
pub struct Projection {
    /// The recoded table; columns without a kept split are gone.
    pub table: Table,
    /// For each column and split of `table`, the split of the original table that it stands for.
    pub origin: Vec<Vec<SplitRef>>,
}

impl Table {
    /// Recode every column so that it offers the splits in `keep` and no others.
    ///
    /// Columns keep their order, and so do the splits of a column. `keep` may be in any order; repetitions count once.
    /// Codes that no kept split tells apart become one code.
    ///
    /// # Errors
    /// [`Error::Candidate`] if a split of `keep` does not exist.
    pub fn project(&self, keep: &[SplitRef]) -> Result<Projection, Error> {
        let mut kept: Vec<Vec<u32>> = vec![Vec::new(); self.columns().len()];
        for split in keep {
            self.check_split(*split)?;
            kept[split.column as usize].push(split.split);
        }
        let mut columns = Vec::new();
        let mut origin = Vec::new();
        for (index, (column, mut splits)) in self.columns().iter().zip(kept).enumerate() {
            splits.sort_unstable();
            splits.dedup();
            if !splits.is_empty() {
                columns.push(recode(column, &splits));
                let column = index as u32;
                origin.push(
                    splits
                        .iter()
                        .map(|&split| SplitRef { column, split })
                        .collect(),
                );
            }
        }
        Ok(Projection {
            table: Table::new(self.n_rows(), columns)?,
            origin,
        })
    }

    /// Check that a split exists.
    ///
    /// # Errors
    /// [`Error::Candidate`] if it does not.
    pub fn check_split(&self, split: SplitRef) -> Result<(), Error> {
        let SplitRef { column, split } = split;
        let Some(found) = self.columns().get(column as usize) else {
            return Err(Error::Candidate(format!(
                "column {column} of split ({column}, {split}) does not exist; the table has {} columns, counted from 0",
                self.columns().len()
            )));
        };
        if split as usize >= found.n_splits {
            return Err(Error::Candidate(format!(
                "split {split} of column {column} does not exist; that column has {} splits, counted from 0",
                found.n_splits
            )));
        }
        Ok(())
    }
}

/// Recode a column to some of its splits, ascending and distinct.
fn recode(column: &Column, splits: &[u32]) -> Column {
    let mut new_code = [splits.len() as u8; 256];
    match column.kind {
        Kind::Ordered => {
            // The new code counts the kept thresholds below the old one.
            for (old, new) in new_code.iter_mut().enumerate() {
                *new = splits.partition_point(|&split| (split as usize) < old) as u8;
            }
        }
        Kind::Nominal => {
            for (new, &split) in splits.iter().enumerate() {
                new_code[split as usize] = new as u8;
            }
        }
    }
    let codes: Vec<u8> = column
        .codes
        .iter()
        .map(|&code| new_code[usize::from(code)])
        .collect();
    // Keeping all 256 categories of a column leaves no code for other values, and none is needed.
    let others = splits.len() < 256 && codes.contains(&(splits.len() as u8));
    let n_codes = splits.len() + usize::from(column.kind == Kind::Ordered || others);
    Column {
        kind: column.kind,
        codes,
        n_codes,
        n_splits: splits.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::samples::any_table;
    use proptest::prelude::*;

    /// A table and some of its splits, in any order, possibly repeated.
    fn table_and_candidates() -> impl Strategy<Value = (Table, Vec<SplitRef>)> {
        any_table(12, 5, 7).prop_flat_map(|table| {
            let all: Vec<SplitRef> = (0..table.columns().len())
                .flat_map(|column| {
                    let n_splits = table.columns()[column].n_splits;
                    (0..n_splits).map(move |split| SplitRef {
                        column: column as u32,
                        split: split as u32,
                    })
                })
                .collect();
            let most = if all.is_empty() { 0 } else { 2 * all.len() };
            let none = SplitRef {
                column: 0,
                split: 0,
            };
            let choice = prop::sample::select(if all.is_empty() { vec![none] } else { all });
            (Just(table), prop::collection::vec(choice, 0..=most))
        })
    }

    proptest! {
        #[test]
        fn every_split_keeps_its_rows((table, keep) in table_and_candidates()) {
            let projection = table.project(&keep).unwrap();
            let mut expected = keep;
            expected.sort_unstable();
            expected.dedup();
            prop_assert_eq!(projection.origin.concat(), expected);
            for (column, origin) in projection.table.columns().iter().zip(&projection.origin) {
                prop_assert_eq!(column.n_splits, origin.len());
                for (split, old) in origin.iter().enumerate() {
                    let old_column = &table.columns()[old.column as usize];
                    for (new_code, old_code) in column.codes.iter().zip(&old_column.codes) {
                        prop_assert_eq!(
                            column.is_true(split, *new_code),
                            old_column.is_true(old.split as usize, *old_code)
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn other_values_get_a_code_only_where_they_occur() {
        let column = Column {
            kind: Kind::Nominal,
            codes: vec![0, 2, 2, 0],
            n_codes: 4,
            n_splits: 3,
        };
        let table = Table::new(4, vec![column]).unwrap();
        let split = |split| SplitRef { column: 0, split };
        let both = table.project(&[split(2), split(0)]).unwrap().table;
        assert_eq!(
            (both.columns()[0].n_codes, &both.columns()[0].codes[..]),
            (2, &[0, 1, 1, 0][..])
        );
        let one = table.project(&[split(2)]).unwrap().table;
        assert_eq!(
            (one.columns()[0].n_codes, &one.columns()[0].codes[..]),
            (2, &[1, 0, 0, 1][..])
        );
    }

    #[test]
    fn all_of_256_categories() {
        let column = Column {
            kind: Kind::Nominal,
            codes: (0..=255).collect(),
            n_codes: 256,
            n_splits: 256,
        };
        let table = Table::new(256, vec![column]).unwrap();
        let keep: Vec<SplitRef> = (0..256)
            .map(|split| SplitRef { column: 0, split })
            .collect();
        let projected = table.project(&keep).unwrap().table;
        assert_eq!(projected.columns()[0].codes, table.columns()[0].codes);
        assert_eq!(
            table.project(&keep[1..]).unwrap().table.columns()[0].n_codes,
            256
        );
    }

    #[test]
    fn unknown_splits_are_named() {
        let column = Column {
            kind: Kind::Ordered,
            codes: vec![0, 1],
            n_codes: 2,
            n_splits: 1,
        };
        let table = Table::new(2, vec![column]).unwrap();
        let message = table
            .project(&[SplitRef {
                column: 0,
                split: 7,
            }])
            .unwrap_err()
            .to_string();
        assert!(
            message.contains("split 7 of column 0") && message.contains("1 splits"),
            "{message}"
        );
        let message = table
            .project(&[SplitRef {
                column: 3,
                split: 0,
            }])
            .unwrap_err()
            .to_string();
        assert!(message.contains("column 3"), "{message}");
    }
}
