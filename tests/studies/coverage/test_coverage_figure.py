"""The topics of a stored coverage as a figure."""

from __future__ import annotations

from pathlib import Path

import psycopg
import pytest
from click.testing import CliRunner

from stcollection.db.settings import Settings
from stcollection.errors import StateError
from stcollection.studies.coverage.figure import topic_counts
from stcollection.studies.coverage.records import Coverage, CoverageOptions, Topic
from stcollection.studies.coverage.store import CoverageRequest, store_coverage
from tests.groups import plot as command

FOUND = Coverage(
    text="what do machines hear",
    model="m",
    options=CoverageOptions(),
    docs=[1, 2],
    topics=[
        Topic("lda", 1, ("attack", "command", "google"), 0.5, 2),
        Topic("lda", 2, ("agent", "technology", "people"), 0.5, 90),
        Topic("lda", 3, ("home", "speaker"), 0.5, 40),
    ],
    support=0.5,
    state=None,
    notes=[],
)


def test_topics_have_the_marks_of_the_table() -> None:
    record = topic_counts("G01.C1", FOUND, "lda")
    assert record.topics == [
        ("agent, technology, people", 90, "frequent"),
        ("home, speaker", 40, ""),
        ("attack, command, google", 2, "rare"),
    ]
    with pytest.raises(StateError, match="no topic of the kind concept"):
        topic_counts("G01.C1", FOUND, "concept")


def test_the_command(settings: Settings, conn: psycopg.Connection, tmp_path: Path) -> None:
    store_coverage(conn, CoverageRequest("mine", None, FOUND.text), FOUND)
    done = CliRunner().invoke(
        command, ["coverage", "mine", "--out", str(tmp_path / "c.svg"), "--out", str(tmp_path / "c.csv")], obj=settings
    )
    assert done.exit_code == 0, done.output
    assert (tmp_path / "c.csv").read_text().splitlines()[1] == '"agent, technology, people",90,frequent'
