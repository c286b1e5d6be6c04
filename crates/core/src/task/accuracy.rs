//! Misclassified weight.

use super::AdditiveTask;
use crate::error::Error;

/// Weighted misclassification: a mislabelled record costs its weight.
#[derive(Clone, Copy, Debug)]
pub struct Accuracy<'a> {
    /// Class of each record, below `n_labels`.
    pub labels: &'a [i32],
    /// Number of classes.
    pub n_labels: usize,
    /// Weight of each record; `None` means one.
    pub weights: Option<&'a [f64]>,
}

impl Accuracy<'_> {
    fn weight(&self, record: usize) -> f64 {
        self.weights.map_or(1.0, |weights| weights[record])
    }
}

impl AdditiveTask for Accuracy<'_> {
    fn n_labels(&self) -> usize {
        self.n_labels
    }

    fn n_records(&self) -> usize {
        self.labels.len()
    }

    fn is_present(&self, record: usize) -> bool {
        self.weight(record) > 0.0
    }

    fn cost(&self, record: usize, label: usize) -> f64 {
        if self.labels[record] as usize == label {
            0.0
        } else {
            self.weight(record)
        }
    }

    fn class(&self, record: usize) -> Option<u32> {
        Some(self.labels[record] as u32)
    }

    fn validate(&self) -> Result<(), Error> {
        if self.n_labels == 0 {
            return Err(Error::Statistics(
                "there are 0 classes; at least 1 is needed".into(),
            ));
        }
        let limit = self.n_labels as i64;
        if let Some(label) = self
            .labels
            .iter()
            .find(|&&l| i64::from(l) < 0 || i64::from(l) >= limit)
        {
            return Err(Error::Statistics(format!(
                "label {label} is out of range; labels must be class indices from 0 to {}",
                self.n_labels - 1
            )));
        }
        if let Some(weights) = self.weights {
            if weights.len() != self.labels.len() {
                return Err(Error::Statistics(format!(
                    "{} weights came with {} labels; give one weight per record",
                    weights.len(),
                    self.labels.len()
                )));
            }
            if let Some(weight) = weights.iter().find(|w| !w.is_finite() || **w < 0.0) {
                return Err(Error::Statistics(format!(
                    "weight {weight} is not allowed; weights must be finite and at least 0"
                )));
            }
        }
        Ok(())
    }
}
