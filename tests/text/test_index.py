"""index_text: built and untouched indexes, staleness, interruptions."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

from stcollection.corpus.load import load
from stcollection.db.check import problems
from stcollection.db.settings import Settings
from stcollection.db.upgrade import upgrade
from stcollection.errors import BadArgument, StateError
from stcollection.text.index import index, status
from tests.text.documents import ENGINES, build, byte4, found, put

pytestmark = pytest.mark.slow

TEXTS = {
    1: ("Voice assistants", "The assistant listens."),
    2: ("Listening", "voice voice voice"),
    3: ("It's <b>C++</b>, a\\b?", None),
    4: (None, None),
    5: ("the", "of"),
}


def state(conn: psycopg.Connection) -> dict[str, object]:
    return dict(status(conn))


def stale(conn: psycopg.Connection) -> bool:
    return conn.execute("SELECT stale FROM stc.text_index").fetchone() == (True,)


@pytest.fixture
def fast(conn: psycopg.Connection) -> bool:
    """Return True if the server has pg_textsearch."""
    return conn.execute("SELECT stc.pg_textsearch_ready()").fetchone() == (True,)


@pytest.fixture
def need_fast(fast: bool) -> None:
    """Skip the test if the server has no pg_textsearch."""
    if not fast:
        pytest.skip("this server has no pg_textsearch")


def test_it_counts_what_it_indexes(conn: psycopg.Connection, fast: bool) -> None:
    put(conn, TEXTS)
    before = state(conn)
    assert (before["rows"], before["sound"], before["documents"]) == (5, False, None)
    done = index(conn)
    assert done.built
    assert (done.engine, done.config, done.k1, done.b) == ("pg_textsearch" if fast else "portable", "english", 1.2, 0.75)
    assert (done.documents, done.tokens) == (3, 10)  # two have no words
    after = state(conn)
    assert [after[name] for name in ("rows", "measured", "documents", "tokens", "stale", "sound")] == [5, 5, 3, 10, False, True]
    assert after["indexed"] == (3 if fast else None)


def test_the_statistics_are_those_of_the_rows(conn: psycopg.Connection) -> None:
    put(conn, TEXTS)
    index(conn)
    lexemes = {
        lexeme: (documents, occurrences)
        for lexeme, documents, occurrences in conn.execute("SELECT lexeme, documents, occurrences FROM stc.text_lexemes")
    }
    assert lexemes == {"voic": (2, 4), "assist": (1, 2), "listen": (2, 2), "c": (1, 1), "b": (1, 1)}
    assert dict(conn.execute("SELECT id, tokens FROM stc.text_lengths").fetchall()) == {1: 4, 2: 4, 3: 2, 4: 0, 5: 0}


def test_what_is_current_is_left_alone(conn: psycopg.Connection) -> None:
    put(conn, TEXTS)
    index(conn)
    before = objects(conn)
    said: list[str] = []
    assert not index(conn, progress=said.append).built
    assert said == ["the text index is current, nothing was changed"]
    assert objects(conn) == before
    assert index(conn, rebuild=True).built
    assert not {oid for _, oid in objects(conn)} & {oid for _, oid in before}


@pytest.mark.parametrize("change", [{"k1": 0.9}, {"b": 0.4}, {"engine": "portable"}, {"config": "simple"}])
def test_other_parameters_build_anew(conn: psycopg.Connection, fast: bool, change: dict[str, object]) -> None:
    if not fast and "engine" in change:
        pytest.skip("this server has only the one engine")
    put(conn, TEXTS)
    index(conn)
    done = index(conn, **change)  # type: ignore[arg-type]
    assert done.built
    [(name, value)] = change.items()
    assert getattr(done, name) == value
    assert not index(conn, **change).built  # type: ignore[arg-type]
    assert state(conn)["sound"] is True


def test_another_configuration_changes_the_vectors(conn: psycopg.Connection) -> None:
    put(conn, TEXTS)
    index(conn, config="simple")
    assert conn.execute("SELECT tsv::text FROM dblp_text WHERE id = 1").fetchone() == (
        "'assistant':4B 'assistants':2A 'listens':5B 'the':3B 'voice':1A",
    )
    assert [row[0] for row in found(conn, "bm25_search", "the", 5)] == [5, 1]
    index(conn)
    assert conn.execute("SELECT tsv::text FROM dblp_text WHERE id = 1").fetchone() == ("'assist':2A,4B 'listen':5B 'voic':1A",)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"k1": 0}, "k1 is 0"), ({"k1": float("nan")}, "k1 is nan"), ({"b": 1.5}, "b is 1.5"), ({"engine": "lucene"}, "lucene"),
        ({"config": "klingon"}, "klingon"), ({"config": "a.b.c.d"}, "a.b.c.d"),
    ],
)  # fmt: skip
def test_arguments_out_of_range_are_named(conn: psycopg.Connection, arguments: dict[str, object], named: str) -> None:
    put(conn, TEXTS)
    with pytest.raises(BadArgument, match=named) as error:
        index(conn, **arguments)  # type: ignore[arg-type]
    assert error.value.hint


def test_nothing_to_index(conn: psycopg.Connection) -> None:
    with pytest.raises(StateError, match="no text") as error:
        index(conn)
    assert "stc corpus load" in str(error.value.hint)


def test_it_leaves_the_session_as_it_was(dsn: str) -> None:
    with psycopg.connect(dsn) as conn:
        conn.execute("SET maintenance_work_mem = '77MB'; SET max_parallel_maintenance_workers = 1")
        put(conn, TEXTS)
        conn.commit()
        assert index(conn).built
        assert not conn.autocommit
        assert conn.execute("SHOW maintenance_work_mem").fetchone() == ("77MB",)
        assert conn.execute("SHOW max_parallel_maintenance_workers").fetchone() == ("1",)


# the seal --------------------------------------------------------------


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO dblp_text (id, title) VALUES (9, 'nine')",
        "UPDATE dblp_text SET title = 'one' WHERE id = 1",
        "DELETE FROM dblp_text WHERE id = 1",
        "DELETE FROM dblp WHERE id = 1",
        "TRUNCATE dblp_text CASCADE",
        "MERGE INTO dblp_text t USING (VALUES (9, 'nine')) s (id, title) ON s.id = t.id"
        " WHEN NOT MATCHED THEN INSERT (id, title) VALUES (s.id, s.title)",
    ],
)
def test_a_write_makes_it_stale_in_the_same_transaction(conn: psycopg.Connection, dsn: str, statement: str) -> None:
    put(conn, TEXTS)
    conn.execute("INSERT INTO dblp (id, docno, doc) VALUES (9, '9', '{}')")
    index(conn)
    assert not stale(conn)
    if not statement.startswith("TRUNCATE"):  # a rollback would break the index, see test_bm25.py
        with conn.transaction(force_rollback=True):
            conn.execute(statement.encode())
            assert stale(conn)
            with psycopg.connect(dsn) as other:
                assert not stale(other)
        assert not stale(conn)
    conn.execute(statement.encode())
    assert stale(conn)
    assert state(conn)["sound"] is False


def test_a_copy_makes_it_stale(conn: psycopg.Connection) -> None:
    put(conn, TEXTS)
    conn.execute("INSERT INTO dblp (id, docno, doc) VALUES (9, '9', '{}')")
    index(conn)
    with conn.cursor().copy("COPY dblp_text (id, title) FROM STDIN") as copy:
        copy.write_row((9, "nine"))
    assert stale(conn)
    assert index(conn).built
    assert not stale(conn)


@pytest.mark.usefixtures("dsn")
@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO dblp_text (id, title) VALUES (1, 'one') ON CONFLICT DO NOTHING",
        "UPDATE dblp_text SET title = 'one' WHERE id = 77",
        "DELETE FROM dblp_text WHERE id = 77",
    ],
)
def test_a_statement_that_changes_no_row_does_not(conn: psycopg.Connection, statement: str) -> None:
    put(conn, TEXTS)
    index(conn)
    conn.execute(statement.encode())
    assert not stale(conn)


def test_a_role_that_may_only_write_documents_breaks_the_seal_too(conn: psycopg.Connection) -> None:
    put(conn, TEXTS)
    index(conn)
    with conn.transaction():
        conn.execute("CREATE ROLE stc_test_writer")
        conn.execute("GRANT INSERT, UPDATE, SELECT ON dblp_text TO stc_test_writer")
        conn.execute("SET LOCAL ROLE stc_test_writer")
        conn.execute("UPDATE dblp_text SET title = 'one' WHERE id = 1")
        conn.execute("RESET ROLE")
        conn.execute("DROP OWNED BY stc_test_writer")
        conn.execute("DROP ROLE stc_test_writer")
    assert stale(conn)


def test_status_tells_an_index_that_lost_documents(conn: psycopg.Connection) -> None:
    put(conn, TEXTS)
    index(conn)
    with conn.transaction():
        conn.execute("SET LOCAL session_replication_role = replica")  # no triggers
        conn.execute("DELETE FROM dblp_text WHERE id = 1")
    assert not stale(conn)
    assert state(conn)["sound"] is False
    assert index(conn).built
    assert state(conn)["sound"] is True


# interruption ------------------------------------------------------------


def objects(conn: psycopg.Connection) -> list[tuple[str, int]]:
    """Return the indexes that index_text builds, with their oids."""
    return conn.execute(
        "SELECT relname, oid FROM pg_class WHERE relname IN ('dblp_text_tsv_gin', 'dblp_text_bm25') ORDER BY 1"
    ).fetchall()


def test_a_first_build_that_is_rolled_back_leaves_nothing(conn: psycopg.Connection) -> None:
    put(conn, TEXTS)
    with conn.transaction(force_rollback=True):
        assert index(conn).built
    assert objects(conn) == []
    assert conn.execute("SELECT count(*) FROM stc.text_index").fetchone() == (0,)
    assert conn.execute("SELECT count(*) FROM stc.text_lexemes").fetchone() == (0,)
    assert index(conn).built
    assert state(conn)["sound"] is True


@pytest.mark.slow
@pytest.mark.parametrize("milliseconds", [100, 500])
def test_a_build_that_is_cancelled_leaves_the_old_one_to_every_session(
    conn: psycopg.Connection, dsn: str, fast: bool, milliseconds: int
) -> None:
    conn.execute("INSERT INTO dblp (id, docno, doc) SELECT n, n, '{}' FROM generate_series(1, 20000) n")
    conn.execute(
        "INSERT INTO dblp_text (id, title) SELECT n, string_agg('word' || (n * w) % 9973, ' ')"
        " FROM generate_series(1, 20000) n, generate_series(1, 20) w GROUP BY n"
    )
    index(conn)
    before = objects(conn), found(conn, "bm25_search", "word77 word78", 20), state(conn)["built"]
    with psycopg.connect(dsn, autocommit=True) as other:
        other.execute(f"SET statement_timeout = {milliseconds}")
        with pytest.raises(psycopg.errors.QueryCanceled):
            other.execute("CALL stc.index_text(rebuild => true)")
        other.execute("RESET statement_timeout")
        for session in (conn, other):
            session.execute("SET statement_timeout = '20s'")  # pg_textsearch might hang
            assert (objects(session), found(session, "bm25_search", "word77 word78", 20), state(session)["built"]) == before
            assert state(session)["sound"] is True


def test_it_is_not_built_again_in_a_transaction_that_may_be_rolled_back(conn: psycopg.Connection, fast: bool) -> None:
    if not fast:
        pytest.skip("this server has no pg_textsearch, and nothing to lose")
    put(conn, TEXTS)
    index(conn)
    with pytest.raises(BadArgument, match="transaction block"), conn.transaction():
        index(conn, rebuild=True)


# its parts -----------------------------------------------------------------


def test_lengths_are_rounded_as_lucene_does(conn: psycopg.Connection) -> None:
    lengths = sorted({*range(3000), *(2**n + d for n in range(2, 31) for d in (-1, 0, 1, 23, 24, 25)), 2**31 - 1})
    got = conn.execute("SELECT n, stc.smallfloat_byte4(n) FROM unnest(%s::integer[]) n", [lengths]).fetchall()
    assert got == [(length, byte4(length)) for length in lengths]
    assert [byte4(n) for n in (39, 40, 41, 42, 43, 56, 57, 2**31 - 1)] == [39, 40, 40, 42, 42, 56, 56, 2013265944]


def test_a_term_frequency_is_exact_up_to_what_a_tsvector_holds(conn: psycopg.Connection) -> None:
    rows = conn.execute(
        "SELECT n, stc.term_frequency(v, 'a'), stc.term_frequency(setweight(v, 'A'), 'a') FROM generate_series(1, 255) n,"
        " LATERAL (SELECT ('b:300 a:' || string_agg(i::text, ','))::tsvector FROM generate_series(1, n) i) t (v)"
    ).fetchall()
    assert rows == [(n, n, n) for n in range(1, 256)]


def test_a_text_length_counts_positions(conn: psycopg.Connection) -> None:
    assert conn.execute("SELECT stc.text_length('a:1,2,3 b:4'), stc.text_length('a b'), stc.text_length('')").fetchone() == (
        4,
        2,
        0,
    )


@pytest.mark.parametrize(
    "search",
    [
        "bm25_search('voices')",
        "bm25_search('voices', engine => 'portable')",
        "boolean_search('voices')",
        "boolean_search('voices people rooms', minimum => 1)",
        "rm3_search('voices')",
        "hybrid_search('voices', rankers => '{bm25,boolean}')",
        'lucene_search(\'{"text": "voices"}\')',
        "stc.coverage_counts('[[\"voices\"]]')",
        "dblp_text WHERE tsv @@ stc.parse_query('voices')",
    ],
)
def test_an_index_of_another_postgresql_is_refused(conn: psycopg.Connection, search: str) -> None:
    conn.execute("INSERT INTO dblp (id, docno, doc) VALUES (1, '1', '{}')")
    conn.execute("INSERT INTO dblp_text (id, title) VALUES (1, 'voices')")
    conn.execute("CALL stc.index_text()")
    query = f"SELECT count(*) FROM {search}".encode()
    assert conn.execute(query).fetchone() == (1,)
    conn.execute("UPDATE stc.text_index SET server_major = 16")
    with pytest.raises(psycopg.Error, match="PostgreSQL 16 built it, and this server is PostgreSQL") as error, conn.transaction():
        conn.execute(query)
    assert (error.value.sqlstate, error.value.diag.message_hint) == ("IR401", "Rebuild it: stc text index.")
    conn.execute("CALL stc.index_text()")
    assert conn.execute(query).fetchone() == (1,)


@pytest.mark.parametrize(
    ("change", "note"),
    [
        ("UPDATE stc.text_index SET server_major = 16", r"built by PostgreSQL 16, read by \d+: their stemmers differ"),
        (
            "UPDATE stc.text_index SET dictionaries = '{pg_catalog.other_stem}'",
            "the dictionaries of english have changed since the build",
        ),
        ("UPDATE stc.text_index SET server_major = NULL", "the PostgreSQL version that built it is unknown"),
    ],
)
def test_an_index_of_another_server_or_other_dictionaries_is_stale(conn: psycopg.Connection, change: str, note: str) -> None:
    conn.execute("INSERT INTO dblp (id, docno, doc) VALUES (1, '1', '{}')")
    conn.execute("INSERT INTO dblp_text (id, title) VALUES (1, 'voices')")
    state = "SELECT stale, sound, note FROM stc.text_status()"
    conn.execute("CALL stc.index_text()")
    assert conn.execute(state).fetchone() == (False, True, None)
    conn.execute(change.encode())
    row = conn.execute(state).fetchone()
    assert row is not None
    assert row[:2] == (True, False)
    assert re.fullmatch(note, row[2])
    assert conn.execute("CALL stc.index_text()").fetchone() == (True,)
    assert conn.execute(state).fetchone() == (False, True, None)


# every document is found -------------------------------------------------


def in_place(conn: psycopg.Connection) -> None:
    """Update each row in place: no indexed column changes, and the page has room."""
    conn.execute("DELETE FROM dblp_text WHERE id IN (4, 5)")
    conn.execute("UPDATE dblp_text SET title = title")


def by_both(conn: psycopg.Connection) -> tuple[list[int], list[int]]:
    """Return the documents that each engine finds for a word of each document."""
    query = "voice listens assistants"
    return tuple(sorted(doc for doc, *_ in found(conn, "bm25_search", query, 9, None, one)) for one in ENGINES)  # type: ignore[return-value]


@pytest.mark.usefixtures("dsn", "need_fast")
@pytest.mark.parametrize("first", [True, False], ids=["before the first build", "after a build"])
def test_rows_that_were_updated_in_place_are_found(conn: psycopg.Connection, first: bool) -> None:
    put(conn, TEXTS)
    if not first:
        index(conn)
    in_place(conn)
    texts = "SELECT id, title, abstract, content, tsv FROM dblp_text ORDER BY id"
    triggers = "SELECT tgname, tgenabled FROM pg_trigger WHERE tgrelid = 'dblp_text'::regclass ORDER BY 1"
    conn.execute("ALTER TABLE dblp_text DISABLE TRIGGER dblp_text_forget_vectors")
    conn.execute("ALTER TABLE dblp_text ENABLE ALWAYS TRIGGER dblp_text_stale")
    before = conn.execute(texts).fetchall(), conn.execute(triggers).fetchall()
    assert index(conn).built
    after = dict(status(conn, verify=True))
    assert (after["documents"], after["lost"], after["sound"]) == (3, 0, True)
    assert by_both(conn) == ([1, 2], [1, 2])
    assert (conn.execute(texts).fetchall(), conn.execute(triggers).fetchall()) == before


@pytest.mark.usefixtures("dsn", "need_fast")
def test_a_build_in_sql_looks_up_every_document(conn: psycopg.Connection) -> None:
    """The second CALL finds rows that were updated in place; until then searches refuse the index."""
    put(conn, TEXTS)
    conn.execute("CALL stc.index_text()")
    in_place(conn)
    with warnings(conn) as heard:
        assert conn.execute("CALL stc.index_text()").fetchone() == (True,)
        assert [text for text, _ in heard] == ["the new BM25 index does not find 3 of 3 documents"]
        assert "same command again" in str(heard.pop()[1])
        assert (state(conn)["stale"], state(conn)["sound"]) == (True, False)
        with pytest.raises(psycopg.Error, match="stale"):
            found(conn, "bm25_search", "voice")
        assert conn.execute("CALL stc.index_text()").fetchone() == (True,)
        assert heard == []
    assert state(conn)["sound"] is True
    assert verified(conn)
    assert by_both(conn) == ([1, 2], [1, 2])


@pytest.mark.usefixtures("dsn", "need_fast")
def test_the_call_that_creates_the_extension_leaves_the_lookup_to_the_next(conn: psycopg.Connection) -> None:
    """Until the extension is committed, an index scan computes each score again, which takes minutes for a collection."""
    put(conn, TEXTS)
    conn.execute("DROP EXTENSION IF EXISTS pg_textsearch CASCADE")
    assert conn.execute("CALL stc.index_text()").fetchone() == (True,)
    assert (state(conn)["sound"], verified(conn)) == (True, False)
    assert conn.execute("CALL stc.index_text()").fetchone() == (False,)
    assert verified(conn)


@pytest.mark.usefixtures("dsn", "need_fast")
def test_a_lookup_that_is_cancelled_leaves_the_new_index(conn: psycopg.Connection) -> None:
    """An error would roll back the drop of the old index. The next command repeats the lookup."""
    put(conn, TEXTS)
    index(conn)
    conn.execute(
        """
        CREATE FUNCTION public.cancel() RETURNS event_trigger LANGUAGE plpgsql AS $$
        BEGIN
            IF to_regclass('public.dblp_text_bm25_next') IS NULL THEN  -- all are found, which the comment is to note
                PERFORM pg_cancel_backend(pg_backend_pid()), pg_sleep(60);
            END IF;
        END $$;
        CREATE EVENT TRIGGER cancel ON ddl_command_start WHEN TAG IN ('COMMENT') EXECUTE FUNCTION public.cancel()"""
    )
    before = objects(conn)
    with warnings(conn) as heard:
        assert conn.execute("CALL stc.index_text(rebuild => true)").fetchone() == (True,)
    assert [text for text, _ in heard] == ["the new BM25 index was not verified: canceling statement due to user request"]
    assert "same command again" in str(heard[0][1])
    conn.execute("DROP EVENT TRIGGER cancel")
    assert not {oid for _, oid in objects(conn)} & {oid for _, oid in before}
    assert not verified(conn)
    assert state(conn)["lost"] == 0  # looked up now
    assert not index(conn).built
    assert verified(conn)


@contextmanager
def warnings(conn: psycopg.Connection) -> Iterator[list[tuple[str | None, str | None]]]:
    """Yield the warnings of the server, as message and hint."""
    heard: list[tuple[str | None, str | None]] = []

    def hear(one: psycopg.errors.Diagnostic) -> None:
        if one.severity_nonlocalized == "WARNING":
            heard.append((one.message_primary, one.message_hint))

    conn.add_notice_handler(hear)
    yield heard
    conn.remove_notice_handler(hear)


def verified(conn: psycopg.Connection) -> bool:
    """Return True if the index notes that all documents were found."""
    return conn.execute("SELECT obj_description('dblp_text_bm25'::regclass) LIKE '%every document found'").fetchone() == (True,)


@pytest.mark.usefixtures("need_fast")
def test_a_load_that_changes_no_text_leaves_the_index_current(conn: psycopg.Connection, dsn: str, tmp_path: Path) -> None:
    for year in (2001, 2002):
        records = [{"id": n, "title": title, "year": year} for n, title in ((1, "machine learning"), (2, "database systems"))]
        (tmp_path / f"{year}.jsonl").write_text("".join(f"{json.dumps(record)}\n" for record in records))
        load(dsn, [str(tmp_path / f"{year}.jsonl")], on_duplicate="replace")
        assert index(conn).built == (year == 2001)
        assert [doc for doc, *_ in found(conn, "bm25_search", "machine", 9)] == [1]
    assert conn.execute("SELECT array_agg(DISTINCT year) FROM dblp_facts").fetchone() == ([2002],)


@pytest.mark.usefixtures("dsn", "need_fast")
def test_an_index_that_does_not_find_every_document_is_reported_and_rebuilt(conn: psycopg.Connection) -> None:
    put(conn, TEXTS)
    index(conn)
    in_place(conn)
    old_build(conn)
    after = dict(status(conn))
    assert (after["stale"], after["lost"], after["sound"]) == (False, 3, False)
    advice = "The BM25 index does not find 3 of 3 documents. Run 'stc text index'."
    assert [one.advice for one in problems(conn) if one.problem == "stale index"] == [advice]
    assert index(conn).built
    assert dict(status(conn, verify=True))["lost"] == 0
    assert not any(one.problem == "stale index" for one in problems(conn))


@pytest.mark.usefixtures("need_fast")
def test_an_upgrade_marks_an_index_of_an_earlier_version_that_loses_documents(settings: Settings, conn: psycopg.Connection) -> None:
    put(conn, TEXTS)
    index(conn)
    unverified(conn)
    assert not any("did not find" in note for note in upgrade(settings).notes)
    assert not stale(conn)
    in_place(conn)
    old_build(conn)
    assert (
        "the BM25 index did not find 3 documents: BM25 raises an error until 'stc text index' has rebuilt it"
        in upgrade(settings).notes
    )
    with pytest.raises(psycopg.Error, match="stale"):
        found(conn, "bm25_search", "voice")
    index(conn)
    assert by_both(conn) == ([1, 2], [1, 2])


def old_build(conn: psycopg.Connection) -> None:
    """Build the BM25 index as version 0.2 did, which did not look for lost documents."""
    conn.execute("DROP INDEX dblp_text_bm25")
    conn.execute("CREATE INDEX dblp_text_bm25 ON dblp_text USING bm25 (content) WITH (text_config = 'english', k1 = 1.2, b = 0.75)")
    unverified(conn)
    conn.execute("UPDATE stc.text_index SET stale = false")
    conn.execute("DELETE FROM stc.text_lengths l WHERE NOT EXISTS (SELECT FROM dblp_text t WHERE t.id = l.id)")


def unverified(conn: psycopg.Connection) -> None:
    """Seal the BM25 index as version 0.2 did."""
    size = conn.execute("SELECT pg_relation_size('dblp_text_bm25')").fetchone()
    assert size is not None
    conn.execute(f"COMMENT ON INDEX dblp_text_bm25 IS 'sealed at {size[0]} bytes'".encode())


def test_an_index_without_a_column_of_title_words_is_replaced_by_the_next_build(conn: psycopg.Connection) -> None:
    put(conn, {1: ("voice assistants", "privacy at home")})
    build(conn, "portable")
    conn.execute("DROP INDEX dblp_text_tsv_gin; CREATE INDEX dblp_text_tsv_gin ON dblp_text USING gin (tsv)")
    columns = "SELECT indnatts FROM pg_index WHERE indexrelid = 'dblp_text_tsv_gin'::regclass"
    build(conn, "portable")
    assert conn.execute(columns).fetchone() == (1,)  # the index is current
    conn.execute("UPDATE stc.text_index SET stale = true")
    build(conn, "portable")
    assert conn.execute(columns).fetchone() == (2,)
