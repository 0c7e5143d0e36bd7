"""Searches on both collections: time, results, rows that the workers send, and the cost of a search that finds almost nothing."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import psycopg

from benchmarks.cluster.sides import Sides, counted, processor_seconds
from benchmarks.common import dsn, medians, tell
from benchmarks.full.documents import Seeds
from benchmarks.full.queries import asked, fetched, query_vectors
from stcollection.retrieval.run import run
from stcollection.runs.listing import drop_runs, stored_runs
from stcollection.vectors.queries import notation

ROUNDS = 3
ORDERS = (1, -1)  # of the two servers, in rounds of runs
QUERIES = 12
RUNS = ("bm25", "dense-abstract", "boolean", "hybrid")
FILTERS = {"50 %": '{"year": 2000}', "5 %": '{"year": 2001}', "0.1 %": '{"year": 2002}'}
EFFORTS = (1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 24, 32, 64, 128, 256)


# Words of one document that are their own stem.
_RARE = """
SELECT lexeme FROM stc.text_lexemes
 WHERE documents = 1 AND lexeme ~ '^[a-z]{6,}$' AND strip(to_tsvector('english', lexeme)) = array_to_tsvector(ARRAY[lexeme])
 ORDER BY 1 LIMIT 30
"""


@dataclass(frozen=True)
class Compared:
    """A search that is measured. :param one: the statement for one server, if another. :param exact: scores must be equal."""

    name: str
    statement: str
    queries: Sequence[Any]
    one: str | None = None
    exact: bool = True


def _measured(conn: dict[str, psycopg.Connection], found: Sides, searches: Sequence[Compared]) -> None:
    """Tell the medians of each search, the ratio and difference of paired times, and the rows that workers send for a search."""
    times: dict[str, dict[str, list[float]]] = {}
    used: dict[tuple[str, str], float] = {}
    for search in searches:
        statements = {"one": search.one or search.statement, "spread": search.statement}
        calls: dict[str, Callable[[Any], object]] = {side: partial(_called, conn[side], text) for side, text in statements.items()}
        results = [{side: calls[side](query) for side in calls} for query in search.queries]  # also warms both
        if search.exact:
            equal = [_same(one["one"], one["spread"]) for one in results]
            assert all(equal), (search.name, equal.index(False))
        times[search.name] = medians(calls, search.queries, rounds=ROUNDS)
        for side, servers in (("one", found.alone), ("spread", found.cluster)):
            before = processor_seconds(servers)
            for query in search.queries:
                calls[side](query)
            used[search.name, side] = 1000 * (processor_seconds(servers) - before) / len(search.queries)
    with counted(found) as counter, psycopg.connect(dsn(found.spread), autocommit=True) as through:
        for search in searches:
            fetched(through, search.statement, *search.queries[0])  # opens connections
            counter.reset()
            for query in search.queries:
                fetched(through, search.statement, *query)
            rows = counter.rows / len(search.queries)
            some = times[search.name]
            pairs = list(zip(some["spread"], some["one"], strict=True))
            tell(
                search.name,
                f"{statistics.median(some['spread']):.1f} ms",
                f"{statistics.median(some['one']):.1f} ms",
                statistics.median(a / b for a, b in pairs),
                f"{statistics.median(a - b for a, b in pairs):+.1f} ms; processor {used[search.name, 'spread']:.1f} and"
                f" {used[search.name, 'one']:.1f} ms; {rows:,.0f} rows",
            )


def _called(conn: psycopg.Connection, statement: str, query: Sequence[object]) -> list[tuple[Any, ...]]:
    return fetched(conn, statement, *query)


def _same(one: Any, other: Any) -> bool:
    """Return whether scores by rank are equal to 1e-5; documents of almost equal scores may be exchanged."""
    return len(one) == len(other) and all(abs(a[1] - b[1]) <= 1e-5 * max(1.0, abs(a[1])) for a, b in zip(one, other, strict=True))


def _connections(found: Sides) -> dict[str, psycopg.Connection]:
    return {
        "one": psycopg.connect(dsn(found.one), autocommit=True),
        "spread": psycopg.connect(dsn(found.spread), autocommit=True),
    }


def fixed(found: Sides) -> None:
    """Compare searches that find a document or two: the difference is the cost of a statement to every shard."""
    conn = _connections(found)
    words = fetched(conn["one"], _RARE)
    docs = fetched(conn["one"], "SELECT id FROM dblp_v WHERE abstract_v IS NOT NULL ORDER BY hashint8(id) LIMIT 30")
    named = fetched(conn["one"], "SELECT docno FROM dblp ORDER BY hashint8(id) LIMIT 30")
    _measured(
        conn,
        found,
        [
            Compared("a document by its id", "SELECT id, 0 FROM dblp WHERE id = %s", docs),
            Compared("a document by its docno", "SELECT id, 0 FROM dblp WHERE docno = %s", named),
            Compared("boolean search of a word of one document", "SELECT doc, score FROM boolean_search(%s, 10)", words),
            Compared("BM25 of a word of one document", "SELECT doc, score FROM bm25_search(%s, 10)", words),
        ],
    )


def lexical(found: Sides, *, portable: bool) -> None:
    """Compare searches by words. :param portable: also by the portable engine, which takes seconds on a million documents."""
    conn = _connections(found)
    by = {name: [(text,) for text in some] for name, some in asked(conn["one"], QUERIES).items()}
    bm25 = "SELECT doc, score FROM bm25_search(%s, 100)"
    slow = "SELECT doc, score FROM bm25_search(%s, 100, engine => 'portable')"
    year = "SELECT doc, score FROM bm25_search(%s, 100, '{}')"
    _measured(
        conn,
        found,
        [
            Compared("boolean, titles", "SELECT doc, score FROM boolean_search(%s, 100)", by["titles"]),
            Compared("BM25, titles; one server: pg_textsearch", bm25, by["titles"]),
            *([Compared("BM25, titles; both portable", slow, by["titles"])] if portable else []),
            Compared("BM25, 130 words; one server: pg_textsearch", bm25, by["contexts"]),
            *([Compared("BM25, 130 words; both portable", slow, by["contexts"])] if portable else []),
            Compared("RM3, titles; one server: pg_textsearch", "SELECT doc, score FROM rm3_search(%s, 100)", by["titles"]),
            *(
                Compared(f"BM25, titles, filter matches {share}", year.replace("{}", wanted), by["titles"])
                for share, wanted in FILTERS.items()
            ),
        ],
    )


def dense(found: Sides, seeds: Seeds) -> None:
    """Compare searches of abstracts, exact and with indexes at equal recall."""
    conn = _connections(found)
    vectors = [(notation(vector),) for vector in query_vectors(seeds.vectors, QUERIES)]
    search = "SELECT doc, score FROM dense_search(%s::vector, 100, 'abstract'{})"
    exact = search.format(", effort => 0")
    true = [{doc for doc, _ in fetched(conn["one"], exact, *vector)} for vector in vectors]

    def recall(side: str, statement: str) -> float:
        got = [{doc for doc, _ in fetched(conn[side], statement, *vector)} for vector in vectors]
        return statistics.mean(len(a & b) / len(b) for a, b in zip(got, true, strict=True))

    default = {side: recall(side, search.format("")) for side in conn}
    enough = next((effort for effort in EFFORTS if recall("spread", search.format(f", effort => {effort}")) >= default["one"]), 256)
    tell("recall of dense search with ivfflat, default effort", f"{default['spread']:.3f}", f"{default['one']:.3f}")
    _measured(
        conn,
        found,
        [
            Compared("dense, exact", exact, vectors),
            Compared("dense, ivfflat, default effort of each", search.format(""), vectors, exact=False),
            Compared(
                f"dense, ivfflat, equal recall (effort {enough} on a shard)",
                search.format(f", effort => {enough}"),
                vectors,
                search.format(""),
                exact=False,
            ),
            *(
                Compared(f"dense, ivfflat, filter matches {share}", search.format(f", filter => '{wanted}'"), vectors, exact=False)
                for share, wanted in FILTERS.items()
            ),
        ],
    )


def hybrid(found: Sides, seeds: Seeds) -> None:
    conn = _connections(found)
    titles = asked(conn["one"], QUERIES)["titles"]
    both = list(zip(titles, map(notation, query_vectors(seeds.vectors, QUERIES)), strict=True))
    statement = "SELECT doc, score FROM hybrid_search(%s, 100, %s::vector)"
    _measured(conn, found, [Compared("hybrid", statement, both, exact=False)])


def runs(found: Sides) -> None:
    """Compare runs of 176 queries, 1,000 documents each; two rounds, the second in the other order."""
    conn = _connections(found)
    for system in RUNS:
        seconds: dict[str, list[float]] = {side: [] for side in conn}
        queries = 0
        for order in ORDERS:
            for side in list(conn)[::order]:
                began = time.perf_counter()
                queries = run(conn[side], system=system, name=system, replace=True).queries
                seconds[side].append(time.perf_counter() - began)
        one, spread = (min(seconds[side]) for side in ("one", "spread"))
        each = 1000 * (spread - one) / queries
        tell(f"run by {system}, {queries} queries", f"{spread:.1f} s", f"{one:.1f} s", spread / one, f"{each:+.1f} ms a query")
    for one_side in conn.values():
        drop_runs(one_side, stored_runs(one_side, list(RUNS)))
