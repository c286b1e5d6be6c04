//! Real costs as whole numbers, so that sums are exact and independent of their order.

use crate::error::Error;

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

/// Turn costs, finite and at least zero, into whole units.
///
/// Whole costs stay as they are. Costs that are all whole multiples of the smallest one (a constant times whole weights)
/// become those multiples. Other costs are rounded to a power-of-two fraction of their total, 2^-38 to 2^-37 of it.
///
/// # Errors
/// [`Error::Statistics`] if they have no finite sum.
pub fn quantise(costs: &[f64]) -> Result<Quantised, Error> {
    quantise_total(costs, sum(costs))
}

/// The same for costs that come up several times and add up to `total`.
///
/// # Errors
/// As [`quantise`].
pub fn quantise_total(costs: &[f64], total: f64) -> Result<Quantised, Error> {
    if !total.is_finite() {
        return Err(Error::Statistics(
            "the costs of all records and labels have no finite sum; costs must add up to less than 1.8e308 \
             (scale all of them down by the same factor: that changes no tree)"
                .into(),
        ));
    }
    if total <= FIXED_POINT_TOTAL
        && let Some(units) = whole(costs)
    {
        return Ok(Quantised { units, unit: 1.0 });
    }
    let positive = costs.iter().copied().filter(|&c| c > 0.0);
    let smallest = positive.fold(f64::INFINITY, f64::min);
    if total / smallest <= FIXED_POINT_TOTAL && costs.iter().all(|&c| is_multiple(c / smallest)) {
        return Ok(Quantised {
            units: multiples(costs, smallest),
            unit: smallest,
        });
    }
    // In two halves, lest a power overflow; the least positive number is as fine as a unit gets.
    let exponent = total.log2().ceil() as i32 - FIXED_POINT_TOTAL.log2() as i32;
    let unit =
        (2_f64.powi(exponent / 2) * 2_f64.powi(exponent - exponent / 2)).max(f64::from_bits(1));
    Ok(Quantised {
        units: multiples(costs, unit),
        unit,
    })
}

/// The sum, in several parts side by side.
fn sum(costs: &[f64]) -> f64 {
    let (chunks, rest) = costs.as_chunks::<8>();
    let mut parts = [0.0; 8];
    for chunk in chunks {
        for (part, cost) in parts.iter_mut().zip(chunk) {
            *part += cost;
        }
    }
    parts.iter().chain(rest).sum()
}

/// The costs as whole numbers, if they are; none may exceed 2^53.
fn whole(costs: &[f64]) -> Option<Vec<i64>> {
    let units: Vec<i64> = costs.iter().map(|&cost| cost as i64).collect();
    let same = |(&unit, &cost): (&i64, &f64)| unit as f64 == cost;
    units.iter().zip(costs).all(same).then_some(units)
}

/// The nearest multiples of `unit`.
fn multiples(costs: &[f64], unit: f64) -> Vec<i64> {
    let costs = costs.iter();
    costs.map(|&cost| (cost / unit + 0.5) as i64).collect()
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
            quantise(&[0.0, 3.0, 7.0]).unwrap(),
            Quantised {
                units: vec![0, 3, 7],
                unit: 1.0
            }
        );
    }

    #[test]
    fn a_constant_factor_changes_no_unit() {
        let scaled: Vec<f64> = [1.0, 3.0, 7.0].iter().map(|w| w * 0.1).collect();
        assert_eq!(quantise(&scaled).unwrap().units, vec![1, 3, 7]);
    }

    #[test]
    fn real_costs_keep_eleven_digits() {
        let costs = [0.1234567, 9.87654321, 3.3];
        let q = quantise(&costs).unwrap();
        for (cost, unit) in costs.iter().zip(&q.units) {
            assert!((cost - *unit as f64 * q.unit).abs() < 1e-10);
        }
    }

    #[test]
    fn a_sum_beyond_all_numbers_is_refused() {
        assert!(quantise(&[1e308, 1e308]).is_err());
    }

    #[test]
    fn nothing_costs_nothing() {
        assert_eq!(quantise(&[0.0, 0.0]).unwrap().units, vec![0, 0]);
    }
}
