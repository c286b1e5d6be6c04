//! Objectives that are no sum over leaves: Matthews correlation and group fairness.
//!
//! Both rest on scalar searches. The best correlation lies at a corner of the convex hull of (false positives, false negatives), and
//! scalar searches find corners. A limit on the difference between groups does not: there the scalar searches give a Lagrangian bound, and
//! the trees that could still beat it are enumerated by fronts of (errors, use of allowances).

mod additive;
mod columns;
mod constraints;
mod dual;
mod fair;
mod fronts;
mod matthews;
mod point;
mod records;
mod relaxation;
mod stage;
mod trade_off;

pub use constraints::{Fairness, Rates};
pub use fair::{FairOutcome, FairTree, minimise_errors};
pub use matthews::{MatthewsOutcome, correlation, maximise_correlation};
pub use records::{Grouped, Records};
pub use trade_off::{TradeOff, trace_trade_off};
