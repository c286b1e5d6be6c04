//! Pair tables, boxes, bounds, threads and cache against plain recursion; recursion is tested against brute force from Python.

use std::time::Duration;

use super::paid::Paid;
use super::{FeatureCostsOutcome, Price, Priced, Tariff, minimise_feature_costs};
use crate::merging::RowKinds;
use crate::propose::random::Random;
use crate::search::cube::Plan;
use crate::search::{Control, KernelChoice, Params, Quiet};
use crate::table::{Column, Kind, Table};
use crate::task::MatrixCosts;

/// How the prices of a group relate.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Discounts {
    /// All members save the same.
    Shared,
    /// A cheap member may open a large discount on a dear one.
    Door,
    /// Prices without a common unit.
    Decimal,
}

struct Instance {
    table: Table,
    classes: Vec<i32>,
    weights: Option<Vec<f64>>,
    n_labels: usize,
    tariff: Tariff,
}

impl Instance {
    fn draw(seed: u64, n_rows: usize, n_labels: usize, discounts: Discounts) -> Self {
        let mut random = Random::new(seed, 0);
        let mut below = |most: usize| random.below(most);
        let kinds = [
            (Kind::Ordered, 30),
            (Kind::Ordered, 9),
            (Kind::Nominal, 5),
            (Kind::Ordered, 2),
            (Kind::Ordered, 4),
        ];
        let columns: Vec<Column> = kinds
            .iter()
            .map(|&(kind, n_codes)| Column {
                kind,
                codes: (0..n_rows).map(|_| below(n_codes) as u8).collect(),
                n_codes,
                n_splits: n_codes - 1,
            })
            .collect();
        let fractions = discounts == Discounts::Decimal;
        let mut classes = Vec::new();
        let mut weights = Vec::new();
        for row in 0..n_rows {
            let weight = 1.0
                + below(3) as f64
                + if fractions {
                    below(100) as f64 / 97.0
                } else {
                    0.0
                };
            let signal =
                usize::from(columns[0].codes[row] > 12) + usize::from(columns[1].codes[row] > 3);
            let label = if below(4) == 0 {
                below(n_labels)
            } else {
                signal % n_labels
            };
            classes.push(label as i32);
            weights.push(weight);
        }
        let prices = (0..kinds.len())
            .map(|feature| {
                let own = below(4) as f64 / 32.0
                    + if fractions {
                        0.001 * below(50) as f64
                    } else {
                        0.0
                    };
                let group = (feature != 3).then_some(feature as u32 % 2);
                let saved = match (group, discounts) {
                    (None, _) => 0.0,
                    (_, Discounts::Door) => below(8) as f64 / 16.0,
                    _ => 0.0625,
                };
                Price {
                    full: own + saved,
                    discounted: own,
                    group,
                }
            })
            .collect();
        Self {
            table: Table::new(n_rows, columns).expect("columns of equal length"),
            classes,
            weights: (seed % 4 != 3 || fractions).then_some(weights),
            n_labels,
            tariff: Tariff {
                prices,
                feature_of_column: (0..kinds.len() as u32).collect(),
            },
        }
    }

    fn priced(&self) -> Priced {
        let k = self.n_labels;
        let matrix: Vec<f64> = (0..k * k)
            .map(|cell| if cell / k == cell % k { 0.0 } else { 1.0 })
            .collect();
        let costs = MatrixCosts {
            matrix: &matrix,
            n_labels: k,
            classes: &self.classes,
            weights: self.weights.as_deref(),
        };
        let kinds = RowKinds::new(&self.table).expect("consistent table");
        let merging = kinds.over_all_splits().expect("consistent table");
        Priced::build(&merging, costs, &self.tariff).expect("valid prices")
    }
}

fn solve(priced: &Priced, params: &Params, limit: Option<Duration>) -> FeatureCostsOutcome {
    minimise_feature_costs(priced, params, &Control::new(limit), &mut Quiet)
        .expect("valid parameters")
}

fn on_three_threads(priced: &Priced, params: &Params) -> FeatureCostsOutcome {
    let params = Params {
        n_threads: 3,
        ..params.clone()
    };
    solve(priced, &params, None)
}

/// What of an outcome must not depend on how it was found.
fn essence(outcome: &FeatureCostsOutcome) -> (f64, f64, usize) {
    (
        outcome.objective,
        outcome.lower_bound,
        outcome.tree.n_branching(),
    )
}

#[test]
fn pair_tables_boxes_threads_and_cache_change_nothing() {
    for seed in 0..48 {
        for discounts in [Discounts::Shared, Discounts::Door, Discounts::Decimal] {
            let instance = Instance::draw(seed, 60, 2 + seed as usize % 2, discounts);
            let priced = instance.priced();
            let params = Params {
                max_depth: 2 + seed as u32 % 2,
                max_nodes: [None, None, Some(4), Some(2)][seed as usize / 2 % 4],
                min_samples_leaf: [1, 1, 4][seed as usize % 3],
                node_penalty: if seed % 5 == 0 { 0.25 } else { 0.0 },
                kernel: KernelChoice::General,
                ..Params::default()
            };
            let plain = solve(
                &priced,
                &Params {
                    memory_limit: Some(0),
                    ..params.clone()
                },
                None,
            );
            let tables = solve(&priced, &params, None);
            assert_eq!(
                essence(&tables),
                essence(&plain),
                "seed {seed}, {discounts:?}"
            );
            assert_eq!(tables.lower_bound, tables.objective);
            let threads = solve(
                &priced,
                &Params {
                    n_threads: 2,
                    ..params.clone()
                },
                None,
            );
            assert_eq!(threads.tree, tables.tree, "seed {seed}, {discounts:?}");
            let boxes = solve(
                &priced,
                &Params {
                    kernel: KernelChoice::Cube,
                    ..params
                },
                None,
            );
            assert_eq!(
                essence(&boxes),
                essence(&plain),
                "seed {seed}, {discounts:?}"
            );
            // Prices that are no multiples of one weight are left to the general search.
            assert_eq!(boxes.n_boxes > 0, priced.amounts.single_weight().is_some());
        }
    }
}

#[test]
fn records_without_weights_owe_what_records_of_weight_one_do() {
    for seed in 0..12 {
        for (discounts, n_labels) in [
            (Discounts::Shared, 2),
            (Discounts::Door, 3),
            (Discounts::Decimal, 2),
        ] {
            let mut instance = Instance::draw(seed, 50, n_labels, discounts);
            instance.weights = None;
            let quick = instance.priced();
            instance.weights = Some(vec![1.0; 50]);
            let slow = instance.priced();
            let worth = |priced: &Priced| -> (Vec<f64>, Vec<f64>) {
                let unit = priced.problem.unit;
                let costs = priced.problem.costs.iter();
                let amounts = &priced.amounts;
                let dues = (0..amounts.amounts.len())
                    .map(|price| amounts.due(price, amounts.of(0)) as f64 * unit);
                let dues = dues.map(|due| due / priced.unit as f64).collect();
                (costs.map(|&cost| cost as f64 * unit).collect(), dues)
            };
            let ((costs, dues), (slow_costs, slow_dues)) = (worth(&quick), worth(&slow));
            for (one, other) in costs
                .iter()
                .zip(&slow_costs)
                .chain(dues.iter().zip(&slow_dues))
            {
                assert!((one - other).abs() < 1e-9, "seed {seed}, {discounts:?}");
            }
            let params = Params::default();
            let (one, other) = (solve(&quick, &params, None), solve(&slow, &params, None));
            assert!((one.objective - other.objective).abs() < 1e-9);
        }
    }
}

#[test]
fn deeper_trees_of_boxes_are_the_same_for_any_number_of_threads() {
    for seed in 0..4 {
        for discounts in [Discounts::Shared, Discounts::Door] {
            let instance = Instance::draw(seed, 40, 2 + seed as usize % 2, discounts);
            let priced = instance.priced();
            let params = Params {
                max_depth: 4,
                max_nodes: Some(9),
                kernel: KernelChoice::Cube,
                ..Params::default()
            };
            let one = solve(&priced, &params, None);
            let three = on_three_threads(&priced, &params);
            assert_eq!(one.tree, three.tree, "seed {seed}, {discounts:?}");
            let general = solve(
                &priced,
                &Params {
                    kernel: KernelChoice::General,
                    ..params
                },
                None,
            );
            assert_eq!(
                essence(&one),
                essence(&general),
                "seed {seed}, {discounts:?}"
            );
        }
    }
}

#[test]
fn deeper_trees_by_branching_are_the_same_for_any_number_of_threads() {
    for seed in 0..4 {
        for discounts in [Discounts::Shared, Discounts::Door] {
            let instance = Instance::draw(seed, 40, 2, discounts);
            let priced = instance.priced();
            let params = Params {
                max_depth: 4,
                max_nodes: Some(9),
                kernel: KernelChoice::General,
                ..Params::default()
            };
            let one = solve(&priced, &params, None);
            let three = on_three_threads(&priced, &params);
            assert_eq!(one.tree, three.tree, "seed {seed}, {discounts:?}");
            assert_eq!(essence(&one), essence(&three));
            let shallower = solve(
                &priced,
                &Params {
                    max_depth: 3,
                    ..params
                },
                None,
            );
            assert!(one.objective <= shallower.objective);
        }
    }
}

#[test]
fn a_stopped_search_has_a_tree_and_a_valid_bound() {
    let priced = Instance::draw(5, 400, 2, Discounts::Shared).priced();
    let general = Params {
        max_depth: 4,
        kernel: KernelChoice::General,
        ..Params::default()
    };
    let boxes = Params {
        kernel: KernelChoice::Cube,
        ..general.clone()
    };
    let best = solve(&priced, &general, None);
    for params in [general, boxes] {
        for microseconds in [0, 300, 3000, 30_000] {
            for n_threads in [1, 2] {
                let limit = Duration::from_micros(microseconds);
                let stopped = solve(
                    &priced,
                    &Params {
                        n_threads,
                        ..params.clone()
                    },
                    Some(limit),
                );
                assert!(stopped.lower_bound <= best.objective);
                assert!(stopped.objective >= best.objective);
            }
        }
    }
}

/// Two features of one group: testing the second, for 2, saves 4 of the first one's 5.
fn with_a_door() -> Priced {
    let price = |full, discounted| Price {
        full,
        discounted,
        group: Some(0),
    };
    let column = |shift: usize| Column {
        kind: Kind::Ordered,
        codes: (0..8).map(|row| ((row >> shift) % 2) as u8).collect(),
        n_codes: 2,
        n_splits: 1,
    };
    let instance = Instance {
        table: Table::new(8, vec![column(0), column(1)]).expect("columns of equal length"),
        classes: (0..8).map(|row| row % 2).collect(),
        weights: None,
        n_labels: 2,
        tariff: Tariff {
            prices: vec![price(5.0, 1.0), price(2.0, 0.0)],
            feature_of_column: vec![0, 1],
        },
    };
    instance.priced()
}

#[test]
fn a_door_saves_until_it_is_open() {
    let priced = with_a_door();
    let mut paid = Paid::nothing(&priced);
    let factor = |amount: f64| {
        let distinct = [1.0, 2.0, 5.0];
        let at = distinct.iter().position(|&known| known == amount);
        at.map_or(0, |at| priced.amounts.amounts[at].factor)
    };
    assert_eq!(paid.doors(0).count(), 1);
    assert_eq!(paid.best_door(), factor(5.0) - factor(2.0) - factor(1.0));
    assert!(paid.push(1));
    assert_eq!(paid.doors(0).count(), 0);
    assert_eq!(paid.best_door(), 0);
}

#[test]
fn boxes_that_carry_weights_take_more_memory() {
    let priced = with_a_door();
    let params = Params::default();
    let plan = |extra| Plan::below(&priced.problem, &params, 1 << 40, extra).expect("some splits");
    assert!(plan(1).bytes > plan(0).bytes);
    let limited = |bytes| Params {
        memory_limit: Some(bytes),
        ..Params::default()
    };
    assert!(plan(1).exceeds_memory(&limited(1)) && !plan(1).exceeds_memory(&limited(1 << 30)));
}
