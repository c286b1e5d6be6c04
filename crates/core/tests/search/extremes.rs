//! The edges of what is allowed.

use certitree_core::search::{Control, Params, Quiet, search};
use certitree_core::tree::TreeNode;

use crate::check::{KERNELS, solve, tolerance};
use crate::instance::{Instance, Statement, nominal, ordered};
use crate::sampling::{Random, planted};

fn classes(labels: &[i32]) -> Statement {
    Statement::Classes {
        labels: labels.to_vec(),
        weights: None,
    }
}

fn depth(max_depth: u32) -> Params {
    Params {
        max_depth,
        ..Params::default()
    }
}

/// Solve at several depths with every kernel; the objective must be the same in all.
fn objective(instance: &Instance, depths: &[u32]) -> f64 {
    let problem = instance.problem(true).expect("the instance is valid");
    let mut all = Vec::new();
    for &max_depth in depths {
        for kernel in KERNELS {
            all.push(
                solve(
                    instance,
                    &problem,
                    &Params {
                        kernel,
                        ..depth(max_depth)
                    },
                )
                .objective,
            );
        }
    }
    let slack = tolerance(instance, &problem);
    assert!(
        all.iter().all(|found| (found - all[0]).abs() <= slack),
        "{all:?}"
    );
    all[0]
}

#[test]
fn one_row() {
    let instance = Instance::new(vec![ordered(vec![1], 3)], 1, 2, classes(&[1]));
    let problem = instance.problem(true).expect("the instance is valid");
    for max_depth in [0, 1, 3, 16] {
        let outcome = solve(&instance, &problem, &depth(max_depth));
        assert_eq!(outcome.tree.nodes, [TreeNode::Leaf { label: 1 }]);
        assert_eq!(outcome.objective, 0.0);
    }
}

#[test]
fn no_columns_and_no_candidates() {
    let labels = [0, 1, 1, 2];
    let bare = Instance::new(Vec::new(), 4, 3, classes(&labels));
    assert_eq!(objective(&bare, &[0, 1, 2, 3, 4]), 2.0);
    let column = ordered(vec![0, 1, 2, 3], 4);
    let unused = Instance {
        keep: Vec::new(),
        ..Instance::new(vec![column], 4, 3, classes(&labels))
    };
    assert_eq!(objective(&unused, &[0, 1, 2, 3, 4]), 2.0);
}

#[test]
fn one_label_with_costs_and_a_leaf_minimum() {
    let column = ordered(vec![0, 1, 2, 3], 4);
    let statement = Statement::Costs {
        costs: vec![1.0, 2.0, 3.0, 4.5],
        weights: None,
    };
    let instance = Instance::new(vec![column], 4, 1, statement);
    assert_eq!(objective(&instance, &[0, 1, 2, 3, 4]), 10.5);
    let problem = instance.problem(true).expect("the instance is valid");
    for kernel in KERNELS {
        for min_samples_leaf in [2, 100, 40_000, u32::MAX] {
            let outcome = solve(
                &instance,
                &problem,
                &Params {
                    min_samples_leaf,
                    kernel,
                    ..depth(3)
                },
            );
            assert_eq!(outcome.objective, 10.5);
            assert_eq!(outcome.tree.n_branching(), 0);
        }
    }
}

/// No leaf can hold that many records, nor can the narrow lanes of a small table hold their number.
#[test]
fn a_leaf_minimum_beyond_all_records() {
    let instance = planted(60, &[(5, false), (3, true), (2, false)], 2, 0.3, 72);
    let problem = instance.problem(true).expect("the instance is valid");
    let constant = solve(&instance, &problem, &depth(0)).objective;
    for min_samples_leaf in [31, 61, 32_768, 40_000, 100_000, u32::MAX] {
        for (kernel, max_depth) in KERNELS
            .into_iter()
            .flat_map(|k| [1, 2, 3, 4].map(|d| (k, d)))
        {
            let params = Params {
                min_samples_leaf,
                kernel,
                ..depth(max_depth)
            };
            let outcome = solve(&instance, &problem, &params);
            assert_eq!(outcome.tree.n_branching(), 0, "{params:?}");
            assert_eq!(outcome.objective, constant);
        }
    }
}

#[test]
fn costs_of_zero() {
    let column = ordered(vec![0, 1, 2, 3], 4);
    let statement = Statement::Costs {
        costs: vec![0.0; 12],
        weights: None,
    };
    let instance = Instance::new(vec![column], 4, 3, statement);
    assert_eq!(objective(&instance, &[0, 1, 2, 3, 4]), 0.0);
}

#[test]
fn no_record_of_positive_weight_is_an_error() {
    let statement = Statement::Classes {
        labels: vec![0, 1],
        weights: Some(vec![0.0, 0.0]),
    };
    let instance = Instance::new(vec![ordered(vec![0, 1], 2)], 2, 2, statement);
    let message = instance
        .problem(true)
        .expect_err("nothing takes part")
        .to_string();
    assert!(
        message.contains("no record has a positive weight"),
        "{message}"
    );
}

/// Labels alternate, so that every split of a column matters; depth two on it is easy to check by hand.
#[test]
fn columns_of_255_and_256_splits() {
    let n = 512;
    let codes: Vec<u8> = (0..n).map(|row| (row % 256) as u8).collect();
    let labels: Vec<i32> = codes
        .iter()
        .map(|&code| i32::from((64..192).contains(&code)))
        .collect();
    let thresholds = Instance::new(vec![ordered(codes.clone(), 256)], n, 2, classes(&labels));
    assert_eq!(objective(&thresholds, &[2, 3, 4]), 0.0);
    assert_eq!(objective(&thresholds, &[1]), 128.0);
    let labels: Vec<i32> = codes
        .iter()
        .map(|&code| i32::from([3, 200, 255].contains(&code)))
        .collect();
    let categories = Instance::new(
        vec![nominal(codes.clone(), 256, false)],
        n,
        2,
        classes(&labels),
    );
    assert_eq!(objective(&categories, &[3, 4]), 0.0);
    assert_eq!(objective(&categories, &[2]), 2.0);
    let others = Instance::new(vec![nominal(codes, 256, true)], n, 2, classes(&labels));
    // Category 255 has no split of its own.
    assert_eq!(objective(&others, &[2, 3]), 2.0);
}

#[test]
fn six_hundred_splits() {
    let form = [(201, false), (201, false), (201, false)];
    let instance = planted(603, &form, 2, 0.0, 71);
    let problem = instance.problem(true).expect("the instance is valid");
    let outcomes = KERNELS[..4]
        .iter()
        .map(|&kernel| solve(&instance, &problem, &Params { kernel, ..depth(3) }));
    for outcome in outcomes {
        assert_eq!(outcome.objective, 0.0, "the planted tree is found");
        assert!(outcome.tree.n_branching() <= 7);
    }
}

#[test]
fn the_deepest_trees() {
    // Parity of four bits needs depth four and fifteen nodes; more depth must not help or hurt.
    let rows: Vec<u8> = (0..16).collect();
    let columns = (0..4)
        .map(|bit| ordered(rows.iter().map(|row| row >> bit & 1).collect(), 2))
        .collect();
    let labels: Vec<i32> = rows
        .iter()
        .map(|row| (row.count_ones() % 2) as i32)
        .collect();
    let instance = Instance::new(columns, 16, 2, classes(&labels));
    assert_eq!(objective(&instance, &[4, 5, 9, 16]), 0.0);
    let problem = instance.problem(true).expect("the instance is valid");
    for kernel in KERNELS {
        let outcome = solve(
            &instance,
            &problem,
            &Params {
                kernel,
                ..depth(16)
            },
        );
        assert_eq!(outcome.tree.n_branching(), 15);
        let fewer = Params {
            kernel,
            max_nodes: Some(14),
            ..depth(16)
        };
        assert_eq!(solve(&instance, &problem, &fewer).objective, 1.0);
    }
    // A chain: alternating labels along one column of seventeen codes.
    let labels: Vec<i32> = (0..17).map(|row| row % 2).collect();
    let codes = (0..17).collect();
    let chain = Instance::new(vec![ordered(codes, 17)], 17, 2, classes(&labels));
    assert_eq!(objective(&chain, &[5, 16]), 0.0);
}

#[test]
fn weights_of_any_magnitude() {
    let form = [(5, false), (3, true), (2, false)];
    let mut random = Random::new(81);
    for (low, high) in [
        (1e15, 1e15),
        (1e-12, 1e-12),
        (1e-12, 1e15),
        (1e-300, 1e-300),
        (1e290, 1e300),
    ] {
        let mut instance = planted(60, &form, 3, 0.3, 82);
        let Statement::Classes { weights, .. } = &mut instance.statement else {
            unreachable!("planted")
        };
        let weight = |_| (1.0 + random.real()) * if random.below(2) == 0 { low } else { high };
        *weights = Some((0..60).map(weight).collect());
        let least = objective(&instance, &[3]);
        assert!(least.is_finite() && least >= 0.0, "{least}");
        assert!(objective(&instance, &[4]) <= least * (1.0 + 1e-9));
    }
}

#[test]
fn whole_weights_too_large_for_exact_sums() {
    let weights = vec![1e15, 3e15, 2e15, 7e15];
    let statement = Statement::Classes {
        labels: vec![0, 1, 0, 1],
        weights: Some(weights),
    };
    let instance = Instance::new(vec![ordered(vec![0, 0, 1, 1], 2)], 4, 2, statement);
    assert_eq!(objective(&instance, &[1, 2, 3]), 3e15);
}

/// A price that exceeds a part of the real-valued costs must not be cut down to it.
#[test]
fn a_penalty_counts_in_full_beside_real_costs() {
    let weights = vec![0.123_456_7, 5.432_1, 7.1, 3.3];
    let statement = Statement::Classes {
        labels: vec![0, 1, 0, 1],
        weights: Some(weights),
    };
    let instance = Instance::new(vec![ordered(vec![0, 1, 2, 3], 4)], 4, 2, statement);
    let problem = instance.problem(true).expect("the instance is valid");
    for (node_penalty, nodes) in [(0.1, 3), (0.2, 2), (2.0, 2), (3.4, 1), (3.9, 0), (1e300, 0)] {
        for kernel in KERNELS {
            let params = Params {
                node_penalty,
                kernel,
                ..depth(3)
            };
            let outcome = solve(&instance, &problem, &params);
            assert_eq!(outcome.tree.n_branching(), nodes, "{node_penalty}");
        }
    }
}

#[test]
fn costs_beyond_a_finite_sum_are_refused() {
    let statement = Statement::Classes {
        labels: vec![0, 1],
        weights: Some(vec![1e308, 1.7e308]),
    };
    let instance = Instance::new(vec![ordered(vec![0, 1], 2)], 2, 2, statement);
    let message = instance
        .problem(true)
        .expect_err("the sum overflows")
        .to_string();
    assert!(
        message.contains("finite") && message.contains("scale"),
        "{message}"
    );
}

#[test]
fn parameters_out_of_range_are_refused() {
    let instance = Instance::new(vec![ordered(vec![0, 1], 2)], 2, 2, classes(&[0, 1]));
    let problem = instance.problem(true).expect("the instance is valid");
    for (params, word) in [
        (depth(17), "max_depth"),
        (
            Params {
                min_samples_leaf: 0,
                ..depth(2)
            },
            "min_samples_leaf",
        ),
        (
            Params {
                node_penalty: -1.0,
                ..depth(2)
            },
            "penalty",
        ),
        (
            Params {
                node_penalty: f64::NAN,
                ..depth(2)
            },
            "penalty",
        ),
        (
            Params {
                n_threads: 0,
                ..depth(2)
            },
            "n_threads",
        ),
    ] {
        let refused = search(&problem, &params, &Control::new(None), &mut Quiet);
        let message = refused.expect_err("out of range").to_string();
        assert!(message.contains(word), "{message}");
    }
}
