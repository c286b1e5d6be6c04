//! Depth three: sweep every column with the pair table of one side; see `sweep`.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::cost::{Cost, UNREACHABLE};
use super::depth_two::{Root, cheapest};
use super::fill::{Fill, FillCost, Source, used_bits};
use super::incumbent::{Incumbent, Order};
use super::kernel::score::score_whole;
use super::lane::{Lane, LaneWidth};
use super::layout::{CHUNK, Layout};
use super::node::Node;
use super::searcher::{CheapRoot, Searcher, Workspace};
use super::shape::{Shape, Solved};
use super::sweep::{Candidate, ColumnSums, Prepared, Sweep};

/// Cost of scoring a cell chunk on both sides, in histogram steps.
const SCORE_STEP: f64 = 12.0;

impl<'a> Searcher<'a> {
    /// Roughly how long sweeping a node takes, in seconds: an upper estimate on a slow machine.
    pub(super) fn sweep_seconds(&self, node: &Node) -> f64 {
        const SECONDS_PER_STEP: f64 = 1e-9;
        let layout = node.layout();
        let used = used_bits(node, self.shared.rule);
        let cost = FillCost::new(node, &layout, i16::ROWS_PER_WORD, &used);
        let batches = layout.n_splits.div_ceil(layout.spans.len().max(1));
        let add = cost.of(Fill::Histogram, node.len(), batches).min(cost.of(
            Fill::Bitset,
            node.len(),
            batches,
        ));
        let score = layout.cells as f64 / CHUNK as f64 * SCORE_STEP;
        (add * layout.spans.len() as f64 + score * layout.n_splits as f64) * SECONDS_PER_STEP
    }

    /// Best tree of depth three with at most `budget` branching nodes, if it costs less than `upper`; with the help of other threads'
    /// searchers.
    pub(super) fn depth_three_with(
        &mut self,
        node: &Node,
        budget: u32,
        upper: Cost,
        helpers: &mut [Searcher<'a>],
    ) -> Solved {
        self.stats.depth_three += 1;
        let incumbent = Incumbent::below(upper);
        let lower = self.sweep(node, budget, &incumbent, helpers);
        match incumbent.best() {
            None => Solved::at_least(lower),
            Some((cost, candidate)) => {
                let tree = match candidate {
                    Candidate::Shallower => self.shape_at_last(node, budget),
                    Candidate::Root(root) => self.depth_three_tree(node, root),
                };
                Solved {
                    lower: lower.min(cost),
                    tree: tree.map(|tree| (cost, tree)),
                }
            }
        }
    }

    /// All splits that root a tree of depth three and of a cost below `upper`; incomplete if the search was stopped.
    pub(crate) fn roots_below(&mut self, node: &Node, budget: u32, upper: Cost) -> Vec<CheapRoot> {
        self.stats.depth_three += 1;
        self.roots = Some(Vec::new());
        let incumbent = Incumbent::below(upper);
        self.sweep(node, budget, &incumbent, &mut []);
        self.roots.take().unwrap_or_default()
    }

    fn sweep(
        &mut self,
        node: &Node,
        budget: u32,
        incumbent: &Incumbent<Candidate>,
        helpers: &mut [Searcher<'a>],
    ) -> Cost {
        match self.lane_width(node) {
            LaneWidth::Narrow => self.sweep_node(node, budget, incumbent, helpers, |s| {
                &mut s.workspaces.narrow
            }),
            LaneWidth::Medium => self.sweep_node(node, budget, incumbent, helpers, |s| {
                &mut s.workspaces.medium
            }),
            LaneWidth::Wide => {
                self.sweep_node(node, budget, incumbent, helpers, |s| &mut s.workspaces.wide)
            }
        }
    }

    fn depth_three_tree(&mut self, node: &Node, root: Root) -> Option<Arc<Shape>> {
        let (inside, outside) = node.partition(root.column, root.split);
        let inside = self.shape_at_last(&node.child(&inside), root.inside)?;
        let outside = self.shape_at_last(&node.child(&outside), root.outside)?;
        let split = node.columns[root.column].problem_split(root.split);
        Some(Shape::branch(split, inside, outside))
    }

    /// The best tree of depth two, whatever the clock says unless that takes long; `None` if it was stopped.
    fn shape_at_last(&mut self, node: &Node, budget: u32) -> Option<Arc<Shape>> {
        let leaf = self.leaf_cost(node);
        if budget == 0 || node.columns.is_empty() || leaf <= self.shared.scale.node {
            return Some(Shape::leaf());
        }
        let solved = if budget == 1 {
            super::depth_one::depth_one(self.shared, node)
        } else {
            self.depth_two_at_last(node, budget)
        };
        solved.tree.map(|(_, tree)| tree)
    }

    /// Sweep all columns; returns a lower bound on the node's cost.
    fn sweep_node<T: Lane>(
        &mut self,
        node: &Node,
        budget: u32,
        incumbent: &Incumbent<Candidate>,
        helpers: &mut [Searcher<'a>],
        workspace_of: impl for<'w> Fn(&'w mut Searcher<'a>) -> &'w mut Workspace<T> + Send + Sync + Copy,
    ) -> Cost {
        let layout = node.layout();
        let bits = node.split_bits(&layout);
        let columns = ColumnSums::of(node);
        let rows = columns
            .iter()
            .zip(&layout.spans)
            .map(|(sums, span)| sums.rows_swept(span))
            .sum();
        let used = used_bits(node, self.shared.rule);
        let fill = self.choose_fill(
            node,
            &layout,
            T::ROWS_PER_WORD,
            rows,
            layout.n_splits,
            &used,
        );
        let rule = self.shared.rule;
        let source = Source {
            node,
            layout: &layout,
            bits: &bits,
            rule,
            unit: 1,
            fill,
            used: &used,
            control: self.control(),
        };
        let mut workspace = std::mem::take(workspace_of(self));
        if !self.fill_total(&source, &mut workspace) {
            *workspace_of(self) = workspace;
            return self.shared.scale.node;
        }
        self.stats.scored += 1;
        let profile = score_whole(
            &layout,
            self.shared.rule,
            &workspace.total,
            &mut workspace.score,
        );
        let costs = self.costs(node.potential, &profile);
        let shallow = cheapest(&costs, budget);
        // The upper bound stays where all roots below it are wanted.
        if self.roots.is_none() {
            incumbent.offer(shallow, 1, || Candidate::Shallower);
        }
        let total = std::mem::take(&mut workspace.total);
        let prepared = Prepared {
            source,
            total: &total,
            shallower: cheapest(&costs, budget - 1),
            budget,
            add_cost: FillCost::new(node, &layout, T::ROWS_PER_WORD, &used).of(
                Fill::Histogram,
                node.len(),
                1,
            ),
            score_cost: layout.cells as f64 / CHUNK as f64 * SCORE_STEP,
            columns,
            order: column_order(
                &layout,
                &workspace.score.part.inside,
                &workspace.score.part.outside,
            ),
        };
        let next = AtomicUsize::new(0);
        let mut lower = shallow;
        if helpers.is_empty() {
            lower = lower.min(self.sweep_columns(&prepared, &next, incumbent, &mut workspace));
        } else {
            std::thread::scope(|scope| {
                let threads: Vec<_> = helpers
                    .iter_mut()
                    .map_while(|helper| {
                        let (prepared, next) = (&prepared, &next);
                        let work = move || {
                            let mut workspace = std::mem::take(workspace_of(helper));
                            helper.sweep_columns(prepared, next, incumbent, &mut workspace)
                        };
                        // Where the system has no more threads, those there are share the work.
                        std::thread::Builder::new().spawn_scoped(scope, work).ok()
                    })
                    .collect();
                lower = lower.min(self.sweep_columns(&prepared, &next, incumbent, &mut workspace));
                for thread in threads {
                    // A panic in a helper goes on here.
                    lower = lower.min(
                        thread
                            .join()
                            .unwrap_or_else(|e| std::panic::resume_unwind(e)),
                    );
                }
            });
        }
        workspace.total = total;
        *workspace_of(self) = workspace;
        lower
    }

    /// Take columns in turn until none is left.
    fn sweep_columns<T: Lane>(
        &mut self,
        prepared: &Prepared<'_, T>,
        next: &AtomicUsize,
        incumbent: &Incumbent<Candidate>,
        workspace: &mut Workspace<T>,
    ) -> Cost {
        let mut lower = UNREACHABLE;
        loop {
            let rank = next.fetch_add(1, Ordering::Relaxed);
            let Some(&column) = prepared.order.get(rank) else {
                break;
            };
            // Orders within a column stay below 2^16: at most 255 splits, each met in at most 4 passes.
            let first: Order = ((rank as Order + 1) << 16) + 1;
            let mut sweep = Sweep::new(self, prepared, column, incumbent, workspace);
            lower = lower.min(if prepared.source.layout.spans[column].ordered {
                sweep.ordered(first)
            } else {
                sweep.nominal(first)
            });
        }
        lower
    }
}

/// Columns by the best depth-two tree that they root, best first.
fn column_order<T: Lane>(layout: &Layout, inside: &[T], outside: &[T]) -> Vec<usize> {
    let score = |column: usize| {
        let span = &layout.spans[column];
        (span.start..span.start + span.len)
            .map(|g| inside[g].widen() + outside[g].widen())
            .max()
    };
    let mut order: Vec<usize> = (0..layout.spans.len()).collect();
    order.sort_by_key(|&column| std::cmp::Reverse(score(column)));
    order
}
