"""Reading and writing of tables: formats, types, missing values, errors."""

import gzip
import os
import pickle
from pathlib import Path

import pyarrow as pa
import pyarrow.feather as pa_feather
import pyarrow.parquet as pa_parquet
import pytest

from certitree._files import (
    FileError,
    check_writable,
    read_source,
    require_columns,
    write_table,
)

TABLE = pa.table(
    {
        "city": ["Delft", None, 'Köln, "am Rhein"', "Delft"],
        "age": [31, 45, None, 28],
        "income": [1.5, None, 2.25, 1e9],
        "member": [True, False, True, None],
    }
)


@pytest.mark.parametrize(
    "name", ["t.csv", "t.csv.gz", "t.tsv", "t.tsv.gz", "t.CSV", "t.parquet", "t.feather", "t.arrow"]
)
def test_what_is_written_is_read_again(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    write_table(TABLE, path)
    source = read_source(str(path))
    assert source.table.equals(TABLE)
    assert source.default_target is None


def test_written_gzip_is_gzip(tmp_path: Path) -> None:
    path = tmp_path / "t.csv.gz"
    write_table(TABLE, path)
    assert gzip.decompress(path.read_bytes()).startswith((b'"city"', b"city"))


@pytest.mark.parametrize("word", ["", "NA", "N/A", "NaN", "nan", "null", '""', '"NA"'])
def test_missing_values_of_all_types(tmp_path: Path, word: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text(f"number,text\n1,a\n{word},{word}\n2.5,b\n")
    table = read_source(str(path)).table
    assert table.to_pydict() == {"number": [1.0, None, 2.5], "text": ["a", None, "b"]}


def test_none_and_question_marks_are_values(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,b\nNone,?\n>7,1\n")
    assert read_source(str(path)).table.to_pydict() == {"a": ["None", ">7"], "b": ["?", "1"]}


def test_types_are_inferred_from_all_rows(tmp_path: Path) -> None:
    # Two megabytes of gaps, and of numbers, before the first text: beyond the reader's usual block.
    n_rows = 300_000
    path = tmp_path / "t.csv.gz"
    with gzip.open(path, "wt", compresslevel=1) as stream:
        stream.write("late,mixed,count\n")
        stream.write(",123456,1\n" * n_rows)
        stream.write("[75-100),V57,2.5\n")
    table = read_source(str(path)).table
    assert table.num_rows == n_rows + 1
    assert [str(field.type) for field in table.schema] == ["string", "string", "double"]
    assert table.column("late").null_count == n_rows
    assert table.column("mixed")[0].as_py() == "123456"


def test_text_columns_keep_their_spelling(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("code,x\n01,01\n2,2\n")
    assert read_source(str(path), text_columns=["code", "absent"]).table.to_pydict() == {
        "code": ["01", "2"],
        "x": [1, 2],
    }


def test_a_column_without_values_is_numeric(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,b\n,1\n,2\n")
    column = read_source(str(path)).table.column("a")
    assert str(column.type) == "double"
    assert column.null_count == 2


def test_semicolons_byte_order_mark_and_windows_lines(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes("\ufeffnäme;x\r\nä;1\r\nb;2\r\n".encode())
    assert read_source(str(path)).table.to_pydict() == {"näme": ["ä", "b"], "x": [1, 2]}


@pytest.mark.parametrize(
    ("name", "shape", "classes"),
    [
        ("iris", (150, 5), 3),
        ("wine", (178, 14), 3),
        ("breast_cancer", (569, 31), 2),
        ("digits", (1797, 65), 10),
    ],
)
def test_embedded_data(name: str, shape: tuple[int, int], classes: int) -> None:
    source = read_source(f"sklearn:{name}")
    assert source.table.shape == shape
    assert source.default_target == "target"
    assert len(source.table.column("target").unique()) == classes


def _error(name: str) -> FileError:
    with pytest.raises(FileError) as caught:
        read_source(name)
    assert caught.value.hint
    return caught.value


@pytest.mark.parametrize(
    ("name", "content", "message", "hint"),
    [
        ("t.xlsx", "a", "cannot tell the format", ".parquet"),
        ("t", "a", "cannot tell the format", ".csv"),
        ("t.csv", "", "is empty", "header"),
        ("t.csv", "a,b\n", "has 0 rows and 2 columns", "both"),
        ("t.csv", "a,b\n1,2\n3\n", "cannot read", "CSV|csv"),
        ("t.csv", "a,b,a\n1,2,3\n", "several columns named 'a'", "rename"),
        ("t.csv.gz", "a,b\n1,2\n", "cannot read", "csv"),
        ("t.parquet", "no parquet", "cannot read", "parquet"),
        ("t.feather", "no feather", "cannot read", "feather"),
    ],
)
def test_unreadable_files(tmp_path: Path, name: str, content: str, message: str, hint: str) -> None:
    path = tmp_path / name
    path.write_text(content)
    error = _error(str(path))
    assert message in str(error)
    assert any(word in error.hint for word in hint.split("|"))


@pytest.mark.parametrize(
    ("text", "line"), [("größe,city\n1,Delft\n", 1), ("size,city\n1,Delft\n2,Köln\n", 3)]
)
def test_other_encodings_are_refused(tmp_path: Path, text: str, line: int) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(text.encode("utf-8"))
    assert read_source(str(path)).table.column_names == text.splitlines()[0].split(",")
    path.write_bytes(text.encode("latin-1"))
    for text_columns in ((), ("city",)):
        with pytest.raises(FileError, match=f"is not UTF-8 text: line {line} holds") as caught:
            read_source(str(path), text_columns)
        assert "Latin-1 would be 'ö'" in str(caught.value)
        assert caught.value.hint.endswith(f"iconv -f windows-1252 -t utf-8 {path} > utf8_t.csv")
    path.write_bytes(text.encode("utf-16"))
    error = _error(str(path))
    assert "UTF-16" in str(error) and "iconv -f utf-16" in error.hint
    with gzip.open(tmp_path / "t.csv.gz", "wb") as file:
        file.write(text.encode("latin-1"))
    assert "unpack it" in _error(str(tmp_path / "t.csv.gz")).hint


@pytest.mark.parametrize("name", ["", "  "])
def test_empty_names(name: str) -> None:
    error = _error(name)
    assert str(error) == f"the name of the file is empty: {name!r}"
    assert ".csv" in error.hint


def test_files_to_be_written_are_checked(tmp_path: Path) -> None:
    check_writable(tmp_path / "new.json")
    old = tmp_path / "old.json"
    old.write_text("kept")
    check_writable(old)
    assert old.read_text() == "kept"
    for path, match in [
        (tmp_path / "absent" / "m.json", "cannot write"),
        (old / "m.json", "cannot write"),
        (tmp_path, "it is a folder"),
    ]:
        with pytest.raises(FileError, match=match):
            check_writable(path)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everything")
def test_forbidden_folder(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(FileError, match="may not write"):
        check_writable(tmp_path / "m.json")


def test_absent_files(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("a\n1\n")
    assert "people.csv" in _error(str(tmp_path / "peple.csv")).hint
    assert ".parquet" in _error(str(tmp_path / "zzz.csv")).hint
    assert "no folder" in _error(str(tmp_path / "absent" / "people.csv")).hint
    assert "is a directory" in str(_error(str(tmp_path)))
    assert "did you mean sklearn:iris" in _error("sklearn:irys").hint


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_forbidden_file(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a\n1\n")
    path.chmod(0)
    assert "may not read" in str(_error(str(path)))


def test_writing_errors(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="cannot write"):
        write_table(TABLE, tmp_path / "absent" / "t.csv")
    with pytest.raises(FileError, match="cannot tell the format"):
        write_table(TABLE, tmp_path / "t.txt.zip")


def test_missing_columns_are_named_with_their_neighbours() -> None:
    require_columns(TABLE, ["age", "city"], "column", "t.csv")
    with pytest.raises(FileError, match=r"no columns 'Age', 'zzz' in t\.csv") as caught:
        require_columns(TABLE, ["Age", "city", "zzz"], "column", "t.csv")
    assert caught.value.hint == "did you mean 'age'? The columns are: city, age, income, member"


def test_long_lists_of_columns_are_cut() -> None:
    wide = pa.table({f"x{i}": [0] for i in range(500)})
    with pytest.raises(FileError) as caught:
        require_columns(wide, ["y"], "target column", "wide.csv")
    assert "x59 and 440 more" in caught.value.hint


def test_dictionary_columns_survive(tmp_path: Path) -> None:
    table = pa.table({"c": pa.array(["a", "b", None]).dictionary_encode()})
    pa_parquet.write_table(table, tmp_path / "t.parquet")
    pa_feather.write_feather(table, tmp_path / "t.feather", compression="zstd")
    for name in ("t.parquet", "t.feather"):
        assert read_source(str(tmp_path / name)).table.column("c").to_pylist() == ["a", "b", None]


def test_errors_keep_their_hint_when_pickled() -> None:
    error = pickle.loads(pickle.dumps(FileError("message", "hint")))
    assert (str(error), error.hint) == ("message", "hint")


def test_decimal_commas(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a;b;c;d;e\n1,5;2,5;x;1;1,5\n -,25e1;3;2,5;2;\n+4,;;;3;7\n")
    table = read_source(str(path), text_columns=["e"]).table
    assert table["a"].to_pylist() == [1.5, -2.5, 4.0]
    assert table["b"].to_pylist() == [2.5, 3.0, None]
    assert table["c"].to_pylist() == ["x", "2,5", None]
    assert table["d"].to_pylist() == [1, 2, 3]
    assert table["e"].to_pylist() == ["1,5", None, "7"]
    path.write_text('a,b\n"1,5",2\n')  # between commas a comma is text
    assert read_source(str(path)).table["a"].to_pylist() == ["1,5"]


def test_what_is_read_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    check_writable(path, [path, "sklearn:iris"])
    write_table(TABLE, path)
    (tmp_path / "link.csv").symlink_to(path)
    check_writable(path, ["sklearn:iris", tmp_path / "other.csv"])
    for name in (str(path), tmp_path / "link.csv"):
        with pytest.raises(FileError, match="it is what is read here") as error:
            check_writable(path, ["sklearn:iris", name])
        assert error.value.hint == "give the result another name"
