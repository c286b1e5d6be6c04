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

    /// Highest price of a branching node: no root leaf costs more, as the least of several labels' costs is at most half of the 2^40 units
    /// that all costs add up to. A higher price would rule out the same trees, and seven times this one still fits a cost.
    const HIGHEST_PRICE: Cost = 1 << 59;

    /// Scale for a penalty per branching node given in units.
    pub fn new(penalty_units: f64) -> Self {
        let price = (penalty_units * Self::STEPS as f64).round().min(Self::HIGHEST_PRICE as f64);
        Self { per_unit: Self::STEPS, node: price as i64 + 1 }
    }

    /// Cost of a loss.
    #[inline]
    pub fn loss(&self, units: i64) -> Cost {
        units * self.per_unit
    }
}
