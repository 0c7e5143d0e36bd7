"""A collection with an open and a hidden edition, runs of two teams and of no team, and its logins."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import psycopg
import pytest

from stcollection.db.members import Kind, add_member, drop_member, members
from tests.databases import world

QUERIES = 12  # per edition
JUDGED = 16
OFFSET = {"a": 0, "b": 400}  # of the documents judged for queries of this letter
_names = itertools.count(1)
Login = Callable[..., psycopg.Connection]


class Pair(NamedTuple):
    """A pair of query and document. :param rel: None if not judged."""

    query: int
    doc: int
    rel: int | None


@world
def collection(conn: psycopg.Connection) -> None:
    """Queries a1 … a12 are judged in train (open) and b1 … b12 in test (hidden), both in the same way."""
    fill(conn)


def fill(conn: psycopg.Connection) -> None:
    """Store the collection of the world."""
    conn.execute(
        "INSERT INTO dblp (id, docno, doc) SELECT g, 'd' || g, jsonb_build_object('title', 'paper ' || g, 'year', 2000 + g % 20)"
        "  FROM generate_series(1, 800) g"
    )
    conn.execute(
        "INSERT INTO dblp_text (id, title, abstract) SELECT g, 'paper ' || g, 'about things' FROM generate_series(1, 800) g"
    )
    for letter in "ab":
        conn.execute(
            "INSERT INTO st1_queries (query, text) SELECT %s || g, 'paper ' || g FROM generate_series(1, %s) g", [letter, QUERIES]
        )
    for edition, hidden, letter in (("train", False, "a"), ("test", True, "b")):
        conn.execute("INSERT INTO qrels_editions (edition, split, hidden) VALUES (%s, %s, %s)", [edition, edition, hidden])
        conn.execute(
            "INSERT INTO qrels_judgments (edition, query, doc, rel, note, hidden)"
            " SELECT e.id, q.id, %s + 30 * right(q.query, -1)::integer + n, (n * 7 + q.id) %% 3, 'because ' || n, e.hidden"
            "   FROM qrels_editions e, st1_queries q, generate_series(1, %s) n WHERE e.edition = %s AND q.query LIKE %s || '%%'",
            [OFFSET[letter], JUDGED, edition, letter],
        )
        conn.execute(
            "INSERT INTO qrels_preferences (edition, query, annotator, subgroup, doc, rel, hidden)"
            " SELECT edition, query, 'g', 's', doc, rel, hidden FROM qrels_judgments j WHERE edition ="
            " (SELECT id FROM qrels_editions WHERE edition = %s)",
            [edition],
        )
        conn.execute(
            "INSERT INTO qrels_subtopics (edition, query, subtopic, doc, rel, hidden)"
            " SELECT edition, query, '1', doc, rel, hidden FROM qrels_judgments j WHERE edition ="
            " (SELECT id FROM qrels_editions WHERE edition = %s)",
            [edition],
        )
        conn.execute(
            "INSERT INTO query_cuts (edition, query, reason, hidden) SELECT e.id, q.id, 'few', e.hidden"
            "  FROM qrels_editions e, st1_queries q WHERE e.edition = %s AND q.query = %s || '1'",
            [edition, letter],
        )
        conn.execute(
            "INSERT INTO qrels_files (edition, path, judgments, added, hidden)"
            " SELECT id, edition || '.qrels', 1, 1, hidden FROM qrels_editions"
            " WHERE edition = %s",
            [edition],
        )
    for run, team, seed in (("base", None, 1), ("red1", "red", 2), ("blue1", "blue", 3)):
        store_run(conn, run, team, seed)
    conn.execute("INSERT INTO st1_runs (run) VALUES ('elsewhere')")
    conn.execute(
        "INSERT INTO st1_scores (edition, run, query, measure, value, hidden)"
        " SELECT j.edition, n.id, j.query, 'map', 0.25, j.hidden FROM st1_runs n, (SELECT DISTINCT edition, query, hidden"
        " FROM qrels_judgments) j"
        "  WHERE n.run = 'elsewhere'"
    )
    conn.execute("SELECT judge_runs('{}', 'train'), judge_runs('{}', 'test')")
    conn.execute("VACUUM (ANALYZE)")


def ranking(seed: int, depth: int = 12) -> dict[str, list[int]]:
    """Documents per query, best first; some are judged."""
    draw = random.Random(seed)
    return {
        f"{letter}{number}": [OFFSET[letter] + doc for doc in draw.sample(range(30 * number - 5, 30 * number + 25), depth)]
        for letter in "ab"
        for number in range(1, QUERIES + 1)
    }


def store_run(conn: psycopg.Connection, run: str, team: str | None, seed: int | dict[str, list[int]], depth: int = 12) -> None:
    """Store a run as the user of the connection."""
    docs = ranking(seed, depth) if isinstance(seed, int) else seed
    with conn.transaction():
        conn.execute("INSERT INTO st1_runs (run, team) VALUES (%s, %s)", [run, team])
        conn.cursor().executemany(
            "INSERT INTO stc.st1_rankings (run, query, doc, rank, rel_score) SELECT n.id, q.id, %s, %s, %s FROM st1_runs n,"
            " st1_queries q"
            " WHERE n.run = %s AND q.query = %s",
            [(doc, rank, -rank, run, query) for query, found in docs.items() for rank, doc in enumerate(found, 1)],
        )


@pytest.fixture
def login(conn: psycopg.Connection, dsn: str) -> Iterator[Login]:
    """Add a user to the collection and connect as that user; by default a participant of red."""
    opened: list[psycopg.Connection] = []
    added: list[str] = []

    def login(kind: Kind = "participant", team: str | None = None, *, name: str | None = None, **more: Any) -> psycopg.Connection:
        if name is None:
            name = f"t{conn.info.backend_pid}_{kind}_{next(_names)}"
            team = team or ("red" if kind == "participant" else None)
            add_member(conn, name, kind=kind, team=team, password="not for the embedded server")  # noqa: S106
            added.append(name)
        opened.append(psycopg.connect(dsn, user=name, password="not for the embedded server", **{"autocommit": True, **more}))  # noqa: S106
        return opened[-1]

    yield login
    for one in opened:
        one.close()
    there = {one.name for one in members(conn)}
    for name in added:
        if name in there:
            drop_member(conn, name)


def edition_id(conn: psycopg.Connection, edition: str) -> int:
    row = conn.execute("SELECT id FROM qrels_editions WHERE edition = %s", [edition]).fetchone()
    assert row is not None
    return int(row[0])


def pairs(conn: psycopg.Connection, edition: str) -> dict[int | None, Pair]:
    """A pair of each grade and an unjudged one, as seen by the owner."""
    rows = conn.execute(
        "SELECT DISTINCT ON (j.rel) j.query, j.doc, j.rel FROM qrels_judgments j JOIN qrels_editions e ON e.id = j.edition"
        " JOIN st1_queries q ON q.id = j.query WHERE e.edition = %s AND right(q.query, -1) = '5' ORDER BY j.rel, j.doc",
        [edition],
    ).fetchall()
    found: dict[int | None, Pair] = {rel: Pair(query, doc, rel) for query, doc, rel in rows}
    found[None] = Pair(rows[0][0], rows[0][1] - rows[0][1] % 30 + JUDGED + 5, None)
    return found
