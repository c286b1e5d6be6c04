//! Transposition of small squares held in 64-bit words.

/// Transpose an 8 x 8 square of bytes: byte `j` of word `i` changes places with byte `i` of word `j`.
///
/// Swaps off-diagonal quarters of ever smaller squares (Warren, Hacker's Delight, 2nd ed., section 7-3).
#[inline]
pub(super) fn transpose_bytes(square: &mut [u64; 8]) {
    const STEPS: [(usize, u64); 3] = [
        (4, 0x0000_0000_ffff_ffff),
        (2, 0x0000_ffff_0000_ffff),
        (1, 0x00ff_00ff_00ff_00ff),
    ];
    for (distance, mask) in STEPS {
        let shift = 8 * distance;
        for i in (0..8).filter(|i| i & distance == 0) {
            let swap = ((square[i] >> shift) ^ square[i + distance]) & mask;
            square[i + distance] ^= swap;
            square[i] ^= swap << shift;
        }
    }
}

/// Transpose an 8 x 8 square of bits: bit `j` of byte `i` changes places with bit `i` of byte `j`.
#[inline]
pub(super) fn transpose_bits(mut square: u64) -> u64 {
    const STEPS: [(u32, u64); 3] = [
        (28, 0x0000_0000_f0f0_f0f0),
        (14, 0x0000_cccc_0000_cccc),
        (7, 0x00aa_00aa_00aa_00aa),
    ];
    for (shift, mask) in STEPS {
        let swap = (square ^ (square >> shift)) & mask;
        square ^= swap ^ (swap << shift);
    }
    square
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_change_places() {
        let mut square: [u64; 8] = std::array::from_fn(|i| {
            u64::from_le_bytes(std::array::from_fn(|j| (16 * i + j) as u8))
        });
        transpose_bytes(&mut square);
        for (i, word) in square.iter().enumerate() {
            assert_eq!(
                word.to_le_bytes(),
                std::array::from_fn(|j| (16 * j + i) as u8)
            );
        }
    }

    #[test]
    fn bits_change_places() {
        for (i, j) in (0..8).flat_map(|i| (0..8).map(move |j| (i, j))) {
            assert_eq!(transpose_bits(1 << (8 * i + j)), 1 << (8 * j + i));
        }
    }
}
