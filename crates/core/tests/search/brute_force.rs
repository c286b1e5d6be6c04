//! Exhaustive search over raw rows: no merging, no bounds, no whole numbers.

use std::collections::HashMap;

use certitree_core::search::Params;

use crate::instance::Instance;

/// Least loss with at most 0, 1, ... branching nodes; infinite where no leaf is allowed.
type Frontier = Vec<f64>;

/// What the best tree costs, and the numbers of branching nodes that reach it, rising.
#[derive(Clone, Debug)]
pub struct Best {
    pub objective: f64,
    pub nodes: Vec<usize>,
}

/// The best tree of an instance of at most 32 rows. Objectives closer than `tolerance` are equally good.
pub fn best_tree(instance: &Instance, params: &Params, tolerance: f64) -> Best {
    let rows = instance
        .present()
        .iter()
        .fold(0_u32, |set, &record| set | 1 << record);
    let splits = instance
        .keep
        .iter()
        .map(|&split| {
            (0..instance.n_rows)
                .filter(|&r| instance.is_true(split, r))
                .fold(0, |set, r| set | 1 << r)
        })
        .collect();
    let mut force = Force {
        instance,
        splits,
        params,
        seen: HashMap::new(),
    };
    let budget = params.budget() as usize;
    let mut frontier = force.frontier(rows, params.max_depth);
    // A root that no leaf rule can satisfy still predicts something.
    let constant = force.leaf(rows);
    for loss in &mut frontier {
        *loss = loss.min(constant);
    }
    let objective = |nodes: usize| frontier[nodes] + params.node_penalty * nodes as f64;
    let least = (0..=budget).map(objective).fold(f64::INFINITY, f64::min);
    let nodes = (0..=budget)
        .filter(|&nodes| objective(nodes) <= least + tolerance)
        .collect();
    Best {
        objective: least,
        nodes,
    }
}

struct Force<'a> {
    instance: &'a Instance,
    /// For each candidate split, the rows where it is true.
    splits: Vec<u32>,
    params: &'a Params,
    seen: HashMap<(u32, u32), Frontier>,
}

impl Force<'_> {
    fn leaf(&self, rows: u32) -> f64 {
        (0..self.instance.n_labels)
            .map(|label| {
                (0..self.instance.n_rows)
                    .filter(|record| rows >> record & 1 == 1)
                    .map(|record| self.instance.cost(record, label))
                    .sum()
            })
            .fold(f64::INFINITY, f64::min)
    }

    fn frontier(&mut self, rows: u32, depth: u32) -> Frontier {
        if let Some(known) = self.seen.get(&(rows, depth)) {
            return known.clone();
        }
        let nodes = self.params.budget() as usize;
        let allowed = rows.count_ones() >= self.params.min_samples_leaf;
        let leaf = if allowed {
            self.leaf(rows)
        } else {
            f64::INFINITY
        };
        let mut best = vec![leaf; nodes + 1];
        if depth > 0 {
            for split in 0..self.splits.len() {
                let (inside, outside) = (rows & self.splits[split], rows & !self.splits[split]);
                if inside == 0 || outside == 0 {
                    continue;
                }
                let (a, b) = (
                    self.frontier(inside, depth - 1),
                    self.frontier(outside, depth - 1),
                );
                for total in 1..=nodes {
                    for first in 0..total {
                        best[total] = best[total].min(a[first] + b[total - 1 - first]);
                    }
                }
            }
        }
        self.seen.insert((rows, depth), best.clone());
        best
    }
}
