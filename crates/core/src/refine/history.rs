//! What an adaptive run did, iteration by iteration, and why it ended.

use crate::search::Status;
use crate::table::SplitRef;

/// Why the loop ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// The time is used up.
    TimeLimit,
    /// Memory ran out.
    MemoryLimit,
    /// The user stopped it.
    Interrupted,
    /// No tree can be better.
    BestPossible,
    /// The incumbent's splits fill the candidate set.
    Capacity,
    /// No split was proposed.
    NoCandidates,
    /// Too many iterations without improvement.
    Patience,
    /// The most iterations allowed were made.
    MaxIterations,
    /// The whole problem was solved without candidate sets.
    Solved,
}

impl StopReason {
    /// The name users see.
    pub fn name(self) -> &'static str {
        match self {
            Self::TimeLimit => "time_limit",
            Self::MemoryLimit => "memory_limit",
            Self::Interrupted => "interrupted",
            Self::BestPossible => "best_possible",
            Self::Capacity => "capacity",
            Self::NoCandidates => "no_candidates",
            Self::Patience => "patience",
            Self::MaxIterations => "max_iterations",
            Self::Solved => "solved",
        }
    }
}

/// What an iteration worked on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// An exact search over a candidate set.
    Candidates,
    /// Exact re-optimisation of subtrees over all splits.
    Subtrees,
    /// The exact search over all splits.
    AllSplits,
}

impl Step {
    /// The name users see.
    pub fn name(self) -> &'static str {
        match self {
            Self::Candidates => "candidates",
            Self::Subtrees => "subtrees",
            Self::AllSplits => "all_splits",
        }
    }
}

/// Seconds of an iteration by stage.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Seconds {
    /// Ranking splits.
    pub proposal: f64,
    /// Projecting and merging.
    pub projection: f64,
    /// Searching.
    pub solve: f64,
    /// Scoring the tree on all records.
    pub score: f64,
}

/// One iteration.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// What it worked on.
    pub step: Step,
    /// The candidate set, ascending; empty where all splits were candidates.
    pub candidates: Vec<SplitRef>,
    /// Records that take part.
    pub n_records: usize,
    /// Merged rows.
    pub n_unique: usize,
    /// Seconds by stage.
    pub seconds: Seconds,
    /// Objective of the tree found.
    pub objective: f64,
    /// Objective of the incumbent afterwards.
    pub incumbent: f64,
    /// Whether the tree became the incumbent.
    pub accepted: bool,
    /// How the search ended; none where several were made.
    pub status: Option<Status>,
}
