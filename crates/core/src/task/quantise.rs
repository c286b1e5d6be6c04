//! Real costs as whole numbers, so that sums are exact and independent of their order.

/// Whole costs and what one unit of them is worth.
#[derive(Clone, Debug, PartialEq)]
pub struct Quantised {
    /// The costs in units.
    pub units: Vec<i64>,
    /// Worth of one unit in the task's own terms.
    pub unit: f64,
}

/// Total that fixed-point costs are scaled to: leaves room for node counts and sums in 64 bits.
const FIXED_POINT_TOTAL: f64 = (1_u64 << 38) as f64;

/// Turn costs into whole units.
///
/// Whole costs stay as they are. Costs that are all whole multiples of the smallest one (a constant times whole weights)
/// become those multiples. Other costs are rounded to a power-of-two fraction of their total, 2^-38 to 2^-37 of it.
/// The total must be finite.
pub fn quantise(costs: &[f64]) -> Quantised {
    let total: f64 = costs.iter().sum();
    if total <= 0.0 {
        return Quantised {
            units: vec![0; costs.len()],
            unit: 1.0,
        };
    }
    let whole = costs.iter().all(|c| c.fract() == 0.0);
    if whole && total <= FIXED_POINT_TOTAL {
        return Quantised {
            units: costs.iter().map(|&c| c as i64).collect(),
            unit: 1.0,
        };
    }
    let smallest = costs
        .iter()
        .copied()
        .filter(|&c| c > 0.0)
        .fold(f64::INFINITY, f64::min);
    if total / smallest <= FIXED_POINT_TOTAL && costs.iter().all(|&c| is_multiple(c / smallest)) {
        let units = costs
            .iter()
            .map(|&c| (c / smallest).round() as i64)
            .collect();
        return Quantised {
            units,
            unit: smallest,
        };
    }
    // In two halves, lest a power overflow; the least positive number is as fine as a unit gets.
    let exponent = total.log2().ceil() as i32 - FIXED_POINT_TOTAL.log2() as i32;
    let unit =
        (2_f64.powi(exponent / 2) * 2_f64.powi(exponent - exponent / 2)).max(f64::from_bits(1));
    Quantised {
        units: costs.iter().map(|&c| (c / unit).round() as i64).collect(),
        unit,
    }
}

fn is_multiple(ratio: f64) -> bool {
    (ratio - ratio.round()).abs() <= 1e-12 * ratio.max(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_costs_stay() {
        assert_eq!(
            quantise(&[0.0, 3.0, 7.0]),
            Quantised {
                units: vec![0, 3, 7],
                unit: 1.0
            }
        );
    }

    #[test]
    fn a_constant_factor_changes_no_unit() {
        let scaled: Vec<f64> = [1.0, 3.0, 7.0].iter().map(|w| w * 0.1).collect();
        assert_eq!(quantise(&scaled).units, vec![1, 3, 7]);
    }

    #[test]
    fn real_costs_keep_eleven_digits() {
        let costs = [0.1234567, 9.87654321, 3.3];
        let q = quantise(&costs);
        for (cost, unit) in costs.iter().zip(&q.units) {
            assert!((cost - *unit as f64 * q.unit).abs() < 1e-10);
        }
    }

    #[test]
    fn nothing_costs_nothing() {
        assert_eq!(quantise(&[0.0, 0.0]).units, vec![0, 0]);
    }
}
