//! What a path has paid for so far, and what each test costs then.

use super::priced::Priced;
use crate::search::node::{NodeColumn, row_number};

/// The features tested between the root and the current node.
#[derive(Clone, Debug)]
pub struct Paid<'a> {
    /// The prices.
    pub priced: &'a Priced,
    tested: Vec<bool>,
    /// For each group, how many of its features are tested.
    in_group: Vec<u32>,
    /// For each feature, whether having tested it can ever save anything.
    matters: Vec<bool>,
    /// Fingerprint of the tested features that matter.
    pub key: u128,
}

impl<'a> Paid<'a> {
    /// Nothing paid yet.
    pub fn nothing(priced: &'a Priced) -> Self {
        let n_groups = priced.group_of.iter().flatten().max().map_or(0, |&g| g + 1) as usize;
        let mut has_discount = vec![false; n_groups];
        for (group, [full, discounted]) in priced.group_of.iter().zip(&priced.price_of) {
            if let (&Some(group), true) = (group, full != discounted) {
                has_discount[group as usize] = true;
            }
        }
        let matters = priced
            .group_of
            .iter()
            .zip(&priced.price_of)
            .map(|(group, [full, _])| {
                full.is_some() || group.is_some_and(|group| has_discount[group as usize])
            })
            .collect();
        Self {
            priced,
            tested: vec![false; priced.group_of.len()],
            in_group: vec![0; n_groups],
            matters,
            key: 0,
        }
    }

    /// The feature of a column of the problem.
    pub fn feature_of(&self, column: &NodeColumn) -> usize {
        self.priced.feature_of_column[column.source as usize]
    }

    /// Which price testing a feature now has; none if it is free.
    #[inline]
    pub fn price(&self, feature: usize) -> Option<usize> {
        if self.tested[feature] {
            return None;
        }
        let [full, discounted] = self.priced.price_of[feature];
        let is_cheaper =
            self.priced.group_of[feature].is_some_and(|group| self.in_group[group as usize] > 0);
        if is_cheaper { discounted } else { full }
    }

    /// The ways to pay less for testing a feature by testing another one of its group first, for the discount alone: prices of both
    /// tests. None where discounts are due anyway, or cannot be worth that.
    pub fn doors(&self, feature: usize) -> impl Iterator<Item = [Option<usize>; 2]> {
        let Priced {
            group_of, price_of, ..
        } = self.priced;
        let closed = group_of[feature]
            .filter(|&group| !self.priced.dropping_saves && self.in_group[group as usize] == 0);
        let others = closed.map(|group| {
            let others = group_of.iter().zip(price_of).enumerate();
            others.filter(move |&(other, (&its_group, _))| {
                other != feature && its_group == Some(group)
            })
        });
        let [_, discounted] = price_of[feature];
        let others = others.into_iter().flatten();
        others.map(move |(_, (_, &[door, _]))| [door, discounted])
    }

    /// The most that one test made for its discount alone can save, per unit of the weight of all prices.
    pub fn best_door(&self) -> i64 {
        let factor = |price: Option<usize>| {
            price.map_or(0, |price| self.priced.amounts.amounts[price].factor)
        };
        let features = 0..self.priced.price_of.len();
        let savings = features.flat_map(|feature| {
            let [full, _] = self.priced.price_of[feature];
            let doors = self.doors(feature);
            doors.map(move |[door, discounted]| factor(full) - factor(door) - factor(discounted))
        });
        savings.max().unwrap_or(0).max(0)
    }

    /// Test a feature; returns whether that changed anything, in which case [`Paid::pop`] must follow.
    pub fn push(&mut self, feature: usize) -> bool {
        if self.tested[feature] || !self.matters[feature] {
            return false;
        }
        self.tested[feature] = true;
        if let Some(group) = self.priced.group_of[feature] {
            self.in_group[group as usize] += 1;
        }
        self.key = self.key.wrapping_add(self.print(feature));
        true
    }

    /// Undo [`Paid::push`].
    pub fn pop(&mut self, feature: usize) {
        self.tested[feature] = false;
        if let Some(group) = self.priced.group_of[feature] {
            self.in_group[group as usize] -= 1;
        }
        self.key = self.key.wrapping_sub(self.print(feature));
    }

    fn print(&self, feature: usize) -> u128 {
        // Rows have the numbers before these.
        row_number((self.priced.problem.n_rows() + feature) as u32)
    }
}
