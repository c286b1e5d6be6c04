//! Repeated CART fits (Breiman et al. 1984) over the splits that are not excluded.

use rayon::prelude::*;

use super::grow::{Grower, Growth};
use super::random::Random;
use super::records::Records;
use super::{Ranked, rank, sum_normalised};
use crate::table::SplitRef;

/// Parameters of the fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cart {
    /// Number of fits.
    pub n_fits: usize,
    /// Most levels of branching nodes.
    pub max_depth: usize,
}

impl Default for Cart {
    fn default() -> Self {
        Self {
            n_fits: 20,
            max_depth: 5,
        }
    }
}

/// Rank the splits that are not `excluded` by the summed importance of repeated fits; splits that no fit used are left out.
///
/// The first fit is on the records as they are, the others on records drawn with replacement. (scikit-learn's fits with different
/// random states differ in how ties are broken and in nothing else, so that twenty of them say hardly more than one.)
///
/// Runs on the current rayon pool. Fits that would start once `stopped` returns true are left out.
pub fn rank_by_cart(
    records: &Records,
    cart: Cart,
    excluded: &(dyn Fn(SplitRef) -> bool + Sync),
    seed: u64,
    stopped: &(dyn Fn() -> bool + Sync),
) -> Vec<Ranked> {
    let p = records.splits.len();
    let allowed: Vec<u32> = (0..p as u32)
        .filter(|&split| !excluded(records.splits[split as usize]))
        .collect();
    let growth = Growth {
        max_depth: cart.max_depth,
        considered: p,
    };
    let n_fits = if allowed.is_empty() { 0 } else { cart.n_fits };
    let sums = sum_normalised(p, n_fits, stopped, |fits| {
        fits.into_par_iter()
            .map_init(
                || Grower::new(records),
                |grower, fit| {
                    if stopped() {
                        return Vec::new();
                    }
                    let mut random = Random::new(seed, fit as u64);
                    let masses = if fit == 0 {
                        records.all()
                    } else {
                        records.bootstrap(&mut random)
                    };
                    grower.grow(&masses, &allowed, growth, &mut random)
                },
            )
            .collect()
    });
    let mut ranked = rank(&records.splits, &sums);
    ranked.retain(|ranked| ranked.importance > 0.0);
    ranked
}
