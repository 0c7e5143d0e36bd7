"""Databases of earlier revisions."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from alembic import command
from sqlalchemy import create_engine

from stcollection.db.connection import conninfo
from stcollection.db.settings import Settings
from stcollection.db.step import configuration


@contextmanager
def at_revision(settings: Settings, revision: str) -> Iterator[psycopg.Connection]:
    """Upgrade an empty database to a revision, and yield the connection in the same transaction, to store rows."""
    conn = psycopg.connect(conninfo(settings))
    engine = create_engine("postgresql+psycopg://", creator=lambda: conn)
    with engine.begin() as connection:
        config = configuration()
        config.attributes["connection"] = connection
        command.upgrade(config, revision)
        yield conn
    engine.dispose()
    conn.close()
