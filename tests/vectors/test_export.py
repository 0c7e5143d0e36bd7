"""Export and import of vectors without loss; Parquet."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import psycopg
import pyarrow as arrow
import pytest
from click.testing import CliRunner
from pyarrow import parquet

from stcollection.cli import stc
from stcollection.errors import BadArgument, BadInput, StateError, UnknownObject
from stcollection.vectors import export as export_module
from stcollection.vectors.export import export
from stcollection.vectors.incoming import ForeignModel
from stcollection.vectors.npy import load_npy
from stcollection.vectors.parquet import load_parquet
from tests.text.documents import put
from tests.vectors.worlds import clustered, unit

pytestmark = pytest.mark.slow

N = 50


@pytest.fixture
def corpus(conn: psycopg.Connection, tmp_path: Path) -> psycopg.Connection:
    """Store documents with abstract vectors of the default model."""
    put(conn, {doc: (f"title {doc}", f"abstract {doc}") for doc in range(1, N + 1)}, {N: "the läst"})
    np.save(tmp_path / "v.npy", clustered(N, seed=1))
    np.save(tmp_path / "i.npy", np.arange(1, N + 1)[::-1])
    load_npy(conn, vectors=tmp_path / "v.npy", ids=tmp_path / "i.npy", field="abstract")
    return conn


def bits(conn: psycopg.Connection, field: str, table: str = "dblp_v") -> dict[int, str]:
    rows = conn.execute(f"SELECT id, encode({field}_bits, 'hex') FROM (SELECT id, {send(field)} AS {field}_bits FROM {table}) t")
    return {doc: sent for doc, sent in rows if sent is not None}


def send(field: str) -> str:
    return f"vector_send({field}_v::vector)"


@pytest.mark.usefixtures("dsn")
def test_npy_there_and_back_to_the_last_bit(corpus: psycopg.Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export_module, "ROWS", 7)
    out, ids = tmp_path / "out.npy", tmp_path / "ids.npy"
    done = export(corpus, out=out, ids=ids, field="abstract")
    assert (done.model, done.vectors, done.dim) == ("minilm", N, 384)
    assert np.array_equal(np.load(ids), np.arange(1, N + 1))
    assert np.load(out).dtype == np.float32
    assert np.array_equal(np.load(out), unit(clustered(N, seed=1))[::-1])
    load_npy(corpus, vectors=out, ids=ids, field="content")
    assert bits(corpus, "content") == bits(corpus, "abstract")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["i.npy", "ids.npy", "out.npy", "v.npy"]


@pytest.mark.usefixtures("dsn")
@pytest.mark.parametrize("name", ["id", "docno"])
def test_parquet_there_and_back_to_the_last_bit(corpus: psycopg.Connection, tmp_path: Path, name: str) -> None:
    out = tmp_path / "out.parquet"
    assert export(corpus, out=out, field="abstract").vectors == N
    table = parquet.read_table(out)
    assert table.column_names == ["id", "docno", "vector"]
    assert table.column("docno").to_pylist() == [*map(str, range(1, N)), "the läst"]
    parquet.write_table(table.select([name, "vector"]), out)
    assert load_parquet(corpus, path=out, field="content").stored == N
    assert bits(corpus, "content") == bits(corpus, "abstract")


@pytest.mark.usefixtures("dsn")
def test_half_precision_there_and_back(corpus: psycopg.Connection, tmp_path: Path) -> None:
    table = np.random.default_rng(5).normal(size=(20, 2500)).astype(np.float32)
    np.save(tmp_path / "w.npy", table)
    np.save(tmp_path / "wi.npy", np.arange(1, 21))
    load_npy(corpus, vectors=tmp_path / "w.npy", ids=tmp_path / "wi.npy", field="title", made_by=ForeignModel(model="wide"))
    out, ids = tmp_path / "out.npy", tmp_path / "ids.npy"
    export(corpus, out=out, ids=ids, field="title", model="wide")
    np.testing.assert_allclose(np.load(out), unit(table), atol=1e-4)
    load_npy(corpus, vectors=out, ids=ids, field="abstract", made_by=ForeignModel(model="wide"))
    assert bits(corpus, "abstract", "dblp_v_wide") == bits(corpus, "title", "dblp_v_wide")


def test_lists_of_other_kinds_and_names(corpus: psycopg.Connection, tmp_path: Path) -> None:
    path, table = tmp_path / "in.parquet", clustered(3, seed=2)
    halves = arrow.array([row.astype(np.float64).tolist() for row in table], type=arrow.large_list(arrow.float64()))
    parquet.write_table(arrow.table({"docno": ["3", "the läst", "7"], "e": halves, "n": [1, 2, 3]}), path)
    assert load_parquet(corpus, path=path, field="title", made_by=ForeignModel(model="theirs")).stored == 3
    assert corpus.execute("SELECT dim, made_by FROM stc.vector_models WHERE model = 'theirs'").fetchone() == (384, ["import"])
    parquet.write_table(arrow.table({"id": [1, 2, 3], "a": halves, "b": halves}), path)
    with pytest.raises(BadInput, match="several lists of floats") as error:
        load_parquet(corpus, path=path, field="title")
    assert "a, b" in (error.value.hint or "")
    assert load_parquet(corpus, path=path, field="title", column="b").stored == 3


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"doc": [1], "v": [[1.0] * 384]}, "no column id or docno"),
        ({"id": [1], "v": [1.0]}, "no list of floats"),
        ({"id": [1, 2], "v": [[1.0] * 384, [1.0] * 383]}, "vector of row 1 has 383 dimensions"),
        ({"id": [1, 2], "v": [[1.0] * 384, None]}, "vector of row 1 has no dimensions"),
        ({"id": [1, None], "v": [[1.0] * 384] * 2}, "a row has no id"),
        ({"id": [1, 1], "v": [[1.0] * 384] * 2}, "document 1 occurs twice"),
        ({"id": [1, 2], "v": [[1.0] * 384, [*[1.0] * 383, None]]}, r"row 1 \(document 2\) is not finite"),
    ],
)
def test_bad_parquet_is_named(corpus: psycopg.Connection, tmp_path: Path, table: dict[str, object], message: str) -> None:
    before = bits(corpus, "abstract")
    parquet.write_table(arrow.table(table), tmp_path / "bad.parquet")
    with pytest.raises(BadInput, match=message) as error:
        load_parquet(corpus, path=tmp_path / "bad.parquet", field="abstract")
    assert error.value.hint
    assert bits(corpus, "abstract") == before


@pytest.mark.usefixtures("dsn")
def test_what_cannot_be_exported(corpus: psycopg.Connection, tmp_path: Path) -> None:
    npy, ids = tmp_path / "o.npy", tmp_path / "oi.npy"
    with pytest.raises(StateError, match="no title vectors of minilm"):
        export(corpus, out=npy, ids=ids, field="title")
    with pytest.raises(UnknownObject, match="mpnet"):
        export(corpus, out=npy, ids=ids, field="title", model="mpnet")
    with pytest.raises(UnknownObject, match="passage"):
        export(corpus, out=npy, ids=ids, field="passage")
    for out, names in ((npy, None), (tmp_path / "o.parquet", ids), (tmp_path / "o.csv", None)):
        with pytest.raises(BadArgument, match="cannot write vectors"):
            export(corpus, out=out, ids=names, field="abstract")
    assert not list(tmp_path.glob("o*"))
    with pytest.raises(BadInput, match="not a Parquet file"):
        load_parquet(corpus, path=tmp_path / "v.npy", field="title")


def test_the_commands(corpus: psycopg.Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dsn: str) -> None:
    monkeypatch.setenv("STC_DSN", dsn)
    out = tmp_path / "out.parquet"
    run = CliRunner().invoke
    wrote = run(stc, ["vectors", "export", str(out), "--field", "abstract"])
    assert wrote.output == f"wrote {N} abstract vectors of minilm, of 384 dimensions\n"
    name = ["--model", "theirs", "--name", "org/theirs", "--query-prefix", "query: "]
    took = run(stc, ["vectors", "import", str(out), "--field", "content", *name])
    assert took.output == f"stored {N} content vectors of theirs\n"
    row = corpus.execute("SELECT name, query_prefix, passage_prefix FROM stc.vector_models WHERE model = 'theirs'").fetchone()
    assert row == ("org/theirs", "query: ", "")
    assert bits(corpus, "content", "dblp_v_theirs") == bits(corpus, "abstract")
    again = run(stc, ["vectors", "import", str(out), "--field", "title", "--model", "theirs", "--name", "org/others"])
    assert "the vectors of theirs were computed by org/theirs, not by org/others" in str(again.exception)
