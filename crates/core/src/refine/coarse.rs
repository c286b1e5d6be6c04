//! Candidate sets spread over the columns: a few thresholds of each, more around those of the incumbent.
//!
//! A table of 100 bins per column offers far more thresholds than a search for good trees must tell apart. The exact kernels cost the
//! square or cube of the number of splits, so that a third of them costs a tenth or less; what is lost comes back when the thresholds
//! around the incumbent's are offered next.

use std::collections::BTreeSet;

use crate::table::SplitRef;

/// Most splits of a set, before those of the incumbent and their neighbours.
const SIZE: usize = 200;
/// Neighbours offered on either side of an incumbent's split.
const NEAR: [usize; 4] = [1, 2, 4, 8];

/// A set for `round`: every column gets as many evenly spaced splits as fit, in each round others.
pub(super) fn spread_candidates(
    splits: &[SplitRef],
    support: &BTreeSet<SplitRef>,
    round: usize,
) -> Vec<SplitRef> {
    let columns: Vec<&[SplitRef]> = splits.chunk_by(|a, b| a.column == b.column).collect();
    let share = fair_share(&columns, SIZE);
    let mut chosen: BTreeSet<SplitRef> = support.clone();
    for column in columns {
        let count = share.min(column.len());
        for place in 0..count {
            // The middle of each of `count` equal stretches in even rounds, their ends in odd ones.
            let at = (2 * place + 1 + round % 2) * column.len() / (2 * count);
            chosen.insert(column[at.min(column.len() - 1)]);
        }
        for (at, split) in column.iter().enumerate() {
            if support.contains(split) {
                for step in NEAR {
                    chosen.extend(at.checked_sub(step).and_then(|near| column.get(near)));
                    chosen.extend(column.get(at + step));
                }
            }
        }
    }
    chosen.into_iter().collect()
}

/// Splits per column such that all columns together stay below `size`; at least one.
fn fair_share(columns: &[&[SplitRef]], size: usize) -> usize {
    let total = |share: usize| {
        columns
            .iter()
            .map(|column| column.len().min(share))
            .sum::<usize>()
    };
    let most = columns.iter().map(|column| column.len()).max().unwrap_or(1);
    (1..=most)
        .rev()
        .find(|&share| total(share) <= size)
        .unwrap_or(1)
}
