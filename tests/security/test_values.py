"""Scores that are not a number and ranks below 1 are rejected for every user."""

from __future__ import annotations

import psycopg
import pytest

from stcollection.analysis.measured import READABILITY
from stcollection.errors import BadArgument, BadInput, translate
from tests.columns import columns
from tests.roles.worlds import Login, collection

_ = collection
NOT_FINITE = ("NaN", "Infinity", "-Infinity")
LEGAL = (0.0, -1.5, 1e39, -1.7976931348623157e308, 5e-324)  # also beyond single precision
# Numbers that may be NaN, or that only our own functions write after a check.
UNCHECKED = {
    "answer_files": {"seconds"},
    "citation_ranks": {"by_year", "by_field", "percentile"},
    "corpus_files": {"seconds"},
    "llm_answers": {"seconds"},
    "qrels_assessments": {"seconds"},  # checked to be in a range
    "qrels_comparisons": {"seconds"},
    "st1_complexity_metrics": {*READABILITY},
    "synth_subtopics": {"words", "cosine"},
    "text_index": {"k1", "b"},
    "text_lexemes": {"least_idf"},
    "vector_indexes": {"recall"},
}


def test_every_number_is_checked_or_named_here(conn: psycopg.Connection) -> None:
    lacking: dict[str, set[str]] = {}
    for column in columns(conn):
        if column.type not in ("double precision", "real"):
            continue
        rule = column.checks.get(f"{column.table}_{column.name}_finite_check")
        if rule is None:
            lacking.setdefault(column.table, set()).add(column.name)
        else:
            limits = f"(({column.name} > '-Infinity'::{column.type}) AND ({column.name} < 'Infinity'::{column.type}))"
            assert rule == f"CHECK ({limits})", column
    assert lacking == UNCHECKED


INSERT = (
    "INSERT INTO stc.st1_rankings (run, query, doc, rank, rel_score, comb_score) SELECT n.id, q.id, 700, %s, %s, %s"
    " FROM st1_runs n, st1_queries q WHERE n.run = 'fresh' AND q.query = 'a1'"
)


def test_a_participant_cannot_store_what_is_no_number(collection: psycopg.Connection, login: Login) -> None:
    attacker = login()
    attacker.execute("INSERT INTO st1_runs (run) VALUES ('fresh')")
    for value in NOT_FINITE:
        values: tuple[object, ...]
        for values in ((1, value, None), (1, 1.0, value)):
            with (
                pytest.raises(BadArgument, match=r"(rel|comb)_score: a value is not a finite number") as error,
                translate(),
            ):
                attacker.execute(INSERT, values)
            assert error.value.exit_code == 2
        with pytest.raises(BadArgument, match=r"st1_rankings\.comb_score"), translate():
            attacker.execute("UPDATE stc.st1_rankings SET comb_score = %s", [value])
    for rank in (0, -1):
        with pytest.raises(psycopg.errors.CheckViolation):
            attacker.execute(INSERT, (rank, 1.0, None))
    for legal in LEGAL:
        with attacker.transaction(force_rollback=True):
            attacker.execute(INSERT, (1, legal, legal))
    # Values that only the owner may write are also rejected.
    for statement in (
        "UPDATE st1_scores SET value = 'NaN'",
        "UPDATE qrels_preferences SET rel = 'Infinity'",
        "UPDATE stc.st1_rankings SET rel_score = '-Infinity'",
    ):
        with pytest.raises(BadArgument, match=r"'(NaN|-?Infinity)' is not a finite number"), translate():
            collection.execute(statement.encode())


def test_other_checks_stay_errors_of_the_database(collection: psycopg.Connection) -> None:
    with pytest.raises(psycopg.errors.CheckViolation) as error:
        collection.execute("INSERT INTO qrels_editions (edition, split) VALUES ('x', 'other')")
    with pytest.raises(Exception, match="violates check constraint") as translated, translate():
        raise error.value
    assert not isinstance(translated.value, BadArgument)


RANKED = (
    "INSERT INTO stc.st1_rankings (run, query, doc, rank, rel_score) SELECT n.id, q.id, 700 + r.rank %% 50, r.rank, r.score"
    " FROM st1_runs n, st1_queries q, unnest(%s::integer[], %s::float8[]) r (rank, score) WHERE n.run = 'mine' AND q.query = 'a1'"
)


def test_ranks_that_contradict_scores_are_refused(collection: psycopg.Connection, login: Login) -> None:
    attacker = login()
    attacker.execute("INSERT INTO st1_runs (run) VALUES ('mine')")
    for ranks, scores, told in (
        ([2, 3], [2, 1], "there is rank 2, but no rank 1"),
        ([1, 3], [2, 1], "there is rank 3, but no rank 2"),
        ([1, 900_000], [2, 1], "there is rank 900000, but no rank 899999"),
        ([1, 2], [1, 2], "rank 2 has the score 2, above 1 of rank 1"),
        ([3, 1, 2], [2.5, 3.0, 2.0], "rank 3 has the score 2.5, above 2 of rank 2"),
    ):
        with pytest.raises(BadInput, match=f"^run 'mine', query 'a1': {told}$") as error, translate():
            attacker.execute(RANKED, [ranks, scores])
        assert "row_number()" in str(error.value.hint)
    attacker.execute(RANKED, [[3, 1, 2], [2, 3, 2]])  # in any order within a statement; equal scores
    with pytest.raises(BadInput, match=r"rank 5, but no rank 4"), translate():
        attacker.execute(RANKED, [[5], [0]])
    with pytest.raises(BadInput, match=r"rank 4 has the score 2\.1, above 2 of rank 3"), translate():
        attacker.execute(RANKED, [[4], [2.1]])
    attacker.execute(RANKED, [[4], [2 + 1e-12]])  # equal in single precision, which is used to rank runs
    attacker.execute(RANKED, [[5, 6, 7], [1e-60, -1e39, -1.7e308]])
    with pytest.raises(psycopg.Error, match=r"must be called as a trigger|can only be called as a trigger|permission denied"):
        attacker.execute("SELECT stc.check_rankings()")
    assert collection.execute("SELECT count(*) FROM rankings WHERE run = 'mine'").fetchone() == (7,)
