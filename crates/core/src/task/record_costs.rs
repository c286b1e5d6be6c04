//! A cost per record and label.

use std::borrow::Cow;

use super::AdditiveTask;
use crate::error::Error;

/// Costs given record by record: covers cost matrices, class weights and policies.
#[derive(Clone, Copy, Debug)]
pub struct RecordCosts<'a> {
    /// Costs, row-major: record x label.
    pub costs: &'a [f64],
    /// Number of labels.
    pub n_labels: usize,
    /// Class of each record, if it has one.
    pub classes: Option<&'a [i32]>,
    /// Weight of each record; only zero or not matters here, the costs already carry the weights.
    pub weights: Option<&'a [f64]>,
}

impl AdditiveTask for RecordCosts<'_> {
    fn n_labels(&self) -> usize {
        self.n_labels
    }

    fn n_records(&self) -> usize {
        self.costs.len().checked_div(self.n_labels).unwrap_or(0)
    }

    fn is_present(&self, record: usize) -> bool {
        self.weights.is_none_or(|weights| weights[record] > 0.0)
    }

    fn cost(&self, record: usize, label: usize) -> f64 {
        self.costs[record * self.n_labels + label]
    }

    fn costs_of(&self, records: &[u32]) -> Cow<'_, [f64]> {
        let k = self.n_labels;
        if records.len() == self.n_records() {
            return self.costs.into();
        }
        let mut costs = Vec::with_capacity(records.len() * k);
        for &record in records {
            costs.extend_from_slice(&self.costs[record as usize * k..][..k]);
        }
        costs.into()
    }

    fn class(&self, record: usize) -> Option<u32> {
        self.classes.map(|classes| classes[record] as u32)
    }

    fn validate(&self) -> Result<(), Error> {
        if self.n_labels == 0 || !self.costs.len().is_multiple_of(self.n_labels) {
            return Err(Error::Statistics(format!(
                "{} costs do not fill rows of {} labels; give one cost per record and label",
                self.costs.len(),
                self.n_labels
            )));
        }
        for (what, length) in [
            ("classes", self.classes.map(<[i32]>::len)),
            ("weights", self.weights.map(<[f64]>::len)),
        ] {
            if length.is_some_and(|length| length != self.n_records()) {
                return Err(Error::Statistics(format!(
                    "{} {what} came with {} records; give one per record",
                    length.unwrap_or(0),
                    self.n_records()
                )));
            }
        }
        let is_bad = |cost: f64| !(0.0..f64::INFINITY).contains(&cost);
        // Without a branch per cost; which one it is matters only to the message.
        let any = self
            .costs
            .iter()
            .fold(false, |any, &cost| any | is_bad(cost));
        if any && let Some(cost) = self.costs.iter().find(|&&cost| is_bad(cost)) {
            return Err(Error::Statistics(format!(
                "cost {cost} is not allowed; costs must be finite and at least 0 (add a constant to all labels of a \
                 record to make them so: that changes no tree)"
            )));
        }
        Ok(())
    }
}
