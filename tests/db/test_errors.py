"""The errors of SQL and Python share one tree by SQLSTATE; the table in sql/README.md lists those of SQL."""

from __future__ import annotations

import re
from pathlib import Path

import psycopg
import pytest

from stcollection import errors
from stcollection.db.files import folder
from tests.sql_paths import sql_paths

README = (folder("sql") / "README.md").read_text(encoding="utf-8")
TABLE = {code: (name, int(exit_code)) for code, name, exit_code in re.findall(r"\| `(IR\d{3})` \| `(\w+)` \|.*?\| (\d) \|", README)}


def test_the_table_and_the_tree_agree() -> None:
    assert TABLE
    for code, (name, exit_code) in TABLE.items():
        kind = getattr(errors, name)
        assert errors.FAMILIES[code[:3]] is kind
        assert kind.exit_code == exit_code


@pytest.mark.parametrize("where", ["sql", "python"])
def test_every_code_that_is_raised_is_in_the_table(where: str) -> None:
    paths = sql_paths() if where == "sql" else Path(errors.__file__).parent.rglob("*.py")
    raised = {code for path in paths for code in re.findall(r"['\"](IR\d{3})['\"]", path.read_text(encoding="utf-8"))}
    assert raised
    assert raised <= TABLE.keys()


@pytest.mark.parametrize("code", ["IR101", "IR201", "IR301", "IR401", "22012"])
def test_an_error_of_sql_becomes_one_of_python(conn: psycopg.Connection, code: str) -> None:
    wanted = errors.FAMILIES.get(code[:3], errors.DatabaseError)
    with pytest.raises(wanted, match="so it is") as error, errors.translate():
        conn.execute(f"DO $$BEGIN RAISE EXCEPTION USING ERRCODE = '{code}', MESSAGE = 'so it is', HINT = 'do that'; END$$".encode())
    assert (error.value.hint, error.value.sqlstate) == ("do that", code)
