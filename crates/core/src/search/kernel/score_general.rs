//! Scoring with several planes: more than two labels, or leaves that must hold a minimum of records.
//!
//! As in `score`, with the leaf scores of each chunk of pairs gathered plane by plane.

use super::score::{Children, Chunk, LeafRule, PairTable, chunk_of, chunk_of_mut, largest};
use crate::search::lane::Lane;
use crate::search::layout::{CHUNK, Layout};
use crate::search::simd::dispatch;

/// Leaf scores of 32 pairs, gathered over the planes.
#[derive(Clone, Copy)]
struct Quadrants<T: Lane> {
    scores: [Chunk<T>; 4],
}

impl<T: Lane> Quadrants<T> {
    #[inline(always)]
    fn new() -> Self {
        Self {
            scores: [[T::default(); CHUNK]; 4],
        }
    }

    /// Take in one plane: a label's gains, or the record counts that forbid a leaf.
    #[inline(always)]
    fn take(
        &mut self,
        both: &Chunk<T>,
        mine: T,
        sum: T,
        others: &Chunk<T>,
        min_records: Option<T>,
    ) {
        let [s11, s10, s01, s00] = &mut self.scores;
        let mine_out = sum.minus(mine);
        for g in 0..CHUNK {
            let d11 = both[g];
            let d10 = mine.minus(d11);
            let d01 = others[g].minus(d11);
            let d00 = mine_out.minus(d01);
            if let Some(least) = min_records {
                s11[g] = if d11 < least { T::FORBIDDEN } else { s11[g] };
                s10[g] = if d10 < least { T::FORBIDDEN } else { s10[g] };
                s01[g] = if d01 < least { T::FORBIDDEN } else { s01[g] };
                s00[g] = if d00 < least { T::FORBIDDEN } else { s00[g] };
            } else {
                s11[g] = s11[g].larger(d11);
                s10[g] = s10[g].larger(d10);
                s01[g] = s01[g].larger(d01);
                s00[g] = s00[g].larger(d00);
            }
        }
    }

    #[inline(always)]
    fn keep(
        &self,
        inside: &mut Chunk<T>,
        outside: &mut Chunk<T>,
        best_in: &mut Chunk<T>,
        best_out: &mut Chunk<T>,
    ) {
        let [s11, s10, s01, s00] = &self.scores;
        for g in 0..CHUNK {
            best_in[g] = best_in[g].larger(s11[g].plus(s10[g]));
            best_out[g] = best_out[g].larger(s01[g].plus(s00[g]));
            inside[g] = inside[g].larger(s11[g].plus(s01[g]));
            outside[g] = outside[g].larger(s10[g].plus(s00[g]));
        }
    }
}

dispatch! {
    /// Score the rows of a cumulated table.
    pub(super) fn general_whole<T: Lane>(layout: &Layout, rule: LeafRule, total: &[T], margins: &[T], sums: &[T], children: &mut Children<T>) = general_whole_body;
}

#[inline(always)]
fn general_whole_body<T: Lane>(
    layout: &Layout,
    rule: LeafRule,
    total: &[T],
    margins: &[T],
    sums: &[T],
    children: &mut Children<T>,
) {
    let least: T = rule.least();
    let nothing = T::FORBIDDEN.plus(T::FORBIDDEN);
    for span in &layout.spans {
        for f in span.start..span.start + span.len {
            let mut best = [[nothing; CHUNK]; 2];
            let [best_in, best_out] = &mut best;
            for g in (span.first..layout.width).step_by(CHUNK) {
                let mut quadrants = Quadrants::new();
                for plane in 0..rule.planes() {
                    let at = plane * layout.cells + layout.row_start[f] + g - span.first;
                    let margins = &margins[plane * layout.width..(plane + 1) * layout.width];
                    quadrants.take(
                        chunk_of(total, at),
                        margins[f],
                        sums[plane],
                        chunk_of(margins, g),
                        (plane == rule.lanes).then_some(least),
                    );
                }
                quadrants.keep(
                    chunk_of_mut(&mut children.inside, g),
                    chunk_of_mut(&mut children.outside, g),
                    best_in,
                    best_out,
                );
            }
            children.inside[f] = children.inside[f].larger(largest(best_in));
            children.outside[f] = children.outside[f].larger(largest(best_out));
        }
    }
}

dispatch! {
    /// Score a part of the rows and the rest of them.
    pub(super) fn general_both<T: Lane>(layout: &Layout, rule: LeafRule, total: &[T], part: &PairTable<T>, rest_margins: &[T], rest_sums: &[T], cumulated: bool, running: &mut [T], part_children: &mut Children<T>, rest_children: &mut Children<T>) = general_both_body;
}

#[inline(always)]
#[allow(clippy::too_many_arguments)]
fn general_both_body<T: Lane>(
    layout: &Layout,
    rule: LeafRule,
    total: &[T],
    part: &PairTable<T>,
    rest_margins: &[T],
    rest_sums: &[T],
    cumulated: bool,
    running: &mut [T],
    part_children: &mut Children<T>,
    rest_children: &mut Children<T>,
) {
    let least: T = rule.least();
    let nothing = T::FORBIDDEN.plus(T::FORBIDDEN);
    let width = layout.width;
    for span in &layout.spans {
        let runs = span.ordered && !cumulated;
        for f in span.start..span.start + span.len {
            let begins = f == span.start;
            let mut best = [[nothing; CHUNK]; 4];
            let [best_in, best_out, rest_best_in, rest_best_out] = &mut best;
            for g in (span.first..width).step_by(CHUNK) {
                let mut quadrants = Quadrants::new();
                let mut rest_quadrants = Quadrants::new();
                for plane in 0..rule.planes() {
                    let at = plane * layout.cells + layout.row_start[f] + g - span.first;
                    let mut both = *chunk_of(&part.cells, at);
                    if runs {
                        let sums = chunk_of_mut(running, plane * width + g);
                        if !begins {
                            for (cell, &sum) in both.iter_mut().zip(sums.iter()) {
                                *cell = cell.plus(sum);
                            }
                        }
                        *sums = both;
                    }
                    let counts = (plane == rule.lanes).then_some(least);
                    let margins = &part.margins[plane * width..(plane + 1) * width];
                    quadrants.take(
                        &both,
                        margins[f],
                        part.sums[plane],
                        chunk_of(margins, g),
                        counts,
                    );
                    let mut rest_both = *chunk_of(total, at);
                    for (cell, &mine) in rest_both.iter_mut().zip(both.iter()) {
                        *cell = cell.minus(mine);
                    }
                    let margins = &rest_margins[plane * width..(plane + 1) * width];
                    rest_quadrants.take(
                        &rest_both,
                        margins[f],
                        rest_sums[plane],
                        chunk_of(margins, g),
                        counts,
                    );
                }
                quadrants.keep(
                    chunk_of_mut(&mut part_children.inside, g),
                    chunk_of_mut(&mut part_children.outside, g),
                    best_in,
                    best_out,
                );
                rest_quadrants.keep(
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
