//! When to stop: time, interrupts and a cancelled search, seen by every thread through one flag.

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::sync::{Condvar, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Why a search stopped before it was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The time limit.
    Time,
    /// The memory limit.
    Memory,
    /// The user.
    Interrupt,
}

/// The flag, and the deadline behind it.
#[derive(Debug)]
pub struct Control {
    started: Instant,
    deadline: Option<Instant>,
    state: AtomicU8,
    /// Microseconds since the start after which the current level is to end; zero for no such time.
    pause: AtomicU64,
    /// Subproblems solved by all threads.
    nodes: AtomicU64,
}

impl Control {
    /// Start the clock; `limit` is the time left.
    pub fn new(limit: Option<Duration>) -> Self {
        let started = Instant::now();
        Self {
            started,
            deadline: limit.and_then(|limit| started.checked_add(limit)),
            state: AtomicU8::new(0),
            pause: AtomicU64::new(0),
            nodes: AtomicU64::new(0),
        }
    }

    /// Time since the start.
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// Ask all threads to stop; the first reason stays.
    pub fn stop(&self, reason: Stop) {
        let code = match reason {
            Stop::Time => 1,
            Stop::Memory => 2,
            Stop::Interrupt => 3,
        };
        // Another reason may have come first; that one is kept.
        let _ = self
            .state
            .compare_exchange(0, code, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// Why the search was stopped, if it was.
    pub fn reason(&self) -> Option<Stop> {
        match self.state.load(Ordering::Relaxed) {
            1 => Some(Stop::Time),
            2 => Some(Stop::Memory),
            3 => Some(Stop::Interrupt),
            _ => None,
        }
    }

    /// Whether to stop now; looks at the clock, so call it per kernel call, not per row.
    #[inline]
    pub fn stopped(&self) -> bool {
        if self.state.load(Ordering::Relaxed) != 0 {
            return true;
        }
        if self
            .deadline
            .is_some_and(|deadline| Instant::now() >= deadline)
        {
            self.stop(Stop::Time);
            return true;
        }
        let pause = self.pause.load(Ordering::Relaxed);
        pause != 0 && self.elapsed().as_micros() >= u128::from(pause)
    }

    /// Let `stopped` also be true once `time` has passed, until [`Control::resume`].
    pub fn pause_after(&self, time: Duration) {
        let at = (self.elapsed() + time).as_micros().max(1);
        self.pause
            .store(u64::try_from(at).unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    /// End the effect of [`Control::pause_after`].
    pub fn resume(&self) {
        self.pause.store(0, Ordering::Relaxed);
    }

    /// Count a subproblem, for progress reports.
    pub fn count_node(&self) {
        self.nodes.fetch_add(1, Ordering::Relaxed);
    }

    /// Subproblems solved so far.
    pub fn nodes(&self) -> u64 {
        self.nodes.load(Ordering::Relaxed)
    }

    /// Wait for a change, but not past the deadline, nor so long that a stop goes unseen.
    pub fn wait<'q, Q>(&self, changed: &Condvar, guard: MutexGuard<'q, Q>) -> MutexGuard<'q, Q> {
        let longest = Duration::from_millis(20);
        let wait = self.time_left().map_or(longest, |left| left.min(longest));
        changed
            .wait_timeout(guard, wait)
            .unwrap_or_else(PoisonError::into_inner)
            .0
    }

    /// Time left until the deadline.
    pub fn time_left(&self) -> Option<Duration> {
        self.deadline
            .map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }
}
