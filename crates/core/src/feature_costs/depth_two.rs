//! Depth two: one pair table, one scoring pass.

use std::sync::Arc;

use super::margins::Margins;
use super::score::scores_of_root;
use super::searcher::{Costs, Prepared, Searcher, Workspace};
use crate::search::Shape;
use crate::search::cost::{Cost, UNREACHABLE};
use crate::search::lane::{Lane, LaneWidth};
use crate::search::node::Node;
use crate::search::shape::Solved;

/// The root of a tree, and how many branching nodes its sides may have.
#[derive(Clone, Copy, Debug)]
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

impl Searcher<'_> {
    /// Best tree of depth two with at most `budget` branching nodes, if it costs less than `upper`.
    pub(super) fn depth_two(&mut self, node: &Node, budget: u32, upper: Cost) -> Solved {
        match self.shared.lane_width(node) {
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
        }
    }

    /// The tree with a root on a node of depth two or three, its subtrees no deeper than two levels.
    pub(super) fn tree_of(&mut self, node: &Node, root: Root) -> Option<Arc<Shape>> {
        let (inside, outside) = node.partition(root.column, root.split);
        let column = &node.columns[root.column];
        let feature = self.paid.feature_of(column);
        let is_new = self.paid.push(feature);
        let sides = [(inside, root.inside), (outside, root.outside)].map(|(rows, nodes)| {
            if nodes == 0 {
                return Some(Shape::leaf());
            }
            let child = node.child(&rows);
            self.tree_at_last(&child, nodes)
        });
        if is_new {
            self.paid.pop(feature);
        }
        let [inside, outside] = sides;
        Some(Shape::branch(
            column.problem_split(root.split),
            inside?,
            outside?,
        ))
    }

    /// The best tree of depth one or two, whatever the clock says unless that takes long; `None` if it was stopped.
    pub(super) fn tree_at_last(&mut self, node: &Node, budget: u32) -> Option<Arc<Shape>> {
        /// Cells whose filling takes no time to speak of.
        const QUICK: usize = 1 << 26;
        let solved = if budget == 1 {
            self.depth_one(node)
        } else {
            let splits: usize = node.columns.iter().map(|column| column.n_splits).sum();
            let work = (node.len() * node.columns.len()).saturating_mul(splits);
            self.stoppable = work > QUICK;
            let solved = self.depth_two(node, budget, UNREACHABLE);
            self.stoppable = true;
            solved
        };
        solved.tree.map(|(_, tree)| tree)
    }

    fn score_node<T: Lane>(
        &mut self,
        node: &Node,
        budget: u32,
        upper: Cost,
        workspace: &mut Workspace<T>,
    ) -> Solved {
        let prepared = Prepared::new::<T>(node, self.shared, node.len(), 1);
        let mut margins = Margins::default();
        if !self.fill_total(&prepared, workspace, &mut margins) {
            return Solved::at_least(self.shared.scale.node);
        }
        let Workspace {
            total,
            rates,
            charges: [charges, _],
            children: [children, _],
            ..
        } = workspace;
        let buffers = (&mut *rates, &mut *charges, &mut *children);
        let costs = self.score_total(&prepared, &margins, total, buffers).exact;
        let leaf = self.leaf_cost(node);
        let least = leaf.min(cheapest(&costs, budget));
        if least >= upper {
            return Solved::at_least(least);
        }
        if least == leaf {
            return Solved::exactly(leaf, Shape::leaf());
        }
        let rule = self.shared.rule;
        let scale = self.shared.scale;
        let root = (0..prepared.layout.n_splits).find_map(|g| {
            let scores = scores_of_root(&prepared.layout, rule, total, charges, children, g);
            (0..4).find_map(|which| {
                let (inside, outside) = (which & 1, which >> 1);
                let nodes = 1 + inside + outside;
                let score = scores[inside][outside];
                // A forbidden leaf's score is no loss: it may not even fit a cost.
                if nodes > budget as usize || score < 0 {
                    return None;
                }
                let loss = scale.loss(node.potential * self.shared.priced.unit - score);
                let (column, split) = prepared.layout.locate(g);
                (loss + nodes as Cost * scale.node == least).then_some(Root {
                    column,
                    split,
                    inside: inside as u32,
                    outside: outside as u32,
                })
            })
        });
        match root.and_then(|root| self.tree_of(node, root)) {
            Some(tree) => Solved::exactly(least, tree),
            None => Solved::at_least(self.shared.scale.node),
        }
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
