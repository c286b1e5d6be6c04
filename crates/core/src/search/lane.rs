//! The whole-number types that pair tables are kept in.
//!
//! A narrower lane doubles what a vector register holds; a node uses the narrowest in which no sum of its masses can overflow.

use std::fmt::Debug;
use std::ops::BitAnd;

/// A lane type with the few operations that the kernels need; all wrap, none can overflow when chosen by [`LaneWidth::for_mass`].
pub trait Lane: Copy + Default + Debug + PartialOrd + Send + Sync + 'static {
    /// As many bits as the lane, for the bitset kernel: one bit per row.
    type Bits: Copy + Default + Debug + BitAnd<Output = Self::Bits> + Send + Sync;
    /// Rows per word of [`Lane::Bits`].
    const ROWS_PER_WORD: usize;
    /// Score of a leaf that is not allowed (too few records). Two of them still fit the lane.
    const FORBIDDEN: Self;

    /// Wrapping sum.
    fn plus(self, other: Self) -> Self;
    /// Wrapping difference.
    fn minus(self, other: Self) -> Self;
    /// Wrapping product.
    fn times(self, other: Self) -> Self;
    /// The larger one.
    fn larger(self, other: Self) -> Self;
    /// `self` if `bit` is 1, zero if it is 0.
    fn if_bit(self, bit: u32) -> Self;
    /// Narrow a value known to fit.
    fn narrow(value: i64) -> Self;
    /// Widen a 16-bit lane to this one.
    fn from_narrow(value: i16) -> Self;
    /// Widen.
    fn widen(self) -> i64;
    /// Put the bits of 32 records, block `number` of them, where `words` keeps them for split `g`.
    fn place(turned: u32, number: usize, width: usize, g: usize, words: &mut [Self::Bits]);
    /// Number of ones in a word.
    fn ones(bits: Self::Bits) -> Self;
}

macro_rules! lane {
    ($int:ty, $bits:ty) => {
        impl Lane for $int {
            type Bits = $bits;
            const ROWS_PER_WORD: usize = <$bits>::BITS as usize;
            const FORBIDDEN: Self = <$int>::MIN / 4;

            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
            #[inline(always)]
            fn minus(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }
            #[inline(always)]
            fn times(self, other: Self) -> Self {
                self.wrapping_mul(other)
            }
            #[inline(always)]
            fn larger(self, other: Self) -> Self {
                self.max(other)
            }
            #[inline(always)]
            fn if_bit(self, bit: u32) -> Self {
                self & (bit as $int).wrapping_neg()
            }
            #[inline(always)]
            fn narrow(value: i64) -> Self {
                debug_assert!(<$int>::try_from(value).is_ok());
                value as $int
            }
            #[inline(always)]
            fn from_narrow(value: i16) -> Self {
                <$int>::from(value)
            }
            #[inline(always)]
            fn widen(self) -> i64 {
                i64::from(self)
            }
            #[inline(always)]
            fn place(turned: u32, number: usize, width: usize, g: usize, words: &mut [$bits]) {
                let per_word = <$bits>::BITS as usize;
                if per_word < 32 {
                    for half in 0..32 / per_word {
                        let word = (number * 32 / per_word + half) * width + g;
                        // The last block may need fewer words than it has halves.
                        if word < words.len() {
                            words[word] = (turned >> (half * per_word)) as $bits;
                        }
                    }
                } else {
                    let word = number * 32 / per_word * width + g;
                    words[word] |= (turned as $bits).wrapping_shl((number * 32 % per_word) as u32);
                }
            }
            #[inline(always)]
            fn ones(bits: $bits) -> Self {
                bits.count_ones() as $int
            }
        }
    };
}

lane!(i16, u16);
lane!(i32, u32);
lane!(i64, u64);

/// Which lane type a node uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LaneWidth {
    /// 16 bits.
    Narrow,
    /// 32 bits.
    Medium,
    /// 64 bits.
    Wide,
}

impl LaneWidth {
    /// The narrowest lane in which sums up to `mass`, and the forbidden score beside them, cannot overflow.
    pub fn for_mass(mass: i64, counted: bool) -> Self {
        // With forbidden leaves (a quarter of the range) a score must not climb back above zero.
        let share = if counted { 8 } else { 1 };
        if mass <= i64::from(i16::MAX) / share {
            Self::Narrow
        } else if mass <= i64::from(i32::MAX) / share {
            Self::Medium
        } else {
            Self::Wide
        }
    }
}
