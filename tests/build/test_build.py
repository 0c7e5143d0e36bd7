"""Build a collection, change something, and build it again: only what is out of date is done."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest

from stcollection.build.build import build
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, BadInput, StateError, StcError, UnknownObject
from tests.acceptance.conftest import environment
from tests.build.conftest import STEPS, names
from tests.in_process import run_in_process

pytestmark = pytest.mark.slow
Change = Callable[[str, str, str], None]


@pytest.fixture
def built(settings: Settings, recipe: Path) -> Path:
    assert names(build(settings, recipe), "built") == STEPS
    return recipe


def run(settings: Settings, *words: str) -> tuple[int, str, str]:
    done = run_in_process(*words, environment=environment(settings))
    return done.returncode, done.stdout, done.stderr


def test_a_second_build_does_nothing(settings: Settings, built: Path, conn: psycopg.Connection) -> None:
    before = conn.execute("SELECT run, made, version FROM st1_runs ORDER BY run").fetchall()
    again = build(settings, built)
    assert (names(again, "up to date"), names(again, "built")) == (STEPS, [])
    assert conn.execute("SELECT run, made, version FROM st1_runs ORDER BY run").fetchall() == before
    built.with_name("train.qrels").touch()  # a new time, the same content
    assert names(build(settings, built), "built") == []


@pytest.mark.parametrize(
    ("name", "old", "new", "rebuilt"),
    [
        ("papers.jsonl", "forty", "fifty", ["corpus papers.jsonl", "text", "run bm25", "fuse both", "score train"]),
        ("queries.tsv", "voice", "speakers", ["topics queries.tsv", "run bm25", "fuse both", "score train"]),
        ("train.qrels", "q1 0 d2 1\n", "q1 0 d2 1\nq1 0 d3 0\n", ["qrels train train.qrels", "score train"]),
        ("mine.run", "d3 2 1.0", "d3 2 1.5", ["run mine", "fuse both", "score train"]),
        ("collection.toml", "k1 = 0.9", "k1 = 1.5", ["text", "run bm25", "fuse both", "score train"]),
        ("collection.toml", '"nDCG@10"', '"nDCG@20"', ["score train"]),
    ],
)
def test_a_change_is_built_with_what_depends_on_it(
    settings: Settings, built: Path, change: Change, name: str, old: str, new: str, rebuilt: list[str]
) -> None:
    change(name, old, new)
    planned = build(settings, built, dry_run=True)
    assert names(planned, "to build") == rebuilt
    assert names(build(settings, built), "built") == rebuilt
    assert names(build(settings, built), "built") == []


def test_a_changed_document_and_query_have_their_new_text(
    settings: Settings, built: Path, change: Change, conn: psycopg.Connection
) -> None:
    change("papers.jsonl", "forty", "fifty")
    change("queries.tsv", "voice", "speakers")
    build(settings, built)
    assert conn.execute("SELECT count(*) FROM dblp_text WHERE abstract LIKE '%fifty%'").fetchone() == (1,)
    assert conn.execute("SELECT text FROM st1_queries").fetchone() == ("speakers at home",)


@pytest.mark.parametrize(
    ("command", "reason", "rebuilt"),
    [
        ("runs drop bm25 --yes", "missing", ["run bm25", "fuse both", "score train"]),
        ("retrieval run bm25 --replace --depth 1", "changed", ["run bm25", "fuse both", "score train"]),
        ("qrels drop train --yes", "missing", ["qrels train train.qrels", "score train"]),
        ("topics remove q1 --yes", "missing", ["topics queries.tsv", "run bm25", "fuse both", "score train"]),
        ("corpus remove d3 --yes", "missing", ["corpus papers.jsonl", "text", "run bm25", "fuse both", "score train"]),
        ("text index --b 0.1", "changed", ["text", "run bm25", "fuse both", "score train"]),
    ],
)
def test_a_result_that_was_removed_or_changed_is_built_again(
    settings: Settings, built: Path, command: str, reason: str, rebuilt: list[str]
) -> None:
    code, _, errors = run(settings, *command.split())
    assert code == 0, errors
    planned = build(settings, built, dry_run=True)
    assert names(planned, "to build") == rebuilt
    assert reason in next(step.why for step in planned if step.state == "to build")
    build(settings, built)
    assert names(build(settings, built), "built") == []


def test_a_step_that_left_the_recipe_is_reported_and_its_result_stays(
    settings: Settings, built: Path, change: Change, conn: psycopg.Connection
) -> None:
    change("collection.toml", '[[fuse]]\nname = "both"\nruns = ["bm25", "mine"]\n', "")
    again = build(settings, built)
    assert names(again, "omitted") == ["fuse both"]
    assert conn.execute("SELECT count(*) FROM st1_runs").fetchone() == (3,)


def test_a_run_that_no_build_has_made_is_not_replaced(settings: Settings, built: Path, change: Change) -> None:
    assert run(settings, "retrieval", "run", "bm25", "--name", "other")[0] == 0
    change("collection.toml", 'system = "bm25"', 'system = "bm25"\n[[run]]\nsystem = "bm25"\nname = "other"')
    with pytest.raises(BadArgument, match="a run 'other' is stored that no build has made"):
        build(settings, built)
    change("collection.toml", 'name = "other"', 'name = "other"\nreplace = true')
    assert "run other" in names(build(settings, built), "built")


def test_another_recipe_does_not_replace_the_runs_of_the_first(
    settings: Settings, built: Path, tmp_path: Path, conn: psycopg.Connection
) -> None:
    before = conn.execute("SELECT run, made FROM st1_runs ORDER BY run").fetchall()
    other = tmp_path / "other.toml"
    other.write_text('[[run]]\nsystem = "bm25"\ndepth = 1\n')
    with pytest.raises(BadArgument, match=r"was built from another recipe, .*collection\.toml"):
        build(settings, other)
    assert conn.execute("SELECT run, made FROM st1_runs ORDER BY run").fetchall() == before
    moved = built.rename(built.with_name("moved.toml"))
    assert names(build(settings, moved), "built") == []


def test_the_recipe_names_the_collection(settings: Settings, recipe: Path, change: Change) -> None:
    change("collection.toml", "[collection]", "[collection]\nname = 'absent'")
    planned = run(settings, "build", str(recipe), "--dry-run")
    assert (planned[0], planned[1].count("new")) == (0, len(STEPS))
    assert run(settings, "--db", settings.db, "build", str(recipe))[0] == 0
    assert run(settings, "--db", settings.db, "build", str(recipe))[1] == "8 steps are up to date\n"


def test_a_changed_grade_is_an_error_and_no_judgment_is_lost(
    settings: Settings, built: Path, change: Change, conn: psycopg.Connection
) -> None:
    change("train.qrels", "q1 0 d2 1", "q1 0 d2 2")
    with pytest.raises(StcError, match=r"\[\[qrels\]\] 1: .*d2"):
        build(settings, built)
    assert conn.execute("SELECT array_agg(rel) FROM qrels_judgments").fetchone() == ([1, 1],)
    [planned] = [step for step in build(settings, built, dry_run=True) if step.step.startswith("qrels")]
    assert planned.why == "it was interrupted"
    change("train.qrels", "q1 0 d2 2", "q1 0 d2 1")
    build(settings, built)


def test_the_scores_that_a_recipe_expects(settings: Settings, built: Path, change: Change) -> None:
    change("collection.toml", 'measures = ["nDCG@10", "AP"]', "expect = {mine = {AP = 0.5, 'nDCG@10' = 0.6131}}")
    build(settings, built)
    change("collection.toml", "AP = 0.5", "AP = 0.6")
    for _ in range(2):  # it is not forgotten
        with pytest.raises(BadInput, match=r"1 mean differs from the recipe: mine AP is 0\.5, expected 0\.6"):
            build(settings, built)


def test_an_edition_that_does_not_exist(settings: Settings, recipe: Path, change: Change, conn: psycopg.Connection) -> None:
    change("collection.toml", '[[score]]\nedition = "train"', '[[score]]\nedition = "tests"')
    with pytest.raises(UnknownObject, match="'tests'"):
        build(settings, recipe)
    assert conn.execute("SELECT count(*) FROM dblp").fetchone() == (0,)


def test_hidden_judgments(settings: Settings, recipe: Path, change: Change, conn: psycopg.Connection) -> None:
    change("collection.toml", 'split = "train"', 'split = "test"')
    build(settings, recipe)
    assert conn.execute("SELECT hidden FROM stc_all.qrels_editions").fetchone() == (True,)
    assert names(build(settings, recipe), "built") == []


def test_a_second_build_at_the_same_time_is_refused(settings: Settings, recipe: Path, conn: psycopg.Connection) -> None:
    conn.execute("SELECT pg_advisory_lock(hashtextextended('stc build', 0))")
    conn.execute("SET application_name = 'stc build [17]'")
    with pytest.raises(StateError, match=r"another build of this collection is running: session \d+ \(stc build \[17\], user"):
        build(settings, recipe)
    conn.execute("SELECT pg_advisory_unlock_all()")
    assert names(build(settings, recipe), "built") == STEPS


def test_the_command_prints_what_each_step_does(settings: Settings, recipe: Path) -> None:
    code, out, errors = run(settings, "build", str(recipe))
    assert code == 0, errors
    for words in ("── corpus", "3 documents (jsonl)", "── evaluation", "nDCG@10", "built 8 steps in", "0 steps are up to date"):
        assert words in out
    assert run(settings, "build", str(recipe))[:2] == (0, "8 steps are up to date\n")


def test_status_shows_what_is_out_of_date(settings: Settings, recipe: Path, change: Change) -> None:
    code, _, errors = run(settings, "status", "--diff")
    assert code == 4
    assert "the collection was not built from a recipe" in errors
    build(settings, recipe)
    change("collection.toml", 'system = "bm25"', 'system = "bm25"\ndepth = 1')
    code, out, _ = run(settings, "status", "--diff")
    assert code == 0
    assert "run bm25                 to build    depth was the default, is now '1'" in out
    assert "fuse both                to build    'run bm25' is built again" in out
    assert "run mine                 up to date" in out


def test_dry_run_without_a_collection(settings: Settings, recipe: Path) -> None:
    done = run_in_process("--db", "absent", "build", str(recipe), "--dry-run", environment=environment(settings))
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("new") == len(STEPS)
