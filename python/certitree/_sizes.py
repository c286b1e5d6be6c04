"""Amounts of memory, as people write them."""

import re

_UNITS = {
    "": 1,
    "b": 1,
    "kb": 10**3,
    "mb": 10**6,
    "gb": 10**9,
    "tb": 10**12,
    "k": 2**10,
    "m": 2**20,
    "g": 2**30,
    "t": 2**40,
    "kib": 2**10,
    "mib": 2**20,
    "gib": 2**30,
    "tib": 2**40,
}


def parse_bytes(text: str) -> int:
    """Turn "500MB", "1.5 GiB" or "4g" into a number of bytes.

    Parameters
    ----------
    text : str
        A positive number and a unit: none or B (bytes), kB, MB, GB, TB (powers of 1000), KiB, MiB, GiB, TiB or
        K, M, G, T (powers of 1024), in any case.

    Returns
    -------
    int
        At least 1.

    Raises
    ------
    ValueError
        If the text is not of this form.
    """
    match = re.fullmatch(r"\s*(\d+(?:\.\d*)?|\.\d+)\s*([a-zA-Z]*)\s*", text)
    unit = _UNITS.get(match[2].lower()) if match else None
    size = int(float(match[1]) * unit) if match and unit else 0
    if size < 1:
        raise ValueError(
            f"{text!r} is no amount of memory; write a number and a unit, such as 500MB or 4GB"
        )
    return size
