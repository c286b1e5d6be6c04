//! One thread of a search: the shared facts, its own buffers and counters, and the doorway to every subproblem.

use super::archive::Archive;
use super::bounds::Bounds;
use super::cache::{Cache, Key};
use super::control::Control;
use super::cost::{Cost, Scale};
use super::depth_one::depth_one;
use super::fill::FillBuffers;
use super::kernel::score::{LeafRule, PairTable, ScoreBuffers};
use super::lane::Lane;
use super::node::Node;
use super::params::Params;
use super::shape::{Shape, Solved};
use super::stats::Stats;
use crate::problem::Problem;

/// Which kernel solves depth two and three.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum KernelChoice {
    /// Chosen by cost.
    #[default]
    Auto,
    /// Always the pair histogram.
    Histogram,
    /// Always the bitset.
    Bitset,
    /// All boxes of the splits (the cube solver), whatever it takes.
    Cube,
    /// Never the cube solver; otherwise chosen per node by cost.
    General,
    /// No pair table: split by split, down to depth one.
    Recursive,
}

/// What all threads of a search share.
#[derive(Debug)]
pub struct Shared<'a> {
    /// Loss and node price.
    pub scale: Scale,
    /// What a leaf needs.
    pub rule: LeafRule,
    /// Bounds in use.
    pub bounds: Bounds,
    /// Kernel in use.
    pub kernel: KernelChoice,
    /// Bytes a thread's pair tables may take.
    pub table_bytes: usize,
    /// Number of rows of the root.
    pub n_rows: usize,
    /// Flag and clock.
    pub control: &'a Control,
    /// Results of subproblems.
    pub cache: Cache,
}

/// How losses and node prices of a problem add up.
pub(crate) fn scale_of(problem: &Problem, params: &Params) -> Scale {
    // The most that a tree can lose: every record at its worst label.
    let rows = problem.costs.chunks_exact(problem.n_labels);
    let most = rows
        .map(|costs| costs.iter().copied().max().unwrap_or(0))
        .sum();
    Scale::new(params.node_penalty / problem.unit, most)
}

impl<'a> Shared<'a> {
    /// For searching the rows of `problem`, within the limits of `params`.
    pub(crate) fn new(problem: &Problem, params: &Params, control: &'a Control) -> Self {
        let counted = params.counts_records();
        let (cache_bytes, table_bytes) = params.memory_shares();
        Self {
            scale: scale_of(problem, params),
            rule: LeafRule {
                lanes: problem.n_labels - 1,
                min_records: if counted {
                    i64::from(params.min_samples_leaf)
                } else {
                    0
                },
            },
            bounds: if counted {
                params.bounds.when_counted()
            } else {
                params.bounds
            },
            kernel: params.kernel,
            table_bytes,
            n_rows: problem.n_rows(),
            control,
            cache: Cache::new(cache_bytes),
        }
    }
}

/// Buffers of one lane width.
#[derive(Debug, Default)]
pub struct Workspace<T: Lane> {
    /// Table of all rows of the node.
    pub total: PairTable<T>,
    /// Table of the rows on one side.
    pub part: PairTable<T>,
    /// For scoring.
    pub score: ScoreBuffers<T>,
    /// For filling.
    pub fill: FillBuffers<T>,
}

/// Buffers of one thread.
#[derive(Debug, Default)]
pub struct Workspaces {
    /// 16-bit lanes.
    pub narrow: Workspace<i16>,
    /// 32-bit lanes.
    pub medium: Workspace<i32>,
    /// 64-bit lanes.
    pub wide: Workspace<i64>,
}

/// One thread of a search.
#[derive(Debug)]
pub struct Searcher<'a> {
    /// Shared facts.
    pub shared: &'a Shared<'a>,
    /// Counters.
    pub stats: Stats,
    /// Buffers.
    pub workspaces: Workspaces,
    /// Recent subproblems, for the similarity bound.
    pub archive: Archive,
    /// Where all roots below an upper bound are wanted: those found.
    pub roots: Option<Vec<CheapRoot>>,
    /// Whether long fills of pair tables look at the clock.
    pub stoppable: bool,
}

/// A split that roots a tree of a cost below some upper bound.
#[derive(Clone, Copy, Debug)]
pub struct CheapRoot {
    /// Local column.
    pub column: usize,
    /// Local split.
    pub split: usize,
    /// Least cost of the rows where it is true, in the node budget that the root leaves.
    pub inside: Cost,
    /// Least cost of the other rows.
    pub outside: Cost,
}

/// Most branching nodes that a tree of depth `depth` has.
pub fn full_budget(depth: u32) -> u32 {
    if depth >= 31 {
        u32::MAX >> 1
    } else {
        (1 << depth) - 1
    }
}

impl<'a> Searcher<'a> {
    /// A fresh thread.
    pub fn new(shared: &'a Shared<'a>) -> Self {
        Self {
            shared,
            stats: Stats::default(),
            workspaces: Workspaces::default(),
            archive: Archive::new(shared.n_rows),
            stoppable: true,
            roots: None,
        }
    }

    /// Cost of the node as a leaf; unreachable if it holds too few records.
    pub fn leaf_cost(&self, node: &Node) -> Cost {
        if self.shared.rule.min_records > node.count {
            super::cost::UNREACHABLE
        } else {
            self.shared.scale.loss(node.leaf_loss())
        }
    }

    /// Find the best tree of at most `depth` levels and `budget` branching nodes, if it costs less than `upper`.
    ///
    /// Which of several best trees is found does not depend on `upper`, the cache or the thread.
    pub fn solve(&mut self, node: &Node, depth: u32, budget: u32, upper: Cost) -> Solved {
        self.solve_with(node, depth, budget, upper, &mut [])
    }

    /// The same, with the help of other threads' searchers where the whole node is swept at once.
    pub(crate) fn solve_with(
        &mut self,
        node: &Node,
        depth: u32,
        budget: u32,
        upper: Cost,
        helpers: &mut [Searcher<'a>],
    ) -> Solved {
        let depth = depth.min(budget);
        let budget = budget.min(full_budget(depth));
        let leaf = self.leaf_cost(node);
        let node_price = self.shared.scale.node;
        // Any other tree has a branching node to pay for.
        if depth == 0 || node.columns.is_empty() || leaf <= node_price {
            return Solved::exactly(leaf, Shape::leaf()).below(upper);
        }
        if upper <= node_price {
            return Solved::at_least(node_price);
        }
        if self.shared.control.stopped() {
            return Solved::at_least(node_price);
        }
        if depth == 1 {
            return depth_one(self.shared, node).below(upper);
        }
        if depth == 2 && self.uses_table(node) {
            self.stats.nodes += 1;
            return self.depth_two(node, budget, upper);
        }
        self.solve_deep(node, depth, budget, upper, helpers)
    }

    /// Depth three and more: with cache and similarity bound.
    fn solve_deep(
        &mut self,
        node: &Node,
        depth: u32,
        budget: u32,
        upper: Cost,
        helpers: &mut [Searcher<'a>],
    ) -> Solved {
        let key = Key {
            rows: node.key,
            depth: depth as u8,
            budget,
        };
        if self.shared.bounds.cache
            && let Some(known) = self.shared.cache.get(&key)
            && (known.tree.is_some() || known.lower >= upper)
        {
            self.stats.cache_hits += 1;
            return known.below(upper);
        }
        if self.shared.bounds.similarity {
            let lower = self
                .archive
                .lower_bound(node, depth, budget, upper, self.shared.scale);
            if lower >= upper {
                self.stats.pruned_similarity += 1;
                return Solved::at_least(lower);
            }
        }
        self.stats.nodes += 1;
        self.shared.control.count_node();
        let solved = if depth == 3 && self.uses_table(node) {
            self.depth_three_with(node, budget, upper, helpers)
        } else {
            self.branch(node, depth, budget, upper)
        };
        if self.shared.bounds.cache {
            self.shared.cache.put(key, &solved);
            self.stats.cache_stores += 1;
        }
        if self.shared.bounds.similarity {
            self.archive.put(node, depth, budget, solved.lower);
        }
        solved
    }
}
