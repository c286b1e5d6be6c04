//! Pair histogram: add rows to a pair table, one table row per column.
//!
//! A record adds its mass to row (column, code) of every column, at all splits `g` that are true for the record. Rows of ordered
//! columns are thus cumulated over `g` already, and only need cumulating over their own codes, which scoring does on the way: no
//! prefix sums within a vector, no scattered stores. Work per record: columns x splits / 2 cells, in whole vectors.

use crate::search::lane::Lane;
use crate::search::layout::{CHUNK, Layout};
use crate::search::simd::dispatch;

dispatch! {
    /// Add `value` to the cells of one record in `plane`, and to `margin` at the splits that are true for it.
    ///
    /// `bits` are the record's split bits, `codes` its codes, `scratch` has the width of the layout.
    pub fn add_record<T: Lane>(layout: &Layout, bits: &[u32], codes: &[u8], value: T, plane: &mut [T], margin: &mut [T], scratch: &mut [T]) = add_record_body;
}

#[inline(always)]
fn add_record_body<T: Lane>(
    layout: &Layout,
    bits: &[u32],
    codes: &[u8],
    value: T,
    plane: &mut [T],
    margin: &mut [T],
    scratch: &mut [T],
) {
    let width = layout.width;
    let scratch = &mut scratch[..width];
    for ((cells, sums), &word) in scratch
        .chunks_exact_mut(CHUNK)
        .zip(margin[..width].chunks_exact_mut(CHUNK))
        .zip(bits)
    {
        for g in 0..CHUNK {
            let cell = value.if_bit((word >> g) & 1);
            cells[g] = cell;
            sums[g] = sums[g].plus(cell);
        }
    }
    for (span, &code) in layout.spans.iter().zip(codes) {
        let code = usize::from(code);
        if code >= span.len {
            continue;
        }
        let start = layout.row_start[span.start + code];
        let row = &mut plane[start..start + width - span.first];
        for (cells, add) in row
            .chunks_exact_mut(CHUNK)
            .zip(scratch[span.first..].chunks_exact(CHUNK))
        {
            for g in 0..CHUNK {
                cells[g] = cells[g].plus(add[g]);
            }
        }
    }
}

dispatch! {
    /// Add narrow sums, times `unit`, to wide ones, and clear the narrow ones.
    pub fn flush<T: Lane>(narrow: &mut [i16], wide: &mut [T], unit: T) = flush_body;
}

#[inline(always)]
fn flush_body<T: Lane>(narrow: &mut [i16], wide: &mut [T], unit: T) {
    for (from, to) in narrow
        .chunks_exact_mut(CHUNK)
        .zip(wide.chunks_exact_mut(CHUNK))
    {
        for g in 0..CHUNK {
            to[g] = to[g].plus(T::from_narrow(from[g]).times(unit));
            from[g] = 0;
        }
    }
}
