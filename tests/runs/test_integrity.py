"""Rankings keep their promises for every writer: no unknown name, no duplicate, no gap, and no score above the previous one.

After each test, the stored lists of all runs are checked row by row.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

import psycopg
import pytest

from tests.databases import world
from tests.roles.worlds import Login, login

_ = login
NUMBERS = "stc.st1_rankings (run, query, doc, rank, rel_score)"
NAMES = "st1_rankings (run, query, doc, rank, rel_score)"


@world
def small(conn: psycopg.Connection) -> None:
    """Twenty documents; runs of no team, of red and of blue (1 to 3) rank documents 1 to 4 for query 1."""
    conn.execute("INSERT INTO dblp (id, docno, doc) SELECT g, 'd' || g, '{}' FROM generate_series(1, 20) g")
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
    assert said(small, "UPDATE stc.ranked_lists SET query = 2 WHERE run = 2 AND query = 1 AND first = 1") == (
        "IR301", "run 'red1', query 'q1': there is rank 5, but no rank 4",
    )  # fmt: skip
    assert said(small, "UPDATE stc.ranked_lists SET query = 2 WHERE run = 2 AND query = 1") == "UPDATE 2"
    assert docs(small, 2, 2) == [1, 2, 3, 4, 5]


def test_a_participant_changes_no_run_of_others(small: psycopg.Connection, login: Login) -> None:
    """The combined scores of the own runs may be changed, in one statement for all rows that the participant sees."""
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
