"""A second collection beside the test's."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest

from stcollection.db.connection import conninfo
from stcollection.db.settings import Settings
from tests.databases import Databases
from tests.durability import rivals


@pytest.fixture
def ids(conn: psycopg.Connection) -> list[int]:
    """Of some documents of a stocked collection."""
    return [row[0] for row in conn.execute("SELECT id FROM dblp WHERE NOT stub ORDER BY id LIMIT 30")]


@pytest.fixture
def undisturbed(databases: Databases, template: str, tmp_path: Path, server: Settings) -> Iterator[str]:
    """The dsn of another stocked collection, where nothing goes wrong."""
    name = databases.take(databases.filled(template, rivals.stocked, lambda: tmp_path))
    yield conninfo(replace(server, db=name))
    databases.give_back(name)
