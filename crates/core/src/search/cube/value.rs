//! The whole-number types that box costs are kept in.

use std::ops::{Add, AddAssign, Mul, SubAssign};

use crate::search::lane::Lane;

/// A cost type. Costs stay below [`Value::UNREACHABLE`], of which two, a node price and the charge of a test still fit (a plan counts
/// charges among the costs).
pub trait Value:
    Lane + Ord + Add<Output = Self> + Mul<Output = Self> + AddAssign + SubAssign
{
    /// Cost that no tree reaches.
    const UNREACHABLE: Self;
}

macro_rules! value {
    ($int:ty) => {
        impl Value for $int {
            const UNREACHABLE: Self = <$int>::MAX / 4;
        }
    };
}

value!(i32);
value!(i64);
