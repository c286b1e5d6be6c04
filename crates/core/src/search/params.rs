//! What a search is asked to do.

use super::bounds::Bounds;
use super::searcher::{KernelChoice, full_budget};
use crate::error::Error;

/// Parameters of a search.
#[derive(Clone, Debug)]
pub struct Params {
    /// Most levels of branching nodes, 0 to [`Params::MAX_DEPTH`].
    pub max_depth: u32,
    /// Most branching nodes; `None` means as many as the depth allows.
    pub max_nodes: Option<u32>,
    /// Least number of records in a leaf, at least 1.
    pub min_samples_leaf: u32,
    /// Price of a branching node in the task's own terms, at least 0.
    pub node_penalty: f64,
    /// Kernel in use.
    pub kernel: KernelChoice,
    /// Bounds in use.
    pub bounds: Bounds,
    /// Bytes that cache and workspaces may take; `None` means [`Params::DEFAULT_MEMORY`].
    pub memory_limit: Option<usize>,
    /// Number of threads, at least 1.
    pub n_threads: usize,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            max_depth: 3,
            max_nodes: None,
            min_samples_leaf: 1,
            node_penalty: 0.0,
            kernel: KernelChoice::Auto,
            bounds: Bounds::default(),
            memory_limit: None,
            n_threads: 1,
        }
    }
}

impl Params {
    /// Deepest tree that can be asked for: its branching nodes fit the tie-break of costs.
    pub const MAX_DEPTH: u32 = 16;
    /// Bytes for cache and workspaces unless a limit is given.
    pub const DEFAULT_MEMORY: usize = 640 << 20;

    /// Check ranges.
    ///
    /// # Errors
    /// [`Error::Parameter`] saying what came in and what is allowed.
    pub fn validate(&self) -> Result<(), Error> {
        if self.max_depth > Self::MAX_DEPTH {
            return Err(Error::Parameter(format!(
                "max_depth is {}; 0 to {} is allowed (a deeper tree explains little)",
                self.max_depth,
                Self::MAX_DEPTH
            )));
        }
        if self.min_samples_leaf == 0 {
            return Err(Error::Parameter(
                "min_samples_leaf is 0; it must be at least 1".into(),
            ));
        }
        if !self.node_penalty.is_finite() || self.node_penalty < 0.0 {
            return Err(Error::Parameter(format!(
                "the penalty per branching node is {}; it must be finite and at least 0",
                self.node_penalty
            )));
        }
        if self.n_threads == 0 {
            return Err(Error::Parameter(
                "n_threads is 0; it must be at least 1".into(),
            ));
        }
        Ok(())
    }

    /// Branching nodes that a tree may have.
    pub fn budget(&self) -> u32 {
        let full = full_budget(self.max_depth);
        self.max_nodes.map_or(full, |nodes| nodes.min(full))
    }

    /// Whether records must be counted, because a leaf has to hold some.
    pub(crate) fn counts_records(&self) -> bool {
        self.min_samples_leaf > 1
    }

    /// Bytes for the cache, and for the pair tables of one thread.
    pub fn memory_shares(&self) -> (usize, usize) {
        let limit = self.memory_limit.unwrap_or(Self::DEFAULT_MEMORY);
        (limit / 4, limit / 2 / self.n_threads)
    }
}
