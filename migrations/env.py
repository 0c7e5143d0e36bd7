"""Alembic's entry: runs the revisions on the connection that stcollection.db.upgrade hands over."""

from __future__ import annotations

from alembic import context
from sqlalchemy import create_engine

from stcollection.db.connection import connect
from stcollection.db.settings import read_settings
from stcollection.db.tables import metadata


def run() -> None:
    connection = context.config.attributes.get("connection")
    if connection is None:  # the alembic command itself, on the collection that STC_DB names
        engine = create_engine("postgresql+psycopg://", creator=lambda: connect(read_settings(), check=False))
        with engine.begin() as connection:
            context.configure(connection=connection, target_metadata=metadata)
            context.run_migrations()
    else:
        context.configure(connection=connection, target_metadata=metadata)
        context.run_migrations()


run()
