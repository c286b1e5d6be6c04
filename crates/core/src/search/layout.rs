//! Where the splits of a node lie in its pair table.
//!
//! The table holds, for every split `f`, a row over the splits `g` from `f`'s own column on: together all unordered pairs.
//! Rows begin at a multiple of [`CHUNK`], so that kernels run over whole vectors; the few cells before the column's own
//! first split repeat pairs of earlier rows and do no harm.

/// Cells that kernels handle at a time; also the rows of a word of split bits.
pub const CHUNK: usize = 32;

/// One column's splits.
#[derive(Clone, Copy, Debug)]
pub struct Span {
    /// First split.
    pub start: usize,
    /// Number of splits.
    pub len: usize,
    /// First cell that the column's rows hold: `start` rounded down to a chunk.
    pub first: usize,
    /// Whether the column is ordered.
    pub ordered: bool,
}

/// Splits of a node, numbered column by column, and the shape of its pair table.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// Per column.
    pub spans: Vec<Span>,
    /// Number of splits.
    pub n_splits: usize,
    /// Number of splits, rounded up to a chunk.
    pub width: usize,
    /// Per split, where its row begins in a plane.
    pub row_start: Vec<usize>,
    /// Per split, its column.
    pub column_of: Vec<u32>,
    /// Cells of a plane.
    pub cells: usize,
}

impl Layout {
    /// Lay out columns given as (number of splits, ordered).
    pub fn new(columns: impl Iterator<Item = (usize, bool)>) -> Self {
        let mut layout = Self::default();
        for (len, ordered) in columns {
            let start = layout.n_splits;
            layout.spans.push(Span {
                start,
                len,
                first: start / CHUNK * CHUNK,
                ordered,
            });
            layout.n_splits += len;
        }
        layout.width = layout.n_splits.div_ceil(CHUNK) * CHUNK;
        for (column, span) in layout.spans.iter().enumerate() {
            for _ in 0..span.len {
                layout.row_start.push(layout.cells);
                layout.column_of.push(column as u32);
                layout.cells += layout.width - span.first;
            }
        }
        layout
    }

    /// Words of split bits per row.
    pub fn words(&self) -> usize {
        self.width / CHUNK
    }

    /// Column and place in it of split `split`.
    pub fn locate(&self, split: usize) -> (usize, usize) {
        let column = self.column_of[split] as usize;
        (column, split - self.spans[column].start)
    }
}
