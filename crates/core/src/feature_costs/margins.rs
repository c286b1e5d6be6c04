//! Summed weights on the true side of every split: what a record's path is charged by.

use super::amounts::Amounts;
use crate::search::layout::Layout;
use crate::search::node::Node;

/// Weights of a set of rows, as a whole and where each split is true.
#[derive(Clone, Debug, Default)]
pub struct Margins {
    width: usize,
    /// Plane after plane, one per weight; while rows are added, of the rows of each code alone.
    cells: Vec<i64>,
    /// Per weight.
    pub sums: Vec<i64>,
}

impl Margins {
    /// Clear to zero.
    pub fn reset(&mut self, layout: &Layout, n_weights: usize) {
        self.width = layout.width;
        self.cells.clear();
        self.cells.resize(layout.width * n_weights, 0);
        self.sums.clear();
        self.sums.resize(n_weights, 0);
    }

    /// Add local rows of a node; splits of ordered columns count their own code alone until [`Margins::cumulate`].
    pub fn add(&mut self, node: &Node, layout: &Layout, amounts: &Amounts, rows: &[u32]) {
        for &row in rows {
            let weights = amounts.of(node.rows[row as usize] as usize);
            for (plane, &weight) in weights.iter().enumerate() {
                self.sums[plane] += weight;
                let cells = &mut self.cells[plane * self.width..(plane + 1) * self.width];
                for (span, &code) in layout.spans.iter().zip(node.row(row as usize)) {
                    if usize::from(code) < span.len {
                        cells[span.start + usize::from(code)] += weight;
                    }
                }
            }
        }
    }

    /// The same with splits of ordered columns summed over the codes where they are true.
    pub fn cumulate(&self, layout: &Layout, result: &mut Self) {
        result.clone_from(self);
        for cells in result.cells.chunks_exact_mut(layout.width.max(1)) {
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
        &self.cells[weight * self.width..(weight + 1) * self.width]
    }
}
