"""Rankings keep their promises for every writer: no unknown name, no duplicate, no gap, and no score above the previous one.

After each test, the stored lists of all runs are checked row by row.
"""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest

from stcollection.errors import StcError
from stcollection.retrieval import run as searches
from stcollection.runs.load import ImportOptions, import_runs
from tests.databases import world
from tests.roles.worlds import Login, login
from tests.text.documents import put

pytestmark = pytest.mark.slow

_ = login
NUMBERS = "stc.st1_rankings (run, query, doc, rank, rel_score)"
NAMES = "st1_rankings (run, query, doc, rank, rel_score)"


@world
def small(conn: psycopg.Connection) -> None:
    """Twenty stubs, whose ids may change; runs of no team, of red and of blue (1 to 3) rank documents 1 to 4 for query 1."""
    conn.execute("INSERT INTO dblp (id, docno, doc, stub) SELECT g, 'd' || g, '{}', true FROM generate_series(1, 20) g")
    conn.execute("INSERT INTO st1_queries (query, text) VALUES ('q1', 'x'), ('q2', 'y')")
    conn.execute("INSERT INTO st1_runs (run, team) VALUES ('base', NULL), ('red1', 'red'), ('blue1', 'blue')")
    conn.execute(f"INSERT INTO {NUMBERS} SELECT r, 1, g, g, -g FROM generate_series(1, 3) r, generate_series(1, 4) g".encode())


@pytest.fixture(autouse=True)
def _every_list_is_sound(conn: psycopg.Connection) -> Iterator[None]:
    yield
    documents = {row[0] for row in conn.execute("SELECT id FROM dblp")}
    lists: defaultdict[tuple[int, int], list[tuple[int, float]]] = defaultdict(list)
    for run, query, first, docs, scores in conn.execute(
        "SELECT run, query, first, docs, rel_scores FROM stc.ranked_lists ORDER BY run, query, first"
    ):
        assert first == len(lists[run, query]) + 1
        assert len(docs) == len(scores)
        lists[run, query] += zip(docs, scores, strict=True)
    for ranked in lists.values():
        docs = [doc for doc, _ in ranked]
        assert len(set(docs)) == len(docs)
        assert documents.issuperset(docs)
        assert [score for _, score in ranked] == sorted((score for _, score in ranked), reverse=True)


def docs(conn: psycopg.Connection, run: int = 2, query: int = 1) -> list[int]:
    rows = conn.execute("SELECT doc FROM stc.st1_rankings WHERE run = %s AND query = %s ORDER BY rank", [run, query])
    return [row[0] for row in rows]


def said(conn: psycopg.Connection, statement: str) -> str | tuple[str | None, str | None]:
    """Return the SQLSTATE and the message of a statement that fails, or its status."""
    try:
        return conn.execute(statement.encode()).statusmessage or ""
    except psycopg.Error as error:
        return error.sqlstate, error.diag.message_primary


FK = 'insert or update on table "st1_rankings" violates foreign key constraint "st1_rankings_doc_fkey"'
TWICE = 'duplicate key value violates unique constraint "st1_rankings_{}"'
NULL = 'null value in column "{}" of relation "st1_rankings" violates not-null constraint'
CHECK = 'new row for relation "st1_rankings" violates check constraint "st1_rankings_{}_check"'


REFUSED = [
    ("(2, 1, 99, 5, -5)", "23503", FK),
    ("(2, 1, 5, 5, -5), (2, 1, 99, 6, -6)", "23503", FK),
    ("(2, 1, 4, 5, -5)", "23505", TWICE.format("pkey")),
    ("(2, 1, 4, 4, -4)", "23505", TWICE.format("pkey")),
    ("(2, 1, 1, 1, -1), (2, 1, 2, 2, -2)", "23505", TWICE.format("pkey")),
    ("(2, 1, 5, 5, -5), (2, 1, 5, 6, -6)", "23505", TWICE.format("pkey")),
    ("(2, 1, 5, 5, -5), (2, 1, 5, 5, -5)", "23505", TWICE.format("pkey")),
    ("(2, 1, 5, 4, -4)", "23505", TWICE.format("run_query_rank_key")),
    ("(2, 1, 5, 1, -1)", "23505", TWICE.format("run_query_rank_key")),
    ("(2, 1, 5, 5, -5), (2, 1, 6, 5, -5)", "23505", TWICE.format("run_query_rank_key")),
    ("(2, 1, 5, 6, -6)", "IR301", "run 'red1', query 'q1': there is rank 6, but no rank 5"),
    ("(2, 1, 5, 5, -5), (2, 1, 6, 7, -7)", "IR301", "run 'red1', query 'q1': there is rank 7, but no rank 6"),
    ("(2, 2, 5, 2, -5)", "IR301", "run 'red1', query 'q2': there is rank 2, but no rank 1"),
    ("(2, 1, 5, 5, -3)", "IR301", "run 'red1', query 'q1': rank 5 has the score -3, above -4 of rank 4"),
    ("(2, 1, 5, 5, -5), (2, 1, 6, 6, 1)", "IR301", "run 'red1', query 'q1': rank 6 has the score 1, above -5 of rank 5"),
    ("(2, 1, NULL, 5, -5)", "23502", NULL.format("doc")),
    ("(2, 1, 5, NULL, -5)", "23502", NULL.format("rank")),
    ("(2, 1, 5, 5, NULL)", "23502", NULL.format("rel_score")),
    ("(2, NULL, 5, 5, -5)", "23502", NULL.format("query")),
    ("(2, 1, 5, 0, -5)", "23514", CHECK.format("rank")),
    ("(2, 1, 5, 5, 'NaN')", "23514", CHECK.format("rel_score_finite")),
    ("(2, 1, 5, 5, '-Infinity')", "23514", CHECK.format("rel_score_finite")),
]


def test_wrong_rows_are_refused_in_the_words_of_the_table_that_the_view_was(small: psycopg.Connection, login: Login) -> None:
    """The messages are those of version 0.9, whose st1_rankings was a table."""
    for conn in (login(), login("organiser"), small):
        for rows, state, message in REFUSED:
            assert said(conn, f"INSERT INTO {NUMBERS} VALUES {rows}") == (state, message), rows
            if "(2, NULL" not in rows:
                by_name = "st1_rankings (run_id, query_id, doc, rank, rel_score)"
                assert said(conn, f"INSERT INTO {by_name} VALUES {rows}") == (state, message), rows
    assert docs(small) == [1, 2, 3, 4]


def test_every_way_to_insert_stores_the_same_list(small: psycopg.Connection, login: Login) -> None:
    ways: list[tuple[str, ...]] = [
        tuple(f"INSERT INTO {NUMBERS} VALUES (2, 2, {doc}, {doc}, -{doc})" for doc in (1, 2, 3)),
        (f"INSERT INTO {NUMBERS} VALUES (2, 2, 3, 3, -3), (2, 2, 1, 1, -1), (2, 2, 2, 2, -2)",),
        (f"INSERT INTO {NUMBERS} SELECT 2, 2, g, g, -g FROM generate_series(1, 3) g RETURNING rank",),
        (f"INSERT INTO {NAMES} SELECT 'red1', 'q2', g, g, -g FROM generate_series(1, 3) g RETURNING run_id",),
        (
            f"WITH a AS (INSERT INTO {NUMBERS} VALUES (2, 2, 1, 1, -1) RETURNING doc), b AS"
            f" (INSERT INTO {NAMES} SELECT 'red1', 'q2', doc + 1, 2, -2 FROM a) INSERT INTO {NUMBERS} VALUES (2, 2, 3, 3, -3)",
        ),
        (
            f"MERGE INTO stc.st1_rankings k USING generate_series(1, 3) g ON (k.run, k.query, k.doc) = (2, 2, g) WHEN NOT MATCHED"
            f" THEN INSERT {NUMBERS.partition(' ')[2]} VALUES (2, 2, g, g, -g)",
        ),
        (
            f"PREPARE one (integer) AS INSERT INTO {NUMBERS} VALUES (2, 2, $1, $1, -$1)",
            "EXECUTE one(1)",
            "EXECUTE one(2)",
            "EXECUTE one(3)",
        ),
    ]
    red = login()
    for way in ways:
        with red.transaction(force_rollback=True):
            for statement in way:
                red.execute(statement.encode())
            assert docs(red, 2, 2) == [1, 2, 3], way
    for view, values in ((NUMBERS, "2\t2\t"), (NAMES, "red1\tq2\t")):
        with red.transaction(force_rollback=True):
            with red.cursor().copy(f"COPY {view} FROM STDIN".encode()) as copy:
                copy.write("".join(f"{values}{doc}\t{doc}\t-{doc}\n" for doc in (2, 1, 3)))
            assert docs(red, 2, 2) == [1, 2, 3]
        with (
            pytest.raises(psycopg.Error, match="there is rank 3, but no rank 2"),
            red.cursor().copy(f"COPY {view} FROM STDIN") as copy,
        ):
            copy.write("".join(f"{values}{doc}\t{doc}\t-{doc}\n" for doc in (1, 3)))
    assert docs(small, 2, 2) == []


def test_rows_stored_one_by_one_become_lists(small: psycopg.Connection, login: Login) -> None:
    small.execute("INSERT INTO dblp (id, docno, doc, stub) SELECT g, 'd' || g, '{}', true FROM generate_series(21, 250) g")
    wanted = [
        (n, n, n if n % 2 else None, -n, 5 * n if n == 41 else None, f"passage {n}" if n > 130 else None) for n in range(5, 251)
    ]
    columns = "doc, rank, file_rank, rel_score, comb_score, passage"
    red = login()
    with red.transaction():
        for row in wanted:
            red.execute(f"INSERT INTO stc.st1_rankings (run, query, {columns}) VALUES (2, 1, %s, %s, %s, %s, %s, %s)".encode(), row)
    found = small.execute(f"SELECT {columns} FROM stc.st1_rankings WHERE run = 2 AND query = 1 AND rank > 4 ORDER BY rank".encode())
    assert found.fetchall() == wanted
    lists = small.execute("SELECT first FROM stc.ranked_lists WHERE run = 2 AND query = 1 ORDER BY first").fetchall()
    assert len(lists) < 3 * 30
    assert {1, 121, 241} <= {first for (first,) in lists}


def test_changes_of_stored_rows(small: psycopg.Connection, login: Login) -> None:
    """Organisers change and delete rows; the list is checked as a whole."""
    small.execute(f"INSERT INTO {NUMBERS} SELECT 2, 2, g, g, -g FROM generate_series(1, 3) g".encode())
    organiser = login("organiser")
    ranked = "WHERE run = 2 AND query = 1"
    delete, insert = f"DELETE FROM stc.st1_rankings {ranked}", f"INSERT INTO {NUMBERS} SELECT run,"
    before = [1, 2, 3, 4]
    gap = ("IR301", "run 'red1', query 'q1': there is rank 3, but no rank 2")
    twice = ("23505", TWICE.format("run_query_rank_key"))
    done: list[tuple[str, object, list[int]]] = [
        (f"{delete} AND rank = 2", gap, before),
        (f"{delete} AND rank = 1", ("IR301", "run 'red1', query 'q1': there is rank 2, but no rank 1"), before),
        (f"{delete} AND rank = 4", "DELETE 1", [1, 2, 3]),
        (f"{delete}", "DELETE 4", []),
        ("DELETE FROM st1_rankings WHERE run = 'red1' AND query = 'q1' AND rank > 1", "DELETE 3", [1]),
        (f"UPDATE stc.st1_rankings SET doc = 2 {ranked} AND rank = 3", ("23505", TWICE.format("pkey")), before),
        (f"UPDATE stc.st1_rankings SET doc = 99 {ranked} AND rank = 3", ("23503", FK), before),
        (f"UPDATE stc.st1_rankings SET doc = 9 {ranked} AND rank = 3", "UPDATE 1", [1, 2, 9, 4]),
        (f"UPDATE stc.st1_rankings SET rank = 2 {ranked} AND rank = 3", twice, before),
        (f"UPDATE stc.st1_rankings SET rank = rank + 1 {ranked} AND rank >= 3", ("IR301", "run 'red1', query 'q1': there is"
         " rank 4, but no rank 3"), before),
        (f"UPDATE stc.st1_rankings SET rank = 5 - rank, rel_score = rank {ranked}", "UPDATE 4", [4, 3, 2, 1]),
        (f"UPDATE stc.st1_rankings SET rel_score = 1 {ranked} AND rank = 3",
         ("IR301", "run 'red1', query 'q1': rank 3 has the score 1, above -2 of rank 2"), before),
        (f"UPDATE stc.st1_rankings SET run = 1 {ranked}",
         ("IR202", "a ranked document cannot move to another run or query"), before),
        # Two statements of WITH, and MERGE, which insert, update and delete at once.
        (f"WITH gone AS ({delete} AND rank = 4 RETURNING *) {insert} 2, doc, 4, -4 FROM gone",
         "INSERT 0 1", [1, 2, 3]),
        (f"WITH gone AS ({delete} AND rank = 2 RETURNING *) {insert} query, 7, 2, -2 FROM gone",
         "INSERT 0 1", [1, 7, 3, 4]),
        (f"WITH gone AS ({delete} AND rank = 2 RETURNING *) {insert} query, 7, 5, -5 FROM gone",
         gap, before),
        ("MERGE INTO stc.st1_rankings k USING generate_series(3, 5) g ON (k.run, k.query, k.doc) = (2, 1, g)"
         " WHEN MATCHED AND g = 3 THEN DELETE WHEN MATCHED THEN UPDATE SET rank = 3 WHEN NOT MATCHED THEN"
         f" INSERT {NUMBERS.partition(' ')[2]} VALUES (2, 1, g, 4, -6)", "MERGE 3", [1, 2, 4, 5]),
        (f"UPDATE stc.st1_rankings k SET comb_score = g FROM generate_series(1, 2) g {ranked}",
         ("21000", "a statement cannot change the same ranked document twice"), before),
        # Whole lists, in the table.
        ("UPDATE stc.ranked_lists SET query = 2, first = 4 WHERE run = 2 AND query = 1", ("23505", TWICE.format("pkey")), before),
        ("UPDATE stc.ranked_lists SET first = 2 WHERE run = 2 AND query = 1",
         ("IR301", "run 'red1', query 'q1': there is rank 2, but no rank 1"), before),
    ]  # fmt: skip
    for statement, expected, after in done:
        with organiser.transaction(force_rollback=True):
            with organiser.transaction() as inner:
                assert said(organiser, statement) == expected, statement
                if isinstance(expected, tuple):
                    raise psycopg.Rollback(inner)
            assert docs(organiser) == after, statement


def test_a_list_that_moves_leaves_no_gap(small: psycopg.Connection) -> None:
    small.execute(f"INSERT INTO {NUMBERS} VALUES (2, 1, 5, 5, -5)".encode())
    gap = ("IR301", "run 'red1', query 'q1': there is rank 5, but no rank 4")
    assert said(small, "UPDATE stc.ranked_lists SET query = 2 WHERE run = 2 AND query = 1 AND first = 1") == gap
    assert said(small, "UPDATE stc.ranked_lists SET query = 2 WHERE run = 2 AND query = 1") == "UPDATE 2"
    assert docs(small, 2, 2) == [1, 2, 3, 4, 5]


def test_a_participant_changes_no_run_of_others(small: psycopg.Connection, login: Login) -> None:
    """Combined scores of runs of the own team may be changed, in one statement for all rows that the participant sees."""
    red = login()
    small.execute("UPDATE st1_runs SET shared = true WHERE run = 'blue1'")
    for run in (1, 3):
        message = 'new row violates row-level security policy for table "ranked_lists"'
        assert said(red, f"INSERT INTO {NUMBERS} VALUES ({run}, 1, 5, 5, -5)") == ("42501", message)
        assert said(red, f"UPDATE stc.st1_rankings SET comb_score = 9 WHERE run = {run}") == "UPDATE 0"
        assert said(red, f"UPDATE stc.ranked_lists SET comb_scores = rel_scores WHERE run = {run}") == "UPDATE 0"
    assert said(red, "UPDATE stc.st1_rankings SET comb_score = rank") == "UPDATE 4"
    assert small.execute("SELECT DISTINCT run FROM stc.st1_rankings WHERE comb_score IS NOT NULL").fetchall() == [(2,)]
    for what in ("SET rel_score = 1", "SET rank = 1", "SET doc = 1", "SET passage = 'x'"):
        assert said(red, f"UPDATE stc.st1_rankings {what}") == ("42501", "permission denied for view st1_rankings")
    for what in ("DELETE FROM stc.st1_rankings", "DELETE FROM st1_rankings", "UPDATE st1_rankings SET comb_score = 1"):
        assert said(red, what) == ("42501", "permission denied for view st1_rankings")
    for what in ("DELETE FROM stc.ranked_lists", "UPDATE stc.ranked_lists SET docs = docs", "TRUNCATE stc.ranked_lists"):
        assert said(red, what) == ("42501", "permission denied for table ranked_lists")


def test_the_role_cannot_change_before_the_checks(small: psycopg.Connection, login: Login) -> None:
    """With another role, the stored lists would be hidden from the checks, which would find nothing wrong."""
    red = login()
    change = "set_config('role', 'stc_participant', false)"
    of_table = "INSERT INTO stc.ranked_lists (run, query, first, docs, rel_scores) SELECT 2, 1,"
    later = f"FROM generate_series(0, 1) g WHERE g = 0 OR {change} <> ''"
    for statement in (
        f"{of_table} 4 + g, ARRAY[5 + g], ARRAY[-5] {later}",
        f"{of_table} 6 + g, ARRAY[5 + g], ARRAY[-5] {later}",
        f"{of_table} 5 + g, ARRAY[4 + g], ARRAY[-5] {later}",
        f"{of_table} 5 + g, ARRAY[5 + g], ARRAY[-3] {later}",
        f"INSERT INTO {NUMBERS} SELECT 2, 1, 5 + g, 6 + g, -5 {later}",
        f"UPDATE stc.st1_rankings SET comb_score = rank WHERE run = 2 AND (rank < 4 OR {change} <> '')",
    ):
        with pytest.raises(psycopg.Error):
            red.execute(statement.encode())
        red.execute("RESET ROLE")
    assert docs(small) == [1, 2, 3, 4]


GONE = 'update or delete on table "dblp" violates foreign key constraint "st1_rankings_doc_fkey" on table "st1_rankings"'
STALE = ("40001", "could not serialize access due to concurrent update")
FIVE, SIX = (f"INSERT INTO {NUMBERS} VALUES (2, 1, {doc}, {doc}, -{doc})" for doc in (5, 6))
LAST = "DELETE FROM stc.st1_rankings WHERE run = 2 AND query = 1 AND rank = 4"
ALL = "DELETE FROM stc.st1_rankings WHERE run = 2 AND query = 1"
COMBINE = "UPDATE stc.st1_rankings SET comb_score = 9 WHERE run = 2 AND query = 1 AND rank"
SCORE = "UPDATE stc.st1_rankings SET rel_score = rel_score + 0.5 WHERE run = 2 AND query = 1 AND rank"
SWAP = "UPDATE stc.st1_rankings SET doc = 5 WHERE run = 2 AND query = 1 AND rank = 4"
OTHER = f"INSERT INTO {NUMBERS} VALUES (2, 2, 5, 1, 1)"
NO_FIVE, NO_FOUR = (("IR301", f"run 'red1', query 'q1': there is rank {n}, but no rank {n - 1}") for n in (6, 5))
Said = str | tuple[str | None, str | None]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("first", "second", "committed", "rolled_back"),
    [
        (FIVE, FIVE, ("23505", TWICE.format("pkey")), "INSERT 0 1"),
        (FIVE, FIVE.replace("5, 5, -5", "6, 5, -5"), ("23505", TWICE.format("run_query_rank_key")), "INSERT 0 1"),
        (FIVE, FIVE.replace("5, 5, -5", "5, 6, -5"), ("23505", TWICE.format("pkey")), NO_FIVE),
        (FIVE, SIX, "INSERT 0 1", NO_FIVE),
        (LAST, FIVE, NO_FOUR, "INSERT 0 1"),
        (ALL, FIVE, NO_FOUR, "INSERT 0 1"),
        (FIVE, LAST, NO_FOUR, "DELETE 1"),
        (LAST, LAST, STALE, "DELETE 1"),
        (ALL, f"{SCORE} = 4", STALE, "UPDATE 1"),
        (ALL, f"{COMBINE} = 2", STALE, "UPDATE 1"),
        (f"{COMBINE} = 1", f"{COMBINE} = 2", "UPDATE 1", "UPDATE 1"),
        (f"{COMBINE} = 2", f"{COMBINE} = 2", STALE, "UPDATE 1"),
        (f"{COMBINE} = 1", f"{SCORE} = 4", "UPDATE 1", "UPDATE 1"),
        (f"{SCORE} = 4", f"{COMBINE} = 4", STALE, "UPDATE 1"),
        # A document is deleted, or its id changes, while a run ranks it: one waits for the other.
        (FIVE, "DELETE FROM dblp WHERE id = 5", ("23503", GONE), "DELETE 1"),
        (FIVE, "UPDATE dblp SET id = 55 WHERE id = 5", ("23503", GONE), "UPDATE 1"),
        ("DELETE FROM dblp WHERE id = 5", FIVE, ("23503", FK), "INSERT 0 1"),
        ("UPDATE dblp SET id = 55 WHERE id = 5", FIVE, ("23503", FK), "INSERT 0 1"),
        ("DELETE FROM dblp WHERE id > 4", SWAP, ("23503", FK), "UPDATE 1"),
        (FIVE, "DELETE FROM dblp WHERE id = 6", "DELETE 1", "DELETE 1"),
        # The query and the run have foreign keys.
        (OTHER, "DELETE FROM stc.st1_queries WHERE id = 2", "23503", "DELETE 1"),
        ("DELETE FROM stc.st1_queries WHERE id = 2", OTHER, "23503", "INSERT 0 1"),
        (OTHER, "SELECT drop_runs('{red1}')", "SELECT 1", "SELECT 1"),
        ("SELECT drop_runs('{red1}')", OTHER, "23503", "INSERT 0 1"),
        ("DELETE FROM st1_runs WHERE id = 2", FIVE, "23503", "INSERT 0 1"),
        (FIVE, "DELETE FROM st1_runs WHERE id = 2", "DELETE 1", "DELETE 1"),
    ],
)  # fmt: skip
def test_two_writers_at_once(
    small: psycopg.Connection, login: Login, first: str, second: str, committed: Said, rolled_back: Said
) -> None:
    """The second waits for the first, and sees what it left."""
    one, two = login("organiser"), login("organiser")
    for end, expected in (("ROLLBACK", rolled_back), ("COMMIT", committed)):
        one.execute("BEGIN")
        one.execute(first.encode())
        answers: list[Said] = []
        two.execute("BEGIN")
        thread = threading.Thread(target=lambda answers=answers: answers.append(said(two, second)))
        thread.start()
        while thread.is_alive() and small.execute("SELECT pg_blocking_pids(%s)", [two.info.backend_pid]).fetchone() == ([],):
            time.sleep(0.005)
        assert thread.is_alive(), answers
        one.execute(end.encode())
        thread.join()
        [answer] = answers
        assert (answer[0] if isinstance(expected, str) and isinstance(answer, tuple) else answer) == expected, end
        two.execute(b"COMMIT" if end == "COMMIT" else b"ROLLBACK")


def test_other_isolation_levels_are_refused(small: psycopg.Connection, login: Login) -> None:
    """Their snapshot may be older than what the checks must see. The next step of the error works."""
    organiser = login("organiser")
    for level in ("REPEATABLE READ", "SERIALIZABLE"):
        for statement in (FIVE, f"{COMBINE} = 1", LAST, "SELECT drop_runs('{red1}')", "DELETE FROM dblp WHERE id = 9"):
            organiser.execute(f"BEGIN ISOLATION LEVEL {level}".encode())
            with pytest.raises(psycopg.Error, match=f"in a transaction that is {level.lower()}") as error:
                organiser.execute(statement.encode())
            organiser.execute("ROLLBACK")
            assert error.value.sqlstate == "IR202"
            assert error.value.diag.message_hint == "Begin it with BEGIN ISOLATION LEVEL READ COMMITTED."
            with organiser.transaction(force_rollback=True):
                organiser.execute("SET TRANSACTION ISOLATION LEVEL READ COMMITTED")
                organiser.execute(statement.encode())
    assert docs(small) == [1, 2, 3, 4]


def test_documents_that_runs_rank_stay(small: psycopg.Connection, login: Login) -> None:
    organiser = login("organiser")
    assert said(organiser, "DELETE FROM dblp WHERE id IN (4, 5)") == ("23503", GONE)
    assert said(organiser, "UPDATE dblp SET id = id + 100") == ("23503", GONE)
    with small.transaction(force_rollback=True):
        for (table,) in small.execute("SELECT tgrelid::regclass FROM pg_trigger WHERE tgfoid = 'stc.qrels_append_only'::regproc"):
            small.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER".encode())  # they refuse first
        assert said(small, "TRUNCATE dblp CASCADE") == "TRUNCATE TABLE"  # with the queries of documents, and so the lists
        assert docs(small) == []
    again = "INSERT INTO dblp (id, docno, doc) VALUES (4, 'd4', '{}') ON CONFLICT (id) DO UPDATE SET id = 44"
    assert said(organiser, again) == ("23503", GONE)
    assert said(organiser, "DELETE FROM dblp WHERE id > 4") == "DELETE 16"
    assert said(organiser, "UPDATE dblp SET docno = docno || 'x', id = id") == "UPDATE 4"


def test_savepoints_and_statements_within_a_transaction(small: psycopg.Connection, login: Login) -> None:
    """Rows of a statement that failed are not stored by a later one."""
    red = login()
    with red.transaction():
        red.execute(FIVE.encode())
        for bad in (f"INSERT INTO {NUMBERS} VALUES (2, 1, 6, 6, -6), (2, 1, 7, 8, -8)", "SELECT 1 / 0", FIVE):
            red.execute("SAVEPOINT before")
            red.execute(f"INSERT INTO {NUMBERS} VALUES (2, 1, 8, 6, -6)".encode())
            assert isinstance(said(red, bad), tuple)
            red.execute("ROLLBACK TO before")
        red.execute(SIX.encode())
    assert docs(small) == [1, 2, 3, 4, 5, 6]
    red.execute(
        """
        DO $$
        BEGIN
            FOR g IN 7..9 LOOP
                BEGIN
                    INSERT INTO st1_rankings (run, query, doc, rank, rel_score)
                    SELECT 'red1', 'q1', d, d, -d FROM generate_series(7, g) d WHERE d <> 8;
                EXCEPTION WHEN SQLSTATE 'IR301' OR unique_violation THEN
                    INSERT INTO stc.st1_rankings (run, query, doc, rank, rel_score) VALUES (2, 1, g, g, -g);
                END;
            END LOOP;
        END $$
        """
    )
    assert docs(small) == [1, 2, 3, 4, 5, 6, 7, 8, 9]
    two = f"INSERT INTO {NUMBERS} VALUES (2, 2, 1, 1, 1); INSERT INTO {NUMBERS} VALUES (2, 1, 11, 11, -11)"
    assert said(red, two) == ("IR301", "run 'red1', query 'q1': there is rank 11, but no rank 10")
    assert docs(small, 2, 2) == []


def test_statements_within_statements(small: psycopg.Connection, login: Login) -> None:
    """A function or trigger that writes the view while a statement writes it, which PostgreSQL allows."""
    red, organiser = login(), login("organiser")
    for conn in (red, organiser):
        conn.execute(
            "CREATE FUNCTION pg_temp.also(doc bigint) RETURNS bigint LANGUAGE plpgsql AS $$ BEGIN"
            " INSERT INTO stc.st1_rankings (run, query, doc, rank, rel_score) VALUES (2, 2, doc, doc, -doc);"
            " RETURN doc; END $$"
        )
    red.execute(f"INSERT INTO {NUMBERS} SELECT 2, 1, g + pg_temp.also(g) - g + 4, g + 4, -9 FROM generate_series(1, 3) g".encode())
    assert (docs(red), docs(red, 2, 2)) == ([1, 2, 3, 4, 5, 6, 7], [1, 2, 3])
    red.execute("UPDATE stc.st1_rankings SET comb_score = pg_temp.also(doc) WHERE run = 2 AND query = 1 AND doc BETWEEN 4 AND 6")
    scores = small.execute("SELECT doc FROM stc.st1_rankings WHERE comb_score = doc ORDER BY 1").fetchall()
    assert (scores, docs(red, 2, 2)) == ([(4,), (5,), (6,)], [1, 2, 3, 4, 5, 6])
    organiser.execute("DELETE FROM stc.st1_rankings WHERE run = 2 AND query = 1 AND rank = 7 AND pg_temp.also(doc) = 7")
    assert (docs(red), docs(red, 2, 2)) == ([1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 5, 6, 7])
    # Triggers of the collection's owner.
    small.execute(
        "CREATE FUNCTION public.copies() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF pg_trigger_depth() < 3 THEN"
        " INSERT INTO stc.st1_rankings (run, query, doc, rank, rel_score)"
        " SELECT 1, n.query, d, 5, -9 FROM new_lists n, unnest(n.docs) d WHERE n.run = 2; END IF; RETURN NULL; END $$"
    )
    small.execute(
        "CREATE TRIGGER copies AFTER INSERT ON stc.ranked_lists REFERENCING NEW TABLE AS new_lists FOR EACH STATEMENT"
        " EXECUTE FUNCTION public.copies()"
    )
    organiser.execute(f"INSERT INTO {NUMBERS} VALUES (2, 1, 7, 7, -9)".encode())
    assert (docs(small, 1), docs(small)) == ([1, 2, 3, 4, 7], [1, 2, 3, 4, 5, 6, 7])


LIKE_OURS = (
    "CREATE TEMP TABLE ranking_changes (run integer, query integer, old_doc bigint, was bigint, doc bigint, rank integer,"
    " file_rank integer, rel_score float8, comb_score float8, passage text, combined boolean);"
)
PENDING = f"{LIKE_OURS} INSERT INTO ranking_changes (run, query, doc, rank, rel_score) VALUES"
MINE = "INSERT INTO stc.ranked_lists (run, query, first, docs, rel_scores) VALUES (2, 2, 1,"
FIRST = "SET search_path = pg_temp, stc, public;"
ATTACKS = [
    # A table with the name of the one that the triggers of the view use.
    (f"{PENDING} (2, 2, 1, 2, 1); {FIVE}", "IR301"),
    (f"{PENDING} (2, 2, 99, 1, 1); {FIVE}", "23503"),
    (f"{PENDING} (2, 1, 4, 4, -4); {FIVE}", "23505"),
    (f"{PENDING} (3, 1, 5, 5, -5); {FIVE}", "42501"),
    (f"{PENDING} (2, 2, 1, 1, NULL); {FIVE}", "23514"),
    (f"{PENDING} (2, 2, 1, NULL, 1); {FIVE}", "23502"),
    (f"{LIKE_OURS} INSERT INTO ranking_changes (run, query, old_doc, was) SELECT run, query, doc, hash_record_extended("
     f"ROW(rank, file_rank, rel_score, comb_score, passage), 0) FROM stc.st1_rankings WHERE run = 2; {FIVE}", "42501"),
    (f"{LIKE_OURS} CREATE RULE r AS ON INSERT TO ranking_changes DO INSTEAD {MINE} '{{99}}', '{{1}}'); {FIVE}", "23503"),
    (f"CREATE TEMP TABLE ranking_changes (run integer); {FIVE}", "42703"),
    # Names that are found first.
    (f"CREATE TEMP TABLE dblp (id bigint); INSERT INTO dblp VALUES (99); {FIRST} {MINE} '{{99}}', '{{1}}')", "23503"),
    (f"CREATE TEMP TABLE ranked_lists (LIKE stc.ranked_lists); {FIRST} {SIX}", "IR301"),
    (f"CREATE FUNCTION pg_temp.distributed() RETURNS boolean RETURN true; {FIRST} {MINE} '{{99}}', '{{1}}')", "23503"),
    (f"CREATE FUNCTION pg_temp.trec_score(float8) RETURNS real RETURN 0; {FIRST} {MINE} '{{1,2}}', '{{1,2}}')", "IR301"),
    # What only the owner may do.
    ("SET session_replication_role = replica", "42501"),
    ("SET ROLE stc_owner", "42501"),
    ("ALTER TABLE stc.ranked_lists DISABLE TRIGGER ALL", "42501"),
    ("ALTER TABLE stc.ranked_lists DISABLE ROW LEVEL SECURITY", "42501"),
    ("ALTER TABLE stc.ranked_lists DROP CONSTRAINT ranked_lists_docs_check", "42501"),
    ("CREATE RULE r AS ON INSERT TO stc.st1_rankings DO INSTEAD NOTHING", "42501"),
    ("CREATE TRIGGER t BEFORE INSERT ON stc.ranked_lists EXECUTE FUNCTION suppress_redundant_updates_trigger()", "42501"),
    ("CREATE TEMP TABLE mine () INHERITS (stc.ranked_lists)", "42501"),
    ("DROP TRIGGER st1_rankings_store ON st1_rankings", "42501"),
    ("CREATE OR REPLACE FUNCTION stc.check_rankings() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'", "42501"),
    ("CREATE TEMP TABLE t (); CREATE TRIGGER t AFTER INSERT ON t EXECUTE FUNCTION stc.keep_ranked()", "42501"),
    # Arrays of another form.
    (f"{MINE} '{{1,NULL}}', '{{2,1}}')", "23514"),
    (f"{MINE} '{{1,2}}', '{{2}}')", "23514"),
    (f"{MINE} '[0:1]={{1,2}}', '[0:1]={{2,1}}')", "23514"),
    (f"{MINE} '{{{{1,2}}}}', '{{{{2,1}}}}')", "23514"),
    (f"{MINE} '{{}}', '{{}}')", "23514"),
    (f"{MINE} '{{1,2}}', '{{2,NaN}}')", "23514"),
    (f"{MINE} array_fill(1, '{{121}}'), array_fill(1, '{{121}}'))", "23514"),
    (f"{MINE} '{{9}}', '{{1}}') ON CONFLICT (run, query, first) DO UPDATE SET docs = excluded.docs", "42501"),
    ("UPDATE stc.ranked_lists SET comb_scores = '{1}' WHERE run = 2", "23514"),
    ("UPDATE stc.ranked_lists SET comb_scores = '{1,2,3,NaN}' WHERE run = 2", "23514"),
]  # fmt: skip


def test_a_participant_gets_round_no_check(small: psycopg.Connection, login: Login) -> None:
    red = login()
    for script, state in ATTACKS:
        answer = said(red, script)
        assert answer[0] == state, (script, answer)
    assert [docs(small, run) for run in (1, 2, 3)] == [[1, 2, 3, 4]] * 3
    assert small.execute("SELECT count(*) FROM stc.st1_rankings").fetchone() == (12,)


def test_hidden_runs_stay_hidden(small: psycopg.Connection, login: Login) -> None:
    red = login()
    seen = []
    body = "BEGIN RAISE NOTICE '%', $1; RETURN true; END"
    red.execute(f"CREATE FUNCTION pg_temp.leak(integer) RETURNS boolean LANGUAGE plpgsql COST 0.0001 AS $${body}$$".encode())
    red.add_notice_handler(lambda one: seen.append(one.message_primary))
    for relation in ("stc.st1_rankings", "stc.ranked_lists", "st1_rankings"):
        column = "run_id" if relation == "st1_rankings" else "run"
        assert red.execute(f"SELECT FROM {relation} WHERE pg_temp.leak({column}) AND {column} = 3".encode()).fetchall() == []
    red.execute("UPDATE stc.st1_rankings SET comb_score = 1 WHERE pg_temp.leak(run)")
    assert set(seen) == {"1", "2"}
    # An error does not tell which keys another team's run has.
    rows = ("(3, 1, 5, 5, -5)", "(3, 1, 4, 4, -4)", "(3, 1, 9, 9, -9)", "(3, 2, 1, 1, 1)", "(3, 1, 99, 5, -5)", "(7, 1, 5, 1, 1)")
    answers = {said(red, f"INSERT INTO {NUMBERS} VALUES {row}") for row in rows}
    assert answers == {("42501", 'new row violates row-level security policy for table "ranked_lists"')}


def test_several_roles_in_one_session(small: psycopg.Connection, login: Login) -> None:
    """As in a pool of connections whose sessions change their role."""
    red, blue = login(), login(team="blue")
    small.execute(f"SET ROLE {red.info.user}".encode())
    small.execute(FIVE.encode())
    small.execute(f"RESET ROLE; SET ROLE {blue.info.user}".encode())
    with pytest.raises(psycopg.Error, match=f"ranking_changes of this session belongs to {red.info.user}") as error:
        small.execute(FIVE.replace("(2,", "(3,").encode())
    assert "DISCARD TEMP" in (error.value.diag.message_hint or "")
    small.execute("DISCARD TEMP")
    small.execute(FIVE.replace("(2,", "(3,").encode())
    small.execute("RESET ROLE")
    small.execute(FIVE.replace("(2,", "(1,").encode())
    assert [docs(small, run) for run in (1, 2, 3)] == [[1, 2, 3, 4, 5]] * 3


def _import(conn: psycopg.Connection, folder: Path) -> None:
    path = folder / "new.run"
    path.write_text("".join(f"q{query} Q0 d{doc} 1 {-doc} t\n" for query in (1, 2) for doc in range(300)))
    list(import_runs(conn, [path], options=ImportOptions(unknown_documents="stub")))


def _search(conn: psycopg.Connection, _: Path) -> None:
    searches.run(conn, system="boolean", name="new")


def _insert(conn: psycopg.Connection, _: Path) -> None:
    with conn.transaction():
        conn.execute("INSERT INTO st1_runs (run) VALUES ('new')")
        for query in ("q1", "q2"):
            conn.execute(
                "INSERT INTO st1_rankings (run, query, doc, rank, rel_score)"
                f" SELECT 'new', '{query}', g, g, -g FROM generate_series(1, 20) g".encode()
            )


@pytest.mark.parametrize("store", [_import, _search, _insert])
def test_a_session_that_is_terminated_stores_nothing(
    conn: psycopg.Connection, dsn: str, tmp_path: Path, store: Callable[[psycopg.Connection, Path], None]
) -> None:
    """It is ended when the last lists have been written, and everything but the commit is done."""
    put(conn, dict.fromkeys(range(1, 21), ("title", "some words")))
    conn.execute("CALL stc.index_text(engine => 'portable')")
    conn.execute("INSERT INTO st1_queries (query, text) VALUES ('q1', 'words'), ('q2', 'some title')")
    conn.execute(
        "CREATE FUNCTION public.held() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF EXISTS (SELECT FROM stc.ranked_lists"
        " WHERE query = 2) THEN PERFORM pg_advisory_xact_lock(1); END IF; RETURN NULL; END $$"
    )
    conn.execute("CREATE TRIGGER zz AFTER INSERT ON stc.ranked_lists FOR EACH STATEMENT EXECUTE FUNCTION public.held()")
    conn.execute("SELECT pg_advisory_lock(1)")
    victim = psycopg.connect(dsn, autocommit=True)
    faults: list[Exception] = []

    def work() -> None:
        try:
            store(victim, tmp_path)
        except (StcError, psycopg.Error) as error:
            faults.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    while thread.is_alive() and conn.execute("SELECT pg_blocking_pids(%s)", [victim.info.backend_pid]).fetchone() == ([],):
        time.sleep(0.005)
    assert thread.is_alive(), faults
    conn.execute("SELECT pg_terminate_backend(%s, 10000), pg_advisory_unlock(1)", [victim.info.backend_pid])
    thread.join()
    assert len(faults) == 1
    assert conn.execute("SELECT (SELECT count(*) FROM st1_runs), (SELECT count(*) FROM stc.ranked_lists)").fetchone() == (0, 0)
    with psycopg.connect(dsn, autocommit=True) as again:
        store(again, tmp_path)
    lists = conn.execute("SELECT query, sum(cardinality(docs)) FROM stc.ranked_lists GROUP BY query ORDER BY query").fetchall()
    assert lists == [(1, 300), (2, 300)] if store is _import else lists == [(1, 20), (2, 20)]
