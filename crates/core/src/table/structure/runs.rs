//! Cutting the columns, in order, into as few runs as possible, each a chain or an exclusive group.

use super::MAX_SPLITS;
use super::bits::BitColumns;
use super::union::{Chain, Exclusive, Union};

/// Cut `kept` into runs of neighbouring columns.
///
/// Of the ways with fewest runs the one with the largest sum of squared lengths is taken: a rare column that happens to
/// fit a part of the long run beside it does not break it.
pub(super) fn cut_into_runs(columns: &BitColumns, kept: &[u32]) -> Vec<Union> {
    let reach = reach(columns, kept);
    // For each end: (number of runs, minus the sum of squared lengths, start of the last run).
    let mut best = vec![(0usize, 0i64, 0usize); kept.len() + 1];
    best[1..].fill((usize::MAX, 0, 0));
    for (start, &reach) in reach.iter().enumerate() {
        let (runs, squares, _) = best[start];
        for end in start + 1..=reach {
            let length = (end - start) as i64;
            best[end] = best[end].min((runs + 1, squares - length * length, start));
        }
    }
    let mut unions = Vec::new();
    let mut end = kept.len();
    while end > 0 {
        let start = best[end].2;
        unions.push(Union::of(&kept[start..end], columns));
        end = start;
    }
    unions.reverse();
    unions
}

/// For each column the end of the longest run that starts there.
///
/// Every part of a run is a run, so the ends ascend, and one window slides over the columns.
fn reach(columns: &BitColumns, kept: &[u32]) -> Vec<usize> {
    let mut chain = Chain::default();
    let mut exclusive = Exclusive::default();
    let (mut chain_end, mut exclusive_end) = (0, 0);
    let extend = |start: usize, end: &mut usize, add: &mut dyn FnMut(u32) -> bool| {
        while *end < kept.len() && *end - start < MAX_SPLITS && add(kept[*end]) {
            *end += 1;
        }
    };
    let mut reach = Vec::with_capacity(kept.len());
    for (start, &column) in kept.iter().enumerate() {
        extend(start, &mut chain_end, &mut |column| {
            chain.add(column, columns)
        });
        extend(start, &mut exclusive_end, &mut |column| {
            exclusive.add(column, columns)
        });
        reach.push(chain_end.max(exclusive_end));
        chain.remove(column);
        exclusive.remove(column, columns);
    }
    reach
}
