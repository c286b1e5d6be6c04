//! Medium instances: no twin can solve them, but all configurations must agree.

use certitree_core::search::{Bounds, KernelChoice, Params};

use crate::check::{KERNELS, bound_sets, solve, tolerance};
use crate::instance::{Instance, Statement};
use crate::sampling::{Random, planted};

/// Objective and number of branching nodes must be the same in all configurations; the tree in all thread counts.
fn all_agree(instance: &Instance, limits: &Params, configurations: &[(KernelChoice, Bounds)]) {
    let mut expected: Option<(f64, usize)> = None;
    for &(kernel, bounds) in configurations {
        let problem = instance.problem(true).expect("instances are valid");
        let mut first = None;
        for n_threads in 1..=3 {
            let params = Params {
                kernel,
                bounds,
                n_threads,
                ..limits.clone()
            };
            let outcome = solve(instance, &problem, &params);
            let result = (outcome.objective, outcome.tree.n_branching());
            assert_eq!(*expected.get_or_insert(result), result, "{params:?}");
            let first = first.get_or_insert_with(|| outcome.tree.clone());
            assert_eq!(*first, outcome.tree, "threads change the tree: {params:?}");
        }
    }
}

/// Every kernel with all bounds, and every choice of bounds with the general one.
fn kernels_and_bounds() -> Vec<(KernelChoice, Bounds)> {
    let kernels = KERNELS.map(|kernel| (kernel, Bounds::default()));
    kernels
        .into_iter()
        .chain(bound_sets().into_iter().map(|b| (KernelChoice::General, b)))
        .collect()
}

/// Kernels with a pair table, and every choice of bounds.
fn tables_and_bounds() -> Vec<(KernelChoice, Bounds)> {
    let mut all = kernels_and_bounds();
    all.retain(|(kernel, _)| *kernel != KernelChoice::Recursive);
    all
}

fn depth(max_depth: u32) -> Params {
    Params {
        max_depth,
        ..Params::default()
    }
}

#[test]
fn depth_three_on_ordered_columns() {
    let form = [
        (17, false),
        (9, false),
        (12, false),
        (2, false),
        (2, false),
        (14, false),
    ];
    all_agree(
        &planted(1_500, &form, 2, 0.2, 11),
        &depth(3),
        &kernels_and_bounds(),
    );
}

#[test]
fn depth_three_on_mixed_columns_with_four_labels() {
    let form = [
        (9, true),
        (2, false),
        (12, false),
        (5, true),
        (2, false),
        (3, true),
        (8, false),
    ];
    all_agree(
        &planted(900, &form, 4, 0.3, 12),
        &depth(3),
        &kernels_and_bounds(),
    );
}

#[test]
fn depth_three_with_a_leaf_minimum() {
    let form = [(11, false), (6, true), (12, false), (2, false), (7, false)];
    let limits = Params {
        min_samples_leaf: 25,
        ..depth(3)
    };
    all_agree(
        &planted(400, &form, 3, 0.3, 13),
        &limits,
        &kernels_and_bounds(),
    );
}

#[test]
fn depth_four_on_ordered_columns() {
    let form = [(9, false), (7, false), (2, false), (6, false)];
    all_agree(
        &planted(600, &form, 2, 0.15, 14),
        &depth(4),
        &kernels_and_bounds(),
    );
}

#[test]
fn depth_four_on_binary_columns() {
    let form = [(2, false); 12];
    all_agree(
        &planted(800, &form, 3, 0.2, 15),
        &depth(4),
        &kernels_and_bounds(),
    );
}

#[test]
fn depth_four_with_budget_and_penalty() {
    let form = [(6, false), (4, true), (2, false), (7, false), (3, true)];
    let instance = planted(500, &form, 3, 0.25, 16);
    for (max_nodes, node_penalty) in [(Some(5), 0.0), (Some(9), 1.0), (None, 2.5), (Some(7), 0.3)] {
        all_agree(
            &instance,
            &Params {
                max_nodes,
                node_penalty,
                ..depth(4)
            },
            &kernels_and_bounds(),
        );
    }
}

#[test]
fn depth_four_with_a_leaf_minimum_and_budget() {
    let form = [(6, false), (4, true), (2, false), (5, false)];
    let limits = Params {
        min_samples_leaf: 8,
        max_nodes: Some(8),
        ..depth(4)
    };
    all_agree(
        &planted(250, &form, 2, 0.25, 17),
        &limits,
        &kernels_and_bounds(),
    );
}

#[test]
fn depth_five_on_few_splits() {
    let form = [(5, false), (2, false), (4, true), (2, false), (3, false)];
    all_agree(
        &planted(300, &form, 2, 0.25, 18),
        &depth(5),
        &tables_and_bounds(),
    );
}

/// Noise on many thresholds: bounds prune a lot, and a bound that is a little too high loses the best tree.
#[test]
fn bounds_lose_nothing_on_noise() {
    let off = *bound_sets().last().expect("there are some");
    let configurations = [
        (KernelChoice::Recursive, off),
        (KernelChoice::Auto, Bounds::default()),
        (KernelChoice::General, Bounds::default()),
        (KernelChoice::Recursive, Bounds::default()),
        (
            KernelChoice::Histogram,
            Bounds {
                similarity: false,
                ..Bounds::default()
            },
        ),
        (
            KernelChoice::Histogram,
            Bounds {
                neighbour: false,
                ..Bounds::default()
            },
        ),
    ];
    for seed in 0..40 {
        let form = [(9, false), (7, seed % 3 == 0), (6, false), (2, false)];
        let n_labels = 2 + seed as usize % 2;
        let instance = planted(60, &form, n_labels, 1.0, 1_000 + seed);
        let problem = instance.problem(true).expect("instances are valid");
        let max_nodes = [None, Some(6), Some(10)][seed as usize % 3];
        let results = configurations.map(|(kernel, bounds)| {
            let params = Params {
                kernel,
                bounds,
                max_nodes,
                ..depth(4)
            };
            let outcome = solve(&instance, &problem, &params);
            (outcome.objective, outcome.tree.n_branching())
        });
        assert!(
            results.iter().all(|result| *result == results[0]),
            "seed {seed}: {results:?}"
        );
    }
}

/// The same tree problem in 16, 32 and 64-bit lanes: the weights of the wider ones are large multiples.
#[test]
fn wide_lanes_agree_with_narrow_ones() {
    let form = [(9, false), (4, true), (2, false), (12, false), (2, false)];
    for (n_labels, min_samples_leaf, seed) in [(2, 1, 21), (3, 1, 22), (2, 9, 23), (3, 9, 24)] {
        let narrow = planted(300, &form, n_labels, 0.25, seed);
        // One record more, far from mattering, keeps the core from dividing the common factor out.
        let spoilt = |factor: f64| {
            let mut wide = narrow.scaled(factor);
            let Statement::Classes {
                weights: Some(weights),
                ..
            } = &mut wide.statement
            else {
                unreachable!("scaled classes have weights")
            };
            weights[0] += 1.0;
            wide
        };
        for kernel in KERNELS {
            let params = Params {
                kernel,
                min_samples_leaf,
                ..depth(3)
            };
            let problem = narrow.problem(true).expect("instances are valid");
            let expected = solve(&narrow, &problem, &params);
            for factor in [200.0, 3e3, 1e4, 1e7, 1e9] {
                let wide = spoilt(factor);
                let problem = wide.problem(true).expect("instances are valid");
                let found = solve(&wide, &problem, &params);
                let ratio = found.objective / factor;
                assert!(
                    (ratio - expected.objective).abs() < 1.5 / factor + 1e-9,
                    "{factor} {params:?}"
                );
            }
        }
    }
}

/// Real weights agree across lanes of 64 bits and kernels, and stay within rounding of a weight of their own.
#[test]
fn real_weights_agree_in_all_configurations() {
    let form = [(9, false), (4, true), (2, false), (12, false), (2, false)];
    let mut random = Random::new(31);
    let mut instance = planted(400, &form, 3, 0.25, 25);
    let Statement::Classes { weights, .. } = &mut instance.statement else {
        unreachable!("planted")
    };
    *weights = Some((0..400).map(|_| random.real() * 3.0).collect());
    all_agree(&instance, &depth(3), &kernels_and_bounds());
    let penalised = Params {
        node_penalty: 2.0,
        max_nodes: Some(6),
        ..depth(4)
    };
    all_agree(&instance, &penalised, &tables_and_bounds());
}

#[test]
fn merging_changes_nothing() {
    let form = [(3, false), (2, false), (4, true), (2, false), (5, false)];
    for (seed, max_depth) in [(41, 3), (42, 4)] {
        let instance = planted(700, &form, 3, 0.3, seed);
        let merged = instance.problem(true).expect("instances are valid");
        let single = instance.problem(false).expect("instances are valid");
        assert!(merged.n_rows() < single.n_rows());
        for kernel in KERNELS {
            let params = Params {
                kernel,
                ..depth(max_depth)
            };
            let (a, b) = (
                solve(&instance, &merged, &params),
                solve(&instance, &single, &params),
            );
            assert!((a.objective - b.objective).abs() <= tolerance(&instance, &merged));
            assert_eq!(a.tree.n_branching(), b.tree.n_branching());
        }
    }
}
