//! The whole-number types that box costs are kept in.

use std::ops::{Add, AddAssign, Mul, SubAssign};

/// A cost type. Costs stay below [`Value::UNREACHABLE`], of which two and a node price still fit.
pub trait Value:
    Copy + Default + Ord + Add<Output = Self> + Mul<Output = Self> + AddAssign + SubAssign + Send + Sync
{
    /// Cost that no tree reaches.
    const UNREACHABLE: Self;

    /// Narrow a value known to fit.
    fn narrow(value: i64) -> Self;
    /// Widen.
    fn widen(self) -> i64;
}

macro_rules! value {
    ($int:ty) => {
        impl Value for $int {
            const UNREACHABLE: Self = <$int>::MAX / 4;

            #[inline(always)]
            fn narrow(value: i64) -> Self {
                debug_assert!(<$int>::try_from(value).is_ok());
                value as $int
            }
            #[inline(always)]
            fn widen(self) -> i64 {
                i64::from(self)
            }
        }
    };
}

value!(i32);
value!(i64);
