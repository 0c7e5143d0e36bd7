"""Import of vectors from NumPy files."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import psycopg
import pytest

from stcollection.errors import BadArgument, BadInput, StateError, UnknownObject
from stcollection.vectors import npy
from stcollection.vectors.embed import embed
from stcollection.vectors.incoming import ForeignModel, ImportedVectors
from stcollection.vectors.npy import load_npy
from tests.text.documents import put
from tests.vectors.worlds import BagOfWords, clustered, unit

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("dsn")]  # embed stores by a separate connection


class Files:
    """Two files of arrays, and their import."""

    def __init__(self, conn: psycopg.Connection, folder: Path) -> None:
        self.conn, self.vectors, self.ids = conn, folder / "v.npy", folder / "ids.npy"

    def load(
        self, vectors: object, ids: object, field: str = "abstract", model: str | None = None, *, skip: bool = False
    ) -> ImportedVectors:
        np.save(self.vectors, np.asarray(vectors))
        np.save(self.ids, np.asarray(ids))
        return load_npy(self.conn, vectors=self.vectors, ids=self.ids, field=field, made_by=ForeignModel(model=model), skip=skip)

    def stored(self, field: str = "abstract", table: str = "dblp_v") -> dict[int, list[float]]:
        return dict(self.conn.execute(f"SELECT id, {field}_v::real[] FROM {table} WHERE {field}_v IS NOT NULL").fetchall())


@pytest.fixture
def files(conn: psycopg.Connection, tmp_path: Path) -> Files:
    put(conn, {doc: (f"title {doc}", f"abstract {doc}") for doc in range(1, 51)})
    conn.execute("INSERT INTO dblp (id, docno, doc, stub) VALUES (90, '90', '{}', true)")
    return Files(conn, tmp_path)


@pytest.mark.parametrize("kind", ["f2", "f4", "f8", ">f4"])
def test_they_are_stored_at_length_one(files: Files, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(npy, "ROWS", 7)
    table = (clustered(50, seed=1) * 3).astype(kind)
    done = files.load(table, np.arange(1, 51)[::-1])
    assert (done.model, done.stored, done.unknown, done.empty) == ("minilm", 50, 0, 0)
    expected = unit(table.astype(np.float32))
    got = files.stored()
    np.testing.assert_allclose([got[doc] for doc in range(50, 0, -1)], expected, atol=1e-7)
    assert files.stored("title") == {}


def test_what_has_no_place_is_refused_or_skipped(files: Files) -> None:
    table = clustered(4, seed=2)
    table[2] = 0
    with pytest.raises(UnknownObject, match="document 777 of row 1 is not in the corpus; 2 of 4 are missing") as unknown:
        files.load(table, [5, 777, 6, 90])
    assert unknown.value.sqlstate == "IR104"
    with pytest.raises(BadInput, match=r"row 2 \(document 6\) is all zeros"):
        files.load(table, [5, 7, 6, 9])
    assert files.stored() == {}
    done = files.load(table, [5, 777, 6, 90], skip=True)
    assert (done.stored, done.unknown, done.empty) == (1, 2, 1)
    assert files.stored().keys() == {5}


def test_an_import_is_all_or_nothing(files: Files, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(npy, "ROWS", 10)
    table = clustered(50, seed=2)
    files.load(table, range(1, 51))
    before = files.stored()
    other = clustered(50, seed=3)
    other[49, 7] = np.nan
    with pytest.raises(BadInput, match=r"row 49 \(document 50\) is not finite"):
        files.load(other, range(1, 51))
    assert files.stored() == before
    with pytest.raises(BadInput, match="is not finite"):
        files.load(other, range(1, 51), model="theirs")
    assert files.conn.execute("SELECT model FROM stc.vector_models").fetchall() == [("minilm",)]
    assert files.conn.execute("SELECT to_regclass('dblp_v_theirs')").fetchone() == (None,)


def test_documents_may_be_named_by_docno(files: Files, tmp_path: Path) -> None:
    put(files.conn, {100: ("named", "named"), 101: ("other", None)}, {100: "W-100", 101: "Ü 101"})
    table = unit(clustered(3, seed=4))
    assert files.load(table, ["W-100", "7", "Ü 101"], "content").stored == 3
    by_array = files.stored("content")
    assert by_array.keys() == {7, 100, 101}
    assert np.array_equal(np.array(by_array[101], dtype=np.float32), table[2])
    lines = tmp_path / "docnos.txt"
    lines.write_text("W-100\n7\nÜ 101\n", encoding="utf-8")
    assert load_npy(files.conn, vectors=files.vectors, docnos=lines, field="abstract").stored == 3
    assert files.stored() == by_array
    with pytest.raises(UnknownObject, match="document W-101 of row 1"):
        files.load(table, ["W-100", "W-101", "7"])
    with pytest.raises(BadInput, match="document 7 occurs twice"):
        files.load(table, ["7", "W-100", "7"])
    with pytest.raises(BadArgument, match="no ids for the vectors"):
        load_npy(files.conn, vectors=files.vectors, field="abstract")


def test_they_take_the_place_of_stored_ones_and_leave_the_other_field(files: Files) -> None:
    embed(files.conn, model=BagOfWords())
    titles, table = files.stored("title"), clustered(50, seed=3)
    files.load(table, range(1, 51))
    files.load(table, range(1, 51))
    assert np.array_equal(np.array([files.stored()[doc] for doc in range(1, 51)], dtype=np.float32), unit(table))
    assert files.stored("title") == titles


def test_what_they_leave_out_embed_makes(files: Files) -> None:
    files.load(clustered(50, seed=3), range(1, 51))
    encoder = BagOfWords()
    encoder.name = "sentence-transformers/all-MiniLM-L6-v2"
    done = embed(files.conn, model=encoder)
    assert (done.titles, done.abstracts) == (50, 0)


def test_a_new_model_is_registered_with_its_dimension(files: Files) -> None:
    table = unit(np.random.default_rng(0).normal(size=(3, 10)).astype(np.float32))
    assert files.load(table, [1, 2, 3], "title", model="theirs").model == "theirs"
    assert files.stored("title", "dblp_v_theirs").keys() == {1, 2, 3}
    assert files.stored("title") == {}
    assert files.conn.execute("SELECT name, dim FROM stc.vector_models WHERE model = 'theirs'").fetchone() == ("theirs", 10)


def test_another_dimension_is_refused(files: Files) -> None:
    with pytest.raises(StateError, match=r"100 dimensions .* 384") as error:
        files.load(np.ones((2, 100)), [1, 2])
    assert error.value.sqlstate == "IR403"


@pytest.mark.parametrize(
    ("vectors", "ids", "message"),
    [
        (np.ones((2, 384)), [1, 2, 3], r"v\.npy has 2 rows, .*ids\.npy has 3"),
        (np.ones((2, 384)), [7, 7], "document 7 occurs twice"),
        (np.ones((2, 384)), [[1], [2]], r"ids\.npy contains int64\[2, 1\]"),
        (np.ones((2, 384)), [1.0, 2.0], r"ids\.npy contains float64"),
        (np.ones((2, 384), dtype=np.int64), [1, 2], r"v\.npy contains int64"),
        (np.ones(384), [1], r"v\.npy contains float64\[384\]"),
        (np.ones((1, 384)), np.array([2**63], dtype=np.uint64), "9223372036854775808 is not a document id"),
        (np.array([[1.0] * 384, [np.nan] * 384]), [1, 2], r"row 1 \(document 2\) is not finite"),
        (np.array([[np.inf] * 384], dtype=np.float16), [1], r"row 0 \(document 1\) is not finite"),
    ],
)
def test_bad_files_are_named(files: Files, vectors: object, ids: object, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        files.load(vectors, ids)


def test_no_array_files(files: Files, tmp_path: Path) -> None:
    files.load(np.ones((1, 384)), [1])
    text, archive = tmp_path / "text.npy", tmp_path / "archive.npz"
    text.write_text("1 2 3")
    np.savez(archive, a=np.ones(3))
    cut = tmp_path / "cut.npy"
    cut.write_bytes(files.vectors.read_bytes()[:-100])
    for bad in (text, archive, cut):
        with pytest.raises(BadInput, match=bad.name):
            load_npy(files.conn, vectors=bad, ids=files.ids, field="title")
    with pytest.raises(FileNotFoundError):
        load_npy(files.conn, vectors=tmp_path / "none.npy", ids=files.ids, field="title")
    with pytest.raises(UnknownObject, match="venue"):
        files.load(np.ones((1, 384)), [1], "venue")
    with pytest.raises(BadArgument, match="no id"):
        files.load(np.ones((0, 384)), np.array([], dtype=np.int64))


@pytest.mark.parametrize("ending", ["stored", "removed", "killed"])
def test_a_new_file_beside_a_session_that_writes_the_same_document(
    files: Files, dsn: str, monkeypatch: pytest.MonkeyPatch, ending: str
) -> None:
    monkeypatch.setattr(npy, "ROWS", 20)
    table = clustered(50, seed=6)
    with psycopg.connect(dsn) as other, ThreadPoolExecutor(1) as pool:
        if ending == "removed":
            other.execute("DELETE FROM dblp WHERE id = 30")
        else:
            other.execute("INSERT INTO dblp_v (id, title_v) VALUES (30, array_fill(1, ARRAY[384])::vector)")
        importing = pool.submit(files.load, table, range(1, 51))
        blocked = "SELECT wait_event_type FROM pg_stat_activity WHERE pid = %s"
        while other.execute(blocked, [files.conn.info.backend_pid]).fetchone() != ("Lock",):
            time.sleep(0.01)
            assert not importing.done()
        if ending == "killed":
            other.execute("SELECT pg_terminate_backend(%s, 5000)", [files.conn.info.backend_pid])
        other.commit()
        if ending == "killed":
            with pytest.raises(Exception, match=r"terminating connection|server closed"):
                importing.result()
            assert other.execute("SELECT id FROM dblp_v").fetchall() == [(30,)]
            return
        imported = importing.result()
    expected = dict(zip(range(1, 51), unit(table), strict=True))
    if ending == "removed":
        del expected[30]
    assert imported.stored == len(expected)
    got = files.stored()
    assert got.keys() == expected.keys()
    np.testing.assert_allclose([got[doc] for doc in expected], list(expected.values()), atol=1e-7)
    assert list(files.stored("title")) == ([30] if ending == "stored" else [])
