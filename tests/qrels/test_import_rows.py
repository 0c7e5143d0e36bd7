"""Imported judgments are stored in sets: the earliest line counts, lists of documents, two writers, a session that is killed."""

from __future__ import annotations

from pathlib import Path

import psycopg
import pytest

from stcollection.errors import BadInput
from stcollection.qrels.load import JudgmentOptions, import_qrels
from tests.at_once import at_once
from tests.qrels.conftest import Judge, says

Grades = dict[tuple[str, str], int]


def lines(grades: Grades) -> str:
    return "".join(f"{query} 0 {doc} {rel}\n" for (query, doc), rel in grades.items())


def test_the_earliest_line_counts_in_files_of_several_assessors(conn: psycopg.Connection, judge: Judge) -> None:
    by_line = [
        ("q2", "bob", "d9", 1),
        ("q1", "zoe", "d1", 2),
        ("q2", "ada", "d9", 0),
        ("q1", "ada", "d1", 0),
        ("q0", "bob", "d5", 1),
    ]
    judge("".join(f"{query} {who} {doc} {rel}\n" for query, who, doc, rel in by_line), columns="query,annotator,doc,rel")
    assert says(conn) == {("q2", "d9"): 1, ("q1", "d1"): 2, ("q0", "d5"): 1}


def test_a_document_that_a_list_repeats_does_not_remove_the_others(conn: psycopg.Connection, judge: Judge, tmp_path: Path) -> None:
    path = tmp_path / "TIME.REL"
    path.write_text("1   17 18 017 20\n\n2   18\n\n3   19 17 21\n")
    done = judge(path)
    assert (done.judgments, done.added, done.duplicates) == (7, 7, 1)
    assert says(conn) == {
        (query, doc): 1 for query, docs in (("1", "17 18 20"), ("2", "18"), ("3", "19 17 21")) for doc in docs.split()
    }


def test_a_file_belongs_to_its_judgments_again_and_in_part(conn: psycopg.Connection, judge: Judge) -> None:
    first = {(f"q{n % 7}", f"d{n}"): n % 3 for n in range(60)}
    judge(lines(first))
    done = judge(lines({**first, ("q0", "d99"): 1}))
    assert (done.judgments, done.added, done.unchanged) == (61, 1, 60)
    stored = conn.execute("SELECT array_agg(j.id ORDER BY j.id) FROM qrels_judgments j WHERE j.edition = 1").fetchone()
    files = conn.execute("SELECT ARRAY(SELECT unnest(rows) ORDER BY 1) FROM qrels_files ORDER BY id").fetchall()
    assert stored is not None
    assert [stored[0][:60], stored[0]] == [rows for (rows,) in files]


@pytest.mark.usefixtures("dsn")
def test_two_writers_store_each_judgment_once(conn: psycopg.Connection, dsn: str, tmp_path: Path) -> None:
    both = {(f"q{n % 5}", f"d{n}"): n % 3 for n in range(900)}
    halves = [dict(list(both.items())[:600]), dict(reversed(list(both.items())[300:]))]
    counts = []

    def write(number: int) -> None:
        path = tmp_path / f"{number}.qrels"
        path.write_text(lines(halves[number]))
        with psycopg.connect(dsn, autocommit=True) as session:
            done = import_qrels(session, path, edition="mine", options=JudgmentOptions(unknown_documents="stub"))
            counts.append((done.judgments, done.added))

    at_once(write, (0, 1))
    assert sorted(counts) == [(600, 300), (600, 600)]
    assert says(conn) == both
    assert conn.execute("SELECT count(*) FROM qrels_judgments").fetchone() == (900,)


@pytest.mark.usefixtures("dsn")
def test_a_killed_session_stores_nothing_and_a_row_of_psql_is_checked(conn: psycopg.Connection, dsn: str, tmp_path: Path) -> None:
    path = tmp_path / "some.qrels"
    path.write_text(lines({(f"q{n % 5}", f"d{n}"): 1 for n in range(300)}))
    with psycopg.connect(dsn, autocommit=True) as session:
        session.execute("BEGIN")
        import_qrels(session, path, edition="mine")
        assert says(session)
        conn.execute("SELECT pg_terminate_backend(%s, 5000)", [session.info.backend_pid])
        with pytest.raises(psycopg.Error):
            session.execute("COMMIT")
    assert conn.execute("SELECT count(*) FROM qrels_editions").fetchone() == (0,)
    assert conn.execute("SELECT count(*) FROM dblp").fetchone() == (0,)
    assert import_qrels(conn, path, edition="mine").added == 300
    keys = conn.execute("SELECT edition, query, doc FROM qrels_judgments LIMIT 1").fetchone()
    for column in ("edition", "query", "doc"):
        row = dict(zip(("edition", "query", "doc"), keys or (), strict=True)) | {column: 10**6}
        statement = "INSERT INTO qrels_judgments (edition, query, doc, rel) VALUES (%(edition)s, %(query)s, %(doc)s, 1)"
        with pytest.raises(psycopg.errors.ForeignKeyViolation, match=f"qrels_judgments_{column}_fkey"):
            conn.execute(statement, row)
    path.write_text("q1 0 d1 2\n")
    with pytest.raises(BadInput, match=r"query q1, document d1 is 2 here and stored as 1"):
        import_qrels(conn, path, edition="mine")
