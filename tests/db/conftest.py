"""Fixtures for backups: a filled collection and its dump, temporary names for restored collections, a second server."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest

from stcollection.db.backup.dump import Dumped, dump
from stcollection.db.collections import create, drop
from stcollection.db.embedded import EmbeddedServer
from stcollection.db.settings import Settings
from stcollection.errors import StcError
from tests.databases import start
from tests.db.handed import fill

_numbers = itertools.count(1)
NewName = Callable[[], Settings]


@pytest.fixture(scope="session")
def handed(server: Settings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Settings]:
    """Return a filled collection that tests only read."""
    settings = replace(server, db=f"handed_{os.getpid()}")
    create(settings)
    fill(settings, tmp_path_factory.mktemp("handed"))
    yield settings
    drop(settings)


@pytest.fixture(scope="session")
def dumped(handed: Settings, tmp_path_factory: pytest.TempPathFactory) -> Dumped:
    """Return a complete dump of it, which tests copy before changing it."""
    return dump(handed, tmp_path_factory.mktemp("dumped") / "dump", jobs=2)


@pytest.fixture
def new_name(server: Settings) -> Iterator[NewName]:
    """Return settings for new collections, which are dropped at the end."""
    made: list[Settings] = []

    def name() -> Settings:
        made.append(replace(server, db=f"restored_{os.getpid()}_{next(_numbers)}"))
        return made[-1]

    yield name
    for one in made:
        with suppress(StcError):  # it was dropped, or is in a form of an old version
            drop(one)


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory: pytest.TempPathFactory, locales: Path | None) -> Iterator[Settings]:
    """Return a second server, reached by a connection string."""
    home = tmp_path_factory.mktemp("elsewhere")
    start(Settings(db="postgres", home=home, dsn=None))
    address = psycopg.conninfo.make_conninfo("", **EmbeddedServer(home).conninfo())
    yield Settings(db="postgres", home=tmp_path_factory.mktemp("home2"), dsn=address)
    EmbeddedServer(home).stop()
