"""Names that would hang plots, control a terminal or split a table are rejected for every user."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import psycopg
import pytest

from stcollection.errors import BadArgument, BadInput, translate
from stcollection.names import PATTERN, RULE, check, is_name
from stcollection.qrels.load import JudgmentOptions, import_qrels
from stcollection.runs.load import ImportOptions, import_runs
from tests.columns import columns
from tests.roles.worlds import Login, collection

pytestmark = pytest.mark.slow

_ = collection
BAD = {
    "empty": "",
    "a space": " ",
    "a space before": " x",
    "a space after": "x ",
    "a new line": "a\nb",
    "at the end": "a\n",
    "a tabulator": "a\tb",
    "an escape": "a\x1b[2Jb",
    "a C1 control": "a\x9b31mb",
    "delete": "a\x7f",
    "right to left": "a\u202egpj.exe",
    "an isolate": "\u2066a",
    "zero width": "a\u200bb",
    "a line separator": "a\u2028b",
    "a no-break space": "a\u00a0b",
    "a byte order mark": "\ufeffa",
    "private use": "a\ue000",
    "a tag": "a\U000e0041",
    "a blank letter": "\u3164",
    "201 characters": "x" * 201,
    "100,000 characters": "x" * 100_000,
}
GOOD = [
    "x",
    "x" * 200,
    "BM25 + RM3 (k1 = .9)",
    "größe",
    "検索",
    "=1+1",
    "a'b\"c\\d",
    "😀",
    "<b>",
    "á",
    "%s",
    "gpt-4o/prompt@12345678",
]


# Columns whose name may be empty.
EMPTY = ("annotator", "subgroup")
UNCHECKED = {
    # stored unchanged and escaped on output
    "answer_documents": {"doc_id", "url"},
    "answer_queries": {"text"},
    "answers": {"url"},
    "build_steps": {"step"},
    "dblp": {"docno"},
    "dblp_facts": {"data_source", "licence", "venue"},
    # copied from a checked column or bound to one by a foreign key
    "annotations": {"annotator"},
    "ask_calls": {"edition", "member", "run", "team"},
    "ask_counts": {"team"},
    "ask_requests": {"team", "member", "run"},
    "hidden_names": {"edition"},
    "query_v": {"model"},
    "vector_indexes": {"model"},
    "vector_terms": {"model", "word"},
    # written by our own functions only, or checked by a stricter rule
    "qrels_decisions": {"decision", "role"},
    "stc_catalogue": {"kind", "name"},
    "stc_members": {"member"},
    "stc_settings": {"name"},
    "unfinished_runs": {"maker"},  # a policy compares it with the role
    "text_lexemes": {"lexeme"},
    "vector_models": {"model"},
    "own_measures": {"ir", "kind"},
    "own_systems": {"maker", "system"},
    "studies": {"revision", "study"},
    "study_rows": {"relation", "study"},
}


def test_python_and_sql_have_one_rule_for_every_character(conn: psycopg.Connection) -> None:
    points = [c for c in range(1, sys.maxunicode + 1) if not 0xD800 <= c <= 0xDFFF]
    for around in ("{}", "x{}x"):
        rows = conn.execute(
            "SELECT array_agg(c) FROM generate_series(1, 1114111) c, LATERAL (SELECT replace(%s, '{}', chr(c))) AS t (name)"
            f" WHERE c NOT BETWEEN 55296 AND 57343 AND {check('name')}".encode(),
            [around],
        ).fetchone()
        assert rows == ([c for c in points if is_name(around.replace("{}", chr(c)))],)
    row = conn.execute("SELECT prosrc FROM pg_proc WHERE proname = 'is_name'").fetchone()
    assert row is not None
    assert f"'{PATTERN}'" in re.sub(r"'\n\s*'", "", row[0])
    assert not is_name("a\0b")
    assert not is_name("\udc80")


def test_what_is_a_name_and_what_is_not(conn: psycopg.Connection) -> None:
    for name, expected in [*((one, False) for one in BAD.values()), *((one, True) for one in GOOD)]:
        assert is_name(name) is expected, name[:40]
        assert conn.execute("SELECT stc.is_name(%s)", [name]).fetchone() == (expected,), name[:40]
    for name in (*GOOD, *range(0x20, 0x2FF)):
        text = chr(name) if isinstance(name, int) else name
        assert not is_name(text) or text.isprintable()


def test_every_name_is_checked_by_the_same_rule_or_named_here(conn: psycopg.Connection) -> None:
    """A text column with collation C holds names, and its table checks them, except for those in UNCHECKED."""
    lacking: dict[str, set[str]] = {}
    checked = 0
    for column in columns(conn):
        rule = column.checks.get(f"{column.table}_{column.name}_name_check")
        if rule is not None:
            conditions = [check(column.name)] + [f"{column.name} = '' OR {check(column.name)}"] * (column.name in EMPTY)
            assert rule in [definition(conn, column.name, column.collation, condition) for condition in conditions], column
            checked += 1
        elif column.type == "text" and column.collation == "C":
            lacking.setdefault(column.table, set()).add(column.name)
    assert lacking == UNCHECKED
    assert checked >= 30


def definition(conn: psycopg.Connection, column: str, collation: str | None, condition: str) -> str:
    """The definition of a CHECK constraint as printed by PostgreSQL."""
    conn.execute(f'CREATE TEMP TABLE one ({column} text COLLATE "{collation}", CHECK ({condition}))'.encode())
    row = conn.execute("SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = 'pg_temp.one'::regclass").fetchone()
    conn.execute("DROP TABLE pg_temp.one")
    assert row is not None
    return str(row[0])


@pytest.mark.parametrize("what", BAD)
def test_a_participant_cannot_store_it(collection: psycopg.Connection, login: Login, what: str) -> None:
    attacker, name = login(), BAD[what]
    for statement in (
        "INSERT INTO st1_runs (run) VALUES (%s)",
        "INSERT INTO st1_runs (run, tag) VALUES ('ours', %s)",
        "INSERT INTO st1_runs (run, family) VALUES ('ours', %s)",
    ):
        with pytest.raises(psycopg.errors.CheckViolation), attacker.transaction():
            attacker.execute(statement.encode(), [name])
    for function in ("make_run(%s, 'boolean')", "fuse_runs(%s, '{base}')"):
        with pytest.raises(BadArgument) as error, translate():
            attacker.execute(f"SELECT {function}".encode(), [name])
        assert error.value.sqlstate == "IR202"
        assert error.value.message.isprintable()
        assert len(error.value.message) < 200
    assert collection.execute("SELECT count(*) FROM st1_runs").fetchone() == (4,)


@pytest.mark.parametrize("name", GOOD)
def test_a_good_name_is_stored(collection: psycopg.Connection, login: Login, name: str) -> None:
    login().execute("INSERT INTO st1_runs (run, tag) VALUES (%s, %s)", [name, name])
    assert collection.execute("SELECT run FROM st1_runs WHERE run = %s", [name]).fetchone() == (name,)


def test_the_error_names_column_and_value(collection: psycopg.Connection) -> None:
    for statement, message in (
        ("INSERT INTO st1_runs (run) VALUES (E'a\\x1b[2Jb')", r"st1_runs.run: 'a\x1b[2Jb' is not a name"),
        ("INSERT INTO st1_topics (topic) VALUES ('')", "st1_topics.topic: '' is not a name"),
        ("UPDATE qrels_editions SET edition = E'a\\nb' WHERE edition = 'train'", "qrels_editions.edition: 'a\\nb' is not a name"),
        ("INSERT INTO stc_all.qrels_pools (pool, method) VALUES (repeat('x', 100000), 'depth')", "qrels_pools.pool: "),
    ):
        with pytest.raises(BadArgument) as error, translate():
            collection.execute(statement.encode())
        assert error.value.message.startswith(message)
        assert error.value.message.isprintable()
        assert len(error.value.message) < 200
        assert error.value.hint == RULE
    with pytest.raises(BadArgument, match=r"^'a\\u001Bb' cannot be the name of an edition$"), translate():
        collection.execute("SELECT derive_edition(E'a\\x1bb', '{train}')")


def test_files_are_refused_by_line(collection: psycopg.Connection, tmp_path: Path) -> None:
    file = tmp_path / "bad.run"
    file.write_text("a1 Q0 d1 1 2 t\na\x1b[2J Q0 d1 1 1 t\n")
    with pytest.raises(BadInput, match=r"bad\.run:2: 'a\\u001B\[2J' cannot be the name of a query"):
        list(import_runs(collection, [file], options=ImportOptions(unknown_queries="stub")))
    file = tmp_path / "bad.qrels"
    file.write_text(f"a1 0 d1 1\n{'q' * 201} 0 d1 1\n")
    with pytest.raises(BadInput, match=r"bad\.qrels:2: 'q{60}…' cannot be the name of a query"):
        import_qrels(collection, file, edition="new", options=JudgmentOptions(unknown_queries="stub"))
