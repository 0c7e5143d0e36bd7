"""Systems with several stages, compared with the same stages run one by one, and with numpy."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import psycopg
import pytest
from click.testing import CliRunner

import stcollection.retrieval.pipelines
import stcollection.retrieval.systems
from stcollection.cli import stc
from stcollection.db.settings import Settings
from stcollection.errors import StateError, StcError, UnknownObject
from stcollection.mcp.statements import search_query
from stcollection.retrieval.crossencoder import load
from stcollection.retrieval.pareto import ParetoOptions, pareto
from stcollection.retrieval.rerank import RerankOptions, rerank, rerank_by_vectors
from stcollection.retrieval.run import run
from stcollection.retrieval.search import search, search_article, search_many
from stcollection.retrieval.settings import QuerySource
from stcollection.retrieval.systems import add_system, drop_system, needs_vector, systems
from stcollection.vectors.embed import embed
from stcollection.vectors.model import FOLDERS
from stcollection.vectors.queries import embed_queries
from tests import databases
from tests.crossencoders import predicted, save
from tests.retrieval.fusing import stored
from tests.retrieval.test_rerank import CountsWords
from tests.text.documents import build, put
from tests.vectors.worlds import BagOfWords

WORDS = ("voice", "home", "speaker", "cars", "street", "graph", "tree", "listen")
STAGES = "bm25 20 >> dense 12 >> cross-encoder:tests/counts-words 5"
TWO = "bm25 20 >> dense-title 6"


def documents() -> dict[int, tuple[str | None, str | None]]:
    chance = np.random.default_rng(3)

    def words(least: int, most: int) -> str:
        return " ".join(chance.choice(WORDS, size=chance.integers(least, most)))

    return {doc: (words(1, 4), None if doc % 4 == 0 else words(2, 9)) for doc in range(1, 41)}


@databases.world
def filled(conn: psycopg.Connection) -> psycopg.Connection:
    put(conn, documents())
    build(conn, "portable")
    embed(conn, model=BagOfWords())
    embed(conn, model=BagOfWords("wide", 64), fields=("abstract", "title"))
    conn.execute("INSERT INTO st1_queries (query, text) VALUES ('q1', 'voice home'), ('q2', 'street cars'), ('q3', 'tree')")
    for short, dim in (("minilm", 384), ("wide", 64)):
        embed_queries(conn, model=BagOfWords(short, dim))
    conn.execute("SELECT add_system('staged', %s), add_system('two', %s)", [STAGES, TWO])
    return conn


@pytest.fixture(autouse=True)
def scorer(monkeypatch: pytest.MonkeyPatch) -> CountsWords:
    made = CountsWords()

    def load(model: str, *, stored: bool) -> CountsWords:
        assert (model, stored) == (CountsWords.name, True)
        return made

    monkeypatch.setattr(stcollection.retrieval.pipelines, "load", load)
    return made


def by_hand(conn: psycopg.Connection, name: str, **options: Any) -> dict[str, list[tuple[int, float]]]:
    """Run the stages of STAGES one by one."""
    run(conn, system="bm25", name=f"{name}-1", depth=20, **options)
    rerank_by_vectors(conn, run=f"{name}-1", name=f"{name}-2", model="minilm", options=RerankOptions(n=12))
    rerank(conn, run=f"{name}-2", name=name, model=CountsWords(), options=RerankOptions(n=5))
    return stored(conn, name)


def same(one: Sequence[tuple[int, float]], other: Sequence[tuple[int, float]]) -> None:
    assert [doc for doc, _ in one] == [doc for doc, _ in other]
    assert [score for _, score in one] == pytest.approx([score for _, score in other], abs=1e-6)


def test_a_run_is_that_of_its_stages_one_by_one(filled: psycopg.Connection, scorer: CountsWords) -> None:
    done = run(filled, system="staged", name="whole")
    assert (done.queries, scorer.calls) == (3, 3)
    whole, expected = stored(filled, "whole"), by_hand(filled, "hand")
    assert whole.keys() == expected.keys()
    for query, ranking in whole.items():
        same(ranking, expected[query])
        assert len(ranking) > 5
    assert any(whole[query] != stored(filled, "hand-1")[query] for query in whole)
    [(params,)] = filled.execute("SELECT params FROM st1_runs WHERE run = 'whole'").fetchall()
    assert [(stage["stage"], stage["n"], stage.get("model")) for stage in params["stages"]] == [
        ("bm25", 20, None),
        ("dense", 12, "minilm"),
        ("cross-encoder:tests/counts-words", 5, None),
    ]
    assert params["stages"][2]["reranker"] == {"model": CountsWords.name}
    assert params["stages"][1]["reranker"]["model"] == BagOfWords.name
    [(metadata,)] = filled.execute("SELECT stc.run_metadata('whole')").fetchall()
    assert metadata["method"]["retrieval"][0]["stages"] == params["stages"]


def test_numpy_composes_the_same(filled: psycopg.Connection) -> None:
    encoder, texts = BagOfWords(), documents()
    [query] = encoder.encode(["voice home"], query=True)
    names = {doc: str(doc) for doc in texts}

    def ordered(scores: dict[int, float]) -> list[int]:
        backwards = sorted(scores, key=lambda doc: names[doc].encode(), reverse=True)
        return sorted(backwards, key=lambda doc: -np.float32(scores[doc]))

    found = filled.execute("SELECT doc, score FROM bm25_search('voice home', 20)").fetchall()
    ranked = ordered(dict(found))
    cosines = {doc: float(encoder.encode([texts[doc][1] or texts[doc][0] or ""])[0] @ query) for doc in ranked[:12]}
    ranked = ordered(cosines) + ranked[12:]
    counts = {doc: ". ".join(part for part in texts[doc] if part).split().count("voice") for doc in ranked[:5]}
    ranked = ordered({doc: float(count) for doc, count in counts.items()}) + ranked[5:]
    assert [document.doc for document in search(filled, "voice home", system="staged", k=50)] == ranked
    assert [document.doc for document in search(filled, "voice home", system="staged", k=3)] == ranked[:3]


def test_every_face_ranks_alike(filled: psycopg.Connection) -> None:
    for system in ("staged", "two"):
        expected = [document.doc for document in search(filled, "street cars", system=system, k=7)]
        many = search_many(filled, ["tree", "street cars"], system=system, k=7)
        assert [int(row.docno) for row in many if row.query == 1] == expected
        asked = search_query(filled, {"query": "street cars", "system": system, "k": 7})
        assert [int(row[2]) for row in filled.execute(asked.statement, asked.values)] == expected
    run(filled, system="two", name="two")
    rows = filled.execute("SELECT doc FROM system_search('street cars', 'two', 7)").fetchall()
    assert [doc for (doc,) in rows] == expected == [doc for doc, _ in stored(filled, "two")["q2"]][:7]
    with pytest.raises(psycopg.Error, match="needs a model, which SQL cannot run") as error:
        filled.execute("SELECT doc FROM system_search('street cars', 'staged', 7)")
    assert error.value.sqlstate == "IR404"


def test_filters_and_excluded_documents_hold_in_all_stages(filled: psycopg.Connection, scorer: CountsWords) -> None:
    only = {"docs": list(range(1, 21))}
    first = [doc for doc, _ in by_hand(filled, "unfiltered")["q1"]][:4]
    filled.execute("UPDATE stc.st1_queries SET excluded = %s WHERE query = 'q1'", [first])
    for name in ("staged", "two"):
        run(filled, system=name, name=name, filter=only)
        for ranking in stored(filled, name).values():
            assert {doc for doc, _ in ranking} <= set(range(1, 21))
        assert not {doc for doc, _ in stored(filled, name)["q1"]} & set(first)
    for query, ranking in by_hand(filled, "hand", filter=only).items():
        same(stored(filled, "staged")[query], ranking)
    many = search_many(filled, ["voice home"], system="staged", k=50, names=["q1"], filter=only)
    assert [int(row.docno) for row in many] == [doc for doc, _ in stored(filled, "staged")["q1"]]
    read = {doc for doc, words in documents().items() for _, text in scorer.seen if text == ". ".join(filter(None, words))}
    assert read <= set(range(1, 21)) | set(first)


def test_an_interrupted_run_continues(filled: psycopg.Connection, scorer: CountsWords, monkeypatch: pytest.MonkeyPatch) -> None:
    score = scorer.score

    def breaks(pairs: Sequence[tuple[str, str]]) -> Any:
        if scorer.calls == 2:
            raise KeyboardInterrupt
        return score(pairs)

    monkeypatch.setattr(scorer, "score", breaks)
    with pytest.raises(KeyboardInterrupt):
        run(filled, system="staged", name="whole")
    assert stored(filled, "whole") == {}
    monkeypatch.setattr(scorer, "score", score)
    notes: list[str] = []
    run(filled, system="staged", name="whole", progress=lambda done, total, note: notes.append(note))
    assert "whole: continuing after 2 of 3 queries" in notes
    assert scorer.calls == 3
    assert stored(filled, "whole").keys() == {"q1", "q2", "q3"}

    monkeypatch.setattr(scorer, "score", breaks)
    scorer.calls = 0
    with pytest.raises(KeyboardInterrupt):
        run(filled, system="staged", name="other")
    monkeypatch.setattr(scorer, "score", score)
    monkeypatch.setattr(scorer, "describe", lambda: {"model": scorer.name, "revision": "new"})
    run(filled, system="staged", name="other", progress=lambda done, total, note: notes.append(note))
    assert "other: searching all queries again, because the parameters changed" in notes


def test_a_stage_names_its_model(filled: psycopg.Connection) -> None:
    filled.execute("SELECT add_system('named', 'bm25 20 >> dense-title:wide 6')")
    assert not needs_vector(filled, "named")
    assert needs_vector(filled, "two")
    model = BagOfWords("wide", 64)
    run(filled, system="named", name="named")
    run(filled, system="bm25", name="first", depth=20)
    rerank_by_vectors(filled, run="first", name="hand", field="title", model=model, options=RerankOptions(n=6))
    assert stored(filled, "named") == stored(filled, "hand")
    run(filled, system="two", name="given", model=model)
    assert stored(filled, "given") == stored(filled, "hand")
    assert [params["stages"][1]["model"] for (params,) in filled.execute("SELECT params FROM st1_runs WHERE run = 'given'")] == [
        "wide"
    ]


def test_dense_is_dense_document(filled: psycopg.Connection) -> None:
    filled.execute("SELECT add_system('short', 'bm25 20>>dense'), add_system('long', 'bm25 20 >> dense-document 20')")
    short, long = (search(filled, "voice home", system=system, k=30) for system in ("short", "long"))
    assert short == long != search(filled, "voice home", system="bm25", k=20)
    assert [one.function for one in systems(filled) if one.system == "short"] == ["bm25 20 >> dense 20"]


WRONG = [
    ("bm25 10 >> dence 5", "IR107", "stage 2, 'dence', is unknown"),
    ("bm2 10 >> dense 5", "IR107", "there is no system bm2"),
    ("bm25 10 >> dense 50", "IR201", "stage 2, dense, is to score 50, but the stage before has 10"),
    ("bm25 >> dense 2000", "IR201", "but the stage before has 1000"),
    ("bm25 0 >> dense", "IR201", "stage 1, bm25, is to score 0"),
    ("bm25 -3 >> dense", "IR201", "is to score -3"),
    ("bm25 99999999999 >> dense", "IR201", "is to score 99999999999"),
    ("bm25 10 >> dense:nope 5", "IR105", "nope"),
    ("bm25 10 >> cross-encoder 5", "IR105", "names no model"),
    ("bm25 10 >> bm25 5", "IR107", "'bm25', is unknown"),
    (">> dense", "IR107", "there is no system"),
    ("bm25 >>", "IR107", "stage 2, '', is unknown"),
    ("two 10 >> dense 5", "IR202", "the first stage, two, has stages itself"),
]


@pytest.mark.parametrize(("stages", "sqlstate", "message"), WRONG)
def test_stages_that_are_refused(filled: psycopg.Connection, stages: str, sqlstate: str, message: str) -> None:
    with pytest.raises(StcError, match=message) as error:
        add_system(filled, "wrong", stages)
    assert error.value.sqlstate == sqlstate
    assert error.value.hint
    assert filled.execute("SELECT count(*) FROM systems WHERE system = 'wrong'").fetchone() == (0,)


def test_a_model_that_is_missing(filled: psycopg.Connection, tmp_path: Path) -> None:
    with pytest.raises(UnknownObject, match="cannot be loaded from this machine"):
        add_system(filled, "wrong", "bm25 10 >> cross-encoder:nobody/nothing 5")
    located: list[str] = []
    (tmp_path / "a model").mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stcollection.retrieval.systems, "locate", located.append)
        patch.chdir(tmp_path)
        add_system(filled, "spaced", "bm25 10>>cross-encoder:a model 5")
    assert located == [str(tmp_path / "a model")]
    [listed] = [one for one in systems(filled) if one.system == "spaced"]
    assert (listed.function, listed.problem) == (f"bm25 10 >> cross-encoder:{tmp_path}/a model 5", None)
    filled.execute("SELECT stc.drop_vector_model('wide'), add_system('kept', 'bm25 9 >> dense 9')")
    with pytest.raises(StateError, match="own transaction"), filled.transaction():
        run(filled, system="staged", name="inside")
    assert drop_system(filled, "kept") == 0


def test_the_model_of_a_stage_is_dropped(filled: psycopg.Connection) -> None:
    filled.execute("SELECT add_system('named', 'bm25 20 >> dense-title:wide 6')")
    filled.execute("SELECT stc.drop_vector_model('wide')")
    with pytest.raises(StcError, match="named cannot run: there are no vectors of a model wide"):
        search(filled, "tree", system="named")
    assert {one.system: one.problem for one in systems(filled)}["named"] == "there are no vectors of a model wide"


@pytest.fixture
def real(filled: psycopg.Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a real cross-encoder of random weights, which is the last stage of the system real."""
    monkeypatch.setattr(stcollection.retrieval.pipelines, "load", load)
    monkeypatch.setenv(FOLDERS, str(tmp_path))
    folder = save(tmp_path / "a model", WORDS)
    add_system(filled, "real", f"bm25 20 >> dense 12 >> cross-encoder:{folder} 5")
    return folder


def expected(conn: psycopg.Connection, folder: Path, text: str) -> list[tuple[int, float]]:
    """Return the first five documents of the stages before by the scores of sentence-transformers alone."""
    conn.execute("SELECT add_system('before', 'bm25 20 >> dense 12')")
    docs = [document.doc for document in search(conn, text, system="before", k=5)]
    texts = documents()
    scores = predicted(folder, text, [". ".join(part for part in texts[doc] if part) for doc in docs])
    return sorted(zip(docs, scores, strict=True), key=lambda pair: -pair[1])


def test_a_real_cross_encoder(filled: psycopg.Connection, settings: Settings, real: Path) -> None:
    """Run, search, programs' search and Pareto front have the scores of CrossEncoder.predict."""
    run(filled, system="real", name="real")
    for query, text in (("q1", "voice home"), ("q2", "street cars")):
        wanted = expected(filled, real, text)
        assert len({score for _, score in wanted}) > 2
        asked = search_query(filled, {"query": text, "system": "real", "k": 5})
        rows = filled.execute(asked.statement, asked.values).fetchall()
        shown = CliRunner().invoke(stc, ["search", text, "--system", "real", "-k", "5", "--format", "json"], obj=settings)
        front = pareto(filled, text, system="real", options=ParetoOptions(k=5, fronts=None))
        for ranking in (
            stored(filled, "real")[query][:5],
            [(one.doc, one.score) for one in search(filled, text, system="real", k=5)],
            [(int(row[2]), row[1]) for row in rows],
            [(int(row["docno"]), row["score"]) for row in json.loads(shown.stdout)],
            [(one.doc, one.score) for one in sorted(front, key=lambda one: one.rank)],
        ):
            assert dict(ranking) == pytest.approx(dict(wanted), abs=1e-5)
            assert [score for _, score in ranking] == sorted((score for _, score in ranking), reverse=True)
    with pytest.raises(psycopg.Error, match="needs a model, which SQL cannot run"):
        filled.execute("SELECT doc FROM pareto_front('voice home', 5, system => 'real')")
    [(params,)] = filled.execute("SELECT params FROM st1_runs WHERE run = 'real'").fetchall()
    assert params["stages"][2]["reranker"]["model"] == str(real)


def test_an_article_is_read_chunk_by_chunk(filled: psycopg.Connection, real: Path) -> None:
    """The documents are those of its chunks, fused by reciprocal ranks; without a cross-encoder, as SQL ranks them."""
    article = "voice home voice\n\nstreet cars and a street\n\ntree"
    filled.execute("INSERT INTO st1_topics (topic, article) VALUES ('t', %s)", [article])
    [(chunks,)] = filled.execute("SELECT stc.article_chunks(stc.needed_article('t'), 3)").fetchall()
    assert len(chunks) == 3
    fused: dict[int, float] = {}
    for chunk in chunks:
        for rank, one in enumerate(search(filled, chunk, system="real", k=1000, model=BagOfWords()), 1):
            fused[one.doc] = fused.get(one.doc, 0) + 1 / (60 + rank)
    found = search_article(filled, "t", system="real", k=50, chunk=3, model=BagOfWords())
    assert {one.doc: one.score for one in found} == pytest.approx(fused)
    assert [one.score for one in found] == pytest.approx(sorted(fused.values(), reverse=True))
    assert [one.doc for one in search_article(filled, "t", system="real", k=2, chunk=3)] == [one.doc for one in found[:2]]
    articles = QuerySource(query_from="article", chunk=3)
    filled.execute("UPDATE stc.st1_queries SET topic = (SELECT id FROM st1_topics) WHERE query = 'q2'")
    run(filled, system="real", name="read", source=articles, model=BagOfWords())
    assert {query: dict(ranked) for query, ranked in stored(filled, "read").items()} == {"q2": pytest.approx(fused)}
    filled.execute("UPDATE stc.st1_queries SET excluded = %s", [[found[0].doc]])
    run(filled, system="real", name="read", source=articles, model=BagOfWords(), replace=True)
    assert found[0].doc not in dict(stored(filled, "read")["q2"])
    two = search_article(filled, "t", system="two", k=50, chunk=3, model=BagOfWords())
    ours = filled.execute("SELECT doc, score FROM article_search('t', 'two', 50, chunk => 3)").fetchall()
    same([(one.doc, one.score) for one in two], ours)


def test_the_commands(filled: psycopg.Connection, settings: Settings) -> None:
    made = CliRunner().invoke(stc, ["run", "staged"], obj=settings, catch_exceptions=False)
    assert made.stdout.startswith("staged: ")
    found = CliRunner().invoke(stc, ["search", "tree", "--system", "staged", "-k", "2", "--format", "csv"], obj=settings)
    assert found.exit_code == 0
    assert [int(line.split(",")[2]) for line in found.stdout.splitlines()[1:]] == [
        doc for doc, _ in stored(filled, "staged")["q3"]
    ][:2]
    listed = CliRunner().invoke(stc, ["show", "systems"], obj=settings)
    assert STAGES in listed.stdout
