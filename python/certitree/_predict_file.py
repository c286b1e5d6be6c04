"""A saved model on the rows of a file."""

from pathlib import Path

import numpy as np
import pyarrow as pa

from certitree import load
from certitree._files import read_source, require_columns, write_table


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
        If a file cannot be read or written, or a column of the model is missing.
    ValueError
        If the model file is damaged, or a column holds what the model cannot use.
    """
    model = load(model_path)
    names = [str(name) for name in model.feature_names_in_]
    source = read_source(source_name, text_columns=names_of_text_columns(model))
    require_columns(source.table, names, "column", source.name)
    features = source.table.select(names)
    columns: dict[str, object] = {"prediction": pa.array(model.predict(features))}
    if proba:
        probabilities = np.asarray(model.predict_proba(features))
        for index, label in enumerate(model.classes_):
            columns[f"probability of {label}"] = probabilities[:, index]
    write_table(pa.table(columns), out)
    return int(features.num_rows)
