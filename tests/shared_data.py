"""The folder of real tables and of matrices made of them; tests that need it skip without."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

SHARED = Path(os.environ.get("CERTITREE_SHARED", Path(__file__).resolve().parents[2] / "shared"))


def reference_matrix(name: str) -> Any:
    """Open a matrix of splits: compas, heloc, gmsc or diabetes, with at most 100 bins a column.

    Returns
    -------
    mapping from name to array
        ``X`` (0/1, records by splits), ``y``, ``train`` and ``test`` (rows), ``name`` and
        ``column`` (of each split) and ``top60`` (the splits that a forest ranks highest).
    """
    path = SHARED / "reference" / f"{name}_b100.npz"
    if not path.is_file():
        pytest.skip(f"{path} is not there")
    return np.load(path, allow_pickle=True)
