"""Every command: the collection and the edition before and after it, quiet, the nearest word, completion."""

from __future__ import annotations

import subprocess
import sys

import click
import psycopg
import pytest
from click.testing import CliRunner

from stcollection.cli import stc
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, StateError, StcError
from tests.acceptance.conftest import environment
from tests.acceptance.test_commands import commands
from tests.groups import evaluation, qrels

pytestmark = pytest.mark.slow
ONE = "INSERT INTO qrels_editions (edition) VALUES ('first')"
TWO = "INSERT INTO qrels_editions (edition) VALUES ('second')"
RANKED = (
    "INSERT INTO dblp (id, docno, doc) VALUES (1, 'd1', '{}'); INSERT INTO st1_queries (query, text) VALUES ('q', 'a query');"
    " INSERT INTO st1_runs (run) VALUES ('mine');"
    " INSERT INTO stc.st1_rankings (run, query, doc, rank, rel_score) SELECT r.id, q.id, 1, 1, 1 FROM st1_runs r, st1_queries q;"
    " INSERT INTO qrels_judgments (edition, query, doc, rel) SELECT e.id, q.id, 1, 1 FROM qrels_editions e, st1_queries q"
)


def outcome(group: click.Command, settings: Settings, *words: str) -> tuple[str, BaseException | None]:
    done = CliRunner().invoke(group, list(words), obj=settings)
    return done.output, done.exception


def test_the_options_of_stc_may_come_after_every_command() -> None:
    lacking = []
    for words, command in commands(stc):
        taken = {option for parameter in command.params for option in parameter.opts}
        lacking += [f"{' '.join(words)} {option}" for option in ("--db", "--quiet") if option not in taken]
    assert lacking == []


def test_a_command_with_an_edition_takes_it_as_an_option() -> None:
    lacking = [
        " ".join(words)
        for words, command in commands(stc)
        if any(parameter.name == "edition" for parameter in command.params)
        and not any("--edition" in parameter.opts for parameter in command.params)
    ]
    assert lacking == []


def test_the_collection_may_be_named_before_and_after(settings: Settings) -> None:
    for words in (["--db", "nowhere", "runs", "list"], ["runs", "list", "--db", "nowhere"], ["runs", "--db", "nowhere", "list"]):
        done = CliRunner().invoke(stc, words, env=environment(settings))
        assert isinstance(done.exception, StcError)
        assert "nowhere" in done.exception.message


def test_the_only_edition_is_the_default(conn: psycopg.Connection, settings: Settings) -> None:
    _, error = outcome(evaluation, settings, "leaderboard")
    assert isinstance(error, StateError)
    assert "no judgments yet" in error.message
    conn.execute(ONE)
    conn.execute(RANKED)
    told, error = outcome(evaluation, settings, "leaderboard", "-m", "P@1")
    assert error is None
    assert told.startswith("edition 'first', the only one\n")
    assert "mine" in told
    assert outcome(evaluation, settings, "leaderboard", "-m", "P@1", "--quiet")[0].startswith("run")
    conn.execute(TWO)
    _, error = outcome(evaluation, settings, "leaderboard")
    assert isinstance(error, BadArgument)
    assert error.message == "the collection has several editions: first, second"


def test_an_edition_is_an_argument_or_an_option(conn: psycopg.Connection, settings: Settings) -> None:
    conn.execute(ONE)
    conn.execute(RANKED)
    told = [outcome(qrels, settings, *words)[0] for words in (("check", "first"), ("check", "--edition", "first"), ("check",))]
    assert told[0] == told[1]
    assert told[2].endswith(told[0])
    said, _ = outcome(qrels, settings, "check", "first", "--edition", "second")
    assert "two editions are named, 'first' and 'second'" in said
    done = CliRunner().invoke(stc, ["--edition", "first", "qrels", "check"], env=environment(settings))
    assert done.output == told[0]


def test_what_changes_an_edition_wants_its_name(conn: psycopg.Connection, settings: Settings) -> None:
    conn.execute(ONE)
    for command in ("seal", "hide", "release"):
        said, error = outcome(qrels, settings, command)
        assert isinstance(error, SystemExit)
        assert "Missing argument 'EDITION'" in said
    assert conn.execute("SELECT sealed, hidden FROM qrels_editions").fetchall() == [(None, False)]
    assert outcome(qrels, settings, "hide", "--edition", "first")[1] is None
    assert conn.execute("SELECT hidden FROM qrels_editions").fetchone() == (True,)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("rnus list", "'stc runs'"),
        ("runs exprot", "'stc export run'"),
        ("leaderboard", "'stc score'"),
        ("qrels llm jugde", "'stc judge'"),
        ("evaluation leaderbord", "'stc score --leaderboard'"),
        ("xyzzy", "'stc --help' lists the commands"),
    ],
)
def test_a_wrong_word_suggests_the_nearest(typed: str, meant: str) -> None:
    done = CliRunner().invoke(stc, typed.split(), prog_name="stc")
    assert done.exit_code == 2
    assert f"no such command {typed.split()[-1] if 'list' not in typed else 'rnus'!r}" in done.output
    assert meant in done.output


def test_without_a_command_the_help_is_printed() -> None:
    assert CliRunner().invoke(stc, []).output == CliRunner().invoke(stc, ["--help"]).output


def completed(settings: Settings, *words: str) -> list[str]:
    env = {
        **environment(settings),
        "COMP_WORDS": " ".join(("stc", *words)),
        "COMP_CWORD": str(len(words)),
        "_STC_COMPLETE": "bash_complete",
    }
    done = subprocess.run([sys.executable, "-m", "stcollection"], env=env, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    return [line.partition(",")[2] for line in done.stdout.splitlines() if line]


def test_a_shell_completes_names_of_the_collection(conn: psycopg.Connection, settings: Settings) -> None:
    conn.execute(ONE)
    conn.execute("INSERT INTO st1_runs (run) VALUES ('bm25'), ('bm25+rm3'), ('dense')")
    conn.commit()
    assert completed(settings, "runs", "export", "bm") == ["bm25", "bm25+rm3"]
    assert completed(settings, "evaluation", "score", "bm25", "--edition", "f") == ["first"]
    assert completed(settings, "qrels", "seal", "f") == ["first"]
    assert set(completed(settings, "evaluation", "score", "-m", "nDCG@10")) == {"nDCG@10", "nDCG@100", "nDCG@1000"}
    assert completed(settings, "ru") == ["run", "runs"]
    assert completed(settings, "--db", "nowhere", "runs", "export", "b") == []


def test_the_script_completes_in_bash(settings: Settings) -> None:
    script = 'eval "$($PYTHON -m stcollection completion bash)" && complete -p stc'
    env = {**environment(settings), "PYTHON": sys.executable}
    done = subprocess.run(["bash", "-c", script], env=env, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "complete -o nosort -F _stc_completion stc\n"), done.stderr
