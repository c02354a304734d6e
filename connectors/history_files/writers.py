"""Files of rows: JSON lines, compressed or not, and Parquet."""

import gzip
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from typing import IO

from connectors.history_files.rows import HistoryRow
from infra.files import put_in_place

WriteRows = Callable[[Sequence[HistoryRow]], None]
"""Writes some rows to a file, a few thousand at a time."""


class FormatUnavailable(Exception):
    """A file cannot be written in the format of its name; the text says why and the remedy."""


@contextmanager
def row_file(path: Path) -> Iterator[WriteRows]:
    """Open a file for rows, in the format of its name's ending.

    Raises FormatUnavailable.

    An existing file is replaced once all is written.
    """
    openers: dict[str, Callable[[Path], AbstractContextManager[WriteRows]]] = {
        ".jsonl": partial(_json_lines, open),
        ".jsonl.gz": partial(_json_lines, gzip.open),
        ".parquet": _parquet,
    }
    found = [open_ for ending, open_ in openers.items() if path.name.endswith(ending)]
    if not found:
        endings = ", ".join(openers)
        raise FormatUnavailable(f"{path} ends with no known format; expected one of {endings}.")
    draft = path.with_name(f"{path.name}.part")
    try:
        with found[0](draft) as write:
            yield write
        put_in_place(draft, path)
    finally:
        draft.unlink(missing_ok=True)


@contextmanager
def _json_lines(opened: Callable[..., IO[str]], path: Path) -> Iterator[WriteRows]:
    with opened(path, "wt", encoding="utf-8", errors="surrogatepass") as file:
        yield lambda rows: file.writelines(json.dumps(row) + "\n" for row in rows)


@contextmanager
def _parquet(path: Path) -> Iterator[WriteRows]:
    try:
        # An extra: it is larger than all of Vokter.
        import pyarrow as pa  # noqa: PLC0415
        from pyarrow import parquet  # noqa: PLC0415
    except ImportError:
        raise FormatUnavailable(
            "Parquet needs the library pyarrow: pip install 'vokter[parquet]'. "
            "NAME.jsonl needs nothing."
        ) from None
    text, time = pa.string(), pa.timestamp("ms", "UTC")
    types = {"at": time, "returned_since": time, "returned_times": pa.int32()}
    types["headings"] = pa.list_(text)
    schema = pa.schema([(name, types.get(name, text)) for name in HistoryRow.__annotations__])
    # Errors of pyarrow's own files do not say which.
    with path.open("wb") as file, parquet.ParquetWriter(file, schema, compression="zstd") as writer:

        def write(rows: Sequence[HistoryRow]) -> None:
            # Parquet's strings cannot have surrogates.
            clean = [{name: _clean(value) for name, value in row.items()} for row in rows]
            writer.write_table(pa.Table.from_pylist(clean, schema))

        yield write


def _clean(value: object) -> object:
    if isinstance(value, list):
        return [_clean(each) for each in value]
    return value.encode(errors="replace").decode() if isinstance(value, str) else value
