//! The sweep of one column: its splits in order, with the pair table of the rows on one side.
//!
//! Each step adds the rows between two thresholds to the table and scores both sides in one pass. Coarse steps come first where scoring
//! costs more than adding: their results bound, and mostly rule out, the thresholds between them.

use std::borrow::Cow;

use super::bounds::{Known, interval, neighbour};
use super::cost::{Cost, Scale, UNREACHABLE};
use super::depth_two::{Costs, Root, cheapest};
use super::fill::{Fill, Source};
use super::incumbent::{Incumbent, Order};
use super::kernel::score::{PairTable, score_both};
use super::lane::Lane;
use super::layout::Span;
use super::node::Node;
use super::searcher::{CheapRoot, Searcher, Workspace};

/// What a sweep found: a tree at most two levels deep, or a root with the budgets of its children.
#[derive(Clone, Copy, Debug)]
pub(super) enum Candidate {
    /// The best tree one level shallower.
    Shallower,
    /// A root and its children's budgets.
    Root(Root),
}

/// A node made ready for sweeping; shared by all threads that sweep it.
pub(super) struct Prepared<'a, T: Lane> {
    pub(super) source: Source<'a>,
    pub(super) total: &'a PairTable<T>,
    /// Best cost one level shallower with one branching node fewer.
    pub(super) shallower: Cost,
    pub(super) budget: u32,
    /// Cost of adding all rows to a table, and of scoring it once.
    pub(super) add_cost: f64,
    pub(super) score_cost: f64,
    /// Per column, mass and potential of the rows before each code.
    pub(super) columns: Vec<ColumnSums>,
    /// Columns in the order in which they are swept.
    pub(super) order: Vec<usize>,
}

/// Passes when scoring a split costs far more than adding its rows, and when it costs less.
const MANY_PASSES: &[usize] = &[8, 4, 2, 1];
const TWO_PASSES: &[usize] = &[4, 1];
const ONE_PASS: &[usize] = &[1];
/// Sums over the rows before each code of a column; one entry more than codes.
#[derive(Clone, Debug)]
pub(super) struct ColumnSums {
    masses: Vec<i64>,
    potentials: Vec<i64>,
    rows: Vec<i64>,
}

impl ColumnSums {
    /// Of every column, in one pass over the rows.
    pub(super) fn of(node: &Node) -> Vec<Self> {
        let f = node.columns.len();
        let mut places = Vec::with_capacity(f);
        let mut total = 0;
        for column in &node.columns {
            places.push(total);
            total += column.code_of.len();
        }
        let mut sums = vec![[0_i64; 3]; total];
        for ((codes, &spread), &potential) in node
            .codes
            .chunks_exact(f)
            .zip(&node.spreads)
            .zip(&node.potentials)
        {
            for (&place, &code) in places.iter().zip(codes) {
                let cell = &mut sums[place + usize::from(code)];
                cell[0] += spread;
                cell[1] += potential;
                cell[2] += 1;
            }
        }
        let cumulate = |cells: &[[i64; 3]], which: usize| {
            let mut sum = 0;
            let mut cumulated = vec![0];
            cumulated.extend(cells.iter().map(|cell| {
                sum += cell[which];
                sum
            }));
            cumulated
        };
        node.columns
            .iter()
            .zip(&places)
            .map(|(column, &place)| {
                let cells = &sums[place..place + column.code_of.len()];
                Self {
                    masses: cumulate(cells, 0),
                    potentials: cumulate(cells, 1),
                    rows: cumulate(cells, 2),
                }
            })
            .collect()
    }

    /// The same with the codes in falling order.
    fn mirrored(&self) -> Self {
        let mirror = |sums: &[i64]| {
            let all = sums.last().copied().unwrap_or(0);
            sums.iter().rev().map(|sum| all - sum).collect()
        };
        Self {
            masses: mirror(&self.masses),
            potentials: mirror(&self.potentials),
            rows: mirror(&self.rows),
        }
    }

    fn rows_of(&self, code: usize) -> i64 {
        self.rows[code + 1] - self.rows[code]
    }

    /// Rows that sweeping the column adds to tables.
    pub(super) fn rows_swept(&self, span: &Span) -> usize {
        let last = self.rows.len() - 2;
        let all = self.rows[last + 1];
        let swept: i64 = if span.ordered {
            all - self.rows_of(0).max(self.rows_of(last))
        } else {
            let sides = (0..span.len).map(|code| self.rows_of(code));
            sides.map(|rows| rows.min(all - rows)).sum()
        };
        swept as usize
    }
}

/// The sweep of one column.
pub(super) struct Sweep<'s, 'a, 'p, T: Lane> {
    searcher: &'s mut Searcher<'a>,
    prepared: &'p Prepared<'p, T>,
    column: usize,
    incumbent: &'s Incumbent<Candidate>,
    workspace: &'s mut Workspace<T>,
    /// Whether the codes are walked from the last to the first. The rows of the last code met are never added, so the walk ends at the
    /// larger end. Splits below are numbered along the walk, and "inside" is the side of the codes met.
    mirrored: bool,
    sums: Cow<'p, ColumnSums>,
    /// Rows in the order of the walk; sorted when first needed.
    sorted: Option<Vec<u32>>,
    /// Number of leading codes whose rows are in the part table.
    position: usize,
    /// Least cost met.
    lower: Cost,
}

impl<'s, 'a, 'p, T: Lane> Sweep<'s, 'a, 'p, T> {
    pub(super) fn new(
        searcher: &'s mut Searcher<'a>,
        prepared: &'p Prepared<'p, T>,
        column: usize,
        incumbent: &'s Incumbent<Candidate>,
        workspace: &'s mut Workspace<T>,
    ) -> Self {
        let sums = &prepared.columns[column];
        let last = sums.rows.len() - 2;
        let ordered = prepared.source.layout.spans[column].ordered;
        let mirrored = ordered && sums.rows_of(0) > sums.rows_of(last);
        Self {
            searcher,
            prepared,
            column,
            incumbent,
            workspace,
            mirrored,
            sums: if mirrored {
                Cow::Owned(sums.mirrored())
            } else {
                Cow::Borrowed(sums)
            },
            sorted: None,
            position: usize::MAX,
            lower: UNREACHABLE,
        }
    }

    /// An ordered column: passes of falling stride.
    pub(super) fn ordered(&mut self, first: Order) -> Cost {
        let n_splits = self.prepared.source.layout.spans[self.column].len;
        let scale = self.searcher.shared.scale;
        let all = self.sums.masses[n_splits + 1];
        let shallower = if self.searcher.shared.bounds.shallower {
            self.prepared.shallower
        } else {
            0
        };
        let mut known: Vec<Option<Known>> = vec![None; n_splits];
        let mut order = first;
        let strides = self.strides(n_splits);
        for (pass, &stride) in strides.iter().enumerate() {
            let last_pass = pass + 1 == strides.len();
            let mut left = Known::before_all(shallower, scale);
            let mut right_at = 0;
            let mut right = left;
            for split in 0..n_splits {
                if let Some(here) = known[split] {
                    left = here;
                    continue;
                }
                order += 1;
                if (split + 1) % stride != 0 {
                    continue;
                }
                if split >= right_at {
                    let next = (split + 1..n_splits).find(|&s| known[s].is_some());
                    right_at = next.unwrap_or(n_splits);
                    right = next
                        .and_then(|s| known[s])
                        .unwrap_or(Known::after_all(shallower, scale, all));
                }
                let bound = self.bound(&left, &right, self.sums.masses[split + 1], order);
                if let Err(lower) = bound {
                    // Only the last pass may leave a split out for good.
                    if last_pass {
                        self.lower = self.lower.min(lower);
                    }
                    continue;
                }
                if self.searcher.shared.control.stopped() {
                    self.lower = self.lower.min(scale.node);
                    return self.lower;
                }
                let Some(here) = self.evaluate_threshold(split, order) else {
                    self.lower = self.lower.min(scale.node);
                    return self.lower;
                };
                left = here;
                known[split] = Some(here);
            }
        }
        self.lower
    }

    /// Passes that suit the column: coarse ones first if scoring dominates.
    fn strides(&self, n_splits: usize) -> &'static [usize] {
        let scoring = self.prepared.score_cost * n_splits as f64;
        if n_splits < 8 || scoring < 4.0 * self.prepared.add_cost {
            ONE_PASS
        } else if scoring < 12.0 * self.prepared.add_cost {
            TWO_PASSES
        } else {
            MANY_PASSES
        }
    }

    /// A lower bound on a split that rules it out, if there is one.
    fn bound(&mut self, left: &Known, right: &Known, mass: i64, order: Order) -> Result<(), Cost> {
        let shared = self.searcher.shared;
        let limit = self.incumbent.limit(order);
        if shared.bounds.interval {
            let lower = interval(left, right, shared.scale);
            if lower >= limit {
                self.searcher.stats.pruned_interval += 1;
                return Err(lower);
            }
        }
        if shared.bounds.neighbour {
            let lower = neighbour(left, right, mass, shared.scale);
            if lower >= limit {
                self.searcher.stats.pruned_neighbour += 1;
                return Err(lower);
            }
        }
        Ok(())
    }

    /// Costs on both sides of a threshold; `None` if the search was stopped.
    fn evaluate_threshold(&mut self, split: usize, order: Order) -> Option<Known> {
        if !self.move_to(split + 1) {
            return None;
        }
        let (met, rest) = self.score(self.sums.potentials[split + 1]);
        Some(self.consider(split, &met, &rest, self.sums.masses[split + 1], order))
    }

    /// A nominal column: every category on its own.
    pub(super) fn nominal(&mut self, first: Order) -> Cost {
        let n_splits = self.prepared.source.layout.spans[self.column].len;
        let shared = self.searcher.shared;
        let mut order = first;
        for split in 0..n_splits {
            order += 1;
            let mass = self.sums.masses[split + 1] - self.sums.masses[split];
            if shared.bounds.shallower {
                let rest = self.prepared.source.node.spread - mass;
                let lower = scale_bound(self.prepared.shallower, shared.scale, mass.min(rest));
                if lower >= self.incumbent.limit(order) {
                    self.searcher.stats.pruned_neighbour += 1;
                    self.lower = self.lower.min(lower);
                    continue;
                }
            }
            if shared.control.stopped() {
                self.lower = self.lower.min(shared.scale.node);
                return self.lower;
            }
            let Some((inside, outside)) = self.evaluate_category(split) else {
                self.lower = self.lower.min(shared.scale.node);
                return self.lower;
            };
            self.consider(split, &inside, &outside, mass, order);
        }
        self.lower
    }

    /// Costs of a category and of the other rows; `None` if the search was stopped.
    fn evaluate_category(&mut self, split: usize) -> Option<(Costs, Costs)> {
        let potential = self.sums.potentials[split + 1] - self.sums.potentials[split];
        let node = self.prepared.source.node;
        if 2 * self.sums.rows_of(split) <= node.len() as i64 {
            return self.load(split..split + 1).then(|| self.score(potential));
        }
        // The smaller side is added: all other categories.
        let complete = self.load(0..split) && self.add(split + 1..self.sums.rows.len() - 1);
        complete.then(|| {
            let (others, category) = self.score(node.potential - potential);
            (category, others)
        })
    }

    /// Fill the part table with the rows of some codes only. Returns whether it was not stopped.
    fn load(&mut self, codes: std::ops::Range<usize>) -> bool {
        let layout = self.prepared.source.layout;
        self.workspace
            .part
            .reset(layout, self.prepared.source.rule.planes());
        self.position = usize::MAX;
        self.add(codes)
    }

    /// Add the rows of some codes to the part table. Returns whether it was not stopped.
    fn add(&mut self, codes: std::ops::Range<usize>) -> bool {
        let (node, column, mirrored) = (self.prepared.source.node, self.column, self.mirrored);
        let sorted = self.sorted.get_or_insert_with(|| {
            let (mut rows, _) = node.rows_by_code(column);
            if mirrored {
                rows.reverse();
            }
            rows
        });
        let place = |code: usize| self.sums.rows[code] as usize;
        let rows = &sorted[place(codes.start)..place(codes.end)];
        let Workspace { part, fill, .. } = &mut *self.workspace;
        let complete = self.prepared.source.add(rows, 1, part, fill);
        self.searcher
            .count_rows(self.prepared.source.fill, rows.len());
        complete
    }

    /// Bring the part table to hold the rows of the first `codes` codes. Returns whether it was not stopped.
    fn move_to(&mut self, codes: usize) -> bool {
        let complete = if self.position == usize::MAX || self.position > codes {
            self.load(0..codes)
        } else {
            self.add(self.position..codes)
        };
        self.position = codes;
        complete
    }

    /// Costs of the part, whose potential is given, and of the rest.
    fn score(&mut self, potential: i64) -> (Costs, Costs) {
        let Prepared { source, total, .. } = self.prepared;
        let Workspace { part, score, .. } = &mut *self.workspace;
        self.searcher.stats.scored += 1;
        let cumulated = source.fill == Fill::Bitset;
        let (part, rest) = score_both(source.layout, source.rule, total, part, cumulated, score);
        (
            self.searcher.costs(potential, &part),
            self.searcher
                .costs(source.node.potential - potential, &rest),
        )
    }

    /// Offer the best tree with this split at its root.
    fn consider(
        &mut self,
        split: usize,
        inside: &Costs,
        outside: &Costs,
        mass: i64,
        order: Order,
    ) -> Known {
        let node_price = self.searcher.shared.scale.node;
        let left = self.prepared.budget - 1;
        let mut whole = UNREACHABLE;
        let mut best = (0, 0);
        for m0 in 0..=left.min(3) {
            for m1 in 0..=(left - m0).min(3) {
                let cost = inside[m0 as usize] + outside[m1 as usize] + node_price;
                if cost < whole {
                    whole = cost;
                    best = (m0, m1);
                }
            }
        }
        self.lower = self.lower.min(whole);
        let column = self.column;
        let n_splits = self.prepared.source.layout.spans[column].len;
        let root = if self.mirrored {
            Root {
                column,
                split: n_splits - 1 - split,
                inside: best.1,
                outside: best.0,
            }
        } else {
            Root {
                column,
                split,
                inside: best.0,
                outside: best.1,
            }
        };
        let (least_in, least_out) = (cheapest(inside, left), cheapest(outside, left));
        if let Some(roots) = &mut self.searcher.roots {
            if whole < self.incumbent.cost() {
                let (inside, outside) = if self.mirrored {
                    (least_out, least_in)
                } else {
                    (least_in, least_out)
                };
                roots.push(CheapRoot {
                    column,
                    split: root.split,
                    inside,
                    outside,
                });
            }
        } else if whole < UNREACHABLE {
            self.incumbent.offer(whole, order, || Candidate::Root(root));
        }
        Known {
            inside: least_in,
            outside: least_out,
            whole,
            mass,
        }
    }
}

fn scale_bound(shallower: Cost, scale: Scale, mass: i64) -> Cost {
    scale.node + shallower - scale.loss(mass)
}
