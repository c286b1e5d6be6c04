//! Depth three: walk the splits of every column while a pair table follows; see `sweep`.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::depth_two::{Root, cheapest};
use super::margins::Margins;
use super::searcher::{Prepared, Searcher, Workspace};
use super::sweep::{Frame, Sweep};
use crate::search::cost::{Cost, UNREACHABLE};
use crate::search::incumbent::Incumbent;
use crate::search::lane::{Lane, LaneWidth};
use crate::search::layout::Layout;
use crate::search::node::Node;
use crate::search::shape::Solved;

/// The best of a node of depth three: a split, or a tree one level shallower.
#[derive(Clone, Copy, Debug)]
pub enum Candidate {
    /// The best tree of depth two.
    Shallower,
    /// A root.
    Root(Root),
}

impl<'a> Searcher<'a> {
    /// Best tree of depth three with at most `budget` branching nodes, if it costs less than `upper`; with the help of other
    /// threads' searchers, which must have paid the same.
    pub(super) fn depth_three(
        &mut self,
        node: &Node,
        budget: u32,
        upper: Cost,
        helpers: &mut [Searcher<'a>],
    ) -> Solved {
        let found = Incumbent::below(upper);
        let lower = match self.shared.lane_width(node) {
            LaneWidth::Narrow => {
                self.sweep_node(node, budget, &found, helpers, |s| &mut s.workspaces.narrow)
            }
            LaneWidth::Medium => {
                self.sweep_node(node, budget, &found, helpers, |s| &mut s.workspaces.medium)
            }
            LaneWidth::Wide => {
                self.sweep_node(node, budget, &found, helpers, |s| &mut s.workspaces.wide)
            }
        };
        let Some((cost, candidate)) = found.best() else {
            return Solved::at_least(lower);
        };
        let tree = match candidate {
            Candidate::Shallower => self.tree_at_last(node, budget),
            Candidate::Root(root) => self.tree_of(node, root),
        };
        Solved {
            lower: lower.min(cost),
            tree: tree.map(|tree| (cost, tree)),
        }
    }

    /// Sweep all columns; returns a lower bound on the node's cost.
    fn sweep_node<T: Lane>(
        &mut self,
        node: &Node,
        budget: u32,
        found: &Incumbent<Candidate>,
        helpers: &mut [Searcher<'a>],
        workspace_of: impl for<'w> Fn(&'w mut Searcher<'a>) -> &'w mut Workspace<T> + Send + Sync + Copy,
    ) -> Cost {
        let n_splits = node.columns.iter().map(|column| column.n_splits).sum();
        let rows = node.len() * node.columns.len();
        let prepared = Prepared::new::<T>(node, self.shared, rows, n_splits);
        let mut workspace = std::mem::take(workspace_of(self));
        let mut margins = Margins::default();
        let lower = if self.fill_total(&prepared, &mut workspace, &mut margins) {
            let total = std::mem::take(&mut workspace.total);
            let Workspace {
                rates,
                charges: [charges, _],
                children: [children, _],
                ..
            } = &mut workspace;
            let buffers = (rates, &mut *charges, &mut *children);
            let costs = self.score_total(&prepared, &margins, &total, buffers).exact;
            let shallow = self.leaf_cost(node).min(cheapest(&costs, budget));
            found.offer(shallow, 1, || Candidate::Shallower);
            let roots = |g: usize| {
                let root = charges.root[g].widen();
                children.inside[g].widen() + children.outside[g].widen() - root
            };
            let frame = Frame {
                order: column_order(&prepared.layout, roots),
                prepared: &prepared,
                total: &total,
                margins: &margins,
                budget,
            };
            let next = AtomicUsize::new(0);
            *workspace_of(self) = workspace;
            let lower = self.share_columns(helpers, |searcher| {
                let mut workspace = std::mem::take(workspace_of(searcher));
                let lower = searcher.sweep_columns(&frame, &next, found, &mut workspace);
                *workspace_of(searcher) = workspace;
                lower
            });
            workspace = std::mem::take(workspace_of(self));
            workspace.total = total;
            shallow.min(lower)
        } else {
            self.shared.scale.node
        };
        *workspace_of(self) = workspace;
        lower
    }

    /// Let this thread and its helpers work until nothing is left; returns the least bound that one of them leaves.
    pub(super) fn share_columns(
        &mut self,
        helpers: &mut [Searcher<'a>],
        work: impl Fn(&mut Searcher<'a>) -> Cost + Sync,
    ) -> Cost {
        if helpers.is_empty() {
            return work(self);
        }
        let work = &work;
        std::thread::scope(|scope| {
            let threads: Vec<_> = helpers
                .iter_mut()
                // Where the system has no more threads, those there are share the work.
                .map_while(|helper| {
                    std::thread::Builder::new()
                        .spawn_scoped(scope, move || work(helper))
                        .ok()
                })
                .collect();
            let mut lower = work(self);
            for thread in threads {
                // A panic in a helper goes on here.
                let bound = thread
                    .join()
                    .unwrap_or_else(|panic| std::panic::resume_unwind(panic));
                lower = lower.min(bound);
            }
            lower
        })
    }

    /// Take columns in turn until none is left.
    fn sweep_columns<T: Lane>(
        &mut self,
        frame: &Frame<'_, T>,
        next: &AtomicUsize,
        found: &Incumbent<Candidate>,
        workspace: &mut Workspace<T>,
    ) -> Cost {
        let mut lower = UNREACHABLE;
        loop {
            let rank = next.fetch_add(1, Ordering::Relaxed);
            if rank >= frame.order.len() {
                return lower;
            }
            lower = lower.min(Sweep::run(self, frame, rank, found, workspace));
        }
    }
}

/// Columns by the best tree of three branching nodes that one of their splits roots, best first.
pub fn column_order(layout: &Layout, score: impl Fn(usize) -> i64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..layout.spans.len()).collect();
    order.sort_by_cached_key(|&column| {
        let span = &layout.spans[column];
        let scores = (span.start..span.start + span.len).map(&score);
        std::cmp::Reverse(scores.max())
    });
    order
}
