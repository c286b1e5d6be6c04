//! Coded tables: every column holds small integer codes; splits are read off the codes.

mod column;
mod distinct;
mod group;
mod project;
#[cfg(test)]
pub(crate) mod samples;
mod structure;
mod words;

pub use column::{Column, Kind, SplitRef, Table};
pub use distinct::{all_splits, distinct_splits};
pub use group::{Groups, group_rows};
pub use project::Projection;
pub use structure::{BinaryGroup, BinaryMatrix, Layout, Literal, Structure, group_binary};
