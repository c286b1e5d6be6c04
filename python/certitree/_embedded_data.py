"""The small data sets that come inside scikit-learn, as tables with named columns."""

from collections.abc import Callable
from typing import Any

import pyarrow as pa
from sklearn import datasets

PREFIX = "sklearn:"
TARGET = "target"

_LOADERS: dict[str, Callable[[], Any]] = {
    "breast_cancer": datasets.load_breast_cancer,
    "digits": datasets.load_digits,
    "iris": datasets.load_iris,
    "wine": datasets.load_wine,
}
NAMES = tuple(_LOADERS)


def read(name: str) -> pa.Table:
    """Give an embedded data set as a table.

    Parameters
    ----------
    name : str
        `sklearn:` and one of `NAMES`.

    Returns
    -------
    pyarrow.Table
        The float64 features under scikit-learn's names, and the column "target" with the names of
        the classes.

    Raises
    ------
    KeyError
        If there is no such data set.
    """
    bunch = _LOADERS[name.removeprefix(PREFIX)]()
    columns = {str(n): bunch.data[:, i] for i, n in enumerate(bunch.feature_names)}
    return pa.table(columns | {TARGET: pa.array(str(bunch.target_names[k]) for k in bunch.target)})
