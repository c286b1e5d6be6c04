//! Few splits: all boxes that they can leave, solved from the leaves up (see [`crate::search::cube`]).
//!
//! A box says what it was tested for: the features whose columns are cut. So what a path has paid is no state beside the box.
//! A test that parts nothing is none; where it might pay for a discount, boxes without a record are ruled out.

use super::paid::Paid;
use super::priced::Priced;
use crate::search::cost::Scale;
use crate::search::cube::{Charging, CubeResult, Plan, TestPrices, loss_beyond, solve};
use crate::search::kernel::score::LeafRule;
use crate::search::{Control, Params};

impl TestPrices for Paid<'_> {
    const PRICED: bool = true;

    fn test(&mut self, column: usize) -> bool {
        self.push(self.priced.feature_of_column[column])
    }

    fn take_back(&mut self, column: usize) {
        self.pop(self.priced.feature_of_column[column]);
    }

    fn factor(&self, column: usize) -> i64 {
        let price = self.price(self.priced.feature_of_column[column]);
        price.map_or(0, |price| self.priced.amounts.amounts[price].factor)
    }
}

/// How to solve all boxes, if that is asked for or the cheaper way.
pub fn plan(priced: &Priced, params: &Params, control: &Control) -> Option<Plan> {
    let weight = priced.amounts.single_weight()?;
    Plan::choose_from(params, control.time_left(), || {
        let amounts = &priced.amounts;
        let total: i64 = amounts.column(weight).sum();
        let dearest = amounts.amounts.iter().map(|amount| amount.factor).max();
        // A path tests at most as many features as it has levels.
        let tests = total
            .checked_mul(dearest.unwrap_or(1))?
            .checked_mul(i64::from(params.max_depth))?;
        let losses = loss_beyond(&priced.problem).checked_mul(priced.unit)?;
        // Each box carries what its records weigh.
        Plan::below(&priced.problem, params, losses.checked_add(tests)?, 1)
    })
}

/// Solve all boxes as planned.
pub fn solve_boxes(
    priced: &Priced,
    plan: &Plan,
    params: &Params,
    scale: Scale,
    control: &Control,
) -> CubeResult {
    let weight = priced.amounts.single_weight().unwrap_or(0);
    let weights: Vec<i64> = priced.amounts.column(weight).collect();
    let charging = Charging {
        prices: Paid::nothing(priced),
        weights: &weights,
        unit: priced.unit,
    };
    let least = if params.min_samples_leaf > 1 || !priced.dropping_saves {
        i64::from(params.min_samples_leaf)
    } else {
        0
    };
    let rule = LeafRule {
        lanes: priced.problem.n_labels - 1,
        min_records: least,
    };
    solve(
        &priced.problem,
        plan,
        scale,
        rule,
        &charging,
        params.n_threads,
        control,
    )
}
