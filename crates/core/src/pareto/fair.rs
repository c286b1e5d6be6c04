//! Fewest errors under a limit on the difference between groups.
//!
//! Allowances are enforced as they turn out to be needed: the tree with fewest errors comes first; while it treats two groups too
//! differently, that pair's difference is bounded from then on, in that direction. Each bound is a quantity of which less is never worse,
//! so fronts stay small; a difference that would then overshoot in the other direction brings in that bound as well. The final tree is
//! best for a subset of the limits and meets them all.

use super::additive::{Inside, solve_scalar};
use super::constraints::{Fairness, Rates};
use super::dual::raise_bound;
use super::records::Records;
use super::relaxation::Relaxation;
use super::stage::{Proof, Range, prove};
use crate::error::Error;
use crate::search::{Control, Observer, Params, Progress, Stop};
use crate::tree::{Tree, TreeNode};
use std::time::{Duration, Instant};

/// A tree with its errors and the largest difference between two groups' rates.
#[derive(Clone, Debug)]
pub struct FairTree {
    /// The tree.
    pub tree: Tree,
    /// Summed weight of its errors, in units.
    pub errors: i64,
    /// Largest difference between the rates of two groups.
    pub disparity: f64,
    /// Rate of each group.
    pub rates: Vec<f64>,
}

/// What a search under a limit found.
#[derive(Clone, Debug)]
pub struct FairOutcome {
    /// The best tree within the limit: at worst a constant one, whose disparity is 0.
    pub best: FairTree,
    /// No tree within the limit has fewer errors, in units.
    pub lower: i64,
    /// Whether the tree is proven best.
    pub is_optimal: bool,
    /// Of all trees met, those that no other beats in errors and disparity, in rising order of errors.
    pub met: Vec<FairTree>,
    /// Pairs of groups whose limit had to be enforced.
    pub n_enforced: usize,
}

/// Rates may exceed the limit by rounding.
pub const TOLERANCE: f64 = 1e-9;

/// The best fair tree so far, and the trade-off among the trees met.
#[derive(Debug)]
pub struct Incumbent<'r> {
    rates: &'r Rates,
    limit: f64,
    base: i64,
    /// Best tree within the limit.
    pub best: FairTree,
    met: Vec<FairTree>,
}

impl<'r> Incumbent<'r> {
    /// Start from the better constant tree.
    fn new(records: &Records, rates: &'r Rates, limit: f64) -> Self {
        let (negatives, positives) = (records.class_total(0), records.class_total(1));
        let label = u32::from(positives > negatives);
        let constant = FairTree {
            tree: Tree {
                nodes: vec![TreeNode::Leaf { label }],
                units: 0,
            },
            errors: positives.min(negatives),
            disparity: 0.0,
            rates: vec![f64::from(label); records.n_groups],
        };
        Self {
            rates,
            limit,
            base: positives,
            best: constant.clone(),
            met: vec![constant],
        }
    }

    /// Uses of each constraint's allowance by these cells.
    pub fn place(&self, relaxation: &Relaxation, cells: &[i64]) -> Vec<f64> {
        let rates = self.rates.rates(cells);
        relaxation
            .constraints
            .iter()
            .map(|constraint| {
                let scale = self.rates.scale(constraint.pair);
                (rates[constraint.pair.over] - rates[constraint.pair.under]) * scale
            })
            .collect()
    }

    /// Take a tree if it is better.
    pub fn offer(&mut self, tree: &Tree, cells: &[i64]) {
        let found = FairTree {
            tree: tree.clone(),
            errors: self.base + Relaxation::errors_of(cells),
            disparity: self.rates.widest(cells).1,
            rates: self.rates.rates(cells),
        };
        if found.disparity <= self.limit + TOLERANCE && found.errors < self.best.errors {
            self.best = found.clone();
        }
        let beats = |a: &FairTree, b: &FairTree| a.errors <= b.errors && a.disparity <= b.disparity;
        if !self.met.iter().any(|other| beats(other, &found)) {
            self.met.retain(|other| !beats(&found, other));
            let at = self
                .met
                .partition_point(|other| other.errors < found.errors);
            self.met.insert(at, found);
        }
    }
}

/// Find the tree with fewest errors among those for which the groups' rates differ by at most `limit`.
///
/// # Errors
/// [`Error::Parameter`] if the limit is not within 0 and 1 or a parameter is out of range, [`Error::Statistics`] if a group's rate is
/// undefined.
pub fn minimise_errors(
    records: &mut Records,
    fairness: Fairness,
    limit: f64,
    params: &Params,
    control: &Control,
    observer: &mut dyn Observer,
) -> Result<FairOutcome, Error> {
    if !(0.0..=1.0).contains(&limit) {
        return Err(Error::Parameter(format!(
            "the fairness limit is {limit}; it is the largest difference allowed between two groups' rates of positive predictions, \
             so it must be from 0 (equal rates: a constant tree reaches that) to 1 (no limit)"
        )));
    }
    let rates = Rates::new(records, fairness);
    if let Some(group) = rates.bases.iter().position(|&base| base == 0) {
        let what = match fairness {
            Fairness::DemographicParity => "records",
            Fairness::EqualOpportunity => "records of the positive class",
        };
        return Err(Error::Statistics(format!(
            "group {group} has no {what} of positive weight, so its rate is undefined; leave the group out or join it with another"
        )));
    }
    let mut incumbent = Incumbent::new(records, &rates, limit);
    let mut relaxation = Relaxation::new(records);
    let prices = relaxation.prices();
    let unit = records.problem.unit;
    let objective = incumbent.best.errors as f64 * unit;
    let mut inside = Inside {
        observer,
        objective,
        bound: 0.0,
    };
    let found = solve_scalar(records, &prices.rows, params, control, &mut inside)?;
    let mut lower = relaxation.least_errors(&prices, found.lower).max(0);
    incumbent.offer(&found.tree, &found.cells);
    let mut relaxed = found.cells;
    let mut complete = found.is_optimal;
    while complete && incumbent.best.errors > lower {
        let (pair, _) = rates.widest(&relaxed);
        if relaxation
            .constraints
            .iter()
            .any(|constraint| constraint.pair == pair)
        {
            // Only rounding can make an enforced pair the widest one: the tree is as good as fair.
            break;
        }
        relaxation.add(records, &rates, pair, limit);
        let bound = raise_all(
            records,
            &mut relaxation,
            &rates,
            limit,
            params,
            control,
            observer,
            &mut incumbent,
        )?;
        lower = lower.max(bound).min(incumbent.best.errors);
        let upper = incumbent.best.errors;
        let mut watch = Watch {
            control,
            observer,
            upper,
            unit,
            asked: Instant::now(),
        };
        let proof: Proof = prove(
            records,
            &relaxation,
            params,
            control,
            Range { lower, upper },
            &mut |lower| watch.go_on(lower),
        );
        lower = lower.max(proof.lower);
        complete = !control.stopped() || lower >= incumbent.best.errors;
        let Some((_, tree)) = proof.tree else { break };
        relaxed = records.predicted_positive(&tree);
        incumbent.offer(&tree, &relaxed);
    }
    let lower = lower.min(incumbent.best.errors);
    Ok(FairOutcome {
        is_optimal: lower == incumbent.best.errors,
        lower,
        best: incumbent.best,
        met: incumbent.met,
        n_enforced: relaxation.constraints.len(),
    })
}

/// Raise the bound, and enforce more pairs as long as the tree behind it exceeds their limit: a weak bound makes the proof slow.
#[allow(clippy::too_many_arguments)]
fn raise_all(
    records: &mut Records,
    relaxation: &mut Relaxation,
    rates: &Rates,
    limit: f64,
    params: &Params,
    control: &Control,
    observer: &mut dyn Observer,
    incumbent: &mut Incumbent<'_>,
) -> Result<i64, Error> {
    let mut lower = 0;
    let n_needed = relaxation.constraints.len();
    loop {
        let bound = raise_bound(records, relaxation, params, control, observer, incumbent)?;
        let gain = bound.errors - lower;
        lower = lower.max(bound.errors);
        let (pair, disparity) = rates.widest(&bound.cells);
        let is_enforced = relaxation
            .constraints
            .iter()
            .any(|constraint| constraint.pair == pair || constraint.pair == pair.reversed());
        if gain <= 0 || disparity <= limit || is_enforced || control.stopped() {
            break;
        }
        relaxation.add(records, rates, pair, limit);
    }
    // A pair added here that has no price narrows nothing down: the proof is cheaper without it, and adds it if it is exceeded.
    let mut place = 0;
    relaxation.constraints.retain(|constraint| {
        place += 1;
        place <= n_needed || constraint.multiplier > 0.0
    });
    Ok(lower)
}

/// Reports progress from inside the proof.
struct Watch<'w> {
    control: &'w Control,
    observer: &'w mut dyn Observer,
    upper: i64,
    unit: f64,
    asked: Instant,
}

/// How often the observer is called.
const POLL: Duration = Duration::from_millis(25);

impl Watch<'_> {
    fn go_on(&mut self, lower: i64) -> bool {
        if self.control.stopped() {
            return false;
        }
        if self.asked.elapsed() >= POLL {
            self.asked = Instant::now();
            let progress = Progress {
                elapsed: self.control.elapsed(),
                objective: self.upper as f64 * self.unit,
                lower_bound: lower as f64 * self.unit,
                depth: 0,
                nodes: self.control.nodes(),
            };
            if !self.observer.poll(&progress) {
                self.control.stop(Stop::Interrupt);
                return false;
            }
        }
        true
    }
}
