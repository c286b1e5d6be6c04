"""Reports as text in the terminal."""

from collections.abc import Callable

from rich.console import Console
from rich.table import Table

from certitree import export_text
from certitree._base import TreeModel
from certitree._fit_report import Comparison, FitReport, Score
from certitree.objectives import as_objective


def print_report(report: FitReport) -> None:
    """Print what became of the data, the tree, its accuracy beside CART's, and the certificate."""
    console = _console()
    _print_data(console, report)
    _print_tree(console, report.model)
    _print_scores(console, report)
    _print_certificate(console, report.model, report.seconds)
    if report.saved_to is not None:
        console.print(f"\nmodel saved to {report.saved_to}")


def print_model(model: TreeModel) -> None:
    """Print the tree of a model and its certificate."""
    console = _console()
    _print_tree(console, model)
    _print_certificate(console, model, None)


def _console() -> Console:
    # Markup and highlighting off: column names and categories are data, and may hold brackets.
    return Console(markup=False, highlight=False, soft_wrap=True)


def _print_data(console: Console, report: FitReport) -> None:
    model = report.model
    rows = f"{report.n_rows:,}"
    if report.n_test:
        rows += f" ({report.n_train:,} to fit, {report.n_test:,} to test)"
    merged = model.n_records_ / max(model.n_unique_, 1)
    console.print(f"{report.source}\n")
    _print_pairs(
        console,
        {
            "rows": rows,
            "classes": f"{len(model.classes_)} in {report.target}",
            "columns": f"{report.n_columns:,}",
            "splits": f"{report.n_splits:,}",
            "unique rows": f"{model.n_unique_:,} ({model.n_unique_labelled_:,} with their labels), "
            f"{merged:.1f} records merged into each",
        },
    )


def _print_tree(console: Console, model: TreeModel) -> None:
    console.print()
    console.print(export_text(model).rstrip())


def _print_scores(console: Console, report: FitReport) -> None:
    _print_comparison(console, report, report.accuracy, lambda value: f"{value:.2%}")
    if report.own_score is not None:
        _print_comparison(console, report, report.own_score, lambda value: f"{value:.4f}")
    if report.disparity is not None:
        _print_comparison(console, report, report.disparity, lambda value: f"{value:.2%}")


def _print_comparison(
    console: Console, report: FitReport, comparison: Comparison, text: Callable[[float], str]
) -> None:
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0))
    table.add_column(comparison.measure)
    table.add_column("train", justify="right")
    if report.n_test:
        table.add_column("test", justify="right")

    def add(name: str, score: Score) -> None:
        scores = [score.train] if score.test is None else [score.train, score.test]
        table.add_row(name, *map(text, scores))

    add("this tree", comparison.tree)
    add(f"CART, depth {report.model.max_depth}, same splits", comparison.cart)
    add("most frequent class", comparison.constant)
    console.print()
    console.print(table)


def _print_certificate(console: Console, model: TreeModel, seconds: float | None) -> None:
    side, bound = ("lower", model.lower_bound_)
    if model.maximizes:  # the objective of the tree is itself a lower bound there
        side, bound = ("upper", model.upper_bound_)
    nodes, leaves = model.n_branching_nodes_, model.n_leaves_
    pairs = {
        "status": _status(model.status_),
        "objective": f"{model.objective_:,.10g}{_objective_name(model)}",
        f"{side} bound": f"{bound:,.10g}",
        "gap": f"{model.gap_:.2%}",
        "tree": f"{_count(nodes, 'branching node', 'branching nodes')}, "
        f"{_count(leaves, 'leaf', 'leaves')}",
    }
    if hasattr(model, "disparity_"):
        pairs["disparity"] = f"{model.disparity_:.2%}"
        rates = model.group_rates_.items()
        pairs["rates"] = ", ".join(f"{group} {rate:.2%}" for group, rate in rates)
    if getattr(model, "history_", None) and model.stop_reason_ != "solved":
        pairs["iterations"] = f"{len(model.history_)}{_STOP_REASONS.get(model.stop_reason_, '')}"
    if seconds is not None:
        pairs["seconds"] = f"{seconds:.2f}"
    console.print()
    _print_pairs(console, pairs)


_STOP_REASONS = {
    "patience": ", until several brought nothing",
    "capacity": ", until the tree's splits filled the candidate set",
    "no_candidates": ", until no split was left to propose",
    "best_possible": ", until no tree could be better",
    "max_iterations": ", the most allowed",
}
"""Why an adaptive loop ended by itself, by its `stop_reason_`."""


def _objective_name(model: TreeModel) -> str:
    """Name the objective unless it is plain errors, and its positive class; policies have none."""
    if getattr(model, "objective", None) is None:
        return ""
    objective = as_objective(model.objective).for_classes(model.classes_)
    if objective.name == "accuracy":
        return "" if objective.score_name == "accuracy" else " (class weights included)"
    positive = getattr(objective, "pos_label", None)
    return f" ({objective.name})" if positive is None else f" ({objective.name} of {positive})"


def _status(status: str) -> str:
    meaning = {
        "optimal": "no better tree exists within these limits",
        "optimal_for_candidates": "no better tree exists over its candidate set",
        "feasible": "the best found; not proven to be the best",
        "time_limit": "stopped by the time limit",
        "memory_limit": "stopped by the memory limit",
        "interrupted": "stopped by you",
    }
    return f"{status} ({meaning[status]})" if status in meaning else status


def _count(number: int, one: str, several: str) -> str:
    return f"{number} {one if number == 1 else several}"


def _print_pairs(console: Console, pairs: dict[str, str]) -> None:
    for name, value in pairs.items():
        console.print(f"{name:<13}{value}")
