"""A saved model on the rows of a file."""

from pathlib import Path

import numpy as np
import pyarrow as pa

from certitree._base import TreeModel
from certitree._files import (
    FileError,
    check_writable,
    read_source,
    require_columns,
    require_table_format,
    write_table,
)
from certitree._model_file import load


def predict_file(model_path: Path, source_name: str, out: Path, *, proba: bool = False) -> int:
    """Predict every row of a file and write the predictions, in the order of the rows.

    Parameters
    ----------
    model_path : pathlib.Path
        A model file.
    source_name : str
        A file or embedded data set; see `read_source`. It may have columns that the model does not
        know.
    out : pathlib.Path
        Where to write: a column "prediction" and, if `proba`, a column "probability of CLASS" for
        each class.
    proba : bool
        Whether to write probabilities.

    Returns
    -------
    int
        The number of rows.

    Raises
    ------
    FileError
        If a file cannot be read or written, a column of the model is missing, or the model has no
        probabilities to write.
    ValueError
        If the model file is damaged, or a column holds what the model cannot use.
    """
    require_table_format(out)
    check_writable(out, [source_name, model_path])
    model = load(model_path)
    if proba and not hasattr(model, "predict_proba"):
        raise FileError(
            f"the model {model_path} is an {type(model).__name__}, which assigns treatments and "
            f"has no probabilities",
            "leave out --proba",
        )
    names = _column_names(model, model_path)
    source = read_source(source_name, text_columns=_text_columns(model))
    needed = [name for name, feature in zip(names, model.features_, strict=True) if feature.is_read]
    require_columns(source.table, needed, "column", source.name)
    features = source.table.select([name for name in names if name in source.table.column_names])
    columns: dict[str, object] = {"prediction": pa.array(model.predict(features))}
    if proba:
        probabilities = np.asarray(model.predict_proba(features))
        for index, label in enumerate(model.classes_):
            columns[f"probability of {label}"] = probabilities[:, index]
    write_table(pa.table(columns), out)
    return int(features.num_rows)


def _column_names(model: TreeModel, path: Path) -> list[str]:
    names = getattr(model, "feature_names_in_", None)
    if names is None:
        raise FileError(
            f"the model {path} was fitted to a matrix, so it does not know the names of columns",
            "fit it to a table with column names, or predict in Python",
        )
    return [str(name) for name in names]


def _text_columns(model: TreeModel) -> list[str]:
    """Name the columns whose categories are text: "01" in a file is then no number."""
    return [
        feature.name
        for feature in model.features_
        if any(isinstance(category, str) for category in feature.categories)
    ]
