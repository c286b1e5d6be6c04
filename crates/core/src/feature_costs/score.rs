//! Score every (root split, child split) of a pair table, charges taken off.
//!
//! A child's charge depends on the column of the root, on its own column and on the weight of its side of the root: not on
//! the rows that the child parts. So one pair table without prices serves whatever was paid. With `f` as root, the charge of
//! each child `g` is the same along a column of `g`; with `g` as root, that of child `f` is the same for all splits of a
//! column of `f`, and is taken off once behind its last split.

use super::charges::{Charges, Rates};
use crate::search::aligned::Aligned;
use crate::search::kernel::score::{
    Chunk, LeafRule, PairTable, Profile, chunk_of, chunk_of_mut, largest, leaf_scores,
};
use crate::search::lane::Lane;
use crate::search::layout::{CHUNK, Layout};
use crate::search::simd::dispatch;

/// For each split as root, the best score of its two sides with one more split in it, less its charge.
#[derive(Debug, Default)]
pub struct Children<T> {
    /// Where the split is true.
    pub inside: Aligned<T>,
    /// Where it is false.
    pub outside: Aligned<T>,
    /// The same with a child of the current column, without charges.
    column_inside: Aligned<T>,
    column_outside: Aligned<T>,
    /// Charges of children below the current root.
    row_inside: Aligned<T>,
    row_outside: Aligned<T>,
}

impl<T: Lane> Children<T> {
    fn reset(&mut self, width: usize) {
        for best in [
            &mut self.inside,
            &mut self.outside,
            &mut self.column_inside,
            &mut self.column_outside,
        ] {
            best.reset(width, T::FORBIDDEN);
        }
        self.row_inside.reset(width, T::default());
        self.row_outside.reset(width, T::default());
    }

    /// Begin a column of children.
    #[inline(always)]
    fn begin(&mut self, first: usize) {
        self.column_inside[first..].fill(T::FORBIDDEN);
        self.column_outside[first..].fill(T::FORBIDDEN);
    }

    /// Set the charges below root `f` of a column.
    #[inline(always)]
    fn spread(
        &mut self,
        rates: &Rates<T>,
        charges: &Charges<T>,
        root: (usize, usize),
        first: usize,
    ) {
        let rows = [&mut self.row_inside[..], &mut self.row_outside[..]];
        charges.below(rates, root, first, rows);
    }

    /// End a column of children: take its charge off, below every root from `first` on.
    #[inline(always)]
    fn end(&mut self, rates: &Rates<T>, charges: &Charges<T>, first: usize, column: usize) {
        let found = [&mut self.column_inside[..], &mut self.column_outside[..]];
        charges.take_off(rates, column, first, found);
        for (best, found) in [
            (&mut self.inside, &self.column_inside),
            (&mut self.outside, &self.column_outside),
        ] {
            for at in (first..found.len()).step_by(CHUNK) {
                let (best, found) = (chunk_of_mut(best, at), chunk_of(found, at));
                for g in 0..CHUNK {
                    best[g] = best[g].larger(found[g]);
                }
            }
        }
    }
}

/// A set of rows to score: sums of gains where each split is true, charges, and where the result goes.
pub struct Side<'a, T> {
    /// Plane after plane.
    pub margins: &'a [T],
    /// Per plane.
    pub sums: &'a [T],
    /// What tests cost.
    pub charges: &'a Charges<T>,
    /// The best children.
    pub children: &'a mut Children<T>,
}

/// Best scores of a set of rows.
#[derive(Clone, Copy, Debug)]
pub struct Scores {
    /// Of trees whose tests all part rows.
    pub exact: Profile,
    /// Of one split behind a test that is made for its discount alone; forbidden where none helps.
    pub door: i64,
}

/// Score the rows of a cumulated table.
pub fn score_whole<T: Lane>(
    layout: &Layout,
    rule: LeafRule,
    rates: &Rates<T>,
    table: &PairTable<T>,
    charges: &Charges<T>,
    children: &mut Children<T>,
) -> Scores {
    let mut sides = [Side {
        margins: &table.margins,
        sums: &table.sums,
        charges,
        children,
    }];
    if is_single(rule) {
        single_whole(layout, rule, rates, &table.cells, &mut sides);
    } else {
        general_whole(layout, rule, rates, &table.cells, &mut sides);
    }
    let [side] = sides;
    profile(layout, rule, &side)
}

/// Score a part of the rows and the rest of them.
///
/// `total` is cumulated; `part` is too if `cumulated` (bitset kernel), and as the histogram kernel leaves it otherwise.
pub fn score_both<T: Lane>(
    layout: &Layout,
    rule: LeafRule,
    rates: &Rates<T>,
    total: &[T],
    part: &[T],
    cumulated: bool,
    running: &mut Aligned<T>,
    mut sides: [Side<'_, T>; 2],
) -> [Scores; 2] {
    running.reset(layout.width * rule.planes(), T::default());
    if is_single(rule) {
        single_both(
            layout, rule, rates, total, part, cumulated, running, &mut sides,
        );
    } else {
        general_both(
            layout, rule, rates, total, part, cumulated, running, &mut sides,
        );
    }
    sides.map(|side| profile(layout, rule, &side))
}

fn is_single(rule: LeafRule) -> bool {
    rule.lanes == 1 && rule.min_records == 0
}

dispatch! {
    fn single_whole<T: Lane>(layout: &Layout, rule: LeafRule, rates: &Rates<T>, table: &[T], sides: &mut [Side<'_, T>; 1]) = single_whole_body;
}

dispatch! {
    fn general_whole<T: Lane>(layout: &Layout, rule: LeafRule, rates: &Rates<T>, table: &[T], sides: &mut [Side<'_, T>; 1]) = general_whole_body;
}

dispatch! {
    fn single_both<T: Lane>(layout: &Layout, rule: LeafRule, rates: &Rates<T>, total: &[T], part: &[T], cumulated: bool, running: &mut [T], sides: &mut [Side<'_, T>; 2]) = single_both_body;
}

dispatch! {
    fn general_both<T: Lane>(layout: &Layout, rule: LeafRule, rates: &Rates<T>, total: &[T], part: &[T], cumulated: bool, running: &mut [T], sides: &mut [Side<'_, T>; 2]) = general_both_body;
}

#[inline(always)]
fn single_whole_body<T: Lane>(
    layout: &Layout,
    rule: LeafRule,
    rates: &Rates<T>,
    table: &[T],
    sides: &mut [Side<'_, T>; 1],
) {
    score::<T, 1, true>(layout, rule, rates, &[], table, true, &mut [], sides);
}

#[inline(always)]
fn general_whole_body<T: Lane>(
    layout: &Layout,
    rule: LeafRule,
    rates: &Rates<T>,
    table: &[T],
    sides: &mut [Side<'_, T>; 1],
) {
    score::<T, 1, false>(layout, rule, rates, &[], table, true, &mut [], sides);
}

#[inline(always)]
fn single_both_body<T: Lane>(
    layout: &Layout,
    rule: LeafRule,
    rates: &Rates<T>,
    total: &[T],
    part: &[T],
    cumulated: bool,
    running: &mut [T],
    sides: &mut [Side<'_, T>; 2],
) {
    score::<T, 2, true>(layout, rule, rates, total, part, cumulated, running, sides);
}

#[inline(always)]
fn general_both_body<T: Lane>(
    layout: &Layout,
    rule: LeafRule,
    rates: &Rates<T>,
    total: &[T],
    part: &[T],
    cumulated: bool,
    running: &mut [T],
    sides: &mut [Side<'_, T>; 2],
) {
    score::<T, 2, false>(layout, rule, rates, total, part, cumulated, running, sides);
}

/// Score the part, and with two `sides` also what `total` has beyond it.
#[inline(always)]
fn score<T: Lane, const SIDES: usize, const SINGLE: bool>(
    layout: &Layout,
    rule: LeafRule,
    rates: &Rates<T>,
    total: &[T],
    part: &[T],
    cumulated: bool,
    running: &mut [T],
    sides: &mut [Side<'_, T>; SIDES],
) {
    let planes = if SINGLE { 1 } else { rule.planes() };
    let (width, cells) = (layout.width, layout.cells);
    for side in sides.iter_mut() {
        side.children.reset(width);
    }
    for (column, span) in layout.spans.iter().enumerate() {
        let runs = span.ordered && !cumulated;
        for side in sides.iter_mut() {
            side.children.begin(span.first);
        }
        for f in span.start..span.start + span.len {
            for side in sides.iter_mut() {
                side.children
                    .spread(rates, side.charges, (column, f), span.first);
            }
            let begins = f == span.start;
            let mut best = [[[T::FORBIDDEN; CHUNK]; 2]; SIDES];
            for at in (0..width - span.first).step_by(CHUNK) {
                let g = span.first + at;
                let mut leaves = [[[T::default(); CHUNK]; 4]; SIDES];
                for plane in 0..planes {
                    let place = plane * cells + layout.row_start[f] + at;
                    let mut both = *chunk_of(part, place);
                    if runs {
                        let sums = chunk_of_mut(running, plane * width + g);
                        // The first row of an ordered column starts the running sums, the others add to them.
                        if !begins {
                            for (cell, &sum) in both.iter_mut().zip(sums.iter()) {
                                *cell = cell.plus(sum);
                            }
                        }
                        *sums = both;
                    }
                    for (number, side) in sides.iter_mut().enumerate() {
                        if number == 1 {
                            let whole = chunk_of(total, place);
                            for (cell, &all) in both.iter_mut().zip(whole) {
                                *cell = all.minus(*cell);
                            }
                        }
                        let mine = side.margins[plane * width + f];
                        let pair = Pair {
                            both: &both,
                            mine,
                            mine_out: side.sums[plane].minus(mine),
                            others: chunk_of(side.margins, plane * width + g),
                        };
                        if SINGLE {
                            pair.keep_single(side.children, g, &mut best[number]);
                        } else if plane == rule.lanes {
                            pair.forbid(rule.least(), &mut leaves[number]);
                        } else {
                            pair.add(&mut leaves[number]);
                        }
                    }
                }
                if !SINGLE {
                    for (number, side) in sides.iter_mut().enumerate() {
                        keep_general(&leaves[number], side.children, g, &mut best[number]);
                    }
                }
            }
            for (side, best) in sides.iter_mut().zip(&best) {
                let Children {
                    inside, outside, ..
                } = &mut *side.children;
                inside[f] = inside[f].larger(largest(&best[0]));
                outside[f] = outside[f].larger(largest(&best[1]));
            }
        }
        for side in sides.iter_mut() {
            side.children.end(rates, side.charges, span.first, column);
        }
    }
}

/// The sums of one plane for a split `f` and 32 splits `g`.
struct Pair<'a, T> {
    both: &'a Chunk<T>,
    mine: T,
    mine_out: T,
    others: &'a Chunk<T>,
}

impl<T: Lane> Pair<'_, T> {
    /// Sums of the four leaves: both true, only `f`, only `g`, neither.
    #[inline(always)]
    fn four(&self, g: usize) -> [T; 4] {
        let both = self.both[g];
        let only_g = self.others[g].minus(both);
        [
            both,
            self.mine.minus(both),
            only_g,
            self.mine_out.minus(only_g),
        ]
    }

    /// Two labels: score the leaves and keep the best of each role.
    #[inline(always)]
    fn keep_single(&self, children: &mut Children<T>, at: usize, best: &mut [Chunk<T>; 2]) {
        let zero = T::default();
        let (row_in, row_out) = (
            *chunk_of(&children.row_inside, at),
            *chunk_of(&children.row_outside, at),
        );
        let column_in = chunk_of_mut(&mut children.column_inside, at);
        let column_out = chunk_of_mut(&mut children.column_outside, at);
        let [best_in, best_out] = best;
        for g in 0..CHUNK {
            let [s11, s10, s01, s00] = self.four(g).map(|sum| sum.larger(zero));
            best_in[g] = best_in[g].larger(s11.plus(s10).minus(row_in[g]));
            best_out[g] = best_out[g].larger(s01.plus(s00).minus(row_out[g]));
            column_in[g] = column_in[g].larger(s11.plus(s01));
            column_out[g] = column_out[g].larger(s10.plus(s00));
        }
    }

    /// More labels: a leaf scores its best plane.
    #[inline(always)]
    fn add(&self, leaves: &mut [Chunk<T>; 4]) {
        for g in 0..CHUNK {
            let four = self.four(g);
            for (leaf, sum) in leaves.iter_mut().zip(four) {
                leaf[g] = leaf[g].larger(sum);
            }
        }
    }

    /// The plane of record counts: leaves of too few records are not allowed.
    #[inline(always)]
    fn forbid(&self, least: T, leaves: &mut [Chunk<T>; 4]) {
        for g in 0..CHUNK {
            let four = self.four(g);
            for (leaf, count) in leaves.iter_mut().zip(four) {
                leaf[g] = if count < least { T::FORBIDDEN } else { leaf[g] };
            }
        }
    }
}

#[inline(always)]
fn keep_general<T: Lane>(
    leaves: &[Chunk<T>; 4],
    children: &mut Children<T>,
    at: usize,
    best: &mut [Chunk<T>; 2],
) {
    let (row_in, row_out) = (
        *chunk_of(&children.row_inside, at),
        *chunk_of(&children.row_outside, at),
    );
    let column_in = chunk_of_mut(&mut children.column_inside, at);
    let column_out = chunk_of_mut(&mut children.column_outside, at);
    let [best_in, best_out] = best;
    let [s11, s10, s01, s00] = leaves;
    for g in 0..CHUNK {
        best_in[g] = best_in[g].larger(s11[g].plus(s10[g]).minus(row_in[g]));
        best_out[g] = best_out[g].larger(s01[g].plus(s00[g]).minus(row_out[g]));
        column_in[g] = column_in[g].larger(s11[g].plus(s01[g]));
        column_out[g] = column_out[g].larger(s10[g].plus(s00[g]));
    }
}

/// Best scores, charges taken off, as a leaf and with exactly one to three branching nodes; negative if worse than nothing.
fn profile<T: Lane>(layout: &Layout, rule: LeafRule, side: &Side<'_, T>) -> Scores {
    let mut best = [T::FORBIDDEN; 5];
    best[0] = T::default();
    for &sum in &side.sums[..rule.lanes] {
        best[0] = best[0].larger(sum);
    }
    if rule.min_records > 0 && side.sums[rule.lanes] < rule.least() {
        best[0] = T::FORBIDDEN;
    }
    best_roots(layout, rule, side, &mut best);
    let [leaf, one, two, three, door] = best.map(Lane::widen);
    Scores {
        exact: [leaf, one, two, three],
        door,
    }
}

dispatch! {
    fn best_roots<T: Lane>(layout: &Layout, rule: LeafRule, side: &Side<'_, T>, best: &mut [T; 5]) = best_roots_body;
}

#[inline(always)]
fn best_roots_body<T: Lane>(
    layout: &Layout,
    rule: LeafRule,
    side: &Side<'_, T>,
    best: &mut [T; 5],
) {
    let mut chunks = [[T::FORBIDDEN; CHUNK]; 4];
    for at in (0..layout.width).step_by(CHUNK) {
        let scores = root_scores(layout, rule, side, at);
        for (chunk, found) in chunks.iter_mut().zip(&scores) {
            for g in 0..CHUNK {
                chunk[g] = chunk[g].larger(found[g]);
            }
        }
    }
    for (best, chunk) in best[1..].iter_mut().zip(&chunks) {
        *best = largest(chunk);
    }
}

/// Best scores of trees with the 32 splits from `at` on as root, with exactly one, two and three branching nodes; and of the first behind
/// a test made for its discount alone.
#[inline(always)]
fn root_scores<T: Lane>(
    layout: &Layout,
    rule: LeafRule,
    side: &Side<'_, T>,
    at: usize,
) -> [Chunk<T>; 4] {
    let (leaf_in, leaf_out) = leaf_scores(layout, rule, side.margins, side.sums, at);
    let inside = chunk_of(&side.children.inside, at);
    let outside = chunk_of(&side.children.outside, at);
    let root = chunk_of(&side.charges.root, at);
    let door = chunk_of(&side.charges.door, at);
    let mut scores = [[T::default(); CHUNK]; 4];
    for g in 0..CHUNK {
        let two = inside[g]
            .plus(leaf_out[g])
            .larger(leaf_in[g].plus(outside[g]));
        scores[0][g] = leaf_in[g].plus(leaf_out[g]).minus(root[g]);
        scores[1][g] = two.minus(root[g]);
        scores[2][g] = inside[g].plus(outside[g]).minus(root[g]);
        scores[3][g] = leaf_in[g].plus(leaf_out[g]).minus(door[g]);
    }
    scores
}

/// Scores of the trees with split `g` as root, by branching nodes inside and outside it (zero or one each).
pub fn scores_of_root<T: Lane>(
    layout: &Layout,
    rule: LeafRule,
    table: &PairTable<T>,
    charges: &Charges<T>,
    children: &Children<T>,
    g: usize,
) -> [[i64; 2]; 2] {
    let at = g / CHUNK * CHUNK;
    let (leaf_in, leaf_out) = leaf_scores(layout, rule, &table.margins, &table.sums, at);
    let inside = [leaf_in[g - at].widen(), children.inside[g].widen()];
    let outside = [leaf_out[g - at].widen(), children.outside[g].widen()];
    let root = charges.root[g].widen();
    inside.map(|inside| outside.map(|outside| inside + outside - root))
}
