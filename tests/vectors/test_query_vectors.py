"""Vectors of queries that were made elsewhere: import by query id, and their use by searches and runs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import psycopg
import pytest
from click.testing import CliRunner

from stcollection.cli import stc
from stcollection.errors import BadInput, StateError, UnknownObject
from stcollection.retrieval.run import run
from stcollection.vectors.incoming import ForeignModel, ImportedVectors
from stcollection.vectors.model import Vectors
from stcollection.vectors.npy import load_npy
from stcollection.vectors.parquet import load_parquet
from tests.text.documents import put
from tests.vectors.worlds import unit

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("dsn")]  # a run searches in further sessions

DIM = 8
THEIRS = ForeignModel(model="theirs")
Load = Callable[..., ImportedVectors]


@pytest.fixture
def corpus(conn: psycopg.Connection, tmp_path: Path) -> psycopg.Connection:
    """Eight documents, each with the vector of one axis, of a model that is not on this machine; and queries."""
    put(conn, {doc: (f"title {doc}", f"abstract {doc}") for doc in range(1, DIM + 1)})
    np.save(tmp_path / "v.npy", np.eye(DIM, dtype=np.float32))
    np.save(tmp_path / "ids.npy", np.arange(1, DIM + 1))
    load_npy(conn, vectors=tmp_path / "v.npy", ids=tmp_path / "ids.npy", field="abstract", made_by=THEIRS)
    conn.cursor().executemany(
        "INSERT INTO st1_queries (query, text) VALUES (%s, %s)",
        [("051", "voice"), ("52", "home"), ("53", "home"), ("Ü 1", "abstract river"), ("stub", None), ("late", "not imported")],
    )
    return conn


@pytest.fixture
def load(corpus: psycopg.Connection, tmp_path: Path) -> Load:
    def call(vectors: object, ids: object, **options: Any) -> ImportedVectors:
        np.save(tmp_path / "q.npy", np.asarray(vectors))
        np.save(tmp_path / "qids.npy", np.asarray(ids))
        return load_npy(
            corpus, vectors=tmp_path / "q.npy", ids=tmp_path / "qids.npy", field="query", **{"made_by": THEIRS, **options}
        )

    return call


def stored(conn: psycopg.Connection) -> dict[str, Vectors]:
    rows = conn.execute("SELECT text, v::real[] FROM query_v WHERE model = 'theirs'").fetchall()
    return {text: np.array(v, dtype=np.float32) for text, v in rows}


def axis(number: int) -> Vectors:
    vector: Vectors = np.eye(DIM, dtype=np.float32)[number - 1]
    return vector


def test_runs_and_searches_use_them(corpus: psycopg.Connection, load: Load) -> None:
    mixed = 2 * axis(7) + axis(2)
    done = load([3 * axis(3), mixed, axis(5)], ["051", "52", "Ü 1"])
    assert (done.model, done.stored, done.unknown, done.empty) == ("theirs", 3, 0, 0)
    np.testing.assert_allclose(stored(corpus)["home"], unit(mixed), atol=1e-6)
    corpus.execute("CALL stc.index_text()")
    for system in ("dense-abstract", "hybrid"):
        # The query without a vector is not in the set: the model, which is not on this machine, is not needed.
        made = run(corpus, system=system, name=system, depth=2, model="theirs", queries="051,52,53,Ü*")
        assert made.queries == 4
    first = "SELECT query, doc FROM rankings WHERE run = %s AND rank = 1 ORDER BY query"
    assert corpus.execute(first, ["dense-abstract"]).fetchall() == [("051", 3), ("52", 7), ("53", 7), ("Ü 1", 5)]
    assert ("051", 3) in corpus.execute(first, ["hybrid"]).fetchall()
    with pytest.raises(UnknownObject, match="'theirs' cannot be loaded") as error:
        run(corpus, system="dense-abstract", name="all", model="theirs")
    assert "stc load --as vectors V.npy IDS.npy --field query --model theirs" in (error.value.hint or "")
    # A later import replaces them.
    assert load([axis(1)], ["52"]).stored == 1
    assert np.array_equal(stored(corpus)["home"], axis(1))
    assert len(stored(corpus)) == 3


def test_ids_may_be_numbers_or_lines(corpus: psycopg.Connection, load: Load, tmp_path: Path) -> None:
    assert load([axis(1), axis(1)], [52, 53]).stored == 2
    lines = tmp_path / "ids.txt"
    lines.write_text("051\nÜ 1\n", encoding="utf-8")
    assert load_npy(corpus, vectors=tmp_path / "q.npy", docnos=lines, field="query", made_by=THEIRS).stored == 2
    assert stored(corpus).keys() == {"home", "voice", "abstract river"}


@pytest.mark.parametrize(
    ("ids", "message", "code"),
    [
        (["051", "54"], r"query 54 of row 1 is not stored, or has no text; 1 of 2 are missing", "IR103"),
        ([51, 52], r"query 51 of row 0 is not stored", "IR103"),  # 051 is another id
        (["051", "stub"], r"query stub of row 1 is not stored, or has no text", "IR103"),
        (["051", "051"], r"query 051 occurs twice", "IR302"),
        (["52", "53"], r"the queries 52 and 53 have the same text, but different vectors", "IR301"),
    ],
)
def test_wrong_ids_store_nothing(corpus: psycopg.Connection, load: Load, ids: list[object], message: str, code: str) -> None:
    with pytest.raises((UnknownObject, BadInput), match=message) as error:
        load([axis(1), axis(2)], ids)
    assert error.value.sqlstate == code
    assert stored(corpus) == {}


def test_wrong_vectors_and_models_store_nothing(corpus: psycopg.Connection, load: Load) -> None:
    for value, message in ((np.nan, "not finite"), (np.inf, "not finite"), (0, "all zeros")):
        with pytest.raises(BadInput, match=rf"row 1 \(query 52\) is {message}"):
            load([axis(1), np.full(DIM, value)], ["051", "52"])
    with pytest.raises(StateError, match=r"4 dimensions .* 8") as dimension:
        load(np.ones((1, 4)), ["051"])
    assert dimension.value.sqlstate == "IR403"
    with pytest.raises(UnknownObject, match="there are no vectors of a model thiers") as unknown:
        load([axis(1)], ["051"], made_by=ForeignModel(model="thiers"))
    assert unknown.value.sqlstate == "IR105"
    with pytest.raises(StateError, match="prefix"):
        load([axis(1)], ["051"], made_by=ForeignModel(model="theirs", query_prefix="ask: "))
    assert corpus.execute("SELECT count(*) FROM query_v").fetchone() == (0,)
    done = load([axis(1), np.zeros(DIM), axis(2)], ["051", "52", "unknown"], skip=True)
    assert (done.stored, done.unknown, done.empty) == (1, 1, 1)


@pytest.mark.parametrize("name", ["query", "query_id", "qid", "id"])
def test_parquet(corpus: psycopg.Connection, tmp_path: Path, name: str) -> None:
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "q.parquet"
    parquet.write_table(arrow.table({name: ["051", "52"], "vector": [axis(4).tolist(), axis(6).tolist()]}), path)
    assert load_parquet(corpus, path=path, field="query", made_by=THEIRS).stored == 2
    assert np.array_equal(stored(corpus)["voice"], axis(4))
    with pytest.raises(BadInput, match="has no column id or docno") if name != "id" else pytest.raises(UnknownObject):
        load_parquet(corpus, path=path, field="abstract", made_by=THEIRS)


def test_the_command(corpus: psycopg.Connection, tmp_path: Path, dsn: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STC_DSN", dsn)
    np.save(tmp_path / "q.npy", np.array([axis(1), axis(2)]))
    np.save(tmp_path / "qids.npy", np.array(["051", "none"]))
    arguments = ["vectors", "import", str(tmp_path / "q.npy"), str(tmp_path / "qids.npy"), "--field", "query", "--model", "theirs"]
    done = CliRunner().invoke(stc, [*arguments, "--skip"])
    assert done.exit_code == 0, done.output
    assert "stored 1 query vectors of theirs; skipped: 1 of unknown queries, 0 of zeros" in done.output
