//! The cube solver against the general search: same objective, same number of branching nodes, on random small problems.

use std::time::Duration;

use certitree_core::problem::{Problem, ProblemColumn};
use certitree_core::search::{Control, KernelChoice, Outcome, Params, Quiet, Status, search};
use certitree_core::table::{Kind, SplitRef};
use proptest::prelude::*;

/// Kind, number of codes, and for a nominal column whether its last code has no split.
fn columns() -> impl Strategy<Value = Vec<ProblemColumn>> {
    let column = prop_oneof![
        (2_usize..7).prop_map(|n_codes| (Kind::Ordered, n_codes, n_codes - 1)),
        (2_usize..6).prop_map(|n_codes| (Kind::Nominal, n_codes, n_codes)),
        (2_usize..6).prop_map(|n_codes| (Kind::Nominal, n_codes, n_codes - 1)),
    ];
    prop::collection::vec(column, 1..5).prop_map(|columns| {
        columns
            .into_iter()
            .enumerate()
            .map(|(c, (kind, n_codes, n_splits))| ProblemColumn {
                kind,
                n_codes,
                n_splits,
                origin: (0..n_splits as u32)
                    .map(|split| SplitRef {
                        column: c as u32,
                        split,
                    })
                    .collect(),
            })
            .collect()
    })
}

fn problems() -> impl Strategy<Value = Problem> {
    (columns(), 2_usize..5, 1_usize..60).prop_flat_map(|(columns, n_labels, n_rows)| {
        let codes: Vec<_> = (0..n_rows)
            .flat_map(|_| columns.iter().map(|column| 0..column.n_codes as u8))
            .collect();
        let costs = prop::collection::vec(0_i64..12, n_rows * n_labels);
        let counts = prop::collection::vec(1_u32..5, n_rows);
        (codes, costs, counts, Just(columns)).prop_map(move |(codes, costs, counts, columns)| {
            Problem {
                n_records: counts.iter().sum::<u32>() as usize,
                columns,
                codes,
                costs,
                counts,
                n_labels,
                unit: 1.0,
                n_unique_labelled: n_rows,
            }
        })
    })
}

fn parameters() -> impl Strategy<Value = Params> {
    let penalty = prop_oneof![Just(0.0), Just(0.5), Just(1.0), Just(2.75)];
    (
        0_u32..6,
        prop::option::of(0_u32..12),
        1_u32..8,
        penalty,
        1_usize..3,
    )
        .prop_map(
            |(max_depth, max_nodes, min_samples_leaf, node_penalty, n_threads)| Params {
                max_depth,
                max_nodes,
                min_samples_leaf,
                node_penalty,
                n_threads,
                ..Params::default()
            },
        )
}

fn solve(problem: &Problem, params: &Params, kernel: KernelChoice) -> Outcome {
    let params = Params {
        kernel,
        ..params.clone()
    };
    search(problem, &params, &Control::new(None), &mut Quiet).expect("parameters are in range")
}

/// A table large enough for several threads and for listing rows before grids are filled.
fn wide(n_columns: usize, n_codes: usize, n_rows: usize) -> Problem {
    let mut state = 7_u64;
    let mut draw = |below: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let columns: Vec<ProblemColumn> = (0..n_columns)
        .map(|c| ProblemColumn {
            kind: if c % 3 == 2 {
                Kind::Nominal
            } else {
                Kind::Ordered
            },
            n_codes,
            n_splits: n_codes - 1,
            origin: (0..n_codes as u32 - 1)
                .map(|split| SplitRef {
                    column: c as u32,
                    split,
                })
                .collect(),
        })
        .collect();
    Problem {
        columns,
        codes: (0..n_rows * n_columns)
            .map(|_| draw(n_codes) as u8)
            .collect(),
        costs: (0..n_rows * 3).map(|_| draw(9) as i64).collect(),
        counts: (0..n_rows).map(|_| 1 + draw(3) as u32).collect(),
        n_labels: 3,
        unit: 0.5,
        n_records: n_rows,
        n_unique_labelled: n_rows,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn same_answers_as_the_general_search(problem in problems(), params in parameters()) {
        let general = solve(&problem, &params, KernelChoice::General);
        let cube = solve(&problem, &params, KernelChoice::Cube);
        prop_assert_eq!(cube.status, Status::Optimal);
        prop_assert_eq!(general.status, Status::Optimal);
        prop_assert_eq!(cube.objective, general.objective);
        prop_assert_eq!(cube.lower_bound, general.lower_bound);
        prop_assert_eq!(cube.tree.n_branching(), general.tree.n_branching());
    }
}

#[test]
fn same_answers_where_rows_are_listed_and_threads_share_the_work() {
    let problem = wide(9, 5, 300);
    for (max_depth, max_nodes, min_samples_leaf) in [(3, None, 1), (4, Some(6), 5), (4, None, 1)] {
        let params = Params {
            max_depth,
            max_nodes,
            min_samples_leaf,
            ..Params::default()
        };
        let general = solve(&problem, &params, KernelChoice::General);
        let cube = solve(&problem, &params, KernelChoice::Cube);
        assert!(cube.stats.boxes > 0);
        assert_eq!(cube.objective, general.objective);
        assert_eq!(cube.tree.n_branching(), general.tree.n_branching());
        let threads = Params {
            n_threads: 3,
            ..params
        };
        assert_eq!(
            solve(&problem, &threads, KernelChoice::Cube).tree,
            cube.tree
        );
    }
}

#[test]
fn the_choice_is_free_only_where_the_cube_is_cheaper() {
    let small = wide(4, 5, 300);
    let params = Params {
        max_depth: 4,
        ..Params::default()
    };
    assert!(solve(&small, &params, KernelChoice::Auto).stats.boxes > 0);
    assert_eq!(solve(&small, &params, KernelChoice::General).stats.boxes, 0);
    let scarce = Params {
        memory_limit: Some(20_000),
        ..params
    };
    assert_eq!(solve(&small, &scarce, KernelChoice::Auto).stats.boxes, 0);
}

#[test]
fn limits_leave_a_tree_and_a_valid_bound() {
    let problem = wide(9, 5, 300);
    let params = Params {
        max_depth: 6,
        kernel: KernelChoice::Cube,
        ..Params::default()
    };
    let control = Control::new(Some(Duration::from_millis(20)));
    let late = search(&problem, &params, &control, &mut Quiet).expect("parameters are in range");
    assert_eq!(late.status, Status::TimeLimit);
    assert!(late.lower_bound <= late.objective);
    let leaf = solve(
        &problem,
        &Params {
            max_depth: 0,
            ..params.clone()
        },
        KernelChoice::General,
    );
    assert!(late.objective < leaf.objective);
    let scarce = Params {
        memory_limit: Some(1_000_000),
        ..params
    };
    let outcome = solve(&problem, &scarce, KernelChoice::Cube);
    assert_eq!(outcome.status, Status::MemoryLimit);
    assert!(outcome.lower_bound <= outcome.objective);
}
