"""A real server for the whole session, a fresh collection for each test.

The server is an embedded one of the session's own, or the one ``STC_TEST_DSN`` names. The template database is migrated once per
run of pytest and cloned for each test; tests/databases.py says how. It has a linguistic collation (en_US.UTF-8 of libc), under
which a forgotten ``COLLATE "C"`` is seen.
"""

from __future__ import annotations

import gc
import os
import re
import shutil
import subprocess
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path, PurePath
from typing import Any

import hypothesis
import psycopg
import pytest
from psycopg import sql
from xdist.scheduler import LoadScopeScheduling

from stcollection.db.connection import conninfo
from stcollection.db.embedded import EmbeddedServer
from stcollection.db.sessions import pinned
from stcollection.db.settings import Settings
from tests.databases import Databases, make_template, start, world_of
from tests.examples import few
from tests.homes import MEMORY, home_folder, make_demo, make_once, share_home
from tests.long import FIRST, LONG, SPREAD

REPOSITORY = Path(__file__).resolve().parents[1]
TESTS = REPOSITORY / "tests"
SLOW = re.compile(r"^pytestmark = .*pytest\.mark\.slow\b", re.MULTILINE)
TEMPLATE = "stc_template"  # the database that is cloned for each test
# The summary names this many files, after a run of more seconds.
_FILES, _LONG_RUN = 20, 60.0


def pytest_configure(config: pytest.Config) -> None:
    # No test may reach the user's own collections, nor a model hub.
    for name in list(os.environ):
        if name.startswith("PG") or (name.startswith("STC_") and not name.startswith(("STC_TEST_", "STC_CITUS_"))):
            del os.environ[name]
    os.environ["HF_HUB_OFFLINE"] = "1"
    # A separate temporary folder for each run: pytest closes the common one to the users that run servers in it.
    if not hasattr(config, "workerinput"):
        os.environ["PYTEST_DEBUG_TEMPROOT"] = tempfile.mkdtemp(prefix="stc-tests-")
    # Processes side by side use one core each.
    if "PYTEST_XDIST_WORKER" in os.environ:
        for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
            os.environ.setdefault(name, "1")
    # Machines are slow at times; no test says how slow. Fixtures of one test serve all examples.
    shared = [hypothesis.HealthCheck.function_scoped_fixture]
    hypothesis.settings.register_profile("untimed", deadline=None, suppress_health_check=shared, max_examples=few(100))
    hypothesis.settings.load_profile("untimed")
    # Collecting makes a million objects, and all of them stay: the garbage collector would walk them again and again.
    gc.disable()


def pytest_collection_finish() -> None:
    gc.enable()
    gc.freeze()


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    if exitstatus == pytest.ExitCode.OK and not hasattr(session.config, "workerinput"):
        session.config.add_cleanup(partial(shutil.rmtree, os.environ["PYTEST_DEBUG_TEMPROOT"], ignore_errors=True))


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Whether no test of the file or folder is to run, so that it and what it imports need not be read."""
    unwanted = re.findall(r"not (\w+)", config.option.markexpr)
    if "long" in unwanted and collection_path in (TESTS / place for place in LONG):
        return True
    if "slow" in unwanted and collection_path.suffix == ".py" and SLOW.search(collection_path.read_text(encoding="utf-8")):
        return True
    return None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    long = set(LONG)
    for item in items:
        browser = isinstance(item, pytest.Function) and "browser" in item.fixturenames
        path, _, name = item.nodeid.removeprefix("tests/").partition("[")[0].partition("::")
        if browser or not long.isdisjoint({f"{path}::{name}", path, *map(str, PurePath(path).parents)}):
            item.add_marker(pytest.mark.long)
    # Files with costly tests first, so that no process works on one when the others have finished.
    first = {f"tests/{path}" for path in FIRST}

    files = {item.nodeid.partition("::")[0]: at for at, item in reversed([*enumerate(items)])}

    def turn(item: pytest.Item) -> tuple[bool, bool, int, int]:
        """Tests of a file in their order there, however the command line names them."""
        file = item.nodeid.partition("::")[0]
        costly = item.get_closest_marker("slow") or item.get_closest_marker("long")
        return file not in first, costly is None, files[file], item.location[1] or 0

    items.sort(key=turn)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> LoadScopeScheduling:
    """A scheduler that gives each process whole files, but single tests of the files in SPREAD."""

    class ByFile(LoadScopeScheduling):  # type: ignore[misc]
        def _split_scope(self, nodeid: str) -> str:
            path = nodeid.partition("::")[0]
            return nodeid if path in SPREAD else path

    return ByFile(config, log)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the files whose tests take longest, with setup and teardown."""
    seconds: defaultdict[str, float] = defaultdict(float)
    for report in chain.from_iterable(terminalreporter.stats.values()):
        if isinstance(report, pytest.TestReport):
            seconds[report.nodeid.partition("::")[0]] += report.duration
    if sum(seconds.values()) > _LONG_RUN:
        terminalreporter.section(f"slowest {_FILES} files")
        for path, taken in sorted(seconds.items(), key=lambda one: -one[1])[:_FILES]:
            terminalreporter.write_line(f"{taken:.0f}s {path}")


@pytest.fixture(autouse=True)
def no_new_words(monkeypatch: pytest.MonkeyPatch) -> None:
    """Print nothing for commands of version 0.2. Tests of the note replace this fixture."""
    monkeypatch.setattr("stcollection.cli.announce", lambda *_: None)


@pytest.fixture(scope="session")
def run_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that all processes of this run of pytest use."""
    folder = tmp_path_factory.getbasetemp()
    return folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder


@pytest.fixture(scope="session")
def locales(run_folder: Path) -> Iterator[Path | None]:
    """A folder with libc's en_US.UTF-8, generated here so that no system setting is needed; None where that cannot be."""
    localedef = shutil.which("localedef", path=f"{os.environ.get('PATH', '')}:/usr/bin:/usr/sbin")
    if localedef is None:
        yield None
        return
    made = run_folder / "en_US.UTF-8"
    make_once(made, lambda: subprocess.run([localedef, "-i", "en_US", "-f", "UTF-8", str(made)], capture_output=True, check=False))
    with tempfile.TemporaryDirectory(prefix="stc-locales-", dir=MEMORY if os.access(MEMORY, os.W_OK) else None) as name:
        folder = Path(name)
        folder.chmod(0o755)  # not in pytest's folder, which is closed to the user that runs the server
        if made.exists():
            shutil.copytree(made, folder / made.name)
        yield folder if made.exists() else None


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory, locales: Path | None, run_folder: Path) -> Iterator[Settings]:
    """Settings that reach the session's server.

    An embedded one has the template database: the first process makes both, the others copy the data of the stopped server.
    """
    dsn = os.environ.get("STC_TEST_DSN")
    if dsn is not None:
        yield Settings(db="postgres", home=tmp_path_factory.mktemp("home"), dsn=dsn)
        return
    if locales is not None:
        os.environ["LOCPATH"] = str(locales)
    with home_folder() as home:
        settings = Settings(db="postgres", home=home, dsn=None)

        def make() -> None:
            start(settings)
            with psycopg.connect(conninfo(settings), autocommit=True) as conn:
                make_template(settings, conn, TEMPLATE)
            EmbeddedServer(home).stop()

        share_home(run_folder / "template", home, make)
        EmbeddedServer(home).ensure()
        yield settings


@pytest.fixture(scope="session")
def made_demo(run_folder: Path, server: Settings) -> Callable[[], Path]:
    """Returns the data of a stopped server with the collection ``demo``; see tests/homes.py."""
    return partial(make_demo, run_folder)


@pytest.fixture(scope="session")
def admin(server: Settings) -> Iterator[psycopg.Connection]:
    with psycopg.connect(conninfo(server, db="postgres"), autocommit=True) as conn:
        yield conn


@pytest.fixture(scope="session")
def template(server: Settings, admin: psycopg.Connection) -> Iterator[str]:
    """The name of a migrated collection without a row."""
    if server.dsn is None:
        yield TEMPLATE
        return
    name = f"{TEMPLATE}_{os.getpid()}"
    make_template(server, admin, name)
    yield name
    admin.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


@pytest.fixture(scope="session")
def databases(server: Settings, admin: psycopg.Connection) -> Iterator[Databases]:
    """Databases on the session's server."""
    made = Databases(server, admin)
    yield made
    made.close()


@pytest.fixture
def start_of(databases: Databases, template: str, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The name of the database that the test's collection is a copy of: empty, or as the world of the test's module fills it."""
    build = world_of(request.module, request.fixturenames)
    return template if build is None else databases.filled(template, build, lambda: tmp_path_factory.mktemp("world"))


@pytest.fixture
def settings(server: Settings, databases: Databases, start_of: str) -> Iterator[Settings]:
    """A collection of the test's own."""
    name = databases.take(start_of)
    yield replace(server, db=name)
    databases.give_back(name)


@pytest.fixture
def dsn(settings: Settings) -> str:
    """The connection string of a collection of the test's own."""
    return conninfo(settings)


@pytest.fixture
def conn(request: pytest.FixtureRequest, databases: Databases, start_of: str) -> Iterator[psycopg.Connection]:
    """An autocommit connection to the test's collection.

    A test that also uses ``dsn`` or ``settings`` has its own database. The other tests of a module share one, and each runs in
    a transaction that is rolled back at the end.
    """
    if {"dsn", "settings"} & set(request.fixturenames):
        with psycopg.connect(pinned(request.getfixturevalue("dsn")), autocommit=True) as connection:
            yield connection
    else:
        with databases.borrow(start_of, reader=request.node.path) as borrowed:
            yield borrowed


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real collections; see CONTRIBUTING.md."""
    folder = Path(os.environ.get("STC_TEST_DATA") or REPOSITORY.parent / "shared" / "data")
    if not folder.is_dir():
        if os.environ.get("CI"):
            pytest.fail(f"the real collections are not in {folder}; CI must have them")
        pytest.skip(f"the real collections are not in {folder}; STC_TEST_DATA names their folder")
    return folder
