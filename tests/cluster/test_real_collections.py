"""Cranfield, CACM and a part of ACM-CR on one server and on three workers: the same runs of every system, the same scores.

``make bench-cluster`` compares all of ACM-CR.
"""

from __future__ import annotations

import io
import json
import zlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import psycopg
import pytest
import zstandard

import stcollection
from stcollection.api.collection import Collection
from stcollection.db.check import problems
from stcollection.db.collections import create, create_distributed
from stcollection.db.settings import Settings
from stcollection.evaluation.score import score
from stcollection.evaluation.typed import measures_named
from stcollection.topics.load import load as load_topics
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
    assert collection.text.index().engine == "pg_textsearch"
    conn.execute("INSERT INTO stc.vector_models (model, name, dim, relation) VALUES ('minilm', 'words', 384, 'dblp_v')")
    rows = conn.execute("SELECT id, title, abstract FROM stc.unembedded('minilm', n => 10000)").fetchall()
    with conn.transaction():
        parts = []
        for place, field in ((1, "title"), (2, "abstract")):
            texts = [(row[0], row[place]) for row in rows if row[place]]
            vectors = np.stack([_embedded(text) for _, text in texts])
            parts.append((field, np.array([number for number, _ in texts]), vectors))
        store(conn, parts, model="minilm")
    load_topics(conn, [queries], on_duplicate="first")
    conn.execute("DELETE FROM st1_queries WHERE id NOT IN (SELECT id FROM st1_queries ORDER BY id LIMIT %s)", [_QUERIES])
    collection.qrels.add(qrels, edition="judged", options=stcollection.JudgmentOptions(unknown_queries="skip"))
    texts_asked = conn.execute("SELECT DISTINCT text FROM st1_queries WHERE text IS NOT NULL").fetchall()
    for (text,) in texts_asked:
        conn.execute("INSERT INTO query_v (model, text, v) VALUES ('minilm', %s, %s::vector)", [text, notation(_embedded(text))])


def _runs(conn: psycopg.Connection, systems: Sequence[str]) -> dict[str, Run]:
    found: dict[str, Run] = {}
    for system in systems:
        conn.execute("SELECT make_run(%s, %s, %s)", [system, system, _K])
        run: Run = {}
        for query, docno, value in conn.execute("SELECT query, docno, rel_score FROM rankings WHERE run = %s", [system]):
            run.setdefault(query, {})[docno] = value
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
    _compare(new_database, data / documents, data / queries, data / qrels, _SYSTEMS)


def test_a_part_of_acm_cr(data: Path, new_database: NewDatabase, tmp_path: Path) -> None:
    """Every 40th document and all judged ones; no document contains every word of a query, a title of a citing paper."""
    folder = data / "acm-cr"
    judged = {line.split()[2] for line in (folder / "contexts.qrels").read_text().splitlines()}
    with (folder / "acmcr.dblp-v12.json.zst").open("rb") as packed:
        text = io.TextIOWrapper(zstandard.ZstdDecompressor().stream_reader(packed), encoding="utf-8")
        records = [line.strip().strip(",") for line in text if line.startswith(("{", ",{"))]
    kept = [one for place, one in enumerate(records) if place % 40 == 0 or str(json.loads(one)["id"]) in judged]
    assert 3000 < len(kept) < 6000
    part = tmp_path / "part.json"
    part.write_text("[\n" + ",\n".join(kept) + "\n]\n", encoding="utf-8")
    _compare(
        new_database,
        part,
        folder / "contexts.topics",
        folder / "contexts.qrels",
        tuple(one for one in _SYSTEMS if one != "conjunctive"),
    )


def _compare(new_database: NewDatabase, documents: Path, queries: Path, qrels: Path, systems: Sequence[str]) -> None:
    alone, spread = new_database(), new_database()
    create(alone, exist_ok=True)
    create_distributed(spread, shards=6)
    found = [_found(settings, documents, queries, qrels, systems) for settings in (alone, spread)]
    for system in systems:
        # Few documents contain every word of a question.
        assert len(found[0][0][system]) >= (3 if system == "conjunctive" else 0.9 * _QUERIES), system
        _same(found[0][0][system], found[1][0][system])
    values = [one[1] for one in found]
    assert values[0].keys() == values[1].keys()
    assert {run for run, _, _ in values[0]} == {*systems}
    assert len({measure for _, _, measure in values[0]}) > 60
    # A document whose score differs in the last bit may change places with its neighbour.
    apart = [key for key, value in values[0].items() if value != pytest.approx(values[1][key], abs=1e-4, nan_ok=True)]
    assert len(apart) <= len(values[0]) / 1000, apart[:20]


def _found(
    settings: Settings, documents: Path, queries: Path, qrels: Path, systems: Sequence[str]
) -> tuple[dict[str, Run], dict[tuple[str, str, str], float]]:
    with stcollection.open(settings.db, dsn=settings.dsn, home=settings.home) as collection:
        _fill(collection, documents, queries, qrels)
        runs = _runs(collection.connection, systems)
        kinds = collection.connection.execute("SELECT kind FROM stc.measure_kinds() WHERE NOT uses && '{subtopics,strata}'")
        measures = measures_named([kind for (kind,) in kinds])
        scores = {
            (one.run, one.query, str(one.measure)): one.value
            for one in score(collection.connection, runs=list(systems), edition="judged", measures=measures)
        }
        assert [one.problem for one in problems(collection.connection)] == []
    return runs, scores
