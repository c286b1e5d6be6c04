//! Python bindings of the certitree solver.
use pyo3::prelude::*;

mod checker;
mod feature_costs;
mod impurity;
mod leaves;
mod pareto;
mod rank;
mod refine;
mod solve;
mod statistics;
mod table;
mod watch;

#[pymodule]
mod _core {
    use super::*;

    #[pymodule_export]
    use crate::checker::score_tree;
    #[pymodule_export]
    use crate::feature_costs::solve_feature_costs;
    #[pymodule_export]
    use crate::impurity::solve_impurity;
    #[pymodule_export]
    use crate::leaves::find_leaves;
    #[pymodule_export]
    use crate::pareto::{solve_fairness, solve_matthews};
    #[pymodule_export]
    use crate::rank::rank_splits;
    #[pymodule_export]
    use crate::refine::refine;
    #[pymodule_export]
    use crate::solve::solve;
    #[pymodule_export]
    use crate::table::{Table, group_binary};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
