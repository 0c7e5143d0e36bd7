"""The same runs of every system on both collections, and the same scores by every measure.

Queries are titles of citing papers. No document contains all their words, so the system conjunctive finds nothing.
"""

from __future__ import annotations

import math

import numpy as np
import psycopg

from benchmarks.cluster.sides import Sides
from benchmarks.common import data, dsn, tell
from benchmarks.full.documents import ACM, COPY, Seeds
from benchmarks.full.queries import query_vectors
from stcollection.evaluation.score import score
from stcollection.evaluation.typed import measures_named
from stcollection.qrels.editions import drop_edition
from stcollection.qrels.load import JudgmentOptions, import_qrels
from stcollection.retrieval.run import run
from stcollection.runs.listing import drop_runs, stored_runs
from stcollection.topics.load import load as load_topics
from stcollection.vectors.queries import notation

SYSTEMS = ("boolean", "bm25", "rm3", "dense-title", "dense-abstract", "rocchio-abstract", "hybrid")
DEPTH = 100
QUERIES = 60  # on ACM-CR; fewer on more documents, because exact dense searches read all vectors
EDITION = "contexts"
Run = dict[str, dict[str, float]]  # query to scores of documents


def compared(found: Sides, seeds: Seeds, documents: int) -> None:
    """Make a run of ACM-CR's queries with every system on both, without vector indexes, and compare all scores."""
    runs: list[dict[str, Run]] = []
    scores: list[dict[tuple[str, str, str], float]] = []
    for _, at in found.both:
        with psycopg.connect(dsn(at), autocommit=True) as conn:
            for name in ("title", "abstract"):
                conn.execute(f"DROP INDEX IF EXISTS dblp_v_{name}_ivfflat".encode())
            conn.execute("DELETE FROM stc.vector_indexes")
            _empty(conn)  # an interrupted comparison left them
            _fill(conn, seeds, max(6, QUERIES * COPY // documents))
            runs.append({system: _made(conn, system) for system in SYSTEMS})
            kinds = conn.execute("SELECT kind FROM stc.measure_kinds() WHERE NOT 'subtopics' = ANY (uses) ORDER BY place")
            measures = measures_named([kind for (kind,) in kinds])
            scores.append(
                {
                    (one.run, one.query, str(one.measure)): one.value
                    for one in score(conn, runs=list(SYSTEMS), edition=EDITION, measures=measures)
                }
            )
            _empty(conn)
    for system in SYSTEMS:
        one, spread = (some[system] for some in runs)
        assert one.keys() == spread.keys(), system
        worst = max(_difference(one[query], spread[query]) for query in one)
        moved = sum(one[query].keys() != spread[query].keys() for query in one)
        rows = sum(map(len, one.values()))
        tell(f"{system}: {len(one)} queries, {rows:,} rows", f"{worst:.1e}", "", None, f"{moved} queries with other documents")
        assert worst <= 1e-5, (system, worst)
    assert scores[0].keys() == scores[1].keys()
    apart = {key: abs(value - scores[1][key]) for key, value in scores[0].items() if not _same(value, scores[1][key])}
    names = {measure for _, _, measure in scores[0]}
    tell(
        f"{len(names)} measures, {len(scores[0]):,} values",
        f"{max(apart.values(), default=0):.1e}",
        "",
        None,
        f"{len(apart)} differ",
    )
    for key in sorted(apart)[:5]:
        print(key, scores[0][key], scores[1][key])


def _empty(conn: psycopg.Connection) -> None:
    stored = conn.execute("SELECT run FROM st1_runs WHERE run = ANY (%s)", [list(SYSTEMS)]).fetchall()
    drop_runs(conn, stored_runs(conn, [run for (run,) in stored]))
    for (edition,) in conn.execute("SELECT edition FROM qrels_editions WHERE edition = %s", [EDITION]).fetchall():
        drop_edition(conn, edition)
    conn.execute("DELETE FROM st1_queries")


def _same(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-9) or (math.isnan(one) and math.isnan(other))


def _difference(one: dict[str, float], other: dict[str, float]) -> float:
    """Return the largest relative difference of scores at the same rank; infinity if the numbers of documents differ."""
    if len(one) != len(other):
        return math.inf
    pairs = zip(sorted(one.values()), sorted(other.values()), strict=True)
    return max((abs(a - b) / max(1.0, abs(a)) for a, b in pairs), default=0.0)


def _fill(conn: psycopg.Connection, seeds: Seeds, queries: int) -> None:
    load_topics(conn, [data() / ACM / "contexts.topics"], on_duplicate="first")
    conn.execute("DELETE FROM st1_queries WHERE id NOT IN (SELECT id FROM st1_queries ORDER BY query LIMIT %s)", [queries])
    import_qrels(conn, data() / ACM / "contexts.qrels", edition=EDITION, options=JudgmentOptions(unknown_queries="skip"))
    texts = [text for (text,) in conn.execute("SELECT DISTINCT text FROM st1_queries WHERE text IS NOT NULL ORDER BY 1")]
    [(model,)] = conn.execute("SELECT (stc.vector_model(NULL)).model").fetchall()
    for text, vector in zip(texts, np.roll(query_vectors(seeds.vectors, len(texts)), 1, axis=0), strict=True):
        conn.execute(
            "INSERT INTO query_v (model, text, v) VALUES (%s, %s, %s::vector) ON CONFLICT DO NOTHING",
            [model, text, notation(vector)],
        )


def _made(conn: psycopg.Connection, system: str) -> Run:
    run(conn, system=system, name=system, depth=DEPTH, replace=True)
    found: Run = {}
    for query, docno, value in conn.execute("SELECT query, docno, rel_score FROM rankings WHERE run = %s", [system]):
        found.setdefault(query, {})[docno] = value
    return found
