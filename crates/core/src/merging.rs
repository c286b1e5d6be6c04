//! Which records merge: those that no candidate split tells apart. Found once, it serves any number of tasks.

use std::sync::Arc;

use crate::error::Error;
use crate::problem::{Problem, ProblemColumn};
use crate::table::{Column, Projection, SplitRef, Table, all_splits, distinct_splits, group_rows};
use crate::task::{AdditiveTask, quantise, quantise_total};

/// The rows of a table, grouped by their codes; rows of unequal codes differ in some split.
#[derive(Clone, Debug)]
pub struct RowKinds {
    /// The first row of each kind, which show all that splits can do.
    unique: Table,
    group_of_row: Arc<[u32]>,
}

impl RowKinds {
    /// Group the rows of `table`.
    ///
    /// # Errors
    /// None on a table that is consistent.
    pub fn new(table: &Table) -> Result<Self, Error> {
        let groups = group_rows(&slices(table), table.n_rows());
        let columns = table.columns().iter().map(|column| Column {
            codes: at_rows(&column.codes, &groups.representative),
            ..*column
        });
        Ok(Self {
            unique: Table::new(groups.representative.len(), columns.collect())?,
            group_of_row: groups.group_of_row.into(),
        })
    }

    /// The [`distinct_splits`] of the table, and its rows grouped by them.
    ///
    /// # Errors
    /// None on a table that is consistent.
    pub fn over_distinct_splits(&self) -> Result<(Vec<SplitRef>, Merging), Error> {
        let splits = distinct_splits(&self.unique);
        let merging = self.over(&splits)?;
        Ok((splits, merging))
    }

    /// The rows grouped by all splits of the table, also those that are constant or equal each other.
    ///
    /// # Errors
    /// None on a table that is consistent.
    pub fn over_all_splits(&self) -> Result<Merging, Error> {
        self.over(&all_splits(&self.unique))
    }

    /// Over splits that tell all kinds apart.
    fn over(&self, splits: &[SplitRef]) -> Result<Merging, Error> {
        let rows: Vec<u32> = (0..self.unique.n_rows() as u32).collect();
        let projection = self.unique.project(splits)?;
        Ok(Merging::from_groups(
            &projection,
            &rows,
            self.group_of_row.clone(),
        ))
    }
}

/// Groups of records over a candidate set.
#[derive(Clone, Debug)]
pub struct Merging {
    columns: Vec<ProblemColumn>,
    /// Codes, row-major: group x column.
    codes: Vec<u8>,
    n_groups: usize,
    group_of_row: Arc<[u32]>,
}

impl Merging {
    /// Project `table` onto the splits `keep` and group its rows (each on its own if not `aggregate`).
    ///
    /// # Errors
    /// [`Error::Candidate`] if a split of `keep` does not exist.
    pub fn new(table: &Table, keep: &[SplitRef], aggregate: bool) -> Result<Self, Error> {
        let projection = table.project(keep)?;
        if !aggregate {
            let rows: Vec<u32> = (0..table.n_rows() as u32).collect();
            return Ok(Self::from_groups(
                &projection,
                &rows,
                rows.as_slice().into(),
            ));
        }
        let groups = group_rows(&slices(&projection.table), table.n_rows());
        Ok(Self::from_groups(
            &projection,
            &groups.representative,
            groups.group_of_row.into(),
        ))
    }

    fn from_groups(projection: &Projection, first_rows: &[u32], group_of_row: Arc<[u32]>) -> Self {
        let columns = projection.table.columns();
        let mut codes = vec![0_u8; first_rows.len() * columns.len()];
        for (c, column) in columns.iter().enumerate() {
            for (group, &row) in first_rows.iter().enumerate() {
                codes[group * columns.len() + c] = column.codes[row as usize];
            }
        }
        let columns = columns.iter().zip(&projection.origin);
        Self {
            columns: columns
                .map(|(column, origin)| ProblemColumn {
                    kind: column.kind,
                    n_codes: column.n_codes,
                    n_splits: column.n_splits,
                    origin: origin.clone(),
                })
                .collect(),
            codes,
            n_groups: first_rows.len(),
            group_of_row,
        }
    }

    /// Sum the costs of `task` by group. Groups without a record that takes part vanish.
    ///
    /// # Errors
    /// [`Error::Statistics`] if the task does not fit the table, no record has a positive weight, or as [`quantise`].
    pub fn problem(&self, task: &dyn AdditiveTask) -> Result<Problem, Error> {
        task.validate()?;
        if task.n_records() != self.group_of_row.len() {
            return Err(Error::Statistics(format!(
                "the task has {} records but the table has {} rows; give one per row",
                task.n_records(),
                self.group_of_row.len()
            )));
        }
        let present = task.present();
        if present.is_empty() {
            return Err(Error::Statistics(
                "no record has a positive weight; at least one is needed".into(),
            ));
        }
        let k = task.n_labels();
        let Sums {
            rows,
            costs,
            n_unique_labelled,
            unit,
        } = match task.costs_by_class() {
            Some(by_class) => self.sums_by_class(&by_class, k, &task.classes_of(&present))?,
            None => self.sums(task, &present)?,
        };
        let width = self.columns.len();
        let mut codes = Vec::with_capacity(rows.groups.len() * width);
        for &group in &rows.groups {
            codes.extend_from_slice(&self.codes[group as usize * width..][..width]);
        }
        Ok(Problem {
            columns: self.columns.clone(),
            codes,
            costs,
            counts: rows.counts,
            n_labels: k,
            unit,
            n_records: present.len(),
            n_unique_labelled,
        })
    }

    /// Sum the costs of the records that take part, one by one.
    fn sums(&self, task: &dyn AdditiveTask, present: &[u32]) -> Result<Sums, Error> {
        let k = task.n_labels();
        let quantised = quantise(&task.costs_of(present))?;
        let mut rows = Rows::new(self.n_groups);
        let mut costs: Vec<i64> = Vec::with_capacity(self.n_groups * k);
        let mut labelled = LabelledCount::new(self.n_groups);
        let classes = task.classes_of(present);
        for (i, &record) in present.iter().enumerate() {
            let row = rows.add(self.group_of_row[record as usize]);
            costs.resize(rows.counts.len() * k, 0);
            let units = &quantised.units[i * k..(i + 1) * k];
            for (sum, unit) in costs[row * k..].iter_mut().zip(units) {
                *sum += unit;
            }
            labelled.insert(row, classes[i]);
        }
        Ok(Sums {
            rows,
            costs,
            n_unique_labelled: labelled.count,
            unit: quantised.unit,
        })
    }

    /// The same where the costs of a record are those of its class: count the classes first.
    fn sums_by_class(&self, by_class: &[f64], k: usize, classes: &[u32]) -> Result<Sums, Error> {
        let n_classes = by_class.len() / k;
        let mut rows = Rows::new(self.n_groups);
        let mut counts: Vec<u32> = Vec::with_capacity(self.n_groups * n_classes);
        for (&group, &class) in self.group_of_row.iter().zip(classes) {
            let row = rows.add(group);
            if counts.len() == row * n_classes {
                counts.resize((row + 1) * n_classes, 0);
            }
            counts[row * n_classes + class as usize] += 1;
        }
        let mut totals = vec![0_u64; n_classes];
        for row in counts.chunks_exact(n_classes) {
            for (total, &count) in totals.iter_mut().zip(row) {
                *total += u64::from(count);
            }
        }
        // A class without records has no say in the unit.
        let mut occurring = by_class.to_vec();
        let mut total = 0.0;
        for (costs, &count) in occurring.chunks_exact_mut(k).zip(&totals) {
            if count == 0 {
                costs.fill(0.0);
            }
            total += count as f64 * costs.iter().sum::<f64>();
        }
        let quantised = quantise_total(&occurring, total)?;
        let mut costs = vec![0; rows.counts.len() * k];
        for (sums, counts) in costs
            .chunks_exact_mut(k)
            .zip(counts.chunks_exact(n_classes))
        {
            for (units, &count) in quantised.units.chunks_exact(k).zip(counts) {
                for (sum, unit) in sums.iter_mut().zip(units) {
                    *sum += i64::from(count) * unit;
                }
            }
        }
        Ok(Sums {
            rows,
            costs,
            n_unique_labelled: counts.iter().filter(|&&count| count > 0).count(),
            unit: quantised.unit,
        })
    }
}

/// Costs summed by group.
struct Sums {
    rows: Rows,
    /// Row-major: row x label, in units.
    costs: Vec<i64>,
    n_unique_labelled: usize,
    unit: f64,
}

fn slices(table: &Table) -> Vec<&[u8]> {
    let columns = table.columns().iter();
    columns.map(|column| column.codes.as_slice()).collect()
}

fn at_rows(codes: &[u8], rows: &[u32]) -> Vec<u8> {
    rows.iter().map(|&row| codes[row as usize]).collect()
}

/// The groups that have records, in the order of their first ones.
struct Rows {
    /// Place of each group among those, if it is.
    place: Vec<u32>,
    groups: Vec<u32>,
    counts: Vec<u32>,
}

impl Rows {
    fn new(n_groups: usize) -> Self {
        Self {
            place: vec![u32::MAX; n_groups],
            groups: Vec::with_capacity(n_groups),
            counts: Vec::with_capacity(n_groups),
        }
    }

    /// Count a record of a group; returns the group's place.
    fn add(&mut self, group: u32) -> usize {
        let place = &mut self.place[group as usize];
        if *place == u32::MAX {
            *place = self.groups.len() as u32;
            self.groups.push(group);
            self.counts.push(0);
        }
        self.counts[*place as usize] += 1;
        *place as usize
    }
}

/// Counts distinct (row, class) pairs; classes beyond 64 need the set.
struct LabelledCount {
    masks: Vec<u64>,
    beyond: hashbrown::HashSet<(usize, u32)>,
    count: usize,
}

impl LabelledCount {
    fn new(n_rows: usize) -> Self {
        Self {
            masks: vec![0; n_rows],
            beyond: hashbrown::HashSet::new(),
            count: 0,
        }
    }

    fn insert(&mut self, row: usize, class: u32) {
        let new = if class < 64 {
            let before = self.masks[row];
            self.masks[row] |= 1 << class;
            self.masks[row] != before
        } else {
            self.beyond.insert((row, class))
        };
        self.count += usize::from(new);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::samples::any_table;
    use crate::task::{Accuracy, MatrixCosts};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_first_of_each_kind_of_row_shows_all_that_splits_can_do(table in any_table(12, 5, 5)) {
            let (splits, merging) = RowKinds::new(&table).unwrap().over_distinct_splits().unwrap();
            prop_assert_eq!(&splits, &distinct_splits(&table));
            let slowly = Merging::new(&table, &splits, true).unwrap();
            prop_assert_eq!(&merging.group_of_row, &slowly.group_of_row);
            prop_assert_eq!(&merging.codes, &slowly.codes);
            let origins = |merging: &Merging| -> Vec<_> {
                merging.columns.iter().map(|c| (c.origin.clone(), c.kind, c.n_codes)).collect()
            };
            prop_assert_eq!(origins(&merging), origins(&slowly));
        }

        #[test]
        fn groups_over_all_splits_are_found_once(table in any_table(12, 5, 5)) {
            let quickly = RowKinds::new(&table).unwrap().over_all_splits().unwrap();
            let slowly = Merging::new(&table, &all_splits(&table), true).unwrap();
            prop_assert_eq!(&quickly.group_of_row, &slowly.group_of_row);
            prop_assert_eq!(&quickly.codes, &slowly.codes);
            prop_assert_eq!(quickly.n_groups, slowly.n_groups);
        }

        #[test]
        fn costs_by_class_are_summed_as_those_of_records(
            table in any_table(12, 3, 3), matrix in prop::collection::vec(0..5, 6), unit in 1..4
        ) {
            let (_, merging) = RowKinds::new(&table).unwrap().over_distinct_splits().unwrap();
            let n = table.n_rows();
            prop_assume!(n > 0);
            let classes: Vec<i32> = (0..n as i32).map(|record| record % 2).collect();
            // Multiples of a number that floats do not hold exactly.
            let matrix: Vec<f64> = matrix.iter().map(|&cost| f64::from(cost) * f64::from(unit) / 10.0).collect();
            let by_class = MatrixCosts { matrix: &matrix, n_labels: 3, classes: &classes, weights: None };
            let ones = vec![1.0; n];
            let quickly = merging.problem(&by_class).unwrap();
            let slowly = merging.problem(&MatrixCosts { weights: Some(&ones), ..by_class }).unwrap();
            // Rounded totals may differ in the last bit, and so may the unit that costs are rounded to.
            for (one, other) in quickly.costs.iter().zip(&slowly.costs) {
                prop_assert!((*one as f64 * quickly.unit - *other as f64 * slowly.unit).abs() < 1e-9);
            }
            prop_assert_eq!(quickly.counts, slowly.counts);
            prop_assert_eq!(quickly.codes, slowly.codes);
            prop_assert_eq!(quickly.n_unique_labelled, slowly.n_unique_labelled);
        }

        #[test]
        fn absent_records_leave_no_row(table in any_table(12, 3, 3), weights in prop::collection::vec(0..3, 12)) {
            let (_, merging) = RowKinds::new(&table).unwrap().over_distinct_splits().unwrap();
            let n = table.n_rows();
            let labels: Vec<i32> = (0..n as i32).map(|record| record % 2).collect();
            let weights: Vec<f64> = weights[..n].iter().map(|&w| f64::from(w)).collect();
            let task = Accuracy { labels: &labels, n_labels: 2, weights: Some(&weights) };
            let present = weights.iter().filter(|&&w| w > 0.0).count();
            match merging.problem(&task) {
                Err(_) => prop_assert_eq!(present, 0),
                Ok(problem) => {
                    prop_assert_eq!(problem.n_records, present);
                    prop_assert!(problem.counts.iter().all(|&count| count > 0));
                    // A record costs its weight at one of two labels.
                    let total: f64 = weights.iter().sum();
                    prop_assert_eq!(problem.costs.iter().sum::<i64>() as f64 * problem.unit, total);
                }
            }
        }
    }
}
