//! When to stop: time, interrupts and a cancelled search, seen by every thread through one flag.

use std::sync::atomic::{AtomicU8, Ordering};
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
}

impl Control {
    /// Start the clock; `limit` is the time left.
    pub fn new(limit: Option<Duration>) -> Self {
        let started = Instant::now();
        Self {
            started,
            deadline: limit.and_then(|limit| started.checked_add(limit)),
            state: AtomicU8::new(0),
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
        let _ = self.state.compare_exchange(0, code, Ordering::Relaxed, Ordering::Relaxed);
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
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            self.stop(Stop::Time);
            return true;
        }
        false
    }

    /// Time left until the deadline.
    pub fn time_left(&self) -> Option<Duration> {
        self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }
}
