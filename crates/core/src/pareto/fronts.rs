//! The fronts of a node: all trees worth looking at, by errors and use of allowances.
//!
//! A subtree is worth looking at if the rest of the tree could still bring the Lagrangian price below the limit. What the rest costs at
//! least is known from the scalar search, which thus passes each child the limit less the other child's least price. Among the subtrees
//! that are left, one that has no more errors and uses no more of any allowance stands in for another.

use std::rc::Rc;

use hashbrown::HashMap;

use super::columns::{Spans, collect_leaves};
use super::point::{LEAF, Point, Sums, keep_front, keep_front_until};
use crate::problem::Problem;
use crate::search::Control;
use crate::search::cache::Key;
use crate::search::cost::Scale;
use crate::search::node::Node;
use crate::search::searcher::{Searcher, full_budget};
use crate::table::SplitRef;
use crate::tree::{Tree, TreeNode};

/// A root split whose children's least prices leave room below the limit.
#[derive(Clone, Copy, Debug)]
pub struct Survivor {
    /// Local column.
    pub column: usize,
    /// Local split.
    pub split: usize,
    /// Least price where the split is true.
    pub inside: i64,
    /// Least price where it is false.
    pub outside: i64,
}

/// Fronts over one set of prices.
pub struct Fronts<'a, const A: usize> {
    problem: &'a Problem,
    /// Statistics of each row of the problem.
    rows: Vec<Sums<A>>,
    searcher: Searcher<'a>,
    min_records: i64,
    /// Whether the node budget binds, so that a smaller subtree is not covered by a larger one.
    sized: bool,
    first_split: Vec<u32>,
    splits: Vec<SplitRef>,
    /// Subtrees that others refer to; the first two are the leaves.
    grown: Vec<Point<A>>,
    known: HashMap<Key, Known<A>>,
    /// Asked now and then whether to go on.
    go_on: &'a mut dyn FnMut() -> bool,
    /// Whether that was denied: fronts are incomplete from then on.
    pub stopped: bool,
}

/// A front, and the limit up to which it is complete.
type Known<const A: usize> = (i64, Rc<Vec<Point<A>>>);

/// Fronts kept; beyond that they are forgotten and found again.
const MOST_KNOWN: usize = 1 << 14;
/// Points gathered before covered ones are dropped.
const MOST_GATHERED: usize = 1 << 16;

impl<'a, const A: usize> Fronts<'a, A> {
    /// Over the rows of `problem`, whose costs are the prices.
    pub fn new(
        problem: &'a Problem,
        rows: Vec<Sums<A>>,
        searcher: Searcher<'a>,
        sized: bool,
        go_on: &'a mut dyn FnMut() -> bool,
    ) -> Self {
        let mut first_split = Vec::new();
        let mut splits = Vec::new();
        for (column, reader) in problem.columns.iter().enumerate() {
            first_split.push(splits.len() as u32);
            splits.extend((0..reader.n_splits as u32).map(|split| SplitRef {
                column: column as u32,
                split,
            }));
        }
        let leaf = |label| Point {
            price: 0,
            errors: 0,
            uses: [0; A],
            nodes: 0,
            split: LEAF,
            inside: label,
            outside: label,
        };
        Self {
            problem,
            rows,
            min_records: searcher.shared.rule.min_records,
            sized,
            searcher,
            first_split,
            splits,
            grown: vec![leaf(0), leaf(1)],
            known: HashMap::new(),
            go_on,
            stopped: false,
        }
    }

    /// Whether to stop.
    pub fn is_stopped(&mut self) -> bool {
        self.stopped = self.stopped || !(self.go_on)();
        self.stopped
    }

    /// Clock and limits.
    pub fn control(&self) -> &'a Control {
        self.searcher.shared.control
    }

    /// Statistics of all rows of a node.
    fn total(&self, node: &Node) -> Sums<A> {
        let mut total = Sums::ZERO;
        for &row in &node.rows {
            total += &self.rows[row as usize];
        }
        total
    }

    /// What a node's rows save when exactly those with a negative price are labelled positive: prices and losses differ by that.
    fn savings(&self, node: &Node) -> i64 {
        node.rows
            .iter()
            .map(|&row| (-self.rows[row as usize].price).max(0))
            .sum()
    }

    /// The front of a node's trees of at most that depth, with at most `budget` branching nodes and of a price of at most `limit`.
    pub fn front(&mut self, node: &Node, depth: u32, budget: u32, limit: i64) -> Rc<Vec<Point<A>>> {
        let depth = depth.min(budget);
        let budget = budget.min(full_budget(depth));
        if depth == 0 || node.columns.is_empty() {
            let mut points = Vec::new();
            collect_leaves(&self.total(node), self.min_records, limit, &mut points);
            keep_front(&mut points, self.sized);
            return Rc::new(points);
        }
        if depth == 1 {
            return Rc::new(self.one_split(node, limit));
        }
        let key = Key {
            rows: node.key,
            depth: depth as u8,
            budget,
        };
        if let Some((complete, points)) = self.known.get(&key)
            && *complete >= limit
        {
            return points.clone();
        }
        let points = Rc::new(if depth == 2 {
            self.two_levels(node, budget, limit)
        } else {
            self.more_levels(node, depth, budget, limit)
        });
        if !self.is_stopped() {
            if self.known.len() >= MOST_KNOWN {
                self.known.clear();
            }
            self.known.insert(key, (limit, points.clone()));
        }
        points
    }

    /// Leaves and single splits.
    fn one_split(&self, node: &Node, limit: i64) -> Vec<Point<A>> {
        let spans = Spans::new(node, &self.first_split);
        let bins = self.histogram(node, &spans);
        let mut points = Vec::new();
        spans.collect(
            &bins,
            &self.total(node),
            self.min_records,
            limit,
            &mut points,
        );
        keep_front(&mut points, self.sized);
        points
    }

    fn histogram(&self, node: &Node, spans: &Spans) -> Vec<Sums<A>> {
        let mut bins = vec![Sums::ZERO; spans.n_bins];
        for (local, &row) in node.rows.iter().enumerate() {
            spans.add(node.row(local), &self.rows[row as usize], &mut bins);
        }
        bins
    }

    /// Depth two: walk the splits of every column, keeping the histograms of both sides.
    fn two_levels(&mut self, node: &Node, budget: u32, limit: i64) -> Vec<Point<A>> {
        let spans = Spans::new(node, &self.first_split);
        let all = self.histogram(node, &spans);
        let total = self.total(node);
        let mut gathered = Gathered::new(self.control(), budget, limit, self.sized);
        collect_leaves(&total, self.min_records, limit, &mut gathered.points);
        let mut inside = vec![Sums::ZERO; spans.n_bins];
        let mut outside = all.clone();
        let mut sides = [Vec::new(), Vec::new()];
        for (column, span) in spans.columns.iter().enumerate() {
            if self.is_stopped() {
                break;
            }
            let (by_code, starts) = node.rows_by_code(column);
            inside.fill(Sums::ZERO);
            let mut inside_total = Sums::ZERO;
            for (code, &split) in span.splits.iter().enumerate() {
                if self.control().stopped() {
                    break;
                }
                if !span.ordered {
                    inside.fill(Sums::ZERO);
                    inside_total = Sums::ZERO;
                }
                for &local in &by_code[starts[code]..starts[code + 1]] {
                    let row = &self.rows[node.rows[local as usize] as usize];
                    spans.add(node.row(local as usize), row, &mut inside);
                    inside_total += row;
                }
                for ((rest, all), part) in outside.iter_mut().zip(&all).zip(&inside) {
                    *rest = *all;
                    *rest -= part;
                }
                let mut outside_total = total;
                outside_total -= &inside_total;
                let least_in = spans.least_price(&inside, &inside_total, self.min_records);
                let least_out = spans.least_price(&outside, &outside_total, self.min_records);
                if least_in.saturating_add(least_out) > limit {
                    continue;
                }
                let parts = [
                    (&inside, &inside_total, least_out),
                    (&outside, &outside_total, least_in),
                ];
                for (side, (bins, sum, other)) in sides.iter_mut().zip(parts) {
                    side.clear();
                    spans.collect(bins, sum, self.min_records, limit - other, side);
                    keep_front(side, self.sized);
                }
                gathered.combine(split, &sides[0], &sides[1]);
            }
        }
        gathered.finish(&mut self.grown)
    }

    /// Depth three and more: fronts of both children of every split that survives.
    fn more_levels(&mut self, node: &Node, depth: u32, budget: u32, limit: i64) -> Vec<Point<A>> {
        let mut gathered = Gathered::new(self.control(), budget, limit, self.sized);
        collect_leaves(
            &self.total(node),
            self.min_records,
            limit,
            &mut gathered.points,
        );
        for survivor in self.survivors(node, depth, budget, limit) {
            if self.is_stopped() {
                break;
            }
            let (inside, outside) = self.children(node, &survivor, depth, budget, limit);
            let split = node.columns[survivor.column].problem_split(survivor.split);
            let split = self.first_split[split.column as usize] + split.split;
            gathered.combine(split, &inside, &outside);
        }
        gathered.finish(&mut self.grown)
    }

    /// Fronts of both children of a split.
    pub fn children(
        &mut self,
        node: &Node,
        survivor: &Survivor,
        depth: u32,
        budget: u32,
        limit: i64,
    ) -> (Rc<Vec<Point<A>>>, Rc<Vec<Point<A>>>) {
        let (inside, outside) = node.partition(survivor.column, survivor.split);
        let inside = self.front(
            &node.child(&inside),
            depth - 1,
            budget - 1,
            limit - survivor.outside,
        );
        if inside.is_empty() {
            return (inside.clone(), inside);
        }
        // The front tells the child's least price in this node budget at least as well as the bound.
        let least = inside
            .iter()
            .map(|point| point.price)
            .min()
            .unwrap_or(survivor.inside);
        let least = if self.stopped {
            survivor.inside
        } else {
            least.max(survivor.inside)
        };
        let outside = self.front(&node.child(&outside), depth - 1, budget - 1, limit - least);
        (inside, outside)
    }

    /// Splits whose children's least prices add up to at most `limit`, the most promising first.
    pub fn survivors(&mut self, node: &Node, depth: u32, budget: u32, limit: i64) -> Vec<Survivor> {
        let mut found = Vec::new();
        let most = limit.saturating_add(self.savings(node));
        if depth == 3 && self.searcher.uses_table(node) {
            self.sweep(node, budget, most, &mut found);
        } else {
            self.try_columns(node, depth, budget, most, &mut found);
        }
        found.sort_by_key(|survivor| {
            (
                survivor.inside + survivor.outside,
                survivor.column,
                survivor.split,
            )
        });
        found
    }

    /// Depth three: the scalar sweep bounds all splits at once.
    fn sweep(&mut self, node: &Node, budget: u32, most: i64, found: &mut Vec<Survivor>) {
        let upper = (most.max(-1) + 1).saturating_mul(Scale::STEPS);
        let roots = self.searcher.roots_below(node, budget, upper);
        self.stopped = self.stopped || self.control().stopped();
        let savings = self.savings(node);
        for root in roots {
            let (inside, _) = node.partition(root.column, root.split);
            let saved: i64 = inside
                .iter()
                .map(|&local| (-self.rows[node.rows[local as usize] as usize].price).max(0))
                .sum();
            found.push(Survivor {
                column: root.column,
                split: root.split,
                inside: root.inside / Scale::STEPS - saved,
                outside: root.outside / Scale::STEPS - (savings - saved),
            });
        }
    }

    /// Bound the splits of all columns one by one.
    fn try_columns(
        &mut self,
        node: &Node,
        depth: u32,
        budget: u32,
        most: i64,
        found: &mut Vec<Survivor>,
    ) {
        for column in 0..node.columns.len() {
            if self.is_stopped() {
                break;
            }
            let n_splits = node.columns[column].n_splits;
            if !node.columns[column].ordered || self.min_records > 0 {
                for split in 0..n_splits {
                    self.try_split(node, (column, split), depth, budget, most, found);
                }
                continue;
            }
            // Midpoints first: what is known on both sides of a stretch often rules it out (see `search::bounds`).
            let masses = self.masses(node, column);
            let mut stretches = vec![(0, n_splits, [0, i64::MIN / 4, 0], [i64::MIN / 4, 0, 0])];
            while let Some((from, to, left, right)) = stretches.pop() {
                let middle = (from + to) / 2;
                if from >= to || left[0] + right[1] > most || self.is_stopped() {
                    continue;
                }
                let mass = masses[middle + 1];
                let near = (left[0] + left[1] - (mass - left[2]))
                    .max(right[0] + right[1] - (right[2] - mass));
                if near > most {
                    stretches.push((from, middle, left, right));
                    stretches.push((middle + 1, to, left, right));
                    continue;
                }
                let losses = self.try_split(node, (column, middle), depth, budget, most, found);
                let here = [losses[0], losses[1], mass];
                stretches.push((from, middle, left, here));
                stretches.push((middle + 1, to, here, right));
            }
        }
    }

    /// Sum of absolute prices before each code of a column.
    fn masses(&self, node: &Node, column: usize) -> Vec<i64> {
        let (by_code, starts) = node.rows_by_code(column);
        let mut masses = vec![0; starts.len()];
        for code in 0..starts.len() - 1 {
            let rows = &by_code[starts[code]..starts[code + 1]];
            let mass: i64 = rows.iter().map(|&local| node.spreads[local as usize]).sum();
            masses[code + 1] = masses[code] + mass;
        }
        masses
    }

    /// Bound the losses of both sides of a split; keep it if they leave room.
    fn try_split(
        &mut self,
        node: &Node,
        (column, split): (usize, usize),
        depth: u32,
        budget: u32,
        most: i64,
        found: &mut Vec<Survivor>,
    ) -> [i64; 2] {
        let (inside, outside) = node.partition(column, split);
        let (inside, outside) = (node.child(&inside), node.child(&outside));
        let budget = budget - 1;
        let loss_in = self.least_loss(&inside, depth - 1, budget, most);
        let loss_out = self.least_loss(&outside, depth - 1, budget, most - loss_in);
        if loss_in + loss_out <= most {
            found.push(Survivor {
                column,
                split,
                inside: loss_in - self.savings(&inside),
                outside: loss_out - self.savings(&outside),
            });
        }
        [loss_in, loss_out]
    }

    /// Least loss of a node's trees, or a bound above `most`.
    fn least_loss(&mut self, node: &Node, depth: u32, budget: u32, most: i64) -> i64 {
        let upper = (most.max(-1) + 1).saturating_mul(Scale::STEPS);
        self.searcher.solve(node, depth, budget, upper).lower / Scale::STEPS
    }

    /// The tree of a split of the root and two of its children's subtrees.
    pub fn tree(&self, split: SplitRef, inside: &Point<A>, outside: &Point<A>) -> Tree {
        let split = self.first_split[split.column as usize] + split.split;
        let mut tree = Tree {
            nodes: Vec::new(),
            units: 0,
        };
        self.branch(&mut tree, split, inside, outside);
        tree
    }

    fn branch(
        &self,
        tree: &mut Tree,
        split: u32,
        inside: &Point<A>,
        outside: &Point<A>,
    ) -> Option<u32> {
        let at = tree.nodes.len();
        let SplitRef { column, split } = self.splits[split as usize];
        let split = self.problem.columns[column as usize].origin[split as usize];
        tree.nodes.push(TreeNode::Branch {
            split,
            inside: 0,
            outside: 0,
        });
        let first = tree.nodes.len() as u32;
        let a = self.grow(tree, inside);
        let second = tree.nodes.len() as u32;
        let b = self.grow(tree, outside);
        if let (Some(label), true) = (a, a == b) {
            tree.nodes.truncate(at);
            tree.nodes.push(TreeNode::Leaf { label });
            return Some(label);
        }
        tree.nodes[at] = TreeNode::Branch {
            split,
            inside: first,
            outside: second,
        };
        None
    }

    /// Append a subtree; returns its label if it is a leaf.
    fn grow(&self, tree: &mut Tree, point: &Point<A>) -> Option<u32> {
        if point.split == LEAF {
            tree.nodes.push(TreeNode::Leaf {
                label: point.inside,
            });
            return Some(point.inside);
        }
        let child = |at: u32| &self.grown[at as usize];
        self.branch(tree, point.split, child(point.inside), child(point.outside))
    }
}

/// Candidates of one node.
struct Gathered<'a, const A: usize> {
    control: &'a Control,
    budget: u32,
    limit: i64,
    sized: bool,
    points: Vec<Point<A>>,
    /// Subtrees of the children; points refer to them by place, shifted by the two leaves.
    pool: Vec<Point<A>>,
    /// Points that remained when covered ones were dropped last.
    kept: usize,
}

impl<'a, const A: usize> Gathered<'a, A> {
    fn new(control: &'a Control, budget: u32, limit: i64, sized: bool) -> Self {
        Self {
            control,
            budget,
            limit,
            sized,
            points: Vec::new(),
            pool: Vec::new(),
            kept: 0,
        }
    }

    /// Join every subtree on one side with every one on the other; some, if the search is stopped.
    fn combine(&mut self, split: u32, inside: &[Point<A>], outside: &[Point<A>]) {
        let first = self.pool.len() as u32;
        let second = first + inside.len() as u32;
        let mut added = false;
        for (i, a) in (first..).zip(inside) {
            if self.points.len() > MOST_GATHERED.max(2 * self.kept) {
                self.drop_covered();
            }
            if self.control.stopped() {
                break;
            }
            for (j, b) in (second..).zip(outside) {
                let (price, nodes) = (a.price + b.price, a.nodes + b.nodes + 1);
                if price > self.limit || nodes > self.budget {
                    continue;
                }
                let mut uses = a.uses;
                for (sum, value) in uses.iter_mut().zip(&b.uses) {
                    *sum += value;
                }
                let errors = a.errors + b.errors;
                added = true;
                self.points.push(Point {
                    price,
                    errors,
                    uses,
                    nodes,
                    split,
                    inside: i,
                    outside: j,
                });
            }
        }
        if added {
            self.pool.extend_from_slice(inside);
            self.pool.extend_from_slice(outside);
        }
    }

    fn drop_covered(&mut self) {
        keep_front_until(&mut self.points, self.sized, &|| self.control.stopped());
        self.kept = self.points.len();
    }

    /// The front; subtrees that it refers to move to `grown`.
    fn finish(mut self, grown: &mut Vec<Point<A>>) -> Vec<Point<A>> {
        self.drop_covered();
        let mut moved: HashMap<u32, u32> = HashMap::new();
        for point in self.points.iter_mut().filter(|point| point.nodes > 0) {
            for child in [&mut point.inside, &mut point.outside] {
                *child = *moved.entry(*child).or_insert_with(|| {
                    grown.push(self.pool[*child as usize]);
                    grown.len() as u32 - 1
                });
            }
        }
        self.points
    }
}
