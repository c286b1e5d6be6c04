//! Histograms of statistics over the codes of a node's columns.

use super::point::{LEAF, Point, Sums};
use crate::search::node::Node;

/// A column's place in the histogram.
#[derive(Clone, Debug)]
pub struct Span {
    /// First bin.
    pub start: usize,
    /// Whether splits are thresholds.
    pub ordered: bool,
    /// Global number of each split.
    pub splits: Vec<u32>,
}

/// The columns of a node, laid out one after the other.
#[derive(Clone, Debug)]
pub struct Spans {
    /// Per column.
    pub columns: Vec<Span>,
    /// Number of bins.
    pub n_bins: usize,
    /// First bin of each column, for adding rows.
    starts: Vec<u32>,
}

impl Spans {
    /// Lay out a node's columns; `first_split` numbers the problem's splits column by column.
    pub fn new(node: &Node, first_split: &[u32]) -> Self {
        let mut n_bins = 0;
        let columns: Vec<Span> = node
            .columns
            .iter()
            .map(|column| {
                let start = n_bins;
                n_bins += column.code_of.len();
                let splits = (0..column.n_splits)
                    .map(|split| {
                        let split = column.problem_split(split);
                        first_split[split.column as usize] + split.split
                    })
                    .collect();
                Span {
                    start,
                    ordered: column.ordered,
                    splits,
                }
            })
            .collect();
        let starts = columns.iter().map(|span| span.start as u32).collect();
        Self {
            columns,
            n_bins,
            starts,
        }
    }

    /// Add a row to the bins of its codes.
    #[inline]
    pub fn add<const A: usize>(&self, codes: &[u8], row: &Sums<A>, bins: &mut [Sums<A>]) {
        for (&start, &code) in self.starts.iter().zip(codes) {
            bins[start as usize + usize::from(code)] += row;
        }
    }

    /// Least price of a leaf or a single split over the rows in `bins`, whose sum is `total`.
    pub fn least_price<const A: usize>(
        &self,
        bins: &[Sums<A>],
        total: &Sums<A>,
        min_records: i64,
    ) -> i64 {
        let mut least = i64::MAX;
        if total.count >= min_records {
            least = total.price.min(0);
        }
        for span in &self.columns {
            let (mut price, mut count) = (0, 0);
            for bin in &bins[span.start..span.start + span.splits.len()] {
                if span.ordered {
                    price += bin.price;
                    count += bin.count;
                } else {
                    (price, count) = (bin.price, bin.count);
                }
                if count >= min_records && total.count - count >= min_records {
                    least = least.min(price).min(total.price - price);
                }
            }
        }
        least
    }

    /// All leaves and single splits over the rows in `bins` that cost at most `limit`.
    pub fn collect<const A: usize>(
        &self,
        bins: &[Sums<A>],
        total: &Sums<A>,
        min_records: i64,
        limit: i64,
        out: &mut Vec<Point<A>>,
    ) {
        collect_leaves(total, min_records, limit, out);
        for span in &self.columns {
            let mut part = Sums::ZERO;
            for (bin, &split) in bins[span.start..].iter().zip(&span.splits) {
                if span.ordered {
                    part += bin;
                } else {
                    part = *bin;
                }
                if part.count < min_records || total.count - part.count < min_records {
                    continue;
                }
                if part.price <= limit {
                    out.push(stump(&part, split, 1, 0));
                }
                if total.price - part.price <= limit {
                    let mut rest = *total;
                    rest -= &part;
                    out.push(stump(&rest, split, 0, 1));
                }
            }
        }
    }
}

/// A single split; leaves labelled 0 and 1 are the first grown subtrees.
fn stump<const A: usize>(sums: &Sums<A>, split: u32, inside: u32, outside: u32) -> Point<A> {
    let Sums {
        price,
        errors,
        uses,
        ..
    } = *sums;
    Point {
        price,
        errors,
        uses,
        nodes: 1,
        split,
        inside,
        outside,
    }
}

/// Both labels of a leaf, where they cost at most `limit`.
pub fn collect_leaves<const A: usize>(
    total: &Sums<A>,
    min_records: i64,
    limit: i64,
    out: &mut Vec<Point<A>>,
) {
    if total.count < min_records {
        return;
    }
    for (label, sums) in [Sums::ZERO, *total].into_iter().enumerate() {
        if sums.price <= limit {
            let Sums {
                price,
                errors,
                uses,
                ..
            } = sums;
            let label = label as u32;
            out.push(Point {
                price,
                errors,
                uses,
                nodes: 0,
                split: LEAF,
                inside: label,
                outside: label,
            });
        }
    }
}
