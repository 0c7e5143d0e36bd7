"""Scores that are no number and ranks below 1 are refused, whoever stores them."""

from __future__ import annotations

import psycopg
import pytest
from sqlalchemy import REAL, CheckConstraint, Double

from stcollection.db.tables import metadata
from stcollection.errors import BadArgument, translate
from tests.roles.worlds import Login, collection

_ = collection
NOT_FINITE = ("NaN", "Infinity", "-Infinity")
LEGAL = (0.0, -1.5, 1e39, -1.7976931348623157e308, 5e-324)  # beyond single precision too
# Numbers that may be NaN, or that only our own functions write, each after checking it.
UNCHECKED = {
    "answer_files": {"seconds"},
    "citation_ranks": {"by_year", "by_field", "percentile"},
    "corpus_files": {"seconds"},
    "llm_answers": {"seconds"},
    "st1_complexity_metrics": None,
    "text_index": {"k1", "b"},
    "vector_indexes": {"recall"},
}


def test_every_number_is_checked_or_named_here() -> None:
    lacking = {}
    for table in metadata.sorted_tables:
        checked = {str(one.name) for one in table.constraints if isinstance(one, CheckConstraint)}
        names = {
            column.name
            for column in table.columns
            if isinstance(column.type, Double | REAL) and f"{table.name}_{column.name}_finite_check" not in checked
        }
        if names:
            lacking[table.name] = None if table.name == "st1_complexity_metrics" else names
    assert lacking == UNCHECKED


INSERT = (
    "INSERT INTO st1_rankings (run, query, doc, rank, rel_score, comb_score) SELECT n.id, q.id, 700, %s, %s, %s"
    " FROM st1_runs n, st1_queries q WHERE n.run = 'red1' AND q.query = 'a1'"
)


def test_a_participant_cannot_store_what_is_no_number(collection: psycopg.Connection, login: Login) -> None:
    attacker = login()
    for value in NOT_FINITE:
        values: tuple[object, ...]
        for values in ((99, value, None), (99, 1.0, value)):
            with (
                pytest.raises(BadArgument, match=r"(rel|comb)_score: a value is not a finite number") as error,
                translate(),
            ):
                attacker.execute(INSERT, values)
            assert error.value.exit_code == 2
        with pytest.raises(BadArgument, match=r"st1_rankings\.comb_score"), translate():
            attacker.execute("UPDATE st1_rankings SET comb_score = %s", [value])
    for rank in (0, -1):
        with pytest.raises(psycopg.errors.CheckViolation):
            attacker.execute(INSERT, (rank, 1.0, None))
    for legal in LEGAL:
        with attacker.transaction(force_rollback=True):
            attacker.execute(INSERT, (99, legal, legal))
    # What only the owner may write is refused alike.
    for statement in (
        "UPDATE st1_scores SET value = 'NaN'",
        "UPDATE qrels_preferences SET rel = 'Infinity'",
        "UPDATE st1_rankings SET rel_score = '-Infinity'",
    ):
        with pytest.raises(BadArgument, match=r"'(NaN|-?Infinity)' is not a finite number"), translate():
            collection.execute(statement.encode())


def test_other_checks_stay_errors_of_the_database(collection: psycopg.Connection) -> None:
    with pytest.raises(psycopg.errors.CheckViolation) as error:
        collection.execute("INSERT INTO qrels_editions (edition, split) VALUES ('x', 'other')")
    with pytest.raises(Exception, match="violates check constraint") as translated, translate():
        raise error.value
    assert not isinstance(translated.value, BadArgument)
