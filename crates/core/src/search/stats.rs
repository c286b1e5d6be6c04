//! Counters of what a search did.

/// Documented counters; summed over threads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Subproblems solved, of any depth above one.
    pub nodes: u64,
    /// Depth-three subproblems solved by sweeping.
    pub depth_three: u64,
    /// Passes of the scoring kernel.
    pub scored: u64,
    /// Rows added to or taken off pair tables by the histogram kernel.
    pub histogram_rows: u64,
    /// Rows added to or taken off pair tables by the bitset kernel.
    pub bitset_rows: u64,
    /// Boxes solved by the cube solver, each at one depth.
    pub boxes: u64,
    /// Subproblems answered by the cache.
    pub cache_hits: u64,
    /// Subproblems stored in the cache.
    pub cache_stores: u64,
    /// Entries thrown out of the cache for room.
    pub cache_evictions: u64,
    /// Splits skipped by the neighbour bound.
    pub pruned_neighbour: u64,
    /// Splits skipped by the interval bound.
    pub pruned_interval: u64,
    /// Subproblems skipped by the similarity bound.
    pub pruned_similarity: u64,
    /// Second children skipped because the first one cost too much.
    pub pruned_sibling: u64,
}

impl Stats {
    /// Add the counters of another thread.
    pub fn add(&mut self, other: &Self) {
        self.nodes += other.nodes;
        self.depth_three += other.depth_three;
        self.scored += other.scored;
        self.histogram_rows += other.histogram_rows;
        self.bitset_rows += other.bitset_rows;
        self.boxes += other.boxes;
        self.cache_hits += other.cache_hits;
        self.cache_stores += other.cache_stores;
        self.cache_evictions += other.cache_evictions;
        self.pruned_neighbour += other.pruned_neighbour;
        self.pruned_interval += other.pruned_interval;
        self.pruned_similarity += other.pruned_similarity;
        self.pruned_sibling += other.pruned_sibling;
    }
}
