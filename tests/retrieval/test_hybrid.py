"""hybrid_search: reciprocal rank fusion by hand and against its definition."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from stcollection.vectors.embed import embed
from stcollection.vectors.queries import notation
from tests import databases
from tests.retrieval.fusing import METHODS, Scores
from tests.retrieval.fusing import fused as fused_scores
from tests.text.documents import build, found, ids, put
from tests.vectors.worlds import BagOfWords, at, put_vectors, vector

TEXTS: dict[int, tuple[str | None, str | None]] = {
    1: ("voice assistants at home", "assistants listen to the voice of people"),
    2: ("listening machines", "voice interfaces hear what is said at home"),
    3: ("voice", None),
    4: ("home automation", "lamps and doors and a voice"),
    5: ("graph drawing", "planar graphs at home"),
    6: ("people and machines", None),
    10: ("voice assistants at home", "assistants listen to the voice of people"),
    9: ("voice assistants at home", "assistants listen to the voice of people"),
}
QUERY = "voice assistants home"
FUNCTIONS = {
    "bm25": ("bm25_search", "text", ()),
    "boolean": ("boolean_search", "text", ()),
    "title": ("dense_search", "vector", ("title",)),
    "abstract": ("dense_search", "vector", ("abstract",)),
    "content": ("dense_search", "vector", ("content",)),
    "document": ("stc.dense_document_search", "vector", ()),
}


@databases.world
def filled(conn: psycopg.Connection) -> psycopg.Connection:
    put(conn, TEXTS)
    build(conn, "portable")
    embed(conn, model=BagOfWords())
    conn.execute("UPDATE dblp_v SET content_v = title_v WHERE id <> 2")
    conn.execute(
        "INSERT INTO query_v (model, text, v) VALUES ('minilm', %s, %s), ('minilm', 'decoy', %s)", [QUERY, of(QUERY), of("graph")]
    )
    return conn


def of(text: str) -> str:
    return notation(BagOfWords().encode([text])[0])


def hybrid(conn: psycopg.Connection, query: str = QUERY, **arguments: object) -> list[tuple[int, float, int]]:
    names = "".join(f", {name} => %s{'::vector' if name == 'query_vector' else ''}" for name in arguments)
    values = [Jsonb(value) if name in ("filter", "weights") else value for name, value in arguments.items()]
    return conn.execute(f"SELECT * FROM hybrid_search(%s{names})", [query, *values]).fetchall()


def fused(conn: psycopg.Connection, rankers: Sequence[str], depth: int = 1000, constant: int = 60) -> list[tuple[int, float, int]]:
    """Fuse the rows of the rankers by definition."""
    parts: dict[int, list[float]] = defaultdict(list)
    for ranker in rankers:
        function, kind, more = FUNCTIONS[ranker]
        for doc, _, rank in found(conn, function, QUERY if kind == "text" else of(QUERY), depth, *more):
            parts[doc].append(1 / (constant + rank))
    scores = {doc: sum(sorted(values, reverse=True)) for doc, values in parts.items()}
    order = sorted(scores, key=lambda doc: str(doc).encode(), reverse=True)
    order.sort(key=lambda doc: scores[doc], reverse=True)
    return [(doc, scores[doc], rank) for rank, doc in enumerate(order, start=1)]


@pytest.mark.slow
@pytest.mark.parametrize(
    "rankers",
    [
        ["bm25"], ["title"], ["abstract"], ["document"], ["boolean"], ["bm25", "abstract"], ["title", "bm25"], ["bm25", "document"],
        ["boolean", "document"], ["content", "title"], ["bm25", "boolean", "title", "abstract", "content", "document"],
    ],
    ids=" ".join,
)  # fmt: skip
def test_it_is_the_sum_of_reciprocal_ranks(filled: psycopg.Connection, rankers: list[str]) -> None:
    for depth, constant in ((1000, 60), (3, 0), (1, 7)):
        rows = hybrid(filled, rankers=rankers, depth=depth, constant=constant, method="rrf")
        expected = fused(filled, rankers, depth, constant)
        assert [(row[0], row[2]) for row in rows] == [(row[0], row[2]) for row in expected]
        assert [row[1] for row in rows] == pytest.approx([row[1] for row in expected], rel=1e-14)
        assert hybrid(filled, rankers=rankers, depth=depth, constant=constant, method="rrf", k=2) == rows[:2]


def test_by_hand(conn: psycopg.Connection) -> None:
    put(conn, {1: ("one", None), 2: ("two", None), 3: ("three three", None)})
    build(conn, "portable")
    put_vectors(conn, title={1: at(0.9), 2: at(0.5), 3: at(0.1)})
    rows = hybrid(conn, "three", rankers=["bm25", "title"], query_vector=notation(vector(1)), method="rrf")
    # bm25: 3. Titles: 1, 2, 3.
    assert [(doc, rank) for doc, _, rank in rows] == [(3, 1), (1, 2), (2, 3)]
    assert [score for _, score, _ in rows] == pytest.approx([1 / 61 + 1 / 63, 1 / 61, 1 / 62])
    # By default, sums of z-scores above the lowest: titles .8, .4, 0 divided by their deviation; the one document of bm25 counts 1.
    deviation = (0.32 / 3) ** 0.5
    rows = hybrid(conn, "three", rankers=["bm25", "title"], query_vector=notation(vector(1)))
    assert [doc for doc, _, _ in rows] == [1, 2, 3]
    assert [score for _, score, _ in rows] == pytest.approx([0.8 / deviation, 0.4 / deviation, 1.0])


def parts(conn: psycopg.Connection, rankers: Sequence[str], filter_: Mapping[str, object] | None = None) -> dict[str, Scores]:
    """Return the scores of the rankers."""
    found: dict[str, Scores] = {}
    for ranker in rankers:
        function, kind, more = FUNCTIONS[ranker]
        given = [QUERY if kind == "text" else of(QUERY), 1000, *more]
        marks = ", ".join(["%s"] * len(given))
        found[ranker] = dict(
            conn.execute(
                f"SELECT doc, score FROM {function}({marks}, filter => %s)",
                [*given, None if filter_ is None else Jsonb(dict(filter_))],
            ).fetchall()
        )
    return found


@pytest.mark.parametrize("how", METHODS, ids=" ".join)
def test_methods_norms_and_weights(filled: psycopg.Connection, how: tuple[str, str]) -> None:
    method, norm = how
    rankers = ["bm25", "title", "boolean"]
    for weights in (None, {"bm25": 0.5, "title": 2.0, "boolean": 1.0}, {"bm25": 1.0, "title": 0.0, "boolean": 1.0}):
        more: dict[str, Any] = {} if weights is None else {"weights": weights}
        rows = hybrid(filled, rankers=rankers, method=method, norm=norm, constant=7, **more)
        scores = fused_scores(parts(filled, rankers), method=method, norm=norm, weights=weights, constant=7)
        assert {doc: score for doc, score, _ in rows} == pytest.approx(scores, rel=1e-9)


def test_a_filter_is_that_of_each_ranker(filled: psycopg.Connection) -> None:
    rankers = [*FUNCTIONS]
    wanted = {"docs": [2, 3, 9, 5]}
    rows = hybrid(filled, rankers=rankers, filter=wanted, method="rrf")
    assert {*ids(rows)} == {2, 3, 9, 5}
    scores = fused_scores(parts(filled, rankers, wanted), method="rrf")
    assert {doc: score for doc, score, _ in rows} == pytest.approx(scores, rel=1e-12)
    # Each ranker returns depth documents that match the filter; the filter is not applied afterwards.
    assert {*ids(hybrid(filled, rankers=["title"], filter={"docs": [5, 6]}, depth=2))} == {5, 6}


@pytest.fixture
def second(filled: psycopg.Connection, dsn: str) -> BagOfWords:
    """Store another model with vectors of documents and of the query."""
    model = BagOfWords("small", 8)
    embed(filled, model=model)
    filled.execute(
        "INSERT INTO query_v (model, text, v) VALUES ('small', %s, %s)", [QUERY, notation(model.encode(["graph drawing"])[0])]
    )
    return model


def test_a_ranker_names_its_model(filled: psycopg.Connection, second: BagOfWords) -> None:
    assert ids(hybrid(filled, rankers=["title"], k=1)) == [9]
    assert ids(hybrid(filled, rankers=["title:small"], k=1)) == [5]
    assert hybrid(filled, rankers=["title"], model="small") == hybrid(filled, rankers=["title:small"])
    assert hybrid(filled, rankers=["title:minilm"], model="small") == hybrid(filled, rankers=["title"])
    both = hybrid(filled, rankers=["title", "title:small", "bm25"], weights={"title": 1, "title:small": 2, "bm25": 0})
    small = filled.execute(
        "SELECT doc, score FROM dense_search(embed_query(%s, 'small'), 1000, 'title', 'small')", [QUERY]
    ).fetchall()
    expected = fused_scores(
        {"title": parts(filled, ["title"])["title"], "small": dict(small)},
        method="sum",
        norm="zscore",
        weights={"title": 1, "small": 2},
    )
    assert {doc: score for doc, score, _ in both} == pytest.approx(expected, rel=1e-9)


def test_a_given_vector_is_of_the_model_of_rankers_that_name_none(filled: psycopg.Connection, second: BagOfWords) -> None:
    home = notation(second.encode(["home automation"])[0])
    assert ids(hybrid(filled, rankers=["title"], model="small", query_vector=home, k=1)) == [4]
    assert ids(hybrid(filled, rankers=["title:small"], query_vector=of(QUERY), k=1)) == [5]
    assert ids(hybrid(filled, rankers=["title:small"], model="small", query_vector=home, k=1)) == [4]


def test_a_ranker_of_weight_zero_is_not_run(conn: psycopg.Connection) -> None:
    put(conn, TEXTS)
    build(conn, "portable")
    assert hybrid(conn, weights={"bm25": 1, "document": 0}) == hybrid(conn, rankers=["bm25"])


def test_a_ranker_named_twice_counts_once(filled: psycopg.Connection) -> None:
    assert hybrid(filled, rankers=["bm25", "title", "bm25"]) == hybrid(filled, rankers=["bm25", "title"])


def test_a_ranker_that_finds_nothing_needs_no_other_weights(filled: psycopg.Connection) -> None:
    assert parts(filled, ["boolean"])["boolean"]
    rows = hybrid(filled, "xyzzy", rankers=["bm25", "title"], query_vector=of(QUERY), weights={"bm25": 3, "title": 1})
    assert ids(rows) == ids(hybrid(filled, rankers=["title"]))


def test_by_default_words_and_documents(filled: psycopg.Connection) -> None:
    assert hybrid(filled) == hybrid(filled, rankers=["bm25", "document"])
    assert {*ids(hybrid(filled))} == {*TEXTS}


def test_equal_scores_by_docno_descending(filled: psycopg.Connection) -> None:
    """1, 10 and 9 have the same text and therefore the same score in each ranking, ordered by docno."""
    rows = hybrid(filled, rankers=["bm25", "title"])
    assert ids(rows)[:3] == [9, 10, 1]
    put_vectors(filled, title={20: at(0.5), 21: at(0.5)})
    filled.execute("UPDATE dblp_v SET title_v = NULL WHERE id < 20")
    assert ids(hybrid(filled, "graph", rankers=["bm25", "title"], query_vector=notation(vector(1)))) == [5, 21, 20]


def test_a_given_vector_goes_before_the_remembered_one(filled: psycopg.Connection) -> None:
    assert ids(hybrid(filled, rankers=["title"], k=1)) == [9]
    assert ids(hybrid(filled, rankers=["title"], k=1, query_vector=of("graph"))) == [5]


@pytest.mark.usefixtures("dsn")
def test_a_ranker_that_is_not_asked_for_is_not_needed(conn: psycopg.Connection) -> None:
    put(conn, TEXTS)
    embed(conn, model=BagOfWords())
    assert len(hybrid(conn, rankers=["title"], query_vector=of(QUERY))) == len(TEXTS)
    conn.execute("TRUNCATE dblp_v")
    build(conn, "portable")
    assert ids(hybrid(conn, rankers=["bm25"]))


def test_errors_say_what_to_do(filled: psycopg.Connection) -> None:
    def refused(state: str, query: str = QUERY, **arguments: object) -> str:
        with pytest.raises(psycopg.Error) as error:
            hybrid(filled, query, **arguments)
        assert error.value.sqlstate == state
        assert error.value.diag.message_hint
        return str(error.value)

    assert "a query of nobody" in refused("IR405", "a query of nobody")
    assert "splade" in refused("IR107", rankers=["bm25", "splade"])
    refused("IR107", rankers=["bm25", None])
    refused("IR202", rankers=[])
    refused("IR202", rankers=None)
    refused("IR201", k=0)
    refused("IR201", depth=0)
    refused("IR202", constant=-1)
    refused("IR202", method="borda")
    refused("IR202", norm="max")
    for weights in ({"bm25": 1}, {"bm25": 1, "document": 1, "title": 1}, {"bm25": -1, "document": 1}, {"bm25": 0, "document": 0}):
        refused("IR202", weights=weights)
    assert "mpnet" in refused("IR105", rankers=["bm25", "title:mpnet"])
    refused("IR105", model="mpnet")
    for ranker in ("bm25:minilm", "title:", "passage", ":minilm", "title::minilm"):
        assert ranker in refused("IR107", rankers=[ranker])
    refused("IR202", filter={"colour": "red"})
    refused("IR403", query_vector="[1,2]")
    filled.execute("TRUNCATE stc.text_index")
    refused("IR402")
