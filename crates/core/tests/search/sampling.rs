//! Random instances: tiny ones for the exhaustive twin, medium ones with planted trees.

use certitree_core::search::Params;
use certitree_core::table::Column;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use crate::instance::{Instance, Statement, all_splits, nominal, ordered};

/// Property-test settings that repeat exactly. CERTITREE_TEST_EFFORT=20 tries twenty times as many cases, and other ones.
pub fn settings(cases: u32, seed: u64) -> ProptestConfig {
    let effort = std::env::var("CERTITREE_TEST_EFFORT")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(1);
    ProptestConfig {
        cases: cases * effort,
        rng_seed: RngSeed::Fixed(seed + 1_000 * u64::from(effort - 1)),
        failure_persistence: None,
        max_shrink_iters: 20_000,
        ..ProptestConfig::default()
    }
}

/// An ordered or nominal column of at most `max_codes` codes.
fn any_column(n_rows: usize, max_codes: usize) -> impl Strategy<Value = Column> {
    (1..=max_codes, 0..4_u8).prop_flat_map(move |(n_codes, form)| {
        prop::collection::vec(0..n_codes as u8, n_rows).prop_map(move |codes| match form {
            0 => nominal(codes, n_codes, false),
            1 => nominal(codes, n_codes, true),
            _ => ordered(codes, n_codes),
        })
    })
}

fn whole(most: u32) -> BoxedStrategy<f64> {
    (0..=most).prop_map(f64::from).boxed()
}

/// Whole, real or mixed values; zeros now and then.
fn values(n: usize) -> impl Strategy<Value = Vec<f64>> {
    let value = prop_oneof![
        Just(whole(3)),
        Just(whole(100_000)),
        Just((0.0..2.0_f64).boxed()),
        Just(
            (0.5..2.0_f64, -4..5_i32)
                .prop_map(|(x, e)| x * 10_f64.powi(e))
                .boxed()
        ),
    ];
    value.prop_flat_map(move |value| prop::collection::vec(value, n))
}

fn any_statement(n_rows: usize, n_labels: usize) -> impl Strategy<Value = Statement> {
    let labels = prop::collection::vec(0..n_labels as i32, n_rows);
    let takes_part = prop::collection::vec(prop::bool::weighted(0.8).prop_map(f64::from), n_rows);
    prop_oneof![
        2 => labels.clone().prop_map(|labels| Statement::Classes { labels, weights: None }),
        3 => (labels, values(n_rows))
            .prop_map(|(labels, weights)| Statement::Classes { labels, weights: Some(weights) }),
        3 => (values(n_rows * n_labels), prop::option::of(takes_part))
            .prop_map(|(costs, weights)| Statement::Costs { costs, weights }),
    ]
}

/// Any instance of at most `max_rows` rows and five columns, with some or all of its splits as candidates.
pub fn tiny(max_rows: usize, max_codes: usize) -> impl Strategy<Value = Instance> {
    (1..=max_rows, 0..=5_usize, 1..=4_usize)
        .prop_flat_map(move |(n_rows, n_columns, n_labels)| {
            let columns = prop::collection::vec(any_column(n_rows, max_codes), n_columns);
            let chosen = prop::option::weighted(0.3, any::<u32>());
            (columns, any_statement(n_rows, n_labels), chosen).prop_map(
                move |(columns, statement, chosen)| {
                    let mut keep = all_splits(&columns);
                    if let Some(mask) = chosen {
                        let mut place = 0;
                        keep.retain(|_| {
                            place += 1;
                            mask >> (place % 32) & 1 == 1
                        });
                    }
                    Instance {
                        n_rows,
                        columns,
                        n_labels,
                        statement,
                        keep,
                    }
                },
            )
        })
        .prop_filter("some record takes part", |instance| {
            !instance.present().is_empty()
        })
}

/// Limits for tiny instances. A penalty is given as a share of a typical cost.
pub fn limits() -> impl Strategy<Value = Params> {
    let penalty = prop_oneof![
        4 => Just(0.0),
        1 => Just(1.0),
        1 => Just(0.5),
        1 => Just(2.0),
        1 => Just(1.0 / 3.0),
        1 => 0.0..3.0_f64,
        1 => Just(1e9),
    ];
    let nodes = prop::option::weighted(0.4, 0..8_u32);
    let leaf = prop_oneof![3 => Just(1_u32), 2 => 2..6_u32];
    (0..5_u32, nodes, leaf, penalty).prop_map(
        |(max_depth, max_nodes, min_samples_leaf, node_penalty)| Params {
            max_depth,
            max_nodes,
            min_samples_leaf,
            node_penalty,
            ..Params::default()
        },
    )
}

/// The splitmix64 generator: medium instances are too large to shrink.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    /// Between zero and one.
    pub fn real(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// Columns of a medium instance as (codes, nominal).
pub type Form<'a> = &'a [(usize, bool)];

/// Classes planted by a random tree of depth three, and given up for a random class with probability `noise`.
pub fn planted(n_rows: usize, form: Form<'_>, n_labels: usize, noise: f64, seed: u64) -> Instance {
    let mut random = Random::new(seed);
    let columns: Vec<Column> = form
        .iter()
        .map(|&(n_codes, is_nominal)| {
            // Every code occurs; the others are drawn.
            let codes = (0..n_rows)
                .map(|row| if row < n_codes { row } else { random.below(n_codes) } as u8)
                .collect();
            if is_nominal {
                nominal(codes, n_codes, false)
            } else {
                ordered(codes, n_codes)
            }
        })
        .collect();
    let splits = all_splits(&columns);
    let heap: Vec<usize> = (0..7).map(|_| random.below(splits.len())).collect();
    let leaves: Vec<i32> = (0..8).map(|leaf| (leaf % n_labels) as i32).collect();
    let statement = Statement::Classes {
        labels: vec![0; n_rows],
        weights: None,
    };
    let mut instance = Instance::new(columns, n_rows, n_labels, statement);
    let labels = (0..n_rows)
        .map(|row| {
            let mut at = 0;
            while at < 7 {
                at = 2 * at + 1 + usize::from(instance.is_true(splits[heap[at]], row));
            }
            if random.real() < noise {
                random.below(n_labels) as i32
            } else {
                leaves[at - 7]
            }
        })
        .collect();
    instance.statement = Statement::Classes {
        labels,
        weights: None,
    };
    instance
}
