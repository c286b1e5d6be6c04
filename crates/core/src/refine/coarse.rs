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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::samples::any_table;
    use crate::table::{Table, distinct_splits};
    use crate::task::Accuracy;
    use proptest::prelude::*;

    fn promise(table: &Table, labels: &[i32]) -> (Promise, Vec<SplitRef>) {
        let splits = distinct_splits(table);
        let task = Accuracy {
            labels,
            n_labels: 2,
            weights: None,
        };
        let problem = Problem::build(table, &splits, &task, true).unwrap();
        let control = Control::new(None);
        (Promise::of(&problem, &Params::default(), &control), splits)
    }

    proptest! {
        #[test]
        fn sets_hold_the_support_and_are_no_larger_than_asked(
            (table, labels) in any_table(40, 6, 9).prop_flat_map(|table| {
                let n = table.n_rows();
                (Just(table), prop::collection::vec(0..2_i32, n))
            }),
            size in 1..30_usize,
            round in 0..3_usize,
            picks in prop::collection::vec(any::<prop::sample::Index>(), 0..4),
        ) {
            prop_assume!(!labels.is_empty());
            let (promise, splits) = promise(&table, &labels);
            prop_assume!(!splits.is_empty());
            let support: BTreeSet<SplitRef> = picks.iter().map(|pick| *pick.get(&splits)).collect();
            let set = promise.spread(size, &support, &[], round);
            prop_assert!(set.is_sorted_by(|a, b| a < b));
            prop_assert!(set.iter().all(|split| splits.contains(split)));
            prop_assert!(support.iter().all(|split| set.contains(split)));
            // Every column is offered one split at least.
            let columns = promise.columns.iter().filter(|column| !column.splits.is_empty()).count();
            prop_assert!(set.len() <= size.max(columns) + support.len());
            if splits.len() <= size {
                prop_assert_eq!(set, splits);
            }
        }

        #[test]
        fn a_split_promises_what_the_best_tree_of_two_levels_below_it_costs(
            (table, labels) in any_table(30, 3, 5).prop_flat_map(|table| {
                let n = table.n_rows();
                (Just(table), prop::collection::vec(0..2_i32, n))
            }),
        ) {
            prop_assume!(!labels.is_empty());
            let (promise, splits) = promise(&table, &labels);
            let task = Accuracy { labels: &labels, n_labels: 2, weights: None };
            let problem = Problem::build(&table, &splits, &task, true).unwrap();
            let params = Params { max_depth: 2, ..Params::default() };
            let best = crate::search::search(&problem, &params, &Control::new(None), &mut crate::search::Quiet).unwrap();
            let values = promise.columns.iter().flat_map(|column| &column.splits);
            let least = values.map(|&(_, value)| value).min();
            // Beyond what no tree can save, in whole units: the rest is the price of nodes.
            let floor: i64 = problem.costs.chunks_exact(2).map(|costs| costs[0].min(costs[1])).sum();
            if let Some(least) = least.filter(|&least| least < UNREACHABLE) {
                let units = least / crate::search::cost::Scale::STEPS + floor;
                prop_assert!(units as f64 * problem.unit >= best.objective - 1e-9);
                if best.tree.n_branching() == 3 {
                    prop_assert!((units as f64 * problem.unit - best.objective).abs() < 1e-9);
                }
            }
        }
    }
}
