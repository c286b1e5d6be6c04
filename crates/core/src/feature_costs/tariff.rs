//! What it costs to look at a feature.

use crate::error::Error;

/// The price of a feature, per unit of weight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Price {
    /// Price of the first feature of its group on a path.
    pub full: f64,
    /// Price once another feature of its group was paid on the path; at most `full`.
    pub discounted: f64,
    /// Index of its group, if it has one.
    pub group: Option<u32>,
}

/// The prices of all features, and the feature behind each coded column.
#[derive(Clone, Debug)]
pub struct Tariff {
    /// One per feature.
    pub prices: Vec<Price>,
    /// For each column of the table, its feature.
    pub feature_of_column: Vec<u32>,
}

impl Tariff {
    /// Check ranges and lengths.
    ///
    /// # Errors
    /// [`Error::Parameter`] saying what came in and what is allowed.
    pub fn validate(&self, n_columns: usize) -> Result<(), Error> {
        for (feature, price) in self.prices.iter().enumerate() {
            let fits =
                price.full.is_finite() && price.discounted >= 0.0 && price.discounted <= price.full;
            if !fits {
                return Err(Error::Parameter(format!(
                    "feature {feature} costs {}, discounted {}; prices must be finite and at least 0, and a discounted \
                     one at most the full one",
                    price.full, price.discounted
                )));
            }
            if price.group.is_none() && price.discounted < price.full {
                return Err(Error::Parameter(format!(
                    "feature {feature} has a discount but no group; give it a group"
                )));
            }
        }
        if self.feature_of_column.len() != n_columns {
            return Err(Error::Parameter(format!(
                "{} columns were given a feature, but the table has {n_columns}; give one per column",
                self.feature_of_column.len()
            )));
        }
        let n_features = self.prices.len();
        if let Some(feature) = self
            .feature_of_column
            .iter()
            .find(|&&feature| feature as usize >= n_features)
        {
            return Err(Error::Parameter(format!(
                "a column belongs to feature {feature}, but there are prices of {n_features} features"
            )));
        }
        Ok(())
    }

    /// The distinct prices above zero, ascending.
    pub fn amounts(&self) -> Vec<f64> {
        let mut amounts: Vec<f64> = self
            .prices
            .iter()
            .flat_map(|price| [price.full, price.discounted])
            .filter(|&amount| amount > 0.0)
            .collect();
        amounts.sort_unstable_by(f64::total_cmp);
        amounts.dedup();
        amounts
    }

    /// Whether leaving out a test never raises the cost of a path.
    ///
    /// Elsewhere a cheap feature may be worth a test that parts nothing, for the discount that it opens on a dear one. That
    /// cannot be if every feature of a group costs at least what it saves on each of the others, as it does where a group
    /// shares a fixed cost.
    pub fn dropping_saves(&self) -> bool {
        let mut groups: hashbrown::HashMap<u32, Vec<&Price>> = hashbrown::HashMap::new();
        for price in &self.prices {
            if let Some(group) = price.group {
                groups.entry(group).or_default().push(price);
            }
        }
        groups.values().all(|members| {
            members.iter().enumerate().all(|(one, door)| {
                members.iter().enumerate().all(|(other, dear)| {
                    let saving = dear.full - dear.discounted;
                    // Differences of decimal prices are rounded.
                    one == other || saving <= door.full + 1e-12 * dear.full
                })
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn price(full: f64, discounted: f64, group: Option<u32>) -> Price {
        Price {
            full,
            discounted,
            group,
        }
    }

    fn tariff(prices: &[Price]) -> Tariff {
        Tariff {
            prices: prices.to_vec(),
            feature_of_column: vec![0],
        }
    }

    #[test]
    fn amounts_are_the_distinct_prices() {
        let prices = [price(2.0, 1.0, Some(0)), price(1.0, 0.0, Some(0))];
        assert_eq!(tariff(&prices).amounts(), vec![1.0, 2.0]);
    }

    #[test]
    fn dropping_saves_unless_a_cheap_feature_opens_a_discount() {
        let shared = [price(5.0, 3.0, Some(0)), price(2.0, 0.0, Some(0))];
        let half = [price(3.0, 1.5, Some(0)), price(2.0, 1.0, Some(0))];
        let door = [price(5.0, 1.0, Some(0)), price(2.0, 0.0, Some(0))];
        assert!(tariff(&shared).dropping_saves());
        assert!(tariff(&half).dropping_saves());
        assert!(!tariff(&door).dropping_saves());
    }

    #[test]
    fn bad_prices_are_refused() {
        for bad in [
            price(-1.0, -1.0, None),
            price(f64::NAN, 0.0, Some(0)),
            price(f64::INFINITY, 0.0, Some(0)),
            price(1.0, 2.0, Some(0)),
            price(2.0, 1.0, None),
        ] {
            assert!(tariff(&[bad]).validate(1).is_err());
        }
        let good = tariff(&[price(2.0, 1.0, Some(0))]);
        assert!(good.validate(1).is_ok());
        assert!(good.validate(2).is_err());
    }
}
