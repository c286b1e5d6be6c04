//! Scores a decision tree on raw rows, independently of the search.
//!
//! The crate shares no code with the core: it knows neither codes nor merging. What it says about a tree is what a
//! reader of the tree would find by sending every row through it by hand.

mod error;
mod score;
mod tree;

pub use error::CheckError;
pub use score::{Rows, Score, score};
pub use tree::{Node, Test, Tree};
