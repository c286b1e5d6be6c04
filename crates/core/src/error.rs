//! The one error type of the core.

use thiserror::Error;

/// What can be wrong with the input of the core. Every message says what came in, what is allowed, and a hint.
#[derive(Debug, Error, Clone, PartialEq, Eq)]
pub enum Error {
    /// The coded table is inconsistent.
    #[error("invalid table: {0}")]
    Table(String),
    /// Labels, weights or costs are inconsistent with the table or with one another.
    #[error("invalid statistics: {0}")]
    Statistics(String),
    /// A parameter is out of range, or two contradict each other.
    #[error("invalid parameter: {0}")]
    Parameter(String),
    /// A candidate split does not exist.
    #[error("invalid candidate split: {0}")]
    Candidate(String),
}
