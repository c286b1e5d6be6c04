//! Adaptive refinement: small candidate sets, solved exactly one after the other, then a certificate over all splits.
//!
//! `paper` is Algorithm 1 of "Scaling Optimal Classification Trees via Adaptive Feature and Sample Reduction" (2026).
//! `improve` re-optimises subtrees of the incumbent over all splits. `run` puts them together.

mod coarse;
mod construct;
mod crew;
mod exchange;
mod head_start;
mod history;
mod improve;
mod incumbent;
mod monitor;
mod paper;
mod proposer;
mod run;
mod settings;
mod source;
#[cfg(test)]
mod tests;
mod thorough;
mod window;

pub use head_start::search_with_head_start;
pub use history::{Record, Seconds, Step, StopReason};
pub use monitor::{Monitor, Observer, Progress, Stage};
pub use proposer::{Proposer, Request, TreeProposer};
pub use run::{Refined, Status, refine};
pub use settings::{Certify, Effort, Settings};
pub use source::{Source, TableSource};
