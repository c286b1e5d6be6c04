//! Trees of least cost where looking at a feature costs something too.
//!
//! A record pays for every distinct feature that is tested on its path, less if another feature of the same group was
//! paid before. So the cost of a subtree depends on the path above it, and the search of `search`, which knows a set of
//! rows and nothing else, does not apply. The state here is a set of rows and what was paid on the way. What a test costs
//! does not depend on the rows that it parts, only on who comes by: so the pair tables of `search`, which know no prices,
//! serve here too, and a scoring pass of its own (`score`) takes the charges off. Merging is lossless, because records that
//! agree on all splits share their path.
//!
//! Features with a price of nothing, and groups that save nothing, are no part of the state.

mod amounts;
mod boxes;
mod branch;
mod charges;
mod depth_one;
mod depth_three;
mod depth_two;
mod margins;
mod paid;
mod priced;
mod run;
mod score;
mod searcher;
mod sweep;
mod tariff;
#[cfg(test)]
mod tests;

pub use priced::Priced;
pub use run::{FeatureCostsOutcome, minimise_feature_costs};
pub use tariff::{Price, Tariff};
