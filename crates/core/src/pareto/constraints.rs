//! Group fairness as allowances: for groups a and b, rate(a) - rate(b) may be at most the limit.

use super::records::Records;

/// Which records a group's rate of positive predictions is taken over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fairness {
    /// Demographic parity: all records of the group.
    DemographicParity,
    /// Equality of opportunity: the records of the group that are positive.
    EqualOpportunity,
}

/// Uses are whole numbers; their scale keeps sums over all rows below this.
const MOST_USE: f64 = (1_u64 << 60) as f64;

/// The difference between the rates of two groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The group whose rate is not to be too large...
    pub over: usize,
    /// ... compared with this group's.
    pub under: usize,
}

impl Pair {
    /// The same groups the other way round.
    pub fn reversed(self) -> Self {
        Self {
            over: self.under,
            under: self.over,
        }
    }
}

/// The rates of groups under one notion of fairness.
#[derive(Clone, Debug)]
pub struct Rates {
    fairness: Fairness,
    /// Weight that each group's rate is relative to.
    pub bases: Vec<i64>,
}

impl Rates {
    /// The rates of the groups of `records`.
    pub fn new(records: &Records, fairness: Fairness) -> Self {
        let positive = records.class_totals(1).to_vec();
        let bases = match fairness {
            Fairness::EqualOpportunity => positive,
            Fairness::DemographicParity => positive
                .iter()
                .zip(records.class_totals(0))
                .map(|(a, b)| a + b)
                .collect(),
        };
        Self { fairness, bases }
    }

    /// Weight of a group among some cells.
    fn weight(&self, negative: &[i64], positive: &[i64], group: usize) -> i64 {
        match self.fairness {
            Fairness::DemographicParity => negative[group] + positive[group],
            Fairness::EqualOpportunity => positive[group],
        }
    }

    /// Rate of each group when these cells are predicted positive.
    pub fn rates(&self, cells: &[i64]) -> Vec<f64> {
        let (negative, positive) = cells.split_at(cells.len() / 2);
        (0..self.bases.len())
            .map(|group| self.weight(negative, positive, group) as f64 / self.bases[group] as f64)
            .collect()
    }

    /// The pair of groups whose rates differ most, and by how much.
    pub fn widest(&self, cells: &[i64]) -> (Pair, f64) {
        let rates = self.rates(cells);
        let by_rate = |&i: &usize, &j: &usize| rates[i].total_cmp(&rates[j]).then(j.cmp(&i));
        let over = (0..rates.len()).max_by(by_rate).unwrap_or(0);
        let under = (0..rates.len()).min_by(by_rate).unwrap_or(0);
        (Pair { over, under }, rates[over] - rates[under])
    }

    /// Uses per difference of rates of 1.
    pub fn scale(&self, pair: Pair) -> f64 {
        let product = self.bases[pair.over] as f64 * self.bases[pair.under] as f64;
        if product < MOST_USE {
            product
        } else {
            MOST_USE
        }
    }

    /// Use of a pair's allowance by each row, and the whole allowance.
    ///
    /// Exact for whole weights (products of weights); otherwise rounded to less than a billionth of the whole.
    pub fn uses(&self, records: &Records, pair: Pair, limit: f64) -> (Vec<i64>, i64) {
        let (over, under) = (self.bases[pair.over] as f64, self.bases[pair.under] as f64);
        let scale = self.scale(pair);
        let exact = scale < MOST_USE;
        let uses = (0..records.n_rows())
            .map(|row| {
                let (negative, positive) = records.row(row);
                let a = self.weight(negative, positive, pair.over);
                let b = self.weight(negative, positive, pair.under);
                if exact {
                    a * self.bases[pair.under] - b * self.bases[pair.over]
                } else {
                    (scale * (a as f64 / over - b as f64 / under)).round() as i64
                }
            })
            .collect();
        (uses, (limit * scale + 0.5e-9 * scale).floor() as i64)
    }
}
