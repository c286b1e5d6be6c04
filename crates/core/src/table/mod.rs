//! Coded tables: every column holds small integer codes; splits are read off the codes.

mod column;
mod group;
mod words;

pub use column::{Column, Kind, SplitRef, Table};
pub use group::{Groups, group_rows};
