"""Read collections of ir_datasets (https://ir-datasets.com), given as ``irds:NAME`` instead of a file.

NAME is in the catalogue, from which ir_datasets downloads it, registered by the process, or, if it begins with ``longeval`` or is a
folder, of the package ir_datasets_longeval. A document becomes a JSON lines record
with the same fields, which :mod:`~stcollection.io.corpus.jsonl` reads like any other.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import orjson

from stcollection.counts import counted
from stcollection.errors import BadInput, StcError, UnknownObject
from stcollection.extras import load_module
from stcollection.io.corpus.fields import IDS, TEXTS
from stcollection.io.corpus.papers import year
from stcollection.io.streams import BrokenOff, Source

PREFIX = "irds:"
_LONGEVAL = "longeval"  # names of the datasets of the package ir_datasets_longeval, which also reads folders
_CLICKS = ("raw", "dctr")
_BLOCK = 2**18


def dataset(path: str) -> Any:
    """Return the ``ir_datasets.Dataset`` of ``irds:NAME``.

    :raises StateError: the package ir_datasets is not installed.
    :raises UnknownObject: ir_datasets has no dataset with this name.
    """
    name = path.removeprefix(PREFIX)
    if name.startswith(_LONGEVAL) or Path(name).is_dir():
        library = load_module("ir_datasets_longeval")
        with reading(path):
            data = library.load(name)
            parts = data.get_datasets()
        if parts:
            names = ", ".join(str(part.get_snapshot()) for part in parts)
            hint = f"Load them one by one, each with its date: {names}."
            raise BadInput(f"{path}: consists of {counted(len(parts), 'snapshot')}", hint=hint)
        return data
    library = load_module("ir_datasets")
    try:
        return library.load(name)
    except KeyError:
        close = get_close_matches(name, list(library.registry), n=1)
        meant = f"Did you mean {PREFIX}{close[0]}? " if close else ""
        raise UnknownObject(
            f"ir_datasets has no collection {name!r}", hint=f"{meant}See the catalogue: https://ir-datasets.com."
        ) from None


def snapshot_day(path: str) -> str | None:
    """Return the first day (YYYY-MM-DD) of the time of a snapshot, as LongEval's are; None for other paths and datasets."""
    timestamp = getattr(dataset(path), "get_timestamp", None) if path.startswith(PREFIX) else None
    return None if timestamp is None else str(timestamp().date())


def clicks_of(path: str) -> str | None:
    """Return the model of clicks (raw, dctr) by which LongEval made the judgments of a path; None if people made them."""
    model = path.rpartition("/")[2]
    return model if path.startswith(PREFIX + _LONGEVAL) and model in _CLICKS else None


def find_dataset(path: str, part: str) -> Any:
    """Return the dataset of a path after checking that it provides a part: docs, queries or qrels.

    :raises BadInput: the dataset does not provide it.
    """
    data = dataset(path)
    if not data.has(part):
        names = " and ".join(name for name in ("docs", "queries", "qrels") if data.has(name)) or "none of these"
        raise BadInput(f"{path}: provides no {part}", hint=f"It provides {names}; try another subset.")
    return data


@contextmanager
def reading(path: str) -> Iterator[None]:
    """Raise errors inside ir_datasets (failed downloads, unreadable files) as BrokenOff; they have no common class."""
    try:
        yield
    except StcError:
        raise
    except Exception as error:
        what = " ".join(str(error).split())[:300] or type(error).__name__
        raise BrokenOff(
            f"{path}: ir_datasets cannot read it: {what}", hint="Check the network connection and the message of ir_datasets."
        ) from error


class Documents(Source):
    """The documents of a dataset, as JSON lines.

    They are read twice: for the checksum by which the ledger identifies them, and for loading. An interrupted load can therefore
    resume, and loading the same documents again changes nothing.


    :raises StateError, UnknownObject, BadInput: as :func:`find_dataset`.
    """

    def __init__(self, path: str) -> None:
        self.path = self.name = path
        self.size: int | None = None
        self.position = 0
        self._dataset = find_dataset(path, "docs")

    @property
    def where(self) -> str:
        return self.path

    def sha256(self) -> str:
        digest, size = hashlib.sha256(), 0
        for block in self._lines():
            digest.update(block)
            size += len(block)
        self.size = size
        return digest.hexdigest()

    def members(self) -> Iterator[tuple[str, Iterator[bytes]]]:
        yield self.name, self._counted()

    def _counted(self) -> Iterator[bytes]:
        for block in self._lines():
            self.position += len(block)
            yield block

    def _lines(self) -> Iterator[bytes]:
        buffer = bytearray()
        with reading(self.path):
            for document in self._dataset.docs_iter():
                buffer += json_line(document) + b"\n"
                if len(buffer) >= _BLOCK:
                    yield bytes(buffer)
                    buffer.clear()
        if buffer:
            yield bytes(buffer)


def source(path: str) -> Source:
    """Return the source of a path of documents: a collection of ir_datasets, a file, or standard input."""
    return Documents(path) if path.startswith(PREFIX) else Source(path)


def json_line(document: Any) -> bytes:
    """Return a document of ir_datasets as a JSON line with the fields of the document.

    The text is in a field that the reader of JSON lines knows (text, abstract, contents), else it is ``body``, else the document's
    default text. A ``_`` is appended to the name of a field that the reader would confuse with id or text.
    """
    fields = {
        f"{name}_" if _mistaken(name, value) else name: value
        for name, value in zip(document._fields, map(to_json, document), strict=True)
    }
    if "year" not in fields and (published := fields.get("publishedDate")):  # CORE, in LongEval
        fields["year"] = year(published)
    if not any(fields.get(name) for name in TEXTS):
        body = fields.get("body")
        text = body if isinstance(body, str) else document.default_text() if hasattr(document, "default_text") else ""
        title = fields.get("title")
        fields["text"] = text.removeprefix(title).strip() if isinstance(title, str) else text
    try:
        return orjson.dumps(fields)
    except TypeError:  # half a surrogate pair, or an integer over 64 bits
        return json.dumps(fields).encode()


def _mistaken(name: str, value: Any) -> bool:
    return (name in IDS and name != "doc_id") or (name in ("title", *TEXTS) and value is not None and not isinstance(value, str))


def to_json(value: Any) -> Any:
    """Convert a value to JSON: named tuples and data classes become objects; bytes and other types become text."""
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if hasattr(value, "_asdict"):
        return to_json(value._asdict())
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return to_json(dataclasses.asdict(value))
    if isinstance(value, Mapping):
        return {str(key): to_json(inner) for key, inner in value.items()}
    if isinstance(value, bytes | bytearray):
        return value.decode("utf-8", "replace")
    if isinstance(value, Iterable):
        return [to_json(inner) for inner in value]
    return value.isoformat() if hasattr(value, "isoformat") else str(value)
