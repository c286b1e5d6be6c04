//! Searches that are cut short: whatever they return is true.

use std::time::Duration;

use certitree_core::search::{Control, KernelChoice, Outcome, Params, Quiet, Status, Stop, search};
use proptest::prelude::*;

use crate::brute_force::best_tree;
use crate::check::{ALL_KERNELS, KERNELS, solve, solve_until, tolerance};
use crate::instance::Instance;
use crate::sampling::{limits, planted, settings, tiny};

const NO_TIME: Option<Duration> = Some(Duration::ZERO);

/// The bounds hold around the true optimum, and only a closed gap counts as proof.
fn check_certificate(outcome: &Outcome, best: f64, slack: f64, stopped: Status) {
    assert!(
        outcome.lower_bound <= best + slack,
        "bound above the optimum {best}: {outcome:?}"
    );
    assert!(
        best <= outcome.objective + slack,
        "objective below the optimum {best}: {outcome:?}"
    );
    match outcome.status {
        Status::Optimal => assert!(
            (outcome.objective - best).abs() <= slack,
            "{best} {outcome:?}"
        ),
        status => assert_eq!(status, stopped),
    }
}

proptest! {
    #![proptest_config(settings(400, 51))]

    #[test]
    fn bounds_hold_when_there_is_no_time(instance in tiny(14, 4), params in limits()) {
        let problem = instance.problem(true).expect("instances are valid");
        let slack = tolerance(&instance, &problem);
        let best = best_tree(&instance, &params, slack);
        for kernel in ALL_KERNELS {
            for n_threads in [1, 3] {
                let params = Params { kernel, n_threads, ..params.clone() };
                let (outcome, _) = solve_until(&instance, &problem, &params, NO_TIME, None);
                check_certificate(&outcome, best.objective, slack, Status::TimeLimit);
            }
        }
    }

    #[test]
    fn bounds_hold_when_there_is_no_memory(instance in tiny(14, 4), params in limits()) {
        let problem = instance.problem(true).expect("instances are valid");
        let slack = tolerance(&instance, &problem);
        let best = best_tree(&instance, &params, slack);
        for bytes in [0, 1, 10_000, 100_000, 1_000_000] {
            let params = Params { memory_limit: Some(bytes), n_threads: 2, ..params.clone() };
            let (outcome, _) = solve_until(&instance, &problem, &params, None, None);
            check_certificate(&outcome, best.objective, slack, Status::MemoryLimit);
        }
    }
}

/// An instance that takes some tenths of a second, and its best objective.
fn slow() -> (Instance, Params, f64) {
    let form = [
        (9, false),
        (4, true),
        (2, false),
        (8, false),
        (2, false),
        (5, true),
    ];
    let instance = planted(1_200, &form, 3, 0.4, 61);
    let params = Params {
        max_depth: 4,
        ..Params::default()
    };
    let problem = instance.problem(true).expect("instances are valid");
    let best = solve(&instance, &problem, &params).objective;
    (instance, params, best)
}

/// Stop the search after ever larger shares of the time that it takes; returns how often it was cut short.
fn cut_short(instance: &Instance, params: &Params, cuts: u32) -> usize {
    let problem = instance.problem(true).expect("instances are valid");
    let whole = solve(instance, &problem, params);
    let (best, time) = (
        whole.objective,
        Duration::from_secs_f64(whole.seconds.iter().sum()),
    );
    let mut unproven = 0;
    for cut in 0..cuts {
        let (outcome, seen) =
            solve_until(instance, &problem, params, Some(time * cut / cuts), None);
        check_certificate(&outcome, best, 1e-9, Status::TimeLimit);
        unproven += usize::from(outcome.status == Status::TimeLimit);
        for progress in seen {
            assert!(progress.lower_bound <= best + 1e-9, "{progress:?} {best}");
            assert!(progress.objective >= best - 1e-9, "{progress:?} {best}");
        }
    }
    unproven
}

#[test]
fn bounds_hold_whenever_the_clock_stops_the_search() {
    let (instance, params, _) = slow();
    for kernel in KERNELS {
        for n_threads in [1, 2] {
            let params = Params {
                kernel,
                n_threads,
                ..params.clone()
            };
            assert!(cut_short(&instance, &params, 8) > 0, "{params:?}");
        }
    }
}

/// On noise greedy trees are not best, so that a proof claimed too early shows.
#[test]
fn bounds_hold_on_noise_whenever_the_clock_stops_the_search() {
    let mut unproven = 0;
    for seed in 0..12 {
        let form = [(9, false), (4, seed % 2 == 0), (2, false), (12, false)];
        let mixed = planted(250, &form, 2, 1.0, seed);
        let binary = planted(120, &[(2, false); 7], 2, 1.0, seed);
        for kernel in [KernelChoice::General, KernelChoice::Recursive] {
            let three = Params {
                max_depth: 3,
                kernel,
                ..Params::default()
            };
            unproven += cut_short(&mixed, &three, 10);
            let four = Params {
                max_depth: 4,
                kernel,
                ..Params::default()
            };
            unproven += cut_short(&binary, &four, 20);
        }
    }
    assert!(unproven > 100, "only {unproven} searches were cut short");
}

#[test]
fn an_observer_stops_the_search_and_is_told_the_truth() {
    let (instance, params, best) = slow();
    let problem = instance.problem(true).expect("instances are valid");
    for polls in [1, 2, 4] {
        for n_threads in [1, 2] {
            let kernel = KernelChoice::Recursive;
            let params = Params {
                kernel,
                n_threads,
                ..params.clone()
            };
            let (outcome, seen) = solve_until(&instance, &problem, &params, None, Some(polls));
            check_certificate(&outcome, best, 1e-9, Status::Interrupted);
            for progress in seen {
                assert!(progress.lower_bound <= best + 1e-9, "{progress:?} {best}");
                assert!(progress.objective >= best - 1e-9, "{progress:?} {best}");
            }
        }
    }
}

#[test]
fn progress_of_a_sweep_claims_no_proof() {
    let instance = planted(20_000, &[(120, false); 8], 4, 0.5, 62);
    let problem = instance.problem(true).expect("instances are valid");
    let params = Params {
        max_depth: 3,
        kernel: KernelChoice::General,
        ..Params::default()
    };
    let best = solve(&instance, &problem, &params).objective;
    let (_, seen) = solve_until(&instance, &problem, &params, None, None);
    assert!(!seen.is_empty(), "the search is too quick to be watched");
    for progress in seen {
        assert!(progress.lower_bound <= best + 1e-9, "{progress:?} {best}");
    }
}

#[test]
fn a_search_stopped_beforehand_returns_at_once() {
    let (instance, params, best) = slow();
    let problem = instance.problem(true).expect("instances are valid");
    for (reason, status) in [
        (Stop::Interrupt, Status::Interrupted),
        (Stop::Time, Status::TimeLimit),
        (Stop::Memory, Status::MemoryLimit),
    ] {
        let control = Control::new(None);
        control.stop(reason);
        let outcome =
            search(&problem, &params, &control, &mut Quiet).expect("parameters are in range");
        assert_eq!(outcome.status, status);
        check_certificate(&outcome, best, 1e-9, status);
    }
}

#[test]
fn little_memory_costs_time_only() {
    let form = [(7, false), (4, true), (2, false), (5, false)];
    let instance = planted(300, &form, 2, 0.3, 63);
    let problem = instance.problem(true).expect("instances are valid");
    let params = Params {
        max_depth: 4,
        ..Params::default()
    };
    let expected = solve(&instance, &problem, &params);
    for bytes in [30_000, 200_000, 1_000_000] {
        for n_threads in [1, 2] {
            let params = Params {
                memory_limit: Some(bytes),
                n_threads,
                ..params.clone()
            };
            let found = solve(&instance, &problem, &params);
            assert_eq!(found.objective, expected.objective);
            assert_eq!(found.tree.n_branching(), expected.tree.n_branching());
        }
    }
}
