//! Random numbers: small, fast, and the same everywhere.

/// The splitmix64 generator (Steele, Lea and Flood 2014).
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
}

impl Random {
    /// The generator number `stream` of a seed; streams are independent of one another.
    pub fn new(seed: u64, stream: u64) -> Self {
        let mut random = Self {
            state: seed ^ 0x6a09_e667_f3bc_c909,
        };
        let offset = random.next_u64();
        Self {
            state: offset ^ stream.wrapping_mul(0xd1b5_4a32_d192_ed03),
        }
    }

    /// The next 64 bits.
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`, which is at least 1. The bias is below n / 2^64.
    #[inline]
    pub fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.next_u64()) * n as u128) >> 64) as usize
    }
}
