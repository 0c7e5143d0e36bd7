"""Output of commands marks simulated judgments in each format and does not change otherwise."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import psycopg
import pytest
from click.testing import CliRunner, Result

from stcollection.db.settings import Settings
from tests.groups import Prefixed, analysis, evaluation, qrels
from tests.qrels.conftest import Judge

pytestmark = pytest.mark.slow

NOTE = "Simulated: judgments of the edition made-up."


@pytest.fixture
def world(conn: psycopg.Connection, judge: Judge) -> None:
    for edition, simulated in (("real", False), ("made-up", True)):
        judge("q1 0 d1 1\nq1 0 d2 0\nq2 0 d1 1\n", edition, simulated=simulated)
    conn.execute("INSERT INTO st1_runs (run) VALUES ('r'), ('s')")
    conn.execute(
        "INSERT INTO stc.st1_rankings (run, query, doc, rank, rel_score)"
        " SELECT r.id, q.id, d.id, 1, 1 FROM st1_runs r, st1_queries q, dblp d WHERE d.docno = 'd1'"
    )


def stc(settings: Settings, *arguments: str) -> Result:
    group = {"evaluation": evaluation, "score": Prefixed("score"), "analysis": analysis}.get(arguments[0], qrels)
    done = CliRunner().invoke(group, list(arguments[group is not qrels :]), obj=settings)
    assert done.exit_code in (0, 1), done.output
    return done


COMMANDS = [
    ("evaluation", "leaderboard", "--edition", "{}"),
    ("evaluation", "leaderboard", "--edition", "{}", "--ties"),
    ("evaluation", "score", "r", "--edition", "{}", "-m", "nDCG@10"),
    ("evaluation", "score", "r", "--edition", "{}", "-q", "-m", "nDCG@10"),
    ("score", "r", "--worst", "10", "--edition", "{}"),
    ("check", "{}", "--min-relevant", "1"),
    ("files", "{}"),
    ("verify", "{}"),
    ("agreement", "{}", "decoy"),
    ("agreement", "{}:human", "decoy", "--confusion"),
    ("agreement", "decoy", "{}", "--grades"),
    ("agreement", "{}", "decoy", "--alpha"),
    ("diff", "{}", "decoy"),
    ("diff", "decoy", "{}", "--judgments"),
    ("impact", "decoy", "{}"),
    ("impact", "{}", "decoy", "-q"),
    ("analysis", "compare", "r", "s", "--edition", "{}"),
    ("analysis", "leaderboard", "--edition", "{}"),
    ("analysis", "late", "r", "--edition", "{}"),
    ("analysis", "unjudged", "--edition", "{}"),
    ("analysis", "reusability", "--edition", "{}"),
    ("analysis", "origins", "{}"),
    ("analysis", "history", "{}"),
    ("analysis", "labels", "decoy", "{}"),
]


@pytest.mark.usefixtures("world")
@pytest.mark.parametrize(
    ("command", "style"),
    [*((command, "json") for command in COMMANDS), *((COMMANDS[0], style) for style in ("table", "markdown", "csv", "latex"))],
    ids=lambda value: value if isinstance(value, str) else "-".join(value),
)
def test_a_table_of_made_up_judgments_says_so(settings: Settings, command: tuple[str, ...], style: str) -> None:
    made_up, real = (
        stc(settings, *(one.format(edition) for one in command), "--format", style).stdout for edition in ("made-up", "real")
    )
    assert "imulated" not in real
    if style == "json":
        told = json.loads(made_up)
        assert all(one["simulated"] is True for one in (told if isinstance(told, list) else [told]))
    elif style == "csv":
        header, *rows = csv.reader(made_up.splitlines())
        assert header[-1] == "simulated"
        assert {row[-1] for row in rows} == {"True"}
    elif style == "latex":
        assert rf"{{\footnotesize {NOTE}}} \\" in made_up
    else:
        assert made_up.endswith(f"\n{NOTE}\n")
        assert made_up.count(NOTE) == 1


@pytest.mark.usefixtures("world")
def test_the_list_of_editions_has_a_column(settings: Settings) -> None:
    rows = {row["edition"]: row["simulated"] for row in json.loads(stc(settings, "editions", "--format", "json").stdout)}
    assert rows == {"decoy": False, "made-up": True, "real": False}
    assert "simulated" in stc(settings, "editions").stdout


@pytest.mark.usefixtures("world")
def test_an_export_says_so_where_its_format_can(settings: Settings) -> None:
    for edition, note in (("made-up", f"stc: {NOTE}\n"), ("real", "")):
        trec = stc(settings, "export", "--edition", edition)
        assert trec.stdout == "q1 0 d1 1\nq1 0 d2 0\nq2 0 d1 1\n"
        assert trec.stderr == note
        scores = stc(settings, "evaluation", "score", "r", "--edition", edition, "--format", "trec")
        assert "imulated" not in scores.stdout
        assert scores.stderr == note
        columns = stc(settings, "export", "--edition", edition, "--format", "csv").stdout.splitlines()[0].split(",")
        assert ("simulated" in columns) is bool(note)


def test_a_command_marks_what_it_imports(conn: psycopg.Connection, settings: Settings, judge: Judge, tmp_path: Path) -> None:
    judge("q1 0 d1 1\n", "other")
    stc(settings, "import", str(tmp_path / "judged.qrels"), "--edition", "made-up", "--simulated")
    assert conn.execute("SELECT edition FROM qrels_editions WHERE simulated").fetchall() == [("made-up",)]
