"""A coordinator and three workers with Citus, started once per process; without the source of Citus, tests are skipped."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.db.upgrade import upgrade
from tests.cluster.answers import fill
from tests.cluster.servers import Cluster, NotHere
from tests.homes import home_folder

# Servers that are thrown away flush nothing.
_OPTIONS = {"fsync": "off", "full_page_writes": "off", "synchronous_commit": "off", "shared_buffers": "64MB"}

_NUMBERS = itertools.count(1)

NewDatabase = Callable[[], Settings]


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """A running cluster; tests/cluster/servers.py builds the extension if it is not in the user's cache."""
    with home_folder() as folder:
        try:
            cluster = Cluster.create(folder, options=_OPTIONS)
        except NotHere as reason:
            if os.environ.get("CI"):
                pytest.fail(f"{reason}; CI must have it")
            pytest.skip(str(reason))
        with cluster.running():
            yield cluster


@pytest.fixture(scope="module")
def new_database(cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[NewDatabase]:
    """Returns the settings of a new database, with Citus and all workers, that is not yet a collection.

    The databases are dropped after the module, because Citus keeps processes busy in each.
    """
    home: Path = tmp_path_factory.mktemp("home")
    made: list[str] = []

    def make() -> Settings:
        cluster.start()  # the test before may have crashed a server
        made.append(f"stc_test_{next(_NUMBERS)}")
        return Settings(db=made[-1], home=home, dsn=cluster.database(made[-1]))

    yield make
    cluster.start()
    for name in made:
        cluster.drop_database(name)


@pytest.fixture(scope="module")
def filled_collection(new_database: NewDatabase) -> NewDatabase:
    """Returns the settings of a new collection with the documents of :func:`tests.cluster.answers.fill`, on the coordinator."""

    def make() -> Settings:
        made = new_database()
        upgrade(made)
        with connect(made, autocommit=True) as conn:
            fill(conn)
        return made

    return make
