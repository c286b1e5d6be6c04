//! Candidate sets spread over the columns: a few splits of each, those that promise most, and the incumbent's.
//!
//! A table of 100 bins per column offers far more thresholds than a search for good trees must tell apart. The exact kernels cost the
//! square or cube of the number of splits, so that a third of them costs a tenth or less; what is lost comes back when the bottoms are
//! solved over all splits and thresholds around the incumbent's are offered.

use std::collections::{BTreeSet, HashMap};

use crate::problem::Problem;
use crate::search::cost::{Cost, UNREACHABLE};
use crate::search::node::Node;
use crate::search::searcher::{Searcher, Shared};
use crate::search::{Control, Params};
use crate::table::{Kind, SplitRef};

/// Share of a set that is spread evenly; the rest goes to what promises most.
const EVEN_SHARE: f64 = 0.5;
/// Thresholds of one column no further apart than this promise the same.
const APART: usize = 2;

/// What each split promises: the cost of the best tree of two levels that it roots.
pub(super) struct Promise {
    /// Splits column by column, those that no row tells apart left out.
    columns: Vec<Column>,
}

struct Column {
    kind: Kind,
    splits: Vec<(SplitRef, Cost)>,
}

impl Promise {
    /// Of all splits of a problem.
    pub fn of(problem: &Problem, params: &Params, control: &Control) -> Self {
        let shared = Shared::new(problem, params, control);
        let mut searcher = Searcher::new(&shared);
        let counted = params.counts_records();
        let node = Node::root(problem, counted, counted);
        let values: HashMap<SplitRef, Cost> = searcher.root_values(&node).into_iter().collect();
        let columns = problem.columns.iter().enumerate().map(|(c, column)| {
            let splits = column.origin.iter().enumerate().map(|(s, &origin)| {
                let own = SplitRef {
                    column: c as u32,
                    split: s as u32,
                };
                (origin, values.get(&own).copied().unwrap_or(UNREACHABLE))
            });
            Column {
                kind: column.kind,
                splits: splits.collect(),
            }
        });
        Self {
            columns: columns.collect(),
        }
    }

    /// About `size` splits, those of `support` and their neighbours at the distances `near` on top; shifted with `round`.
    pub fn spread(
        &self,
        size: usize,
        support: &BTreeSet<SplitRef>,
        near: &[usize],
        round: usize,
    ) -> Vec<SplitRef> {
        let total: usize = self.columns.iter().map(|column| column.splits.len()).sum();
        let mut chosen = BTreeSet::new();
        if total <= size {
            let all = self.columns.iter().flat_map(|column| &column.splits);
            chosen.extend(all.map(|&(split, _)| split));
        } else {
            let even = (size as f64 * EVEN_SHARE) as usize;
            let share = self.fair_share(even);
            for column in &self.columns {
                chosen.extend(column.evenly(share, round));
            }
            self.add_promising(size, &mut chosen);
        }
        for column in &self.columns {
            for (at, (split, _)) in column.splits.iter().enumerate() {
                if !support.contains(split) {
                    continue;
                }
                chosen.insert(*split);
                for step in near {
                    let before = at.checked_sub(*step);
                    let beside = [before, Some(at + step)].into_iter().flatten();
                    chosen.extend(beside.filter_map(|at| Some(column.splits.get(at)?.0)));
                }
            }
        }
        chosen.into_iter().collect()
    }

    /// Add the most promising splits until there are `size`.
    fn add_promising(&self, size: usize, chosen: &mut BTreeSet<SplitRef>) {
        let mut ranked: Vec<(Cost, usize, usize)> = Vec::new();
        for (c, column) in self.columns.iter().enumerate() {
            let values = column.splits.iter().enumerate();
            ranked.extend(values.map(|(s, &(_, value))| (value, c, s)));
        }
        ranked.sort_unstable();
        for (value, c, s) in ranked {
            if chosen.len() >= size || value >= UNREACHABLE {
                break;
            }
            let column = &self.columns[c];
            let is_near = column.kind == Kind::Ordered
                && column.splits[s.saturating_sub(APART)..]
                    .iter()
                    .take(2 * APART + 1)
                    .any(|(split, _)| chosen.contains(split));
            if !is_near {
                chosen.insert(column.splits[s].0);
            }
        }
    }

    /// Splits per column such that all columns together stay below `size`; at least one.
    fn fair_share(&self, size: usize) -> usize {
        let lengths = || self.columns.iter().map(|column| column.splits.len());
        let most = lengths().max().unwrap_or(1);
        (1..=most)
            .rev()
            .find(|&share| lengths().map(|length| length.min(share)).sum::<usize>() <= size)
            .unwrap_or(1)
    }
}

impl Column {
    /// `share` splits: evenly spaced thresholds, the most promising categories.
    fn evenly(&self, share: usize, round: usize) -> Vec<SplitRef> {
        let n = self.splits.len();
        if share >= n {
            return self.splits.iter().map(|&(split, _)| split).collect();
        }
        if self.kind == Kind::Nominal {
            let mut ranked: Vec<(Cost, SplitRef)> = self
                .splits
                .iter()
                .map(|&(split, value)| (value, split))
                .collect();
            ranked.sort_unstable();
            return ranked[..share].iter().map(|&(_, split)| split).collect();
        }
        // The middle of each of `share` equal stretches in even rounds, their ends in odd ones.
        (0..share)
            .map(|place| (2 * place + 1 + round % 2) * n / (2 * share))
            .map(|at| self.splits[at.min(n - 1)].0)
            .collect()
    }
}
