//! Grows one tree by impurity and notes what each split contributed.
//!
//! One histogram per node answers all thresholds of all columns at once; a child's histogram is counted for the smaller side and
//! subtracted for the larger one (the idea of gradient boosting libraries). Nodes of few rows skip histograms and test the considered
//! splits row by row.

use super::random::Random;
use super::records::{BinarySplit, Records};
use super::small::SmallNode;

/// How a tree is grown.
#[derive(Clone, Copy, Debug)]
pub(super) struct Growth {
    /// Most levels of branching nodes.
    pub max_depth: usize,
    /// Splits considered at a node, drawn at random among the allowed ones; more are drawn until one divides the node.
    pub considered: usize,
}

/// Steps of filling and scanning a histogram per cell, in row tests of the direct way.
const CELL_STEPS: usize = 2;

/// A node that waits to be split.
struct Pending {
    first: usize,
    last: usize,
    depth: usize,
    /// Its histogram; none if it is small.
    histogram: Option<Vec<i64>>,
}

/// One tree at a time; buffers are kept between trees.
pub(super) struct Grower<'a> {
    records: &'a Records,
    /// Splits that may be used, in an order that changes as they are drawn.
    allowed: Vec<u32>,
    rows: Vec<u32>,
    spare_rows: Vec<u32>,
    spare_histograms: Vec<Vec<i64>>,
    cumulated: Vec<i64>,
    small: SmallNode,
    /// Masses where the split that is tested is true, and where the best one so far is.
    inside: Vec<i64>,
    best_inside: Vec<i64>,
    /// Use no histogram, or one wherever there is a row; chosen by size if not set.
    #[cfg(test)]
    pub always_rows: Option<bool>,
}

impl<'a> Grower<'a> {
    pub fn new(records: &'a Records) -> Self {
        Self {
            records,
            allowed: Vec::new(),
            rows: Vec::new(),
            spare_rows: Vec::new(),
            spare_histograms: Vec::new(),
            cumulated: Vec::new(),
            small: SmallNode::default(),
            inside: Vec::new(),
            best_inside: Vec::new(),
            #[cfg(test)]
            always_rows: None,
        }
    }

    /// Grow a tree on rows of these `masses` (merged row x label) with the splits `allowed`; returns each split's impurity decrease.
    pub fn grow(
        &mut self,
        masses: &[i64],
        allowed: &[u32],
        growth: Growth,
        random: &mut Random,
    ) -> Vec<f64> {
        // Two labels are the usual case: their loops unroll.
        if self.records.n_labels == 2 {
            self.grow_labels::<2>(masses, allowed, growth, random)
        } else {
            self.grow_labels::<0>(masses, allowed, growth, random)
        }
    }

    /// `LABELS` is the number of labels, or 0 for any.
    fn grow_labels<const LABELS: usize>(
        &mut self,
        masses: &[i64],
        allowed: &[u32],
        growth: Growth,
        random: &mut Random,
    ) -> Vec<f64> {
        let k = if LABELS == 0 {
            self.records.n_labels
        } else {
            LABELS
        };
        let mut importance = vec![0.0; self.records.splits.len()];
        self.allowed.clear();
        self.allowed.extend_from_slice(allowed);
        self.rows.clear();
        let present = masses
            .chunks_exact(k)
            .enumerate()
            .filter(|(_, row)| row.iter().any(|&m| m > 0));
        self.rows.extend(present.map(|(row, _)| row as u32));
        let considered = growth.considered.clamp(1, allowed.len().max(1));
        let small = CELL_STEPS * k * self.records.n_bins() / considered;
        #[cfg(test)]
        let small = match self.always_rows {
            Some(true) => usize::MAX,
            Some(false) => 0,
            None => small,
        };
        let histogram = (self.rows.len() > small).then(|| {
            let mut histogram = self.spare_histogram(k);
            fill::<LABELS>(self.records, masses, &self.rows, &mut histogram);
            histogram
        });
        let mut pending = vec![Pending {
            first: 0,
            last: self.rows.len(),
            depth: 0,
            histogram,
        }];
        // Masses per label of the pending nodes, in the same order.
        let mut totals = sum_rows(masses, k);
        let mut total = vec![0_i64; k];
        while let Some(node) = pending.pop() {
            total.copy_from_slice(&totals[totals.len() - k..]);
            totals.truncate(totals.len() - k);
            if node.depth >= growth.max_depth || node.last - node.first < 2 || is_pure(&total) {
                self.spare_histograms.extend(node.histogram);
                continue;
            }
            let best = match &node.histogram {
                Some(histogram) => {
                    self.cumulate(histogram, k);
                    self.best_of::<LABELS>(
                        considered,
                        random,
                        &total,
                        Self::split_by_histogram::<LABELS>,
                    )
                }
                None => {
                    let rows = &self.rows[node.first..node.last];
                    self.small
                        .gather(self.records, masses, rows, total.iter().sum());
                    self.best_of::<LABELS>(
                        considered,
                        random,
                        &total,
                        Self::split_by_rows::<LABELS>,
                    )
                }
            };
            let Some((split, score)) = best else {
                self.spare_histograms.extend(node.histogram);
                continue;
            };
            importance[split as usize] += (score - purity(&total)).max(0.0);
            let divided = self.records.binary[split as usize];
            let middle = self.partition(&node, divided);
            for (all, inside) in total.iter().zip(&self.best_inside) {
                totals.push(all - inside);
            }
            totals.extend_from_slice(&self.best_inside);
            let (a, b) = self.child_histograms::<LABELS>(masses, &node, middle, small);
            let depth = node.depth + 1;
            pending.push(Pending {
                first: middle,
                last: node.last,
                depth,
                histogram: b,
            });
            pending.push(Pending {
                first: node.first,
                last: middle,
                depth,
                histogram: a,
            });
            self.spare_histograms
                .extend(node.histogram.filter(|h| !h.is_empty()));
        }
        importance
    }

    fn spare_histogram(&mut self, k: usize) -> Vec<i64> {
        let mut histogram = self.spare_histograms.pop().unwrap_or_default();
        histogram.clear();
        histogram.resize(self.records.n_bins() * k, 0);
        histogram
    }

    /// Histograms of both sides, where they have more than `small` rows.
    fn child_histograms<const LABELS: usize>(
        &mut self,
        masses: &[i64],
        node: &Pending,
        middle: usize,
        small: usize,
    ) -> (Option<Vec<i64>>, Option<Vec<i64>>) {
        let k = if LABELS == 0 {
            self.records.n_labels
        } else {
            LABELS
        };
        let (a, b) = (middle - node.first, node.last - middle);
        let Some(whole) = node.histogram.as_ref().filter(|_| a.max(b) > small) else {
            return (None, None);
        };
        let mut lesser = self.spare_histogram(k);
        let rows = if a <= b {
            node.first..middle
        } else {
            middle..node.last
        };
        fill::<LABELS>(self.records, masses, &self.rows[rows], &mut lesser);
        let mut larger = self.spare_histogram(k);
        for ((out, all), part) in larger.iter_mut().zip(whole).zip(&lesser) {
            *out = all - part;
        }
        let lesser = (a.min(b) > small).then_some(lesser);
        if a <= b {
            (lesser, Some(larger))
        } else {
            (Some(larger), lesser)
        }
    }

    /// Cumulate a histogram along ordered columns (all columns are: nominal splits take differences).
    fn cumulate(&mut self, histogram: &[i64], k: usize) {
        self.cumulated.clear();
        self.cumulated.extend_from_slice(histogram);
        for bins in self.records.first_bin.windows(2) {
            for cell in (bins[0] + 1) * k..bins[1] * k {
                self.cumulated[cell] += self.cumulated[cell - k];
            }
        }
    }

    /// The best of `considered` random splits, with the purity it leads to; more are drawn until one divides the node.
    fn best_of<const LABELS: usize>(
        &mut self,
        considered: usize,
        random: &mut Random,
        total: &[i64],
        masses_inside: fn(&mut Self, BinarySplit),
    ) -> Option<(u32, f64)> {
        let mut best: Option<(u32, f64)> = None;
        let n = self.allowed.len();
        for drawn in 0..n {
            if drawn >= considered && best.is_some() {
                break;
            }
            if considered < n {
                self.allowed.swap(drawn, drawn + random.below(n - drawn));
            }
            let split = self.allowed[drawn];
            masses_inside(self, self.records.binary[split as usize]);
            let score = purity_of_sides::<LABELS>(&self.inside, total);
            if let Some(score) = score
                && best.is_none_or(|(_, most)| score > most)
            {
                best = Some((split, score));
                std::mem::swap(&mut self.inside, &mut self.best_inside);
            }
        }
        best
    }

    /// Masses where `split` is true, from the cumulated histogram.
    fn split_by_histogram<const LABELS: usize>(&mut self, split: BinarySplit) {
        let k = if LABELS == 0 {
            self.records.n_labels
        } else {
            LABELS
        };
        let first = self.records.first_bin[split.column as usize];
        let at = (first + usize::from(split.code)) * k;
        self.inside.clear();
        self.inside.extend_from_slice(&self.cumulated[at..at + k]);
        if !split.ordered && split.code > 0 {
            for label in 0..k {
                self.inside[label] -= self.cumulated[at - k + label];
            }
        }
    }

    /// Masses where `split` is true, row by row.
    fn split_by_rows<const LABELS: usize>(&mut self, split: BinarySplit) {
        self.small.inside::<LABELS>(split, &mut self.inside);
    }

    /// Move the rows of a node where `split` is true to the front; returns where the others begin.
    fn partition(&mut self, node: &Pending, split: BinarySplit) -> usize {
        let rows = &mut self.rows[node.first..node.last];
        let spare = &mut self.spare_rows;
        let front = if node.histogram.is_none() {
            let codes = self.small.codes_of(split);
            partition_rows(rows, spare, |at, _| split.is_true(codes[at]))
        } else {
            let column = split.column as usize;
            partition_rows(rows, spare, |_, row| {
                split.is_true(self.records.row(row)[column])
            })
        };
        node.first + front
    }
}

/// Move the rows where `inside` (of place and row) holds to the front, keeping both sides in order; returns how many they are.
fn partition_rows(
    rows: &mut [u32],
    spare: &mut Vec<u32>,
    inside: impl Fn(usize, u32) -> bool,
) -> usize {
    spare.clear();
    let mut front = 0;
    for at in 0..rows.len() {
        let row = rows[at];
        if inside(at, row) {
            rows[front] = row;
            front += 1;
        } else {
            spare.push(row);
        }
    }
    rows[front..].copy_from_slice(spare);
    front
}

/// Add rows to a histogram.
fn fill<const LABELS: usize>(
    records: &Records,
    masses: &[i64],
    rows: &[u32],
    histogram: &mut [i64],
) {
    let k = if LABELS == 0 {
        records.n_labels
    } else {
        LABELS
    };
    for &row in rows {
        let masses = &masses[row as usize * k..(row as usize + 1) * k];
        for (&code, &first) in records.row(row).iter().zip(&records.first_bin) {
            let at = (first + usize::from(code)) * k;
            for (cell, mass) in histogram[at..at + k].iter_mut().zip(masses) {
                *cell += mass;
            }
        }
    }
}

/// Summed masses per label.
fn sum_rows(masses: &[i64], k: usize) -> Vec<i64> {
    let mut total = vec![0; k];
    for row in masses.chunks_exact(k) {
        for (sum, mass) in total.iter_mut().zip(row) {
            *sum += mass;
        }
    }
    total
}

/// Whether all mass is of one label.
fn is_pure(total: &[i64]) -> bool {
    total.iter().filter(|&&mass| mass > 0).count() < 2
}

/// Sum of squared masses over their sum: the weighted Gini index is the sum minus this.
fn purity(masses: &[i64]) -> f64 {
    let total: f64 = masses.iter().map(|&m| m as f64).sum();
    let squares: f64 = masses.iter().map(|&m| m as f64 * m as f64).sum();
    squares / total
}

/// Purity of both sides; none if one of them has no mass.
fn purity_of_sides<const LABELS: usize>(inside: &[i64], total: &[i64]) -> Option<f64> {
    let k = if LABELS == 0 { total.len() } else { LABELS };
    let (mut a, mut b, mut a_squares, mut b_squares) = (0.0, 0.0, 0.0, 0.0);
    for label in 0..k {
        let mass = inside[label] as f64;
        let rest = (total[label] - inside[label]) as f64;
        a += mass;
        b += rest;
        a_squares += mass * mass;
        b_squares += rest * rest;
    }
    (a > 0.0 && b > 0.0).then(|| a_squares / a + b_squares / b)
}
