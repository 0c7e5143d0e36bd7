"""Every statement of docs/howto/psql.md returns rows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest
from psycopg import sql

from stcollection.db.connection import conninfo
from stcollection.db.settings import Settings
from tests.acceptance.conftest import Stc, runner

pytestmark = [pytest.mark.slow, pytest.mark.long]
PAGE = Path(__file__).resolve().parents[2] / "docs" / "howto" / "psql.md"
RANKS = (
    "INSERT INTO stc.citation_ranks (id, by_year, percentile) SELECT id, 100 * share, 100 * share FROM"
    " (SELECT id, percent_rank() OVER (PARTITION BY year ORDER BY n_citation) AS share FROM dblp_facts) f"
    " ON CONFLICT DO NOTHING"
)


@pytest.fixture
def measured(demo: Settings) -> Iterator[Stc]:
    """``stc`` on a copy of the demo whose abstracts are measured and whose documents are ranked."""
    settings = replace(demo, db="stc_demo_measured")
    name = sql.Identifier(settings.db)
    admin = psycopg.connect(conninfo(demo, db="postgres"), autocommit=True)
    admin.execute(sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(name, sql.Identifier(demo.db)))
    try:
        admin.execute(sql.SQL("COMMENT ON DATABASE {} IS 'stcollection'").format(name))
        stc = runner(settings)
        done = stc("complexity", "compute")
        assert done.returncode == 0, done.stderr
        with psycopg.connect(conninfo(settings), autocommit=True) as conn:
            conn.execute(RANKS)
        yield stc
    finally:
        admin.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(name))
        admin.close()


def test_every_statement_of_the_page_finds_something(measured: Stc, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before, own = PAGE.read_text(encoding="utf-8").split("## With tables of your own")
    monkeypatch.chdir(tmp_path)  # \copy writes where psql is
    printed = ""
    for part, options, least in ((before, (), 12), (own, ("--owner",), 2)):
        blocks = re.findall(r"```sql\n(.*?)```", part, re.DOTALL)
        assert len(blocks) >= least
        (tmp_path / "page.sql").write_text("\n".join(blocks), encoding="utf-8")
        done = measured(
            "db", "psql", *options, "--", "--set", "ON_ERROR_STOP=1", "--pset", "pager=off", "-f", tmp_path / "page.sql"
        )
        assert done.returncode == 0, done.stderr
        assert "ERROR" not in done.stderr
        printed += done.stdout
    assert not re.findall(r"^\(0 rows\)", printed, re.MULTILINE)
    assert "Flesch-Kincaid grade level" in printed  # the comments of the columns
    assert len((tmp_path / "by-year.csv").read_text().splitlines()) > 20
