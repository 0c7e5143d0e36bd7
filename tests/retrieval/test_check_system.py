"""The check before a search raises the error of the search, and searches nothing."""

from __future__ import annotations

import psycopg
import pytest

from stcollection.errors import StcError, UnknownObject, translate
from stcollection.retrieval import EMBEDDING, SYSTEMS
from stcollection.retrieval.run import check_systems
from stcollection.vectors.queries import notation
from tests.text.documents import build, put
from tests.vectors.worlds import at, put_vectors, vector


def searched(conn: psycopg.Connection, system: str) -> StcError | None:
    """Return the error of a search by a system, or None."""
    try:
        with translate(), conn.transaction():
            given = notation(vector(1)) if system in EMBEDDING else None
            conn.execute("SELECT * FROM system_search('a', %s, 1, %s::vector)", [system, given])
    except StcError as error:
        return error
    return None


def checked(conn: psycopg.Connection, system: str) -> StcError | None:
    try:
        check_systems(conn, [system])
    except StcError as error:
        return error
    return None


@pytest.mark.parametrize("state", ["texts", "indexed", "stale", "titles", "both"])
def test_the_errors_are_those_of_the_search(conn: psycopg.Connection, state: str) -> None:
    put(conn, {1: ("a voice", "It hears."), 2: ("a home", None)})
    if state != "texts":
        build(conn, "portable")
    if state == "stale":
        put(conn, {3: ("new", None)})
    if state in ("titles", "both"):
        put_vectors(conn, title={1: at(0.9), 2: at(0.6)}, abstract={1: at(0.2)} if state == "both" else {})
    lacking = 0
    for system in SYSTEMS:
        wanted, got = searched(conn, system), checked(conn, system)
        assert (wanted and (str(wanted), wanted.hint, wanted.sqlstate)) == (got and (str(got), got.hint, got.sqlstate)), system
        lacking += wanted is not None
    assert 0 < lacking < len(SYSTEMS)


def test_an_unknown_system_and_an_unknown_model(conn: psycopg.Connection) -> None:
    put(conn, {1: ("a", None)})
    with pytest.raises(UnknownObject, match="no system alta"):
        check_systems(conn, ["alta"])
    with pytest.raises(UnknownObject, match="no vectors of a model nope"):
        check_systems(conn, ["bm25"], model="nope")


def test_nothing_is_searched(conn: psycopg.Connection) -> None:
    put(conn, dict.fromkeys(range(1, 301), ("a voice", None)))
    put_vectors(conn, title={doc: at(doc / 400) for doc in range(1, 301)})
    build(conn, "portable")

    def read() -> int:
        [[rows]] = conn.execute(
            "SELECT sum(seq_tup_read + idx_tup_fetch) FROM pg_stat_xact_user_tables WHERE relname IN ('dblp_v', 'dblp_text')"
        ).fetchall()
        return int(rows)

    with conn.transaction():
        before = read()
        check_systems(conn, ["bm25", "rm3", "boolean", "dense-title", "rocchio-title", "hybrid"])
        assert read() - before < 10
