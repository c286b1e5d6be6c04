//! From a Lagrangian bound to a proof: enumerate all trees below a price limit that rises until a fair one is found.

use super::fronts::Fronts;
use super::point::{Point, Sums};
use super::records::Records;
use super::relaxation::{Prices, Relaxation};
use crate::search::cost::Scale;
use crate::search::node::Node;
use crate::search::searcher::{Searcher, Shared, full_budget};
use crate::search::{Control, Params};
use crate::tree::Tree;

/// What is known before, and after, the proof.
#[derive(Clone, Debug)]
pub struct Proof {
    /// The tree with fewest errors within the allowances, if one with fewer than the upper bound was found.
    pub tree: Option<(i64, Tree)>,
    /// No tree within the allowances has fewer errors.
    pub lower: i64,
}

/// Bounds between which the proof searches.
#[derive(Clone, Copy, Debug)]
pub struct Range {
    /// No tree within the allowances has fewer errors.
    pub lower: i64,
    /// Only trees with fewer errors are of interest.
    pub upper: i64,
}

/// The first price limit lies that share of the lower bound above it: bounds are mostly good, and the work grows fast with the limit.
const FIRST_SHARE: i64 = 400;
/// Growth of that step from limit to limit.
const GROWTH: i64 = 3;

/// Find the tree with fewest errors within the allowances of `relaxation`.
pub fn prove(
    records: &mut Records,
    relaxation: &Relaxation,
    params: &Params,
    control: &Control,
    range: Range,
    go_on: &mut dyn FnMut(i64) -> bool,
) -> Proof {
    // Fronts have a fixed number of uses; those without a constraint stay zero.
    match relaxation.constraints.len() {
        0 | 1 => prove_with::<1>(records, relaxation, params, control, range, go_on),
        2 => prove_with::<2>(records, relaxation, params, control, range, go_on),
        3 | 4 => prove_with::<4>(records, relaxation, params, control, range, go_on),
        5..=8 => prove_with::<8>(records, relaxation, params, control, range, go_on),
        9..=16 => prove_with::<16>(records, relaxation, params, control, range, go_on),
        _ => prove_with::<64>(records, relaxation, params, control, range, go_on),
    }
}

fn prove_with<const A: usize>(
    records: &mut Records,
    relaxation: &Relaxation,
    params: &Params,
    control: &Control,
    range: Range,
    go_on: &mut dyn FnMut(i64) -> bool,
) -> Proof {
    let prices = relaxation.prices();
    for (costs, &price) in records.problem.costs.chunks_exact_mut(2).zip(&prices.rows) {
        costs[0] = (-price).max(0);
        costs[1] = price.max(0);
    }
    let problem = &records.problem;
    let mut allowances = [0; A];
    for (allowance, constraint) in allowances.iter_mut().zip(&relaxation.constraints) {
        *allowance = constraint.allowance;
    }
    let counted = params.counts_records();
    let node = Node::root(problem, counted, true);
    let shared = Shared {
        scale: Scale::new(0.0, i64::MAX / Scale::STEPS),
        ..Shared::new(problem, params, control)
    };
    let depth = params.max_depth.min(params.budget());
    let budget = params.budget().min(full_budget(depth));
    let mut proof = Proof {
        tree: None,
        lower: range.lower,
    };
    let mut step = (range.lower / FIRST_SHARE).max(1);
    let mut target = range.lower;
    while proof.lower < range.upper {
        target = (target + step).min(range.upper - 1);
        step *= GROWTH;
        let lower = proof.lower;
        let mut ask = || go_on(lower);
        let sized = budget < full_budget(depth);
        let searcher = Searcher::new(&shared);
        let rows = statistics(relaxation, &prices, &problem.counts);
        let mut root = Root {
            fronts: Fronts::<A>::new(problem, rows, searcher, sized, &mut ask),
            relaxation,
            prices: &prices,
            allowances,
            most_errors: target,
            tree: None,
        };
        root.search(&node, depth, budget);
        let stopped = root.fronts.stopped || control.stopped();
        if let Some(found) = root.tree.take() {
            if !stopped {
                proof.lower = found.0;
            }
            proof.tree = Some(found);
            return proof;
        }
        if stopped {
            return proof;
        }
        proof.lower = target + 1;
    }
    proof
}

fn statistics<const A: usize>(
    relaxation: &Relaxation,
    prices: &Prices,
    counts: &[u32],
) -> Vec<Sums<A>> {
    let sums = |row: usize| {
        let mut uses = [0; A];
        for (slot, constraint) in uses.iter_mut().zip(&relaxation.constraints) {
            *slot = constraint.uses[row];
        }
        Sums {
            price: prices.rows[row],
            errors: relaxation.errors[row],
            uses,
            count: i64::from(counts[row]),
        }
    };
    (0..prices.rows.len()).map(sums).collect()
}

/// The root needs no front: of its trees only the best within the allowances matters.
struct Root<'a, const A: usize> {
    fronts: Fronts<'a, A>,
    relaxation: &'a Relaxation,
    prices: &'a Prices,
    allowances: [i64; A],
    /// Only trees with at most so many errors are of interest; falls as trees are found.
    most_errors: i64,
    tree: Option<(i64, Tree)>,
}

impl<const A: usize> Root<'_, A> {
    fn limit(&self) -> i64 {
        self.relaxation.most_price(self.prices, self.most_errors)
    }

    fn search(&mut self, node: &Node, depth: u32, budget: u32) {
        if depth == 0 {
            return;
        }
        let limit = self.limit();
        for survivor in self.fronts.survivors(node, depth, budget, limit) {
            let limit = self.limit();
            if survivor.inside + survivor.outside > limit {
                continue;
            }
            if self.fronts.is_stopped() {
                return;
            }
            let (inside, outside) = self.fronts.children(node, &survivor, depth, budget, limit);
            let split = node.columns[survivor.column].problem_split(survivor.split);
            if let Some((errors, a, b)) = self.best_pair(&inside, &outside, budget) {
                self.tree = Some((errors, self.fronts.tree(split, &a, &b)));
                self.most_errors = errors - 1;
            }
        }
    }

    /// The pair of subtrees with fewest errors within the allowances, if few enough; fronts are in rising order of errors.
    fn best_pair(
        &self,
        inside: &[Point<A>],
        outside: &[Point<A>],
        budget: u32,
    ) -> Option<(i64, Point<A>, Point<A>)> {
        let base = self.relaxation.base;
        let mut most = self.most_errors - base;
        let mut best = None;
        let least = outside.first()?.errors;
        for a in inside {
            if a.errors + least > most || self.fronts.control().stopped() {
                break;
            }
            for b in outside {
                let errors = a.errors + b.errors;
                if errors > most {
                    break;
                }
                let mut uses = a.uses.iter().zip(&b.uses).zip(&self.allowances);
                if a.nodes + b.nodes < budget && uses.all(|((a, b), allowance)| a + b <= *allowance)
                {
                    best = Some((errors + base, *a, *b));
                    most = errors - 1;
                }
            }
        }
        best
    }
}
