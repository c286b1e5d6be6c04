//! Workers that solve parts of one problem side by side, with one cache of results.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use hashbrown::HashMap;

use super::improve::Part;
use crate::problem::Problem;
use crate::search::cost::Cost;
use crate::search::node::Node;
use crate::search::searcher::{Searcher, Shared};
use crate::search::{Params, Stats};

/// One thread's tools.
pub(super) struct Worker<'w, 'a> {
    /// The problem whose parts are solved.
    pub problem: &'a Problem,
    /// Limits of the whole tree.
    pub params: &'a Params,
    /// Exact solver of subproblems.
    pub searcher: &'w mut Searcher<'a>,
}

/// All threads, and what they agree on.
pub(super) struct Crew<'a> {
    problem: &'a Problem,
    params: &'a Params,
    searchers: Vec<Searcher<'a>>,
    /// Subtrees that the moves at their top cannot improve: rows, depth and budget to the cost of the subtree.
    pub(super) settled: HashMap<(u128, u32, u32), Cost>,
}

impl<'a> Crew<'a> {
    /// One worker per thread.
    pub fn new(problem: &'a Problem, params: &'a Params, shared: &'a Shared<'a>) -> Self {
        Self {
            problem,
            params,
            searchers: (0..params.n_threads.max(1))
                .map(|_| Searcher::new(shared))
                .collect(),
            settled: HashMap::new(),
        }
    }

    /// Work on the calling thread.
    pub fn alone(&mut self) -> Worker<'_, 'a> {
        Worker {
            problem: self.problem,
            params: self.params,
            searcher: &mut self.searchers[0],
        }
    }

    /// Counters of all threads.
    pub fn stats(&self) -> Stats {
        let mut stats = Stats::default();
        for searcher in &self.searchers {
            stats.add(&searcher.stats);
        }
        stats
    }

    /// Do all jobs, shared among the workers; results are in the order of the jobs.
    ///
    /// What a job gives must not depend on the worker.
    pub fn share<J: Sync, R: Send>(
        &mut self,
        jobs: &[J],
        work: impl Fn(&mut Worker<'_, 'a>, &J) -> R + Sync,
    ) -> Vec<R> {
        let (problem, params) = (self.problem, self.params);
        let n_threads = self.searchers.len().min(jobs.len());
        if n_threads <= 1 {
            let mut worker = self.alone();
            return jobs.iter().map(|job| work(&mut worker, job)).collect();
        }
        let next = AtomicUsize::new(0);
        let results: Vec<Mutex<Option<R>>> = jobs.iter().map(|_| Mutex::new(None)).collect();
        let take = |searcher: &mut Searcher<'a>| {
            let mut worker = Worker {
                problem,
                params,
                searcher,
            };
            loop {
                let at = next.fetch_add(1, Ordering::Relaxed);
                let Some(job) = jobs.get(at) else { break };
                let result = work(&mut worker, job);
                *results[at].lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
            }
        };
        std::thread::scope(|scope| {
            let (first, others) = self.searchers[..n_threads].split_at_mut(1);
            for searcher in others {
                let take = &take;
                // Where the system has no more threads, those there are share the work.
                let _ = std::thread::Builder::new().spawn_scoped(scope, move || take(searcher));
            }
            take(&mut first[0]);
        });
        results
            .into_iter()
            .filter_map(|result| result.into_inner().unwrap_or_else(PoisonError::into_inner))
            .collect()
    }

    /// The best tree of at most three levels below `upper`, with all threads on one sweep.
    pub fn solve_exactly(
        &mut self,
        node: &Node,
        depth: u32,
        budget: u32,
        upper: Cost,
    ) -> Option<Part> {
        let (first, helpers) = self.searchers.split_at_mut(1);
        Part::of(first[0].solve_with(node, depth, budget, upper, helpers))
    }
}
