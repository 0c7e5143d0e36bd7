"""Cranfield and CACM on one server and on three workers: the same runs of every system, and the same scores."""

from __future__ import annotations

import zlib
from pathlib import Path

import numpy as np
import numpy.typing as npt
import psycopg
import pytest

import stcollection
from stcollection.api.collection import Collection
from stcollection.db.check import problems
from stcollection.db.collections import create, create_distributed
from stcollection.db.settings import Settings
from stcollection.vectors.queries import notation
from stcollection.vectors.store import store
from tests.cluster.conftest import NewDatabase

pytestmark = [pytest.mark.long, pytest.mark.filterwarnings("ignore:.*the grades are -1")]

_SYSTEMS = ("boolean", "conjunctive", "bm25", "rm3", "dense-title", "dense-abstract", "rocchio-title", "hybrid")
_K = 50
_QUERIES = 40
Run = dict[str, dict[str, float]]  # query to scores of documents


def _embedded(text: str) -> npt.NDArray[np.float32]:
    """Return a vector that is the sum of a random vector for each word, with length 1."""
    words = [np.random.default_rng(zlib.crc32(word.encode())).standard_normal(384) for word in text.lower().split()[:60]]
    total = np.sum(words, axis=0)
    unit: npt.NDArray[np.float32] = (total / np.linalg.norm(total)).astype(np.float32)
    return unit


def _fill(collection: Collection[object], documents: Path, queries: Path, qrels: Path) -> None:
    conn = collection.connection
    collection.corpus.load(documents)
    collection.text.index(engine="portable")
    conn.execute("INSERT INTO stc.vector_models (model, name, dim, relation) VALUES ('minilm', 'words', 384, 'dblp_v')")
    rows = conn.execute("SELECT id, title, abstract FROM stc.unembedded('minilm', n => 10000)").fetchall()
    with conn.transaction():
        parts = []
        for place, field in ((1, "title"), (2, "abstract")):
            texts = [(row[0], row[place]) for row in rows if row[place]]
            vectors = np.stack([_embedded(text) for _, text in texts])
            parts.append((field, np.array([number for number, _ in texts]), vectors))
        store(conn, parts, model="minilm")
    collection.topics.add(queries)
    conn.execute("DELETE FROM st1_queries WHERE id NOT IN (SELECT id FROM st1_queries ORDER BY id LIMIT %s)", [_QUERIES])
    collection.qrels.add(qrels, edition="judged", options=stcollection.JudgmentOptions(unknown_queries="skip"))
    asked = conn.execute("SELECT DISTINCT text FROM st1_queries WHERE text IS NOT NULL").fetchall()
    for (text,) in asked:
        conn.execute("INSERT INTO query_v (model, text, v) VALUES ('minilm', %s, %s::vector)", [text, notation(_embedded(text))])


def _runs(conn: psycopg.Connection) -> dict[str, Run]:
    found: dict[str, Run] = {}
    for system in _SYSTEMS:
        conn.execute("SELECT make_run(%s, %s, %s)", [system, system, _K])
        run: Run = {}
        for query, docno, score in conn.execute("SELECT query, docno, rel_score FROM rankings WHERE run = %s", [system]):
            run.setdefault(query, {})[docno] = score
        found[system] = run
    return found


def _same(one: Run, other: Run) -> None:
    """Compare runs. Scores may differ by 1e-6, which may exchange documents with almost equal scores."""
    assert one.keys() == other.keys()
    for query, scores in one.items():
        others = other[query]
        assert sorted(scores.values()) == pytest.approx(sorted(others.values()), rel=1e-6, abs=1e-6), query
        last = min(scores.values()) * (1 + 1e-6) + 1e-6
        assert {docno for docno, score in scores.items() if score > last} <= others.keys(), query


@pytest.mark.parametrize(
    ("documents", "queries", "qrels"),
    [
        ("cranfield/cran.all.1400", "cranfield/cran.qry", "cranfield/cranqrel"),
        ("cacm/cacm.all", "cacm/query.text", "cacm/qrels.text"),
    ],
)
def test_every_system(documents: str, queries: str, qrels: str, data: Path, new_database: NewDatabase) -> None:
    alone, spread = new_database(), new_database()
    create(alone, exist_ok=True)
    create_distributed(spread, shards=6)
    found = [_found(settings, data / documents, data / queries, data / qrels) for settings in (alone, spread)]
    for system in _SYSTEMS:
        # Few documents contain every word of a question.
        assert len(found[0][0][system]) >= (3 if system == "conjunctive" else 0.9 * _QUERIES), system
        _same(found[0][0][system], found[1][0][system])
    assert [row[:2] for row in found[0][1]] == [row[:2] for row in found[1][1]]
    for place in (2, 3):
        assert [row[place] for row in found[0][1]] == pytest.approx([row[place] for row in found[1][1]], abs=1e-4)
    assert {row[0] for row in found[0][1]} == {*_SYSTEMS}


def _found(
    settings: Settings, documents: Path, queries: Path, qrels: Path
) -> tuple[dict[str, Run], list[tuple[str, int, float, float]]]:
    with stcollection.open(settings.db, dsn=settings.dsn, home=settings.home) as collection:
        _fill(collection, documents, queries, qrels)
        runs = _runs(collection.connection)
        scores = collection.connection.execute(
            "SELECT run, count(*), avg(ndcg), avg(average_precision) FROM evaluate(%s, 'judged') GROUP BY run ORDER BY run",
            [list(_SYSTEMS)],
        ).fetchall()
        assert [one.problem for one in problems(collection.connection)] == []
    return runs, scores
