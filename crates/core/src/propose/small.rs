//! A node of few rows: its codes column by column and its masses label by label, so that a split is tested in one pass over both.

use super::records::{BinarySplit, Records};

/// Rows of a node, copied from the records.
#[derive(Default)]
pub(super) struct SmallNode {
    n_rows: usize,
    /// Column by column.
    codes: Vec<u8>,
    /// Label by label, if their sum fits 32 bits: twice as many to a vector.
    narrow: Vec<i32>,
    /// Label by label otherwise.
    wide: Vec<i64>,
}

impl SmallNode {
    /// Copy `rows`, whose masses add up to `total` over all labels.
    pub fn gather(&mut self, records: &Records, masses: &[i64], rows: &[u32], total: i64) {
        let (n, k) = (rows.len(), records.n_labels);
        self.n_rows = n;
        self.codes.resize(n * records.n_columns, 0);
        for (i, &row) in rows.iter().enumerate() {
            for (c, &code) in records.row(row).iter().enumerate() {
                self.codes[c * n + i] = code;
            }
        }
        self.narrow.clear();
        self.wide.clear();
        let is_narrow = total <= i64::from(i32::MAX);
        for label in 0..k {
            let column = rows.iter().map(|&row| masses[row as usize * k + label]);
            if is_narrow {
                self.narrow.extend(column.map(|mass| mass as i32));
            } else {
                self.wide.extend(column);
            }
        }
    }

    /// Write the masses where `split` is true, per label.
    pub fn inside<const LABELS: usize>(&self, split: BinarySplit, sums: &mut Vec<i64>) {
        sums.clear();
        let codes = self.codes_of(split);
        if self.wide.is_empty() {
            sum_labels::<LABELS, i32>(codes, &self.narrow, split, sums);
        } else {
            sum_labels::<LABELS, i64>(codes, &self.wide, split, sums);
        }
    }

    /// Codes of a split's column, in the order of the rows.
    pub fn codes_of(&self, split: BinarySplit) -> &[u8] {
        let first = split.column as usize * self.n_rows;
        &self.codes[first..first + self.n_rows]
    }
}

/// Masses of each label at the codes where `split` is true.
fn sum_labels<const LABELS: usize, T: Mass>(
    codes: &[u8],
    masses: &[T],
    split: BinarySplit,
    sums: &mut Vec<i64>,
) {
    // Whether it is a threshold is settled outside the loops.
    if split.ordered {
        sum_where::<LABELS, T>(codes, masses, |code| code <= split.code, sums);
    } else {
        sum_where::<LABELS, T>(codes, masses, |code| code == split.code, sums);
    }
}

fn sum_where<const LABELS: usize, T: Mass>(
    codes: &[u8],
    masses: &[T],
    holds: impl Fn(u8) -> bool,
    sums: &mut Vec<i64>,
) {
    let n = codes.len();
    if LABELS == 2 {
        let (first, second) = masses.split_at(n);
        let (mut a, mut b) = (T::default(), T::default());
        for ((&code, &first), &second) in codes.iter().zip(first).zip(second) {
            let holds = holds(code);
            a = a.plus(if holds { first } else { T::default() });
            b = b.plus(if holds { second } else { T::default() });
        }
        sums.extend([a.into(), b.into()]);
        return;
    }
    for label in masses.chunks_exact(n) {
        let mut sum = T::default();
        for (&code, &mass) in codes.iter().zip(label) {
            sum = sum.plus(if holds(code) { mass } else { T::default() });
        }
        sums.push(sum.into());
    }
}

/// A mass whose sums do not overflow.
trait Mass: Copy + Default + Into<i64> {
    fn plus(self, other: Self) -> Self;
}

impl Mass for i32 {
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        self.wrapping_add(other)
    }
}

impl Mass for i64 {
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        self.wrapping_add(other)
    }
}
