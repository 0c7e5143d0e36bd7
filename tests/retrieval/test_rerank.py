"""Reranking: with a word-counting scorer for tests of the order, with a real cross-encoder for tests of the model."""

from __future__ import annotations

import importlib
import os
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import psycopg
import pytest
from click.testing import CliRunner

from stcollection import demo
from stcollection.cli.retrieval.fusion import rerank_command
from stcollection.corpus.load import load as load_corpus
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, StateError, UnknownObject
from stcollection.qrels.load import import_qrels
from stcollection.retrieval.crossencoder import fingerprint, load
from stcollection.retrieval.rerank import RerankOptions, rerank
from stcollection.retrieval.run import run
from stcollection.topics.load import load as load_topics
from stcollection.vectors.model import _locate
from tests import databases
from tests.retrieval.fusing import put_run, stored
from tests.text.documents import build, clone, put

pytestmark = pytest.mark.slow

TEXTS: dict[int, tuple[str | None, str | None]] = {
    1: ("voice", "voice voice voice"),
    2: ("voice at home", None),
    3: (None, "voice voice"),
    4: ("nothing", "of that"),
    5: ("voice voice voice voice voice", "voice voice"),
    6: (None, None),
    7: ("voice at home", None),
}
FIRST = {"q1": {4: 9.0, 6: 8.0, 2: 7.0, 7: 7.0, 3: 6.0, 1: 5.0, 5: 4.0}, "q2": {5: 2.0, 4: 1.0}, "stub": {1: 2.0, 5: 1.0}}


class CountsWords:
    """Score a pair by the number of occurrences of the query's first word in the document."""

    name = "tests/counts-words"
    batch = 1

    def __init__(self) -> None:
        self.seen: list[tuple[str, str]] = []
        self.calls = 0

    def score(self, pairs: Sequence[tuple[str, str]]) -> npt.NDArray[np.float32]:
        self.calls += 1
        self.seen += pairs
        return np.array([document.split().count(query.split()[0]) for query, document in pairs], dtype=np.float32) - 3

    def describe(self) -> dict[str, Any]:
        return {"model": self.name}


@databases.world
def filled(conn: psycopg.Connection) -> psycopg.Connection:
    put(conn, TEXTS)
    put_run(conn, FIRST, "first")
    conn.execute("UPDATE st1_queries SET text = CASE query WHEN 'q1' THEN 'voice of people' WHEN 'q2' THEN 'of it' END")
    return conn


def test_the_first_n_by_the_new_scores_the_rest_below_as_it_was(filled: psycopg.Connection) -> None:
    scorer = CountsWords()
    done = rerank(filled, run="first", model=scorer, name="new", options=RerankOptions(n=5))
    # q1: 4 has no occurrence, 6 no text, 2 and 7 have one, 3 has two; 1 and 5 are beyond the first five.
    assert stored(filled, "new")["q1"] == [(3, -1), (7, -2), (2, -2), (4, -3), (6, -4), (1, -5), (5, -6)]
    assert stored(filled, "new")["q2"] == [(4, -2), (5, -3)]
    assert stored(filled, "new")["stub"] == [(1, 2), (5, 1)]
    assert scorer.seen[:4] == [
        ("voice of people", "nothing. of that"),
        ("voice of people", "voice at home"),
        ("voice of people", "voice at home"),
        ("voice of people", "voice voice"),
    ]
    assert (done.run, done.first_stage, done.queries, done.untouched, done.pairs, done.ranked) == ("new", "first", 3, 1, 6, 11)


def test_scores_below_stay_in_order_in_single_precision(filled: psycopg.Connection) -> None:
    class Large(CountsWords):
        def score(self, pairs: Sequence[tuple[str, str]]) -> npt.NDArray[np.float32]:
            return super().score(pairs) + self.shift

        shift = np.float32(0)

    for shift in (0, 1e4, -1e9, 1e30, -1e30):
        scorer = Large()
        scorer.shift = np.float32(shift)
        rerank(filled, run="first", model=scorer, name="new", options=RerankOptions(n=3), replace=True)
        ranked = stored(filled, "new")["q1"]
        # Of the first three, 4 and 7 have text.
        assert [doc for doc, _ in ranked[2:]] == [6, 2, 3, 1, 5]
        single = [float(np.float32(score)) for _, score in ranked[1:]]
        assert single == sorted({*single}, reverse=True)


@pytest.mark.parametrize(("n", "depth"), [(1, None), (2, 1), (5, 5), (100, 3), (100, None)])
def test_n_and_depth(filled: psycopg.Connection, n: int, depth: int | None) -> None:
    rerank(filled, run="first", model=CountsWords(), name="new", options=RerankOptions(n=n))
    whole = stored(filled, "new")
    rerank(filled, run="first", model=CountsWords(), name="cut", options=RerankOptions(n=n, depth=depth))
    assert stored(filled, "cut") == {query: ranked[:depth] for query, ranked in whole.items()}
    if depth is None:
        assert {doc for doc, _ in whole["q1"]} == {*FIRST["q1"]}


def test_pages_of_queries_are_one_run(filled: psycopg.Connection) -> None:
    put_run(filled, {f"p{number}": {1: 3.0, 5: 2.0, 4: 1.0} for number in range(50)}, "many")
    filled.execute("UPDATE st1_queries SET text = 'voice' WHERE query LIKE 'p%'")
    scorer = CountsWords()
    told: list[tuple[int, int | None]] = []
    done = rerank(filled, run="many", model=scorer, name="new", progress=lambda done, total: told.append((done, total)))
    assert scorer.calls > 3
    assert told[-1] == (150, 150)
    assert [one for one, _ in told] == sorted({one for one, _ in told})
    assert done.pairs == 150
    assert all([doc for doc, _ in ranked] == [5, 1, 4] for ranked in stored(filled, "new").values())


def test_what_is_recorded(filled: psycopg.Connection) -> None:
    rerank(filled, run="first", model=CountsWords(), options=RerankOptions(n=5, depth=6))
    [(run_, family, params, made)] = filled.execute(
        "SELECT n.run, n.family, n.params, to_jsonb(f.made) #>> '{}' FROM st1_runs n, st1_runs f"
        " WHERE n.family = 'rerank' AND f.run = 'first'"
    ).fetchall()
    assert (run_, family) == ("first-counts_words", "rerank")
    assert params == {
        "system": "rerank",
        "n": 5,
        "depth": 6,
        "reranker": {"model": "tests/counts-words"},
        "first_stage": {"run": "first", "made": made, "params": {"of": "tests", "nothing": None}},
    }


def test_an_interruption_leaves_nothing(filled: psycopg.Connection) -> None:
    class Interrupted(CountsWords):
        def score(self, pairs: Sequence[tuple[str, str]]) -> npt.NDArray[np.float32]:
            raise KeyboardInterrupt

    rerank(filled, run="first", model=CountsWords(), name="new", options=RerankOptions(n=5))
    before = stored(filled, "new")
    for name in ("new", "other"):
        with pytest.raises(KeyboardInterrupt):
            rerank(filled, run="first", model=Interrupted(), name=name, options=RerankOptions(n=2), replace=True)
    assert stored(filled, "new") == before
    assert stored(filled, "other") == {}
    assert filled.execute("SELECT 1 FROM st1_runs WHERE run = 'other'").fetchall() == []


def test_a_first_stage_that_goes_meanwhile(filled: psycopg.Connection, dsn: str) -> None:
    class Slow(CountsWords):
        def score(self, pairs: Sequence[tuple[str, str]]) -> npt.NDArray[np.float32]:
            with psycopg.connect(dsn, autocommit=True) as other:
                other.execute("DELETE FROM st1_runs WHERE run = 'first'")
            return super().score(pairs)

    with pytest.raises(UnknownObject, match="dropped or replaced") as error:
        rerank(filled, run="first", model=Slow(), name="new")
    assert error.value.sqlstate == "IR101"


def test_errors(filled: psycopg.Connection) -> None:
    scorer = CountsWords()
    with pytest.raises(UnknownObject, match="no run 'frist'"):
        rerank(filled, run="frist", model=scorer)
    with pytest.raises(BadArgument, match="already"):
        rerank(filled, run="first", model=scorer, name="~first")
    with pytest.raises(BadArgument, match="cannot replace one of its sources"):
        rerank(filled, run="first", model=scorer, name="first", replace=True)
    for wrong in ({"n": 0}, {"depth": 0}):
        with pytest.raises(BadArgument, match="is 0") as error:
            rerank(filled, run="first", model=scorer, options=RerankOptions(**wrong))
        assert error.value.sqlstate == "IR201"
    assert scorer.seen == []
    filled.execute("UPDATE st1_queries SET text = NULL")
    with pytest.raises(StateError, match="no document of the run first"):
        rerank(filled, run="first", model=scorer)


def test_a_score_that_is_no_number(filled: psycopg.Connection) -> None:
    class Broken(CountsWords):
        def score(self, pairs: Sequence[tuple[str, str]]) -> npt.NDArray[np.float32]:
            return super().score(pairs) * np.float32("nan")

    with pytest.raises(BadArgument, match="not finite"):
        rerank(filled, run="first", model=Broken(), name="new")
    assert stored(filled, "new") == {}


def test_a_model_that_is_not_here() -> None:
    for name in ("no/such-model", "cross-encoder/ms-marco-MiniLM-L6-v2", "not a name at all", "/no/such/folder"):
        with pytest.raises(UnknownObject, match="cannot be loaded from this machine") as error:
            load(name)
        assert error.value.sqlstate == "IR105"
        assert "downloads nothing" in (error.value.hint or "")


def test_the_fingerprint_of_a_folder(tmp_path: Path) -> None:
    def write(name: str, text: str) -> str:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
        return fingerprint(tmp_path)

    first = write("config.json", "{}")
    assert write("README.md", "a card") == first
    assert write(".git/x", "hidden") == first
    assert write("config.json", "{} ") != first
    assert write("config.json", "{}") == first
    assert write("0/model.bin", "weights") != first


# a real cross-encoder ---------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def collection(server: Settings, admin: psycopg.Connection, template: str) -> Iterator[psycopg.Connection]:
    """Return the demo collection with its judgments and a BM25 run."""
    with clone(server, admin, template, "rerank") as conn:
        load_corpus(conn.info.dsn, [str(demo.CORPUS)])
        load_topics(conn, [demo.QUERIES])
        for edition in demo.EDITIONS:
            import_qrels(conn, demo.qrels(edition), edition=edition)
        build(conn, "portable")
        run(conn, system="bm25", name="bm25")
        yield conn


@pytest.fixture(scope="module")
def minilm() -> Path:
    """Return the folder of the default embedding model, a bi-encoder."""
    return Path(_locate("sentence-transformers/all-MiniLM-L6-v2")[0])


@pytest.fixture(scope="module")
def torch() -> Iterator[Any]:
    """Return torch with one thread that does not spin, so that it leaves cores to the server."""
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    torch = importlib.import_module("torch")
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield torch
    torch.set_num_threads(before)


def encoder(folder: Path, **options: Any) -> Any:
    """Return a CrossEncoder of sentence-transformers."""
    return importlib.import_module("sentence_transformers").CrossEncoder(str(folder), local_files_only=True, **options)


def judged(conn: psycopg.Connection, edition: str) -> list[tuple[str, str, float]]:
    """Return query text, document text, and 1 if the document is relevant."""
    return conn.execute(
        "SELECT q.text, concat_ws('. ', t.title, t.abstract), (j.rel > 0)::integer::double precision"
        " FROM qrels j JOIN qrels_editions e ON e.id = j.edition JOIN st1_queries q ON q.id = j.query"
        " JOIN dblp_text t ON t.id = j.doc"
        " WHERE e.edition = %s ORDER BY q.id, t.id",
        [edition],
    ).fetchall()


@pytest.fixture(scope="module")
def trained(torch: Any, collection: psycopg.Connection, minilm: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Train a cross-encoder: the default embedding model on pairs, with a head trained on the train judgments.

    Only the head is trained, which takes seconds instead of minutes.
    """
    torch.manual_seed(1)
    model = encoder(minilm, num_labels=1, max_length=64)
    pairs = judged(collection, "train")
    with torch.no_grad():
        read = torch.cat(
            [
                model.model.bert(
                    **model.tokenizer(
                        [query for query, _, _ in pairs[begin : begin + 16]],
                        [text for _, text, _ in pairs[begin : begin + 16]],
                        padding=True,
                        truncation=True,
                        max_length=64,
                        return_tensors="pt",
                    )
                ).pooler_output
                for begin in range(0, len(pairs), 16)
            ]
        )
    wanted = torch.tensor([relevant for _, _, relevant in pairs])
    optimiser = torch.optim.Adam(model.model.classifier.parameters(), lr=0.05)
    for _ in range(300):
        optimiser.zero_grad()
        torch.nn.functional.binary_cross_entropy_with_logits(model.model.classifier(read)[:, 0], wanted).backward()
        optimiser.step()
    folder = tmp_path_factory.mktemp("cross-encoder") / "demo-ranker"
    model.save_pretrained(str(folder))
    return folder


@pytest.mark.long
def test_a_cross_encoder_by_path(collection: psycopg.Connection, trained: Path) -> None:
    done = rerank(collection, run="bm25", model=str(trained), name="reranked", options=RerankOptions(n=4, batch=8))
    first, new = stored(collection, "bm25"), stored(collection, "reranked")
    assert first.keys() == new.keys()
    oracle = encoder(trained)
    texts: dict[str, str] = dict(collection.execute("SELECT query, text FROM st1_queries").fetchall())
    contents: dict[int, str] = dict(collection.execute("SELECT id, concat_ws('. ', title, abstract) FROM dblp_text").fetchall())
    names: dict[int, str] = dict(collection.execute("SELECT id, docno FROM dblp").fetchall())
    for query, ranked in new.items():
        docs = [doc for doc, _ in first[query][:4]]
        expected = dict(
            zip(
                docs,
                oracle.predict([(texts[query], contents[doc]) for doc in docs], batch_size=1, show_progress_bar=False),
                strict=True,
            )
        )
        top = dict(ranked[: len(docs)])
        assert top == pytest.approx({doc: float(score) for doc, score in expected.items()}, abs=1e-5)
        order = sorted(top, key=lambda doc: names[doc].encode(), reverse=True)
        assert [doc for doc, _ in ranked[: len(docs)]] == sorted(order, key=lambda doc: -top[doc])
        assert [doc for doc, _ in ranked[len(docs) :]] == [doc for doc, _ in first[query][4:]]
        assert len({score for _, score in ranked[len(docs) - 1 :]}) == len(ranked) - len(docs) + 1
    assert done.pairs == sum(min(4, len(ranked)) for ranked in first.values())
    # The trained scores distinguish relevant documents and change the order of BM25.
    pairs = judged(collection, "train")[::3]
    scores = oracle.predict([pair[:2] for pair in pairs], show_progress_bar=False)
    relevant = np.array([pair[2] for pair in pairs]) > 0
    assert scores[relevant].mean() > scores[~relevant].mean() + 0.1
    assert any([doc for doc, _ in new[query]] != [doc for doc, _ in first[query]] for query in new)
    [(params,)] = collection.execute("SELECT params FROM st1_runs WHERE run = 'reranked'").fetchall()
    assert params["reranker"] == {"model": str(trained), "revision": f"sha256:{fingerprint(trained)}", "max_tokens": 64}
    assert params["first_stage"]["run"] == "bm25"
    assert params["first_stage"]["params"]["indexes"]["text"]["engine"] == "portable"


def test_a_bi_encoder_is_refused(collection: psycopg.Connection, minilm: Path) -> None:
    with pytest.raises(BadArgument, match="not a cross-encoder") as error:
        rerank(collection, run="bm25", model=str(minilm), name="bi")
    assert error.value.sqlstate == "IR202"
    assert "vectors embed" in (error.value.hint or "")
    assert stored(collection, "bi") == {}


def test_more_than_one_score_a_pair_is_refused(torch: Any, minilm: Path, tmp_path: Path) -> None:
    encoder(minilm, num_labels=3).save_pretrained(str(tmp_path))
    with pytest.raises(BadArgument, match="3 scores per pair"):
        load(str(tmp_path))


def test_one_saved_by_transformers_alone(trained: Path, tmp_path: Path) -> None:
    """Older cross-encoders lack the files of sentence-transformers and are detected by the head in config.json."""
    folder = tmp_path / "old"
    shutil.copytree(trained, folder)
    for name in ("config_sentence_transformers.json", "modules.json", "sentence_bert_config.json"):
        (folder / name).unlink()
    pairs = [("a query", "a document"), ("voice assistants", "voice assistants at home")]
    old, new = load(str(folder)), load(str(trained))
    assert old.revision != new.revision
    assert old.device
    # The activation was in a removed file: scores may differ, but not their order.
    assert np.argsort(old.score(pairs)).tolist() == np.argsort(new.score(pairs)).tolist()


def test_the_command(collection: psycopg.Connection, server: Settings, trained: Path) -> None:
    settings = replace(server, db=collection.info.dbname)
    arguments = ["bm25", "--model", str(trained), "-n", "3", "--depth", "3"]
    done = CliRunner().invoke(rerank_command, arguments, obj=settings, catch_exceptions=False)
    assert done.exit_code == 0
    assert done.stdout.startswith("bm25-demo_ranker: ")
    assert {len(ranked) for ranked in stored(collection, "bm25-demo_ranker").values()} <= {1, 2, 3}
