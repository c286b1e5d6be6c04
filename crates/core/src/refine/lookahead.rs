//! Ranks the splits of a set of rows by what the best single split on either side would leave: an exact look one level ahead in place of
//! an impurity (after SPLIT, Babbar et al. 2025).
//!
//! For each column the joint histogram with every other column, cumulated along the first, answers all its splits.

use rayon::prelude::*;

use crate::problem::Problem;
use crate::table::{Kind, SplitRef};

/// A split and the summed cost of the best trees of one split on either side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Looked {
    /// The problem's split.
    pub split: SplitRef,
    /// Cost in units.
    pub units: i64,
}

/// Look ahead from every split that divides the rows, column by column; runs on the current rayon pool.
pub(super) fn look_ahead(problem: &Problem, rows: &[u32]) -> Vec<Looked> {
    let mut first_bin = vec![0];
    for column in &problem.columns {
        first_bin.push(first_bin.last().copied().unwrap_or(0) + column.n_codes);
    }
    (0..problem.columns.len())
        .into_par_iter()
        .flat_map_iter(|column| look_along(problem, rows, column, &first_bin))
        .collect()
}

fn look_along(problem: &Problem, rows: &[u32], root: usize, first_bin: &[usize]) -> Vec<Looked> {
    let (f, k) = (problem.columns.len(), problem.n_labels);
    let column = &problem.columns[root];
    let plane = first_bin[f] * k;
    let mut joint = vec![0_i64; column.n_codes * plane];
    let mut counts = vec![0_usize; column.n_codes];
    for &row in rows {
        let row = row as usize;
        let codes = problem.row(row);
        let costs = &problem.costs[row * k..(row + 1) * k];
        let code = usize::from(codes[root]);
        counts[code] += 1;
        let plane = &mut joint[code * plane..(code + 1) * plane];
        for (&code, &first) in codes.iter().zip(first_bin) {
            let at = (first + usize::from(code)) * k;
            for (cell, cost) in plane[at..at + k].iter_mut().zip(costs) {
                *cell += cost;
            }
        }
    }
    let mut total = vec![0_i64; plane];
    for part in joint.chunks_exact(plane) {
        add(&mut total, part);
    }
    let mut inside = vec![0_i64; plane];
    let mut outside = vec![0_i64; plane];
    let mut count = 0;
    let mut found = Vec::with_capacity(column.n_splits);
    for split in 0..column.n_splits {
        let part = &joint[split * plane..(split + 1) * plane];
        if column.kind == Kind::Ordered {
            add(&mut inside, part);
            count += counts[split];
        } else {
            inside.copy_from_slice(part);
            count = counts[split];
        }
        // A threshold that moves no row repeats the one before.
        if counts[split] == 0 || count == rows.len() {
            continue;
        }
        for ((rest, all), part) in outside.iter_mut().zip(&total).zip(&inside) {
            *rest = all - part;
        }
        let units =
            best_single(problem, first_bin, &inside) + best_single(problem, first_bin, &outside);
        found.push(Looked {
            split: SplitRef {
                column: root as u32,
                split: split as u32,
            },
            units,
        });
    }
    found
}

fn add(sums: &mut [i64], part: &[i64]) {
    for (sum, value) in sums.iter_mut().zip(part) {
        *sum += value;
    }
}

/// Least cost of a leaf or a single split, from the cost histogram of every column.
fn best_single(problem: &Problem, first_bin: &[usize], histogram: &[i64]) -> i64 {
    let k = problem.n_labels;
    let columns = &problem.columns;
    let mut total = vec![0_i64; k];
    for bin in histogram[..first_bin[1] * k].chunks_exact(k) {
        add(&mut total, bin);
    }
    let least = |costs: &[i64]| costs.iter().copied().min().unwrap_or(0);
    let mut best = least(&total);
    let mut inside = vec![0_i64; k];
    for (column, &first) in columns.iter().zip(first_bin) {
        inside.fill(0);
        for split in 0..column.n_splits {
            let bin = &histogram[(first + split) * k..(first + split + 1) * k];
            if column.kind == Kind::Ordered {
                add(&mut inside, bin);
            } else {
                inside.copy_from_slice(bin);
            }
            let other = total
                .iter()
                .zip(&inside)
                .map(|(all, part)| all - part)
                .min()
                .unwrap_or(0);
            best = best.min(least(&inside) + other);
        }
    }
    best
}
