//! Statistics of a (sub)tree, and fronts of them.

use std::ops::{AddAssign, SubAssign};

/// Sums over the rows that a tree labels positive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sums<const A: usize> {
    /// Lagrangian price: errors and uses, weighted and rounded.
    pub price: i64,
    /// Errors above those of the all-negative tree.
    pub errors: i64,
    /// Use of each constraint's allowance.
    pub uses: [i64; A],
    /// Records among all rows, whatever their label: only needed for the least leaf size.
    pub count: i64,
}

impl<const A: usize> Sums<A> {
    /// Of no rows.
    pub const ZERO: Self = Self {
        price: 0,
        errors: 0,
        uses: [0; A],
        count: 0,
    };
}

impl<const A: usize> AddAssign<&Self> for Sums<A> {
    #[inline(always)]
    fn add_assign(&mut self, other: &Self) {
        self.price += other.price;
        self.errors += other.errors;
        for (sum, value) in self.uses.iter_mut().zip(&other.uses) {
            *sum += value;
        }
        self.count += other.count;
    }
}

impl<const A: usize> SubAssign<&Self> for Sums<A> {
    #[inline(always)]
    fn sub_assign(&mut self, other: &Self) {
        self.price -= other.price;
        self.errors -= other.errors;
        for (sum, value) in self.uses.iter_mut().zip(&other.uses) {
            *sum -= value;
        }
        self.count -= other.count;
    }
}

/// A subtree: what it costs and how to build it.
#[derive(Clone, Copy, Debug)]
pub struct Point<const A: usize> {
    /// Lagrangian price.
    pub price: i64,
    /// Errors above those of the all-negative tree.
    pub errors: i64,
    /// Use of each constraint's allowance.
    pub uses: [i64; A],
    /// Branching nodes.
    pub nodes: u32,
    /// Global split of the root; [`LEAF`] for a leaf, whose label is then in `inside`.
    pub split: u32,
    /// Place of the child where the split is true among the grown subtrees, or the label.
    pub inside: u32,
    /// Place of the other child.
    pub outside: u32,
}

/// Stands for the split of a leaf.
pub const LEAF: u32 = u32::MAX;

impl<const A: usize> Point<A> {
    /// Whether this subtree can stand in for `other` wherever that is used; with fewer or as many nodes if `sized`.
    #[inline]
    fn covers(&self, other: &Self, sized: bool) -> bool {
        self.errors <= other.errors
            && (!sized || self.nodes <= other.nodes)
            && self
                .uses
                .iter()
                .zip(&other.uses)
                .all(|(mine, theirs)| mine <= theirs)
    }
}

/// Keep the points that no other covers, in rising order of errors.
///
/// With one constraint and no node budget that takes one pass; otherwise every point is held against those kept before it.
pub fn keep_front<const A: usize>(points: &mut Vec<Point<A>>, sized: bool) {
    keep_front_until(points, sized, &|| false);
}

/// Points held against those kept between two looks at the clock.
const POINTS_PER_LOOK: usize = 256;

/// The same until told to `stop`: then some points of the front are missing.
pub fn keep_front_until<const A: usize>(
    points: &mut Vec<Point<A>>,
    sized: bool,
    stop: &dyn Fn() -> bool,
) {
    // Fewer nodes first among equals: the first of equals is kept.
    points.sort_unstable_by(|a, b| {
        (a.errors, a.uses, a.nodes, a.split, a.inside, a.outside)
            .cmp(&(b.errors, b.uses, b.nodes, b.split, b.inside, b.outside))
    });
    if A == 1 && !sized {
        let mut least = i64::MAX;
        points.retain(|point| {
            let better = point.uses[0] < least;
            least = least.min(point.uses[0]);
            better
        });
        return;
    }
    let mut kept = 0;
    for at in 0..points.len() {
        if at > 0 && at % POINTS_PER_LOOK == 0 && stop() {
            break;
        }
        let point = points[at];
        if !points[..kept]
            .iter()
            .any(|other| other.covers(&point, sized))
        {
            points[kept] = point;
            kept += 1;
        }
    }
    points.truncate(kept);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn point(errors: i64, uses: [i64; 2], nodes: u32) -> Point<2> {
        Point {
            price: 0,
            errors,
            uses,
            nodes,
            split: LEAF,
            inside: 0,
            outside: 0,
        }
    }

    proptest! {
        #[test]
        fn a_front_covers_all_and_holds_no_covered_point(
            raw in prop::collection::vec((0_i64..6, 0_i64..6, 0_i64..6, 0_u32..4), 0..60), sized: bool,
        ) {
            let all: Vec<_> = raw.iter().map(|&(e, a, b, n)| point(e, [a, b], n)).collect();
            let mut front = all.clone();
            keep_front(&mut front, sized);
            for p in &all {
                prop_assert!(front.iter().any(|kept| kept.covers(p, sized)));
            }
            for (i, a) in front.iter().enumerate() {
                for (j, b) in front.iter().enumerate() {
                    prop_assert!(i == j || !a.covers(b, sized));
                }
            }
        }

        #[test]
        fn a_front_that_was_stopped_is_part_of_the_front(
            raw in prop::collection::vec((0_i64..40, 0_i64..40, 0_i64..40), 0..1000), looks in 0_usize..5,
        ) {
            let all: Vec<_> = raw.iter().map(|&(e, a, b)| point(e, [a, b], 0)).collect();
            let (mut front, mut part) = (all.clone(), all);
            keep_front(&mut front, false);
            let left = std::cell::Cell::new(looks);
            keep_front_until(&mut part, false, &|| left.replace(left.get().saturating_sub(1)) == 0);
            let key = |p: &Point<2>| (p.errors, p.uses);
            prop_assert!(part.iter().zip(&front).all(|(a, b)| key(a) == key(b)));
            prop_assert!(part.len() <= (looks + 1) * POINTS_PER_LOOK);
        }
    }
}
