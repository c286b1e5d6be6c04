//! One level up: the best trees of depth d for every box within D - d splits, from those of depth d - 1.
//!
//! The walk goes column by column. It carries the rank of the box and, for each split of the columns behind it, the ranks of the two
//! children, all without their later columns. At the last column the boxes of one walk are neighbours, and so are their children:
//! the sums run over plain slices. Where the distance is used up, the later columns are whole and add nothing to any rank.
//!
//! Where tests cost something ([`TestPrices`]), the cuts of a column are compared among themselves first: they all cost the same.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use super::prices::TestPrices;
use super::ranks::Ranks;
use super::states::ColumnStates;
use super::value::Value;
use crate::search::control::Control;
use crate::search::lane::Lane;
use crate::search::simd::dispatch;

/// Below this many boxes a level is not worth a second thread.
const PARALLEL: usize = 1 << 14;
/// Tasks per thread, so that threads end at about the same time.
const TASKS_PER_THREAD: usize = 16;

/// Costs of boxes at one depth. Plane `b` is for at most `b` branching nodes, or there is one plane if the depth is the only limit.
#[derive(Clone, Debug)]
pub struct Level<T> {
    /// Ranks of the boxes.
    pub ranks: Ranks,
    /// Costs: plane x rank.
    pub planes: Vec<Vec<T>>,
    /// Weights by rank; empty if tests cost nothing.
    pub weights: Vec<T>,
}

/// One way to share a node budget: branching nodes in all, where the split is true, and where it is false, as planes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// Plane of this level.
    pub all: usize,
    /// Plane of the level below, for the true side.
    pub inside: usize,
    /// Plane of the level below, for the false side.
    pub outside: usize,
}

/// The shares between `planes` planes and the `below` planes of the level below.
pub fn shares(planes: usize, below: usize) -> Vec<Share> {
    if planes == 1 {
        return vec![Share {
            all: 0,
            inside: 0,
            outside: 0,
        }];
    }
    (1..planes)
        .flat_map(|all| {
            let least = (all - 1).saturating_sub(below - 1);
            (least..below.min(all)).map(move |inside| Share {
                all,
                inside,
                outside: all - 1 - inside,
            })
        })
        .collect()
}

/// Plane of the level below that holds the best of at most `plane` branching nodes.
pub fn plane_below(plane: usize, below: usize) -> usize {
    plane.min(below - 1)
}

/// Compute a level of `planes` planes over the boxes of `ranks`; `None` if stopped on the way.
#[allow(clippy::too_many_arguments)]
pub fn next_level<T: Value, P: TestPrices>(
    columns: &[ColumnStates],
    below: &Level<T>,
    ranks: Ranks,
    planes: usize,
    node_price: T,
    (prices, per_unit): (&P, T),
    n_threads: usize,
    control: &Control,
) -> Option<Level<T>> {
    let mut costs: Vec<Vec<T>> = vec![vec![T::default(); ranks.n_boxes()]; planes];
    // One more output, behind the planes.
    if P::PRICED {
        costs.push(vec![T::default(); ranks.n_boxes()]);
    }
    let shares = shares(planes, below.planes.len());
    let setting = Setting {
        columns,
        ranks: &ranks,
        below,
        shares: &shares,
        node_price,
        prices,
        per_unit,
        control,
    };
    let n_threads = if ranks.n_boxes() < PARALLEL {
        1
    } else {
        n_threads
    };
    let starts = setting.task_starts(if n_threads > 1 {
        n_threads * TASKS_PER_THREAD
    } else {
        1
    });
    let n_boxes = ranks.n_boxes();
    let ends = starts
        .iter()
        .skip(1)
        .map(|start| start.rank as usize)
        .chain([n_boxes]);
    let mut rest: Vec<&mut [T]> = costs.iter_mut().map(Vec::as_mut_slice).collect();
    let mut tasks = Vec::with_capacity(starts.len());
    for (start, end) in starts.iter().zip(ends) {
        let len = end - start.rank as usize;
        let mut mine = Vec::with_capacity(rest.len());
        for plane in &mut rest {
            let (first, later) = std::mem::take(plane).split_at_mut(len);
            mine.push(first);
            *plane = later;
        }
        tasks.push((start.clone(), mine));
    }
    let stopped = AtomicBool::new(false);
    if n_threads == 1 {
        for (start, out) in tasks {
            Walk::new(&setting, &start, out, &stopped).run(start);
        }
    } else {
        let queue = Mutex::new(tasks.into_iter());
        let work = || loop {
            let task = queue.lock().ok().and_then(|mut tasks| tasks.next());
            let Some((start, out)) = task else { break };
            Walk::new(&setting, &start, out, &stopped).run(start);
        };
        std::thread::scope(|scope| {
            for _ in 1..n_threads {
                if std::thread::Builder::new()
                    .spawn_scoped(scope, work)
                    .is_err()
                {
                    break; // The system has no more threads: those there are share the work.
                }
            }
            work();
        });
    }
    let weights = costs.split_off(planes).pop().unwrap_or_default();
    (!stopped.into_inner()).then_some(Level {
        ranks,
        planes: costs,
        weights,
    })
}

/// What the walks of a level share.
struct Setting<'a, T, P> {
    columns: &'a [ColumnStates],
    ranks: &'a Ranks,
    below: &'a Level<T>,
    shares: &'a [Share],
    node_price: T,
    /// What tests cost with nothing tested yet, in units.
    prices: &'a P,
    /// Cost of one unit of price.
    per_unit: T,
    control: &'a Control,
}

/// Ranks below of the two children of a split, without their later columns, and the distances used so far.
#[derive(Clone, Copy, Debug)]
struct Pair {
    inside: u32,
    outside: u32,
    inside_used: u32,
    outside_used: u32,
}

/// A box without its later columns.
#[derive(Clone, Debug)]
struct Start {
    column: usize,
    rank: u32,
    rank_below: u32,
    used: u32,
    pairs: Vec<Pair>,
    /// Where the pairs of each column so far end, and whether the column is cut.
    ends: Vec<usize>,
    is_cut: Vec<bool>,
}

impl<T: Value, P: TestPrices> Setting<'_, T, P> {
    /// Boxes cut off after a few columns, so that there are about `wanted`, in the order of ranks.
    fn task_starts(&self, wanted: usize) -> Vec<Start> {
        let mut starts = vec![Start {
            column: 0,
            rank: 0,
            rank_below: 0,
            used: 0,
            pairs: Vec::new(),
            ends: Vec::new(),
            is_cut: Vec::new(),
        }];
        for column in 0..self.columns.len() - 1 {
            if starts.len() >= wanted {
                break;
            }
            starts = starts
                .into_iter()
                .flat_map(|start| {
                    if start.used == self.ranks.limit {
                        return vec![start];
                    }
                    let left = self.ranks.limit - start.used;
                    (0..self.columns[column].within[left as usize])
                        .map(|state| {
                            let mut pairs = Vec::new();
                            self.extend(
                                &start.pairs,
                                column,
                                start.rank_below,
                                start.used,
                                state,
                                &mut pairs,
                            );
                            self.enter(&start, column, state, pairs)
                        })
                        .collect()
                })
                .collect();
        }
        starts
    }

    fn enter(&self, start: &Start, column: usize, state: usize, pairs: Vec<Pair>) -> Start {
        let (mut ends, mut is_cut) = (start.ends.clone(), start.is_cut.clone());
        ends.push(pairs.len());
        is_cut.push(state != 0);
        Start {
            ends,
            is_cut,
            column: column + 1,
            rank: start.rank + self.ranks.step(column, start.used, state as u32),
            rank_below: start.rank_below + self.below.ranks.step(column, start.used, state as u32),
            used: start.used + self.columns[column].distance[state],
            pairs,
        }
    }

    /// The children's ranks once `column` is at set `state`: those so far, and those of the set's own cuts.
    #[inline]
    fn extend(
        &self,
        pairs: &[Pair],
        column: usize,
        rank_below: u32,
        used: u32,
        state: usize,
        into: &mut Vec<Pair>,
    ) {
        let below = &self.below.ranks;
        let states = &self.columns[column];
        let distance = states.distance[state];
        into.clear();
        into.extend(pairs.iter().map(|pair| Pair {
            inside: pair.inside + below.step(column, pair.inside_used, state as u32),
            outside: pair.outside + below.step(column, pair.outside_used, state as u32),
            inside_used: pair.inside_used + distance,
            outside_used: pair.outside_used + distance,
        }));
        into.extend(states.cuts(state).iter().map(|cut| Pair {
            inside: rank_below + below.step(column, used, cut.inside),
            outside: rank_below + below.step(column, used, cut.outside),
            inside_used: used + states.distance[cut.inside as usize],
            outside_used: used + states.distance[cut.outside as usize],
        }));
    }
}

struct Walk<'a, T, P> {
    setting: &'a Setting<'a, T, P>,
    /// Rank of the first box of the output.
    first: u32,
    /// Planes, and behind them the weights if tests cost something.
    out: Vec<&'a mut [T]>,
    /// Per column, the children's ranks before it.
    pairs: Vec<Vec<Pair>>,
    /// Per column, where its own pairs end among those.
    ends: Vec<usize>,
    /// What tests cost, now that the columns that are cut have been tested.
    prices: P,
    /// The cheapest cut of a column, for neighbouring boxes.
    cheapest: Vec<T>,
    /// What a test of each column costs where the last column is whole, and where it is cut.
    factors: [Vec<T>; 2],
    stopped: &'a AtomicBool,
}

impl<'a, T: Value, P: TestPrices> Walk<'a, T, P> {
    fn new(
        setting: &'a Setting<'a, T, P>,
        start: &Start,
        out: Vec<&'a mut [T]>,
        stopped: &'a AtomicBool,
    ) -> Self {
        let n_columns = setting.columns.len();
        Self {
            setting,
            first: start.rank,
            out,
            pairs: vec![Vec::new(); n_columns + 1],
            ends: vec![0; n_columns],
            prices: setting.prices.clone(),
            cheapest: Vec::new(),
            factors: [Vec::new(), Vec::new()],
            stopped,
        }
    }

    fn run(mut self, start: Start) {
        self.pairs[start.column] = start.pairs;
        self.ends[..start.column].copy_from_slice(&start.ends);
        for (states, _) in self
            .setting
            .columns
            .iter()
            .zip(&start.is_cut)
            .filter(|(_, is_cut)| **is_cut)
        {
            self.prices.test(states.column);
        }
        self.walk(start.column, start.rank, start.rank_below, start.used);
    }

    fn walk(&mut self, c: usize, rank: u32, rank_below: u32, used: u32) {
        let Setting {
            columns,
            ranks,
            below,
            control,
            ..
        } = *self.setting;
        if used == ranks.limit {
            self.finish_whole(c, rank, rank_below, used);
            return;
        }
        if c + 1 == columns.len() {
            self.finish_last(rank, rank_below, used);
            return;
        }
        if c + 3 <= columns.len() {
            if self.stopped.load(Ordering::Relaxed) {
                return;
            }
            if control.stopped() {
                self.stopped.store(true, Ordering::Relaxed);
                return;
            }
        }
        let column = &columns[c];
        let pairs = std::mem::take(&mut self.pairs[c]);
        for state in 0..column.within[(ranks.limit - used) as usize] {
            let mut next = std::mem::take(&mut self.pairs[c + 1]);
            self.setting
                .extend(&pairs, c, rank_below, used, state, &mut next);
            self.ends[c] = next.len();
            self.pairs[c + 1] = next;
            let is_new = P::PRICED && state != 0 && self.prices.test(column.column);
            self.walk(
                c + 1,
                rank + ranks.step(c, used, state as u32),
                rank_below + below.ranks.step(c, used, state as u32),
                used + column.distance[state],
            );
            if is_new {
                self.prices.take_back(column.column);
            }
        }
        self.pairs[c] = pairs;
    }

    /// One box: the columns from `c` on are whole.
    fn finish_whole(&mut self, c: usize, rank: u32, rank_below: u32, used: u32) {
        let Setting {
            columns,
            below,
            shares,
            node_price,
            per_unit,
            ..
        } = *self.setting;
        for (later, column) in columns.iter().enumerate().skip(c) {
            // The whole set comes first, so the columns in between add nothing to a rank.
            self.pairs[c].extend(column.cuts(0).iter().map(|cut| Pair {
                inside: rank_below + below.ranks.step(later, used, cut.inside),
                outside: rank_below + below.ranks.step(later, used, cut.outside),
                inside_used: 0,
                outside_used: 0,
            }));
            self.ends[later] = self.pairs[c].len();
        }
        let place = (rank - self.first) as usize;
        self.start_from_below(place, rank_below as usize, 1);
        for share in shares {
            let (inside, outside) = (
                &below.planes[share.inside][..],
                &below.planes[share.outside][..],
            );
            let cheapest = |pairs: &[Pair]| {
                let sums = pairs
                    .iter()
                    .map(|pair| inside[pair.inside as usize] + outside[pair.outside as usize]);
                sums.fold(T::UNREACHABLE + T::UNREACHABLE, T::min)
            };
            let best = if P::PRICED {
                let weight = below.weights[rank_below as usize];
                let mut from = 0;
                let mut best = T::UNREACHABLE + T::UNREACHABLE;
                for (column, &to) in self.ends.iter().enumerate() {
                    if from < to {
                        let factor = self.prices.factor(columns[column].column);
                        let charge = T::narrow(factor) * per_unit * weight;
                        best = best.min(cheapest(&self.pairs[c][from..to]) + charge);
                    }
                    from = to;
                }
                best
            } else {
                cheapest(&self.pairs[c])
            };
            let out = &mut self.out[share.all][place];
            *out = (*out).min(best + node_price);
        }
    }

    /// Start `len` neighbouring boxes from what they cost one level below.
    fn start_from_below(&mut self, place: usize, rank_below: usize, len: usize) {
        let below = self.setting.below;
        for (plane, out) in self.out.iter_mut().enumerate() {
            let from = plane_below(plane, below.planes.len());
            out[place..place + len].copy_from_slice(&below.planes[from][rank_below..][..len]);
        }
        if P::PRICED
            && let Some(weights) = self.out.last_mut()
        {
            weights[place..place + len].copy_from_slice(&below.weights[rank_below..][..len]);
        }
    }

    /// All boxes that differ in the last column only.
    fn finish_last(&mut self, rank: u32, rank_below: u32, used: u32) {
        let Setting {
            columns,
            ranks,
            below,
            shares,
            node_price,
            ..
        } = *self.setting;
        let last = columns.len() - 1;
        let column = &columns[last];
        let len = column.within[(ranks.limit - used) as usize];
        let place = (rank - self.first) as usize;
        self.start_from_below(place, rank_below as usize, len);
        if P::PRICED {
            return self.finish_last_priced(place, rank_below as usize, len);
        }
        for share in shares {
            let (inside, outside) = (
                &below.planes[share.inside][..],
                &below.planes[share.outside][..],
            );
            let out = &mut self.out[share.all][place..place + len];
            keep_cheapest(out, inside, outside, &self.pairs[last], node_price);
            let (inside, outside) = (
                &inside[rank_below as usize..],
                &outside[rank_below as usize..],
            );
            for (state, out) in out.iter_mut().enumerate() {
                for cut in column.cuts(state) {
                    let sum = inside[cut.inside as usize] + outside[cut.outside as usize];
                    *out = (*out).min(sum + node_price);
                }
            }
        }
    }

    /// The same where tests cost something: the first box is whole on the last column, whose test the others have paid for.
    fn finish_last_priced(&mut self, place: usize, rank_below: usize, len: usize) {
        let Setting {
            columns,
            below,
            shares,
            node_price,
            per_unit,
            ..
        } = *self.setting;
        let last = columns.len() - 1;
        let weights = &below.weights[rank_below..][..len];
        let set_factors = |prices: &P, factors: &mut Vec<T>| {
            let columns = columns.iter().map(|states| prices.factor(states.column));
            factors.clear();
            factors.extend(columns.map(|factor| T::narrow(factor) * per_unit));
        };
        let [whole, cut] = &mut self.factors;
        set_factors(&self.prices, whole);
        let is_new = self.prices.test(columns[last].column);
        set_factors(&self.prices, cut);
        if is_new {
            self.prices.take_back(columns[last].column);
        }
        let [whole, cut] = &self.factors;
        for share in shares {
            let (inside, outside) = (
                &below.planes[share.inside][..],
                &below.planes[share.outside][..],
            );
            let out = &mut self.out[share.all][place..place + len];
            let mut from = 0;
            for (column, &to) in self.ends[..last].iter().enumerate() {
                let pairs = &self.pairs[last][from..to];
                from = to;
                if pairs.is_empty() {
                    continue;
                }
                self.cheapest.clear();
                self.cheapest.resize(len, T::UNREACHABLE + T::UNREACHABLE);
                keep_cheapest(&mut self.cheapest, inside, outside, pairs, node_price);
                out[0] = out[0].min(self.cheapest[0] + whole[column] * weights[0]);
                let factor = cut[column];
                for ((out, &cheapest), &weight) in
                    out.iter_mut().zip(&self.cheapest).zip(weights).skip(1)
                {
                    *out = (*out).min(cheapest + factor * weight);
                }
            }
            let (inside, outside) = (&inside[rank_below..], &outside[rank_below..]);
            for (state, out) in out.iter_mut().enumerate() {
                let factor = if state == 0 { whole[last] } else { cut[last] };
                let price = node_price + factor * weights[state];
                for cut in columns[last].cuts(state) {
                    let sum = inside[cut.inside as usize] + outside[cut.outside as usize];
                    *out = (*out).min(sum + price);
                }
            }
        }
    }
}

dispatch! {
    /// Take in, for neighbouring boxes, the costs of splits whose children are neighbours too.
    fn keep_cheapest<T: Lane>(out: &mut [T], inside: &[T], outside: &[T], pairs: &[Pair], node_price: T) = keep_cheapest_body;
}

#[inline(always)]
fn keep_cheapest_body<T: Lane>(
    out: &mut [T],
    inside: &[T],
    outside: &[T],
    pairs: &[Pair],
    node_price: T,
) {
    for pair in pairs {
        let inside = &inside[pair.inside as usize..][..out.len()];
        let outside = &outside[pair.outside as usize..][..out.len()];
        for ((best, &inside), &outside) in out.iter_mut().zip(inside).zip(outside) {
            let cost = inside.plus(outside).plus(node_price);
            *best = if cost < *best { cost } else { *best };
        }
    }
}
