"""Expansion by title neighbours: by hand, compared with numpy, and the published view."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import psycopg
import pytest

from stcollection.db.sessions import pinned
from stcollection.errors import BadArgument, StateError, UnknownObject
from stcollection.qrels.expand import Expanded, NeighbourRules, expand, near_pairs
from stcollection.vectors import exact
from stcollection.vectors.convert import convert
from stcollection.vectors.index import IndexOptions, index
from stcollection.vectors.model import Vectors
from tests import databases
from tests.vectors.worlds import at, clustered, put_vectors, vector

Judgment = tuple[str, int, int, str]


def judge(conn: psycopg.Connection, judgments: Iterable[Judgment], edition: str = "train", annotator: str = "") -> None:
    """Store (query, doc, rel, origin); create missing editions, queries and documents."""
    conn.execute("INSERT INTO qrels_editions (edition) VALUES (%s) ON CONFLICT DO NOTHING", [edition])
    conn.execute("INSERT INTO st1_topics (topic) VALUES ('T') ON CONFLICT DO NOTHING")
    for query, doc, rel, origin in judgments:
        conn.execute("INSERT INTO stc.st1_queries (query, topic) SELECT %s, id FROM st1_topics ON CONFLICT DO NOTHING", [query])
        conn.execute("INSERT INTO dblp (id, docno, doc, stub) VALUES (%s, %s, '{}', true) ON CONFLICT DO NOTHING", [doc, str(doc)])
        conn.execute(
            "INSERT INTO qrels_judgments (edition, query, doc, rel, origin, annotator) SELECT e.id, q.id, %s, %s, %s, %s"
            " FROM qrels_editions e, st1_queries q WHERE e.edition = %s AND q.query = %s",
            [doc, rel, origin, annotator, edition, query],
        )


def rows(conn: psycopg.Connection, edition: str, origin: str = "%") -> list[tuple[object, ...]]:
    return conn.execute(
        "SELECT q.query, j.doc, j.rel, j.origin, j.annotator, j.source_doc FROM qrels_judgments j"
        " JOIN st1_queries q ON q.id = j.query JOIN qrels_editions e ON e.id = j.edition"
        " WHERE e.edition = %s AND j.origin LIKE %s ORDER BY 1, 2, 4, 5",
        [edition, origin],
    ).fetchall()


def view(conn: psycopg.Connection) -> list[tuple[object, ...]]:
    return conn.execute("SELECT topic, query, doc, rel, origin FROM st1_qrels_train_knn ORDER BY query, doc").fetchall()


@databases.world
def titles(conn: psycopg.Connection) -> psycopg.Connection:
    """Store titles with cosines to document 1: .98 .95 .9 .85 for 2 to 5, .7 for 6; 7 and 8 are far, near each other."""
    far = vector(0, 0, 0, 1)
    beside = (far * 0.99 + vector(0, 0, 0.1)) / np.hypot(0.99, 0.1)
    put_vectors(
        conn,
        title={
            1: vector(1),
            2: at(0.98),
            3: at(0.95),
            4: at(0.9),
            5: at(0.85),
            6: at(0.7),
            7: far,
            8: beside,
        },
    )
    # A decoy edition with other grades.
    judge(conn, [("q1", 2, 0, "human"), ("q1", 7, 2, "human"), ("q2", 6, 2, "human")], edition="decoy")
    return conn


def test_by_hand(titles: psycopg.Connection) -> None:
    judge(
        titles, [("q1", 1, 2, "human"), ("q1", 3, 0, "human"), ("q1", 4, -1, "human"), ("q1", 6, 1, "human"), ("q2", 7, 2, "human")]
    )
    done = expand(titles, edition="train")
    assert done == Expanded(expansion="train-knn", copied=5, added=3, sources=2, without_vector=0)
    # 3 and 4 are judged (as not relevant); 6 is too far and has grade 1.
    assert rows(titles, "train-knn", "knn") == [("q1", 2, 2, "knn", "", 1), ("q1", 5, 2, "knn", "", 1), ("q2", 8, 2, "knn", "", 7)]
    assert rows(titles, "train-knn", "human") == rows(titles, "train")
    similarity: dict[int, float] = dict(
        titles.execute("SELECT doc, similarity FROM qrels_judgments WHERE origin = 'knn'").fetchall()
    )
    assert similarity == pytest.approx({2: 0.98, 5: 0.85, 8: 0.99 / np.hypot(0.99, 0.1)}, abs=1e-6)


@pytest.mark.slow
def test_the_nearest_source_of_a_query_has_it(titles: psycopg.Connection) -> None:
    judge(titles, [("q1", 1, 2, "human"), ("q1", 3, 3, "human")])
    expand(titles, edition="train", into="wide", threshold=0.6)
    # Angles on the circle of 1 and its neighbours: 2 lies between 1 and 3, nearer to 3.
    assert rows(titles, "wide", "knn") == [("q1", doc, 3, "knn", "", 3) for doc in (2, 4, 5, 6)]


def test_neighbours_are_counted_before_what_is_judged_is_left_out(titles: psycopg.Connection) -> None:
    judge(titles, [("q1", 1, 2, "human"), ("q1", 2, 0, "human")])
    expand(titles, edition="train", neighbours=2)
    assert [row[1] for row in rows(titles, "train-knn", "knn")] == [3]


def test_every_origin_is_respected_and_none_expanded_twice(titles: psycopg.Connection) -> None:
    judge(titles, [("q1", 1, 2, "human"), ("q1", 5, 0, "llm")])
    judge(titles, [("q1", 1, 1, "human")], annotator="second")
    judge(titles, [("q2", 7, 2, "llm")])
    judge(titles, [("q2", 6, 2, "knn")])  # an earlier expansion is not a source
    done = expand(titles, edition="train", threshold=0.8)
    assert (done.copied, done.sources) == (4, 2)  # q1 and document 1 have two annotators
    [counts] = titles.execute("SELECT judgments, rows FROM edition_overview WHERE edition = 'train'").fetchall()
    assert counts == (done.copied, 5)
    assert titles.execute("SELECT judgments, added FROM stc.qrels_files WHERE path = 'edition:train'").fetchall() == [(5, 5)]
    assert [row[:3] for row in rows(titles, "train-knn", "knn")] == [
        ("q1", 2, 2),
        ("q1", 3, 2),
        ("q1", 4, 2),
        ("q2", 6, 2),
        ("q2", 8, 2),
    ]
    assert rows(titles, "train-knn", "human") == rows(titles, "train", "human")
    # Effective judgments: one per pair, people first.
    says = titles.execute(
        "SELECT count(*), count(DISTINCT (query, doc)) FROM qrels"
        " WHERE edition = (SELECT id FROM qrels_editions WHERE edition = 'train-knn')"
    ).fetchone()
    assert says == (8, 8)


def test_grades(titles: psycopg.Connection) -> None:
    judge(titles, [("q1", 1, 1, "human"), ("q2", 7, 2, "human")])
    assert expand(titles, edition="train", into="two").added == 1
    assert expand(titles, edition="train", into="one", rules=NeighbourRules(from_rel=1)).added == 5
    assert {row[:3] for row in rows(titles, "one", "knn")} >= {("q1", 2, 1), ("q2", 8, 2)}
    expand(titles, edition="train", into="low", rules=NeighbourRules(from_rel=1, rel=1))
    assert {row[2] for row in rows(titles, "low", "knn")} == {1}


def test_documents_without_title_vector_are_told(titles: psycopg.Connection) -> None:
    judge(titles, [("q1", 1, 2, "human"), ("q1", 500, 2, "human")])
    done = expand(titles, edition="train")
    assert (done.sources, done.without_vector, done.added) == (1, 1, 4)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_it_is_what_numpy_says(conn: psycopg.Connection, seed: int) -> None:
    rng = np.random.default_rng(seed)
    table = clustered(300, seed=seed, clusters=15)
    table[200:220] = table[:20]  # duplicates: a document is not its own neighbour, but its duplicate is
    put_vectors(conn, title=dict(enumerate(table)))
    if seed % 2:
        index(conn, fields=["title"], options=IndexOptions(lists=10, effort=1))  # not used: the expansion is exact
    pairs = {(f"q{rng.integers(6)}", int(rng.integers(300))): int(rng.integers(-1, 3)) for _ in range(150)}
    judge(conn, [(query, doc, rel, "human") for (query, doc), rel in pairs.items()])
    neighbours, threshold = 5, 0.45
    expand(conn, edition="train", neighbours=neighbours, threshold=threshold)
    got = {(row[0], row[1]): (row[5], row[2]) for row in rows(conn, "train-knn", "knn")}
    assert got == {pair: (source, 2) for pair, (_, source) in expected(table, pairs, neighbours, threshold).items()}
    assert len(got) > 20


def expected(
    table: Vectors, pairs: dict[tuple[str, int], int], neighbours: int, threshold: float
) -> dict[tuple[str, int], tuple[float, int]]:
    """Return the nearest source of each unjudged (query, doc), by definition."""
    cosines = np.round(table.astype(np.float64) @ table.astype(np.float64).T, 6)
    best: dict[tuple[str, int], tuple[float, bytes, int]] = {}
    for (query, source), rel in pairs.items():
        if rel < 2:
            continue
        near = sorted(
            (doc for doc in range(len(table)) if doc != source and cosines[source, doc] >= threshold),
            key=lambda doc: str(doc).encode(),
            reverse=True,
        )
        near.sort(key=lambda doc, source=source: -cosines[source, doc])  # type: ignore[misc]
        for doc in near[:neighbours]:
            candidate = (float(cosines[source, doc]), str(source).encode(), source)
            if (query, doc) not in pairs and candidate > best.get((query, doc), (-2.0, b"", -1)):
                best[query, doc] = candidate
    return {pair: (cosine, source) for pair, (cosine, _, source) in best.items()}


def test_by_another_field_and_by_another_model(titles: psycopg.Connection) -> None:
    titles.execute(
        "UPDATE dblp_v SET abstract_v = (SELECT title_v FROM dblp_v WHERE id = CASE WHEN v.id IN (1, 6) THEN 7 ELSE 1 END)"
        " FROM dblp_v v WHERE v.id = dblp_v.id"
    )
    judge(titles, [("q1", 1, 2, "human")])
    expand(titles, edition="train", into="by abstract", rules=NeighbourRules(field="abstract"))
    assert [row[1] for row in rows(titles, "by abstract", "knn")] == [6]
    with pytest.raises(StateError, match="none of the documents judged 2 or better has a vector of the content by minilm"):
        expand(titles, edition="train", into="by content", rules=NeighbourRules(field="content"))
    with pytest.raises(UnknownObject, match="model mpnet"):
        expand(titles, edition="train", into="by mpnet", rules=NeighbourRules(model="mpnet"))
    with pytest.raises(UnknownObject, match="field passage"):
        expand(titles, edition="train", into="by passage", rules=NeighbourRules(field="passage"))


@pytest.mark.slow
def test_by_the_index_it_is_the_same_where_all_lists_are_looked_into(conn: psycopg.Connection) -> None:
    put_vectors(conn, title=dict(enumerate(clustered(300, seed=5, clusters=15))))
    index(conn, fields=["title"], options=IndexOptions(lists=10, effort=1))
    judge(conn, [(f"q{doc % 5}", doc, 2, "human") for doc in range(40)])
    exact = expand(conn, edition="train", into="exact", neighbours=5, threshold=0.45)
    by_all_lists = expand(conn, edition="train", into="all lists", neighbours=5, threshold=0.45, rules=NeighbourRules(effort=10))
    by_one_list = expand(conn, edition="train", into="one list", neighbours=5, threshold=0.45, rules=NeighbourRules(effort=None))
    expand(conn, edition="train", into="every neighbour", neighbours=300, threshold=0.45)
    assert rows(conn, "exact") == rows(conn, "all lists")
    assert exact.added == by_all_lists.added > 0
    # One list may add more: where it misses a neighbour that is judged already, it takes the next one.
    assert by_one_list.added > 0
    assert {row[:2] for row in rows(conn, "one list")} <= {row[:2] for row in rows(conn, "every neighbour")}


def test_queries_of_a_test_are_expanded_only_when_it_is_named(titles: psycopg.Connection) -> None:
    judge(titles, [("q1", 1, 2, "human"), ("q2", 7, 2, "human"), ("q3", 6, 1, "human")])
    judge(titles, [("q2", 1, 0, "human"), ("q3", 1, 0, "human")], edition="official")
    titles.execute("UPDATE qrels_editions SET split = 'test' WHERE edition = 'official'")
    with pytest.raises(BadArgument, match="1 query of train belongs to the test edition official") as error:
        expand(titles, edition="train")
    assert "--test official" in str(error.value.hint)
    with pytest.raises(UnknownObject, match="no edition 'oficial'"):
        expand(titles, edition="train", rules=NeighbourRules(test=["oficial"]))
    assert expand(titles, edition="train", rules=NeighbourRules(test=["official"])).added == 5
    with pytest.raises(BadArgument, match="2 queries of official belong to the test edition official"):
        expand(titles, edition="official", rules=NeighbourRules(from_rel=0))
    # An expansion of a test edition is a test edition too; naming the test edition allows its queries.
    expand(titles, edition="official", rules=NeighbourRules(from_rel=0, test=["official"]))
    expand(titles, edition="official", into="again", rules=NeighbourRules(from_rel=0, test=["official"]))
    assert titles.execute("SELECT split FROM qrels_editions WHERE edition = 'official-knn'").fetchone() == ("test",)


def test_errors(titles: psycopg.Connection) -> None:
    judge(titles, [("q1", 1, 2, "human")])
    with pytest.raises(UnknownObject, match="no edition 'trian'") as error:
        expand(titles, edition="trian")
    assert (error.value.sqlstate, bool(error.value.hint)) == ("IR102", True)
    with pytest.raises(BadArgument, match="edition decoy already"):
        expand(titles, edition="train", into="decoy")
    with pytest.raises(BadArgument, match="neighbours is 0"):
        expand(titles, edition="train", neighbours=0)
    for threshold in (1.5, -2.0, float("nan")):
        with pytest.raises(BadArgument, match="threshold"):
            expand(titles, edition="train", threshold=threshold)
    expand(titles, edition="train")
    with pytest.raises(BadArgument, match="edition train-knn already"):
        expand(titles, edition="train")
    titles.execute("TRUNCATE dblp_v")
    with pytest.raises(StateError, match="none of the documents") as state:
        expand(titles, edition="train", into="other")
    assert state.value.sqlstate == "IR405"
    assert titles.execute("SELECT count(*) FROM qrels_editions").fetchone() == (3,)


def test_the_published_view(titles: psycopg.Connection) -> None:
    assert view(titles) == []
    judge(
        titles, [("q1", 1, 2, "human"), ("q1", 3, 0, "human"), ("q1", 6, 1, "human"), ("q2", 1, 2, "human"), ("q2", 2, 2, "human")]
    )
    judge(titles, [("q3", 500, 2, "human")])
    for indexed in (False, True):
        if indexed:
            index(titles, fields=["title"])
        assert view(titles) == [
            ("T", "q1", 1, 2, "human"),
            ("T", "q1", 2, 2, "knn"),
            ("T", "q1", 3, 0, "human"),
            ("T", "q1", 4, 2, "knn"),
            ("T", "q1", 5, 2, "knn"),
            ("T", "q1", 6, 1, "human"),
            ("T", "q2", 1, 2, "human"),
            ("T", "q2", 2, 2, "human"),
            ("T", "q2", 3, 2, "knn"),
            ("T", "q2", 4, 2, "knn"),
            ("T", "q2", 5, 2, "knn"),
            ("T", "q2", 6, 2, "knn"),
            ("T", "q3", 500, 2, "human"),
        ]


def test_the_view_takes_ten_others(conn: psycopg.Connection) -> None:
    put_vectors(conn, title={doc: at(1 - doc / 1000) for doc in range(15)} | {99: vector(1)})
    judge(conn, [("q1", 0, 2, "human")])
    # 99 duplicates the document; at the same distance it is first by docno.
    assert [row[2] for row in view(conn) if row[4] == "knn"] == [*range(1, 10), 99]


def test_the_view_and_the_expansion_say_the_same(conn: psycopg.Connection) -> None:
    table = clustered(200, seed=7, clusters=8)
    put_vectors(conn, title=dict(enumerate(table * 0.3 + 0.05)))
    put_vectors(conn, title={})
    judge(conn, [(f"q{doc % 5}", doc, doc % 3, "human") for doc in range(60)])
    conn.execute("UPDATE dblp_v SET title_v = l2_normalize(title_v)")
    expand(conn, edition="train")
    stored = conn.execute(
        "SELECT q.query, j.doc, j.rel, j.origin FROM qrels j JOIN st1_queries q ON q.id = j.query"
        " JOIN qrels_editions e ON e.id = j.edition WHERE e.edition = 'train-knn' ORDER BY 1, 2"
    ).fetchall()
    assert [row[1:] for row in view(conn)] == stored
    assert sum(row[3] == "knn" for row in stored) > 10


@pytest.mark.parametrize("kind", [None, "ivfflat", "hnsw"])
def test_the_view_searches_for_all_sources_at_once(conn: psycopg.Connection, dsn: str, kind: str | None) -> None:
    put_vectors(conn, title=dict(enumerate(clustered(600, seed=4, clusters=8) * 0.3 + 0.05, 1)))
    conn.execute("UPDATE dblp_v SET title_v = l2_normalize(title_v)")
    judge(conn, [(f"q{n % 5}", n, 2, "human") for n in range(1, 40)])
    if kind is not None:
        index(conn, fields=["title"], options=IndexOptions(kind=kind, effort=1 if kind == "ivfflat" else 200))
    with psycopg.connect(dsn, autocommit=True) as reader:  # in this session no vector was read before
        reader.execute("SET ROLE stc_reader")
        plan = "\n".join(line for (line,) in reader.execute("EXPLAIN SELECT * FROM st1_qrels_train_knn"))
        assert plan.count("Function Scan on near_documents") == 1
        assert "dblp_knn_title" not in plan
        read = view(reader)
    expand(conn, edition="train")
    assert {row[1:5] for row in read} == {row[:4] for row in rows(conn, "train-knn")}
    assert len(read) > 39


@pytest.mark.parametrize("half", [False, True])
def test_one_pass_finds_the_neighbours_that_sql_finds(
    conn: psycopg.Connection, dsn: str, monkeypatch: pytest.MonkeyPatch, half: bool
) -> None:
    monkeypatch.setattr(exact, "ROWS", 50)
    monkeypatch.setattr(exact, "_PAGES", 8)
    monkeypatch.setattr(exact, "_QUERIES", 15)
    table = clustered(600, seed=1, clusters=300)
    table[::5] = table[1::5]  # twins
    table *= np.random.default_rng(2).uniform(0.1, 9, size=(600, 1)).astype(np.float32)
    put_vectors(conn, title=dict(enumerate(table)))
    convert(conn, half=half)
    judge(conn, [(f"q{doc % 3}", doc, 2, "human") for doc in range(0, 600, 13)])
    rules = NeighbourRules(field="title")
    pairs = near_pairs(conn, "train", neighbours=2, threshold=0.3, rules=rules)
    assert pairs is not None
    assert len(pairs) < 600
    passed: list[bool] = []

    def watched(*given: Any, **more: Any) -> object:
        passed.append(True)
        return exact.nearest(*given, **more)

    monkeypatch.setattr("stcollection.qrels.expand.nearest", watched)
    with psycopg.connect(pinned(dsn)) as other:  # not in autocommit mode, as that of the command line
        one_pass = expand(other, edition="train", into="mine", neighbours=2, threshold=0.3, rules=rules)
    assert passed
    monkeypatch.setattr("stcollection.qrels.expand._FEW", 1000)
    assert near_pairs(conn, "train", neighbours=2, threshold=0.3, rules=rules) is None
    by_sql = expand(conn, edition="train", into="sql", neighbours=2, threshold=0.3, rules=rules)
    assert one_pass.added == by_sql.added > 20
    assert rows(conn, "mine") == rows(conn, "sql")
    similarity = (
        "SELECT query, doc, similarity FROM qrels_judgments j JOIN qrels_editions e ON e.id = j.edition WHERE e.edition = %s"
    )
    assert sorted(conn.execute(similarity, ["mine"]), key=str) == sorted(conn.execute(similarity, ["sql"]), key=str)


@pytest.mark.usefixtures("dsn")
def test_sources_that_the_pass_lacks_are_compared_by_sql(conn: psycopg.Connection) -> None:
    put_vectors(conn, title={1: vector(1), 2: at(0.9), 3: at(0.9, 2)})
    found = "SELECT source, doc FROM stc.near_among('{1,2}', 1, 0.5, 'title', NULL, 0, %s::bigint[]) ORDER BY 1"
    assert conn.execute(found, [[[1, 1], [1, 2], [2, 2], [2, 1]]]).fetchall() == [(1, 2), (2, 1)]
    assert conn.execute(found, [[[1, 1]]]).fetchall() == conn.execute(found, [None]).fetchall()
