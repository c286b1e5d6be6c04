//! The best candidate so far, with ties broken by a fixed order instead of by who came first.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::cost::Cost;

/// Order of a candidate among all of its search; keys of candidates start at 1.
pub type Order = u64;

/// Best cost below an upper bound, and who holds it.
///
/// Of equally good candidates the one that comes first in the order wins, whenever it is found. A candidate that could tie with the
/// holder is therefore only pruned if it comes after the holder, which makes the result independent of the number of threads.
#[derive(Debug)]
pub struct Incumbent<C> {
    state: Mutex<State<C>>,
}

#[derive(Debug)]
struct State<C> {
    cost: Cost,
    order: Order,
    candidate: Option<C>,
}

impl<C: Clone> Incumbent<C> {
    /// Start from an upper bound: only cheaper candidates are of interest.
    pub fn below(upper: Cost) -> Self {
        Self {
            state: Mutex::new(State {
                cost: upper,
                order: 0,
                candidate: None,
            }),
        }
    }

    /// Start from a candidate that wins every tie.
    pub fn from_candidate(cost: Cost, candidate: C) -> Self {
        Self {
            state: Mutex::new(State {
                cost,
                order: 0,
                candidate: Some(candidate),
            }),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State<C>> {
        // The state is plain data, whole after every assignment: a panic elsewhere cannot have broken it.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Costs below this are of interest to a candidate of this order.
    pub fn limit(&self, order: Order) -> Cost {
        let state = self.lock();
        if order < state.order {
            state.cost + 1
        } else {
            state.cost
        }
    }

    /// Best cost so far, or the upper bound.
    pub fn cost(&self) -> Cost {
        self.lock().cost
    }

    /// Take a candidate if it is cheaper, or as cheap and earlier in the order.
    pub fn offer(&self, cost: Cost, order: Order, candidate: impl FnOnce() -> C) -> bool {
        let mut state = self.lock();
        let better = cost < state.cost || (cost == state.cost && order < state.order);
        if better {
            *state = State {
                cost,
                order,
                candidate: Some(candidate()),
            };
        }
        better
    }

    /// Cost and candidate, if there is one.
    pub fn best(&self) -> Option<(Cost, C)> {
        let state = self.lock();
        state
            .candidate
            .clone()
            .map(|candidate| (state.cost, candidate))
    }
}
