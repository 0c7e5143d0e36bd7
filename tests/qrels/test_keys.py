"""Judgments of unknown documents, queries and editions are refused for every writer, as by PostgreSQL's own check of each row.

Most tests run twice: with the checks of a statement, and with PostgreSQL's, which other owners than superusers have.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import psycopg
import pytest
from psycopg import sql

from stcollection.db.catalogue import drift
from tests.databases import world
from tests.roles.worlds import Login, login

_ = login
Said = str | tuple[str | None, ...]
ROWS = "qrels_judgments (edition, query, doc, rel, hidden)"
SOURCES = "qrels_judgments (edition, query, doc, rel, origin, source_doc)"
HIDDEN = "stc_all.qrels_judgments_hidden (edition, query, doc, rel, hidden)"
FK = 'insert or update on table "qrels_judgments{}" violates foreign key constraint "qrels_judgments_{}_fkey"'
GONE = 'update or delete on table "{}" violates foreign key constraint "{}" on table "qrels_judgments"'
TABLES = ("stc_all.qrels_judgments", "public.qrels_judgments", "stc_all.qrels_judgments_hidden")
MADE_BY = "SELECT tgrelid::regclass::text, tgname FROM pg_trigger WHERE tgfoid = 'stc.check_judgments'::regproc"
ROW_CHECKS = (
    "SELECT DISTINCT tgenabled::text FROM pg_trigger"
    " WHERE tgrelid = ANY (%s::regclass[]) AND tgfoid = '\"RI_FKey_check_ins\"'::regproc"
)


@world
def small(conn: psycopg.Connection) -> None:
    """Twenty stubs; an open (1) and a hidden (2) edition judge documents 1 to 4 for query 1; edition 3 is open and empty."""
    fill(conn)


def fill(conn: psycopg.Connection) -> None:
    conn.execute("SET session_replication_role = replica; DELETE FROM stc_all.qrels_judgments; RESET session_replication_role")
    conn.execute("DELETE FROM stc_all.qrels_editions; DELETE FROM stc.st1_queries; DELETE FROM dblp")
    conn.execute("INSERT INTO dblp (id, docno, doc, stub) SELECT g, 'd' || g, '{}', true FROM generate_series(1, 20) g")
    conn.execute("INSERT INTO stc.st1_queries (id, query, text) OVERRIDING SYSTEM VALUE VALUES (1, 'q1', 'x'), (2, 'q2', 'y')")
    conn.execute(
        "INSERT INTO qrels_editions (id, edition, hidden) OVERRIDING SYSTEM VALUE"
        " VALUES (1, 'open', false), (2, 'test', true), (3, 'new', false)"
    )
    conn.execute("INSERT INTO qrels_judgments (edition, query, doc, rel) SELECT 1, 1, g, 1 FROM generate_series(1, 4) g")
    conn.execute(f"INSERT INTO stc_all.{ROWS} SELECT 2, 1, g, 1, true FROM generate_series(1, 4) g".encode())


def by_row(conn: psycopg.Connection) -> None:
    """Let PostgreSQL check each row, and nothing else."""
    conn.execute("ALTER TABLE stc_all.qrels_judgments ENABLE TRIGGER ALL")
    for table, name in conn.execute(MADE_BY).fetchall():
        conn.execute(sql.SQL("ALTER TABLE {} DISABLE TRIGGER {}").format(sql.SQL(table), sql.Identifier(name)))


@pytest.fixture(params=["by statement", "by row"])
def checked(request: pytest.FixtureRequest, small: psycopg.Connection) -> Iterator[psycopg.Connection]:
    if request.param == "by row":
        by_row(small)
    found = small.execute(ROW_CHECKS, [list(TABLES)]).fetchall()
    assert found == [("O" if request.param == "by row" else "D",)]
    yield small
    orphans = small.execute(
        "SELECT count(*) FROM stc_all.qrels_judgments j WHERE NOT EXISTS (SELECT FROM dblp d WHERE d.id = j.doc)"
        " OR NOT EXISTS (SELECT FROM st1_queries q WHERE q.id = j.query)"
        " OR NOT EXISTS (SELECT FROM stc_all.qrels_editions e WHERE (e.id, e.hidden) = (j.edition, j.hidden))"
    ).fetchone()
    assert orphans == (0,)


def said(conn: psycopg.Connection, statement: str) -> Said:
    """Return the SQLSTATE, message, detail, schema, table and constraint of a statement that fails, or its status."""
    try:
        return conn.execute(statement.encode()).statusmessage or ""
    except psycopg.Error as error:
        said = error.diag
        return (
            error.sqlstate,
            said.message_primary,
            said.message_detail,
            said.schema_name,
            said.table_name,
            said.constraint_name,
        )


def unknown(key: str, value: object, parent: str = "dblp", *, hidden: bool = False) -> tuple[str, ...]:
    table, name = "qrels_judgments_hidden" if hidden else "qrels_judgments", key.partition(",")[0]
    return (
        "23503",
        FK.format("_hidden" if hidden else "", name),
        f'Key ({key})=({value}) is not present in table "{parent}".',
        "stc_all" if hidden else "public",
        table,
        f"qrels_judgments_{name}_fkey",
    )


REFUSED = [
    (f"INSERT INTO {ROWS} VALUES (1, 1, 99, 1, false)", unknown("doc", 99)),
    (f"INSERT INTO {ROWS} VALUES (1, 1, 5, 1, false), (1, 1, 99, 1, false), (1, 1, 98, 1, false)", unknown("doc", 99)),
    (f"INSERT INTO {ROWS} VALUES (1, 9, 5, 1, false)", unknown("query", 9, "st1_queries")),
    (f"INSERT INTO {ROWS} VALUES (9, 1, 5, 1, false)", unknown("edition, hidden", "9, f", "qrels_editions")),
    (f"INSERT INTO {ROWS} VALUES (2, 1, 5, 1, false)", unknown("edition, hidden", "2, f", "qrels_editions")),
    (f"INSERT INTO {ROWS} VALUES (9, 9, 99, 1, false)", unknown("doc", 99)),
    (f"INSERT INTO {ROWS} VALUES (9, 9, 5, 1, false)", unknown("edition, hidden", "9, f", "qrels_editions")),
    (f"INSERT INTO {SOURCES} VALUES (1, 1, 5, 1, 'knn', 99)", unknown("source_doc", 99)),
    (f"INSERT INTO {SOURCES} VALUES (1, 1, 5, 1, 'knn', 5), (1, 1, 6, 1, 'knn', 99)", unknown("source_doc", 99)),
    (f"INSERT INTO stc_all.{ROWS} VALUES (1, 1, 99, 1, false)", unknown("doc", 99)),
    (f"INSERT INTO stc_all.{ROWS} VALUES (2, 1, 99, 1, true)", unknown("doc", 99, hidden=True)),
    (f"INSERT INTO stc_all.{ROWS} VALUES (2, 9, 5, 1, true)", unknown("query", 9, "st1_queries", hidden=True)),
    (f"INSERT INTO stc_all.{ROWS} VALUES (1, 1, 5, 1, true)", unknown("edition, hidden", "1, t", "qrels_editions", hidden=True)),
    (f"INSERT INTO stc_all.{ROWS} VALUES (1, 1, 5, 1, false), (2, 1, 5, 1, true), (1, 1, 99, 1, false)", unknown("doc", 99)),
    (f"INSERT INTO {ROWS} VALUES (1, 1, 99, 1, false) ON CONFLICT DO NOTHING", unknown("doc", 99)),
    (f"INSERT INTO {ROWS} VALUES (1, 1, 4, 1, false), (1, 1, 99, 1, false) ON CONFLICT DO NOTHING", unknown("doc", 99)),
    (
        "MERGE INTO public.qrels_judgments j USING generate_series(4, 99, 95) g ON j.doc = g AND j.edition = 1"
        " WHEN NOT MATCHED THEN INSERT (edition, query, doc, rel) VALUES (1, 1, g, 1)",
        unknown("doc", 99),
    ),
    (f"WITH a AS (INSERT INTO {ROWS} VALUES (1, 1, 99, 1, false) RETURNING doc) SELECT doc FROM a", unknown("doc", 99)),
    (f"WITH a AS (INSERT INTO {ROWS} VALUES (1, 1, 5, 1, false) RETURNING 1) INSERT INTO {ROWS} VALUES (1, 9, 5, 1, false)",
     unknown("query", 9, "st1_queries")),
    (f"DO 'BEGIN INSERT INTO {ROWS} VALUES (1, 1, 99, 1, false); EXCEPTION WHEN division_by_zero THEN END'", unknown("doc", 99)),
]  # fmt: skip
ACCEPTED = [
    (f"INSERT INTO {ROWS} VALUES (1, 1, 5, 1, false), (1, 2, 5, 1, false), (3, 1, 20, 1, false)", "INSERT 0 3"),
    (f"INSERT INTO stc_all.{ROWS} VALUES (1, 1, 5, 1, false), (2, 1, 5, 1, true)", "INSERT 0 2"),
    (f"INSERT INTO {SOURCES} VALUES (1, 1, 5, 1, 'knn', 1), (1, 1, 6, 1, 'human', NULL)", "INSERT 0 2"),
    (f"INSERT INTO {ROWS} SELECT 1, 1, 5, 1, false WHERE false", "INSERT 0 0"),
    (f"INSERT INTO {ROWS} VALUES (1, 1, 4, 1, false) ON CONFLICT DO NOTHING", "INSERT 0 0"),
    # Documents, queries and editions of the same statement and transaction.
    (f"WITH d AS (INSERT INTO dblp (id, docno, doc) VALUES (30, 'd30', '{{}}') RETURNING id) INSERT INTO {ROWS}"
     " SELECT 1, 1, id, 1, false FROM d", "INSERT 0 1"),
    (f"INSERT INTO dblp (id, docno, doc) VALUES (31, 'd31', '{{}}'); INSERT INTO {ROWS} VALUES (1, 1, 31, 1, false)", "INSERT 0 1"),
]  # fmt: skip


def test_unknown_names_are_refused_in_postgresqls_words(checked: psycopg.Connection, login: Login) -> None:
    for conn in (login("organiser"), checked):
        for statement, expected in REFUSED:
            answer = said(conn, statement)
            if (answer[2] or "").startswith(
                "Key is not present in table"
            ):  # PostgreSQL shows no values of a table that one may not read
                answer = (*answer[:2], expected[2], *answer[3:])
            assert answer == expected, statement
        for statement, status in ACCEPTED:
            with conn.transaction(force_rollback=True):
                assert said(conn, statement) == status, statement
        for rows in ("1 1 5 1 f\n1 1 99 1 f\n", "1 9 5 1 f\n"):
            into = f"COPY {ROWS} FROM STDIN (DELIMITER ' ')".encode()
            with pytest.raises(psycopg.errors.ForeignKeyViolation), conn.cursor() as cursor, cursor.copy(into) as copy:
                copy.write(rows)
    for values in ("(2, 1, 99, 1, true)", "(1, 1, 5, 1, true)", "(2, 9, 5, 1, true)"):
        assert said(checked, f"INSERT INTO {HIDDEN} VALUES {values}")[0] == "23503"
    assert said(checked, f"INSERT INTO {HIDDEN} VALUES (2, 1, 5, 1, true)") == "INSERT 0 1"


def test_only_an_edition_moves_its_judgments(checked: psycopg.Connection) -> None:
    """They follow it to the table of hidden rows and back, and no other statement moves them."""
    for which in ("edition = 1", "edition = 1 AND doc = 1"):
        assert said(checked, f"UPDATE stc_all.qrels_judgments SET hidden = true WHERE {which}")[0] == "IR202"
    assert said(checked, "SELECT stc.hide_edition('open'), stc.release_edition('test')") == "SELECT 1"
    rows = checked.execute("SELECT edition, hidden, count(*) FROM stc_all.qrels_judgments GROUP BY 1, 2 ORDER BY 1").fetchall()
    assert rows == [(1, True, 4), (2, False, 4)]
    assert said(checked, f"INSERT INTO {ROWS} VALUES (1, 1, 5, 1, false)") == unknown("edition, hidden", "1, f", "qrels_editions")


def test_the_role_cannot_change_before_the_checks(checked: psycopg.Connection, login: Login) -> None:
    """The check reads as the owner, whatever the statement does with its session."""
    organiser = login("organiser")
    for change in (
        "set_config('role', 'none', false)",
        "set_config('search_path', 'pg_temp', false)",
    ):
        organiser.execute("CREATE TEMP TABLE IF NOT EXISTS dblp AS SELECT 99::bigint AS id")
        later = f"FROM generate_series(0, 1) g WHERE g = 0 OR {change} <> ''"
        answer = said(organiser, f"INSERT INTO {ROWS} SELECT 1, 1, 98 + g, 1, false {later}")
        assert answer[0] == "23503", change
        organiser.execute("RESET ROLE; RESET search_path")


DOC, QUERY, NEW = (
    f"INSERT INTO {ROWS} VALUES ({values}, 1, false)"
    for values in ("1, 1, 5", "1, 2, 1", "3, 1, 1")
)  # fmt: skip
SOURCE = f"INSERT INTO {SOURCES} VALUES (1, 1, 6, 1, 'knn', 5)"
DROP = "SELECT stc.drop_edition('new')"
NO_DOC, NO_QUERY = unknown("doc", 5), unknown("query", 2, "st1_queries")
NO_EDITION = unknown("edition, hidden", "3, f", "qrels_editions")


WAITS = [
    # first, second, what it says after the first committed, or was rolled back
    (DOC, "DELETE FROM dblp WHERE id = 5", "23503", "DELETE 1"),
    (DOC, "DELETE FROM dblp WHERE id > 4", "23503", "DELETE 16"),
    (DOC, "UPDATE dblp SET id = 55 WHERE id = 5", "23503", "UPDATE 1"),
    (SOURCE, "DELETE FROM dblp WHERE id = 5", "23503", "DELETE 1"),
    ("DELETE FROM dblp WHERE id = 5", DOC, NO_DOC, "INSERT 0 1"),
    ("DELETE FROM dblp WHERE id = 5", SOURCE, unknown("source_doc", 5), "INSERT 0 1"),
    ("UPDATE dblp SET id = 55 WHERE id = 5", DOC, NO_DOC, "INSERT 0 1"),
    ("UPDATE dblp SET id = 55 WHERE id = 5", DOC.replace("(1, 1, 5", "(1, 1, 6, 1, false), (1, 1, 5"), NO_DOC, "INSERT 0 2"),
    (QUERY, "DELETE FROM stc.st1_queries WHERE id = 2", "23503", "DELETE 1"),
    ("DELETE FROM stc.st1_queries WHERE id = 2", QUERY, NO_QUERY, "INSERT 0 1"),
    (NEW, DROP, "SELECT 1", "SELECT 1"),
    (DROP, NEW, NO_EDITION, "INSERT 0 1"),
    ("SELECT stc.hide_edition('new')", NEW, NO_EDITION, "INSERT 0 1"),
    (NEW, "SELECT stc.hide_edition('new')", "SELECT 1", "SELECT 1"),
]  # fmt: skip


def second_says(two: psycopg.Connection, one: psycopg.Connection, first: str, second: str, end: str, level: str) -> Said:
    """Return what the second of two sessions says, which waits until the first one ends."""
    one.execute(f"BEGIN; {first}".encode())
    answers: list[Said] = []
    two.execute(f"BEGIN ISOLATION LEVEL {level}".encode())
    two.execute("SELECT FROM dblp LIMIT 1")  # takes the snapshot
    thread = threading.Thread(target=lambda: answers.append(said(two, second)))
    thread.start()
    while thread.is_alive() and one.execute("SELECT pg_blocking_pids(%s)", [two.info.backend_pid]).fetchone() == ([],):
        time.sleep(0.005)
    assert thread.is_alive(), answers
    one.execute(end.encode())
    thread.join()
    two.execute(b"COMMIT" if end == "COMMIT" and isinstance(answers[0], str) else b"ROLLBACK")
    return answers[0]


@pytest.mark.slow
def test_two_writers_at_once(checked: psycopg.Connection, login: Login) -> None:
    """The second waits for the first, and sees what it left."""
    one, two = login("organiser"), login("organiser")
    for first, second, committed, rolled_back in WAITS:
        assert second_says(two, one, first, second, "ROLLBACK", "READ COMMITTED") == rolled_back, (first, second)
        answer = second_says(two, one, first, second, "COMMIT", "READ COMMITTED")
        assert (answer[0] if committed == "23503" else answer) == committed, (first, second)
        fill(checked)


@pytest.mark.slow
@pytest.mark.parametrize("level", ["REPEATABLE READ", "SERIALIZABLE"])
def test_a_judgment_with_an_older_snapshot(checked: psycopg.Connection, login: Login, level: str) -> None:
    one, two = login("organiser"), login("organiser")
    for first, second, _, rolled_back in WAITS:
        if second.startswith("INSERT"):
            assert second_says(two, one, first, second, "ROLLBACK", level) == rolled_back, (first, second)
            assert second_says(two, one, first, second, "COMMIT", level)[0] == "40001", (first, second)
            fill(checked)


def test_what_is_judged_stays(checked: psycopg.Connection, login: Login) -> None:
    """The other half of the keys is PostgreSQL's in any case."""
    organiser = login("organiser")
    for statement in (
        "DELETE FROM dblp WHERE id IN (4, 5)",
        "UPDATE dblp SET id = id + 100",
        "DELETE FROM stc.st1_queries WHERE id = 1",
        "UPDATE stc.st1_queries SET id = 7 WHERE id = 1",
        "INSERT INTO dblp (id, docno, doc) VALUES (4, 'd4', '{}') ON CONFLICT (id) DO UPDATE SET id = 44",
    ):
        assert said(organiser, statement)[0] in ("23503", "42501", "428C9"), statement
    assert said(checked, "DELETE FROM stc_all.qrels_editions WHERE id = 1")[0] == "23503"
    assert said(organiser, "DELETE FROM dblp WHERE id > 4") == "DELETE 16"


def test_savepoints(checked: psycopg.Connection, login: Login) -> None:
    organiser = login("organiser")
    with organiser.transaction():
        for doc in (5, 99, 6, 98, 7):
            organiser.execute("SAVEPOINT before")
            if isinstance(said(organiser, f"INSERT INTO {ROWS} VALUES (1, 1, {doc}, 1, false)"), tuple):
                organiser.execute("ROLLBACK TO before")
        assert said(organiser, f"INSERT INTO {ROWS} SELECT 1, 2, g, 1, false FROM generate_series(1, 20) g") == "INSERT 0 20"
    rows = checked.execute("SELECT doc FROM qrels_judgments WHERE edition = 1 AND query = 1 ORDER BY 1").fetchall()
    assert [doc for (doc,) in rows] == [1, 2, 3, 4, 5, 6, 7]


def test_one_check_at_least_is_on(small: psycopg.Connection, login: Login) -> None:
    """The row checks are off only while all those of statements are on. No role but a superuser switches them."""

    def state() -> list[tuple[str]]:
        return small.execute(ROW_CHECKS, [list(TABLES)]).fetchall()

    def switch() -> int:
        row = small.execute("SELECT stc.skip_row_checks()").fetchone()
        return int(row[0]) if row else -1

    made = small.execute(MADE_BY).fetchall()
    assert (state(), switch(), drift(small), len(made)) == ([("D",)], 0, [], 4)
    for table, name in made:
        trigger = sql.SQL("{} TRIGGER {}").format
        for off in ("DISABLE", "ENABLE REPLICA"):
            with small.transaction(force_rollback=True):
                small.execute(sql.SQL("ALTER TABLE {} {}").format(sql.SQL(table), trigger(sql.SQL(off), sql.Identifier(name))))
                assert any(name in str(one) for one in drift(small))
                assert (switch(), state(), switch()) == (12, [("O",)], 0)
    with small.transaction(force_rollback=True):
        small.execute("ALTER TABLE stc_all.qrels_judgments ENABLE TRIGGER ALL")  # as after pg_restore
        assert drift(small) == []
        for who in ("stc_owner", "stc_organiser"):
            small.execute(sql.SQL("SET LOCAL ROLE {}").format(sql.Identifier(who)))
            assert (switch(), state()) == (0, [("O",)])
        small.execute("RESET ROLE")
        assert (switch(), state()) == (12, [("D",)])
    for conn in (login(), login("organiser")):
        for statement in (
            "ALTER TABLE stc_all.qrels_judgments DISABLE TRIGGER USER",
            "ALTER TABLE public.qrels_judgments DISABLE TRIGGER ALL",
            "DROP TRIGGER qrels_judgments_check_insert_visible ON public.qrels_judgments",
            "SET session_replication_role = replica",
            "CREATE TEMP TABLE t (); CREATE TRIGGER t AFTER INSERT ON t EXECUTE FUNCTION stc.check_judgments()",
        ):
            assert said(conn, statement)[0] in ("42501", "3F000"), statement
