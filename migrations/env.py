"""Alembic's entry: runs the revisions on the connection that stcollection.db.upgrade hands over."""

from __future__ import annotations

from alembic import context
from sqlalchemy import create_engine

from stcollection.db.connection import connect
from stcollection.db.settings import read_settings


def run() -> None:
    connection = context.config.attributes.get("connection")
    if context.is_offline_mode():  # alembic upgrade FROM:TO --sql, for tools/lint_migrations.py
        context.configure(dialect_name="postgresql")
        context.run_migrations()
    elif connection is None:  # the alembic command itself, on the collection that STC_DB names
        engine = create_engine("postgresql+psycopg://", creator=lambda: connect(read_settings(), check=False))
        with engine.begin() as connection:
            context.configure(connection=connection)
            context.run_migrations()
    else:
        context.configure(connection=connection)
        context.run_migrations()


run()
