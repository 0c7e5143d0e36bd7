"""Attacks by users with a login, on the collection and logins of tests/roles, and by data in a browser."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest

from stcollection.db.settings import Settings
from tests.databases import Databases
from tests.explore.conftest import browser  # noqa: F401
from tests.roles.worlds import login  # noqa: F401
from tests.security.model.walls import Walls, build_walls


@pytest.fixture(scope="session")
def walls(server: Settings, admin: psycopg.Connection, databases: Databases, template: str) -> Iterator[Walls]:
    """A collection with rows in every table, and a login of each role."""
    with build_walls(server, admin, databases, template) as built:
        yield built
