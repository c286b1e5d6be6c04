//! What each test of a tree of two levels costs a set of rows, in the lanes of its pair table.

use super::amounts::{Amount, Amounts};
use super::margins::Margins;
use super::paid::Menu;
use crate::search::aligned::Aligned;
use crate::search::lane::Lane;
use crate::search::layout::Layout;

/// Charges of a set of rows.
#[derive(Debug, Default)]
pub struct Charges<T> {
    /// Per split, what it costs as root; more than it can gain if all rows are on one side of it.
    pub root: Aligned<T>,
    /// What a test of a column costs on the true side of a root split: child column x root split.
    pub inside: Aligned<T>,
    /// The same on its false side.
    pub outside: Aligned<T>,
}

impl<T: Lane> Charges<T> {
    /// Charges of the rows behind `margins`, which are cumulated. A charge above `most` does not pay, and becomes just that.
    pub fn set(
        &mut self,
        layout: &Layout,
        menu: &Menu,
        amounts: &Amounts,
        margins: &Margins,
        most: i64,
    ) {
        let width = layout.width;
        self.root.reset(width, T::narrow(most));
        self.inside.reset(width * layout.spans.len(), T::default());
        self.outside.reset(width * layout.spans.len(), T::default());
        for (column, span) in layout.spans.iter().enumerate() {
            let splits = span.start..span.start + span.len;
            let due = menu.root[column].map_or(0, |price| amounts.due(price, &margins.sums));
            let (records, all) = (&margins.plane(0)[splits.clone()], margins.sums[0]);
            for (charge, &inside) in self.root[splits.clone()].iter_mut().zip(records) {
                let parts = inside > 0 && inside < all;
                *charge = T::narrow(if parts { due.min(most) } else { most });
            }
            for (child, price) in menu.child[column].iter().enumerate() {
                let Some(Amount { weight, factor }) = price.map(|price| amounts.amounts[price])
                else {
                    continue;
                };
                let at = child * width + splits.start..child * width + splits.end;
                let all = margins.sums[weight];
                for ((inside, outside), &part) in self.inside[at.clone()]
                    .iter_mut()
                    .zip(&mut self.outside[at])
                    .zip(&margins.plane(weight)[splits.clone()])
                {
                    *inside = T::narrow((factor * part).min(most));
                    *outside = T::narrow((factor * (all - part)).min(most));
                }
            }
        }
    }
}
