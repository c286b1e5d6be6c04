//! Who proposes candidate splits.

use std::collections::BTreeSet;

use super::monitor::Monitor;
use crate::error::Error;
use crate::propose::{Cart, Forest, Ranked, Records, rank_by_cart, rank_by_forest};
use crate::table::{SplitRef, Table};
use crate::task::AdditiveTask;

/// What is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// Iteration, from 1 on; the first candidate set is asked for in iteration 1.
    pub iteration: usize,
    /// Splits not to propose.
    pub excluded: &'a BTreeSet<SplitRef>,
    /// Most splits wanted.
    pub count: usize,
}

/// Proposes splits for candidate sets.
pub trait Proposer {
    /// The best splits, best first; longer lists are cut, excluded and repeated splits dropped.
    ///
    /// # Errors
    /// Whatever keeps the proposer from answering.
    fn propose(
        &mut self,
        request: &Request<'_>,
        monitor: &mut Monitor<'_>,
    ) -> Result<Vec<SplitRef>, Error>;
}

/// The paper's proposer: a random forest first, then repeated CART fits.
pub struct TreeProposer<'a> {
    table: &'a Table,
    splits: &'a [SplitRef],
    task: &'a dyn AdditiveTask,
    forest: Forest,
    cart: Cart,
    n_threads: usize,
    seed: u64,
    /// What trees are grown on, and where; made when first needed.
    ready: Option<(Records, rayon::ThreadPool)>,
    /// The forest's ranking: it excludes nothing.
    by_forest: Option<Vec<Ranked>>,
}

impl<'a> TreeProposer<'a> {
    /// Grow trees on the records of `task` in `table`, over `splits`.
    pub fn new(
        table: &'a Table,
        splits: &'a [SplitRef],
        task: &'a dyn AdditiveTask,
        forest: Forest,
        cart: Cart,
        n_threads: usize,
        seed: u64,
    ) -> Self {
        Self {
            table,
            splits,
            task,
            forest,
            cart,
            n_threads,
            seed,
            ready: None,
            by_forest: None,
        }
    }

    fn prepare(&self) -> Result<(Records, rayon::ThreadPool), Error> {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(self.n_threads)
            .build()
            .map_err(|error| Error::Parameter(format!("cannot start threads: {error}")))?;
        Ok((Records::new(self.table, self.splits, self.task)?, pool))
    }
}

impl Proposer for TreeProposer<'_> {
    fn propose(
        &mut self,
        request: &Request<'_>,
        monitor: &mut Monitor<'_>,
    ) -> Result<Vec<SplitRef>, Error> {
        if self.ready.is_none() {
            self.ready = Some(self.prepare()?);
        }
        let Some((records, pool)) = &self.ready else {
            return Ok(Vec::new());
        };
        let seed = self.seed.wrapping_add(request.iteration as u64);
        let (forest, cart) = (self.forest, self.cart);
        let excluded = request.excluded;
        let mut run = |first: bool| -> Vec<Ranked> {
            monitor.run(|control| {
                let stopped = || control.stopped();
                pool.install(|| {
                    if first {
                        return rank_by_forest(records, forest, seed, &stopped);
                    }
                    let excluded = |split| excluded.contains(&split);
                    rank_by_cart(records, cart, &excluded, seed, &stopped)
                })
            })
        };
        let by_cart;
        let ranked = if request.iteration == 1 {
            self.by_forest.get_or_insert_with(|| run(true))
        } else {
            by_cart = run(false);
            &by_cart
        };
        let proposed = ranked.iter().map(|ranked| ranked.split);
        Ok(proposed
            .filter(|split| !excluded.contains(split))
            .take(request.count)
            .collect())
    }
}
