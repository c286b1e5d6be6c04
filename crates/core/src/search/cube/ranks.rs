//! Numbers for the boxes that a few splits can leave.
//!
//! A box is one set of codes per column. The boxes within a limit on their distance (summed over columns) are numbered in
//! lexicographic order of their sets, so a box's rank is a sum of one term per column, each found by (distance so far, set).

use super::states::ColumnStates;

/// Ranks of the boxes within a limit.
#[derive(Clone, Debug)]
pub struct Ranks {
    /// The limit.
    pub limit: u32,
    /// Per column, at `used * sets + set`: boxes that come before this set, among those that agree before this column.
    steps: Vec<Vec<u32>>,
    /// Per column, by distance used before it: boxes that can follow.
    follow: Vec<Vec<usize>>,
    sets: Vec<usize>,
}

impl Ranks {
    /// Number the boxes within `limit`; their number must fit 32 bits.
    pub fn new(columns: &[ColumnStates], limit: u32) -> Self {
        let used_values = limit as usize + 1;
        let mut follow = vec![vec![1_usize; used_values]];
        let mut steps = Vec::new();
        for column in columns.iter().rev() {
            let after = &follow[follow.len() - 1];
            let mut mine = vec![0; used_values];
            let mut step = vec![0_u32; used_values * column.len()];
            for used in 0..used_values {
                for state in 0..column.within[limit as usize - used] {
                    step[used * column.len() + state] = mine[used] as u32;
                    mine[used] += after[used + column.distance[state] as usize];
                }
            }
            follow.push(mine);
            steps.push(step);
        }
        follow.reverse();
        steps.reverse();
        Self {
            limit,
            steps,
            follow,
            sets: columns.iter().map(ColumnStates::len).collect(),
        }
    }

    /// Number of boxes.
    pub fn n_boxes(&self) -> usize {
        self.follow[0][0]
    }

    /// What a set adds to the rank of a box whose earlier columns have used up distance `used`.
    #[inline]
    pub fn step(&self, column: usize, used: u32, state: u32) -> u32 {
        self.steps[column][used as usize * self.sets[column] + state as usize]
    }

    /// Rank of a box.
    pub fn rank(&self, columns: &[ColumnStates], sets: &[u32]) -> u32 {
        let mut used = 0;
        let mut rank = 0;
        for (column, (states, &set)) in columns.iter().zip(sets).enumerate() {
            rank += self.step(column, used, set);
            used += states.distance[set as usize];
        }
        rank
    }
}
