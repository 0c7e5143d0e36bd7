"""Errors: one page lists them all, and each has a next step."""

from __future__ import annotations

import re
from functools import cache

from tools import errors
from tools.errors import PAGE, page

_VALUE = re.compile(r"\{[^}]*\}|…")  # a message of values alone is composed elsewhere
raised = cache(errors.raised)


def test_the_page_is_current() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(raised()), "run python -m tools.errors"


def test_errors_of_python_and_of_sql_are_found() -> None:
    found = raised()
    assert {"IR1", "IR2", "IR3", "IR4"} <= {one.family for one in found if one.code}
    assert {"IR1", "IR2", "IR3", "IR4"} <= {one.family for one in found if not one.code}
    assert any(one.place == "sql/corpus/filter_range.sql" for one in found)


def test_each_error_has_a_next_step() -> None:
    bare = [f"{one.place}:{one.line}: {one.message}" for one in raised() if not one.hint and _VALUE.sub("", one.message).strip()]
    assert bare == []
