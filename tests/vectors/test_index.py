"""Indexes of vectors: choice of their kind, size, staleness, recorded parameters."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest
from click.testing import CliRunner

from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, StateError, UnknownObject
from stcollection.vectors.index import Indexed, IndexOptions, index
from tests.databases import world
from tests.groups import vectors
from tests.vectors.worlds import clustered, put_vectors, settings

pytestmark = pytest.mark.slow


def brief(made: list[Indexed]) -> list[tuple[str, int | None, int, int, bool]]:
    return [(one.field, one.lists, one.effort, one.rows, one.built) for one in made]


@world
def filled(conn: psycopg.Connection) -> psycopg.Connection:
    """Store 1,500 title and 600 abstract vectors."""
    table = clustered(1500, seed=1)
    put_vectors(conn, title=dict(enumerate(table)), abstract=dict(enumerate(table[:600])))
    return conn


@pytest.mark.parametrize(
    ("rows", "lists", "probes", "published"),
    [
        (1, 1, 1, (1, 1)),
        (1_499, 1, 1, (1, 1)),
        (3_204, 3, 3, (3, 3)),
        (11_429, 11, 10, (11, 11)),
        (96_448, 96, 10, (96, 65)),
        (144_000, 144, 12, (144, 65)),
        (1_000_000, 1000, 32, (1000, 65)),
        (1_100_000, 1049, 32, (1100, 65)),
        (4_232_520, 2057, 45, (4233, 65)),
        (2_000_000_000, 32768, 181, (32768, 65)),
    ],
)
def test_the_rule(conn: psycopg.Connection, rows: int, lists: int, probes: int, published: tuple[int, int]) -> None:
    rule = "SELECT l, stc.ivfflat_probes(l, %(preset)s) FROM stc.ivfflat_lists(%(rows)s, %(preset)s) l"
    assert conn.execute(rule, {"rows": rows, "preset": None}).fetchone() == (lists, probes)
    assert conn.execute(rule, {"rows": rows, "preset": "published"}).fetchone() == published


def test_an_index_a_field_with_what_it_was_built_from(filled: psycopg.Connection) -> None:
    assert brief(index(filled)) == [("title", 2, 2, 1500, True), ("abstract", 1, 1, 600, True)]
    definitions: dict[str, str] = dict(
        filled.execute("SELECT indexname, indexdef FROM pg_indexes WHERE tablename = 'dblp_v'").fetchall()
    )
    assert definitions.keys() == {"dblp_v_pkey", "dblp_v_title_only", "dblp_v_title_ivfflat", "dblp_v_abstract_ivfflat"}
    assert "USING ivfflat (title_v vector_ip_ops) WITH (lists='2')" in definitions["dblp_v_title_ivfflat"]
    assert filled.execute("SELECT model, field, kind, lists, effort, rows FROM stc.vector_indexes ORDER BY field").fetchall() == [
        ("minilm", "abstract", "ivfflat", 1, 1, 600),
        ("minilm", "title", "ivfflat", 2, 2, 1500),
    ]


def test_a_current_index_is_left_alone(filled: psycopg.Connection) -> None:
    index(filled, options=IndexOptions(lists=8, effort=3))
    before = filled.execute("SELECT oid, relfilenode FROM pg_class WHERE relname LIKE '%ivfflat' ORDER BY oid").fetchall()
    built = filled.execute("SELECT built FROM stc.vector_indexes ORDER BY field").fetchall()
    # Another effort is recorded without building.
    assert brief(index(filled, options=IndexOptions(lists=8, effort=5))) == [
        ("title", 8, 5, 1500, False),
        ("abstract", 8, 5, 600, False),
    ]
    assert filled.execute("SELECT oid, relfilenode FROM pg_class WHERE relname LIKE '%ivfflat' ORDER BY oid").fetchall() == before
    assert filled.execute("SELECT built FROM stc.vector_indexes ORDER BY field").fetchall() == built
    assert filled.execute("SELECT DISTINCT effort FROM stc.vector_indexes").fetchall() == [(5,)]


@pytest.mark.parametrize("change", ["rows", "lists", "gone", "rebuild"])
def test_what_is_not_current_is_built_anew(filled: psycopg.Connection, change: str) -> None:
    index(filled, options=IndexOptions(lists=4))
    if change == "rows":
        put_vectors(filled, title={5000: clustered(1, seed=9)[0]})
    elif change == "gone":
        filled.execute("DROP INDEX dblp_v_title_ivfflat")
    [one] = index(filled, fields=["title"], options=IndexOptions(lists=5 if change == "lists" else 4), rebuild=change == "rebuild")
    assert one.built
    assert one.rows == 1500 + (change == "rows")
    assert filled.execute("SELECT count(*) FROM pg_class WHERE relname LIKE 'dblp_v_title_ivfflat%'").fetchone() == (1,)


def test_the_published_setting(filled: psycopg.Connection) -> None:
    assert brief(index(filled, fields=["title"], options=IndexOptions(preset="published"))) == [("title", 2, 2, 1500, True)]
    assert brief(index(filled, fields=["title"], options=IndexOptions(preset="published", lists=100))) == [
        ("title", 100, 65, 1500, True)
    ]


GB = 2**30


@pytest.mark.parametrize(
    ("rows", "graph", "memory", "sound", "kind", "reason"),
    [
        (1, 2_330, 2 * GB, True, "ivfflat", "fewer than 100,000 vectors"),
        (99_999, 233_000_000, 16 * GB, True, "ivfflat", "fewer than 100,000 vectors"),
        (100_000, 233_000_000, 2 * GB, False, "ivfflat", "before pgvector 0.8.4 a cleaning can damage its indexes"),
        (100_000, 233_000_000, 2 * GB, True, "hnsw", "the graph of 222 MB fits into the 2048 MB that a build may use"),
        (100_000, 2 * GB, 2 * GB, True, "hnsw", "the graph of 2048 MB fits"),
        (100_000, 2 * GB + 1, 2 * GB, True, "ivfflat", "the graph of hnsw takes 2048 MB, more than"),
        (4_963_185, 8 * GB, 11 * GB, True, "hnsw", "the graph of 8192 MB fits into the 11 GB"),
        (4_963_185, 8 * GB, 2 * GB, True, "ivfflat", "the graph of hnsw takes 8192 MB, more than the 2048 MB"),
    ],
)
def test_the_kind_follows_from_the_number_of_vectors_and_memory(
    conn: psycopg.Connection, rows: int, graph: int, memory: int, sound: bool, kind: str, reason: str
) -> None:
    given = [rows, graph, memory, sound]
    [(chosen, why)] = conn.execute("SELECT * FROM stc.vector_index_kind(%s, %s, %s, %s)", given).fetchall()
    assert chosen == kind
    assert reason in why


def test_a_first_index_is_of_the_chosen_kind_and_later_ones_of_the_same(filled: psycopg.Connection) -> None:
    """The choice itself is replaced, because 100,000 vectors take long to index."""

    def made(**options: Any) -> tuple[str, str | None]:
        [one] = index(filled, fields=["title"], options=IndexOptions(**options), rebuild=True)
        assert filled.execute("SELECT kind FROM stc.vector_indexes WHERE field = 'title'").fetchone() == (one.kind,)
        return one.kind, one.reason

    def chosen(kind: str) -> None:
        filled.execute(
            "CREATE OR REPLACE FUNCTION stc.vector_index_kind(rows bigint, graph bigint, memory bigint, sound boolean,"
            f" OUT kind text, OUT reason text) RETURN ('{kind}'::text, format('%s bytes', graph))"
        )

    chosen("hnsw")
    assert made() == ("hnsw", f"{1500 * (1536 + 794)} bytes")
    assert made() == ("hnsw", None)
    chosen("ivfflat")
    assert made() == ("hnsw", "kept from the index before; a first index of 1,500 vectors would be ivfflat")
    assert made(lists=4) == ("ivfflat", None)
    assert made(m=8) == ("hnsw", None)
    assert made(preset="published") == ("ivfflat", None)
    assert made(kind="hnsw", half=True) == ("hnsw", None)
    filled.execute("DELETE FROM stc.vector_indexes")
    assert made(bits=True) == ("ivfflat", f"{1500 * (48 + 794)} bytes")
    filled.execute("DELETE FROM stc.vector_indexes")
    chosen("hnsw")
    assert made(half=True) == ("hnsw", f"{1500 * (768 + 794)} bytes")
    filled.execute("DELETE FROM stc.vector_indexes")
    for wrong in ({"lists": 4, "m": 8}, {"effort": 1001}, {"preset": "published", "m": 8}):
        with pytest.raises(BadArgument):
            made(**wrong)


@pytest.mark.parametrize("kind", ["ivfflat", "hnsw"])
def test_an_index_of_bits_finds_what_an_exact_search_finds(filled: psycopg.Connection, kind: str) -> None:
    """A search compares 700 vectors for the nearest 10: all of these 600."""
    index(filled, fields=["abstract"], options=IndexOptions(kind=kind, bits=True))
    search = "SELECT * FROM knn((SELECT title_v FROM dblp_v WHERE id = %s), 10, 'abstract', effort => %s)"
    for doc in range(1400, 1420):
        assert filled.execute(search, [doc, None]).fetchall() == filled.execute(search, [doc, 0]).fetchall()


@pytest.mark.usefixtures("filled")
def test_the_command_says_which_kind_it_chose_and_why(settings: Settings) -> None:
    first, again, published = (
        CliRunner().invoke(vectors, ["index", "--field", "title", *options], obj=settings)
        for options in ([], [], ["--published", "--rebuild"])
    )
    assert "title: indexed in" in first.stdout
    assert "note: ivfflat for title: fewer than 100,000 vectors" in first.stderr
    assert "the index is up to date" in again.stdout
    assert "note" not in again.stderr + published.stderr
    assert published.exit_code == 0


def test_settings_end_with_the_call(filled: psycopg.Connection) -> None:
    filled.execute("SET maintenance_work_mem = '77MB'")
    before = settings(filled)
    with filled.transaction():
        filled.execute("CALL stc.index_vectors('title')")
        assert settings(filled) == before


def test_an_interrupted_build_leaves_the_old_index(filled: psycopg.Connection, dsn: str) -> None:
    index(filled, options=IndexOptions(lists=4))
    before = filled.execute("SELECT indexrelid FROM pg_stat_user_indexes WHERE indexrelname = 'dblp_v_title_ivfflat'").fetchone()
    with psycopg.connect(dsn) as conn:
        conn.execute("CALL stc.index_vectors('title', lists => 6)")
        conn.rollback()
    after = filled.execute("SELECT indexrelid FROM pg_stat_user_indexes WHERE indexrelname = 'dblp_v_title_ivfflat'").fetchone()
    assert after == before
    assert filled.execute("SELECT lists FROM stc.vector_indexes WHERE field = 'title'").fetchone() == (4,)


def test_a_corpus_without_abstracts_has_one_index(conn: psycopg.Connection) -> None:
    put_vectors(conn, title=dict(enumerate(clustered(10, seed=1))))
    assert [one.field for one in index(conn)] == ["title"]


def test_no_vectors(conn: psycopg.Connection) -> None:
    with pytest.raises(StateError, match="no abstract vectors of minilm") as error:
        index(conn)
    assert error.value.sqlstate == "IR405"


def test_bad_arguments(filled: psycopg.Connection) -> None:
    for wrong in ({"lists": 0}, {"effort": 0}, {"lists": 40_000}, {"preset": "best"}):
        with pytest.raises(BadArgument):
            index(filled, options=IndexOptions(**wrong))
    with pytest.raises(UnknownObject, match="venue") as error:
        index(filled, fields=["venue"])
    assert error.value.sqlstate == "IR106"
    with pytest.raises(UnknownObject, match="no-such") as error:
        index(filled, model="no-such")
    assert error.value.sqlstate == "IR105"


def test_the_memory_a_build_takes(conn: psycopg.Connection) -> None:
    """pgvector refuses to build with too little memory: just below the formula it refuses, with the formula it builds."""
    conn.execute("CREATE TABLE t (v vector(16))")
    conn.execute(
        "INSERT INTO t SELECT l2_normalize((ARRAY(SELECT random() + i FROM generate_series(1, 16)))::real[]::vector)"
        " FROM generate_series(1, 12000) i"
    )
    row = conn.execute("SELECT stc.ivfflat_memory(200, 16) / 1024").fetchone()
    assert row is not None
    build = "CREATE INDEX ON t USING ivfflat (v vector_ip_ops) WITH (lists = 200)"
    conn.execute(f"SET maintenance_work_mem = '{int(row[0] * 0.98)}kB'")
    with pytest.raises(psycopg.Error, match="memory required"):
        conn.execute(build)
    conn.execute(f"SET maintenance_work_mem = '{row[0] + 1}kB'")
    conn.execute(build)


# the search effort of plain statements ----------------------------------------------------------------------------------

IVFFLAT = {"ivfflat.iterative_scan=relaxed_order", "ivfflat.probes=2"}


def database_settings(conn: psycopg.Connection) -> set[str]:
    """Return the settings of the database."""
    rows = conn.execute(
        "SELECT unnest(r.setconfig) FROM pg_db_role_setting r JOIN pg_database d ON d.oid = r.setdatabase"
        " WHERE d.datname = current_database() AND r.setrole = 0"
    )
    return {one for (one,) in rows.fetchall()}


def test_the_database_has_the_highest_effort_of_each_kind(filled: psycopg.Connection) -> None:
    index(filled)
    assert database_settings(filled) == IVFFLAT
    filled.execute("SELECT stc.store_audit('title', 1, 0.99, 10)")
    assert "ivfflat.probes=1" in database_settings(filled)
    index(filled, fields=["abstract"], options=IndexOptions(kind="hnsw", effort=30))
    assert database_settings(filled) == {
        "ivfflat.iterative_scan=relaxed_order",
        "ivfflat.probes=1",
        "hnsw.ef_search=30",
        "hnsw.iterative_scan=strict_order",
    }
    index(filled, fields=["title"], options=IndexOptions(kind="hnsw", effort=20))
    assert database_settings(filled) == {"hnsw.ef_search=30", "hnsw.iterative_scan=strict_order"}


def test_a_dropped_model_takes_its_effort_along(filled: psycopg.Connection) -> None:
    index(filled)
    filled.execute("SELECT stc.add_vector_model('other', 'org/other', 384, 256)")
    filled.execute("INSERT INTO dblp_v_other (id, title_v) SELECT id, title_v FROM dblp_v")
    index(filled, model="other", fields=["title"], options=IndexOptions(lists=40, effort=33))
    assert "ivfflat.probes=33" in database_settings(filled)
    filled.execute("SELECT stc.drop_vector_model('other')")
    assert database_settings(filled) == IVFFLAT


def test_a_setting_of_others_is_kept(filled: psycopg.Connection) -> None:
    name = filled.info.dbname
    filled.execute(f"ALTER DATABASE {name} SET ivfflat.probes = 50".encode())
    index(filled)
    assert database_settings(filled) == {"ivfflat.iterative_scan=relaxed_order", "ivfflat.probes=50"}
    filled.execute(f"ALTER DATABASE {name} SET work_mem = '8MB'".encode())
    filled.execute("SELECT stc.set_search_effort(remove => true)")
    assert database_settings(filled) == {"ivfflat.probes=50", "work_mem=8MB"}
    assert filled.execute("SELECT value FROM stc_all.stc_settings WHERE name = 'search_effort'").fetchall() == []
    filled.execute(f"ALTER DATABASE {name} RESET ivfflat.probes".encode())
    index(filled)
    assert database_settings(filled) == {*IVFFLAT, "work_mem=8MB"}


def test_who_does_not_own_the_database_gets_the_statement(filled: psycopg.Connection) -> None:
    index(filled)
    filled.execute("UPDATE stc.vector_indexes SET effort = 5")
    filled.execute("GRANT SELECT, INSERT, DELETE ON stc_all.stc_settings TO stc_organiser")
    filled.execute("SET ROLE stc_organiser")
    expected = f"ALTER DATABASE {filled.info.dbname} SET ivfflat.probes = '5'"
    assert filled.execute("SELECT stc.set_search_effort()").fetchone() == ([expected],)
    filled.execute("RESET ROLE")
    assert database_settings(filled) == IVFFLAT
    filled.execute(expected.encode())
    assert filled.execute("SELECT stc.set_search_effort()").fetchone() == ([],)
