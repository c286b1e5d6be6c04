//! Keeps the caller's thread responsive: interrupts, the time limit and progress reports of an adaptive run.

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

use crate::search::{self, Control, Stop};

/// What is going on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Ranking splits.
    Propose,
    /// Searching over a candidate set.
    Solve,
    /// Re-optimising subtrees over all splits.
    Improve,
    /// Searching over all splits.
    Certify,
}

/// A look at an adaptive run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// Time since the start.
    pub elapsed: Duration,
    /// What is going on.
    pub stage: Stage,
    /// Iteration, from 1 on, as the history counts them.
    pub iteration: usize,
    /// Size of the candidate set.
    pub n_candidates: usize,
    /// Records per merged row.
    pub compression: f64,
    /// Objective of the best tree so far.
    pub objective: f64,
    /// No tree over all splits costs less; 0 until that is searched.
    pub lower_bound: f64,
    /// Subproblems solved by the search that is running.
    pub nodes: u64,
}

/// Watches an adaptive run from the thread that called it.
pub trait Observer {
    /// Called a few dozen times a second; `false` stops the run.
    fn poll(&mut self, progress: &Progress) -> bool;
}

impl Observer for search::Quiet {
    fn poll(&mut self, _progress: &Progress) -> bool {
        true
    }
}

/// How often the observer is called.
const POLL: Duration = Duration::from_millis(25);

/// The observer, the clock, and what there is to report.
pub struct Monitor<'a> {
    /// Time limit and interrupts of the whole run.
    pub control: &'a Control,
    observer: &'a mut dyn Observer,
    /// The last report.
    pub progress: Progress,
}

impl<'a> Monitor<'a> {
    /// Nothing to report yet.
    pub fn new(control: &'a Control, observer: &'a mut dyn Observer) -> Self {
        Self {
            control,
            observer,
            progress: Progress {
                elapsed: Duration::ZERO,
                stage: Stage::Propose,
                iteration: 0,
                n_candidates: 0,
                compression: 1.0,
                objective: f64::INFINITY,
                lower_bound: 0.0,
                nodes: 0,
            },
        }
    }

    /// Report; an interrupt stops the whole run. Returns whether to go on.
    pub fn report(&mut self) -> bool {
        self.progress.elapsed = self.control.elapsed();
        let go_on = self.observer.poll(&self.progress);
        if !go_on {
            self.control.stop(Stop::Interrupt);
        }
        go_on
    }

    /// Do `work` on another thread, and report until it is done. The work is to end soon once the control says so.
    pub fn run<T: Send>(&mut self, work: impl FnOnce(&Control) -> T + Send) -> T {
        let done = (Mutex::new(false), Condvar::new());
        let control = self.control;
        std::thread::scope(|scope| {
            let worker = scope.spawn(|| {
                let guard = SetOnDrop(&done);
                let result = work(control);
                drop(guard);
                result
            });
            let mut finished = done.0.lock().unwrap_or_else(PoisonError::into_inner);
            while !*finished {
                finished = done
                    .1
                    .wait_timeout(finished, POLL)
                    .unwrap_or_else(PoisonError::into_inner)
                    .0;
                if !*finished {
                    drop(finished);
                    self.report();
                    finished = done.0.lock().unwrap_or_else(PoisonError::into_inner);
                }
            }
            drop(finished);
            worker
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    }
}

struct SetOnDrop<'a>(&'a (Mutex<bool>, Condvar));

impl Drop for SetOnDrop<'_> {
    fn drop(&mut self) {
        *self.0.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.0.1.notify_all();
    }
}

/// A search within the run reports through the monitor.
pub(super) struct Inner<'m, 'a> {
    pub monitor: &'m mut Monitor<'a>,
    /// Whether the search's lower bound holds for all splits.
    pub certifies: bool,
}

impl search::Observer for Inner<'_, '_> {
    fn poll(&mut self, progress: &search::Progress) -> bool {
        let report = &mut self.monitor.progress;
        let before = report.objective;
        report.nodes = progress.nodes;
        // A search on part of the records has another objective.
        if matches!(report.stage, Stage::Solve | Stage::Certify) {
            report.objective = before.min(progress.objective);
        }
        if self.certifies {
            report.lower_bound = progress.lower_bound;
        }
        self.monitor.report() && !self.monitor.control.stopped()
    }
}
