"""Loading, replacing and removing documents while a collection is distributed: the same rows and scores as on one server."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
import psycopg
import pytest

from stcollection.corpus import removal
from stcollection.corpus.load import SMALL_BYTES, LoadedFile, load
from stcollection.corpus.parsing import OnDuplicate
from stcollection.corpus.store import ChunkStore
from stcollection.db import distribution
from stcollection.db.connection import connect, conninfo
from stcollection.db.settings import Settings
from stcollection.errors import BadInput, DatabaseError, UnknownObject
from stcollection.vectors import passages
from stcollection.vectors.incoming import DEFAULT, ForeignModel
from stcollection.vectors.npy import load_npy
from stcollection.vectors.store import stage, store
from tests.cluster.answers import Answers, answers, differing
from tests.cluster.conftest import NewDatabase
from tests.cluster.servers import Cluster
from tests.vectors.worlds import clustered

_WORDS = ("voice", "assistant", "privacy", "river", "graph", "home", "query", "model")


def _records(numbers: Sequence[int], *, words: int = 9, seed: int = 3) -> list[dict[str, Any]]:
    """Records like those of dblp; the same number and seed give the same record."""
    found = []
    for number in numbers:
        rng = np.random.default_rng([seed, number])
        text = " ".join(rng.choice(_WORDS, size=words))
        found.append(
            {
                "id": f"d{number:03}",
                "title": f"On {text[:30]}",
                "abstract": f"{text}. The {text[::-1][:20]}.",
                "year": 2000 + number % 20,
                "n_citation": number % 7,
                "venue": {"raw": "CHI"},
                "references": [1, 2],
            }
        )
    return found


def _write(path: Path, records: Sequence[dict[str, Any]]) -> str:
    path.write_text("\n".join(map(json.dumps, records)) + "\n")
    return str(path)


class Pair:
    """A collection on one server, and the same on three workers."""

    def __init__(self, alone: Settings, spread: Settings) -> None:
        self.settings = (alone, spread)

    def both(self, act: Callable[[psycopg.Connection, str], Any]) -> list[Any]:
        """Do the same with both collections; it must return the same."""
        found = []
        for one in self.settings:
            with connect(one, autocommit=True) as conn:
                found.append(act(conn, conninfo(one)))
        return found

    def same(self, statement: str) -> list[tuple[object, ...]]:
        """Return the rows of a statement, which must be equal."""
        alone, spread = self.both(lambda conn, _: conn.execute(statement.encode()).fetchall())
        assert alone == spread, statement
        return list(alone)

    def load(self, path: str, **options: Any) -> LoadedFile:
        alone, spread = self.both(lambda _, dsn: load(dsn, [path], **options)[0])
        for name in ("state", "documents", "duplicates", "rejects", "replaced", "changed", "changes"):
            assert getattr(alone, name) == getattr(spread, name), name
        return spread  # type: ignore[no-any-return]


@pytest.fixture(scope="module")
def pair(filled_collection: NewDatabase) -> Pair:
    alone, spread = filled_collection(), filled_collection()
    distribution.distribute(spread, shards=6)
    return Pair(alone, spread)


_ROWS = (
    "SELECT docno, stub, doc FROM dblp ORDER BY docno",
    "SELECT d.docno, t.title, t.abstract, t.tsv FROM dblp_text t JOIN dblp d USING (id) ORDER BY 1",
    "SELECT d.docno, f.year, f.n_citation, f.n_reference, f.doc_type, f.venue FROM dblp_facts f JOIN dblp d USING (id) ORDER BY 1",
    "SELECT d.docno, v.title_v::text, v.abstract_v::text FROM dblp_v v JOIN dblp d USING (id) ORDER BY 1",
    "SELECT d.docno, m.textstat_fkgl FROM st1_complexity_metrics m JOIN dblp d USING (id) ORDER BY 1",
    "SELECT doc, position, text FROM dblp_passages ORDER BY doc, position",
    "SELECT file, line, docno, reason FROM stc.corpus_rejects ORDER BY file, line",
    "SELECT file, chunk, documents, duplicates, rejects, incomplete FROM stc.corpus_chunks ORDER BY file, chunk",
    "SELECT path, state, documents, duplicates, rejects FROM stc.corpus_ledger ORDER BY file",
    "SELECT stale FROM stc.text_index",
)


def _compare(pair: Pair) -> Answers:
    for statement in _ROWS:
        pair.same(statement)
    alone, spread = pair.both(lambda conn, _: answers(conn))
    assert differing(alone, spread) == []
    return spread  # type: ignore[no-any-return]


def _index(conn: psycopg.Connection, _: str) -> None:
    conn.execute("CALL stc.index_text(engine => 'portable')")


def test_load_replace_and_remove(pair: Pair, tmp_path: Path) -> None:
    """After each step all rows are equal, and all searches once the text is indexed."""
    # New documents, one twice with another text, one that is stored already, and a line that is no record.
    records = [*_records(range(300, 360)), *_records([301], seed=4), *_records([7])]
    path = _write(tmp_path / "more.jsonl", records)
    Path(path).write_text(Path(path).read_text() + "no record\n")
    done = pair.load(path)
    assert (done.documents, done.duplicates, done.rejects) == (60, 2, 3)
    assert pair.load(path).state == "already loaded"
    assert pair.same("SELECT stale FROM stc.text_index") == [(True,)]
    assert (
        pair.both(lambda conn, _: _sqlstate(conn, "SELECT * FROM rm3_search('voice', 5, engine => 'pg_textsearch')"))
        == ["IR401"] * 2
    )
    pair.both(_index)
    before = _compare(pair)

    # Other texts for documents with vectors, passages and measures: these are forgotten.
    path = _write(tmp_path / "other.jsonl", _records([3, 4, 5, 300, 400], seed=9))
    assert pair.load(path, on_duplicate="replace").replaced == 4
    assert pair.same("SELECT count(*) FROM dblp_v WHERE id IN (3, 4, 5)") == [(0,)]
    assert pair.same("SELECT count(*) FROM dblp_passages WHERE doc IN (3, 4, 5)") == [(0,)]
    pair.both(_index)
    after = _compare(pair)
    assert differing(before, after)

    # Judged and ranked documents become stubs, others disappear; the file brings all of them back.
    names = ["d003", "d011", "d200", "d310", "d311"]
    planned = pair.both(lambda conn, _: removal.remove_documents(conn, names, dry_run=True))
    assert planned[0] == planned[1]
    gone = pair.both(lambda conn, _: removal.remove_documents(conn, names))
    assert gone[0] == gone[1]
    assert (gone[1].removed, gone[1].kept, gone[1].stale) == (3, 2, True)
    pair.both(_index)
    _compare(pair)
    assert pair.same("SELECT count(*) FROM dblp_passages p WHERE doc IN (3, 11, 200)") == [(0,)]
    assert pair.load(str(tmp_path / "more.jsonl")).state == "loaded"
    assert pair.load(path, on_duplicate="replace").state == "loaded"
    pair.both(_index)
    _compare(pair)
    gone = pair.both(lambda conn, _: removal.remove_documents(conn, files=["more.jsonl"]))
    assert gone[0] == gone[1]
    assert gone[1].removed > 50
    pair.both(_index)
    _compare(pair)
    with pytest.raises(UnknownObject, match="d310"):
        pair.both(lambda conn, _: removal.remove_documents(conn, ["d310", "d311"]))


def _sqlstate(conn: psycopg.Connection, statement: str) -> str | None:
    with pytest.raises(psycopg.Error) as error:
        conn.execute(statement.encode())
    return error.value.sqlstate


def test_vectors_passages_readability_and_citations_of_new_documents(pair: Pair, tmp_path: Path) -> None:
    pair.load(_write(tmp_path / "late.jsonl", _records(range(500, 520))))
    pair.both(_index)

    def compute(conn: psycopg.Connection, _: str) -> list[object]:
        lacking = conn.execute("SELECT id FROM stc.unembedded('minilm', n => 5000) ORDER BY id").fetchall()
        ids = np.array([number for (number,) in lacking])
        vectors = clustered(len(ids), seed=2, clusters=3).astype(np.float32)
        with conn.transaction():
            stored = store(conn, [("title", ids, vectors), ("abstract", ids[:9], vectors[:9])], model="minilm")
        with conn.transaction():
            unknown = store(conn, [("title", np.array([1, 77777]), vectors[:2])], model="minilm")
        cut = passages.cut_passages(conn)
        [(lacking_passages,)] = conn.execute("SELECT stc.passages_lacking()").fetchall()
        new = conn.execute("SELECT p.id FROM dblp_passages p WHERE p.doc = ANY (%s) ORDER BY doc, position", [list(ids)]).fetchall()
        with conn.transaction():
            stage(
                conn,
                [("passage", np.array([*(number for (number,) in new), 77777]), vectors[:1].repeat(len(new) + 1, 0))],
                model="minilm",
            )
            [(embedded,)] = conn.execute("SELECT stc.store_passage_vectors('minilm')").fetchall()
        [(ranked,)] = conn.execute("SELECT stc.rank_citations(2)").fetchall()
        [(resources,)] = conn.execute("SELECT stc.complexity_resource('{}', '{}', 'x')").fetchall()
        with conn.transaction():
            conn.execute("SELECT stc.stage_measures()")
            conn.execute(
                "INSERT INTO pg_temp.incoming_measures (version, id, textstat_fkgl, resources) SELECT u.version, u.id, 5, %s"
                " FROM stc.unmeasured(%s, n => 20) u",
                [resources, resources],
            )
            conn.execute("UPDATE pg_temp.incoming_measures SET version = '3' WHERE id % 4 = 0")
            measured = conn.execute("SELECT * FROM stc.store_measures()").fetchall()
        return [len(ids), *stored, *unknown, cut.documents, cut.passages, lacking_passages, len(new), embedded, ranked, measured]

    alone, spread = pair.both(compute)
    assert alone == spread
    assert spread[0] == spread[1] >= 20
    assert spread[4] == 1
    assert spread[9] == spread[8] > 20
    _compare(pair)
    pair.same("SELECT doc, score FROM passage_search(qdblp_v_title(9), 300, effort => 0)")


def test_vectors_of_other_programs(pair: Pair, tmp_path: Path) -> None:
    """stc load --as vectors: stored again by docno, for a new model by id; a file with an unknown document stores nothing."""
    names = [f"d{number:03}" for number in (12, 13, 230)]
    vectors = clustered(5, seed=8, clusters=2)[:3].astype(np.float32) * 2
    np.save(tmp_path / "vectors.npy", vectors)
    (tmp_path / "docnos.txt").write_text("\n".join(names) + "\n")
    (tmp_path / "far.txt").write_text("\n".join([*names[:2], "nowhere"]) + "\n")
    np.save(tmp_path / "small.npy", np.eye(4, dtype=np.float32)[:3])
    np.save(tmp_path / "ids.npy", np.array([4, 8, 150]))

    def given(conn: psycopg.Connection, _: str) -> list[object]:
        found: list[object] = []
        with pytest.raises(UnknownObject, match="nowhere"):
            load_npy(conn, vectors=tmp_path / "vectors.npy", docnos=tmp_path / "far.txt", field="title")
        found.append(load_npy(conn, vectors=tmp_path / "vectors.npy", docnos=tmp_path / "docnos.txt", field="title").stored)
        other = ForeignModel(model="other")
        done = load_npy(conn, vectors=tmp_path / "small.npy", ids=tmp_path / "ids.npy", field="abstract", made_by=other)
        found += [done.stored, done.model]
        again = load_npy(
            conn, vectors=tmp_path / "vectors.npy", docnos=tmp_path / "far.txt", field="title", made_by=DEFAULT, skip=True
        )
        found += [again.stored, again.unknown]
        found.append(conn.execute("SELECT * FROM dense_search('[1,0,0,0]', 3, 'abstract', model => 'other')").fetchall())
        conn.execute("SELECT stc.drop_vector_model('other')")
        return found

    alone, spread = pair.both(given)
    assert alone == spread
    assert spread[:5] == [3, 3, "other", 2, 1]
    assert [row[0] for row in spread[5]] == [4, 150, 8]
    _compare(pair)


def test_another_model(pair: Pair) -> None:
    """Its tables are distributed like the others."""

    def register(conn: psycopg.Connection, _: str) -> object:
        conn.execute("SELECT stc.add_vector_model('tiny', 'tiny', 3)")
        with conn.transaction():
            store(conn, [("title", np.array([1, 2, 6]), np.eye(3, dtype=np.float32))], model="tiny")
        return conn.execute("SELECT doc FROM dense_search('[1,0,0]', 3, 'title', model => 'tiny')").fetchall()

    alone, spread = pair.both(register)
    assert alone == spread
    assert spread == [(1,), (6,), (2,)]
    with connect(pair.settings[1]) as conn:
        assert distribution.state(conn) == (11, 6, 3)
    pair.both(lambda conn, _: removal.remove_documents(conn, ["d239"]))
    pair.same("SELECT count(*) FROM dblp_v_tiny")


def test_runs_and_judgments_of_documents_that_are_not_stored(pair: Pair) -> None:
    def resolve(conn: psycopg.Connection, _: str) -> object:
        with conn.transaction():
            conn.execute('CREATE TEMP TABLE incoming (line bigint, query text, docno text COLLATE "C") ON COMMIT DROP')
            conn.execute("INSERT INTO pg_temp.incoming VALUES (1, 'T1.1', 'd001'), (2, 'T1.1', 'far'), (3, 'T1.1', '424242')")
            return conn.execute("SELECT * FROM stc.resolve_incoming('a.run', 'stub', 'skip')").fetchall()

    alone, spread = pair.both(resolve)
    assert alone == spread
    assert pair.same("SELECT docno, id = 424242 FROM dblp WHERE stub AND docno IN ('far', '424242') ORDER BY 1") == [
        ("424242", True),
        ("far", False),
    ]


@pytest.mark.parametrize("kept", ["skip", "replace"])
def test_workers_keep_the_first_or_last_of_a_file(pair: Pair, tmp_path: Path, kept: str) -> None:
    """Two processes store chunks with COPY, at most one of them until it commits; equal docnos are in distant chunks."""
    numbers = range(20_000, 23_000) if kept == "skip" else range(30_000, 33_000)
    records = [*_records(numbers, words=60, seed=1), *_records(numbers, words=60, seed=2)]
    order = np.random.default_rng(4).permutation(len(records))
    shuffled = [records[place] for place in order]
    path = _write(tmp_path / f"{kept}.jsonl", shuffled)
    assert Path(path).stat().st_size > SMALL_BYTES
    spread = pair.settings[1]
    done = load(conninfo(spread), [path], workers=2, on_duplicate=cast(OnDuplicate, kept))[0]
    assert (done.documents, done.duplicates) == (3000, 3000)
    expected = {one["id"]: one["abstract"] for one in (shuffled[::-1] if kept == "skip" else shuffled)}
    with connect(spread, autocommit=True) as conn:
        rows = conn.execute(
            "SELECT d.docno, t.abstract, f.year FROM dblp d JOIN dblp_text t USING (id) JOIN dblp_facts f USING (id)"
            " WHERE d.docno = ANY (%s)",
            [list(expected)],
        ).fetchall()
        assert {docno: abstract for docno, abstract, _ in rows} == expected
        assert len(rows) == 3000
        assert {int(docno[1:]): year for docno, _, year in rows} == {number: 2000 + number % 20 for number in numbers}
        assert conn.execute("SELECT docno FROM dblp GROUP BY docno HAVING count(*) > 1").fetchall() == []
        removal.remove_documents(conn, list(expected))


def test_two_loads_at_once_store_each_docno_once(pair: Pair, tmp_path: Path) -> None:
    spread = pair.settings[1]
    paths = [
        _write(tmp_path / f"{name}.jsonl", _records(range(600, 900), words=5, seed=seed)) for name, seed in (("a", 5), ("b", 6))
    ]
    done: list[LoadedFile] = []
    threads = [threading.Thread(target=lambda path=path: done.extend(load(conninfo(spread), [path]))) for path in paths]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(one.documents for one in done) == 300
    assert sum(one.duplicates for one in done) == 300
    with connect(spread) as conn:
        assert conn.execute("SELECT docno FROM dblp GROUP BY docno HAVING count(*) > 1").fetchall() == []


def test_an_interrupted_load_leaves_whole_chunks_and_resumes(
    pair: Pair, cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The session ends before the commit of the second chunk; then a worker is gone."""
    spread = pair.settings[1]
    path = _write(tmp_path / "large.jsonl", _records(range(1000, 4000), words=90))
    counted = (
        "SELECT count(*), count(t.id), count(f.id) FROM dblp d LEFT JOIN dblp_text t USING (id) LEFT JOIN dblp_facts f USING (id)"
    )
    counted += " WHERE d.docno ~ '^d[123]...$'"
    stored = ChunkStore._close
    calls = 0

    def end(store: ChunkStore, *arguments: Any) -> None:
        nonlocal calls
        stored(store, *arguments)
        calls += 1
        if calls == 2:
            with psycopg.connect(spread.dsn or "", autocommit=True) as other:
                other.execute("SELECT pg_terminate_backend(%s::integer, 5000)", [store._conn.info.backend_pid])

    monkeypatch.setattr(ChunkStore, "_close", end)
    with pytest.raises(DatabaseError) as error:
        load(conninfo(spread), [path], workers=1)
    assert "same command" in (error.value.hint or "")
    monkeypatch.undo()
    with connect(spread, autocommit=True) as conn:
        [(first, texts, facts)] = conn.execute(counted.encode()).fetchall()
        assert 0 < first < 3000
        assert first == texts == facts
        assert conn.execute(
            "SELECT sum(k.documents) FROM stc.corpus_chunks k JOIN stc.corpus_files f ON f.id = k.file"
            " WHERE f.path LIKE '%large.jsonl'"
        ).fetchone() == (first,)
        cluster.stop(2)
        try:
            with pytest.raises(DatabaseError, match=str(cluster.ports[2])):
                load(conninfo(spread), [path])
        finally:
            cluster.start()
        assert conn.execute(counted.encode()).fetchall() == [(first, first, first)]
        done = load(conninfo(spread), [path])[0]
        assert (done.documents, done.duplicates) == (3000, 0)
        assert conn.execute(counted.encode()).fetchall() == [(3000, 3000, 3000)]
        for node in (1, 2, 3):
            with psycopg.connect(cluster.dsn(spread.db, node=node)) as worker:
                assert worker.execute("SELECT count(*) FROM pg_prepared_xacts WHERE database = %s", [spread.db]).fetchone() == (0,)


@pytest.mark.parametrize(("options", "message"), [({"on_duplicate": "error"}, "already stored"), ({"strict": True}, "has this id")])
def test_refused_files_store_nothing(pair: Pair, tmp_path: Path, options: dict[str, Any], message: str) -> None:
    spread = pair.settings[1]
    path = _write(tmp_path / "twice.jsonl", _records([8, 9100], seed=12))
    with pytest.raises(BadInput, match=message):
        load(conninfo(spread), [path], **options)
    with connect(spread) as conn:
        assert conn.execute("SELECT count(*) FROM dblp WHERE docno = 'd9100'").fetchone() == (0,)


def test_the_way_back_after_loading(pair: Pair) -> None:
    spread = pair.settings[1]
    distribution.undistribute(spread)
    with connect(spread, autocommit=True) as conn:
        assert conn.execute("SELECT count(*) FROM pg_constraint WHERE conname = 'dblp_docno_key'").fetchone() == (1,)
        with pytest.raises(psycopg.errors.UniqueViolation):
            conn.execute("INSERT INTO dblp (id, docno, doc) VALUES (990001, 'd001', '{}')")
