//! The recursion: leaves, single splits, depth two outright, and branch and bound above.

use std::sync::Arc;

use hashbrown::HashMap;

use super::paid::Paid;
use super::rows::{Rows, Set, Side};
use crate::search::cost::{Cost, Scale, UNREACHABLE};
use crate::search::{Control, Observer, Progress, Shape, Stop, full_budget};
use crate::table::{Kind, SplitRef};

/// A tree for a set, and what is proven of it.
#[derive(Clone, Debug)]
pub struct Answer {
    /// No tree costs less.
    pub lower: Cost,
    /// Cost of `shape`; `lower` if that is proven best.
    pub cost: Cost,
    /// The tree.
    pub shape: Arc<Shape>,
}

impl Answer {
    /// A best tree.
    pub fn exactly(cost: Cost, shape: Arc<Shape>) -> Self {
        Self {
            lower: cost,
            cost,
            shape,
        }
    }
}

/// One search.
pub struct Solver<'a> {
    /// Rows and their numbers.
    pub rows: &'a Rows<'a>,
    /// What the path to the current node has paid.
    pub paid: Paid<'a>,
    /// How losses and node prices add up.
    pub scale: Scale,
    /// Flag and clock.
    pub control: &'a Control,
    /// Told now and then.
    pub observer: &'a mut dyn Observer,
    /// Results of subproblems, by set and what was paid, depth and nodes.
    pub cache: HashMap<(u128, u32, u32), Answer>,
    /// Most results to keep.
    pub cache_size: usize,
    /// Objective of the best complete tree so far, for progress.
    pub incumbent: f64,
    /// Subproblems solved.
    pub n_nodes: u64,
}

/// Splits `first..end` of an ordered column that are still open, between two that are known.
#[derive(Clone, Copy)]
struct Stretch {
    first: u32,
    end: u32,
    /// Least cost of the inside at the split before, and of the outside at the split after.
    inside: Cost,
    outside: Cost,
}

/// What surrounds the choice of one split.
#[derive(Clone, Copy)]
struct Place {
    depth: u32,
    budget: u32,
    upper: Cost,
    /// What the split itself costs: its node, and its feature if that is not paid yet.
    price: Cost,
}

impl Solver<'_> {
    /// Find the best tree of at most `depth` levels and `budget` branching nodes.
    ///
    /// If no tree costs less than `upper`, any tree may come back, with a lower bound of at least `upper`.
    pub fn solve(&mut self, set: &Set, depth: u32, budget: u32, upper: Cost) -> Answer {
        let depth = depth.min(budget);
        let budget = budget.min(full_budget(depth));
        let leaf = Answer::exactly(self.leaf(&set.sums), Shape::leaf());
        let lower = self.quick_lower(&set.sums);
        if depth == 0 || lower >= leaf.cost {
            return leaf;
        }
        if depth == 1 {
            return self.depth_one(set, leaf);
        }
        if lower >= upper {
            return Answer { lower, ..leaf };
        }
        self.poll();
        if self.control.stopped() {
            return Answer { lower, ..leaf };
        }
        let key = (set.key.wrapping_add(self.paid.key), depth, budget);
        if let Some(known) = self.cache.get(&key)
            && (known.lower >= known.cost || known.lower >= upper)
        {
            return known.clone();
        }
        let answer = if depth == 2 {
            self.depth_two(set, budget, upper)
        } else {
            self.branch(set, depth, budget, upper)
        };
        if self.cache.len() >= self.cache_size {
            self.cache.clear();
        }
        self.cache.insert(key, answer.clone());
        answer
    }

    /// Cost of a set as a leaf.
    pub fn leaf(&self, sums: &[i64]) -> Cost {
        self.scale.loss(self.rows.leaf(sums))
    }

    /// What no tree for a set can cost less than: a leaf, or the cheapest test and then no error that can be helped.
    pub fn quick_lower(&self, sums: &[i64]) -> Cost {
        let leaf = self.leaf(sums);
        let floor = self.scale.loss(self.rows.floor(sums)) + self.scale.node;
        if floor >= leaf {
            return leaf;
        }
        leaf.min(floor + self.scale.loss(self.paid.cheapest(self.rows.dues(sums))))
    }

    /// What a split on a column costs: its node, and its feature if that is not paid yet.
    pub fn price(&self, column: usize, sums: &[i64]) -> Cost {
        let feature = self.rows.priced.feature_of_column[column];
        let charge = self.paid.charge(feature, self.rows.dues(sums));
        self.scale.loss(charge) + self.scale.node
    }

    /// Whether the least cost of the side inside rises along the splits of a column, and that of the side outside falls.
    ///
    /// Sides nest along an ordered column. But with a least size of leaves, a smaller side may have no tree to match, and
    /// with unequal discounts, leaving out a test that parts nothing any more may lose the discount of another.
    pub fn sides_nest(&self, column: usize) -> bool {
        self.rows.priced.problem.columns[column].kind == Kind::Ordered
            && self.rows.min_records <= 1
            && self.rows.priced.is_order_free
    }

    fn depth_one(&self, set: &Set, leaf: Answer) -> Answer {
        let mut histogram = self.rows.histogram();
        for &row in &set.rows {
            self.rows.count(&mut histogram, row);
        }
        let most = self.rows.leaf(&set.sums);
        match self
            .rows
            .best_split(&histogram, &set.sums, &self.paid, most)
        {
            Some((units, split)) if self.scale.loss(units) + self.scale.node < leaf.cost => {
                Answer::exactly(
                    self.scale.loss(units) + self.scale.node,
                    Shape::branch(split, Shape::leaf(), Shape::leaf()),
                )
            }
            _ => leaf,
        }
    }

    /// Depth three and more: every split, or a reason why it cannot be better.
    fn branch(&mut self, set: &Set, depth: u32, budget: u32, upper: Cost) -> Answer {
        // The best shallower tree is quickly found, and bounds what follows.
        let shallow = self.solve(set, depth - 1, budget, upper);
        let mut best = Answer {
            lower: UNREACHABLE,
            ..shallow
        };
        for column in 0..self.rows.priced.problem.columns.len() {
            let place = Place {
                depth,
                budget,
                upper,
                price: self.price(column, &set.sums),
            };
            let feature = self.rows.priced.feature_of_column[column];
            let is_new = self.paid.push(feature);
            self.branch_on(set, column, place, &mut best);
            if is_new {
                self.paid.pop(feature);
            }
        }
        // What was left open may be dearer than the best tree.
        let lower = best.lower.min(best.cost);
        Answer { lower, ..best }
    }

    /// Try the splits of a column, whose feature is paid. Lowers `best.lower` to what is proven of them.
    fn branch_on(&mut self, set: &Set, index: usize, place: Place, best: &mut Answer) {
        let floor = self.scale.loss(self.rows.floor(&set.sums));
        let n_splits = self.rows.priced.problem.columns[index].n_splits as u32;
        let whole = Stretch {
            first: 0,
            end: n_splits,
            inside: 0,
            outside: 0,
        };
        let mut waiting = if self.sides_nest(index) {
            vec![whole]
        } else {
            (0..n_splits)
                .rev()
                .map(|s| Stretch {
                    first: s,
                    end: s + 1,
                    ..whole
                })
                .collect()
        };
        while let Some(stretch) = waiting.pop() {
            if stretch.first >= stretch.end {
                continue;
            }
            let bound = place.price + floor.max(stretch.inside + stretch.outside);
            if bound >= best.cost.min(place.upper) || self.control.stopped() {
                best.lower = best.lower.min(bound);
                continue;
            }
            let middle = stretch.first + (stretch.end - stretch.first) / 2;
            let split = SplitRef {
                column: index as u32,
                split: middle,
            };
            let mut below = Stretch {
                end: middle,
                ..stretch
            };
            let mut above = Stretch {
                first: middle + 1,
                ..stretch
            };
            match self.rows.part(set, split) {
                Err(Side::Inside) => waiting.push(above),
                Err(Side::Outside) => waiting.push(below),
                Err(Side::TooSmall) => {}
                Ok(sides) => {
                    [above.inside, below.outside] = self.try_split(split, &sides, place, best);
                    waiting.push(above);
                    waiting.push(below);
                }
            }
        }
    }

    /// Solve both sides of a split. Returns lower bounds on the inside and on the outside; lowers `best.lower` to what is
    /// proven of any tree with this split.
    fn try_split(
        &mut self,
        split: SplitRef,
        (inside, outside): &(Set, Set),
        place: Place,
        best: &mut Answer,
    ) -> [Cost; 2] {
        let side_full = full_budget(place.depth - 1);
        let rest = place.budget - 1;
        let most = side_full.min(rest);
        let shares: Vec<(u32, u32)> = if rest < 2 * side_full {
            (rest - most..=most)
                .rev()
                .map(|nodes| (nodes, rest - nodes))
                .collect()
        } else {
            vec![(most, most)]
        };
        let quick = [inside, outside].map(|side| self.quick_lower(&side.sums));
        let mut lowers = quick;
        for (inside_nodes, outside_nodes) in shares {
            let limit = best.cost.min(place.upper) - place.price;
            let a = self.solve(inside, place.depth - 1, inside_nodes, limit - quick[1]);
            if inside_nodes == most {
                lowers[0] = lowers[0].max(a.lower);
            }
            if a.lower + quick[1] >= limit {
                best.lower = best.lower.min(a.lower + quick[1] + place.price);
                continue;
            }
            let b = self.solve(outside, place.depth - 1, outside_nodes, limit - a.lower);
            if outside_nodes == most {
                lowers[1] = lowers[1].max(b.lower);
            }
            best.lower = best.lower.min(a.lower + b.lower + place.price);
            let cost = a.cost + b.cost + place.price;
            if cost < best.cost {
                best.cost = cost;
                best.shape = Shape::branch(split, a.shape, b.shape);
            }
        }
        lowers
    }

    fn poll(&mut self) {
        self.n_nodes += 1;
        if self.n_nodes.is_multiple_of(16) {
            let progress = Progress {
                elapsed: self.control.elapsed(),
                objective: self.incumbent,
                lower_bound: 0.0,
                depth: 0,
                nodes: self.n_nodes,
            };
            if !self.observer.poll(&progress) {
                self.control.stop(Stop::Interrupt);
            }
        }
    }
}
