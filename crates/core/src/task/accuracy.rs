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

    fn costs_by_class(&self) -> Option<Vec<f64>> {
        let k = self.n_labels;
        let is_wrong = |cell: usize| f64::from(u8::from(cell / k != cell % k));
        self.weights
            .is_none()
            .then(|| (0..k * k).map(is_wrong).collect())
    }

    fn validate(&self) -> Result<(), Error> {
        if self.n_labels == 0 {
            return Err(Error::Statistics(
                "there are 0 classes; at least 1 is needed".into(),
            ));
        }
        check_labels(self.labels, self.n_labels)?;
        check_weights(self.weights, self.labels.len())
    }
}

/// Check that labels are class indices.
///
/// # Errors
/// [`Error::Statistics`] naming one that is not.
pub fn check_labels(labels: &[i32], n_classes: usize) -> Result<(), Error> {
    let limit = n_classes as i64;
    let is_bad = |label: i32| i64::from(label) < 0 || i64::from(label) >= limit;
    match labels.iter().find(|&&label| is_bad(label)) {
        None => Ok(()),
        Some(label) => Err(Error::Statistics(format!(
            "label {label} is out of range; labels must be class indices from 0 to {}",
            limit - 1
        ))),
    }
}

/// Check the number of weights, and that they are weights.
///
/// # Errors
/// [`Error::Statistics`] saying what came in and what is allowed.
pub fn check_weights(weights: Option<&[f64]>, n_records: usize) -> Result<(), Error> {
    let Some(weights) = weights else {
        return Ok(());
    };
    if weights.len() != n_records {
        return Err(Error::Statistics(format!(
            "{} weights came with {n_records} labels; give one weight per record",
            weights.len()
        )));
    }
    match weights.iter().find(|w| !w.is_finite() || **w < 0.0) {
        None => Ok(()),
        Some(weight) => Err(Error::Statistics(format!(
            "weight {weight} is not allowed; weights must be finite and at least 0"
        ))),
    }
}
