"""Fixtures that store small editions and read them back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest

from stcollection.qrels.editions import EditionFacts
from stcollection.qrels.load import ImportedQrels, JudgmentOptions, import_qrels

Judge = Callable[..., ImportedQrels]
Says = dict[tuple[str, str], int]


@pytest.fixture
def judge(conn: psycopg.Connection, tmp_path: Path) -> Judge:
    """Import judgments from text or a path, and add a decoy edition with grade 9 for the same documents."""

    def judge(text: str | Path, edition: str = "mine", **options: Any) -> ImportedQrels:
        path = text if isinstance(text, Path) else tmp_path / "judged.qrels"
        if isinstance(text, str):
            path.write_bytes(text.encode())
        facts = EditionFacts(**{name: options.pop(name) for name in ("description", "split", "year") if name in options})
        warn = options.pop("warn", None)
        imported = import_qrels(conn, path, edition=edition, options=JudgmentOptions(**options), facts=facts, warn=warn)
        conn.execute("INSERT INTO qrels_editions (edition) VALUES ('decoy') ON CONFLICT DO NOTHING")
        conn.execute(
            "INSERT INTO qrels_judgments (edition, query, doc, rel) SELECT DISTINCT d.id, j.query, j.doc, 9"
            " FROM qrels_judgments j, qrels_editions d WHERE d.edition = 'decoy' ON CONFLICT DO NOTHING"
        )
        return imported

    return judge


def says(conn: psycopg.Connection, edition: str = "mine") -> Says:
    """Return the grade of each (query, docno) in an edition."""
    rows = conn.execute("SELECT query, docno, rel FROM stc.edition_judgments(%s)", [edition]).fetchall()
    assert len({row[:2] for row in rows}) == len(rows)
    return {(query, docno): rel for query, docno, rel in rows}
