//! The loop as Algorithm 1 has it, and what every run must keep to.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use crate::error::Error;
use crate::problem::Problem;
use crate::propose::{Cart, Forest, Random};
use crate::search::cube::expected_work;
use crate::search::{Control, KernelChoice, Params, Quiet, Stop, search, search_from};
use crate::table::samples::any_table;
use crate::table::{Column, Kind, SplitRef, Table, distinct_splits};
use crate::task::Accuracy;
use crate::tree::{Tree, TreeNode};
use proptest::prelude::*;

fn any_problem() -> impl Strategy<Value = (Table, Vec<i32>)> {
    any_table(30, 4, 6).prop_flat_map(|table| {
        let n = table.n_rows();
        (Just(table), prop::collection::vec(0..2_i32, n))
    })
}

/// With boxes small problems are solved outright; without, the loop works on them.
fn any_kernel() -> impl Strategy<Value = KernelChoice> {
    prop::sample::select(vec![KernelChoice::Auto, KernelChoice::General])
}

fn splits_of(tree: &Tree) -> BTreeSet<SplitRef> {
    tree.nodes
        .iter()
        .filter_map(|node| match node {
            TreeNode::Branch { split, .. } => Some(*split),
            TreeNode::Leaf { .. } => None,
        })
        .collect()
}

fn run(
    table: &Table,
    labels: &[i32],
    params: &Params,
    settings: &Settings,
    proposer: Option<&mut Scripted>,
) -> Refined {
    let splits = distinct_splits(table);
    let task = Accuracy {
        labels,
        n_labels: 2,
        weights: None,
    };
    let source = TableSource {
        table,
        splits: &splits,
        task: &task,
        aggregate: true,
    };
    let forest = Forest {
        n_trees: 5,
        ..Forest::default()
    };
    let cart = Cart {
        n_fits: 3,
        max_depth: 3,
    };
    let mut own = TreeProposer::new(
        table,
        &splits,
        &task,
        forest,
        cart,
        params.n_threads,
        settings.seed,
    );
    let proposer: &mut dyn Proposer = match proposer {
        Some(proposer) => proposer,
        None => &mut own,
    };
    refine(
        &source,
        proposer,
        params,
        settings,
        &Control::new(None),
        &mut Quiet,
    )
    .unwrap()
}

fn best(table: &Table, labels: &[i32], params: &Params) -> f64 {
    let task = Accuracy {
        labels,
        n_labels: 2,
        weights: None,
    };
    let splits = distinct_splits(table);
    let problem = Problem::build(table, &splits, &task, true).unwrap();
    search(&problem, params, &Control::new(None), &mut Quiet)
        .unwrap()
        .objective
}

fn paper() -> Settings {
    Settings {
        effort: Effort::Paper,
        certify: Certify::Never,
        ..Settings::default()
    }
}

/// Proposes all splits in table order: excluded ones too, and more than asked for.
#[derive(Default)]
struct Scripted {
    splits: Vec<SplitRef>,
}

impl Proposer for Scripted {
    fn propose(&mut self, _: &Request<'_>, _: &mut Monitor<'_>) -> Result<Vec<SplitRef>, Error> {
        Ok(self.splits.clone())
    }
}

/// Algorithm 1 written down once more, with the paper's letters: candidate sets, objective, stop reason.
#[allow(non_snake_case)]
fn algorithm_one(
    table: &Table,
    labels: &[i32],
    params: &Params,
    settings: &Settings,
) -> (Vec<Vec<SplitRef>>, f64, StopReason) {
    let task = Accuracy {
        labels,
        n_labels: 2,
        weights: None,
    };
    let F = distinct_splits(table);
    let K = settings.max_candidates;
    let leaf = Params {
        max_depth: 0,
        ..params.clone()
    };
    let mut incumbent = best(table, labels, &leaf);
    let mut tree: Option<Tree> = None;
    let (mut C, mut R, mut P) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    let mut r = 0;
    let mut sets = Vec::new();
    for t in 1..=settings.max_iterations {
        if incumbent == 0.0 {
            return (sets, incumbent, StopReason::BestPossible);
        }
        if t > 1 && C.len() >= K {
            return (sets, incumbent, StopReason::Capacity);
        }
        let G: BTreeSet<SplitRef> = if r < settings.switch_after {
            R.clone()
        } else {
            R.union(&P).copied().collect()
        };
        let N: Vec<SplitRef> = F
            .iter()
            .copied()
            .filter(|f| !G.contains(f))
            .take(K - C.len())
            .collect();
        if N.is_empty() {
            return (sets, incumbent, StopReason::NoCandidates);
        }
        let E: BTreeSet<SplitRef> = C.iter().copied().chain(N.iter().copied()).collect();
        P.extend(N);
        let E: Vec<SplitRef> = E.into_iter().collect();
        let problem = Problem::build(table, &E, &task, true).unwrap();
        let solved = search_from(
            &problem,
            params,
            &Control::new(None),
            &mut Quiet,
            tree.as_ref(),
        )
        .unwrap();
        sets.push(E);
        if solved.objective < incumbent {
            incumbent = solved.objective;
            C = splits_of(&solved.tree);
            R.extend(C.iter().copied());
            tree = Some(solved.tree);
            r = 0;
        } else {
            r += 1;
        }
        if r >= settings.patience {
            return (sets, incumbent, StopReason::Patience);
        }
    }
    (sets, incumbent, StopReason::MaxIterations)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn the_loop_is_algorithm_one(
        (table, labels) in any_problem(), capacity in 1..6_usize, depth in 1..4_u32, switch_after in 0..3_usize,
    ) {
        prop_assume!(!labels.is_empty());
        let params = Params { max_depth: depth, ..Params::default() };
        let settings = Settings { max_candidates: capacity, switch_after, ..paper() };
        let mut proposer = Scripted { splits: distinct_splits(&table) };
        let refined = run(&table, &labels, &params, &settings, Some(&mut proposer));
        let (sets, objective, stop) = algorithm_one(&table, &labels, &params, &settings);
        let found: Vec<_> = refined.history.iter().map(|record| record.candidates.clone()).collect();
        prop_assert_eq!(&found, &sets);
        prop_assert_eq!(refined.stop, stop);
        prop_assert_eq!(refined.objective, objective);
        prop_assert!(found.iter().all(|set| set.len() <= capacity));
        let incumbents: Vec<f64> = refined.history.iter().map(|record| record.incumbent).collect();
        prop_assert!(incumbents.is_sorted_by(|a, b| a >= b));
    }

    #[test]
    fn room_for_all_splits_finds_the_best_tree((table, labels) in any_problem(), depth in 0..4_u32) {
        prop_assume!(!labels.is_empty());
        let params = Params { max_depth: depth, ..Params::default() };
        let settings = Settings { max_candidates: table.n_splits().max(1) + 8, ..paper() };
        let refined = run(&table, &labels, &params, &settings, None);
        prop_assert_eq!(refined.objective, best(&table, &labels, &params));
        prop_assert_ne!(refined.status, Status::TimeLimit);
    }

    #[test]
    fn high_effort_is_no_worse_and_certificates_hold(
        (table, labels) in any_problem(),
        depth in 2..6_u32,
        max_nodes in prop::option::of(0..9_u32),
        min_samples_leaf in 1..4_u32,
        penalty in prop::sample::select(vec![0.0, 0.5]),
        kernel in any_kernel(),
    ) {
        prop_assume!(!labels.is_empty());
        let params = Params {
            max_depth: depth, max_nodes, min_samples_leaf, node_penalty: penalty, kernel, ..Params::default()
        };
        let small = Settings { max_candidates: 4, ..paper() };
        let high = Settings { effort: Effort::High, ..small.clone() };
        let certified = Settings { certify: Certify::Always, ..high.clone() };
        let optimum = best(&table, &labels, &params);
        let by_paper = run(&table, &labels, &params, &small, None);
        let by_high = run(&table, &labels, &params, &high, None);
        prop_assert!(optimum <= by_high.objective + 1e-9);
        prop_assert!(by_high.lower_bound <= optimum + 1e-9);
        prop_assert!(by_paper.lower_bound <= optimum + 1e-9);
        for refined in [&by_paper, &by_high] {
            if refined.status == Status::Optimal {
                prop_assert!((refined.objective - optimum).abs() < 1e-9);
            }
        }
        let proven = run(&table, &labels, &params, &certified, None);
        prop_assert_eq!(proven.status, Status::Optimal);
        prop_assert!((proven.objective - optimum).abs() < 1e-9);
    }

    #[test]
    fn deeper_trees_and_more_effort_are_never_worse(
        (table, labels) in any_problem(), max_nodes in prop::option::of(2..12_u32), min_samples_leaf in 1..3_u32,
        kernel in any_kernel(),
    ) {
        prop_assume!(!labels.is_empty());
        let [high, most] = [Effort::High, Effort::Max].map(|effort| {
            let settings = Settings { effort, max_candidates: 4, ..paper() };
            let objectives: Vec<f64> = (2..7)
                .map(|max_depth| {
                    let params = Params { max_depth, max_nodes, min_samples_leaf, kernel, ..Params::default() };
                    let refined = run(&table, &labels, &params, &settings, None);
                    let incumbents = refined.history.iter().map(|record| record.incumbent);
                    assert!(incumbents.is_sorted_by(|a, b| a >= b));
                    assert_eq!(refined.history.last().map(|last| last.incumbent), Some(refined.objective));
                    refined.objective
                })
                .collect();
            assert!(objectives.is_sorted_by(|a, b| a >= b), "{objectives:?}");
            objectives
        });
        // More effort begins with what less effort does.
        prop_assert!(most.iter().zip(&high).all(|(most, high)| most <= high));
    }

    #[test]
    fn threads_change_nothing((table, labels) in any_problem(), depth in 2..5_u32, seed: u64, kernel in any_kernel()) {
        prop_assume!(!labels.is_empty());
        for effort in [Effort::Paper, Effort::High, Effort::Max] {
            let settings = Settings { effort, seed, max_candidates: 5, ..paper() };
            let on = |n_threads| {
                let params = Params { max_depth: depth, n_threads, kernel, ..Params::default() };
                let refined = run(&table, &labels, &params, &settings, None);
                let steps: Vec<_> = refined
                    .history
                    .iter()
                    .map(|record| (record.candidates.clone(), record.objective))
                    .collect();
                (refined.tree.nodes, steps)
            };
            prop_assert_eq!(on(1), on(2));
        }
    }
}

/// Columns of 0 and 1, and labels, drawn at random.
fn coin_flips(n_rows: usize, n_columns: usize) -> (Table, Vec<i32>) {
    let mut random = Random::new(5, 0);
    let columns = (0..n_columns).map(|_| Column {
        kind: Kind::Ordered,
        codes: (0..n_rows).map(|_| random.below(2) as u8).collect(),
        n_codes: 2,
        n_splits: 1,
    });
    let table = Table::new(n_rows, columns.collect()).unwrap();
    let labels = (0..n_rows).map(|_| random.below(2) as i32).collect();
    (table, labels)
}

#[test]
fn candidate_sets_that_take_too_much_work_are_made_smaller() {
    let (table, labels) = coin_flips(400, 60);
    let task = Accuracy {
        labels: &labels,
        n_labels: 2,
        weights: None,
    };
    let settings = Settings {
        effort: Effort::High,
        max_candidates: 50,
        max_iterations: 3,
        ..paper()
    };
    let params = Params {
        max_depth: 5,
        ..Params::default()
    };
    let mut proposer = Scripted {
        splits: distinct_splits(&table),
    };
    let refined = run(&table, &labels, &params, &settings, Some(&mut proposer));
    let sets: Vec<_> = refined
        .history
        .iter()
        .filter(|record| record.step == Step::Candidates)
        .map(|record| &record.candidates)
        .collect();
    let most_work = settings.effort.most_work(table.n_rows());
    let work = |set: &[SplitRef], max_depth| {
        let problem = Problem::build(&table, set, &task, true).unwrap();
        let params = Params {
            max_depth,
            ..params.clone()
        };
        expected_work(&problem, &params)
    };
    // As many as are allowed at a lesser depth, which comes first, and not at this one.
    let (first, last) = (sets[0], sets[sets.len() - 1]);
    assert_eq!(first.len(), 50);
    assert!(work(first, 4) <= most_work && work(first, 5) > most_work);
    assert!(last.len() < 50 && work(last, 5) <= most_work);
}

/// Counts the problems that are made since a run was stopped.
struct Counted<'a> {
    source: TableSource<'a>,
    control: &'a Control,
    since_stopped: AtomicUsize,
}

impl Source for Counted<'_> {
    fn splits(&self) -> &[SplitRef] {
        self.source.splits()
    }

    fn project(&self, candidates: &[SplitRef]) -> Result<Problem, Error> {
        if self.control.stopped() {
            self.since_stopped.fetch_add(1, Ordering::Relaxed);
        }
        self.source.project(candidates)
    }
}

/// Is interrupted while it proposes.
struct Interrupted(Scripted);

impl Proposer for Interrupted {
    fn propose(
        &mut self,
        request: &Request<'_>,
        monitor: &mut Monitor<'_>,
    ) -> Result<Vec<SplitRef>, Error> {
        monitor.control.stop(Stop::Interrupt);
        self.0.propose(request, monitor)
    }
}

#[test]
fn a_run_that_is_stopped_makes_no_candidate_set_smaller() {
    let (table, labels) = coin_flips(200, 200);
    let splits = distinct_splits(&table);
    let task = Accuracy {
        labels: &labels,
        n_labels: 2,
        weights: None,
    };
    let control = Control::new(None);
    let source = Counted {
        source: TableSource {
            table: &table,
            splits: &splits,
            task: &task,
            aggregate: true,
        },
        control: &control,
        since_stopped: AtomicUsize::new(0),
    };
    let settings = Settings {
        effort: Effort::High,
        max_candidates: 200,
        ..paper()
    };
    let params = Params {
        max_depth: 4,
        ..Params::default()
    };
    let whole = source.project(&splits).unwrap();
    assert!(expected_work(&whole, &params) > settings.effort.most_work(whole.n_rows()));
    let mut proposer = Interrupted(Scripted {
        splits: splits.clone(),
    });
    let refined = refine(
        &source,
        &mut proposer,
        &params,
        &settings,
        &control,
        &mut Quiet,
    )
    .unwrap();
    assert_eq!(refined.stop, StopReason::Interrupted);
    assert_eq!(source.since_stopped.into_inner(), 1);
}
