//! Exact search for few splits: every box that the splits can leave is solved once, from the leaves up.
//!
//! A node of a tree is a box: one set of codes per column (an interval, one category, or all but a few). Few splits on coded columns leave
//! few boxes - the top 20 splits of a forest lie on 2 to 8 columns - so all of them within D splits fit in memory. Level 0 holds each
//! box's cost as a leaf; level d, over the boxes within D - d splits, the least cost of a tree of depth d: the box as it is at level
//! d - 1, or the best split into two boxes of level d - 1. No bound and no row is looked at after level 0, so the time hardly depends on the
//! data.
//!
//! Where tests cost something, what a box was tested for is seen from the columns that are cut, so prices need no state of their own
//! ([`TestPrices`]): only the weight of each box beside its cost.
//!
//! The idea of solving small sets of splits over all their subcubes follows from the candidate sets of Adaptive STreeD; the boxes of
//! coded columns are what keeps their number low.

mod leaves;
mod level;
mod plan;
mod prices;
mod ranks;
mod states;
mod trace;
mod value;

use std::sync::Arc;

use self::leaves::{Masses, leaves};
use self::level::{Level, next_level};
pub use self::plan::{Plan, expected_work, is_short, loss_beyond};
pub use self::prices::{Charging, TestPrices};
use self::ranks::Ranks;
use self::trace::shape;
use self::value::Value;
use super::control::Control;
use super::cost::{Cost, Scale};
use super::kernel::score::LeafRule;
use super::shape::Shape;
use crate::problem::Problem;

/// What the cube solver found: the deepest level that was finished, with the boxes solved on the way.
#[derive(Clone, Debug)]
pub struct CubeResult {
    /// The best tree of that depth, and its cost; `None` if not even the leaves were finished or every tree breaks the limits.
    pub tree: Option<(Cost, Arc<Shape>)>,
    /// Whether that depth is the one asked for.
    pub finished: bool,
    /// Boxes solved.
    pub boxes: u64,
}

/// Solve `problem` as planned. Costs are in units of price.
pub fn solve<P: TestPrices>(
    problem: &Problem,
    plan: &Plan,
    scale: Scale,
    rule: LeafRule,
    charging: &Charging<'_, P>,
    n_threads: usize,
    control: &Control,
) -> CubeResult {
    let job = Job {
        problem,
        plan,
        rule,
        charging,
        n_threads,
        control,
    };
    if plan.narrow {
        // Costs count branching nodes in place of the finer steps of the search.
        let steps = plan.steps();
        let back = |cost: i64| scale.loss(cost / steps) + cost % steps * scale.node;
        job.run::<i32>(steps, 1, back)
    } else {
        job.run::<i64>(scale.per_unit, scale.node, |cost| cost)
    }
}

struct Job<'a, P> {
    problem: &'a Problem,
    plan: &'a Plan,
    rule: LeafRule,
    charging: &'a Charging<'a, P>,
    n_threads: usize,
    control: &'a Control,
}

impl<P: TestPrices> Job<'_, P> {
    /// Level by level; `back` turns a cost of this type into one of the search.
    fn run<T: Value>(&self, per_unit: i64, node: i64, back: impl Fn(i64) -> Cost) -> CubeResult {
        let Plan { depth, planes, .. } = self.plan;
        let columns = &self.plan.columns(self.problem);
        let masses = Masses::<T>::new(
            self.problem,
            columns,
            self.charging.weights,
            self.rule.min_records,
            per_unit * self.charging.unit,
        );
        let prices = (&self.charging.prices, T::narrow(per_unit));
        let ranks = Ranks::new(columns, *depth);
        let mut boxes = 0;
        let mut levels: Vec<Level<T>> = Vec::new();
        for level in 0..=*depth {
            let next = match levels.last() {
                None => leaves(&masses, columns, &ranks, self.control).map(|leaves| Level {
                    ranks: ranks.clone(),
                    planes: vec![leaves.costs],
                    weights: leaves.weights,
                }),
                Some(below) => next_level(
                    columns,
                    below,
                    Ranks::new(columns, depth - level),
                    planes[level as usize],
                    T::narrow(node),
                    prices,
                    self.n_threads,
                    self.control,
                ),
            };
            let Some(next) = next else { break };
            boxes += next.ranks.n_boxes() as u64;
            levels.push(next);
        }
        let finished = levels.len() as u32 == depth + 1;
        // The whole table comes first, and its last plane is the largest budget.
        let root = levels
            .last()
            .and_then(|level| level.planes.last())
            .map(|plane| plane[0]);
        let tree = root.filter(|&cost| cost < T::UNREACHABLE).map(|cost| {
            let tree = shape(columns, &levels, T::narrow(node), prices);
            (back(cost.widen()), tree)
        });
        CubeResult {
            tree,
            finished,
            boxes,
        }
    }
}
