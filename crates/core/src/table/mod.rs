//! Coded tables: every column holds small integer codes; splits are read off the codes.

mod column;

pub use column::{Column, Kind, SplitRef, Table};
