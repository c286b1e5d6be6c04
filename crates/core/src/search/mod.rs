//! The search: from a problem to a tree with a certificate.
//!
//! It knows no task: rows have gains per label, leaves score the best sum, and that is all.

pub(crate) mod aligned;
mod archive;
pub(crate) mod bounds;
mod branch;
pub(crate) mod cache;
mod control;
pub(crate) mod cost;
pub(crate) mod cube;
mod depth_one;
mod depth_three;
mod depth_two;
pub(crate) mod fill;
pub(crate) mod incumbent;
mod initial;
pub(crate) mod kernel;
pub(crate) mod lane;
pub(crate) mod layout;
mod levels;
pub(crate) mod node;
mod params;
mod root;
mod run;
pub(crate) mod searcher;
pub(crate) mod shape;
pub(crate) mod simd;
mod stats;
mod sweep;
pub(crate) mod warm_start;

pub use bounds::Bounds;
pub use control::{Control, Stop};
pub(crate) use cube::Plan as CubePlan;
pub use params::Params;
pub(crate) use run::search_beside;
pub use run::{Observer, Outcome, Progress, Quiet, Status, search, search_from};
pub use searcher::KernelChoice;
pub(crate) use searcher::full_budget;
pub use shape::Shape;
pub(crate) use shape::Solved;
pub use stats::Stats;
