"""Tables from and to files: CSV and TSV (also compressed), Parquet, Feather; embedded data."""

import codecs
import difflib
import os
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pa_csv
import pyarrow.feather as pa_feather
import pyarrow.parquet as pa_parquet

from certitree import _embedded_data

_DELIMITED = {".csv": ",", ".tsv": "\t", ".tab": "\t", ".txt": "\t"}
_PARQUET = {".parquet", ".pq"}
_ARROW = {".feather", ".arrow", ".ipc"}
_COMPRESSED = {".gz", ".bz2", ".zst", ".lz4"}
_FORMATS = (
    ".csv, .tsv (also .gz, .bz2, .zst), .parquet, .feather, .arrow or "
    f"{_embedded_data.PREFIX}NAME with NAME one of {', '.join(_embedded_data.NAMES)}"
)

# The CSV reader addresses one block with 32 bits.
_MAX_BLOCK_BYTES = 2**31 - 2
_MAX_NAMES_LISTED = 60
_DECIMAL_COMMA = r"^[+-]?(\d+(,\d*)?|,\d+)([eE][+-]?\d+)?$"


class FileError(ValueError):
    """A table that cannot be read, written or used as asked.

    Attributes
    ----------
    hint : str
        What to do about it, in one line.
    """

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.hint = hint

    def __reduce__(self) -> tuple[type["FileError"], tuple[str, str]]:
        """Keep the hint when the error crosses a process boundary."""
        return type(self), (str(self), self.hint)


@dataclass(frozen=True)
class Source:
    """A table and where it came from.

    Attributes
    ----------
    name : str
        What the user gave: a path or `sklearn:NAME`.
    table : pyarrow.Table
        Its columns, in file order; no two share a name.
    default_target : str or None
        The column to predict if the user names none.
    """

    name: str
    table: pa.Table
    default_target: str | None


def read_source(name: str, text_columns: Collection[str] = ()) -> Source:
    """Read a file or an embedded data set.

    The types of a delimited file are inferred from *all* of its rows: a column is numeric only if
    every value is. Empty fields, `NA`, `NaN`, `null` and their kin are missing values, quoted or
    not. A column with no value at all is numeric. Where semicolons separate the fields, a number
    may have a decimal comma. Row order is the file's.

    Parameters
    ----------
    name : str
        A path, its format told by the suffix, or `sklearn:NAME`.
    text_columns : collection of str
        Columns of a delimited file to be read as text even if they look numeric, so that a model's
        categories ("01") keep their spelling.

    Returns
    -------
    Source

    Raises
    ------
    FileError
        If there is no such file or data set, the format is unknown, or the content is damaged,
        empty or has duplicate column names.
    """
    if name.startswith(_embedded_data.PREFIX):
        return Source(name, _read_embedded(name), _embedded_data.TARGET)
    if not name.strip():
        raise FileError(f"the name of the file is empty: {name!r}", f"give {_FORMATS}")
    path = Path(name)
    if path.is_dir():
        raise FileError(f"{name} is a directory", f"give one file: {_FORMATS}")
    if not path.is_file():
        raise FileError(f"there is no file {name}", _nearby_files(path))
    suffix = _format_suffix(path)
    try:
        if suffix in _DELIMITED:
            table = _read_delimited(path, _DELIMITED[suffix], text_columns)
        elif suffix in _PARQUET:
            table = pa_parquet.read_table(path)
        elif suffix in _ARROW:
            table = pa_feather.read_table(path)
        else:
            raise FileError(
                f"cannot tell the format of {name}", f"its name should end in {_FORMATS}"
            )
    except PermissionError as error:
        raise FileError(f"may not read {name}", "check the permissions of the file") from error
    except (pa.ArrowException, OSError) as error:
        raise FileError(
            f"cannot read {name}: {_first_line(error)}",
            f"is it really a {suffix} file? The name's ending decides how it is read",
        ) from error
    return Source(name, _usable(table, name), None)


def check_writable(path: Path, inputs: Iterable[str | Path] = ()) -> None:
    """Check that a file can be written, before work whose result goes there.

    Parameters
    ----------
    path : pathlib.Path
    inputs : iterable of str or Path
        What the result is made from, which must not be overwritten: files, or names of embedded
        data sets.

    Raises
    ------
    FileError
        If its folder does not exist, it is a folder itself or one of the inputs, or permissions
        forbid it.
    """
    for name in inputs:
        if path.exists() and Path(name).exists() and path.samefile(name):
            raise FileError(
                f"will not write {path}: it is what is read here", "give the result another name"
            )
    folder = path.absolute().parent
    if not folder.is_dir():
        raise FileError(f"cannot write {path}", f"there is no folder {path.parent}")
    if path.is_dir():
        raise FileError(f"cannot write {path}: it is a folder", f"name a file in it: {path}/NAME")
    if not os.access(path if path.exists() else folder, os.W_OK):
        what = "file" if path.exists() else "folder"
        raise FileError(
            f"may not write {path}", f"check the permissions of the {what}, or choose another file"
        )


def require_table_format(path: Path) -> None:
    """Check that the name of a file to be written tells a format.

    Raises
    ------
    FileError
        If it does not.
    """
    if _format_suffix(path) not in {*_DELIMITED, *_PARQUET, *_ARROW}:
        raise FileError(
            f"cannot tell the format of {path}",
            "its name should end in .csv, .tsv (also .gz), .parquet, .feather or .arrow",
        )


def write_table(table: pa.Table, path: Path) -> None:
    """Write a table in the format that the suffix of `path` names.

    Raises
    ------
    FileError
        If the format is unknown or the file cannot be written.
    """
    require_table_format(path)
    suffix = _format_suffix(path)
    try:
        if suffix in _DELIMITED:
            options = pa_csv.WriteOptions(delimiter=_DELIMITED[suffix], quoting_style="needed")
            with pa.output_stream(path, compression="detect") as stream:
                pa_csv.write_csv(table, stream, options)
        elif suffix in _PARQUET:
            pa_parquet.write_table(table, path)
        else:
            pa_feather.write_feather(table, path)
    except OSError as error:
        raise FileError(
            f"cannot write {path}: {_first_line(error)}", "does the folder exist?"
        ) from error


def require_columns(table: pa.Table, wanted: Iterable[str], what: str, where: str) -> None:
    """Check that columns are there.

    Parameters
    ----------
    table : pyarrow.Table
        The table to look in.
    wanted : iterable of str
        Names that must be among its columns.
    what : str
        What the columns are for, as in "target column".
    where : str
        The name of the table, for the message.

    Raises
    ------
    FileError
        Naming what is missing, the closest names, and those there are.
    """
    present = list(table.column_names)
    missing = [name for name in wanted if name not in present]
    if not missing:
        return
    quoted = ", ".join(repr(name) for name in missing)
    plural = "s" if len(missing) > 1 else ""
    raise FileError(f"no {what}{plural} {quoted} in {where}", _columns_hint(missing, present))


def _columns_hint(missing: list[str], present: list[str]) -> str:
    folded = {name.casefold(): name for name in present}
    closest: list[str] = []
    for name in missing:
        for match in difflib.get_close_matches(name.casefold(), folded, n=1, cutoff=0.6):
            if folded[match] not in closest:
                closest.append(folded[match])
    question = f"did you mean {' or '.join(repr(name) for name in closest)}? " if closest else ""
    listed = ", ".join(present[:_MAX_NAMES_LISTED])
    rest = len(present) - _MAX_NAMES_LISTED
    more = f" and {rest} more" if rest > 0 else ""
    return f"{question}The columns are: {listed}{more}"


def _read_embedded(name: str) -> pa.Table:
    try:
        return _embedded_data.read(name)
    except KeyError:
        known = [_embedded_data.PREFIX + short for short in _embedded_data.NAMES]
        closest = difflib.get_close_matches(name, known, n=1)
        question = f"did you mean {closest[0]}? " if closest else ""
        raise FileError(
            f"there is no embedded data set {name}", f"{question}There are: {', '.join(known)}"
        ) from None


def _format_suffix(path: Path) -> str:
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] in _COMPRESSED:
        suffixes.pop()
    return suffixes[-1] if suffixes else ""


def _read_delimited(path: Path, delimiter: str, text_columns: Collection[str]) -> pa.Table:
    with pa.input_stream(path, compression="detect") as stream:
        content = stream.read_buffer()
    if not content.size:
        raise FileError(f"{path} is empty", "a header line with the names of the columns is needed")
    if content.slice(0, 2).to_pybytes() in {codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE}:
        raise FileError(f"{path} is UTF-16 text; UTF-8 is read", _convert(path, "utf-16"))
    header = content.slice(0, min(content.size, 2**16)).to_pybytes().split(b"\n", 1)[0]
    if delimiter.encode() not in header and b";" in header:
        delimiter = ";"  # what spreadsheets write where the comma is the decimal sign
    try:
        table = pa_csv.read_csv(
            pa.BufferReader(content),
            # One block: the reader infers types from the first one, and fails on others later.
            read_options=pa_csv.ReadOptions(block_size=min(content.size + 1, _MAX_BLOCK_BYTES)),
            parse_options=pa_csv.ParseOptions(
                delimiter=delimiter, newlines_in_values=True, ignore_empty_lines=True
            ),
            convert_options=pa_csv.ConvertOptions(
                strings_can_be_null=True, column_types={name: pa.string() for name in text_columns}
            ),
        )
    except pa.ArrowInvalid:
        _require_utf8(content, path)
        raise
    # The reader takes a column that is no UTF-8 for bytes, and names for whatever they are.
    if not header.isascii() or any(pa.types.is_binary(field.type) for field in table.schema):
        _require_utf8(content, path)
    return _read_decimal_commas(table, text_columns) if delimiter == ";" else table


def _read_decimal_commas(table: pa.Table, text_columns: Collection[str]) -> pa.Table:
    """Turn columns of texts such as "1,5" into numbers, where every value is one."""
    for index, field in enumerate(table.schema):
        if not pa.types.is_string(field.type) or field.name in text_columns:
            continue
        texts = pc.utf8_trim_whitespace(table.column(index))
        if pc.all(pc.match_substring_regex(texts, _DECIMAL_COMMA)).as_py():
            numbers = pc.replace_substring(texts, ",", ".").cast(pa.float64())
            table = table.set_column(index, field.name, numbers)
    return table


def _require_utf8(content: pa.Buffer, path: Path) -> None:
    encoded = content.to_pybytes()
    try:
        encoded.decode("utf-8")
    except UnicodeDecodeError as error:
        line = encoded.count(b"\n", 0, error.start) + 1
        wrong = encoded[error.start : error.start + 1]
        raise FileError(
            f"{path} is not UTF-8 text: line {line} holds the byte 0x{wrong.hex()}, which in "
            f"Latin-1 would be {wrong.decode('windows-1252', 'replace')!r}",
            _convert(path, "windows-1252"),
        ) from error


def _convert(path: Path, encoding: str) -> str:
    if path.suffix.lower() in _COMPRESSED:
        return f"unpack it and convert it from {encoding} to UTF-8"
    return f"convert it, such as with: iconv -f {encoding} -t utf-8 {path} > utf8_{path.name}"


def _usable(table: pa.Table, name: str) -> pa.Table:
    repeated = sorted({n for n in table.column_names if table.column_names.count(n) > 1})
    if repeated:
        raise FileError(
            f"{name} has several columns named {', '.join(map(repr, repeated))}",
            "rename them: a tree speaks of columns by name",
        )
    if not table.num_columns or not table.num_rows:
        raise FileError(
            f"{name} has {table.num_rows} rows and {table.num_columns} columns", "both are needed"
        )
    for index, field in enumerate(table.schema):
        plain = _plain_type(field.type)
        if plain is not None:
            table = table.set_column(index, field.name, table.column(index).cast(plain))
    return table


def _plain_type(kind: pa.DataType) -> pa.DataType | None:
    """Return what a type is read as; None for itself."""
    if pa.types.is_null(kind):
        return pa.float64()
    if pa.types.is_string_view(kind):  # which Arrow cannot take rows of
        return pa.string()
    return None


def _nearby_files(path: Path) -> str:
    if not path.parent.is_dir():
        return f"there is no folder {path.parent} either"
    names = [entry.name for entry in path.parent.iterdir() if entry.is_file()]
    closest = difflib.get_close_matches(path.name, names, n=3)
    if closest:
        return f"did you mean {' or '.join(str(path.parent / name) for name in closest)}?"
    return f"give {_FORMATS}"


def _first_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__
