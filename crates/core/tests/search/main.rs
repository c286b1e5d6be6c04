//! The search against an obviously right twin, and against itself in every configuration.

mod agreement;
mod brute_force;
mod check;
mod exact;
mod extremes;
mod instance;
mod sampling;
mod stopping;
