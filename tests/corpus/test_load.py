"""The ledger, duplicates, strictness, workers."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
import threading
from pathlib import Path

import psycopg
import pytest
from click.testing import CliRunner
from psycopg.conninfo import make_conninfo

from stcollection.corpus import ledger
from stcollection.corpus import load as module
from stcollection.corpus.load import load
from stcollection.corpus.removal import remove_documents
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, BadInput
from stcollection.io.corpus import chunks
from stcollection.io.corpus.fields import read_map
from stcollection.io.streams import Source
from tests.corpus.conftest import Load, Write, array, inverted, one, record, texts
from tests.groups import corpus

pytestmark = pytest.mark.slow


@pytest.fixture
def in_small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cut every file into chunks of a few records, and have workers store them."""
    monkeypatch.setattr(chunks, "CHUNK_BYTES", 500)
    monkeypatch.setattr(module, "SMALL_BYTES", 0)


def test_the_ledger_has_a_row_a_file(conn: psycopg.Connection, write: Write, load_file: Load) -> None:
    file = write("x.json", array([record(1), record(2, ""), record(1), record(3)]))
    done = load_file(file)
    assert (done.documents, done.duplicates, done.rejects, done.state) == (2, 1, 1, "loaded")
    headers, [row] = ledger.files(conn)
    entry = dict(zip(headers, row, strict=True))
    assert entry | {"seconds": 0, "sha256": "", "finished": None} == {
        "path": str(file),
        "format": "dblp-v12",
        "state": "loaded",
        "documents": 2,
        "duplicates": 1,
        "rejects": 1,
        "seconds": 0,
        "sha256": "",
        "finished": None,
    }
    assert entry["seconds"] > 0
    assert entry["finished"] == done.finished
    summed = subprocess.run(["sha256sum", file], capture_output=True, text=True, check=True).stdout.split()[0]
    assert entry["sha256"] == summed
    assert one(conn, "SELECT bytes FROM stc.corpus_files") == file.stat().st_size
    assert ledger.rejects(conn) == (["path", "line", "docno", "reason"], [(str(file), 3, "2", "it has no title")])


def test_a_second_load_changes_nothing(conn: psycopg.Connection, write: Write, load_file: Load) -> None:
    content = array([record(1), record(2, "")])
    first = load_file(write("x.json", content))
    before = conn.execute("SELECT xmin, * FROM dblp").fetchall(), conn.execute("SELECT * FROM stc.corpus_files").fetchall()
    again = load_file(write("other name.json", content))
    assert again.state == "already loaded"
    assert (again.documents, again.rejects, again.finished) == (first.documents, first.rejects, first.finished)
    assert before == (
        conn.execute("SELECT xmin, * FROM dblp").fetchall(),
        conn.execute("SELECT * FROM stc.corpus_files").fetchall(),
    )


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.usefixtures("in_small_chunks")
def test_of_duplicates_the_first_or_the_last_of_the_file_stays(
    workers: int, conn: psycopg.Connection, write: Write, load_file: Load
) -> None:
    # Every chunk has a different document with this id, and chunks are stored in any order.
    records = [record("all" if number % 3 == 0 else f"d{number}", f"Title {number}") for number in range(120)]
    done = load_file(write("x.json", array(records)), workers=workers)
    assert (done.documents, done.duplicates, done.rejects) == (81, 39, 39)
    assert texts(conn)["all"] == ("Title 0", None)
    assert one(conn, "SELECT doc ->> 'title' FROM dblp WHERE docno = 'all'") == "Title 0"
    rejects = conn.execute("SELECT line, docno, reason FROM stc.corpus_rejects").fetchall()
    assert {docno for _, docno, _ in rejects} == {"all"}
    assert all("is kept" in reason for _, _, reason in rejects)

    # A document from another file: the first stored stays, or the last of the file replaces it.
    other = [record("all" if number % 3 == 0 else f"e{number}", f"Other {number}") for number in range(120)]
    done = load_file(write("y.json", array(other)), workers=workers)
    assert (done.documents, done.duplicates, done.rejects) == (80, 40, 40)
    assert texts(conn)["all"] == ("Title 0", None)
    third = [record("all" if number % 3 == 0 else f"f{number}", f"Third {number}") for number in range(120)]
    done = load_file(write("z.json", array(third)), workers=workers, on_duplicate="replace")
    assert (done.documents, done.duplicates, done.rejects) == (80, 40, 0)
    assert texts(conn)["all"] == ("Third 117", None)
    assert one(conn, "SELECT doc ->> 'title' FROM dblp WHERE docno = 'all'") == "Third 117"
    assert one(conn, "SELECT count(*) FROM dblp") == one(conn, "SELECT sum(documents) FROM stc.corpus_files") == 241


@pytest.mark.slow
@pytest.mark.usefixtures("in_small_chunks")
def test_the_same_record_again_is_a_duplicate_and_no_reject(conn: psycopg.Connection, write: Write, load_file: Load) -> None:
    records = [record(number % 40, f"Title {number % 40}") for number in range(120)]
    done = load_file(write("x.json", array(records)), workers=2)
    assert (done.documents, done.duplicates, done.rejects) == (40, 80, 0)
    done = load_file(write("y.json", json.dumps(records, indent=3)), workers=2)
    assert (done.documents, done.duplicates, done.rejects) == (0, 120, 0)
    assert texts(conn) == {str(number): (f"Title {number}", None) for number in range(40)}


@pytest.mark.slow
def test_a_duplicate_is_an_error_where_it_is_to_be(conn: psycopg.Connection, write: Write, load_file: Load) -> None:
    load_file(write("x.json", array([record(1)])))
    for records in ([record(2), record(1)], [record(2), record(2)]):
        with pytest.raises(BadInput, match=r"y\.json:3: .*with this id is already stored"):
            load_file(write("y.json", array(records)), on_duplicate="error")
    assert texts(conn).keys() == {"1"}
    with pytest.raises(BadArgument, match="'merge'"):
        load_file(write("y.json", array([record(1)])), on_duplicate="merge")


@pytest.mark.parametrize("policy", ["skip", "replace", "error"])
def test_a_stub_always_gives_way_and_keeps_its_id(policy: str, conn: psycopg.Connection, write: Write, load_file: Load) -> None:
    conn.execute("INSERT INTO dblp (id, docno, doc, stub) VALUES (1, '1', '{}', true), (nextval('dblp_id_seq'), 'x', '{}', true)")
    stub = one(conn, "SELECT id FROM dblp WHERE docno = 'x'")
    records = [record(1), record("x", "T", indexed_abstract=inverted("a b")), record(3)]
    done = load_file(write("x.json", array(records)), on_duplicate=policy)
    assert (done.documents, done.duplicates, done.rejects) == (3, 0, 0)
    assert texts(conn) == {"1": ("A title", None), "x": ("T", "a b"), "3": ("A title", None)}
    assert one(conn, "SELECT id FROM dblp WHERE docno = 'x'") == stub
    assert one(conn, "SELECT doc FROM dblp WHERE docno = 'x'") == records[1]


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.usefixtures("in_small_chunks")
def test_strict_stops_at_the_first_reject_and_its_chunk_is_not_stored(
    workers: int, conn: psycopg.Connection, write: Write, load_file: Load
) -> None:
    file = write("x.json", array(record(number, "" if number in (70, 90) else "T") for number in range(100)))
    with pytest.raises(BadInput) as error:
        load_file(file, strict=True, workers=workers)
    assert error.value.message == f"{file}:72: it has no title"
    stored = texts(conn).keys()
    cut = [set(re.findall(r'"id": (\d+), "title"', chunk.data.decode())) for chunk in chunks.chunks(Source(str(file)), format=None)]
    [bad] = [number for number, docnos in enumerate(cut) if "70" in docnos]
    assert all(docnos <= stored for docnos in cut[:bad])
    assert not cut[bad] & stored
    assert one(conn, "SELECT count(*) FROM stc.corpus_rejects") == 0
    # Without it, the load resumes where it stopped.
    done = load_file(file, workers=workers)
    assert (done.documents, done.rejects) == (98, 2)
    assert {int(docno) for docno in texts(conn)} == set(range(100)) - {70, 90}


def test_a_load_begun_as_one_format_is_not_resumed_as_another(conn: psycopg.Connection, write: Write, load_file: Load) -> None:
    file = write("x.json", array([record(1), record(2)])[:-5])
    with pytest.raises(BadInput, match="truncated"):
        load_file(file)
    with pytest.raises(BadArgument, match="began with format dblp-v12, not jsonl") as error:
        load_file(file, format="jsonl")
    assert "--format dblp-v12, or remove what it stored: stc drop documents --file" in (error.value.hint or "")
    remove_documents(conn, files=[(error.value.hint or "").split()[-1].rstrip(".")])
    with pytest.raises(BadInput, match="truncated"):
        load_file(file, format="jsonl")
    assert one(conn, "SELECT format FROM stc.corpus_files") == "jsonl"


def ledger_rows(conn: psycopg.Connection) -> tuple[int, ...]:
    return tuple(one(conn, f"SELECT count(*) FROM stc.corpus_{table}") for table in ("files", "chunks", "rejects"))


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("count", [2, 3000])
def test_a_load_that_stored_nothing_leaves_nothing(
    count: int, workers: int, conn: psycopg.Connection, write: Write, load_file: Load, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another format or map can then load the file, whatever its size."""
    monkeypatch.setattr(module, "SMALL_BYTES", 0)
    lines = (json.dumps({"id": 0.5, "key": f"d{number}", "title": f"T{number}", "x": "x" * 500}) for number in range(count))
    file = write("x.jsonl", "\n".join(lines))
    for _ in range(2):
        if count > module.HOPELESS:
            with pytest.raises(BadInput, match=r"x\.jsonl:1: its id 0\.5 is neither .*; no document was found in the first"):
                load_file(file, workers=workers)
        else:
            done = load_file(file, workers=workers)
            assert done.all_rejected
            assert (done.rejects, done.file) == (2, 0)
            assert f"{file}:1: its id 0.5" in (done.reject or "")
        assert ledger_rows(conn) == (0, 0, 0)
    assert load_file(file, workers=workers, fields=read_map("docno=key")).documents == count
    assert ledger_rows(conn)[0] == 1


def test_a_strict_load_that_stored_nothing_leaves_nothing(conn: psycopg.Connection, write: Write, load_file: Load) -> None:
    file = write("x.json", array([record(1), record(2, "")]))
    with pytest.raises(BadInput, match="it has no title"):
        load_file(file, strict=True)
    assert ledger_rows(conn) == (0, 0, 0)


@pytest.mark.usefixtures("in_small_chunks")
@pytest.mark.parametrize("workers", [1, 2])
def test_rejects_before_the_first_document_are_kept(workers: int, conn: psycopg.Connection, write: Write, load_file: Load) -> None:
    done = load_file(write("x.json", array([*(record(n, "") for n in range(20)), record(20)])), workers=workers)
    assert (done.documents, done.rejects, done.all_rejected) == (1, 20, False)
    lines = conn.execute("SELECT line FROM stc.corpus_rejects ORDER BY line").fetchall()
    assert [line for (line,) in lines] == list(range(2, 22))
    assert one(conn, "SELECT count(*) FROM stc.corpus_chunks") > 2


def test_what_an_earlier_version_left_does_not_block(conn: psycopg.Connection, write: Write, load_file: Load) -> None:
    file = write("x.jsonl", '{"key": "a", "title": "T"}\n')
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    for state in ("loading", "loaded"):
        conn.execute("INSERT INTO stc.corpus_files (path, sha256, format, state) VALUES ('x', %s, 'jsonl', %s)", [digest, state])
    assert load_file(file, fields=read_map("docno=key")).documents == 1
    assert conn.execute("SELECT format FROM stc.corpus_files").fetchall() == [("jsonl --map docno=key",)]


@pytest.mark.parametrize("name", ["mine.json", "corrected.json"])
def test_a_corrected_file_replaces_texts_also_if_it_was_loaded(
    name: str, conn: psycopg.Connection, write: Write, load_file: Load
) -> None:
    first = write("mine.json", array([record(1, "Old"), record(2, "Two")]))
    load_file(first)
    kept = first.read_bytes()
    corrected = write(name, array([record(1, "New"), record(2, "Two")]))
    assert (load_file(corrected).changed, texts(conn)["1"]) == (1, ("Old", None))
    assert load_file(corrected).state == "already loaded"
    for state in ("loaded", "already loaded"):
        done = load_file(corrected, on_duplicate="replace")
        assert (done.state, texts(conn)["1"]) == (state, ("New", None))
    assert ledger_rows(conn) == (2, 2, 0)
    first.write_bytes(kept)
    assert load_file(first, on_duplicate="replace").replaced == 1
    assert texts(conn)["1"] == ("Old", None)
    assert one(conn, "SELECT count(*) FROM stc.corpus_files WHERE state = 'loaded'") == 2


def test_files_that_replace_each_other_in_one_command_are_read_once(dsn: str, conn: psycopg.Connection, write: Write) -> None:
    """A command that was interrupted can be repeated."""
    files = [str(write(f"{n}.json", array([record(1, f"Title {n}"), record(n, "Its own")]))) for n in (2, 3)]
    for state in ("loaded", "already loaded"):
        assert [done.state for done in load(dsn, files, on_duplicate="replace")] == [state, state]
        assert texts(conn)["1"] == ("Title 3", None)
    assert load(dsn, files[:1], on_duplicate="replace")[0].replaced == 1
    assert texts(conn)["1"] == ("Title 2", None)


def test_replacing_a_file_by_itself_reads_nothing(write: Write, load_file: Load) -> None:
    file = write("x.json", array([record(1)]))
    load_file(file)
    assert load_file(file, on_duplicate="replace").state == "already loaded"


@pytest.mark.slow
@pytest.mark.usefixtures("in_small_chunks")
def test_two_loads_of_one_file_at_once(dsn: str, conn: psycopg.Connection, write: Write) -> None:
    file = write("x.json", array(record(number) for number in range(400)))
    done: list[int] = []
    threads = [threading.Thread(target=lambda: done.append(load(dsn, [str(file)], workers=2)[0].documents)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert done == [400, 400]
    assert one(conn, "SELECT count(*) FROM dblp_text") == 400
    assert one(conn, "SELECT sum(documents) FROM stc.corpus_files") == 400
    assert one(conn, "SELECT count(*) FROM stc.corpus_rejects") == 0


def test_progress_goes_over_all_files(dsn: str, write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chunks, "CHUNK_BYTES", 2000)
    files = [write(f"{name}.json", array(record(f"{name}{number}") for number in range(50))) for name in "abc"]
    told: list[tuple[int, int | None, int]] = []
    load(dsn, [str(file) for file in files], progress=lambda *values: told.append(values))
    total = sum(file.stat().st_size for file in files)
    assert told == sorted(told)
    assert {one[1] for one in told} == {total}
    assert told[-1] == (total, total, 150)
    assert len(told) > 6


def test_a_file_of_nothing_but_rejects_is_given_up_early(conn: psycopg.Connection, write: Write, load_file: Load) -> None:
    file = write("x.jsonl", "".join(json.dumps({"docno": str(n), "text": "t" * 500}) + "\n" for n in range(20_000)))
    with pytest.raises(BadInput, match=r"x\.jsonl:1: it has no id; no document was found") as error:
        load_file(file, format="dblp-v10", workers=1)
    assert "--format" in (error.value.hint or "")
    assert one(conn, "SELECT count(*) FROM stc.corpus_rejects") < 10_000


def test_large_records_are_compressed_with_lz4_if_the_server_has_it(dsn: str, conn: psycopg.Connection, write: Write) -> None:
    def method(number: int, where: str) -> str:
        [done] = load(where, [str(write(f"{number}.json", array([record(number, notes="to and fro " * 1000)])))])
        assert done.documents == 1
        return str(one(conn, f"SELECT pg_column_compression(doc) FROM dblp WHERE id = {number}"))

    [methods] = conn.execute("SELECT enumvals FROM pg_settings WHERE name = 'default_toast_compression'").fetchone() or ([],)
    assert method(1, dsn) == ("lz4" if "lz4" in methods else "pglz")
    assert method(2, make_conninfo(dsn, options="-c default_toast_compression=pglz")) == "pglz"


def test_values_that_make_no_sense(load_file: Load, write: Write) -> None:
    with pytest.raises(BadArgument, match="0 workers"):
        load_file(write("x.json", array([record(1)])), workers=0)


@pytest.mark.slow
def test_workers_need_no_guarded_main_module(dsn: str, conn: psycopg.Connection, write: Write, tmp_path: Path) -> None:
    file = write("x.json", array(record(number, padding="x" * 1000) for number in range(2200)))
    script = write(
        "script.py", f"from stcollection.corpus.load import load\nprint(load({dsn!r}, [{str(file)!r}], workers=2)[0].documents)\n"
    )
    paths = [path for path in sys.path if path]
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path[:] = {paths!r}; exec(open({str(script)!r}).read())"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
    )
    assert (done.stdout, done.stderr) == ("2200\n", "")
    assert one(conn, "SELECT count(*) FROM dblp_text") == 2200


def test_a_changed_file_is_counted(write: Write, load_file: Load) -> None:
    load_file(write("a.json", array([record(1), record(2), record(3)])))
    changed = [record(1), record(2, "Another"), record(4)]
    done = load_file(write("a.json", array(changed)), on_duplicate="replace")
    assert (done.documents, done.duplicates, done.replaced, done.rejects) == (1, 2, 1, 0)


def test_a_field_that_looks_like_the_text_is_named(write: Write, load_file: Load) -> None:
    lines = [
        {"id": 1, "title": "T", "body": "Some words."},
        {"id": 2, "text": "A text.", "venue": "A place"},
        {"id": 3, "body": "x"},
    ]
    done = load_file(write("a.jsonl", "\n".join(map(json.dumps, lines))))
    assert (done.documents, done.rejects, dict(done.unread)) == (2, 1, {"body": 1})
    assert not done.all_rejected


def test_a_file_of_rejects_exits_with_3(settings: Settings, conn: psycopg.Connection, write: Write) -> None:
    good, bad = write("good.jsonl", json.dumps({"id": 1, "title": "T"})), write("bad.jsonl", json.dumps({"id": 2.5, "title": "x"}))
    with pytest.raises(BadInput, match=r"bad\.jsonl: 1 record rejected and none stored: .*bad\.jsonl:1: its id 2\.5") as error:
        CliRunner().invoke(corpus, ["load", str(bad), str(good)], obj=settings, catch_exceptions=False)
    assert error.value.exit_code == 3
    assert one(conn, "SELECT count(*) FROM dblp") == 1
    assert ledger_rows(conn) == (1, 1, 0)
