//! Run-time choice of instruction set.
//!
//! Kernels are plain loops that the compiler vectorises. Each is compiled several times, once per level, and called through
//! `dispatch!`, so that one binary runs on any x86-64 and uses what it finds there. Elsewhere (aarch64) the base level already
//! has the vector unit.

use std::sync::OnceLock;

/// Instruction sets, in rising order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// What the target always has.
    Base,
    /// AVX2 with hardware popcount.
    Avx2,
    /// AVX-512 F, BW, DQ, VL.
    Avx512,
    /// AVX-512 with vector popcounts (BITALG, VPOPCNTDQ).
    Avx512Popcount,
}

/// The best level of this machine.
pub fn level() -> Level {
    static LEVEL: OnceLock<Level> = OnceLock::new();
    *LEVEL.get_or_init(detect)
}

#[cfg(target_arch = "x86_64")]
fn detect() -> Level {
    let avx2 = is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("popcnt");
    let avx512 = avx2
        && is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vl");
    let popcount =
        is_x86_feature_detected!("avx512bitalg") && is_x86_feature_detected!("avx512vpopcntdq");
    match (avx2, avx512, popcount) {
        (_, true, true) => Level::Avx512Popcount,
        (_, true, false) => Level::Avx512,
        (true, false, _) => Level::Avx2,
        (false, false, _) => Level::Base,
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn detect() -> Level {
    Level::Base
}

/// Define `fn $name<T: Lane>(...)` that runs the `#[inline(always)]` function `$body` compiled for the best level here.
macro_rules! dispatch {
    ($(#[$meta:meta])* $vis:vis fn $name:ident<T: Lane>($($arg:ident: $ty:ty),* $(,)?) $(-> $ret:ty)? = $body:ident;) => {
        $(#[$meta])*
        #[allow(clippy::too_many_arguments)]
        $vis fn $name<T: $crate::search::lane::Lane>($($arg: $ty),*) $(-> $ret)? {
            #[cfg(target_arch = "x86_64")]
            {
                use $crate::search::simd::{Level, level};

                #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
                fn avx2<T: $crate::search::lane::Lane>($($arg: $ty),*) $(-> $ret)? {
                    $body::<T>($($arg),*)
                }
                #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,popcnt")]
                fn avx512<T: $crate::search::lane::Lane>($($arg: $ty),*) $(-> $ret)? {
                    $body::<T>($($arg),*)
                }
                #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512bitalg,avx512vpopcntdq,avx2,bmi1,bmi2,popcnt")]
                fn avx512_popcount<T: $crate::search::lane::Lane>($($arg: $ty),*) $(-> $ret)? {
                    $body::<T>($($arg),*)
                }
                match level() {
                    // SAFETY: `level` reports a set of instructions only after finding every one of them on this machine.
                    Level::Avx512Popcount => return unsafe { avx512_popcount::<T>($($arg),*) },
                    // SAFETY: as above.
                    Level::Avx512 => return unsafe { avx512::<T>($($arg),*) },
                    // SAFETY: as above.
                    Level::Avx2 => return unsafe { avx2::<T>($($arg),*) },
                    Level::Base => {}
                }
            }
            $body::<T>($($arg),*)
        }
    };
}

pub(crate) use dispatch;
