//! Depth two: one pair table, one scoring pass.

use super::control::Control;
use super::cost::{Cost, UNREACHABLE};
use super::depth_one::depth_one;
use super::fill::{Fill, FillCost, Source, UsedBits, used_bits};
use super::kernel::score::{LeafRule, PairTable, Profile, cumulate, leaf_scores, score_whole};
use super::lane::{Lane, LaneWidth};
use super::layout::{CHUNK, Layout};
use super::node::Node;
use super::searcher::{KernelChoice, Searcher, Workspace, full_budget};
use super::shape::{Shape, Solved};
use crate::table::SplitRef;

/// Costs of a set of rows with exactly 0 to 3 branching nodes.
pub type Costs = [Cost; 4];

/// The two children of a root: how many branching nodes each may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Root {
    /// Local column.
    pub column: usize,
    /// Local split.
    pub split: usize,
    /// Branching nodes where the split is true.
    pub inside: u32,
    /// Branching nodes where it is false.
    pub outside: u32,
}

impl<'a> Searcher<'a> {
    /// Whether the node's pair tables fit, and are wanted.
    pub(crate) fn uses_table(&self, node: &Node) -> bool {
        if self.shared.kernel == KernelChoice::Recursive {
            return false;
        }
        let splits: usize = node.columns.iter().map(|column| column.n_splits).sum();
        let width = splits.div_ceil(CHUNK) * CHUNK;
        let lane = match self.lane_width(node) {
            LaneWidth::Narrow => 2,
            LaneWidth::Medium => 4,
            LaneWidth::Wide => 8,
        };
        // Two tables, each about half the square.
        splits
            .saturating_mul(width)
            .saturating_mul(lane * self.shared.rule.planes())
            <= self.shared.table_bytes
    }

    pub(super) fn lane_width(&self, node: &Node) -> LaneWidth {
        LaneWidth::for_mass(node.mass, self.shared.rule.min_records > 0)
    }

    /// The kernel for adding all rows of the node `times` times in `batches` batches altogether.
    pub(super) fn choose_fill(
        &self,
        node: &Node,
        layout: &Layout,
        rows_per_word: usize,
        rows: usize,
        batches: usize,
        used: &[UsedBits],
    ) -> Fill {
        match self.shared.kernel {
            KernelChoice::Histogram => Fill::Histogram,
            KernelChoice::Bitset => Fill::Bitset,
            KernelChoice::Auto
            | KernelChoice::Cube
            | KernelChoice::General
            | KernelChoice::Recursive => {
                let cost = FillCost::new(node, layout, rows_per_word, used);
                if cost.of(Fill::Bitset, rows, batches) < cost.of(Fill::Histogram, rows, batches) {
                    Fill::Bitset
                } else {
                    Fill::Histogram
                }
            }
        }
    }

    /// Best tree of depth two with at most `budget` branching nodes, if it costs less than `upper`.
    pub(super) fn depth_two(&mut self, node: &Node, budget: u32, upper: Cost) -> Solved {
        let found = match self.lane_width(node) {
            LaneWidth::Narrow => {
                let mut workspace = std::mem::take(&mut self.workspaces.narrow);
                let found = self.score_node(node, budget, upper, &mut workspace);
                self.workspaces.narrow = workspace;
                found
            }
            LaneWidth::Medium => {
                let mut workspace = std::mem::take(&mut self.workspaces.medium);
                let found = self.score_node(node, budget, upper, &mut workspace);
                self.workspaces.medium = workspace;
                found
            }
            LaneWidth::Wide => {
                let mut workspace = std::mem::take(&mut self.workspaces.wide);
                let found = self.score_node(node, budget, upper, &mut workspace);
                self.workspaces.wide = workspace;
                found
            }
        };
        let Some((lower, root)) = found else {
            return Solved::at_least(self.shared.scale.node);
        };
        match root {
            _ if lower >= upper => Solved::at_least(lower),
            None => Solved::exactly(lower, Shape::leaf()),
            Some(root) => Solved::exactly(lower, self.depth_two_tree(node, root)),
        }
    }

    /// The tree whose root was found by scoring: its children are single splits or leaves.
    fn depth_two_tree(&self, node: &Node, root: Root) -> std::sync::Arc<Shape> {
        let (inside, outside) = node.partition(root.column, root.split);
        let side = |rows: &[u32], budget: u32| match budget {
            0 => Shape::leaf(),
            _ => depth_one(self.shared, &node.child(rows)).into_shape(),
        };
        Shape::branch(
            node.columns[root.column].problem_split(root.split),
            side(&inside, root.inside),
            side(&outside, root.outside),
        )
    }

    /// Fill the node's table, score it, and find the best root (none: a leaf is best). `None` if it was stopped.
    fn score_node<T: Lane>(
        &mut self,
        node: &Node,
        budget: u32,
        upper: Cost,
        workspace: &mut Workspace<T>,
    ) -> Option<(Cost, Option<Root>)> {
        let layout = node.layout();
        let bits = node.split_bits(&layout);
        let used = used_bits(node, self.shared.rule);
        let fill = self.choose_fill(node, &layout, T::ROWS_PER_WORD, node.len(), 1, &used);
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
        if !self.fill_total(&source, workspace) {
            return None;
        }
        self.stats.scored += 1;
        let profile = score_whole(
            &layout,
            self.shared.rule,
            &workspace.total,
            &mut workspace.score,
        );
        let costs = self.costs(node.potential, &profile);
        let lower = cheapest(&costs, budget);
        if lower >= upper || lower == costs[0] {
            return Some((lower, None));
        }
        let root = self.find_root(node, &layout, budget, lower, workspace);
        Some((lower, root))
    }

    /// Cost of the best tree of two levels under each split of a node, by the problem's splits; nothing if the pair table takes too much
    /// memory or the search was stopped.
    pub(crate) fn root_values(&mut self, node: &Node) -> Vec<(SplitRef, Cost)> {
        if node.columns.is_empty() || !self.uses_table(node) {
            return Vec::new();
        }
        match self.lane_width(node) {
            LaneWidth::Narrow => self.values_of(node, |s| &mut s.workspaces.narrow),
            LaneWidth::Medium => self.values_of(node, |s| &mut s.workspaces.medium),
            LaneWidth::Wide => self.values_of(node, |s| &mut s.workspaces.wide),
        }
    }

    fn values_of<T: Lane>(
        &mut self,
        node: &Node,
        workspace_of: impl Fn(&mut Self) -> &mut Workspace<T>,
    ) -> Vec<(SplitRef, Cost)> {
        let mut workspace = std::mem::take(workspace_of(self));
        let scored = self.score_node(node, full_budget(2), UNREACHABLE, &mut workspace);
        let children = &workspace.score.part;
        let price = self.shared.scale.node;
        let mut values = Vec::new();
        if scored.is_some() {
            let layout = node.layout();
            for g in 0..layout.n_splits {
                let (leaf_in, leaf_out) = leaf_pair(&layout, self.shared.rule, &workspace.total, g);
                let score = children.inside[g].widen().max(leaf_in)
                    + children.outside[g].widen().max(leaf_out);
                // A forbidden leaf's score is no loss.
                if score >= 0 {
                    let (column, split) = layout.locate(g);
                    let cost = self.shared.scale.loss(node.potential - score) + price;
                    values.push((node.columns[column].problem_split(split), cost));
                }
            }
        }
        *workspace_of(self) = workspace;
        values
    }

    /// What stops a fill.
    pub(super) fn control(&self) -> Option<&'a Control> {
        self.stoppable.then_some(self.shared.control)
    }

    /// Roughly how long filling and scoring a node's table takes, in seconds: an upper estimate on a slow machine.
    pub(super) fn table_seconds(&self, node: &Node) -> f64 {
        const SECONDS_PER_STEP: f64 = 4e-9;
        const SCORE_STEPS: f64 = 12.0;
        let splits: usize = node.columns.iter().map(|column| column.n_splits).sum();
        let chunks = splits.div_ceil(CHUNK) as f64;
        let lanes = match self.lane_width(node) {
            LaneWidth::Narrow => 1.0,
            LaneWidth::Medium => 2.0,
            LaneWidth::Wide => 4.0,
        };
        let adding = node.len() as f64 * node.columns.len() as f64 / 2.0;
        let scoring = splits as f64 / 2.0 * SCORE_STEPS;
        (adding + scoring) * chunks * lanes * self.shared.rule.planes() as f64 * SECONDS_PER_STEP
    }

    /// Depth two whatever the clock says, if that takes no time to speak of.
    pub(super) fn depth_two_at_last(&mut self, node: &Node, budget: u32) -> Solved {
        const NO_TIME: f64 = 0.05;
        let before = self.stoppable;
        self.stoppable = self.table_seconds(node) > NO_TIME;
        let solved = self.depth_two(node, budget, UNREACHABLE);
        self.stoppable = before;
        solved
    }

    /// Fill the cumulated table of all rows. Returns whether it was not stopped.
    pub(super) fn fill_total<T: Lane>(
        &mut self,
        source: &Source<'_>,
        workspace: &mut Workspace<T>,
    ) -> bool {
        let planes = source.rule.planes();
        workspace.total.reset(source.layout, planes);
        let all: Vec<u32> = (0..source.node.len() as u32).collect();
        let complete = source.add(&all, 1, &mut workspace.total, &mut workspace.fill);
        self.count_rows(source.fill, all.len());
        if complete && source.fill == Fill::Histogram {
            cumulate(source.layout, planes, &mut workspace.total);
        }
        complete
    }

    pub(super) fn count_rows(&mut self, fill: Fill, rows: usize) {
        match fill {
            Fill::Histogram => self.stats.histogram_rows += rows as u64,
            Fill::Bitset => self.stats.bitset_rows += rows as u64,
        }
    }

    /// Costs from the scores of a set of rows with this potential.
    pub(super) fn costs(&self, potential: i64, profile: &Profile) -> Costs {
        let scale = self.shared.scale;
        let mut costs = [UNREACHABLE; 4];
        for (nodes, (cost, &score)) in costs.iter_mut().zip(profile).enumerate() {
            if score >= 0 {
                *cost = scale.loss(potential - score) + nodes as Cost * scale.node;
            }
        }
        costs
    }

    /// The first split, in order, that is the root of a tree of cost `target`.
    fn find_root<T: Lane>(
        &self,
        node: &Node,
        layout: &Layout,
        budget: u32,
        target: Cost,
        workspace: &Workspace<T>,
    ) -> Option<Root> {
        let rule = self.shared.rule;
        let children = &workspace.score.part;
        let table = &workspace.total;
        (0..layout.n_splits).find_map(|g| {
            let (leaf_in, leaf_out) = leaf_pair(layout, rule, table, g);
            let scores = [
                (leaf_in + leaf_out, 0, 0),
                (children.inside[g].widen() + leaf_out, 1, 0),
                (leaf_in + children.outside[g].widen(), 0, 1),
                (
                    children.inside[g].widen() + children.outside[g].widen(),
                    1,
                    1,
                ),
            ];
            scores.into_iter().find_map(|(score, inside, outside)| {
                let nodes = 1 + inside + outside;
                // A forbidden leaf's score is no loss: it may not even fit a cost.
                if nodes > budget || score < 0 {
                    return None;
                }
                let cost = self.shared.scale.loss(node.potential - score)
                    + Cost::from(nodes) * self.shared.scale.node;
                let (column, split) = layout.locate(g);
                (cost == target).then_some(Root {
                    column,
                    split,
                    inside,
                    outside,
                })
            })
        })
    }
}

/// Least cost with at most `budget` branching nodes.
pub fn cheapest(costs: &Costs, budget: u32) -> Cost {
    costs
        .iter()
        .take(budget as usize + 1)
        .copied()
        .fold(UNREACHABLE, Cost::min)
}

fn leaf_pair<T: Lane>(
    layout: &Layout,
    rule: LeafRule,
    table: &PairTable<T>,
    g: usize,
) -> (i64, i64) {
    let at = g / CHUNK * CHUNK;
    let (leaf_in, leaf_out) = leaf_scores(layout, rule, &table.margins, &table.sums, at);
    (leaf_in[g - at].widen(), leaf_out[g - at].widen())
}
