"""Amounts of memory, as people write them."""

import pytest

from certitree._sizes import parse_bytes


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("123", 123),
        ("1 B", 1),
        ("500MB", 500_000_000),
        ("1.5 GiB", 3 * 2**29),
        (" 4g ", 4 * 2**30),
        (".5kB", 500),
        ("2TiB", 2**41),
    ],
)
def test_sizes(text: str, size: int) -> None:
    assert parse_bytes(text) == size


@pytest.mark.parametrize("text", ["", "many", "-1GB", "0", "0.1", "4 parsecs", "1e9", "GB"])
def test_what_is_no_size(text: str) -> None:
    with pytest.raises(ValueError, match="is no amount of memory; write a number and a unit"):
        parse_bytes(text)
