//! Matthews correlation: the corners of the convex hull of all (false positives, false negatives).
//!
//! For a level c >= 0, the points with correlation at most c are those with `tpr - fpr <= c' sqrt(q (1 - q))`, where q, the share
//! predicted positive, is linear in (fpr, tpr). The root is concave in q, so that set is convex: the correlation is quasi-convex, and its
//! largest value over all trees lies at a corner of their convex hull. Where the correlation is positive it falls with either kind of
//! error, so it is a corner that a scalar search with some non-negative prices finds. Corners are found from the outside in (as in
//! Aneja and Nair 1979): the search between two neighbours has the prices for which both cost the same. What may lie between them is a
//! polygon bounded by the lines already proven, and the correlation at its corners bounds that of every tree in it.

use super::additive::{Inside, MAX_MASS, Scalar, solve_scalar};
use super::records::Records;
use crate::error::Error;
use crate::search::{Control, Observer, Params};
use crate::tree::{Tree, TreeNode};

/// What a search for the best correlation found.
#[derive(Clone, Debug)]
pub struct MatthewsOutcome {
    /// The best tree.
    pub tree: Tree,
    /// Its correlation.
    pub correlation: f64,
    /// No tree has a larger one.
    pub upper_bound: f64,
    /// Whether the tree is proven best.
    pub is_optimal: bool,
    /// False positives and false negatives of the tree, in units.
    pub errors: [i64; 2],
    /// Number of scalar searches.
    pub n_searches: usize,
}

/// Correlation of predictions with these false positives and false negatives among so many negatives and positives; 0 where it is
/// undefined (one class only, or one label only).
pub fn correlation(
    false_positives: f64,
    false_negatives: f64,
    negatives: f64,
    positives: f64,
) -> f64 {
    let (tp, tn) = (positives - false_negatives, negatives - false_positives);
    let (called, not_called) = (tp + false_positives, tn + false_negatives);
    let product = called * not_called * positives * negatives;
    if product <= 0.0 {
        0.0
    } else {
        (tp * tn - false_positives * false_negatives) / product.sqrt()
    }
}

/// A line `a fp + b fn >= value` that holds for all trees.
#[derive(Clone, Copy, Debug)]
struct Line {
    a: f64,
    b: f64,
    value: f64,
}

impl Line {
    /// Where two lines meet; of parallel ones, a point on the outer one is never asked for.
    fn meet(&self, other: &Self) -> Option<[f64; 2]> {
        let determinant = self.a * other.b - self.b * other.a;
        (determinant.abs() > 0.0).then(|| {
            [
                (self.value * other.b - self.b * other.value) / determinant,
                (self.a * other.value - self.value * other.a) / determinant,
            ]
        })
    }
}

/// Between two neighbouring corners of the hull, the first with fewer false positives.
#[derive(Clone, Copy, Debug)]
struct Gap {
    corners: [[i64; 2]; 2],
    lines: [Line; 2],
    bound: f64,
}

/// Find the tree of depth and size as in `params` with the largest Matthews correlation.
///
/// # Errors
/// [`Error::Statistics`] if a class is empty, [`Error::Parameter`] if a parameter is out of range.
pub fn maximise_correlation(
    records: &mut Records,
    params: &Params,
    control: &Control,
    observer: &mut dyn Observer,
) -> Result<MatthewsOutcome, Error> {
    let (negatives, positives) = (records.class_total(0), records.class_total(1));
    if negatives == 0 || positives == 0 {
        return Err(Error::Statistics(format!(
            "the {} class has no record of positive weight; the Matthews correlation needs both classes",
            if positives == 0 {
                "positive"
            } else {
                "negative"
            }
        )));
    }
    let worth = |[fp, fn_]: [f64; 2]| correlation(fp, fn_, negatives as f64, positives as f64);
    let mut best = MatthewsOutcome {
        tree: Tree {
            nodes: vec![TreeNode::Leaf {
                label: u32::from(positives > negatives),
            }],
            units: 0,
        },
        correlation: 0.0,
        upper_bound: 1.0,
        is_optimal: false,
        errors: if positives > negatives {
            [negatives, 0]
        } else {
            [0, positives]
        },
        n_searches: 0,
    };
    // All negative and all positive; no tree has less than no errors.
    let axes = [
        Line {
            a: 1.0,
            b: 0.0,
            value: 0.0,
        },
        Line {
            a: 0.0,
            b: 1.0,
            value: 0.0,
        },
    ];
    let mut open = vec![Gap {
        corners: [[0, positives], [negatives, 0]],
        lines: axes,
        bound: 1.0,
    }];
    loop {
        // The most promising gap first: an interrupted search then leaves the least bound.
        let Some(next) = (0..open.len()).max_by(|&i, &j| open[i].bound.total_cmp(&open[j].bound))
        else {
            best.upper_bound = best.correlation;
            break;
        };
        best.upper_bound = open[next].bound.max(best.correlation);
        if open[next].bound <= best.correlation * (1.0 + 1e-12) {
            best.upper_bound = best.correlation;
            break;
        }
        if control.stopped() {
            return Ok(best);
        }
        let gap = open.swap_remove(next);
        let [left, right] = gap.corners;
        let prices = prices(left, right, records);
        let mut inside = Inside {
            observer,
            objective: best.correlation,
            bound: best.upper_bound,
        };
        let found = solve_prices(records, &prices, params, control, &mut inside)?;
        best.n_searches += 1;
        let group_count = records.n_groups;
        let fp: i64 = found.cells[..group_count].iter().sum();
        let point = [
            fp,
            positives - found.cells[group_count..].iter().sum::<i64>(),
        ];
        let value = worth([point[0] as f64, point[1] as f64]);
        if value > best.correlation {
            best.correlation = value;
            best.errors = point;
            best.tree = found.tree;
        }
        let (a, b) = (prices.false_positive, prices.false_negative);
        let line = Line {
            a,
            b,
            value: found.lower as f64 + b * positives as f64 - prices.rounding,
        };
        let price_of = |[fp, fn_]: [i64; 2]| a * fp as f64 + b * fn_ as f64;
        let is_corner =
            price_of(point) + 2.0 * prices.rounding < price_of(left).min(price_of(right));
        let mut push = |corners: [[i64; 2]; 2], lines: [Line; 2]| {
            let corner = lines[0].meet(&lines[1]);
            let ends = corners.map(|point| worth([point[0] as f64, point[1] as f64]));
            let bound = corner
                .map_or(0.0, worth)
                .max(ends[0])
                .max(ends[1])
                .min(gap.bound);
            open.push(Gap {
                corners,
                lines,
                bound,
            });
        };
        if found.is_optimal && is_corner {
            // Beside a neighbour with as few errors of one kind lies nothing better than the new corner.
            if point[0] > left[0] {
                push([left, point], [gap.lines[0], line]);
            }
            if point[1] > right[1] {
                push([point, right], [line, gap.lines[1]]);
            }
        } else {
            // If that is proven, nothing lies below the line through both corners, by more than real weights are rounded.
            if !found.is_optimal {
                let bound = [gap.lines[0].meet(&line), line.meet(&gap.lines[1])]
                    .into_iter()
                    .flatten()
                    .map(worth)
                    .fold(0.0, f64::max)
                    .min(gap.bound);
                open.push(Gap { bound, ..gap });
                // Stopped, or unable to prove: the same search again would end the same way.
                let bounds = open.iter().map(|gap| gap.bound);
                best.upper_bound = bounds.fold(best.correlation, f64::max);
                return Ok(best);
            }
        }
    }
    best.is_optimal = true;
    Ok(best)
}

/// What a false positive and a false negative cost in one scalar search.
#[derive(Clone, Copy, Debug)]
struct Prices {
    false_positive: f64,
    false_negative: f64,
    /// Most by which rounding the price of each row changes the sum over any rows; 0 for whole prices.
    rounding: f64,
}

/// Prices for which both points cost the same: whole ones, unless real weights have made the numbers too large.
fn prices(left: [i64; 2], right: [i64; 2], records: &Records) -> Prices {
    let (a, b) = (left[1] - right[1], right[0] - left[0]);
    let divisor = gcd(a, b).max(1);
    let (a, b) = ((a / divisor) as f64, (b / divisor) as f64);
    let mass = a * records.class_total(0) as f64 + b * records.class_total(1) as f64;
    if mass <= MAX_MASS as f64 {
        return Prices {
            false_positive: a,
            false_negative: b,
            rounding: 0.0,
        };
    }
    let shrink = MAX_MASS as f64 / mass;
    let rounding = records.n_rows() as f64;
    Prices {
        false_positive: a * shrink,
        false_negative: b * shrink,
        rounding,
    }
}

fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

fn solve_prices(
    records: &mut Records,
    prices: &Prices,
    params: &Params,
    control: &Control,
    observer: &mut dyn Observer,
) -> Result<Scalar, Error> {
    let price: Vec<i64> = (0..records.n_rows())
        .map(|row| {
            let (negative, positive) = records.row(row);
            let (negative, positive): (i64, i64) = (negative.iter().sum(), positive.iter().sum());
            (prices.false_positive * negative as f64 - prices.false_negative * positive as f64)
                .round() as i64
        })
        .collect();
    solve_scalar(records, &price, params, control, observer)
}
