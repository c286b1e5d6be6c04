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

    /// Whether a path costs the same in whatever order it tests its features.
    ///
    /// That is so if all features of a group have the same discount: what they share is paid once. Only then does
    /// leaving out tests of a path never raise its cost; otherwise a cheap feature may open the door to the discount of
    /// a dear one.
    pub fn is_order_free(&self) -> bool {
        let mut saved: hashbrown::HashMap<u32, f64> = hashbrown::HashMap::new();
        self.prices.iter().all(|price| {
            let saving = price.full - price.discounted;
            price.group.is_none_or(|group| {
                let other = *saved.entry(group).or_insert(saving);
                // Differences of decimal prices are rounded.
                (other - saving).abs() <= 1e-12 * price.full
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
    fn order_counts_only_if_discounts_differ_in_a_group() {
        let same = [price(5.0, 3.0, Some(0)), price(2.0, 0.0, Some(0))];
        let differing = [price(5.0, 1.0, Some(0)), price(2.0, 0.0, Some(0))];
        assert!(tariff(&same).is_order_free());
        assert!(!tariff(&differing).is_order_free());
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
