//! Score every depth-two tree of a set of rows, and of its complement, in one pass over the pair table.
//!
//! For splits `f` and `g` the table holds the mass where both are true; with the margins that gives the masses of the four leaves of
//! (root f, child g), on either side, and the other way round. Of each split the best child on its true side (`inside`) and on its
//! false side (`outside`) is kept. A leaf scores the most that one label gains over the reference label, at least zero.

use crate::search::aligned::Aligned;
use crate::search::lane::Lane;
use crate::search::layout::{CHUNK, Layout};
use crate::search::simd::dispatch;

use super::score_general::{general_both, general_whole};

/// Sums over a set of rows, by split and by pair of splits: one plane per lane, and one of record counts where leaves must hold a minimum.
#[derive(Debug, Default)]
pub struct PairTable<T> {
    /// Pair sums, plane after plane of `layout.cells`.
    pub cells: Aligned<T>,
    /// Sums where a split is true, plane after plane of `layout.width`.
    pub margins: Aligned<T>,
    /// Sum over all rows, per plane.
    pub sums: Vec<T>,
}

impl<T: Lane> PairTable<T> {
    /// Clear to zero for `planes` planes.
    pub fn reset(&mut self, layout: &Layout, planes: usize) {
        self.cells.reset(layout.cells * planes, T::default());
        self.margins.reset(layout.width * planes, T::default());
        self.sums.clear();
        self.sums.resize(planes, T::default());
    }

    /// The sums of `self` as the total, those of `part` taken off.
    pub fn rest(&self, part: &Self, rest_margins: &mut Aligned<T>, rest_sums: &mut Vec<T>) {
        rest_margins.reset(self.margins.len(), T::default());
        for (rest, (&a, &b)) in rest_margins
            .iter_mut()
            .zip(self.margins.iter().zip(part.margins.iter()))
        {
            *rest = a.minus(b);
        }
        rest_sums.clear();
        rest_sums.extend(self.sums.iter().zip(&part.sums).map(|(&a, &b)| a.minus(b)));
    }
}

/// Best scores of a set of rows: as a leaf, and with exactly 1, 2 or 3 branching nodes. Negative means not allowed.
pub type Profile = [i64; 4];

/// For each split, the best score of its two sides with one more split in it.
#[derive(Debug, Default)]
pub struct Children<T> {
    /// Where the split is true.
    pub inside: Aligned<T>,
    /// Where it is false.
    pub outside: Aligned<T>,
}

impl<T: Lane> Children<T> {
    fn reset(&mut self, width: usize) {
        for side in [&mut self.inside, &mut self.outside] {
            side.reset(width, T::FORBIDDEN.plus(T::FORBIDDEN));
        }
    }
}

/// What a leaf needs: which planes are gains, and how many records it must hold.
#[derive(Clone, Copy, Debug)]
pub struct LeafRule {
    /// Number of gain planes.
    pub lanes: usize,
    /// Least number of records, with their plane after the gain planes; zero if there is no such plane.
    pub min_records: i64,
}

impl LeafRule {
    /// Number of planes.
    pub fn planes(&self) -> usize {
        self.lanes + usize::from(self.min_records > 0)
    }

    /// Least number of records as a lane, where it fits; else a number that no count of the lane reaches.
    #[inline(always)]
    pub(crate) fn least<T: Lane>(&self) -> T {
        T::narrow(self.min_records.min(-T::FORBIDDEN.widen()))
    }
}

/// Buffers of one thread.
#[derive(Debug, Default)]
pub struct ScoreBuffers<T> {
    running: Aligned<T>,
    rest_margins: Aligned<T>,
    rest_sums: Vec<T>,
    /// Scores of the rows added to the part.
    pub part: Children<T>,
    /// Scores of the other rows.
    pub rest: Children<T>,
}

/// Make the rows of ordered columns cumulative over their codes.
pub fn cumulate<T: Lane>(layout: &Layout, planes: usize, table: &mut PairTable<T>) {
    for plane in table
        .cells
        .chunks_exact_mut(layout.cells.max(1))
        .take(planes)
    {
        for span in layout.spans.iter().filter(|span| span.ordered) {
            let len = layout.width - span.first;
            for f in span.start + 1..span.start + span.len {
                let (before, row) = plane.split_at_mut(layout.row_start[f]);
                let previous = &before[layout.row_start[f] - len..];
                add_row(previous, &mut row[..len]);
            }
        }
    }
}

dispatch! {
    fn add_row<T: Lane>(from: &[T], to: &mut [T]) = add_row_body;
}

#[inline(always)]
fn add_row_body<T: Lane>(from: &[T], to: &mut [T]) {
    for (a, b) in to.chunks_exact_mut(CHUNK).zip(from.chunks_exact(CHUNK)) {
        for g in 0..CHUNK {
            a[g] = a[g].plus(b[g]);
        }
    }
}

/// Score the rows of a cumulated table.
pub fn score_whole<T: Lane>(
    layout: &Layout,
    rule: LeafRule,
    total: &PairTable<T>,
    buffers: &mut ScoreBuffers<T>,
) -> Profile {
    buffers.part.reset(layout.width);
    if rule.lanes == 1 && rule.min_records == 0 {
        single_whole(
            layout,
            &total.cells,
            &total.margins,
            total.sums[0],
            &mut buffers.part,
        );
    } else {
        general_whole(
            layout,
            rule,
            &total.cells,
            &total.margins,
            &total.sums,
            &mut buffers.part,
        );
    }
    profile(layout, rule, &total.margins, &total.sums, &buffers.part)
}

/// Score a part of the rows and the rest of them.
///
/// `total` is cumulated; `part` is too if `cumulated` (bitset kernel), and as the histogram kernel leaves it otherwise.
pub fn score_both<T: Lane>(
    layout: &Layout,
    rule: LeafRule,
    total: &PairTable<T>,
    part: &PairTable<T>,
    cumulated: bool,
    buffers: &mut ScoreBuffers<T>,
) -> (Profile, Profile) {
    let ScoreBuffers {
        running,
        rest_margins,
        rest_sums,
        part: part_children,
        rest: rest_children,
    } = buffers;
    part_children.reset(layout.width);
    rest_children.reset(layout.width);
    total.rest(part, rest_margins, rest_sums);
    running.reset(layout.width * rule.planes(), T::default());
    if rule.lanes == 1 && rule.min_records == 0 {
        single_both(
            layout,
            &total.cells,
            part,
            rest_margins,
            rest_sums[0],
            cumulated,
            running,
            part_children,
            rest_children,
        );
    } else {
        general_both(
            layout,
            rule,
            &total.cells,
            part,
            rest_margins,
            rest_sums,
            cumulated,
            running,
            part_children,
            rest_children,
        );
    }
    (
        profile(layout, rule, &part.margins, &part.sums, part_children),
        profile(layout, rule, rest_margins, rest_sums, rest_children),
    )
}

pub(crate) type Chunk<T> = [T; CHUNK];

#[inline(always)]
pub(crate) fn chunk_of<T: Lane>(cells: &[T], at: usize) -> &Chunk<T> {
    cells[at..at + CHUNK]
        .try_into()
        .expect("a slice of CHUNK cells")
}

#[inline(always)]
pub(crate) fn chunk_of_mut<T: Lane>(cells: &mut [T], at: usize) -> &mut Chunk<T> {
    (&mut cells[at..at + CHUNK])
        .try_into()
        .expect("a slice of CHUNK cells")
}

#[inline(always)]
pub(crate) fn largest<T: Lane>(cells: &Chunk<T>) -> T {
    let mut width = CHUNK / 2;
    let mut cells = *cells;
    while width > 0 {
        for g in 0..width {
            cells[g] = cells[g].larger(cells[g + width]);
        }
        width /= 2;
    }
    cells[0]
}

/// Score the four leaves of 32 pairs and keep the best of each role.
#[inline(always)]
fn keep_best<T: Lane>(
    both: &Chunk<T>,
    mine: T,
    mine_out: T,
    others: &Chunk<T>,
    inside: &mut Chunk<T>,
    outside: &mut Chunk<T>,
    best_in: &mut Chunk<T>,
    best_out: &mut Chunk<T>,
) {
    let zero = T::default();
    for g in 0..CHUNK {
        let d11 = both[g];
        let d10 = mine.minus(d11);
        let d01 = others[g].minus(d11);
        let d00 = mine_out.minus(d01);
        let s11 = d11.larger(zero);
        let s10 = d10.larger(zero);
        let s01 = d01.larger(zero);
        let s00 = d00.larger(zero);
        best_in[g] = best_in[g].larger(s11.plus(s10));
        best_out[g] = best_out[g].larger(s01.plus(s00));
        inside[g] = inside[g].larger(s11.plus(s01));
        outside[g] = outside[g].larger(s10.plus(s00));
    }
}

dispatch! {
    fn single_whole<T: Lane>(layout: &Layout, total: &[T], margins: &[T], sum: T, children: &mut Children<T>) = single_whole_body;
}

#[inline(always)]
fn single_whole_body<T: Lane>(
    layout: &Layout,
    total: &[T],
    margins: &[T],
    sum: T,
    children: &mut Children<T>,
) {
    for span in &layout.spans {
        for f in span.start..span.start + span.len {
            let start = layout.row_start[f];
            let row = &total[start..start + layout.width - span.first];
            let mine = margins[f];
            let mine_out = sum.minus(mine);
            let mut best_in = [T::default(); CHUNK];
            let mut best_out = [T::default(); CHUNK];
            for at in (0..row.len()).step_by(CHUNK) {
                let g = span.first + at;
                keep_best(
                    chunk_of(row, at),
                    mine,
                    mine_out,
                    chunk_of(margins, g),
                    chunk_of_mut(&mut children.inside, g),
                    chunk_of_mut(&mut children.outside, g),
                    &mut best_in,
                    &mut best_out,
                );
            }
            children.inside[f] = children.inside[f].larger(largest(&best_in));
            children.outside[f] = children.outside[f].larger(largest(&best_out));
        }
    }
}

dispatch! {
    fn single_both<T: Lane>(layout: &Layout, total: &[T], part: &PairTable<T>, rest_margins: &[T], rest_sum: T, cumulated: bool, running: &mut [T], part_children: &mut Children<T>, rest_children: &mut Children<T>) = single_both_body;
}

#[inline(always)]
#[allow(clippy::too_many_arguments)]
fn single_both_body<T: Lane>(
    layout: &Layout,
    total: &[T],
    part: &PairTable<T>,
    rest_margins: &[T],
    rest_sum: T,
    cumulated: bool,
    running: &mut [T],
    part_children: &mut Children<T>,
    rest_children: &mut Children<T>,
) {
    for span in &layout.spans {
        let runs = span.ordered && !cumulated;
        for f in span.start..span.start + span.len {
            let start = layout.row_start[f];
            let len = layout.width - span.first;
            let row = &part.cells[start..start + len];
            let total_row = &total[start..start + len];
            let (mine, rest_mine) = (part.margins[f], rest_margins[f]);
            let (mine_out, rest_out) = (part.sums[0].minus(mine), rest_sum.minus(rest_mine));
            let mut best = [[T::default(); CHUNK]; 4];
            let [best_in, best_out, rest_best_in, rest_best_out] = &mut best;
            // The first row of an ordered column starts the running sums, the others add to them.
            let begins = f == span.start;
            for at in (0..len).step_by(CHUNK) {
                let g = span.first + at;
                let mut both = *chunk_of(row, at);
                if runs {
                    let sums = chunk_of_mut(running, g);
                    if !begins {
                        for (cell, &sum) in both.iter_mut().zip(sums.iter()) {
                            *cell = cell.plus(sum);
                        }
                    }
                    *sums = both;
                }
                keep_best(
                    &both,
                    mine,
                    mine_out,
                    chunk_of(&part.margins, g),
                    chunk_of_mut(&mut part_children.inside, g),
                    chunk_of_mut(&mut part_children.outside, g),
                    best_in,
                    best_out,
                );
                let mut rest_both = *chunk_of(total_row, at);
                for (cell, &mine) in rest_both.iter_mut().zip(both.iter()) {
                    *cell = cell.minus(mine);
                }
                keep_best(
                    &rest_both,
                    rest_mine,
                    rest_out,
                    chunk_of(rest_margins, g),
                    chunk_of_mut(&mut rest_children.inside, g),
                    chunk_of_mut(&mut rest_children.outside, g),
                    rest_best_in,
                    rest_best_out,
                );
            }
            part_children.inside[f] = part_children.inside[f].larger(largest(best_in));
            part_children.outside[f] = part_children.outside[f].larger(largest(best_out));
            rest_children.inside[f] = rest_children.inside[f].larger(largest(rest_best_in));
            rest_children.outside[f] = rest_children.outside[f].larger(largest(rest_best_out));
        }
    }
}

dispatch! {
    /// Leaf scores of the true sides of 32 splits from `at` on, and of their false sides.
    fn profile<T: Lane>(layout: &Layout, rule: LeafRule, margins: &[T], sums: &[T], children: &Children<T>) -> Profile = profile_body;
}

#[inline(always)]
fn profile_body<T: Lane>(
    layout: &Layout,
    rule: LeafRule,
    margins: &[T],
    sums: &[T],
    children: &Children<T>,
) -> Profile {
    let nothing = T::FORBIDDEN.plus(T::FORBIDDEN);
    let mut best = [[nothing; CHUNK]; 3];
    let mut leaf = T::default();
    for &sum in &sums[..rule.lanes] {
        leaf = leaf.larger(sum);
    }
    if rule.min_records > 0 && sums[rule.lanes] < rule.least() {
        leaf = T::FORBIDDEN;
    }
    for at in (0..layout.width).step_by(CHUNK) {
        let (leaf_in, leaf_out) = leaf_scores(layout, rule, margins, sums, at);
        let inside = chunk_of(&children.inside, at);
        let outside = chunk_of(&children.outside, at);
        for g in 0..CHUNK {
            let two = inside[g]
                .plus(leaf_out[g])
                .larger(leaf_in[g].plus(outside[g]));
            best[0][g] = best[0][g].larger(leaf_in[g].plus(leaf_out[g]));
            best[1][g] = best[1][g].larger(two);
            best[2][g] = best[2][g].larger(inside[g].plus(outside[g]));
        }
    }
    [
        leaf.widen(),
        largest(&best[0]).widen(),
        largest(&best[1]).widen(),
        largest(&best[2]).widen(),
    ]
}

/// Leaf scores of the true sides of the 32 splits from `at` on, and of their false sides.
#[inline(always)]
pub fn leaf_scores<T: Lane>(
    layout: &Layout,
    rule: LeafRule,
    margins: &[T],
    sums: &[T],
    at: usize,
) -> (Chunk<T>, Chunk<T>) {
    let mut leaf_in = [T::default(); CHUNK];
    let mut leaf_out = [T::default(); CHUNK];
    for (plane, &sum) in sums.iter().enumerate().take(rule.planes()) {
        let masses = chunk_of(margins, plane * layout.width + at);
        for g in 0..CHUNK {
            let (mine, other) = (masses[g], sum.minus(masses[g]));
            if plane == rule.lanes {
                let least: T = rule.least();
                leaf_in[g] = if mine < least {
                    T::FORBIDDEN
                } else {
                    leaf_in[g]
                };
                leaf_out[g] = if other < least {
                    T::FORBIDDEN
                } else {
                    leaf_out[g]
                };
            } else {
                leaf_in[g] = leaf_in[g].larger(mine);
                leaf_out[g] = leaf_out[g].larger(other);
            }
        }
    }
    (leaf_in, leaf_out)
}
