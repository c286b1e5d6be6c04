//! Columns of codes and the splits they offer.

use crate::error::Error;

/// How the codes of a column are to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Codes are ordered; split `j` is true where `code <= j`.
    Ordered,
    /// Codes are categories; split `j` is true where `code == j`.
    Nominal,
}

/// A column of codes.
///
/// An ordered column with `m` codes has `m - 1` splits. A nominal column with `s` splits has `s` codes, or `s + 1`
/// if its last code stands for "any other value" and has no split of its own.
#[derive(Clone, Debug)]
pub struct Column {
    /// How the codes are to be read.
    pub kind: Kind,
    /// One code per row, each below `n_codes`.
    pub codes: Vec<u8>,
    /// Number of codes, 1 to 256.
    pub n_codes: usize,
    /// Number of splits.
    pub n_splits: usize,
}

/// A split, by its column and its place in that column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SplitRef {
    /// Index of the column in its table.
    pub column: u32,
    /// Index of the split in its column.
    pub split: u32,
}

impl Column {
    /// Whether split `split` is true for a row with code `code`.
    #[inline]
    pub fn is_true(&self, split: usize, code: u8) -> bool {
        match self.kind {
            Kind::Ordered => usize::from(code) <= split,
            Kind::Nominal => usize::from(code) == split,
        }
    }
}

/// A table of coded columns of equal length.
#[derive(Clone, Debug)]
pub struct Table {
    n_rows: usize,
    columns: Vec<Column>,
}

impl Table {
    /// Check the columns and make a table of them.
    ///
    /// # Errors
    /// [`Error::Table`] if lengths differ, a code is out of range, or the number of splits does not fit the codes.
    pub fn new(n_rows: usize, columns: Vec<Column>) -> Result<Self, Error> {
        for (index, column) in columns.iter().enumerate() {
            let fits = match column.kind {
                Kind::Ordered => column.n_splits + 1 == column.n_codes,
                Kind::Nominal => {
                    column.n_splits == column.n_codes || column.n_splits + 1 == column.n_codes
                }
            };
            if column.codes.len() != n_rows {
                return Err(Error::Table(format!(
                    "column {index} holds {} codes but the table has {n_rows} rows; give one code per row",
                    column.codes.len()
                )));
            }
            if !fits || column.n_codes == 0 || column.n_codes > 256 {
                return Err(Error::Table(format!(
                    "column {index} has {} codes and {} splits; an ordered column has one split fewer than codes, \
                     a nominal one as many or one fewer, and 1 to 256 codes are allowed",
                    column.n_codes, column.n_splits
                )));
            }
            let code = column.codes.iter().copied().fold(0, u8::max);
            if usize::from(code) >= column.n_codes {
                return Err(Error::Table(format!(
                    "column {index} holds code {code}; codes must be below {}",
                    column.n_codes
                )));
            }
        }
        Ok(Self { n_rows, columns })
    }

    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// The columns.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// Number of splits over all columns.
    pub fn n_splits(&self) -> usize {
        self.columns.iter().map(|c| c.n_splits).sum()
    }
}
