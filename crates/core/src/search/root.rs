//! The root: items of all columns, the one with the lowest bound first, shared among threads.
//!
//! Expanding the lowest bound first is what makes an interrupted search useful: the least bound of the items left, and of those being
//! expanded, is a lower bound for the whole problem at any time.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::branch::{Branching, Found, Item};
use super::cost::{Cost, UNREACHABLE};
use super::node::Node;
use super::searcher::Searcher;
use super::shape::{Shape, Solved};

/// An item in the queue: lowest bound first, then first come.
#[derive(Debug)]
struct Queued {
    lower: Cost,
    number: u64,
    item: Item,
}

impl PartialEq for Queued {
    fn eq(&self, other: &Self) -> bool {
        (self.lower, self.number) == (other.lower, other.number)
    }
}
impl Eq for Queued {}
impl PartialOrd for Queued {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Queued {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.lower, self.number).cmp(&(other.lower, other.number))
    }
}

#[derive(Debug, Default)]
struct Queue {
    /// Whether all items of the root have been queued: before that nothing is known.
    filled: bool,
    heap: BinaryHeap<Reverse<Queued>>,
    next_number: u64,
    /// Bounds of the items being expanded, by thread.
    working: Vec<Option<Cost>>,
    /// Least bound of items dropped because the search was stopped.
    dropped: Option<Cost>,
    /// A thread panicked: the others must not wait for it.
    broken: bool,
}

impl Queue {
    fn push(&mut self, item: Item) {
        let (lower, number) = (item.lower, self.next_number);
        self.next_number += 1;
        self.heap.push(Reverse(Queued {
            lower,
            number,
            item,
        }));
    }

    fn lower(&self) -> Cost {
        let queued = self.heap.peek().map(|Reverse(queued)| queued.lower);
        let working = self.working.iter().flatten().copied().min();
        [queued, working, self.dropped]
            .into_iter()
            .flatten()
            .min()
            .unwrap_or(UNREACHABLE)
    }
}

/// The state of a root search, to be watched from outside.
#[derive(Debug)]
pub struct RootState {
    queue: Mutex<Queue>,
    changed: Condvar,
    /// Best tree so far.
    pub found: Found,
}

impl RootState {
    /// Start from a complete tree.
    pub fn new(cost: Cost, tree: Arc<Shape>) -> Self {
        Self {
            queue: Mutex::new(Queue::default()),
            changed: Condvar::new(),
            found: Found::from_candidate(cost, tree),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A lower bound on the cost of any tree: zero until items are queued (a sweep at depth three queues none).
    pub fn lower(&self) -> Cost {
        let queue = self.lock();
        if queue.filled {
            queue.lower().min(self.found.cost())
        } else {
            0
        }
    }
}

/// Leaves a consistent queue behind even if the thread panics.
struct Working<'s> {
    state: &'s RootState,
    thread: usize,
}

impl Drop for Working<'_> {
    fn drop(&mut self) {
        let mut queue = self.state.lock();
        if std::thread::panicking() {
            queue.broken = true;
        }
        queue.working[self.thread] = None;
        drop(queue);
        self.state.changed.notify_all();
    }
}

impl<'a> Searcher<'a> {
    /// Search the root with all `threads` (this one is not among them). Returns a lower bound; the tree is in `state`.
    pub(super) fn search_root(
        &mut self,
        node: &Node,
        depth: u32,
        budget: u32,
        shallower: &Solved,
        state: &RootState,
        threads: &mut [Searcher<'a>],
    ) -> Cost {
        if let Some((cost, tree)) = &shallower.tree {
            state.found.offer(*cost, 2, || tree.clone());
        }
        let order = self.column_order(node);
        let branching = Branching::new(node, depth, budget, shallower.lower, order);
        {
            let mut queue = state.lock();
            queue.working = vec![None; threads.len() + 1];
            for rank in 0..branching.order.len() {
                for item in branching.items(self, rank) {
                    queue.push(item);
                }
            }
            queue.filled = true;
        }
        std::thread::scope(|scope| {
            for (thread, searcher) in threads.iter_mut().enumerate() {
                let branching = &branching;
                let work = move || searcher.expand_items(branching, state, thread + 1);
                if std::thread::Builder::new()
                    .spawn_scoped(scope, work)
                    .is_err()
                {
                    break; // The system has no more threads: those there are share the work.
                }
            }
            self.expand_items(&branching, state, 0);
        });
        state.lower()
    }

    fn expand_items(&mut self, branching: &Branching<'_>, state: &RootState, thread: usize) {
        while let Some(item) = self.next_item(state, thread) {
            let guard = Working { state, thread };
            let expansion = self.expand(branching, &item, &state.found);
            let mut queue = state.lock();
            if self.shared.control.stopped() {
                // The expansion may be incomplete: its bound stays open.
                let lower = item.lower.max(expansion.lower.min(state.found.cost()));
                let least = queue.dropped.map_or(lower, |dropped| dropped.min(lower));
                queue.dropped = Some(least);
            }
            for item in expansion.items.into_iter().flatten() {
                queue.push(item);
            }
            drop(queue);
            drop(guard);
        }
    }

    /// The next item that could still matter; waits while others may yet produce some.
    fn next_item(&self, state: &RootState, thread: usize) -> Option<Item> {
        let mut queue = state.lock();
        loop {
            if queue.broken || self.shared.control.stopped() {
                state.changed.notify_all();
                return None;
            }
            let cost = state.found.cost();
            // A bound equal to the cost can still hide an equal tree that comes first; expanding decides.
            if queue
                .heap
                .peek()
                .is_some_and(|Reverse(queued)| queued.lower <= cost)
            {
                let Reverse(queued) = queue.heap.pop()?;
                queue.working[thread] = Some(queued.lower);
                return Some(queued.item);
            }
            if queue.working.iter().all(Option::is_none) {
                queue.heap.clear();
                state.changed.notify_all();
                return None;
            }
            queue = self.shared.control.wait(&state.changed, queue);
        }
    }
}
