//! Summed weights on the true side of every split: what a record's path is charged by.

use super::amounts::Amounts;
use crate::search::layout::Layout;
use crate::search::node::Node;

/// Where each row of a node counts: for each column, the split that its code belongs to.
#[derive(Debug)]
pub struct Places {
    /// Row-major: local row x column; the width of the layout for codes without a split.
    places: Vec<u32>,
}

impl Places {
    /// Of all rows.
    pub fn new(node: &Node, layout: &Layout) -> Self {
        let mut places = Vec::with_capacity(node.codes.len());
        for codes in node.codes.chunks_exact(layout.spans.len().max(1)) {
            places.extend(codes.iter().zip(&layout.spans).map(|(&code, span)| {
                let code = usize::from(code);
                let place = if code < span.len {
                    span.start + code
                } else {
                    layout.width
                };
                place as u32
            }));
        }
        Self { places }
    }
}

/// Weights of a set of rows, as a whole and where each split is true.
#[derive(Clone, Debug, Default)]
pub struct Margins {
    /// Cells of a plane: the splits, and one that is never read.
    stride: usize,
    /// Plane after plane, one per weight; while rows are added, of the rows of each code alone.
    cells: Vec<i64>,
    /// Per weight.
    pub sums: Vec<i64>,
}

impl Margins {
    /// Clear to zero.
    pub fn reset(&mut self, layout: &Layout, n_weights: usize) {
        self.stride = layout.width + 1;
        self.cells.clear();
        self.cells.resize(self.stride * n_weights, 0);
        self.sums.clear();
        self.sums.resize(n_weights, 0);
    }

    /// Add local rows of a node; splits of ordered columns count their own code alone until [`Margins::cumulate`].
    pub fn add(&mut self, node: &Node, places: &Places, amounts: &Amounts, rows: &[u32]) {
        let f = node.columns.len();
        for &row in rows {
            let weights = amounts.of(node.rows[row as usize] as usize);
            let places = &places.places[row as usize * f..(row as usize + 1) * f];
            for ((&weight, sum), cells) in weights
                .iter()
                .zip(&mut self.sums)
                .zip(self.cells.chunks_exact_mut(self.stride))
            {
                *sum += weight;
                for &place in places {
                    cells[place as usize] += weight;
                }
            }
        }
    }

    /// The same with splits of ordered columns summed over the codes where they are true.
    pub fn cumulate(&self, layout: &Layout, result: &mut Self) {
        result.clone_from(self);
        for cells in result.cells.chunks_exact_mut(self.stride) {
            for span in layout.spans.iter().filter(|span| span.ordered) {
                let mut sum = 0;
                for cell in &mut cells[span.start..span.start + span.len] {
                    sum += *cell;
                    *cell = sum;
                }
            }
        }
    }

    /// Of these rows without those of a part.
    pub fn without(&self, part: &Self, rest: &mut Self) {
        rest.clone_from(self);
        for (rest, part) in [(&mut rest.cells, &part.cells), (&mut rest.sums, &part.sums)] {
            for (rest, part) in rest.iter_mut().zip(part) {
                *rest -= part;
            }
        }
    }

    /// One weight, where each split is true.
    #[inline]
    pub fn plane(&self, weight: usize) -> &[i64] {
        &self.cells[weight * self.stride..(weight + 1) * self.stride - 1]
    }
}
