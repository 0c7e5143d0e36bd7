"""Alembic's entry: runs the revisions on the connection that stcollection.db.upgrade hands over."""

from __future__ import annotations

from typing import Any

from alembic import context
from sqlalchemy import create_engine

from stcollection.db.connection import connect
from stcollection.db.settings import read_settings
from stcollection.db.tables import metadata, partition


def _described(name: str | None, kind: str, parents: Any) -> bool:
    """The partitions of a table come with it."""
    return kind != "table" or name is None or not partition(name)


def run() -> None:
    connection = context.config.attributes.get("connection")
    if connection is None:  # the alembic command itself, on the collection that STC_DB names
        engine = create_engine("postgresql+psycopg://", creator=lambda: connect(read_settings(), check=False))
        with engine.begin() as connection:
            context.configure(connection=connection, target_metadata=metadata, include_name=_described)
            context.run_migrations()
    else:
        context.configure(connection=connection, target_metadata=metadata, include_name=_described)
        context.run_migrations()


run()
