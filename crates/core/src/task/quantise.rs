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
    let distinct = Distinct::of(costs);
    let values = distinct.as_ref().map_or(costs, |found| &found.values);
    let (units, unit) = quantise_values(values, total);
    let units = match distinct {
        Some(found) => found.places.iter().map(|&at| units[at as usize]).collect(),
        None => units,
    };
    Quantised { units, unit }
}

fn quantise_values(values: &[f64], total: f64) -> (Vec<i64>, f64) {
    let whole = values.iter().all(|c| c.fract() == 0.0);
    if whole && total <= FIXED_POINT_TOTAL {
        return (values.iter().map(|&c| c as i64).collect(), 1.0);
    }
    let in_units = |unit: f64| values.iter().map(|&c| (c / unit).round() as i64).collect();
    let smallest = values
        .iter()
        .copied()
        .filter(|&c| c > 0.0)
        .fold(f64::INFINITY, f64::min);
    if total / smallest <= FIXED_POINT_TOTAL && values.iter().all(|&c| is_multiple(c / smallest)) {
        return (in_units(smallest), smallest);
    }
    // In two halves, lest a power overflow; the least positive number is as fine as a unit gets.
    let exponent = total.log2().ceil() as i32 - FIXED_POINT_TOTAL.log2() as i32;
    let unit =
        (2_f64.powi(exponent / 2) * 2_f64.powi(exponent - exponent / 2)).max(f64::from_bits(1));
    (in_units(unit), unit)
}

/// The distinct values among many, where they are few: then each is divided and rounded once.
struct Distinct {
    values: Vec<f64>,
    /// For each of the many, its place among the distinct ones.
    places: Vec<u8>,
}

impl Distinct {
    const MOST: usize = 256;
    const SLOTS: usize = 4 * Self::MOST;

    fn of(costs: &[f64]) -> Option<Self> {
        let mut slots = [u16::MAX; Self::SLOTS];
        let mut values: Vec<f64> = Vec::new();
        let mut places = Vec::with_capacity(costs.len());
        for &cost in costs {
            let bits = cost.to_bits();
            let hash = bits.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 54;
            let mut slot = hash as usize % Self::SLOTS;
            loop {
                match values.get(usize::from(slots[slot])) {
                    Some(known) if known.to_bits() == bits => break,
                    Some(_) => slot = (slot + 1) % Self::SLOTS,
                    None if values.len() == Self::MOST => return None,
                    None => {
                        slots[slot] = values.len() as u16;
                        values.push(cost);
                        break;
                    }
                }
            }
            places.push(slots[slot] as u8);
        }
        Some(Self { values, places })
    }
}

fn is_multiple(ratio: f64) -> bool {
    (ratio - ratio.round()).abs() <= 1e-12 * ratio.max(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_distinct_costs_become_what_many_do() {
        let few: Vec<f64> = (0..900).map(|i| f64::from(i % 250) * 0.3 + 0.01).collect();
        let many: Vec<f64> = (0..900).map(|i| f64::from(i % 300) * 0.3 + 0.01).collect();
        for (costs, is_few) in [(few, true), (many, false)] {
            assert_eq!(Distinct::of(&costs).is_some(), is_few);
            let found = quantise(&costs);
            let (units, unit) = quantise_values(&costs, costs.iter().sum());
            assert_eq!(found, Quantised { units, unit });
        }
    }

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
