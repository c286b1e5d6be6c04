//! Cutting the columns, in order, into as few runs as possible, each a chain or an exclusive group.

use super::bits::{BitColumns, Relation};
use super::union::{Chain, Exclusive, Union};
use super::{Literal, MAX_SPLITS};

/// Strength of the tie between two neighbours in an exclusive group, and upper bound of that in a chain.
const STRONGEST: f64 = (1u64 << 20) as f64;

/// Cut `kept` into runs of neighbouring columns.
///
/// Of the ways with fewest runs, take the one that ties neighbours most strongly, and then the one with the largest sum
/// of squared lengths. So a column that happens to fit a part of the next run stays with its own, and a rare column
/// that happens to fit a part of a long run does not break it.
pub(super) fn cut_into_runs(columns: &BitColumns, kept: &[u32]) -> Vec<Union> {
    let ties: Vec<i64> = kept
        .windows(2)
        .map(|pair| tie(columns, pair[0], pair[1]))
        .collect();
    // For each end: (number of runs, minus the sum of ties, minus the sum of squared lengths, start of the last run).
    let mut best = vec![(0usize, 0i64, 0i64, 0usize); kept.len() + 1];
    best[1..].fill((usize::MAX, 0, 0, 0));
    for (start, reach) in reach(columns, kept).into_iter().enumerate() {
        let (runs, strength, squares, _) = best[start];
        let mut chain_strength = 0;
        for end in start + 1..=reach.chain.max(reach.exclusive) {
            let length = (end - start) as i64;
            if length > 1 {
                chain_strength += ties[end - 2];
            }
            let own = if end <= reach.chain {
                chain_strength
            } else {
                (length - 1) * STRONGEST as i64
            };
            let new = (runs + 1, strength - own, squares - length * length, start);
            best[end] = best[end].min(new);
        }
    }
    let mut unions = Vec::new();
    let mut end = kept.len();
    while end > 0 {
        let start = best[end].3;
        unions.push(Union::of(&kept[start..end], columns));
        end = start;
    }
    unions.reverse();
    unions
}

/// Squared correlation of two columns that fit in a chain: close thresholds of one original column are strongly tied.
fn tie(columns: &BitColumns, first: u32, second: u32) -> i64 {
    let rows = columns.n_rows() as f64;
    let odds = |column| {
        let ones = columns.count(Literal {
            column,
            negated: false,
        }) as f64;
        ones / (rows - ones)
    };
    let (a, b) = (odds(first), odds(second));
    let squared_correlation = match columns.relation(first, second) {
        Relation::Inside => a / b,
        Relation::Around => b / a,
        Relation::Disjoint => a * b,
        Relation::Covering => 1.0 / (a * b),
        Relation::Unrelated => 0.0,
    };
    (squared_correlation * STRONGEST).round() as i64
}

/// Ends of the longest runs that start at some column.
struct Reach {
    chain: usize,
    exclusive: usize,
}

/// For each column the ends of the longest runs that start there.
///
/// Every part of a run is a run, so the ends ascend, and one window slides over the columns.
fn reach(columns: &BitColumns, kept: &[u32]) -> Vec<Reach> {
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
        reach.push(Reach {
            chain: chain_end,
            exclusive: exclusive_end,
        });
        chain.remove(column);
        exclusive.remove(column, columns);
    }
    reach
}
