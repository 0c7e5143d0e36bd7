"""Fixtures that write small files of every format and load them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import psycopg
import pytest

from stcollection.corpus.load import LoadedFile, load
from stcollection.corpus.parsing import parse
from stcollection.io.corpus.chunks import chunks
from stcollection.io.corpus.documents import DocumentRecord, Reject
from stcollection.io.streams import Source

Write = Callable[[str, bytes | str], Path]
Load = Callable[..., LoadedFile]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write a file for the test."""

    def written(name: str, content: bytes | str) -> Path:
        file = tmp_path / name
        file.write_bytes(content.encode() if isinstance(content, str) else content)
        return file

    return written


@pytest.fixture
def load_file(dsn: str) -> Load:
    """Load one file into the test's collection."""

    def loaded(path: Path | str, **options: Any) -> LoadedFile:
        [one] = load(dsn, [str(path)], **options)
        return one

    return loaded


def read(path: Path, *, format: str | None = None) -> tuple[list[DocumentRecord], list[Reject]]:  # noqa: A002
    """Read the documents and rejects of a file as the workers do, without a database."""
    batches = [parse(chunk, on_duplicate="skip") for chunk in chunks(Source(str(path)), format=format)]
    return [one for batch in batches for one in batch.documents.values()], [one for batch in batches for one in batch.rejects]


def record(number: object, title: str = "A title", **more: Any) -> dict[str, Any]:
    """Return a dblp v12 record."""
    return {"id": number, "title": title, "year": 2020, "authors": [{"name": "A. Author", "id": 7}], **more}


def inverted(text: str) -> dict[str, Any]:
    """Return an abstract in the inverted form of v11 and v12."""
    index: dict[str, list[int]] = {}
    words = text.split()
    for position, word in enumerate(words):
        index.setdefault(word, []).append(position)
    return {"IndexLength": len(words), "InvertedIndex": index}


def array(records: Iterable[dict[str, Any]]) -> str:
    """Return a JSON array with one object per line and commas at the ends of lines."""
    return "[\n" + ",\n".join(json.dumps(one) for one in records) + "\n]\n"


def texts(conn: psycopg.Connection) -> dict[str, tuple[str | None, str | None]]:
    """Return title and abstract of all documents by docno."""
    rows = conn.execute("SELECT d.docno, t.title, t.abstract FROM dblp d JOIN dblp_text t USING (id) WHERE NOT d.stub").fetchall()
    return {docno: (title, abstract) for docno, title, abstract in rows}


def one(conn: psycopg.Connection, query: str, *parameters: object) -> Any:
    """Return the first column of the first row."""
    row = conn.execute(query.encode(), parameters).fetchone()
    return row[0] if row else None
