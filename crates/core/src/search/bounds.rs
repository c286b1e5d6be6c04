//! Lower bounds for the splits of one column, from splits already evaluated (after ConTree, Brita et al. 2025).
//!
//! All rest on two facts about the best cost V(B) of a set of rows B at a given depth and node budget: adding a row never lowers it, and
//! raises it by at most the row's spread. Both fail when leaves must hold a minimum of records; the bounds are off then.

use super::cost::{Cost, Scale};

/// Which bounds a search uses. Every combination gives the same optimum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// A split's cost differs from a neighbour's by at most the mass between them.
    pub neighbour: bool,
    /// Between two splits, left costs at least what the left one left costs, right at least what the right one right costs.
    pub interval: bool,
    /// A child costs at least the whole node's cost one level shallower, less the mass of the other child.
    pub shallower: bool,
    /// A subproblem costs at least what a similar one costs, less the mass by which it is smaller.
    pub similarity: bool,
    /// Results of subproblems are kept.
    pub cache: bool,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            neighbour: true,
            interval: true,
            shallower: true,
            similarity: true,
            cache: true,
        }
    }
}

impl Bounds {
    /// Names of the bounds that can be turned off.
    pub const NAMES: [&'static str; 5] =
        ["neighbour", "interval", "shallower", "similarity", "cache"];

    /// The bound of that name.
    pub fn by_name(&mut self, name: &str) -> Option<&mut bool> {
        match name {
            "neighbour" => Some(&mut self.neighbour),
            "interval" => Some(&mut self.interval),
            "shallower" => Some(&mut self.shallower),
            "similarity" => Some(&mut self.similarity),
            "cache" => Some(&mut self.cache),
            _ => None,
        }
    }

    /// The bounds that stay valid when leaves must hold a minimum of records.
    pub fn when_counted(self) -> Self {
        Self {
            neighbour: false,
            interval: false,
            similarity: false,
            ..self
        }
    }
}

/// What is known of a split of an ordered column: lower bounds on both sides and on the whole, and the mass to its left.
#[derive(Clone, Copy, Debug)]
pub struct Known {
    /// Least cost of the rows where the split is true.
    pub inside: Cost,
    /// Least cost of the other rows.
    pub outside: Cost,
    /// Least cost of a tree with this split at its root.
    pub whole: Cost,
    /// Mass (sum of spreads) where the split is true.
    pub mass: i64,
}

impl Known {
    /// The "split" before the first: nothing on its left, all on its right.
    pub fn before_all(shallower: Cost, scale: Scale) -> Self {
        Self {
            inside: 0,
            outside: shallower,
            whole: scale.node + shallower,
            mass: 0,
        }
    }

    /// The "split" after the last.
    pub fn after_all(shallower: Cost, scale: Scale, mass: i64) -> Self {
        Self {
            inside: shallower,
            outside: 0,
            whole: scale.node + shallower,
            mass,
        }
    }
}

/// Neighbour bound: cost of a split of mass `mass` between `left` and `right`.
pub fn neighbour(left: &Known, right: &Known, mass: i64, scale: Scale) -> Cost {
    let from_left = left.whole - scale.loss(mass - left.mass);
    let from_right = right.whole - scale.loss(right.mass - mass);
    from_left.max(from_right)
}

/// Interval bound: cost of any split between `left` and `right`.
pub fn interval(left: &Known, right: &Known, scale: Scale) -> Cost {
    scale.node + left.inside + right.outside
}
