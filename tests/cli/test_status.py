"""``stc status``: the contents of a collection, its outdated parts and the next commands; the same record in Python."""

from __future__ import annotations

import json
from pathlib import Path

import psycopg
import pytest
from click.testing import CliRunner, Result

from stcollection.analysis.contents import collection_status
from stcollection.api.collection import Collection
from stcollection.cli.load import command as load
from stcollection.cli.status import command
from stcollection.db.settings import Settings
from stcollection.evaluation.score import judge, unscored_runs
from stcollection.qrels.pools import PoolRules, make_pool
from stcollection.text.index import index
from tests.io.test_datasets import BEIR

pytestmark = pytest.mark.slow


def shown(settings: Settings, *options: str) -> Result:
    return CliRunner().invoke(command, list(options), obj=settings, catch_exceptions=False)


def put(settings: Settings, folder: Path, files: dict[str, str]) -> None:
    for name, content in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(content)
    assert CliRunner().invoke(load, [str(folder)], obj=settings, catch_exceptions=False).exit_code == 0


def store_run(conn: psycopg.Connection, name: str) -> None:
    """Store a run with one document for a judged query."""
    conn.execute("INSERT INTO st1_runs (run) VALUES (%s)", [name])
    conn.execute(
        "INSERT INTO stc.st1_rankings (run, query, doc, rank, rel_score)"
        " SELECT n.id, j.query, j.doc, 1, 1 FROM st1_runs n, qrels_judgments j WHERE n.run = %s LIMIT 1",
        [name],
    )


def steps(conn: psycopg.Connection) -> list[str | None]:
    return [step.action for step in collection_status(conn).next]


def test_each_step_names_the_next_command(settings: Settings, conn: psycopg.Connection, tmp_path: Path) -> None:
    assert "0 documents" in shown(settings).stdout
    assert steps(conn) == ["stc load FOLDER"]
    put(settings, tmp_path, BEIR)
    conn.execute("DELETE FROM st1_runs")
    assert "stc run bm25" in steps(conn)
    assert "stc vectors embed" in shown(settings).stdout


def test_runs_are_unscored_until_they_are_judged(settings: Settings, conn: psycopg.Connection, tmp_path: Path) -> None:
    put(settings, tmp_path, BEIR)
    index(conn)
    store_run(conn, "it's mine")
    [edition] = [name for name, runs in unscored_runs(conn).items() if runs == ["it's mine"]][:1]
    assert f"stc score --edition {edition}" in steps(conn)
    assert edition not in collection_status(conn).judged
    judge(conn, edition=edition)
    assert edition not in unscored_runs(conn)
    assert collection_status(conn).judged[edition][0] == "it's mine"
    conn.execute(
        "INSERT INTO qrels_judgments (edition, query, doc, rel, annotator)"
        " SELECT j.edition, j.query, j.doc, 0, 'another' FROM qrels_judgments j JOIN qrels_editions e ON e.id = j.edition"
        " WHERE e.edition = %s LIMIT 1",
        [edition],
    )
    assert unscored_runs(conn)[edition] == ["it's mine"]  # a changed edition is judged again


def test_an_open_pool_is_a_step_and_python_has_the_same_record(
    settings: Settings, conn: psycopg.Connection, tmp_path: Path
) -> None:
    put(settings, tmp_path, BEIR)
    store_run(conn, "mine")
    make_pool(conn, "p q", rules=PoolRules(depth=2))
    assert "stc judge 'p q' --annotator NAME" in steps(conn)
    lines = shown(settings).stdout.partition("\n\n")[0].splitlines()
    assert lines[0].startswith("collection")
    assert "p q 0 of 1 judged" in "".join(lines)
    record = json.loads(shown(settings, "--json").stdout)
    assert [pool["pool"] for pool in record["pools"]] == ["p q"]
    assert [step["command"] for step in record["next"]] == steps(conn)
    with Collection(settings) as collection:
        assert collection.status() == collection_status(conn)


def test_readers_see_no_pools_and_no_unscored_runs(conn: psycopg.Connection, settings: Settings, tmp_path: Path) -> None:
    put(settings, tmp_path, BEIR)
    store_run(conn, "mine")
    make_pool(conn, "p", rules=PoolRules(depth=2))
    assert [pool.pool for pool in collection_status(conn).pools] == ["p"]
    conn.execute("SET ROLE stc_reader")
    seen = collection_status(conn)
    assert (seen.pools, seen.unscored, seen.judged) == ([], {}, {})
