//! A random forest (Breiman 2001) over binary splits.

use rayon::prelude::*;

use super::grow::{Grower, Growth};
use super::random::Random;
use super::records::Records;
use super::{Ranked, rank, sum_normalised};

/// Parameters of a forest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Forest {
    /// Number of trees.
    pub n_trees: usize,
    /// Most levels of branching nodes; trees are fully grown by default.
    pub max_depth: usize,
}

impl Default for Forest {
    fn default() -> Self {
        Self {
            n_trees: 500,
            max_depth: usize::MAX,
        }
    }
}

/// Rank the splits by a forest: each tree on records drawn with replacement, each node choosing among the square root of the number
/// of splits, drawn at random; importances as scikit-learn's `feature_importances_`.
///
/// Runs on the current rayon pool. Trees that would start once `stopped` returns true are left out.
pub fn rank_by_forest(
    records: &Records,
    forest: Forest,
    seed: u64,
    stopped: &(dyn Fn() -> bool + Sync),
) -> Vec<Ranked> {
    let p = records.splits.len();
    let allowed: Vec<u32> = (0..p as u32).collect();
    let growth = Growth {
        max_depth: forest.max_depth,
        considered: (p as f64).sqrt().floor() as usize,
    };
    let sums = sum_normalised(p, forest.n_trees, stopped, |trees| {
        trees
            .into_par_iter()
            .map_init(
                || Grower::new(records),
                |grower, tree| {
                    if stopped() {
                        return Vec::new();
                    }
                    let mut random = Random::new(seed, tree as u64);
                    let masses = records.bootstrap(&mut random);
                    grower.grow(&masses, &allowed, growth, &mut random)
                },
            )
            .collect()
    });
    rank(&records.splits, &sums)
}
