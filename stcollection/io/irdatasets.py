"""Collections of ir_datasets (https://ir-datasets.com) as sources of documents: ``irds:NAME`` in the place of a file.

NAME is one of its catalogue, which ir_datasets fetches by itself, or one that the process registered with it. A document becomes a
record of JSON lines with the fields it has there; :mod:`~stcollection.io.corpus.jsonl` reads that as it reads any other.
"""

from __future__ import annotations

import dataclasses
import hashlib
import importlib
import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from difflib import get_close_matches
from typing import Any

import orjson

from stcollection.errors import BadInput, StateError, StcError, UnknownObject
from stcollection.io.corpus.fields import IDS, TEXTS
from stcollection.io.streams import BrokenOff, Source

PREFIX = "irds:"
_BLOCK = 2**18


def dataset(path: str) -> Any:
    """The ``ir_datasets.Dataset`` that ``irds:NAME`` names.

    :raises StateError: the package ir_datasets is not installed.
    :raises UnknownObject: it knows no such name.
    """
    name = path.removeprefix(PREFIX)
    try:
        library = importlib.import_module("ir_datasets")
    except ModuleNotFoundError as error:
        if error.name != "ir_datasets":
            raise
        raise StateError("ir_datasets is not installed", hint="pip install 'stcollection[ir-datasets]'") from error
    try:
        return library.load(name)
    except KeyError:
        close = get_close_matches(name, list(library.registry), n=1)
        meant = f"Did you mean {PREFIX}{close[0]}? " if close else ""
        raise UnknownObject(
            f"ir_datasets knows no collection {name!r}", hint=f"{meant}https://ir-datasets.com lists those there are."
        ) from None


def handler(path: str, part: str) -> Any:
    """The dataset of a path, if it provides a part: docs, queries or qrels.

    :raises BadInput: it does not.
    """
    found = dataset(path)
    if not found.has(part):
        there = " and ".join(one for one in ("docs", "queries", "qrels") if found.has(one)) or "none of these"
        raise BadInput(f"{path}: provides no {part}", hint=f"It provides {there}; another subset may have them.")
    return found


@contextmanager
def reading(path: str) -> Iterator[None]:
    """What goes wrong inside ir_datasets (a download, a file it cannot read) as BrokenOff; its own errors have no common class."""
    try:
        yield
    except StcError:
        raise
    except Exception as error:
        what = " ".join(str(error).split())[:300] or type(error).__name__
        raise BrokenOff(
            f"{path}: ir_datasets cannot read it: {what}", hint="Is there a network to fetch it by? It says what else it needs."
        ) from error


class Documents(Source):
    """The documents of a dataset, as JSON lines.

    They are read twice: for the checksum by which the ledger knows them again, whatever their name, and to be loaded. So a load
    that was interrupted resumes, and one of the same documents changes nothing.

    :raises StateError, UnknownObject, BadInput: as :func:`handler`.
    """

    def __init__(self, path: str) -> None:
        self.path = self.name = path
        self.size: int | None = None
        self.position = 0
        self._dataset = handler(path, "docs")

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
                buffer += record(document) + b"\n"
                if len(buffer) >= _BLOCK:
                    yield bytes(buffer)
                    buffer.clear()
        if buffer:
            yield bytes(buffer)


def source(path: str) -> Source:
    """What a path of documents names: a collection of ir_datasets, a file, or standard input."""
    return Documents(path) if path.startswith(PREFIX) else Source(path)


def record(document: Any) -> bytes:
    """A document of ir_datasets as a line of JSON: doc_id, and its fields as they are named there.

    A text is what the reader of JSON lines takes for one (text, abstract, contents), else ``body``, else all that the document
    calls its default text. A field that the reader would mistake for its id or its text gets a ``_`` behind its name.
    """
    fields = {
        f"{name}_" if _mistaken(name, value) else name: value
        for name, value in zip(document._fields, map(plain, document), strict=True)
    }
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


def plain(value: Any) -> Any:
    """A value of a field as JSON has it: named tuples and data classes as objects, bytes and what is none of JSON's as text."""
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if hasattr(value, "_asdict"):
        return plain(value._asdict())
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return plain(dataclasses.asdict(value))
    if isinstance(value, Mapping):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, bytes | bytearray):
        return value.decode("utf-8", "replace")
    if isinstance(value, Iterable):
        return [plain(one) for one in value]
    return value.isoformat() if hasattr(value, "isoformat") else str(value)
