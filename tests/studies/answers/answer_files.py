"""Write files of answer verification, and read the tables by names instead of keys."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import psycopg

from stcollection.studies.answers.files import KINDS
from stcollection.studies.answers.load import LoadedAnswers, load

LINKS = {
    "queries": "SELECT place, text, template FROM stc.answer_queries WHERE set = %s",
    "documents": "SELECT q.text, d.place, doc_id, url, title, d.text FROM stc.answer_documents d"
    " JOIN stc.answer_queries q ON q.id = d.query WHERE q.set = %s",
    "answers": "SELECT q.text, a.url, a.text, d.doc_id FROM stc.answers a JOIN stc.answer_queries q ON q.id = a.query"
    " LEFT JOIN stc.answer_documents d ON d.id = a.document WHERE q.set = %s",
    "pairs": "SELECT q.text, least(ARRAY[a.url, a.text], ARRAY[b.url, b.text]),"
    " greatest(ARRAY[a.url, a.text], ARRAY[b.url, b.text]), label, relation FROM answer_pairs p"
    " JOIN stc.answer_queries q ON q.id = p.query JOIN stc.answers a ON a.id = p.a"
    " JOIN stc.answers b ON b.id = p.b WHERE q.set = %s",
    "gold": "SELECT q.text, d.doc_id FROM answer_gold g JOIN stc.answer_documents d ON d.id = g.document"
    " JOIN stc.answer_queries q ON q.id = g.query WHERE q.set = %s",
}


def doc(doc_id: str, url: str | None = None, text: str = "", title: str = "") -> dict[str, str]:
    return {"title": title, "url": f"u/{doc_id}" if url is None else url, "doc_text": text, "doc_id": doc_id}


def asked(query: str, *docs: Mapping[str, Any]) -> str:
    """Return a line of documents."""
    return json.dumps({"query": query, "docs": docs}, ensure_ascii=False)


def pair(query: str, url1: str, one: str, url2: str, two: str, says: object = 1) -> str:
    return "\t".join((query, url1, one, url2, two, str(says)))


def write(folder: Path, kind: str, *lines: str | bytes, split: str = "dev", ending: bytes = b"\n") -> Path:
    """Write a file under the name by which it is found."""
    path = folder / f"{split}_{KINDS[kind]}"
    path.write_bytes(b"".join((line if isinstance(line, bytes) else line.encode()) + ending for line in lines))
    return path


def put(
    conn: psycopg.Connection,
    *paths: Path,
    set: str = "s",  # noqa: A002
    split: str = "dev",
    replace: bool = False,
) -> dict[str, LoadedAnswers]:
    """Load files written by :func:`write`. :returns: by kind."""
    kinds = {name: kind for kind, name in KINDS.items()}
    files = {kinds[path.name.split("_", 1)[1]]: path for path in paths}
    return {one.kind: one for one in load(conn, set=set, split=split, files=files, replace=replace)}


def tables(conn: psycopg.Connection, *, set: str = "s", split: str = "dev") -> dict[str, list[tuple[Any, ...]]]:  # noqa: A002
    """Return the stored rows of a split, without keys, sorted."""
    (key,) = conn.execute("SELECT stc.answer_set_key(%s, %s)", [set, split]).fetchone() or (None,)
    return {name: sorted(conn.execute(query, [key]).fetchall(), key=repr) for name, query in LINKS.items()}


def named(conn: psycopg.Connection, kind: str) -> list[tuple[int, str, str]]:
    """Return line, problem and reason of the rejects of a kind of file."""
    return conn.execute(
        "SELECT r.line, r.problem, r.reason FROM stc_all.answer_rejects r JOIN stc.answer_files f ON f.id = r.file"
        " WHERE f.kind = %s"
        " ORDER BY r.line, r.problem, r.id",
        [kind],
    ).fetchall()


def column(rows: Sequence[tuple[Any, ...]], place: int) -> list[Any]:
    return [row[place] for row in rows]
