//! Exact decision trees on coded tables: lossless merging, certified search.
//!
//! The crate knows no Python, prints nothing and does not panic on user input.

pub mod error;
pub mod feature_costs;
pub mod impurity;
pub mod merging;
pub mod pareto;
pub mod problem;
pub mod propose;
pub mod refine;
pub mod search;
pub mod table;
pub mod task;
pub mod tree;

pub use error::Error;
