//! Tiny instances: every configuration finds what the exhaustive twin finds.

use certitree_core::search::{Bounds, Params};
use proptest::prelude::*;

use crate::brute_force::{Best, best_tree};
use crate::check::{ALL_KERNELS, bound_sets, solve, tolerance};
use crate::instance::Instance;
use crate::sampling::{Random, limits, planted, settings, tiny};

/// Penalties are drawn as multiples of a typical cost, so that they matter whatever the magnitude.
fn with_typical_penalty(instance: &Instance, params: &Params) -> Params {
    let costs: Vec<f64> = instance
        .present()
        .iter()
        .map(|&record| {
            (0..instance.n_labels)
                .map(|l| instance.cost(record, l))
                .fold(0.0, f64::max)
        })
        .filter(|&cost| cost > 0.0)
        .collect();
    let typical = costs.first().copied().unwrap_or(1.0);
    Params {
        node_penalty: params.node_penalty * typical,
        ..params.clone()
    }
}

/// Solve with one configuration and compare.
fn compare(
    instance: &Instance,
    params: &Params,
    aggregate: bool,
    best: &Best,
) -> Result<(), TestCaseError> {
    let problem = instance.problem(aggregate).expect("instances are valid");
    let outcome = solve(instance, &problem, params);
    let slack = tolerance(instance, &problem);
    let (found, nodes) = (outcome.objective, outcome.tree.n_branching());
    let least = best.objective;
    prop_assert!(
        (found - least).abs() <= slack,
        "found {found}, best is {least}: {params:?}"
    );
    // Where costs are rounded, a penalty that buys exactly its worth may fall either way.
    let rounded = problem.unit != 1.0 && params.node_penalty > 0.0;
    let fewest = if rounded {
        best.nodes.contains(&nodes)
    } else {
        best.nodes[0] == nodes
    };
    prop_assert!(
        fewest,
        "{nodes} nodes at cost {found}, not {:?}: {params:?}",
        best.nodes
    );
    Ok(())
}

proptest! {
    #![proptest_config(settings(2_000, 1))]

    #[test]
    fn every_kernel_finds_the_best_tree(
        instance in tiny(14, 4), params in limits(), aggregate: bool,
    ) {
        let params = with_typical_penalty(&instance, &params);
        let problem = instance.problem(aggregate).expect("instances are valid");
        let best = best_tree(&instance, &params, tolerance(&instance, &problem));
        for kernel in ALL_KERNELS {
            compare(&instance, &Params { kernel, ..params.clone() }, aggregate, &best)?;
        }
    }
}

proptest! {
    #![proptest_config(settings(2_000, 2))]

    #[test]
    fn budgets_and_penalties_share_nodes_out_rightly(
        instance in tiny(14, 3), max_depth in 2..5_u32, max_nodes in 0..8_u32,
        kernel in prop::sample::select(ALL_KERNELS.to_vec()),
        penalty in prop_oneof![2 => Just(0.0), 1 => Just(0.5), 1 => Just(1.0), 1 => Just(1.5)],
    ) {
        let params = Params { max_depth, max_nodes: Some(max_nodes), kernel, ..Params::default() };
        let params = with_typical_penalty(&instance, &Params { node_penalty: penalty, ..params });
        let problem = instance.problem(true).expect("instances are valid");
        let best = best_tree(&instance, &params, tolerance(&instance, &problem));
        compare(&instance, &params, true, &best)?;
    }
}

proptest! {
    #![proptest_config(settings(150, 3))]

    #[test]
    fn every_configuration_finds_the_best_tree(instance in tiny(14, 4), params in limits()) {
        let params = with_typical_penalty(&instance, &params);
        let problem = instance.problem(true).expect("instances are valid");
        let best = best_tree(&instance, &params, tolerance(&instance, &problem));
        for kernel in ALL_KERNELS {
            for bounds in bound_sets() {
                for aggregate in [true, false] {
                    let problem = instance.problem(aggregate).expect("instances are valid");
                    let mut first = None;
                    for n_threads in 1..=3 {
                        let params = Params { kernel, bounds, n_threads, ..params.clone() };
                        compare(&instance, &params, aggregate, &best)?;
                        let tree = solve(&instance, &problem, &params).tree;
                        let first = first.get_or_insert_with(|| tree.clone());
                        prop_assert_eq!(&*first, &tree, "threads change the tree: {:?}", params);
                    }
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(settings(500, 4))]

    #[test]
    fn a_leaf_minimum_is_met_at_any_size(
        instance in tiny(14, 4), max_depth in 1..5_u32, least in 1..20_u32, aggregate: bool,
    ) {
        for kernel in ALL_KERNELS {
            let params = Params { max_depth, min_samples_leaf: least, kernel, ..Params::default() };
            let problem = instance.problem(aggregate).expect("instances are valid");
            let best = best_tree(&instance, &params, tolerance(&instance, &problem));
            compare(&instance, &params, aggregate, &best)?;
        }
    }
}

/// On tiny or orderly instances the warm start is the best tree already, and nothing that the search does wrong would show.
/// These are larger, and nothing but noise.
#[test]
fn the_search_finds_what_the_warm_start_misses() {
    let off = *bound_sets().last().expect("there are some");
    let mut missed = 0;
    for seed in 0..400 {
        let mut random = Random::new(seed);
        let form: Vec<(usize, bool)> = (0..3 + random.below(2))
            .map(|_| (2 + random.below(5), random.below(4) == 0))
            .collect();
        let instance = planted(18 + random.below(8), &form, 2 + random.below(2), 1.0, seed);
        let problem = instance.problem(true).expect("instances are valid");
        let max_depth = 3 + u32::from(seed % 4 == 0);
        let params = Params {
            max_depth,
            max_nodes: (random.below(2) == 0).then(|| 3 + random.below(5) as u32),
            min_samples_leaf: [1, 1, 2, 3, 4][random.below(5)],
            node_penalty: [0.0, 0.0, 0.5, 1.0][random.below(4)],
            ..Params::default()
        };
        let best = best_tree(&instance, &params, 1e-9);
        for kernel in ALL_KERNELS {
            for bounds in [Bounds::default(), off] {
                let params = Params {
                    kernel,
                    bounds,
                    ..params.clone()
                };
                let outcome = solve(&instance, &problem, &params);
                let found = (outcome.objective, outcome.tree.n_branching());
                assert_eq!(
                    found,
                    (best.objective, best.nodes[0]),
                    "seed {seed}: {params:?}"
                );
                missed += usize::from(outcome.warm_start_objective > outcome.objective);
            }
        }
    }
    assert!(
        missed > 1_200,
        "the warm start was best in all but {missed} of 4,800 searches"
    );
}
