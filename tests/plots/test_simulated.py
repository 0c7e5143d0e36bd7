"""Figures, reports and frames of simulated judgments are marked as simulated."""

from __future__ import annotations

from pathlib import Path

import psycopg
import pytest

from stcollection.api.collection import Collection
from stcollection.db.settings import Settings
from stcollection.figures import grades, systems
from stcollection.qrels.load import JudgmentOptions, import_qrels

NOTE = "Simulated: judgments of the edition made-up."


@pytest.fixture
def world(conn: psycopg.Connection, tmp_path: Path) -> psycopg.Connection:
    for edition in ("real", "made-up"):
        path = tmp_path / f"{edition}.qrels"
        path.write_text("q1 0 d1 1\nq1 0 d2 0\nq2 0 d1 1\n")
        import_qrels(conn, path, edition=edition, options=JudgmentOptions(simulated=edition == "made-up"))
    conn.execute("INSERT INTO st1_runs (run) VALUES ('r'), ('s')")
    conn.execute(
        "INSERT INTO stc.st1_rankings (run, query, doc, rank, rel_score)"
        " SELECT r.id, q.id, d.id, 1, 1 FROM st1_runs r, st1_queries q, dblp d WHERE d.docno = 'd1'"
    )
    return conn


def words(figure: object) -> str:
    return " ".join(text.get_text() for text in figure.texts)  # type: ignore[attr-defined]


def test_a_figure_has_the_note_in_its_title(world: psycopg.Connection) -> None:
    assert NOTE in words(systems(world, edition="made-up"))
    assert "Simulated" not in words(systems(world, edition="real"))
    assert NOTE in words(grades(world))
    assert "Simulated" not in words(grades(world, "real"))


def test_a_frame_has_the_note_in_its_attributes(world: psycopg.Connection, settings: Settings) -> None:
    with Collection(settings) as collection:
        for frame in (
            collection.qrels("made-up"),
            collection.score(edition="made-up"),
            collection.analysis.unjudged("made-up"),
            collection.analysis.diff("real", "made-up"),
        ):
            assert frame.attrs["simulated"] == NOTE
        assert "simulated" not in collection.qrels("real").attrs
        assert "simulated" not in collection.analysis.unjudged("real").attrs
