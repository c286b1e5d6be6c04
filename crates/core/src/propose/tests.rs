//! Rankings against slow twins that count row by row, and their determinism.

use super::grow::{Grower, Growth};
use super::*;
use crate::table::samples::any_table;
use crate::table::{Table, distinct_splits};
use crate::task::Accuracy;
use proptest::prelude::*;

/// The impurity decrease that each split brings, counted row by row.
fn decreases_slowly(table: &Table, labels: &[i32], k: usize) -> Vec<f64> {
    let purity = |rows: &[usize]| {
        let mut masses = vec![0.0; k];
        for &row in rows {
            masses[labels[row] as usize] += 1.0;
        }
        masses.iter().map(|m| m * m).sum::<f64>() / rows.len() as f64
    };
    let rows: Vec<usize> = (0..labels.len()).collect();
    let decrease = |split: &SplitRef| {
        let column = &table.columns()[split.column as usize];
        let (a, b): (Vec<usize>, Vec<usize>) = rows
            .iter()
            .partition(|&&row| column.is_true(split.split as usize, column.codes[row]));
        purity(&a) + purity(&b) - purity(&rows)
    };
    distinct_splits(table).iter().map(decrease).collect()
}

fn any_problem() -> impl Strategy<Value = (Table, Vec<i32>)> {
    any_table(40, 4, 6).prop_flat_map(|table| {
        let n = table.n_rows();
        (Just(table), prop::collection::vec(0..3_i32, n))
    })
}

proptest! {
    #[test]
    fn a_stump_takes_the_split_of_greatest_decrease((table, labels) in any_problem()) {
        prop_assume!(!labels.is_empty());
        let task = Accuracy { labels: &labels, n_labels: 3, weights: None };
        let records = Records::new(&table, &distinct_splits(&table), &task).unwrap();
        let p = records.splits().len();
        let allowed: Vec<u32> = (0..p as u32).collect();
        let stump = Growth { max_depth: 1, considered: p };
        let found = Grower::new(&records).grow(&records.all(), &allowed, stump, &mut Random::new(0, 0));
        let expected = decreases_slowly(&table, &labels, 3);
        let most = expected.iter().copied().fold(0.0, f64::max);
        let distinct: std::collections::BTreeSet<i32> = labels.iter().copied().collect();
        if distinct.len() > 1 && p > 0 {
            // Masses are (labels - 1) times the records.
            let sum: f64 = found.iter().sum();
            prop_assert!((sum / 2.0 - most).abs() < 1e-6, "{} {}", sum, most);
            for (value, decrease) in found.iter().zip(&expected) {
                prop_assert!(*value == 0.0 || (value / 2.0 - decrease).abs() < 1e-6);
            }
        }
    }

    #[test]
    fn histograms_and_rows_grow_the_same_tree(
        (table, labels) in any_problem(),
        n_labels in 2..4_usize,
        // Sums of the last do not fit 32 bits.
        times in prop::sample::select(vec![1_i64, 3, 1 << 33]),
        depth in 1..6_usize,
    ) {
        prop_assume!(!labels.is_empty());
        let labels: Vec<i32> = labels.iter().map(|label| label % n_labels as i32).collect();
        let task = Accuracy { labels: &labels, n_labels, weights: None };
        let records = Records::new(&table, &distinct_splits(&table), &task).unwrap();
        let p = records.splits().len();
        let allowed: Vec<u32> = (0..p as u32).collect();
        let growth = Growth { max_depth: depth, considered: p };
        let masses: Vec<i64> = records.all().iter().map(|mass| mass * times).collect();
        let mut grower = Grower::new(&records);
        grower.always_rows = Some(false);
        let found = grower.grow(&masses, &allowed, growth, &mut Random::new(0, 0));
        grower.always_rows = Some(true);
        let by_rows = grower.grow(&masses, &allowed, growth, &mut Random::new(0, 0));
        prop_assert_eq!(found, by_rows);
    }

    #[test]
    fn threads_change_nothing_and_excluded_splits_stay_out(
        (table, labels) in any_problem(), seed: u64, modulus in 2..4_u32,
    ) {
        prop_assume!(!labels.is_empty());
        let task = Accuracy { labels: &labels, n_labels: 3, weights: None };
        let records = Records::new(&table, &distinct_splits(&table), &task).unwrap();
        let excluded = |split: SplitRef| (split.column + split.split).is_multiple_of(modulus);
        let never = || false;
        let on = |n_threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(n_threads).build().unwrap();
            pool.install(|| {
                let forest = Forest { n_trees: 7, ..Forest::default() };
                let cart = Cart { n_fits: 5, max_depth: 3 };
                (
                    rank_by_forest(&records, forest, seed, &never),
                    rank_by_cart(&records, cart, &excluded, seed, &never),
                )
            })
        };
        let (forest, cart) = on(1);
        prop_assert_eq!((&forest, &cart), (&on(2).0, &on(2).1));
        prop_assert!(cart.iter().all(|ranked| !excluded(ranked.split) && ranked.importance > 0.0));
        prop_assert_eq!(forest.len(), records.splits().len());
        let total: f64 = forest.iter().map(|ranked| ranked.importance).sum();
        prop_assert!(total == 0.0 || (total - 1.0).abs() < 1e-9);
    }
}
