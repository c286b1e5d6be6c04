//! Results of subproblems, by the set of rows that reaches them.
//!
//! The key is the node's 128-bit fingerprint, with depth and node budget. A subproblem reached by different paths is solved once; one
//! that was only bounded keeps its bound. The cache holds a fixed number of entries per shard and throws half of a full shard out, the
//! shallow subproblems first: that costs time, never correctness.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use hashbrown::HashMap;

use super::cost::Cost;
use super::shape::{Shape, Solved};

/// Which subproblem.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    /// Fingerprint of the rows.
    pub rows: u128,
    /// Depth left.
    pub depth: u8,
    /// Branching nodes left.
    pub budget: u32,
}

#[derive(Clone, Debug)]
struct Entry {
    lower: Cost,
    tree: Option<(Cost, Arc<Shape>)>,
}

const SHARDS: usize = 64;
/// Bytes an entry takes, with its share of the table and a small tree.
pub const ENTRY_BYTES: usize = 400;

/// A cache shared by all threads of a search.
#[derive(Debug)]
pub struct Cache {
    shards: Vec<Mutex<HashMap<Key, Entry>>>,
    per_shard: usize,
    evictions: AtomicU64,
}

impl Cache {
    /// A cache of at most `bytes` bytes.
    pub fn new(bytes: usize) -> Self {
        Self {
            shards: (0..SHARDS).map(|_| Mutex::new(HashMap::new())).collect(),
            per_shard: bytes / ENTRY_BYTES / SHARDS,
            evictions: AtomicU64::new(0),
        }
    }

    fn shard(&self, key: &Key) -> &Mutex<HashMap<Key, Entry>> {
        &self.shards[(key.rows >> 64) as usize % SHARDS]
    }

    /// What is known of a subproblem.
    pub fn get(&self, key: &Key) -> Option<Solved> {
        let shard = self
            .shard(key)
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        shard.get(key).map(|entry| Solved {
            lower: entry.lower,
            tree: entry.tree.clone(),
        })
    }

    /// Keep a result; a bound never replaces a better one.
    pub fn put(&self, key: Key, solved: &Solved) {
        if self.per_shard == 0 {
            return;
        }
        let mut shard = self
            .shard(&key)
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if shard.len() >= self.per_shard && !shard.contains_key(&key) {
            self.make_room(&mut shard);
        }
        let entry = shard.entry(key).or_insert(Entry {
            lower: solved.lower,
            tree: None,
        });
        if entry.tree.is_none() {
            entry.lower = entry.lower.max(solved.lower);
            if solved.is_exact() {
                entry.tree.clone_from(&solved.tree);
            }
        }
    }

    fn make_room(&self, shard: &mut HashMap<Key, Entry>) {
        let before = shard.len();
        let mut depths: Vec<u8> = shard.keys().map(|key| key.depth).collect();
        depths.sort_unstable();
        let middle = depths[depths.len() / 2];
        let mut nth = 0_usize;
        shard.retain(|key, _| {
            nth += 1;
            key.depth > middle || (key.depth == middle && nth.is_multiple_of(2))
        });
        self.evictions
            .fetch_add((before - shard.len()) as u64, Ordering::Relaxed);
    }

    /// Entries thrown out so far.
    pub fn evictions(&self) -> u64 {
        self.evictions.load(Ordering::Relaxed)
    }
}
