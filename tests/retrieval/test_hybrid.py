"""hybrid_search: reciprocal rank fusion by hand and against its definition."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import psycopg
import pytest

from stcollection.vectors.embed import embed
from stcollection.vectors.queries import notation
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
    "document": ("dense_document_search", "vector", ()),
}


@pytest.fixture
def filled(conn: psycopg.Connection) -> psycopg.Connection:
    put(conn, TEXTS)
    build(conn, "portable")
    embed(conn, model=BagOfWords())
    conn.execute(
        "INSERT INTO query_v (model, text, v) VALUES ('minilm', %s, %s), ('minilm', 'decoy', %s)", [QUERY, of(QUERY), of("graph")]
    )
    return conn


def of(text: str) -> str:
    return notation(BagOfWords().encode([text])[0])


def hybrid(conn: psycopg.Connection, query: str = QUERY, **arguments: object) -> list[tuple[int, float, int]]:
    names = "".join(f", {name} => %s{'::vector' if name == 'query_vector' else ''}" for name in arguments)
    return conn.execute(f"SELECT * FROM hybrid_search(%s{names})", [query, *arguments.values()]).fetchall()


def fused(conn: psycopg.Connection, rankers: Sequence[str], depth: int = 1000, constant: int = 60) -> list[tuple[int, float, int]]:
    """By the definition, from the rankers' own rows."""
    parts: dict[int, list[float]] = defaultdict(list)
    for ranker in rankers:
        function, kind, more = FUNCTIONS[ranker]
        for doc, _, rank in found(conn, function, QUERY if kind == "text" else of(QUERY), depth, *more):
            parts[doc].append(1 / (constant + rank))
    scores = {doc: sum(sorted(values, reverse=True)) for doc, values in parts.items()}
    order = sorted(scores, key=lambda doc: str(doc).encode(), reverse=True)
    order.sort(key=lambda doc: scores[doc], reverse=True)
    return [(doc, scores[doc], rank) for rank, doc in enumerate(order, start=1)]


@pytest.mark.parametrize(
    "rankers",
    [
        ["bm25"], ["title"], ["abstract"], ["document"], ["boolean"], ["bm25", "abstract"], ["title", "bm25"], ["bm25", "document"],
        ["boolean", "document"], ["bm25", "boolean", "title", "abstract", "document"],
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
    # By default sums of z-scores above the lowest: of titles .8, .4, 0 over their deviation; the one document of bm25 counts 1.
    deviation = (0.32 / 3) ** 0.5
    rows = hybrid(conn, "three", rankers=["bm25", "title"], query_vector=notation(vector(1)))
    assert [doc for doc, _, _ in rows] == [1, 2, 3]
    assert [score for _, score, _ in rows] == pytest.approx([0.8 / deviation, 0.4 / deviation, 1.0])


def test_by_default_words_and_documents(filled: psycopg.Connection) -> None:
    assert hybrid(filled) == hybrid(filled, rankers=["bm25", "document"])
    assert {*ids(hybrid(filled))} == {*TEXTS}


def test_equal_scores_by_docno_descending(filled: psycopg.Connection) -> None:
    """1, 10 and 9 are one text: the same score in each ranking, next to each other, and so in pairs of ranks by docno."""
    rows = hybrid(filled, rankers=["bm25", "title"])
    assert ids(rows)[:3] == [9, 10, 1]
    put_vectors(filled, title={20: at(0.5), 21: at(0.5)})
    filled.execute("UPDATE dblp_v SET title_v = NULL WHERE id < 20")
    assert ids(hybrid(filled, "graph", rankers=["bm25", "title"], query_vector=notation(vector(1)))) == [5, 21, 20]


def test_a_given_vector_goes_before_the_remembered_one(filled: psycopg.Connection) -> None:
    assert ids(hybrid(filled, rankers=["title"], k=1)) == [9]
    assert ids(hybrid(filled, rankers=["title"], k=1, query_vector=of("graph"))) == [5]


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
    refused("IR403", query_vector="[1,2]")
    filled.execute("TRUNCATE text_index")
    refused("IR402")
