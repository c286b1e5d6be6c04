//! Structure of a 0/1 matrix: nested chains and mutually exclusive groups of columns become coded columns again.
//!
//! Steps: pack the matrix to bit columns ([`bits`]); drop constant, repeated and complementary columns ([`reduce`]);
//! cut the rest, in column order, into as few runs as possible, each a chain or an exclusive group ([`runs`]); join
//! runs that fit together though they are not neighbours ([`join`]); write the codes ([`encode`]).
//!
//! The answer depends on the order of the columns but not on that of the rows. A rare column may by accident be nested
//! in, or disjoint from, an unrelated one. Such a union is correct, and welcome as it saves a coded column, but it must
//! not tear apart what belongs together: hence columns are first tied to their neighbours, and only whole runs are joined.

mod bits;
mod encode;
mod join;
mod reduce;
mod runs;
mod union;

use super::column::Kind;
use crate::error::Error;
use bits::BitColumns;
use union::Union;

/// Most splits of one coded column: with the code of the rows where all are false they fill a byte.
const MAX_SPLITS: usize = 255;

/// Cells of a matrix from which threads pay.
const PARALLEL_CELLS: usize = 1 << 20;

/// A 0/1 matrix, one byte per cell, as it lies in memory.
#[derive(Clone, Copy, Debug)]
pub struct BinaryMatrix<'a> {
    /// The cells, `n_rows * n_columns` of them, each 0 or 1.
    pub cells: &'a [u8],
    /// Number of rows.
    pub n_rows: usize,
    /// Number of columns.
    pub n_columns: usize,
    /// Order of the cells.
    pub layout: Layout,
}

/// Order of the cells of a matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Row after row.
    RowMajor,
    /// Column after column.
    ColumnMajor,
}

/// A 0/1 column or its negation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Literal {
    /// Index of the column in the matrix.
    pub column: u32,
    /// True where the column is 0.
    pub negated: bool,
}

/// One coded column recovered from several 0/1 columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BinaryGroup {
    /// How the codes are to be read.
    pub kind: Kind,
    /// For each split, in order, the literal that it equals.
    pub members: Vec<Literal>,
    /// Number of codes.
    pub n_codes: usize,
}

/// What was found in a 0/1 matrix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Structure {
    /// Codes of the first group, then of the second, and so on: `groups.len() * n_rows` of them.
    pub codes: Vec<u8>,
    /// The coded columns, in the order of their first members.
    pub groups: Vec<BinaryGroup>,
    /// Constant, duplicate and complementary columns, ascending.
    pub dropped: Vec<u32>,
}

/// Find nested chains and mutually exclusive groups in a 0/1 matrix.
///
/// # Errors
/// [`Error::Table`] if the number of cells does not fit, or a cell is neither 0 nor 1.
pub fn group_binary(matrix: BinaryMatrix<'_>) -> Result<Structure, Error> {
    let columns = BitColumns::pack(matrix)?;
    let reduced = reduce::distinct_columns(&columns);
    let mut unions = join::join_unions(runs::cut_into_runs(&columns, &reduced.kept), &columns);
    unions.sort_by_key(Union::first_column);
    let (codes, groups) = encode::encode(&columns, &mut unions);
    Ok(Structure {
        codes,
        groups,
        dropped: reduced.dropped,
    })
}

#[cfg(test)]
mod tests;
