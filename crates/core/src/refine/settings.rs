//! What the adaptive loop is asked to do.

use crate::error::Error;

/// How much work goes into a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Effort {
    /// Algorithm 1 of the paper, as printed.
    Paper,
    /// Trees grown and improved with exact subtrees around the loop.
    #[default]
    High,
    /// The same in several passes, each more thorough than the one before.
    Max,
}

impl Effort {
    /// Most trees of the forest where it has the first word only.
    const SMALL_FOREST: usize = 25;

    /// Expected work of a search that takes a few tenths of a second.
    const LITTLE_WORK: f64 = 5e8;
    /// The same per merged row of a large table, where all the rest takes longer, too.
    const LITTLE_WORK_PER_ROW: f64 = 4e3;

    /// Most expected work of a search over a candidate set, by the merged rows over all splits; sets that would take more are made
    /// smaller.
    ///
    /// Where exact subtrees do most of the work, a set that takes as long as all of them is not worth its time.
    pub fn most_work(self, n_rows: usize) -> f64 {
        match self {
            Self::Paper => f64::INFINITY,
            Self::High | Self::Max => {
                Self::LITTLE_WORK.max(Self::LITTLE_WORK_PER_ROW * n_rows as f64)
            }
        }
    }

    /// Trees of the forest that proposes the first candidate set, where `asked` are asked for.
    ///
    /// With more effort than the paper's that set is one start among others, and a small forest finds much the same.
    pub fn forest_trees(self, asked: usize) -> usize {
        match self {
            Self::Paper => asked,
            Self::High | Self::Max => asked.min(Self::SMALL_FOREST),
        }
    }
}

/// Whether the exact search over all splits follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Certify {
    /// Where it is likely to end soon.
    #[default]
    Auto,
    /// For all the time that is left.
    Always,
    /// Not at all.
    Never,
}

/// Parameters of the adaptive loop; the defaults are the paper's.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Most candidate splits of an inner problem, at least 1.
    pub max_candidates: usize,
    /// Seconds for one inner search.
    pub inner_time_limit: f64,
    /// Most iterations, at least 1.
    pub max_iterations: usize,
    /// Iterations without improvement after which the loop ends, at least 1.
    pub patience: usize,
    /// Iterations without improvement after which splits once proposed are not proposed again.
    pub switch_after: usize,
    /// Least improvement of the score, a share of the largest cost that the records can have.
    pub tolerance: f64,
    /// How much work goes into a tree.
    pub effort: Effort,
    /// Whether the exact search over all splits follows.
    pub certify: Certify,
    /// Seed of everything random.
    pub seed: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            max_candidates: 20,
            inner_time_limit: 100.0,
            max_iterations: 300,
            patience: 3,
            switch_after: 2,
            tolerance: 1e-9,
            effort: Effort::High,
            certify: Certify::Auto,
            seed: 0,
        }
    }
}

impl Settings {
    /// Check ranges.
    ///
    /// # Errors
    /// [`Error::Parameter`] saying what came in and what is allowed.
    pub fn validate(&self) -> Result<(), Error> {
        for (name, value) in [
            ("max_candidates", self.max_candidates),
            ("max_iterations", self.max_iterations),
            ("patience", self.patience),
        ] {
            if value == 0 {
                return Err(Error::Parameter(format!(
                    "{name} is 0; it must be at least 1"
                )));
            }
        }
        for (name, value) in [
            ("inner_time_limit", self.inner_time_limit),
            ("tolerance", self.tolerance),
        ] {
            if value.is_nan() || value < 0.0 {
                return Err(Error::Parameter(format!(
                    "{name} is {value}; it must be at least 0"
                )));
            }
        }
        Ok(())
    }
}
