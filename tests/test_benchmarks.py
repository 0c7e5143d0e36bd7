"""The benchmarks name functions that exist."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

pytestmark = pytest.mark.slow

BENCHMARKS = Path(__file__).resolve().parents[1] / "benchmarks"
OF_AN_EARLIER_VERSION = {"own_objects", "grant_rights", "put_policies"}
_CALLED = re.compile(r"(?<![\w.])(\w+)\(")


def texts(tree: ast.Module) -> Iterator[str]:
    """Yield all strings of a module that are not docstrings."""
    expressions = {id(one.value) for one in ast.walk(tree) if isinstance(one, ast.Expr)}
    for one in ast.walk(tree):
        if isinstance(one, ast.Constant) and isinstance(one.value, str) and id(one) not in expressions:
            yield one.value


def test_internal_functions_in_sql_have_their_schema(conn: psycopg.Connection) -> None:
    found = conn.execute(
        "SELECT proname::text FROM pg_proc WHERE pronamespace = 'stc'::regnamespace EXCEPT"
        " SELECT proname::text FROM pg_proc WHERE pronamespace IN ('public'::regnamespace, 'pg_catalog'::regnamespace)"
    ).fetchall()
    internal = {name for (name,) in found} - OF_AN_EARLIER_VERSION
    assert "dense_document_search" in internal
    bare = [
        f"{file.relative_to(BENCHMARKS)}: {name}"
        for file in sorted(BENCHMARKS.rglob("*.py"))
        for text in texts(ast.parse(file.read_text(encoding="utf-8")))
        for name in _CALLED.findall(text)
        if name in internal
    ]
    assert bare == []
