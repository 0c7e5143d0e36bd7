"""Reranking by vectors: equal to numpy, what has no vector, what is recorded, the command, errors."""

from __future__ import annotations

import numpy as np
import psycopg
import pytest
from click.testing import CliRunner

from stcollection.cli.retrieval.fusion import rerank_command as command
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, StateError, UnknownObject
from stcollection.retrieval.rerank import FIELDS, RerankOptions, rerank_by_vectors
from stcollection.vectors.queries import notation
from stcollection.vectors.store import register
from tests import databases
from tests.retrieval.fusing import put_documents, put_run, stored
from tests.vectors.worlds import DIM, BagOfWords, at, clustered, put_vectors, vector

pytestmark = pytest.mark.slow

DOCS = range(1, 61)
RUN = {f"q{number}": {doc: float((doc * (number + 7)) % 61) for doc in DOCS} for number in range(8)}


@databases.world
def filled(conn: psycopg.Connection) -> psycopg.Connection:
    """60 documents at random, a run of eight queries, q7 without a text; a second model with other vectors is a decoy.

    Documents 1, 11, … have no vector, 2, 12, … only that of their title, and 3 and 13 the same one.
    """
    put_documents(conn, DOCS)
    register(conn, BagOfWords())
    register(conn, BagOfWords("decoy"))
    table = clustered(3 * 61, seed=4, clusters=200)
    titles = {doc: table[3 if doc == 13 else doc] for doc in DOCS if doc % 10 != 1}
    abstracts = {doc: table[61 + (3 if doc == 13 else doc)] for doc in DOCS if doc % 10 not in (1, 2)}
    put_vectors(conn, title=titles, abstract=abstracts)
    put_vectors(conn, title={doc: table[70 - doc] for doc in DOCS}, table="dblp_v_decoy")
    put_run(conn, RUN, "first")
    conn.execute("UPDATE st1_queries SET text = 'text of ' || query WHERE query <> 'q7'")
    for number in range(7):
        vector_of_query = table[2 * 61 + number]
        conn.execute(
            "INSERT INTO query_v (model, text, v) VALUES ('minilm', %s, %s::vector)",
            [f"text of q{number}", notation(vector_of_query)],
        )
    return conn


def numpys(conn: psycopg.Connection, query: str, field: str, n: int) -> list[int]:
    """Return the documents of a query as numpy reranks them: the first n by cosine, then the others in their order."""
    column = "coalesce(abstract_v, title_v)" if field == "document" else f"{field}_v"
    table: dict[int, list[float]] = dict(
        conn.execute(f"SELECT id, {column}::real[] FROM dblp_v WHERE {column} IS NOT NULL").fetchall()
    )
    [(asked,)] = conn.execute("SELECT v::real[] FROM query_v WHERE text = %s", [f"text of {query}"]).fetchall()
    first = [doc for doc, _ in stored(conn, "first")[query]]
    known = sorted((doc for doc in first[:n] if doc in table), key=str, reverse=True)
    cosines = np.array([table[doc] for doc in known]).reshape(len(known), DIM) @ np.array(asked)
    best = [known[place] for place in np.argsort(-cosines.astype(np.float32), kind="stable")]
    return best + [doc for doc in first if doc not in best]


@pytest.mark.parametrize("field", ["document", "title", "abstract"])
@pytest.mark.parametrize("n", [1, 25, 100])
def test_it_is_numpys_reranking(filled: psycopg.Connection, field: str, n: int) -> None:
    done = rerank_by_vectors(filled, run="first", name="new", field=field, options=RerankOptions(n=n))
    new = stored(filled, "new")
    for query in list(RUN)[:7]:
        assert [doc for doc, _ in new[query]] == numpys(filled, query, field, n)
    assert new["q7"] == stored(filled, "first")["q7"]
    [(pairs,)] = filled.execute(
        "SELECT count(*) FROM rankings r JOIN dblp_v v ON v.id = r.doc WHERE run = 'first' AND rank <= %s AND query <> 'q7'"
        " AND (%s = 'title' OR abstract_v IS NOT NULL OR %s = 'document')",
        [n, field, field],
    ).fetchall()
    assert done.pairs == pairs
    assert (done.queries, done.ranked) == (8, 8 * 60)
    assert done.untouched >= 1


def test_scores_are_cosines_and_equal_ones_by_docno(conn: psycopg.Connection) -> None:
    names = ["9", "10", "a", "B"]
    conn.cursor().executemany("INSERT INTO dblp (id, docno, doc) VALUES (%s, %s, '{}')", list(enumerate(names)))
    put_vectors(conn, abstract={0: at(0.5), 1: at(0.5), 2: at(0.5), 3: at(0.7, 2)})
    put_run(conn, {"q": {0: 4.0, 1: 3.0, 2: 2.0, 3: 1.0}}, "first")
    conn.execute("UPDATE st1_queries SET text = 'q'")
    register(conn, BagOfWords())
    conn.execute("INSERT INTO query_v (model, text, v) VALUES ('minilm', 'q', %s::vector)", [notation(vector(3))])
    [row] = conn.execute("SELECT * FROM stc.rerank_run('new', 'first')").fetchall()
    assert row == (1, 4, 4, 0)
    [ranked] = stored(conn, "new").values()
    assert [names[doc] for doc, _ in ranked] == ["B", "a", "9", "10"]
    assert [score for _, score in ranked] == pytest.approx([0.7, 0.5, 0.5, 0.5], abs=1e-6)


def test_by_the_best_passage(filled: psycopg.Connection) -> None:
    cosines = {4: [0.1, 0.9], 5: [0.5], 6: [0.7, -0.2, 0.2]}
    for doc, passages in cosines.items():
        for place, cosine in enumerate(passages, 1):
            filled.execute(
                "WITH p AS (INSERT INTO dblp_passages (doc, position, text) VALUES (%s, %s, 'a') RETURNING id)"
                " INSERT INTO dblp_p (id, passage_v) SELECT id, %s::vector FROM p",
                [doc, place, notation(at(cosine))],
            )
    filled.execute("UPDATE query_v SET v = %s::vector", [notation(vector(1))])
    rerank_by_vectors(filled, run="first", name="new", field="passage")
    for ranked in list(stored(filled, "new").values())[:7]:
        assert [doc for doc, _ in ranked[:3]] == [4, 6, 5]
        assert [score for _, score in ranked[:3]] == pytest.approx([0.9, 0.7, 0.5], abs=1e-6)


def test_new_queries_are_embedded_and_the_model_is_chosen(filled: psycopg.Connection) -> None:
    encoder = BagOfWords("decoy")
    done = rerank_by_vectors(filled, run="first", model=encoder, field="title", options=RerankOptions(n=5, depth=6))
    assert (done.run, done.model, done.ranked) == ("first-decoy", "decoy", 8 * 6)
    assert sorted(encoder.seen) == [f"text of q{number}" for number in range(7)]
    [(params, family, made)] = filled.execute(
        "SELECT n.params, n.family, to_jsonb(f.made) #>> '{}' FROM st1_runs n, st1_runs f"
        " WHERE n.run = 'first-decoy' AND f.run = 'first'"
    ).fetchall()
    assert family == "rerank"
    assert params == {
        "system": "rerank",
        "n": 5,
        "depth": 6,
        "field": "title",
        "model": "decoy",
        "reranker": {"model": "tests/bag-of-words"},
        "first_stage": {"run": "first", "made": made, "params": {"of": "tests", "nothing": None}},
    }


def test_only_documents_of_the_run_are_ranked(filled: psycopg.Connection) -> None:
    put_run(filled, {query: {doc: scores[doc] for doc in range(1, 21)} for query, scores in RUN.items()}, "twenty")
    rerank_by_vectors(filled, run="twenty", name="new")
    assert {query: {doc for doc, _ in ranked} for query, ranked in stored(filled, "new").items()} == {
        query: set(range(1, 21)) for query in RUN
    }


def test_errors(filled: psycopg.Connection) -> None:
    with pytest.raises(UnknownObject, match="no run 'frist'"):
        rerank_by_vectors(filled, run="frist")
    with pytest.raises(UnknownObject, match="no vectors of a model mpnet"):
        rerank_by_vectors(filled, run="first", model="mpnet")
    for field in ("body", "title_only", ""):
        with pytest.raises(UnknownObject, match="cannot be reranked by the field") as error:
            rerank_by_vectors(filled, run="first", field=field)
        assert all(one in (error.value.hint or "") for one in FIELDS)
    for statement in ("n => 0", "depth => 0", "n => NULL"):
        with pytest.raises(psycopg.Error, match="n is") as wrong:
            filled.execute(f"SELECT stc.rerank_run('new', 'first', {statement})")
        assert wrong.value.sqlstate == "IR201"
    with pytest.raises(BadArgument, match="already exists"):
        rerank_by_vectors(filled, run="first", name="~first")
    with pytest.raises(BadArgument, match="cannot replace one of its sources"):
        rerank_by_vectors(filled, run="first", name="first", replace=True)
    for field, lacking, step in (
        ("content", "no content vectors of minilm", "embed --field content"),
        ("passage", "there are no passages", "vectors passages"),
    ):
        with pytest.raises(StateError, match=lacking) as state:
            rerank_by_vectors(filled, run="first", field=field)
        assert step in (state.value.hint or "")
    filled.execute("UPDATE st1_queries SET text = ' '")
    with pytest.raises(StateError, match="no document of the run first has a vector of document"):
        rerank_by_vectors(filled, run="first")
    assert filled.execute("SELECT run FROM st1_runs ORDER BY run").fetchall() == [("first",), ("~first",)]


def test_the_command(settings: Settings, filled: psycopg.Connection) -> None:
    def ran(*arguments: str) -> str:
        done = CliRunner().invoke(command, list(arguments), obj=settings)
        return done.output if done.exit_code in (0, 2) else str(done.exception)

    assert ran("first", "--by", "vectors", "-n", "10", "--depth", "10").startswith("first-minilm: ")
    assert {len(ranked) for ranked in stored(filled, "first-minilm").values()} == {10}
    assert "already exists" in ran("first", "--by", "vectors")
    assert "1 query is as in first: no text or vector" in ran("first", "--by", "vectors", "--replace")
    assert "add --by vectors" in ran("first", "--field", "title")
    assert "rerank --by vectors" in ran("first")
    assert "remove it" in ran("first", "--by", "vectors", "--batch", "3")
