"""Tables by Alembic, code from sql/: a database is in step, all of it, or not at all."""

from __future__ import annotations

import psycopg
import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import create_engine

from stcollection.db.tables import metadata, partition


@pytest.mark.filterwarnings("ignore:Computed default")  # PostgreSQL writes the expression in its own words
def test_tables_as_described_and_as_migrated_are_the_same(dsn: str) -> None:
    engine = create_engine("postgresql+psycopg://", creator=lambda: psycopg.connect(dsn))
    options = {
        "compare_type": True, "compare_server_default": True,
        "include_name": lambda name, kind, _: kind != "table" or not partition(name),
    }  # fmt: skip
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts=options)
        assert compare_metadata(context, metadata) == []
    engine.dispose()


def test_no_function_of_ours_is_overloaded(conn: psycopg.Connection) -> None:
    rows = conn.execute(
        "SELECT proname FROM pg_proc p WHERE pronamespace = 'public'::regnamespace AND NOT EXISTS"
        " (SELECT FROM pg_depend d WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e')"
        " GROUP BY 1 HAVING count(*) > 1"
    ).fetchall()
    assert rows == []
