//! An exact search that begins with a short adaptive run, where a proof takes long.
//!
//! The root of the exact search expands the item of least bound first, so what it expands before a proof hardly depends on the incumbent:
//! started from the optimum itself, depth 4 of HELOC and Diabetes takes as many subproblems as from a greedy tree. So a better incumbent
//! is no way to a sooner proof. It is one to a better tree, and a smaller gap, where time or patience runs out first.

use std::time::{Duration, Instant};

use super::monitor::{Observer, Progress};
use super::proposer::Proposer;
use super::run::{depth_three_seconds, refine};
use super::settings::{Certify, Settings};
use super::source::Source;
use crate::error::Error;
use crate::problem::Problem;
use crate::search::{self, Control, CubePlan, KernelChoice, Outcome, Params, Stop, search_beside};

/// Least depth at which proofs take long.
const LEAST_DEPTH: u32 = 4;
/// Seconds that the exact search must take for the adaptive run before it not to matter, by a rough estimate.
const LONG: f64 = 2.0;
/// Least time left that an adaptive run makes something of.
const LEAST_LEFT: Duration = Duration::from_secs(1);
/// Share of the time left that the adaptive run may take.
const SHARE: f64 = 0.2;

/// Find the best tree for `problem`, which has all splits of `source`, or the best that the time allows.
///
/// # Errors
/// [`Error`] if a parameter is out of range, the source is inconsistent, or the proposer fails.
pub fn search_with_head_start(
    source: &dyn Source,
    problem: &Problem,
    proposer: &mut dyn Proposer,
    params: &Params,
    seed: u64,
    control: &Control,
    observer: &mut dyn search::Observer,
) -> Result<Outcome, Error> {
    params.validate()?;
    let left = control.time_left();
    if !pays(problem, params, left) {
        return search::search(problem, params, control, observer);
    }
    let share = left.map(|left| left.mul_f64(SHARE));
    search_after(
        source, problem, proposer, params, seed, share, control, observer,
    )
}

/// Whether the exact search is likely to take so long that it may be stopped without a proof.
fn pays(problem: &Problem, params: &Params, left: Option<Duration>) -> bool {
    let depth = params.max_depth.min(params.budget());
    let is_hurried = left.is_some_and(|left| left < LEAST_LEFT);
    if depth < LEAST_DEPTH || is_hurried || params.kernel != KernelChoice::Auto {
        return false;
    }
    let splits: usize = problem.columns.iter().map(|column| column.n_splits).sum();
    // Every level more multiplies the subproblems of depth three by the splits to try; bounds leave few of them.
    let levels = (depth - 3) as i32;
    let seconds = depth_three_seconds(problem) * (splits as f64).powi(levels);
    seconds > LONG && CubePlan::choose(problem, params, left).is_none()
}

/// An adaptive run of at most `share` if there is a limit, then the search over all splits from the better of its tree and the usual warm start.
fn search_after(
    source: &dyn Source,
    problem: &Problem,
    proposer: &mut dyn Proposer,
    params: &Params,
    seed: u64,
    share: Option<Duration>,
    control: &Control,
    observer: &mut dyn search::Observer,
) -> Result<Outcome, Error> {
    let started = Instant::now();
    let settings = Settings {
        certify: Certify::Never,
        seed,
        ..Settings::default()
    };
    let early = Control::new(share);
    let mut watcher = Early {
        observer: &mut *observer,
        depth: params.max_depth,
    };
    let refined = refine(source, proposer, params, &settings, &early, &mut watcher)?;
    if early.reason() == Some(Stop::Interrupt) {
        control.stop(Stop::Interrupt);
    }
    let seconds = started.elapsed().as_secs_f64();
    let initial = (refined.tree.n_branching() > 0).then_some(&refined.tree);
    let mut outcome = search_beside(problem, params, control, observer, initial)?;
    outcome.stats.add(&refined.stats);
    outcome.seconds[0] += seconds;
    Ok(outcome)
}

/// Reports the adaptive run to the observer of a search.
struct Early<'o> {
    observer: &'o mut dyn search::Observer,
    depth: u32,
}

impl Observer for Early<'_> {
    fn poll(&mut self, progress: &Progress) -> bool {
        self.observer.poll(&search::Progress {
            elapsed: progress.elapsed,
            objective: progress.objective,
            lower_bound: progress.lower_bound,
            depth: self.depth,
            nodes: progress.nodes,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::propose::{Cart, Forest};
    use crate::refine::{TableSource, TreeProposer};
    use crate::search::{Progress as SearchProgress, Quiet, Status, search};
    use crate::table::samples::any_table;
    use crate::table::{Column, Kind, Table, distinct_splits};
    use crate::task::Accuracy;
    use proptest::prelude::*;

    fn any_problem() -> impl Strategy<Value = (Table, Vec<i32>)> {
        any_table(40, 4, 6).prop_flat_map(|table| {
            let n = table.n_rows();
            (Just(table), prop::collection::vec(0..3_i32, n))
        })
    }

    /// Search with an adaptive run before it.
    fn head_start(
        table: &Table,
        labels: &[i32],
        params: &Params,
        observer: &mut dyn search::Observer,
    ) -> (Problem, Outcome) {
        let splits = distinct_splits(table);
        let task = Accuracy {
            labels,
            weights: None,
            n_labels: 3,
        };
        let source = TableSource {
            table,
            splits: &splits,
            task: &task,
            aggregate: true,
        };
        let threads = params.n_threads;
        let (forest, cart) = (Forest::default(), Cart::default());
        let mut proposer = TreeProposer::new(table, &splits, &task, forest, cart, threads, 7);
        let control = Control::new(None);
        let problem = source.project(&splits).unwrap();
        let outcome = search_after(
            &source,
            &problem,
            &mut proposer,
            params,
            7,
            None,
            &control,
            observer,
        )
        .unwrap();
        (problem, outcome)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        #[test]
        fn objective_bound_and_threads_are_as_without(
            (table, labels) in any_problem(), depth in 2..6_u32, min_samples_leaf in 1..4_u32, penalty in 0..3_u32
        ) {
            prop_assume!(!labels.is_empty());
            let params = Params {
                max_depth: depth,
                min_samples_leaf,
                node_penalty: f64::from(penalty) * 0.75,
                ..Params::default()
            };
            let (problem, outcome) = head_start(&table, &labels, &params, &mut Quiet);
            let plain = search(&problem, &params, &Control::new(None), &mut Quiet).unwrap();
            prop_assert_eq!(outcome.status, Status::Optimal);
            prop_assert_eq!(plain.objective, outcome.objective);
            prop_assert_eq!(plain.lower_bound, outcome.lower_bound);
            prop_assert!(outcome.warm_start_objective >= outcome.objective);
            let params = Params { n_threads: 3, ..params };
            let (_, parallel) = head_start(&table, &labels, &params, &mut Quiet);
            prop_assert_eq!(parallel.tree.nodes, outcome.tree.nodes);
        }
    }

    struct Impatient;

    impl search::Observer for Impatient {
        fn poll(&mut self, _: &SearchProgress) -> bool {
            false
        }
    }

    /// A number that looks random.
    fn mixed(row: u64, column: u64) -> u64 {
        let hash = (row * 1_000_003 + column).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (hash ^ (hash >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 32
    }

    fn wide() -> (Table, Vec<i32>) {
        let column = |column: u64| Column {
            kind: Kind::Ordered,
            codes: (0..3000)
                .map(|row| (mixed(row, column) % 41) as u8)
                .collect(),
            n_codes: 41,
            n_splits: 40,
        };
        let table = Table::new(3000, (0..12).map(column).collect()).unwrap();
        let labels = (0..3000).map(|row| (mixed(row, 99) % 3) as i32).collect();
        (table, labels)
    }

    #[test]
    fn it_pays_where_a_proof_is_out_of_reach() {
        let (table, labels) = wide();
        let splits = distinct_splits(&table);
        let task = Accuracy {
            labels: &labels,
            weights: None,
            n_labels: 3,
        };
        let whole = Problem::build(&table, &splits, &task, true).unwrap();
        let narrow = Problem::build(&table, &splits[..20], &task, true).unwrap();
        let deep = Params {
            max_depth: 5,
            ..Params::default()
        };
        assert!(pays(&whole, &deep, None));
        assert!(pays(&whole, &deep, Some(Duration::from_secs(60))));
        assert!(!pays(&whole, &deep, Some(Duration::from_millis(10))));
        assert!(!pays(&narrow, &deep, None));
        for params in [
            Params {
                max_depth: 3,
                ..deep.clone()
            },
            Params {
                max_nodes: Some(3),
                ..deep.clone()
            },
            Params {
                kernel: KernelChoice::General,
                ..deep
            },
        ] {
            assert!(!pays(&whole, &params, None));
        }
    }

    #[test]
    fn an_interrupt_ends_both() {
        let (table, labels) = wide();
        let params = Params {
            max_depth: 6,
            ..Params::default()
        };
        let started = Instant::now();
        let (_, outcome) = head_start(&table, &labels, &params, &mut Impatient);
        assert_eq!(outcome.status, Status::Interrupted);
        assert!(started.elapsed() < Duration::from_secs(20));
    }
}
