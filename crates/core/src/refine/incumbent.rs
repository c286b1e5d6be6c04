//! The state of an adaptive run: the incumbent, what is proven of it, and the record of how it came about.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use super::history::{Record, Seconds, Step, StopReason};
use super::monitor::{Inner, Monitor, Stage};
use super::settings::Settings;
use super::source::Source;
use crate::error::Error;
use crate::problem::Problem;
use crate::search::cube::expected_work;
use crate::search::{self, Control, Params, Shape, Stats, Stop, search_from};
use crate::table::SplitRef;
use crate::tree::{Tree, TreeNode};

/// A candidate set that takes too much work loses one of so many of its new splits, until it does not.
const SMALLER: usize = 8;

/// Candidate splits, and the problem over them.
pub(super) struct CandidateSet {
    candidates: Vec<SplitRef>,
    problem: Problem,
    /// Seconds that merging took.
    projection: f64,
}

/// Everything that the steps of a run share.
pub(super) struct State<'r, 'm> {
    /// Where inner problems come from.
    pub source: &'r dyn Source,
    /// The problem over all splits.
    pub base: &'r Problem,
    /// Limits of the tree, threads, memory.
    pub params: Params,
    /// Settings of the loop.
    pub settings: &'r Settings,
    /// Clock and observer.
    pub monitor: &'r mut Monitor<'m>,
    /// The tree being improved: the incumbent, unless shallower trees are looked at.
    pub tree: Tree,
    /// Its objective.
    pub objective: f64,
    /// The incumbent's objective.
    pub incumbent: f64,
    /// Largest cost that the records can have: what shares are taken of.
    pub scale: f64,
    /// A candidate set that holds the incumbent's splits and over which it is proven best.
    pub proven_for: Option<Vec<SplitRef>>,
    /// The last candidate set.
    pub candidates: Vec<SplitRef>,
    /// A lower bound over all splits.
    pub lower_bound: f64,
    /// Iterations so far.
    pub history: Vec<Record>,
    /// Counters of all searches.
    pub stats: Stats,
    /// How the last search over a candidate set or over all splits ended.
    pub last_status: Option<search::Status>,
}

impl<'r, 'm> State<'r, 'm> {
    /// Start from the best constant leaf.
    pub fn new(
        source: &'r dyn Source,
        base: &'r Problem,
        params: Params,
        settings: &'r Settings,
        monitor: &'r mut Monitor<'m>,
    ) -> Self {
        let tree = Tree::label(base, &Shape::Leaf);
        let objective = tree.units as f64 * base.unit;
        let most: i64 = base
            .costs
            .chunks_exact(base.n_labels)
            .map(|costs| costs.iter().copied().max().unwrap_or(0))
            .sum();
        monitor.progress.objective = objective;
        Self {
            source,
            base,
            params,
            settings,
            monitor,
            tree,
            objective,
            incumbent: objective,
            scale: most as f64 * base.unit,
            proven_for: None,
            candidates: Vec::new(),
            lower_bound: 0.0,
            history: Vec::new(),
            stats: Stats::default(),
            last_status: None,
        }
    }

    /// Whether `objective` is better than the incumbent's by more than the tolerance.
    pub fn improves(&self, objective: f64) -> bool {
        objective < self.objective - self.settings.tolerance * self.scale
    }

    /// Whether no tree can be better than the incumbent by more than the tolerance.
    pub fn is_best_possible(&self) -> bool {
        self.objective <= self.settings.tolerance * self.scale
    }

    /// The incumbent's splits.
    pub fn support(&self) -> BTreeSet<SplitRef> {
        support(&self.tree)
    }

    /// Why the run must end now, if it must.
    pub fn stop_reason(&self) -> Option<StopReason> {
        if !self.monitor.control.stopped() {
            return None;
        }
        Some(match self.monitor.control.reason() {
            Some(Stop::Memory) => StopReason::MemoryLimit,
            Some(Stop::Interrupt) => StopReason::Interrupted,
            Some(Stop::Time) | None => StopReason::TimeLimit,
        })
    }

    /// The incumbent's splits `kept` and as many of the `new` ones, the best first, as can be solved with the work that the effort
    /// allows; and how many that are. `None` if not even one can. A run that is stopped takes the set at hand: its search ends at once.
    pub fn candidate_set(
        &mut self,
        kept: &BTreeSet<SplitRef>,
        new: &[SplitRef],
    ) -> Result<Option<(usize, CandidateSet)>, Error> {
        let started = Instant::now();
        let most_work = self.settings.effort.most_work(self.base.n_rows());
        let mut n_new = new.len();
        while n_new > 0 {
            let union: BTreeSet<SplitRef> = kept.iter().chain(&new[..n_new]).copied().collect();
            let candidates: Vec<SplitRef> = union.into_iter().collect();
            let problem = self.source.project(&candidates)?;
            let fits = expected_work(&problem, &self.params) <= most_work;
            if fits || !self.monitor.report() || self.monitor.control.stopped() {
                let set = CandidateSet {
                    candidates,
                    problem,
                    projection: started.elapsed().as_secs_f64(),
                };
                return Ok(Some((n_new, set)));
            }
            n_new -= n_new.div_ceil(SMALLER);
        }
        Ok(None)
    }

    /// Solve the problem over a candidate set that holds the incumbent's splits, starting from the incumbent. Returns whether a better
    /// tree was found.
    pub fn solve_candidates(&mut self, set: CandidateSet, proposal: f64) -> Result<bool, Error> {
        let CandidateSet {
            candidates,
            problem,
            projection,
        } = set;
        self.monitor.progress.n_candidates = candidates.len();
        self.monitor.progress.compression =
            problem.n_records as f64 / problem.n_rows().max(1) as f64;
        let limit = Duration::try_from_secs_f64(self.settings.inner_time_limit).ok();
        let seconds = Seconds {
            proposal,
            projection,
            ..Seconds::default()
        };
        self.candidates.clone_from(&candidates);
        let what = (Step::Candidates, false);
        self.solve(&problem, what, candidates, limit, seconds)
    }

    /// Solve the problem over all splits, starting from the incumbent: a bound for the depth asked for.
    pub fn solve_all(&mut self, limit: Option<Duration>) -> Result<bool, Error> {
        self.solve_over_all(true, limit)
    }

    /// The same on the way to a greater depth, for which its bound says nothing.
    pub fn solve_level(&mut self) -> Result<bool, Error> {
        self.solve_over_all(false, None)
    }

    fn solve_over_all(&mut self, certifies: bool, limit: Option<Duration>) -> Result<bool, Error> {
        let base = self.base;
        self.monitor.progress.n_candidates = self.source.splits().len();
        self.monitor.progress.compression = base.n_records as f64 / base.n_rows().max(1) as f64;
        let what = (Step::AllSplits, certifies);
        self.solve(base, what, Vec::new(), limit, Seconds::default())
    }

    fn solve(
        &mut self,
        problem: &Problem,
        (step, certifies): (Step, bool),
        candidates: Vec<SplitRef>,
        limit: Option<Duration>,
        mut seconds: Seconds,
    ) -> Result<bool, Error> {
        let over_all = step == Step::AllSplits;
        self.monitor.progress.stage = if certifies {
            Stage::Certify
        } else {
            Stage::Solve
        };
        self.monitor.progress.iteration = self.history.len() + 1;
        let left = self.monitor.control.time_left();
        let control = Control::new([limit, left].into_iter().flatten().min());
        let started = Instant::now();
        // A single leaf says no more than the search's own warm start.
        let initial = (self.tree.n_branching() > 0).then_some(&self.tree);
        let mut observer = Inner {
            monitor: &mut *self.monitor,
            certifies,
        };
        let outcome = search_from(problem, &self.params, &control, &mut observer, initial)?;
        seconds.solve = started.elapsed().as_secs_f64();
        if control.reason() == Some(Stop::Memory) {
            self.monitor.control.stop(Stop::Memory);
        }
        let started = Instant::now();
        let objective = self.objective_of(&outcome.tree);
        seconds.score = started.elapsed().as_secs_f64();
        self.stats.add(&outcome.stats);
        self.last_status = Some(outcome.status);
        let optimal = outcome.status == search::Status::Optimal;
        // The best tree of all is taken however little it gains.
        let improved =
            self.improves(objective) || (over_all && optimal && objective < self.objective);
        let accepted = improved && objective < self.incumbent;
        if improved {
            self.replace(outcome.tree, objective);
        }
        match (certifies, optimal) {
            // Bounds decide, not sums of floats: the incumbent is as good as the tree that is proven.
            (true, true) => self.lower_bound = self.objective,
            (true, false) => self.lower_bound = self.lower_bound.max(outcome.lower_bound),
            (false, true) if !over_all => self.proven_for = Some(candidates.clone()),
            (false, _) => {}
        }
        let end = (objective, accepted, Some(outcome.status));
        self.record(step, candidates, problem, seconds, end);
        self.monitor.report();
        Ok(improved)
    }

    /// Take another tree as the incumbent.
    pub fn replace(&mut self, tree: Tree, objective: f64) {
        self.tree = tree;
        self.objective = objective;
        self.proven_for = None;
        self.incumbent = self.incumbent.min(objective);
        self.monitor.progress.objective = self.incumbent;
    }

    /// Write an iteration down.
    pub fn record(
        &mut self,
        step: Step,
        candidates: Vec<SplitRef>,
        problem: &Problem,
        seconds: Seconds,
        (objective, accepted, status): (f64, bool, Option<search::Status>),
    ) {
        self.history.push(Record {
            step,
            candidates,
            n_records: problem.n_records,
            n_unique: problem.n_rows(),
            seconds,
            objective,
            incumbent: self.incumbent,
            accepted,
            status,
        });
    }

    /// Objective of a labelled tree, counted on all records.
    pub fn objective_of(&self, tree: &Tree) -> f64 {
        let units = units_of(tree, self.base);
        units as f64 * self.base.unit + self.params.node_penalty * tree.n_branching() as f64
    }
}

/// The splits of a tree.
pub(super) fn support(tree: &Tree) -> BTreeSet<SplitRef> {
    let splits = tree.nodes.iter().filter_map(|node| match node {
        TreeNode::Branch { split, .. } => Some(*split),
        TreeNode::Leaf { .. } => None,
    });
    splits.collect()
}

/// Summed cost of a labelled tree over the rows of a problem that has all its splits.
fn units_of(tree: &Tree, problem: &Problem) -> i64 {
    let splits: Vec<Option<SplitRef>> = tree
        .nodes
        .iter()
        .map(|node| match node {
            TreeNode::Leaf { .. } => None,
            TreeNode::Branch { split, .. } => problem.locate(*split),
        })
        .collect();
    let label_of = |row: usize| {
        let mut at = 0;
        loop {
            match (tree.nodes[at], splits[at]) {
                (
                    TreeNode::Branch {
                        inside, outside, ..
                    },
                    Some(split),
                ) => {
                    at = if problem.is_true(split, row) {
                        inside
                    } else {
                        outside
                    } as usize;
                }
                (TreeNode::Leaf { label }, _) => return label as usize,
                (TreeNode::Branch { .. }, None) => return 0,
            }
        }
    };
    (0..problem.n_rows())
        .map(|row| problem.costs[row * problem.n_labels + label_of(row)])
        .sum()
}
