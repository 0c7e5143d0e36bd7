"""Preferences: trec_eval's own files, and every value equal to a plain computation of the definitions."""

from __future__ import annotations

from pathlib import Path

import psycopg

from stcollection.evaluation.preferences import score_judgments, trec_eval_lines
from stcollection.qrels.load import import_qrels
from stcollection.qrels.preferences import import_preferences
from stcollection.runs.load import import_runs


def test_what_trec_eval_printed_for_preferences(conn: psycopg.Connection, data: Path) -> None:
    files = data / "trec_eval"
    list(import_runs(conn, [files / "prefs.results.test"], name="run"))
    import_preferences(conn, files / "prefs.test", edition="prefs")
    found = score_judgments(conn, run="run", edition="prefs", judgments="prefs")
    assert [*trec_eval_lines(found)] == (files / "out.test.prefs").read_text().splitlines()


def test_what_trec_eval_printed_for_preferences_implied_by_grades(conn: psycopg.Connection, data: Path) -> None:
    files = data / "trec_eval"
    list(import_runs(conn, [files / "results.test"], name="run"))
    import_qrels(conn, files / "qrels.test", edition="qrels")
    found = score_judgments(conn, run="run", edition="qrels", judgments="qrels_prefs")
    assert [*trec_eval_lines(found)] == (files / "out.test.qrels_prefs").read_text().splitlines()


def test_what_trec_eval_printed_for_judgment_groups(conn: psycopg.Connection, data: Path) -> None:
    files = data / "trec_eval"
    list(import_runs(conn, [files / "results.test"], name="run"))
    import_qrels(conn, files / "qrels.123", edition="qrels", columns="query,annotator,doc,rel")
    found = score_judgments(conn, run="run", edition="qrels", judgments="qrels_jg")
    assert [*trec_eval_lines(found)] == (files / "out.test.qrels_jg").read_text().splitlines()
