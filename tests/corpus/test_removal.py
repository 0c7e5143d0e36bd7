"""Removal of documents: removed rows, remaining stubs, and loading the same file again."""

from __future__ import annotations

import json
import re
import threading
import time
from pathlib import Path
from typing import Any

import psycopg
import pytest
from click.testing import CliRunner

from stcollection.corpus.load import load
from stcollection.corpus.removal import remove_documents
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, BadInput, StateError, UnknownObject
from stcollection.io.corpus import chunks
from stcollection.io.corpus.fields import read_map
from stcollection.qrels.editions import seal, verify
from stcollection.qrels.load import JudgmentOptions, import_qrels
from stcollection.runs.listing import drop_runs
from stcollection.runs.load import ImportOptions, import_runs
from tests.corpus.conftest import Load, Write, one
from tests.groups import corpus

pytestmark = pytest.mark.slow


def jsonl(*names: str, text: str = "a text on things") -> str:
    return "".join(json.dumps({"id": name, "title": f"Title of {name}", "text": text}) + "\n" for name in names)


def state(conn: psycopg.Connection) -> dict[str, list[tuple[Any, ...]]]:
    """Return the rows of the corpus and its ledger, without ids and times."""
    return {
        "documents": conn.execute(
            "SELECT docno, stub, doc, title, abstract FROM dblp LEFT JOIN dblp_text USING (id) ORDER BY 1"
        ).fetchall(),
        "facts": conn.execute("SELECT docno FROM dblp_facts JOIN dblp USING (id) ORDER BY 1").fetchall(),
        "files": conn.execute("SELECT path, state, documents, duplicates, rejects FROM stc.corpus_ledger ORDER BY 1, 3").fetchall(),
        "chunks": conn.execute(
            "SELECT chunk, k.documents, k.duplicates, k.rejects, cardinality(docs), incomplete"
            " FROM stc.corpus_chunks k JOIN stc.corpus_files f ON f.id = k.file"
            " ORDER BY path, chunk"
        ).fetchall(),
        "rejects": conn.execute("SELECT line, docno, reason FROM stc.corpus_rejects ORDER BY 1, 2").fetchall(),
    }


def ranked(conn: psycopg.Connection, tmp_path: Path, *names: str, run: str = "mine") -> None:
    path = tmp_path / f"{run}.run"
    path.write_text("".join(f"q Q0 {name} {rank} {9 - rank} t\n" for rank, name in enumerate(names, 1)))
    assert list(import_runs(conn, [path], options=ImportOptions(unknown_documents="stub")))


def judged(conn: psycopg.Connection, tmp_path: Path, *names: str, edition: str = "train") -> None:
    path = tmp_path / f"{edition}.qrels"
    path.write_text("".join(f"q 0 {name} 1\n" for name in names))
    import_qrels(conn, path, edition=edition, options=JudgmentOptions(unknown_documents="stub"))


def test_a_file_is_removed_and_loaded_again(conn: psycopg.Connection, write: Write, load_file: Load) -> None:
    load_file(write("first.jsonl", jsonl("a", "b", "c")))
    before = state(conn)
    second = write("second.jsonl", jsonl("d", "e") + "{}\n" + jsonl("d", "c", text="another"))
    loaded = load_file(second)
    with_it = state(conn)
    assert with_it["rejects"]

    found = remove_documents(conn, files=["second.jsonl"], dry_run=True)
    assert (found.removed, found.kept, found.shared, found.files) == (2, 0, 1, (str(second),))
    assert {one.what: one.rows for one in found.dependents if one.what} == {}
    assert state(conn) == with_it
    done = remove_documents(conn, files=["second.jsonl"])
    assert (done.removed, done.kept, done.shared) == (2, 0, 1)
    assert state(conn) == before

    again = load_file(second)
    assert (again.state, again.documents, again.duplicates, again.rejects) == (
        "loaded",
        loaded.documents,
        loaded.duplicates,
        loaded.rejects,
    )
    assert state(conn) == with_it


def test_what_is_computed_goes_too(conn: psycopg.Connection, write: Write, load_file: Load) -> None:
    load_file(write("first.jsonl", jsonl("1")))
    load_file(write("second.jsonl", jsonl("2", "3")))
    conn.execute("SELECT stc.add_vector_model('other', 'a/model', 3)")
    conn.execute(
        "INSERT INTO dblp_v (id, title_v) SELECT id, array_fill(0.1::real, ARRAY[384])::vector FROM dblp;"
        "INSERT INTO dblp_v_other (id, title_v) SELECT id, '[1,0,0]' FROM dblp;"
        "INSERT INTO dblp_passages (doc, position, text) SELECT id, n, 'x' FROM dblp, generate_series(1, 2) n;"
        "INSERT INTO st1_complexity_metrics (id, nltk_sent) SELECT id, 1 FROM dblp;"
        "INSERT INTO stc.citation_ranks (id, by_year, percentile) SELECT id, 1, 1 FROM dblp;"
        "CALL stc.index_text()"
    )
    found = remove_documents(conn, files=["second.jsonl"], dry_run=True)
    assert {one.what: one.rows for one in found.dependents if one.what} == {
        "embeddings": 2,
        "embeddings (other)": 2,
        "passages": 4,
        "readability measures": 2,
        "citation percentiles": 2,
    }
    assert not found.stale
    assert remove_documents(conn, files=["second.jsonl"]).stale
    for table, rows in {
        "dblp_v": 1,
        "dblp_v_other": 1,
        "dblp_passages": 2,
        "st1_complexity_metrics": 1,
        "stc.citation_ranks": 1,
        "dblp_text": 1,
        "dblp_facts": 1,
        "dblp": 1,
    }.items():
        assert one(conn, f"SELECT count(*) FROM {table}") == rows, table
    assert one(conn, "SELECT stale FROM stc.text_index")


def test_judged_and_ranked_documents_stay_as_stubs(conn: psycopg.Connection, write: Write, load_file: Load, tmp_path: Path) -> None:
    file = write("mine.jsonl", jsonl("a", "b", "c", "d"))
    load_file(file)
    judged(conn, tmp_path, "a", "b")
    ranked(conn, tmp_path, "c", "a", "b")
    seal(conn, "train")
    numbers = conn.execute("SELECT docno, id FROM dblp ORDER BY 1").fetchall()
    score = conn.execute("SELECT run, query, value FROM ndcg('mine', 'train')").fetchall()
    assert score[0][2] > 0.5

    found = remove_documents(conn, files=[str(file)], dry_run=True)
    assert (found.removed, found.kept) == (1, 3)
    assert {one.what: (one.rows, one.names) for one in found.dependents if one.keeps and one.what} == {
        "judgments": (2, ["train"]),
        "ranked documents": (3, ["mine"]),
    }
    done = remove_documents(conn, files=[str(file)])
    assert (done.removed, done.kept) == (1, 3)
    assert conn.execute("SELECT docno, stub, doc FROM dblp ORDER BY 1").fetchall() == [(name, True, {}) for name in "abc"]
    assert one(conn, "SELECT count(*) FROM dblp_text") == one(conn, "SELECT count(*) FROM dblp_facts") == 0
    assert conn.execute("SELECT run, query, value FROM ndcg('mine', 'train')").fetchall() == score
    [sealed] = verify(conn, "train")
    assert sealed.intact

    load_file(file)
    assert conn.execute("SELECT docno, id FROM dblp WHERE docno < 'd' ORDER BY 1").fetchall() == numbers[:3]
    assert one(conn, "SELECT count(*) FROM dblp_text t JOIN dblp USING (id) WHERE NOT stub AND abstract ^@ 'a text'") == 4


def test_documents_by_name_come_back_with_their_file(
    conn: psycopg.Connection, write: Write, load_file: Load, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chunks, "CHUNK_BYTES", 200)
    names = [f"d{number:02}" for number in range(20)]
    file = write("mine.jsonl", jsonl(*names[:4]) + "{}\n" + jsonl(*names[4:]) + jsonl("d03"))
    load_file(file)
    before = state(conn)
    assert len(before["chunks"]) > 4
    done = remove_documents(conn, ["d03", "d10", "d11"])
    assert (done.removed, done.kept, done.shared) == (3, 0, 0)
    after = state(conn)
    assert [row[0] for row in after["documents"]] == [name for name in names if name not in {"d03", "d10", "d11"}]
    assert after["files"][0][1:3] == ("incomplete", 20)
    assert 0 < sum(row[-1] for row in after["chunks"]) < len(after["chunks"])
    untouched = conn.execute("SELECT chunk, xmin::text FROM stc.corpus_chunks WHERE NOT incomplete ORDER BY 1").fetchall()

    assert load_file(file).state == "loaded"
    assert state(conn) == before
    assert set(untouched) <= set(conn.execute("SELECT chunk, xmin::text FROM stc.corpus_chunks").fetchall())
    assert load_file(file).state == "already loaded"


def test_a_removed_name_is_still_of_its_file(conn: psycopg.Connection, write: Write, load_file: Load) -> None:
    file = write("mine.jsonl", jsonl("a", "b", "c"))
    load_file(file)
    remove_documents(conn, ["b"])
    assert remove_documents(conn, files=["mine.jsonl"]).removed == 2
    assert one(conn, "SELECT count(*) FROM dblp") == one(conn, "SELECT count(*) FROM stc.corpus_files") == 0


def test_chunks_of_an_earlier_version_are_read_again(conn: psycopg.Connection, write: Write, load_file: Load) -> None:
    file = write("mine.jsonl", jsonl("a", "b"))
    load_file(file)
    conn.execute("UPDATE stc.corpus_chunks SET docs = NULL")
    with pytest.raises(StateError, match=r"the documents of .*mine\.jsonl were not recorded"):
        remove_documents(conn, files=["mine.jsonl"], dry_run=True)
    remove_documents(conn, ["a"])
    load_file(file)
    assert state(conn)["chunks"] == [(0, 2, 0, 0, 2, False)]
    assert remove_documents(conn, files=["mine.jsonl"]).removed == 2


def test_stubs_go_when_nothing_names_them(conn: psycopg.Connection, write: Write, load_file: Load, tmp_path: Path) -> None:
    load_file(write("mine.jsonl", jsonl("a")))
    judged(conn, tmp_path, "a", "x")
    ranked(conn, tmp_path, "a", "x", "y", "z")
    found = remove_documents(conn, stubs=True, dry_run=True)
    assert (found.removed, found.kept) == (0, 3)
    drop_runs(conn, ["mine"])
    done = remove_documents(conn, stubs=True)
    assert (done.removed, done.kept) == (2, 1)
    assert conn.execute("SELECT docno, stub FROM dblp ORDER BY 1").fetchall() == [("a", False), ("x", True)]


def test_what_cannot_be_removed(conn: psycopg.Connection, write: Write, load_file: Load) -> None:
    load_file(write("mine.jsonl", jsonl("a", "b")))
    load_file(write("mine.jsonl", jsonl("a", "c")))
    with pytest.raises(BadArgument, match="selections of what to remove"):
        remove_documents(conn)
    with pytest.raises(BadArgument, match="selections of what to remove"):
        remove_documents(conn, ["a"], stubs=True)
    with pytest.raises(UnknownObject, match="no document 'nono', and 1 more"):
        remove_documents(conn, ["a", "nono", "nene"])
    with pytest.raises(UnknownObject, match=r"no file 'nine\.jsonl' was loaded") as unknown:
        remove_documents(conn, files=["nine.jsonl"])
    assert "mine.jsonl" in (unknown.value.hint or "")
    with pytest.raises(BadArgument, match="2 loaded files are named") as several:
        remove_documents(conn, files=["mine.jsonl"])
    first, second = (row[0] for row in conn.execute("SELECT sha256 FROM stc.corpus_files ORDER BY id").fetchall())
    assert f"{first[:12]} (loaded" in (several.value.hint or "")
    assert one(conn, "SELECT count(*) FROM dblp") == 3
    done = remove_documents(conn, files=[first[:12]])
    assert (done.removed, done.shared) == (1, 1)
    assert one(conn, "SELECT sha256 FROM stc.corpus_files") == second
    assert conn.execute("SELECT docno FROM dblp ORDER BY 1").fetchall() == [("a",), ("c",)]


def test_a_file_read_in_two_ways_is_one_file(settings: Settings, conn: psycopg.Connection, write: Write, load_file: Load) -> None:
    file = write("mine.jsonl", '{"id": "a", "title": "T", "body": "Some words."}\n')
    load_file(file)
    load_file(file, fields=read_map("text=body"), on_duplicate="replace")
    assert one(conn, "SELECT count(*) FROM stc.corpus_files") == 2
    done = CliRunner().invoke(corpus, ["remove", "--file", str(file), "--yes"], obj=settings)
    assert "removed 1 document" in done.output
    assert one(conn, "SELECT count(*) FROM dblp") == one(conn, "SELECT count(*) FROM stc.corpus_files") == 0


def test_interrupted_standard_input_is_removed_by_number(conn: psycopg.Connection, write: Write, load_file: Load) -> None:
    load_file(write("mine.jsonl", jsonl("a")))
    conn.execute("UPDATE stc.corpus_files SET sha256 = NULL, path = '-'")
    load_file(write("mine.jsonl", jsonl("b")))
    conn.execute("UPDATE stc.corpus_files SET path = '-'")
    with pytest.raises(BadArgument, match="2 loaded files are named -") as several:
        remove_documents(conn, files=["-"])
    number = re.search(r"#\d+", several.value.hint or "")
    assert number is not None
    assert remove_documents(conn, files=[number[0]]).removed == 1
    assert conn.execute("SELECT docno FROM dblp").fetchall() == [("b",)]


def test_a_changed_file_is_compared_with_the_earlier_one(
    settings: Settings, conn: psycopg.Connection, write: Write, load_file: Load
) -> None:
    assert load_file(write("mine.jsonl", jsonl("a", "b", "c", "d"))).changes is None
    changed = write("mine.jsonl", jsonl("b", "x") + jsonl("c", text="corrected"))
    done = load_file(changed)
    assert done.changes is not None
    assert (done.changes.added, done.changes.common, done.changes.gone, done.changed) == (1, 2, 2, 1)
    earlier = one(conn, "SELECT sha256 FROM stc.corpus_files ORDER BY id LIMIT 1")
    assert done.changes.earlier == earlier

    shown = CliRunner().invoke(corpus, ["remove", "--file", earlier[:12], "--yes"], obj=settings)
    assert "2 more stay: another loaded file has them too" in shown.output
    assert "removed 2 documents" in shown.output
    assert conn.execute("SELECT docno FROM dblp ORDER BY 1").fetchall() == [("b",), ("c",), ("x",)]
    told = CliRunner().invoke(corpus, ["load", str(write("mine.jsonl", jsonl("b", "y")))], obj=settings).output
    assert "compared with the previous file: 1 added, 0 changed, 1 unchanged, 2 gone" in told


def test_the_changed_texts_can_be_had(conn: psycopg.Connection, write: Write, load_file: Load) -> None:
    load_file(write("mine.jsonl", jsonl("a", "b")))
    changed = write("mine.jsonl", jsonl("a", "b", text="corrected"))
    load_file(changed)
    remove_documents(conn, files=[one(conn, "SELECT sha256 FROM stc.corpus_files ORDER BY id DESC LIMIT 1")])
    assert one(conn, "SELECT count(*) FROM dblp_text WHERE abstract = 'corrected'") == 0
    assert load_file(changed, on_duplicate="replace").replaced == 2
    assert one(conn, "SELECT count(*) FROM dblp_text WHERE abstract = 'corrected'") == 2


def test_the_command_asks(settings: Settings, conn: psycopg.Connection, write: Write, load_file: Load, tmp_path: Path) -> None:
    load_file(write("mine.jsonl", jsonl("a", "b", "c")))
    judged(conn, tmp_path, "a")
    before = state(conn)
    for arguments, answer in (["--dry-run"], ""), ([], "n\n"):
        shown = CliRunner().invoke(corpus, ["remove", "--file", "mine.jsonl", *arguments], obj=settings, input=answer)
        assert "2 documents to remove\n  1 becomes a stub, used by 1 judgment (train)\n" in shown.output
        assert ("Remove them?" in shown.output) is bool(answer)
        assert state(conn) == before
    (tmp_path / "names").write_text("a\n\nb\n")
    shown = CliRunner().invoke(corpus, ["remove", "--docnos", str(tmp_path / "names")], obj=settings, input="y\n")
    assert shown.output.endswith("removed 1 document; 1 became a stub\n")
    shown = CliRunner().invoke(corpus, ["remove", "--stubs", "--yes"], obj=settings)
    assert shown.output == "  0 stubs to remove\n  1 stays, used by 1 judgment (train)\n"
    assert state(conn)["documents"][0][:2] == ("a", True)


def test_a_removal_that_is_killed_changes_nothing(
    dsn: str, conn: psycopg.Connection, write: Write, load_file: Load, tmp_path: Path
) -> None:
    load_file(write("mine.jsonl", jsonl("a", "b")))
    judged(conn, tmp_path, "a")
    before = state(conn)
    failed: list[BaseException] = []

    def removing(own: psycopg.Connection) -> None:
        try:
            remove_documents(own, files=["mine.jsonl"])
        except Exception as error:
            failed.append(error)

    with psycopg.connect(dsn, autocommit=True) as own, psycopg.connect(dsn) as keeper:
        keeper.execute("SELECT FROM dblp_text FOR UPDATE")  # the removal waits at the texts
        thread = threading.Thread(target=removing, args=(own,))
        thread.start()
        waiting = "SELECT count(*) FROM pg_stat_activity WHERE pid = %s AND wait_event_type = 'Lock'"
        for _ in range(2000):
            if one(conn, waiting, own.info.backend_pid):
                break
            time.sleep(0.005)
        conn.execute("SELECT pg_terminate_backend(%s)", [own.info.backend_pid])
        thread.join()
    assert failed
    assert state(conn) == before


def test_a_load_waits_for_a_removal(dsn: str, conn: psycopg.Connection, write: Write, load_file: Load) -> None:
    """A load can store a chunk while a removal removes its documents."""
    load_file(write("mine.jsonl", jsonl("a", "b")))
    with psycopg.connect(dsn) as own:
        own.execute("SELECT 1")  # a transaction that stays open
        remove_documents(own, ["a"])
        conn.execute("SET lock_timeout = '50ms'")
        with pytest.raises(psycopg.errors.LockNotAvailable):
            conn.execute("INSERT INTO stc.corpus_chunks (file, chunk, documents, duplicates, rejects) VALUES (1, 9, 0, 0, 0)")
        own.rollback()
    assert one(conn, "SELECT count(*) FROM dblp") == 2


@pytest.mark.parametrize("table", ["dblp", "st1_queries", "st1_topics"])
def test_every_reference_has_an_index(conn: psycopg.Connection, table: str) -> None:
    """Without an index, PostgreSQL scans the whole referencing table for each deleted row."""
    lacking = conn.execute(
        "SELECT c.conrelid::regclass::text, a.attname FROM pg_constraint c"
        "  JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[1]"
        " WHERE c.contype = 'f' AND c.confrelid = %s::regclass AND c.conparentid = 0 AND NOT EXISTS ("
        "       SELECT FROM pg_index i WHERE i.indrelid = c.conrelid AND i.indkey[0] = c.conkey[1])",
        [table],
    ).fetchall()
    assert lacking == []


def test_a_file_of_another_collection_stops(conn: psycopg.Connection, write: Write, load_file: Load, tmp_path: Path) -> None:
    load_file(write("mine.jsonl", jsonl("a", "b", "c")))
    other = tmp_path / "other.qrels"
    other.write_text("q 0 a 1\n" + "".join(f"q 0 x{number} 1\n" for number in (4, 2, 3, 1)))
    with pytest.raises(BadInput, match="looks like a file of another collection: 4 of its 5 documents are not in") as error:
        import_qrels(conn, other, edition="train")
    assert "for example 'x1', 'x2', 'x3'" in error.value.message
    assert "--unknown-docs stub" in (error.value.hint or "")
    assert one(conn, "SELECT count(*) FROM qrels_editions") == one(conn, "SELECT count(*) FROM st1_queries") == 0
    half = tmp_path / "half.qrels"
    half.write_text("q 0 a 1\nq 0 x1 1\n")
    assert import_qrels(conn, half, edition="train").new_documents == 1


def test_a_large_file_is_removed_in_sets(dsn: str, conn: psycopg.Connection, tmp_path: Path) -> None:
    """Remove more documents than a chunk has, from among others."""
    for number in range(3):
        path = tmp_path / f"{number}.jsonl"
        path.write_text(jsonl(*(f"{number}-{name}" for name in range(2000))))
        load(dsn, [str(path)])
    assert remove_documents(conn, files=["1.jsonl"]).removed == 2000
    assert conn.execute("SELECT left(docno, 1), count(*) FROM dblp GROUP BY 1 ORDER BY 1").fetchall() == [("0", 2000), ("2", 2000)]
