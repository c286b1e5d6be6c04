//! Impurities as leaf costs.

/// How impure a leaf is, times its mass: zero if it holds one class, least summed over leaves in the tree sought.
///
/// Both are concave in the class masses: parting a set never raises its cost, and a part never costs more than the whole.
/// The bounds of the search rest on that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Impurity {
    /// `W - sum of w_c^2 / W`.
    Gini,
    /// `sum of w_c log2(W / w_c)`, in bits.
    Entropy,
}

impl Impurity {
    /// Cost of a leaf with these class masses.
    #[inline]
    pub fn cost(self, masses: &[f64]) -> f64 {
        let total: f64 = masses.iter().sum();
        if total <= 0.0 {
            return 0.0;
        }
        match self {
            Self::Gini => {
                // One term per class: no cancellation, and exactly zero for a pure leaf.
                masses
                    .iter()
                    .map(|&mass| mass * ((total - mass) / total))
                    .sum()
            }
            Self::Entropy => masses
                .iter()
                .filter(|&&mass| mass > 0.0 && mass < total)
                .map(|&mass| mass * (total / mass).log2())
                .sum(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pure_leaf_costs_nothing_and_an_even_one_most() {
        assert_eq!(Impurity::Gini.cost(&[7.0, 0.0]), 0.0);
        assert_eq!(Impurity::Entropy.cost(&[0.0, 7.0]), 0.0);
        assert_eq!(Impurity::Gini.cost(&[4.0, 4.0]), 4.0);
        assert_eq!(Impurity::Entropy.cost(&[4.0, 4.0]), 8.0);
    }

    #[test]
    fn parting_a_set_never_raises_its_cost() {
        for impurity in [Impurity::Gini, Impurity::Entropy] {
            for (a, b) in [
                ([1.0, 5.0], [3.0, 2.0]),
                ([0.0, 9.0], [4.0, 0.0]),
                ([2.0, 2.0], [4.0, 4.0]),
            ] {
                let whole = [a[0] + b[0], a[1] + b[1]];
                assert!(impurity.cost(&a) + impurity.cost(&b) <= impurity.cost(&whole) + 1e-12);
            }
        }
    }
}
