"""A real server for the whole session, a fresh collection for each test.

The server is an embedded one of the session's own, or the one ``STC_TEST_DSN`` names. The template database is migrated once and
cloned for each test; tests/databases.py says how. It has a linguistic collation (en_US.UTF-8 of libc), under which a forgotten
``COLLATE "C"`` is seen.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import hypothesis
import psycopg
import pytest
from psycopg import sql

from stcollection.db.connection import conninfo
from stcollection.db.embedded import Embedded
from stcollection.db.settings import Settings
from stcollection.db.upgrade import upgrade
from tests.databases import Databases, start, world_of

REPOSITORY = Path(__file__).resolve().parents[1]
# Minutes each: what the pages tell to type, faults, the wheel in an empty environment. 'make long'.
LONG = [
    REPOSITORY / "tests" / place for place in ("docs/test_pages.py", "docs/test_ways.py", "durability", "acceptance/test_wheel.py")
]


def pytest_configure(config: pytest.Config) -> None:
    # No test may reach the user's own collections, nor a model hub.
    for name in list(os.environ):
        if name.startswith("PG") or (name.startswith("STC_") and not name.startswith("STC_TEST_")):
            del os.environ[name]
    os.environ["HF_HUB_OFFLINE"] = "1"
    # Machines are slow at times; no test says how slow.
    hypothesis.settings.register_profile("untimed", parent=hypothesis.settings(), deadline=None)
    hypothesis.settings.load_profile("untimed")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if any(item.path == place or place in item.path.parents for place in LONG):
            item.add_marker(pytest.mark.long)


@pytest.fixture(scope="session")
def locales(tmp_path_factory: pytest.TempPathFactory) -> Path | None:
    """A folder with libc's en_US.UTF-8, generated here so that no system setting is needed; None where that cannot be."""
    folder = tmp_path_factory.mktemp("locales")
    folder.chmod(0o755)
    localedef = shutil.which("localedef", path=f"{os.environ.get('PATH', '')}:/usr/bin:/usr/sbin")
    if localedef is None:
        return None
    done = subprocess.run([localedef, "-i", "en_US", "-f", "UTF-8", str(folder / "en_US.UTF-8")], capture_output=True, check=False)
    return folder if done.returncode == 0 else None


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory, locales: Path | None) -> Iterator[Settings]:
    """Settings that reach the session's server."""
    home = tmp_path_factory.mktemp("home")
    dsn = os.environ.get("STC_TEST_DSN")
    if dsn is not None:
        yield Settings(db="postgres", home=home, dsn=dsn)
        return
    if locales is not None:
        os.environ["LOCPATH"] = str(locales)
    settings = Settings(db="postgres", home=home, dsn=None)
    start(settings)
    yield settings
    Embedded(home).stop()


@pytest.fixture(scope="session")
def admin(server: Settings) -> Iterator[psycopg.Connection]:
    with psycopg.connect(conninfo(server, db="postgres"), autocommit=True) as conn:
        yield conn


@pytest.fixture(scope="session")
def template(server: Settings, admin: psycopg.Connection) -> Iterator[str]:
    """The name of a migrated collection without a row."""
    name = f"stc_template_{os.getpid()}"
    try:
        admin.execute(
            sql.SQL("CREATE DATABASE {} TEMPLATE template0 LOCALE_PROVIDER libc LOCALE 'en_US.UTF-8'").format(sql.Identifier(name))
        )
    except psycopg.Error as error:
        if os.environ.get("CI"):
            raise
        print(f"tests run without a linguistic collation: {error}")
        admin.execute(sql.SQL("CREATE DATABASE {} TEMPLATE template0 ENCODING 'UTF8'").format(sql.Identifier(name)))
    upgrade(replace(server, db=name))
    yield name
    admin.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


@pytest.fixture(scope="session")
def databases(server: Settings, admin: psycopg.Connection) -> Iterator[Databases]:
    """Databases on the session's server."""
    made = Databases(server, admin)
    yield made
    made.close()


@pytest.fixture
def settings(
    server: Settings, databases: Databases, template: str, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Settings]:
    """A collection of the test's own: empty, or as the world of the test's module fills it."""
    build = world_of(request.module, request.fixturenames)
    if build is not None:
        template = databases.filled(template, build, lambda: tmp_path_factory.mktemp("world"))
    name = databases.take(template)
    yield replace(server, db=name)
    databases.give_back(name)


@pytest.fixture
def dsn(settings: Settings) -> str:
    return conninfo(settings)


@pytest.fixture
def conn(dsn: str) -> Iterator[psycopg.Connection]:
    """An autocommit connection to the test's collection."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        yield connection


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real collections; see docs/testing.md."""
    folder = Path(os.environ.get("STC_TEST_DATA") or REPOSITORY.parent / "shared" / "data")
    if not folder.is_dir():
        if os.environ.get("CI"):
            pytest.fail(f"the real collections are not in {folder}; CI must have them")
        pytest.skip(f"the real collections are not in {folder}; STC_TEST_DATA names their folder")
    return folder
