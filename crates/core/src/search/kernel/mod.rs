//! The arithmetic of depth-two solving, on whole vectors.
//!
//! One pass over the rows of a node fills its pair table (`histogram` or `bitset`); one pass over the table scores every
//! (root split, child split) pair (`score`).

pub mod bitset;
pub mod histogram;
pub mod score;
mod score_general;
