//! Costs inside the search: loss and node price in one whole number.

/// Cost of a (sub)tree: its loss times [`Scale::per_unit`] plus a price per branching node.
///
/// The loss is the cost above the equivalent-points bound, in units. The price holds the complexity penalty and one
/// smallest step, so that of two trees that are equally good the one with fewer branching nodes is cheaper.
pub type Cost = i64;

/// Cost that no tree reaches.
pub const UNREACHABLE: Cost = i64::MAX / 4;

/// How losses and node prices add up.
#[derive(Clone, Copy, Debug)]
pub struct Scale {
    /// Cost of one unit of loss.
    pub per_unit: i64,
    /// Cost of one branching node.
    pub node: Cost,
}

impl Scale {
    /// Steps of cost per unit of loss: more than any tree has branching nodes, so that the tie-break never outweighs a unit.
    pub const STEPS: i64 = 1 << 20;

    /// Scale for a penalty per branching node, given in units, where no tree loses more than `most` units.
    ///
    /// A price beyond the largest loss means the same as one just above it: no branching node pays.
    pub fn new(penalty_units: f64, most: i64) -> Self {
        let limit = most * Self::STEPS;
        let price = (penalty_units * Self::STEPS as f64).round();
        let price = if price < limit as f64 {
            price as i64
        } else {
            limit
        };
        Self {
            per_unit: Self::STEPS,
            node: price + 1,
        }
    }

    /// Cost of a loss.
    #[inline]
    pub fn loss(&self, units: i64) -> Cost {
        units * self.per_unit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_price_is_kept_unless_no_loss_can_outweigh_it() {
        let scale = Scale::new(2.5, 1 << 38);
        assert_eq!(scale.node, 5 * Scale::STEPS / 2 + 1);
        let fine = Scale::new(0.06 * (1_i64 << 38) as f64, 1 << 38);
        assert!(fine.node > scale.loss((1 << 38) / 17) && fine.node < scale.loss((1 << 38) / 16));
        assert_eq!(Scale::new(f64::MAX, 10).node, 10 * Scale::STEPS + 1);
    }
}
