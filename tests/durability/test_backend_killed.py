"""A backend is terminated or a command is killed while it embeds, builds a vector index or stores judged scores.

Each is stopped halfway by a lock of the test, or found halfway with pg_stat_progress_create_index.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict
from psycopg.rows import dict_row

from stcollection.db.connection import conninfo
from stcollection.db.settings import Settings
from stcollection.evaluation.score import leaderboard
from tests.at_once import HEARS, until
from tests.databases import Databases, world
from tests.durability import rivals
from tests.durability.rivals import AGAIN, Command, contents, end, held, held_up, here, others, same, waiting

pytestmark = pytest.mark.slow

ENDED = "terminating connection due to administrator command"
DOCUMENTS = 216  # with a text


busy = world(rivals.busy)


@pytest.fixture
def twin(databases: Databases, template: str, tmp_path: Path, server: Settings) -> Iterator[str]:
    """The dsn of a second such collection, which is not disturbed."""
    name = databases.take(databases.filled(template, rivals.busy, lambda: tmp_path))
    yield conninfo(replace(server, db=name))
    databases.give_back(name)


def named(settings: Settings, dsn: str) -> Settings:
    """Settings of another collection on the same server."""
    return replace(settings, db=str(conninfo_to_dict(dsn)["dbname"]))


def check_indexes(conn: psycopg.Connection) -> None:
    """Check that every index is usable and that no incomplete index remains."""
    assert conn.execute("SELECT indexrelid::regclass FROM pg_index WHERE NOT (indisvalid AND indisready)").fetchall() == []
    assert conn.execute("SELECT relname FROM pg_class WHERE relname ~ '_new$'").fetchall() == []


def statuses(conn: psycopg.Connection) -> list[dict[str, object]]:
    """vector_status without columns that differ between builds."""
    with conn.cursor(row_factory=dict_row) as cursor:
        rows = cursor.execute("SELECT * FROM stc.vector_status()").fetchall()
    return [{name: value for name, value in row.items() if name not in ("built", "bytes")} for row in rows]


class Embedder(Command):
    """``stc vectors embed`` with word counts instead of a model."""

    program = (
        "from importlib import import_module; from tests.vectors.worlds import BagOfWords\n"
        "for one in ('embed', 'queries'):\n"
        "    import_module(f'stcollection.vectors.{one}').load = lambda *_, **__: BagOfWords()\n" + HEARS
    )

    def __init__(self, settings: Settings, folder: Path) -> None:
        super().__init__(
            settings,
            folder,
            "vectors",
            "embed",
            "--field",
            "content",
            "--rows",
            str(PAGE),
            PYTHONPATH=os.pathsep.join(path for path in sys.path if path),
        )


PAGE = 40
LACKING = "SELECT id FROM stc.unembedded('minilm', NULL, 1000, '{content}')"
_OTHER = (
    "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name ~ '^stc vectors embed [[]'"
    " AND pid <> ALL (%s)"
)


@contextmanager
def document_held(conn: psycopg.Connection, doc: int) -> Iterator[None]:
    """An open transaction that locks the vectors of one document."""
    with psycopg.connect(conn.info.dsn, application_name="somebody") as keeper:
        keeper.execute("SELECT FROM dblp_v WHERE id = %s FOR UPDATE", [doc])
        yield
        keeper.rollback()


def end_these(conn: psycopg.Connection, pids: list[int]) -> None:
    """Terminate sessions and wait for their end."""
    assert pids
    conn.execute("SELECT pg_terminate_backend(pid) FROM unnest(%s::integer[]) pid", [pids])
    until(lambda: conn.execute("SELECT count(*) FROM pg_stat_activity WHERE pid = ANY (%s)", [pids]).fetchone() == (0,))


# The victim and the number of pages stored by then; the third page is waiting.
VICTIMS = {"both sessions": 2, "the session that stores": 2, "the session that claims": 3, "the command": 2}


@pytest.mark.parametrize("victim", VICTIMS)
def test_embedding(victim: str, settings: Settings, busy: psycopg.Connection, twin: str, tmp_path: Path) -> None:
    ids = [row[0] for row in busy.execute(LACKING)]
    assert len(ids) == DOCUMENTS
    before = contents(busy)
    with document_held(busy, ids[2 * PAGE + 5]):
        command = Embedder(settings, tmp_path)
        held_up(busy, command)
        stores = waiting(busy)
        claims = [row[0] for row in busy.execute(_OTHER, [stores])]
        assert (len(stores), len(claims)) == (1, 1)
        if victim == "the command":
            command.kill()
        else:
            end_these(busy, {"both sessions": stores + claims, "the session that stores": stores}.get(victim, claims))
    if victim != "the command":
        command.refused(ENDED, AGAIN)
    until(lambda: others(busy) == 0)

    stored = VICTIMS[victim] * PAGE
    assert [row[0] for row in busy.execute("SELECT id FROM dblp_v WHERE content_v IS NOT NULL ORDER BY id")] == ids[:stored]
    assert [row[0] for row in busy.execute(LACKING)] == ids[stored:]
    [[lacking, told, status]] = busy.execute(
        "SELECT stc.count_unembedded('minilm', '{content}'), (SELECT contents FROM stc.model_overview() WHERE model = 'minilm'),"
        "       (SELECT rows_now FROM stc.vector_status() WHERE field = 'content')"
    ).fetchall()
    assert (lacking, told, status) == (DOCUMENTS - stored, stored, stored)
    now = contents(busy)
    assert {**now, "vectors": []} == {**before, "vectors": []}

    assert f"embedded {DOCUMENTS - stored:,} documents" in Embedder(settings, tmp_path).ends().out
    Embedder(named(settings, twin), tmp_path).ends()
    same(busy, twin)
    assert busy.execute(LACKING).fetchall() == []


KINDS = {
    "ivfflat": ("--lists", "1000"),
    "hnsw": ("--kind", "hnsw", "--m", "16", "--ef-construction", "200"),
}
_BUILDING = " FROM pg_stat_progress_create_index WHERE datname = current_database() AND phase LIKE 'building index:%'"
_NEAR = "SELECT array_agg(doc ORDER BY rank) FROM knn((SELECT title_v FROM dblp_v WHERE id = %s), 20, effort => %s)"


def near(conn: psycopg.Connection, effort: int | None) -> list[list[int]]:
    """Results of searches with an effort; 0 is exact."""
    return [list(row[0]) for doc in range(rivals.FIRST, rivals.FIRST + 5) for row in conn.execute(_NEAR, [doc, effort])]


def check_found(conn: psycopg.Connection) -> None:
    """The new index finds the documents that are stored."""
    pairs = list(zip(near(conn, 1000), near(conn, 0), strict=True))
    assert sum(len({*found} & {*exact}) for found, exact in pairs) >= 0.95 * sum(len(exact) for _, exact in pairs)


def cut_off(conn: psycopg.Connection, command: Command, victim: str) -> Command:
    """Wait until a command is blocked, then terminate its session or kill it."""
    held_up(conn, command)
    if victim == "the session":
        end(conn)
        command.refused(ENDED, AGAIN)
    else:
        command.kill()
    return command


@pytest.mark.parametrize("victim", ["the session", "the command"])
@pytest.mark.parametrize("kind", KINDS)
def test_an_index_half_built(
    kind: str, victim: str, settings: Settings, busy: psycopg.Connection, twin: str, tmp_path: Path
) -> None:
    words = ["vectors", "index", "--field", "title", *KINDS[kind]]
    before = contents(busy), statuses(busy), near(busy, None)
    command = Command(settings, tmp_path, *words)

    def reached(what: str) -> bool:
        """Whether the build is halfway."""
        assert command.process.poll() is None, f"it was over before:\n{command.out}\n{command.err}"
        return busy.execute((what + _BUILDING).encode()).fetchone() == (True,)

    if victim == "the session":
        until(lambda: reached("SELECT bool_and(pg_terminate_backend(pid))"))
        command.refused(ENDED, AGAIN)
    else:
        until(lambda: reached("SELECT count(*) > 0"))
        command.kill()
    until(lambda: others(busy) == 0)
    check_indexes(busy)
    assert (contents(busy), statuses(busy), near(busy, None)) == before

    assert "indexed in" in Command(settings, tmp_path, *words).ends().out
    here(twin, *words)
    same(busy, twin)
    check_indexes(busy)
    with psycopg.connect(twin, autocommit=True) as other:
        assert statuses(busy) == statuses(other) != before[1]
    check_found(busy)


@pytest.mark.parametrize("victim", ["the session", "the command"])
def test_an_index_built_and_not_recorded(victim: str, settings: Settings, busy: psycopg.Connection, tmp_path: Path) -> None:
    """The old index is replaced with the new one in a transaction that does not commit."""
    words = ["vectors", "index", "--field", "title", "--lists", "6"]
    before = contents(busy), statuses(busy)
    found = near(busy, None)
    with held(busy, "stc.vector_indexes"):
        cut_off(busy, Command(settings, tmp_path, *words), victim)
    until(lambda: others(busy) == 0)
    check_indexes(busy)
    assert (contents(busy), statuses(busy)) == before
    assert near(busy, None) == found
    Command(settings, tmp_path, *words).ends()
    check_indexes(busy)
    [lists] = [row["lists"] for row in statuses(busy) if row["field"] == "title"]
    assert lists == 6
    check_found(busy)


def test_an_index_that_is_not_valid_is_not_counted(settings: Settings, dsn: str, busy: psycopg.Connection, tmp_path: Path) -> None:
    """CREATE INDEX CONCURRENTLY leaves an invalid index if its session is terminated."""
    found = near(busy, 0)
    words = ["vectors", "index", "--field", "title", "--lists", "5"]
    [[definition]] = busy.execute("SELECT pg_get_indexdef('dblp_v_title_ivfflat'::regclass)").fetchall()
    busy.execute("DROP INDEX dblp_v_title_ivfflat")
    with document_held(busy, rivals.FIRST), psycopg.connect(dsn, autocommit=True) as builds:
        building = threading.Thread(target=_ended, args=[builds, definition.replace("CREATE INDEX", "CREATE INDEX CONCURRENTLY")])
        building.start()
        until(
            lambda: busy.execute("SELECT count(*) FROM pg_stat_progress_create_index WHERE phase ~ '^waiting'").fetchone() == (1,)
        )
        busy.execute("SELECT pg_terminate_backend(%s)", [builds.info.backend_pid])
        building.join()
    assert busy.execute("SELECT indisvalid FROM pg_index WHERE indexrelid = 'dblp_v_title_ivfflat'::regclass").fetchone() == (
        False,
    )

    [title] = [row for row in statuses(busy) if row["field"] == "title"]
    assert title["stale"] is True
    assert str(title["advice"]).endswith("stc vectors index --field title --kind ivfflat")
    with pytest.raises(psycopg.Error, match="have no index"):
        busy.execute("SELECT * FROM audit_vectors('title')")
    assert near(busy, None) == found
    assert "indexed in" in Command(settings, tmp_path, *words).ends().out
    check_indexes(busy)
    [title] = [row for row in statuses(busy) if row["field"] == "title"]
    assert title["stale"] is False


_WAITING = "SELECT count(*) FROM pg_stat_progress_create_index WHERE datname = current_database() AND phase ~ '^waiting'"


def _ended(conn: psycopg.Connection, statement: str) -> None:
    """Run a statement and terminate its session."""
    with suppress(psycopg.errors.AdminShutdown):
        conn.execute(statement.encode())


# By name, not by id.
JUDGED = {
    "runs": "SELECT n.run, e.edition, g.edition_version = e.version, g.run_version = n.version"
    " FROM stc_all.judged_runs g JOIN qrels_editions e ON e.id = g.edition JOIN st1_runs n ON n.id = g.run",
    "queries": "SELECT e.edition, q.query, g.rels, edition_version = e.version"
    " FROM stc_all.judged_queries g JOIN qrels_editions e ON e.id = g.edition JOIN st1_queries q ON q.id = g.query",
    "rankings": "SELECT e.edition, n.run, q.query, retrieved, relevant, grades, irrelevant, pooled FROM stc_all.judged_rankings g"
    " JOIN qrels_editions e ON e.id = g.edition JOIN st1_runs n ON n.id = g.run JOIN st1_queries q ON q.id = g.query",
    "scores": "SELECT e.edition, n.run, q.query, scores FROM stc_all.judged_scores g"
    " JOIN qrels_editions e ON e.id = g.edition JOIN st1_runs n ON n.id = g.run JOIN st1_queries q ON q.id = g.query",
}


def judged(conn: psycopg.Connection) -> dict[str, list[str]]:
    """Stored scores as sorted rows of text."""
    return {
        what: sorted(row[0] for row in conn.execute(f"SELECT t::text FROM ({query}) t".encode())) for what, query in JUDGED.items()
    }


@pytest.mark.parametrize("victim", ["the session", "the command"])
@pytest.mark.parametrize("name", ["leaderboard", "score"])
def test_scoring(name: str, victim: str, settings: Settings, busy: psycopg.Connection, twin: str, tmp_path: Path) -> None:
    new = tmp_path / "more.qrels"
    documents = busy.execute(
        "SELECT docno FROM dblp d WHERE NOT stub AND NOT EXISTS (SELECT FROM qrels_judgments j WHERE j.doc = d.id)"
        " AND EXISTS (SELECT FROM stc.st1_rankings r WHERE r.doc = d.id) ORDER BY docno"
    ).fetchall()
    assert documents
    new.write_text("".join(f"D01.1 0 {docno} 2\n" for (docno,) in documents))
    for dsn in (conninfo(settings), twin):
        here(dsn, "qrels", "import", "--edition", "train", new)
    words = ["evaluation", name, "--edition", "train"]
    before = contents(busy), judged(busy)
    assert before[1]["scores"], "what the edition before gave is stored, and out of date"
    with held(busy, "stc_all.judged_scores"):
        command = cut_off(busy, Command(settings, tmp_path, *words), victim)
    until(lambda: others(busy) == 0)
    assert command.out == ""
    assert (contents(busy), judged(busy)) == before

    undisturbed = Command(named(settings, twin), tmp_path, *words).ends().out
    with busy.transaction():  # a role that may not store scores gets the same numbers
        busy.execute("SET TRANSACTION READ ONLY")
        standings = leaderboard(busy, edition="train")
    with psycopg.connect(twin, autocommit=True) as other:
        assert standings == leaderboard(other, edition="train")
        assert Command(settings, tmp_path, *words).ends().out == undisturbed != ""
        assert judged(busy) == judged(other) != before[1]
    same(busy, twin)
