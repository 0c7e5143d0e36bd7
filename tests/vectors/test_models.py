"""Several models: separate tables, dimensions, prefixes and indexes."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import psycopg
import pytest
from click.testing import CliRunner

from stcollection.cli import stc
from stcollection.errors import BadInput, StateError
from stcollection.vectors.embed import embed
from stcollection.vectors.index import IndexOptions, index
from stcollection.vectors.model import FOLDERS, Embedder, EncoderOptions, Vectors, load
from stcollection.vectors.queries import embed_queries, query_vector
from stcollection.vectors.store import registered
from tests.text.documents import put
from tests.vectors.worlds import BagOfWords

pytestmark = pytest.mark.usefixtures("dsn")  # embed stores on a separate connection

TEXTS: dict[int, tuple[str | None, str | None]] = {
    1: ("Voice assistants", "They listen at home."),
    2: ("Self-driving cars", None),
    3: (None, "Pedestrians cross a street."),
    4: ("  ", " \n"),
    5: ("Machine translation", "A survey of systems."),
}
QUERY = "who listens?"


def column(conn: psycopg.Connection, table: str, field: str) -> dict[int, Vectors]:
    rows = conn.execute(f"SELECT id, {field}_v::vector::real[] FROM {table} WHERE {field}_v IS NOT NULL").fetchall()
    return {doc: np.array(v, dtype=np.float32) for doc, v in rows}


def contents(conn: psycopg.Connection) -> dict[int, str]:
    rows = conn.execute("SELECT id, content FROM stc.unembedded('minilm', fields => '{content}')").fetchall()
    return dict(rows)


def test_content_is_title_and_abstract_as_one_text(conn: psycopg.Connection) -> None:
    put(conn, TEXTS)
    expected = {
        1: "Voice assistants. They listen at home.",
        2: "Self-driving cars",
        3: "Pedestrians cross a street.",
        5: "Machine translation. A survey of systems.",
    }
    assert contents(conn) == expected
    encoder = BagOfWords()
    done = embed(conn, model=encoder, fields=["content"])
    assert (done.documents, done.titles, done.abstracts, done.contents) == (4, 0, 0, 4)
    assert contents(conn) == {}
    stored = column(conn, "dblp_v", "content")
    assert {doc: v.tolist() for doc, v in stored.items()} == {
        doc: encoder.encode([text])[0].tolist() for doc, text in expected.items()
    }
    assert column(conn, "dblp_v", "title") == {}
    both = embed(conn, model=encoder, fields=["content", "title"])
    assert (both.documents, both.titles, both.contents) == (3, 3, 0)


@pytest.mark.slow
def test_a_field_that_documents_do_not_have(conn: psycopg.Connection) -> None:
    put(conn, TEXTS)
    for call in ("stc.unembedded('minilm', fields => '{title,passage}')", "stc.count_unembedded(fields => '{venue}')"):
        with pytest.raises(psycopg.Error, match="no vectors of a field") as error:
            conn.execute(f"SELECT {call}")
        assert error.value.sqlstate == "IR106"


@pytest.mark.slow
def test_two_models_by_their_own_words(
    conn: psycopg.Connection, model: Embedder, small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from sentence_transformers import SentenceTransformer

    monkeypatch.setenv(FOLDERS, str(small))
    put(conn, TEXTS)
    embed(conn, model=model)
    done = embed(conn, model=str(small), fields=["title", "abstract", "content"], options=EncoderOptions(precision="fp32"))
    assert (done.model, done.documents, done.titles, done.abstracts, done.contents) == ("small", 4, 3, 3, 4)
    space = registered(conn, "small")
    assert (space.dim, space.storage, space.pooling, space.relation) == (128, "vector", "cls", "dblp_v_small")
    assert (space.query_prefix, space.passage_prefix, space.made_by) == ("query: ", "passage: ", ["torch fp32"])
    assert space.revision is not None
    assert space.revision.startswith("sha256 ")

    oracle = SentenceTransformer(str(small), local_files_only=True)
    [title, query] = oracle.encode(["passage: Voice assistants", f"query: {QUERY}"], normalize_embeddings=True)
    np.testing.assert_allclose(column(conn, "dblp_v_small", "title")[1], title, atol=2e-6)
    for made in (query_vector(conn, QUERY, model="small"), query_vector(conn, QUERY, model=load(str(small)))):
        np.testing.assert_allclose(made.to_numpy(), query, atol=2e-6)
    assert column(conn, "dblp_v", "title")[1].shape == (384,)

    [(best, score)] = conn.execute(
        "SELECT doc, score FROM dense_search(embed_query(%s, 'small'), 1, 'title', 'small')", [QUERY]
    ).fetchall()
    titles = column(conn, "dblp_v_small", "title")
    assert best == max(titles, key=lambda doc: float(titles[doc] @ query))
    assert score == pytest.approx(float(titles[best] @ query), abs=1e-5)
    with pytest.raises(psycopg.Error, match="128 dimensions") as wrong:
        conn.execute("SELECT * FROM dense_search(embed_query(%s, 'small'), 1, 'title', 'minilm')", [QUERY])
    assert wrong.value.sqlstate == "IR403"


@pytest.mark.slow
def test_prefixes_are_stored_and_kept(
    conn: psycopg.Connection, weights: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(FOLDERS, str(tmp_path))
    put(conn, {1: ("cars", None)})
    folder = shutil.copytree(weights, tmp_path / "plain")
    embed(conn, model=str(folder), options=EncoderOptions(query_prefix="ask: ", passage_prefix="tell: ", precision="fp32"))
    encoder = load(options=EncoderOptions(precision="fp32"))
    np.testing.assert_allclose(column(conn, "dblp_v_plain", "title")[1], encoder.encode(["tell: cars"])[0], atol=2e-6)
    put(conn, {2: ("trains", None)})
    embed(conn, model="plain", options=EncoderOptions(precision="fp32"))  # by its short name, without prefixes
    np.testing.assert_allclose(column(conn, "dblp_v_plain", "title")[2], encoder.encode(["tell: trains"])[0], atol=2e-6)
    conn.execute("INSERT INTO st1_queries (query, text) VALUES ('1', 'roads')")
    assert embed_queries(conn, model="plain") == 1
    [(stored,)] = conn.execute("SELECT embed_query('roads', 'plain')::real[]").fetchall()
    np.testing.assert_allclose(stored, encoder.encode(["ask: roads"])[0], atol=2e-6)

    for lacking in (0, 1):  # first with nothing to embed, then with texts
        if lacking:
            put(conn, {3: ("ships", None)})
        with pytest.raises(StateError, match="documents of plain have the prefix 'tell: ', not 'say: '") as error:
            embed(conn, model="plain", options=EncoderOptions(passage_prefix="say: "))
        assert error.value.sqlstate == "IR403"
    assert column(conn, "dblp_v_plain", "title").keys() == {1, 2}

    # The same weights in another folder are the same model; other weights in the same folder are not.
    moved = shutil.move(folder, tmp_path / "moved")
    assert embed(conn, model=str(moved), short="plain").documents == 1
    config = tmp_path / "moved" / "1_Pooling" / "config.json"
    config.write_text(config.read_text().replace('"pooling_mode_mean_tokens": true', '"pooling_mode_mean_tokens":  true'))
    other = shutil.copytree(tmp_path / "moved", tmp_path / "other")
    put(conn, {4: ("planes", None)})
    with pytest.raises(StateError, match=r"by weights with sha256 .*, not sha256 "):
        embed(conn, model=str(other), short="plain")


@pytest.mark.slow
def test_a_wide_model_is_stored_in_half_precision(conn: psycopg.Connection, wide: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(FOLDERS, f"/elsewhere:{wide.parent}")
    put(conn, TEXTS)
    assert embed(conn, model=str(wide), options=EncoderOptions(precision="fp32")).documents == 4
    space = registered(conn, "wide")
    assert (space.dim, space.storage) == (2560, "halfvec")
    encoder = load(str(wide), options=EncoderOptions(precision="fp32"))
    expected = encoder.encode(["Voice assistants"])[0]
    np.testing.assert_allclose(column(conn, "dblp_v_wide", "title")[1], expected, atol=1e-4)
    [made] = index(conn, model="wide", fields=["title"], options=IndexOptions(kind="hnsw"))
    assert made.rows == 3
    query = query_vector(conn, "assistants that speak", model="wide")
    rows = conn.execute("SELECT doc, score FROM dense_search(%s::vector, 3, 'title', 'wide')", [query]).fetchall()
    titles = column(conn, "dblp_v_wide", "title")
    exact = {doc: float(titles[doc] @ encoder.encode(["assistants that speak"], query=True)[0]) for doc in titles}
    assert [doc for doc, _ in rows] == sorted(exact, key=lambda doc: -exact[doc])
    np.testing.assert_allclose([score for _, score in rows], sorted(exact.values(), reverse=True), atol=1e-3)


def test_a_vector_that_is_not_finite_is_not_stored(conn: psycopg.Connection) -> None:
    class Broken(BagOfWords):
        def encode(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
            vectors = super().encode(texts, query=query)
            vectors[[text == "bad" for text in texts]] = np.nan
            return vectors

    put(conn, {1: ("good", None), 2: ("bad", None), 3: ("fine", None)})
    with pytest.raises(BadInput, match="title vector of document 2 by minilm is not finite"):
        embed(conn, model=Broken(), rows=1)
    assert column(conn, "dblp_v", "title").keys() <= {1}


@pytest.mark.slow
def test_models_are_listed_and_dropped(conn: psycopg.Connection, monkeypatch: pytest.MonkeyPatch, dsn: str) -> None:
    put(conn, TEXTS)
    embed(conn, model=BagOfWords())
    other = BagOfWords(short="other", dim=8)
    other.name = "tests/other"
    embed(conn, model=other, fields=["content"])
    index(conn, model="other", fields=["content"])
    conn.execute("INSERT INTO st1_queries (query, text) VALUES ('1', 'roads')")
    embed_queries(conn, model=other)

    monkeypatch.setenv("STC_DSN", dsn)
    run = CliRunner().invoke
    listed = run(stc, ["vectors", "models"])
    assert listed.exit_code == 0, listed.output
    assert [line for line in listed.output.splitlines() if not line.startswith(" ")] == ["minilm", "other"]
    for words in ("tests/other", "contents        4", "content ivfflat", "titles          3"):
        assert words in listed.output
    assert run(stc, ["vectors", "drop", "other"]).exit_code == 0
    assert conn.execute("SELECT model FROM stc.vector_models").fetchall() == [("minilm",)]
    assert conn.execute("SELECT to_regclass('dblp_v_other'), to_regclass('dblp_p_other')").fetchone() == (None, None)
    assert conn.execute("SELECT count(*) FROM query_v WHERE model = 'other'").fetchone() == (0,)
    for model, state in (("other", "IR105"), ("minilm", "IR202")):
        with pytest.raises(psycopg.Error) as error:
            conn.execute("SELECT stc.drop_vector_model(%s)", [model])
        assert error.value.sqlstate == state
        assert error.value.diag.message_hint
