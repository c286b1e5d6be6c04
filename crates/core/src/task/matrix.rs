//! A cost for each pair of true and predicted class.

use super::AdditiveTask;
use super::accuracy::{check_labels, check_weights};
use crate::error::Error;

/// Costs of a matrix, times the weight of the record.
#[derive(Clone, Copy, Debug)]
pub struct MatrixCosts<'a> {
    /// Row-major: class x label; finite and at least zero.
    pub matrix: &'a [f64],
    /// Number of labels.
    pub n_labels: usize,
    /// Class of each record.
    pub classes: &'a [i32],
    /// Weight of each record; `None` means one.
    pub weights: Option<&'a [f64]>,
}

impl AdditiveTask for MatrixCosts<'_> {
    fn n_labels(&self) -> usize {
        self.n_labels
    }

    fn n_records(&self) -> usize {
        self.classes.len()
    }

    fn is_present(&self, record: usize) -> bool {
        self.weights.is_none_or(|weights| weights[record] > 0.0)
    }

    fn cost(&self, record: usize, label: usize) -> f64 {
        let cost = self.matrix[self.classes[record] as usize * self.n_labels + label];
        cost * self.weights.map_or(1.0, |weights| weights[record])
    }

    fn class(&self, record: usize) -> Option<u32> {
        Some(self.classes[record] as u32)
    }

    fn costs_by_class(&self) -> Option<Vec<f64>> {
        self.weights.is_none().then(|| self.matrix.to_vec())
    }

    fn validate(&self) -> Result<(), Error> {
        if self.n_labels == 0 || !self.matrix.len().is_multiple_of(self.n_labels) {
            return Err(Error::Statistics(format!(
                "{} costs do not fill rows of {} labels; give one cost per class and label",
                self.matrix.len(),
                self.n_labels
            )));
        }
        if let Some(cost) = self
            .matrix
            .iter()
            .find(|cost| !(0.0..f64::INFINITY).contains(*cost))
        {
            return Err(Error::Statistics(format!(
                "cost {cost} is not allowed; costs must be finite and at least 0 (adding a constant to a class changes no \
                 tree)"
            )));
        }
        check_labels(self.classes, self.matrix.len() / self.n_labels)?;
        check_weights(self.weights, self.classes.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn costs<'a>(matrix: &'a [f64], classes: &'a [i32]) -> MatrixCosts<'a> {
        MatrixCosts {
            matrix,
            n_labels: 2,
            classes,
            weights: None,
        }
    }

    #[test]
    fn a_record_costs_what_its_class_does_times_its_weight() {
        let task = MatrixCosts {
            weights: Some(&[1.0, 3.0]),
            ..costs(&[0.0, 1.0, 5.0, 0.0], &[0, 1])
        };
        assert_eq!(task.cost(1, 0), 15.0);
        assert!(task.validate().is_ok() && task.costs_by_class().is_none());
    }

    #[test]
    fn bad_statistics_are_refused() {
        for (bad, expected) in [
            (costs(&[0.0, 1.0, 5.0], &[0]), "3 costs"),
            (costs(&[0.0, -1.0], &[0]), "cost -1"),
            (costs(&[0.0, f64::NAN], &[0]), "cost NaN"),
            (costs(&[0.0, 1.0], &[1]), "label 1"),
            (
                MatrixCosts {
                    weights: Some(&[]),
                    ..costs(&[0.0, 1.0], &[0])
                },
                "0 weights",
            ),
        ] {
            assert!(bad.validate().unwrap_err().to_string().contains(expected));
        }
    }
}
