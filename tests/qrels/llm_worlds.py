"""A small collection with an edition judged by people, for language models to judge."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import fields
from typing import Any

import psycopg

from stcollection.db.settings import Settings
from stcollection.llm.asker import Asker
from stcollection.llm.endpoint import read_endpoint
from stcollection.llm.template import Template, find_template
from stcollection.qrels.llm.judge import JudgeCounts, Wanted, judge
from stcollection.qrels.llm.store import PROMPTS, SLOTS
from tests.qrels.llm_server import Endpoint
from tests.text.documents import put

WORDS = ("assistants", "privacy", "children", "recording", "kitchen")
QUERIES = 4
DOCUMENTS = 10
PAIRS = QUERIES * DOCUMENTS


def world(conn: psycopg.Connection, *, documents: int = DOCUMENTS) -> None:
    """Store queries q1 … q4 and documents with fewer and fewer of their words; edition people judges all, decoy others."""
    put(conn, {n: (f"Paper {n} on {' '.join(WORDS[: n % 6])}", f"It is the abstract {n}.") for n in range(1, documents + 1)})
    put(conn, {n: (f"Other paper {n}", None) for n in range(901, 904)})
    conn.execute("INSERT INTO st1_topics (topic, text) VALUES ('T', 'Who listens in the kitchen?')")
    conn.execute(
        "INSERT INTO stc.st1_queries (query, topic, text) SELECT 'q' || n, t.id, %s || ' ' || n"
        " FROM generate_series(1, %s) n, st1_topics t",
        [" ".join(WORDS), QUERIES],
    )
    conn.execute("INSERT INTO qrels_editions (edition) VALUES ('people'), ('decoy')")
    conn.execute(
        "INSERT INTO qrels_judgments (edition, query, doc, rel, annotator) SELECT e.id, q.id, d.id, d.id %% 3, 'ada'"
        " FROM qrels_editions e, st1_queries q, dblp d WHERE e.edition = 'people' AND d.id <= %s",
        [documents],
    )
    conn.execute(
        "INSERT INTO qrels_judgments (edition, query, doc, rel) SELECT e.id, q.id, d.id, 9"
        " FROM qrels_editions e, st1_queries q, dblp d WHERE e.edition = 'decoy' AND d.id > 900"
    )


def prompt(name: str = "journalist") -> Template:
    return find_template(name, slots=SLOTS, folder=PROMPTS)


def ask(conn: psycopg.Connection, server: Endpoint | str, **options: Any) -> JudgeCounts:
    """Judge into the edition machine, by default the pairs of the edition people."""
    url = server if isinstance(server, str) else server.url
    environ = options.pop("environ", {})
    asking = {one.name: options.pop(one.name) for one in fields(Asker) if one.name in options}
    asker = {"endpoint": read_endpoint(url, environ=environ), "model": "rule", "template": prompt(), "retries": 2, "timeout": 5.0}
    return judge(
        conn,
        **{"edition": "machine", "asker": Asker(**{**asker, **asking}), "selection": Wanted(like="people"), **options},
    )


def rows(conn: psycopg.Connection, statement: str, *values: object) -> list[Any]:
    return conn.execute(statement.encode(), values).fetchall()


def stored(conn: psycopg.Connection, edition: str = "machine") -> dict[tuple[str, str], int]:
    """Return judgments of origin llm by query and docno, checking that each exists once."""
    found = rows(
        conn,
        "SELECT q.query, d.docno, j.rel FROM qrels_judgments j JOIN qrels_editions e ON e.id = j.edition"
        " JOIN st1_queries q ON q.id = j.query JOIN dblp d ON d.id = j.doc WHERE e.edition = %s AND j.origin = 'llm'",
        edition,
    )
    assert len({row[:2] for row in found}) == len(found)
    return {row[:2]: row[2] for row in found}


def each_once(asked: Iterable[object]) -> bool:
    several = list(asked)
    return len(several) == len(set(several))


def environment(settings: Settings, server: Endpoint) -> dict[str, str]:
    """Return the environment of a process that uses this server as judge."""
    where = {"STC_HOME": str(settings.home)} if settings.dsn is None else {"STC_DSN": settings.dsn}
    kept = {name: value for name, value in os.environ.items() if not name.startswith("OPENAI_")}
    return {**kept, **where, "STC_DB": settings.db, "STC_LLM_ENDPOINT": server.url, "PYTHONUNBUFFERED": "1"}
