//! Joining of runs that fit together though they are not neighbours.

use super::bits::BitColumns;
use super::union::Union;

/// Join unions greedily, whole ones only: the largest first, each with the nearest that fits, until none does.
pub(super) fn join_unions(unions: Vec<Union>, columns: &BitColumns) -> Vec<Union> {
    let mut by_size: Vec<usize> = (0..unions.len()).collect();
    by_size.sort_by_key(|&index| std::cmp::Reverse(unions[index].len()));
    let mut open: Vec<Option<Union>> = unions.into_iter().map(Some).collect();
    let mut joined = Vec::new();
    for base in by_size {
        let Some(mut union) = open[base].take() else {
            continue;
        };
        for distance in 1..open.len() {
            for other in [base.checked_sub(distance), Some(base + distance)]
                .into_iter()
                .flatten()
            {
                let Some(slot) = open.get_mut(other) else {
                    continue;
                };
                let found = slot.as_ref().and_then(|other| union.join(other, columns));
                if let Some(both) = found {
                    *slot = None;
                    union = both;
                }
            }
        }
        joined.push(union);
    }
    joined
}
