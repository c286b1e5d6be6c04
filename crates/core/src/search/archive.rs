//! Recent subproblems, to bound similar ones (the similarity bound of DL8.5's and MurTree's successors; STreeD, section 4.3).
//!
//! If a subproblem A costs at least v, then B costs at least v minus the mass of the rows of A that B lacks: a tree for B, given those rows
//! too, is a tree for a superset of A.

use std::collections::VecDeque;

use super::cost::{Cost, Scale};
use super::node::Node;

/// How many subproblems are kept per depth.
const KEPT: usize = 48;
/// Larger nodes are not kept: comparing them takes memory, and they lie on columns whose own bounds serve better.
const LARGEST: usize = 1 << 14;

#[derive(Debug)]
struct Entry {
    depth: u32,
    budget: u32,
    lower: Cost,
    rows: Vec<u32>,
    spreads: Vec<i64>,
}

/// Recent subproblems of one thread.
#[derive(Debug)]
pub struct Archive {
    entries: Vec<VecDeque<Entry>>,
    /// Bit per row of the problem: is it in the node being looked up?
    members: Vec<u64>,
}

impl Archive {
    /// For nodes whose rows are below `n_rows`.
    pub fn new(n_rows: usize) -> Self {
        Self {
            entries: Vec::new(),
            members: vec![0; n_rows.div_ceil(64)],
        }
    }

    /// The best similarity bound for a node; stops looking once `wanted` is reached.
    pub fn lower_bound(
        &mut self,
        node: &Node,
        depth: u32,
        budget: u32,
        wanted: Cost,
        scale: Scale,
    ) -> Cost {
        let Some(entries) = self.entries.get(depth as usize) else {
            return 0;
        };
        if entries.is_empty() {
            return 0;
        }
        for &row in &node.rows {
            self.members[row as usize / 64] |= 1 << (row % 64);
        }
        let mut best = 0;
        for entry in entries.iter().rev() {
            if entry.budget < budget || entry.lower <= best {
                continue;
            }
            // More missing mass than this and the bound is no better than the one there is.
            let allowed = (entry.lower - best) / scale.per_unit;
            if let Some(missing) = entry.missing(&self.members, allowed) {
                best = best.max(entry.lower - scale.loss(missing));
                if best >= wanted {
                    break;
                }
            }
        }
        for &row in &node.rows {
            self.members[row as usize / 64] = 0;
        }
        best
    }

    /// Keep a subproblem's bound.
    pub fn put(&mut self, node: &Node, depth: u32, budget: u32, lower: Cost) {
        if node.len() > LARGEST {
            return;
        }
        let slot = depth as usize;
        if self.entries.len() <= slot {
            self.entries.resize_with(slot + 1, VecDeque::new);
        }
        let entries = &mut self.entries[slot];
        let mut entry = if entries.len() >= KEPT {
            entries.pop_front()
        } else {
            None
        }
        .unwrap_or(Entry {
            depth,
            budget,
            lower,
            rows: Vec::new(),
            spreads: Vec::new(),
        });
        entry.rows.clone_from(&node.rows);
        entry.spreads.clone_from(&node.spreads);
        (entry.depth, entry.budget, entry.lower) = (depth, budget, lower);
        entries.push_back(entry);
    }
}

impl Entry {
    /// Mass of the entry's rows that are not members; `None` if more than `allowed`.
    fn missing(&self, members: &[u64], allowed: i64) -> Option<i64> {
        let mut missing = 0;
        for (&row, &spread) in self.rows.iter().zip(&self.spreads) {
            if members[row as usize / 64] >> (row % 64) & 1 == 0 {
                missing += spread;
                if missing > allowed {
                    return None;
                }
            }
        }
        Some(missing)
    }
}
