//! Exact decision trees on coded tables: lossless merging, certified search.
//!
//! The crate knows no Python, prints nothing and does not panic on user input.

pub mod error;
pub mod table;

pub use error::Error;
