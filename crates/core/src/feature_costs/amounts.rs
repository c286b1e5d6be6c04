//! The prices of merged rows, as whole multiples of few weights.
//!
//! What a set of rows owes for a test is the sum of weight times price over its rows. If all records weigh the same, or
//! the prices are whole multiples of each other, the dues for one price are a multiple of those for another: then one sum
//! per set gives them all.

use hashbrown::HashMap;

/// A price: so many times a weight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Amount {
    /// Which weight.
    pub weight: usize,
    /// How many times.
    pub factor: i64,
}

/// Weights of the merged rows, and the prices made of them.
#[derive(Clone, Debug)]
pub struct Amounts {
    /// Number of weights; the first one is the number of records.
    pub n_weights: usize,
    /// Row-major: merged row x weight.
    pub weights: Vec<i64>,
    /// Per price.
    pub amounts: Vec<Amount>,
}

impl Amounts {
    /// Prices that every record owes alike, given in units.
    pub fn of_records(counts: &[u32], prices: &[i64]) -> Self {
        let amounts = prices.iter().map(|&factor| Amount { weight: 0, factor });
        Self {
            n_weights: 1,
            weights: counts.iter().map(|&count| i64::from(count)).collect(),
            amounts: amounts.collect(),
        }
    }

    /// Factor dues, row-major (merged row x price), into weights and multiples of them.
    pub fn factor(counts: &[u32], dues: &[i64], n_prices: usize) -> Self {
        let counts: Vec<i64> = counts.iter().map(|&count| i64::from(count)).collect();
        let (counts, shared) = reduced(counts);
        let mut columns = vec![
            counts
                .iter()
                .map(|&count| count * shared)
                .collect::<Vec<i64>>(),
        ];
        let mut known: HashMap<Vec<i64>, (usize, i64)> = HashMap::new();
        known.insert(counts, (0, shared));
        let mut amounts = Vec::with_capacity(n_prices);
        for price in 0..n_prices {
            let due: Vec<i64> = dues.iter().skip(price).step_by(n_prices).copied().collect();
            let (pattern, factor) = reduced(due);
            // The records of a row, or the pattern itself, may have a common factor of their own.
            let (weight, divisor) = match known.get(&pattern) {
                Some(&(weight, divisor)) if factor % divisor == 0 => (weight, divisor),
                _ => {
                    columns.push(pattern.clone());
                    known.insert(pattern, (columns.len() - 1, 1));
                    (columns.len() - 1, 1)
                }
            };
            amounts.push(Amount {
                weight,
                factor: factor / divisor,
            });
        }
        let n_rows = columns[0].len();
        let weights = (0..n_rows)
            .flat_map(|row| columns.iter().map(move |column| column[row]))
            .collect();
        Self {
            n_weights: columns.len(),
            weights,
            amounts,
        }
    }

    /// Weights of a merged row.
    #[inline]
    pub fn of(&self, row: usize) -> &[i64] {
        &self.weights[row * self.n_weights..(row + 1) * self.n_weights]
    }

    /// The weight that all prices are multiples of, if there is one.
    pub fn single_weight(&self) -> Option<usize> {
        let first = self.amounts.first().map_or(0, |amount| amount.weight);
        let is_only = self.amounts.iter().all(|amount| amount.weight == first);
        is_only.then_some(first)
    }

    /// One weight of all merged rows.
    pub fn column(&self, weight: usize) -> impl Iterator<Item = i64> {
        self.weights
            .iter()
            .skip(weight)
            .step_by(self.n_weights)
            .copied()
    }

    /// What a set of rows owes for a price, given its summed weights.
    #[inline]
    pub fn due(&self, price: usize, weights: &[i64]) -> i64 {
        let amount = self.amounts[price];
        amount.factor * weights[amount.weight]
    }
}

/// Numbers without their greatest common divisor, and the divisor (1 if all are zero).
fn reduced(mut numbers: Vec<i64>) -> (Vec<i64>, i64) {
    let mut divisor = 0;
    for &number in &numbers {
        divisor = common_divisor(divisor, number);
        if divisor == 1 {
            break;
        }
    }
    if divisor > 1 {
        for number in &mut numbers {
            *number /= divisor;
        }
    }
    (numbers, divisor.max(1))
}

/// The greatest common divisor, for numbers of at least zero.
pub fn common_divisor(mut a: i64, mut b: i64) -> i64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dues_of_equal_weights_are_multiples_of_the_records() {
        let found = Amounts::factor(&[2, 4, 1], &[6, 10, 12, 20, 3, 5], 2);
        assert_eq!(found.n_weights, 1);
        assert_eq!(
            found.amounts.iter().map(|a| a.factor).collect::<Vec<_>>(),
            [3, 5]
        );
        assert_eq!(found.due(1, &[7]), 35);
        assert_eq!(found.single_weight(), Some(0));
        assert_eq!(found.column(0).collect::<Vec<_>>(), [2, 4, 1]);
    }

    #[test]
    fn prices_of_unlike_rows_have_no_single_weight() {
        let found = Amounts::factor(&[1, 1], &[1, 2, 3, 1], 2);
        assert_eq!(found.single_weight(), None);
    }

    #[test]
    fn every_due_is_found_again() {
        for (counts, dues, n_prices) in [
            (vec![2_u32, 4], vec![1_i64, 3, 2, 6], 2),
            (vec![2, 2], vec![1, 1], 1),
            (vec![1, 1, 1], vec![5, 7, 10, 14, 15, 20], 2),
            (vec![1, 3], vec![0, 2, 0, 6], 2),
            (vec![1, 1], vec![], 0),
        ] {
            let found = Amounts::factor(&counts, &dues, n_prices);
            for row in 0..counts.len() {
                assert_eq!(found.of(row)[0], i64::from(counts[row]));
                for price in 0..n_prices {
                    assert_eq!(
                        found.due(price, found.of(row)),
                        dues[row * n_prices + price]
                    );
                }
            }
        }
    }
}
