//! Buffers that begin on a cache line, so that no vector of a kernel straddles two lines.

use std::ops::{Deref, DerefMut};

/// Bytes of a cache line, and of the widest vector.
const LINE: usize = 64;

/// A vector of plain values whose first one lies on a cache line.
#[derive(Debug)]
pub struct Aligned<T> {
    data: Vec<T>,
    start: usize,
    len: usize,
}

impl<T> Default for Aligned<T> {
    fn default() -> Self {
        Self {
            data: Vec::new(),
            start: 0,
            len: 0,
        }
    }
}

impl<T: Copy + Default> Aligned<T> {
    /// Hold `len` times `value`, whatever was there.
    pub fn reset(&mut self, len: usize, value: T) {
        let needed = len + LINE / size_of::<T>();
        if self.data.len() < needed {
            self.data.clear();
            self.data.resize(needed, value);
            // `align_offset` may give up (it never does for these types at run time): unaligned is slower, not wrong.
            self.start = self.data.as_ptr().align_offset(LINE).min(needed - len);
        }
        self.len = len;
        self.fill(value);
    }
}

impl<T> Deref for Aligned<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.data[self.start..self.start + self.len]
    }
}

impl<T> DerefMut for Aligned<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.data[self.start..self.start + self.len]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_start_on_a_line_and_hold_what_was_asked() {
        let mut buffer = Aligned::<i16>::default();
        for len in [0, 1, 31, 32, 1000, 7] {
            buffer.reset(len, 3);
            assert_eq!(buffer.as_ptr() as usize % LINE, 0);
            assert!(buffer.len() == len && buffer.iter().all(|&value| value == 3));
        }
    }
}
