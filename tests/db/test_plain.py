"""Plain SQL dumps load with psql without stcollection, published queries run, and hidden data is omitted."""

from __future__ import annotations

import gzip
import os
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest
from click.testing import CliRunner
from psycopg import sql

from stcollection.db.backup import manifest, programs
from stcollection.db.backup.dump import Dumped
from stcollection.db.backup.plain import dump_plain
from stcollection.db.backup.restore import restore
from stcollection.db.backup.sample import Excerpt, size
from stcollection.db.connection import conninfo
from stcollection.db.sessions import open_session
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, BadInput
from tests.db.conftest import NewName
from tests.db.handed import DOCUMENTS, NEEDED
from tests.groups import db as group
from tests.qrels.test_printed_statements import KNN, VECTOR, VIEW

pytestmark = pytest.mark.slow


@pytest.fixture
def empty(server: Settings, admin: psycopg.Connection) -> Iterator[Settings]:
    """Return an empty database."""
    there = replace(server, db=f"plain_{os.getpid()}")
    admin.execute(sql.SQL("CREATE DATABASE {} TEMPLATE template0 ENCODING 'UTF8'").format(sql.Identifier(there.db)))
    yield there
    admin.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(there.db)))


def load(folder: Path, there: Settings) -> None:
    """Load the files with the documented command."""
    env, dbname = programs.environment(conninfo(there))
    text = b"".join(gzip.decompress(path.read_bytes()) for path in sorted(folder.glob("*.sql.gz")))
    psql = str(Path(programs.find("pg_dump", server=17)).with_name("psql"))
    done = subprocess.run(
        [psql, "-X", "-q", "-v", "ON_ERROR_STOP=1", "-d", dbname, "-f", "-"], input=text, env=env, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr.decode()


def test_psql_loads_it_and_published_queries_run(handed: Settings, empty: Settings, tmp_path: Path) -> None:
    done = dump_plain(handed, tmp_path / "d", jobs=2)
    load(tmp_path / "d", empty)
    tables = (
        "dblp (id, docno, doc)", "dblp_text (id, title, abstract)", "dblp_v (id, title_v, abstract_v)",
        "st1_complexity_metrics (id, textstat_fkgl)", "st1_topics (topic, text, title, article, source, published)",
        "st1_qrels_train (topic, query, doc, rel, origin)", "st1_qrels_train_knn (topic, query, doc, rel, origin)",
    )  # fmt: skip
    queries = (
        "SELECT id FROM dblp_knn_title(qdblp_v_title(7), 10, -0.2)",
        "SELECT q.query, t.title FROM st1_qrels_train q JOIN dblp_text t ON t.id = q.doc WHERE q.rel = 2 ORDER BY 1, 2",
        "SELECT d.doc ->> 'year', count(*) FROM dblp d JOIN st1_complexity_metrics USING (id) WHERE textstat_fkgl < 10"
        " GROUP BY 1 ORDER BY 1",
        "SELECT query, text FROM st1_queries ORDER BY query",
    )
    with open_session(conninfo(empty), autocommit=True) as conn, open_session(conninfo(handed), autocommit=True) as whole:
        for table in tables:
            name, columns = table.split(" ", 1)
            query = f"SELECT {columns.strip('()')} FROM {name} ORDER BY {columns.strip('()').replace(', doc)', ')')}".encode()
            rows = conn.execute(query).fetchall()
            assert rows == whole.execute(query).fetchall() != [], table
            assert done.manifest.tables[name] == len(rows)
        conn.execute("SET ivfflat.probes = 10")
        whole.execute("SET ivfflat.probes = 10")
        for query in map(str.encode, queries):
            assert conn.execute(query).fetchall() == whole.execute(query).fetchall() != []
        assert conn.execute(
            "SELECT count(*) FROM dblp_text WHERE tsv @@ websearch_to_tsquery('english', 'voices computer')"
        ).fetchone() == (sum(1 for n in range(1, DOCUMENTS + 1) if n % 6 == 0),)
        assert conn.execute("SELECT extname FROM pg_extension WHERE extname <> 'plpgsql'").fetchall() == [("vector",)]


def test_the_appendices_run_there_as_printed(handed: Settings, empty: Settings, tmp_path: Path) -> None:
    dump_plain(handed, tmp_path / "d")
    load(tmp_path / "d", empty)
    with open_session(conninfo(empty), autocommit=True) as conn:
        conn.execute("CREATE SCHEMA mine; SET search_path = mine, public")
        for statement in (KNN, VECTOR, VIEW):
            conn.execute(statement.encode())
        conn.execute("SET ivfflat.probes = 10")
        query = "SELECT id FROM {}dblp_knn_title({}qdblp_v_title(7), 10, -0.2)"
        assert (
            conn.execute(query.format("mine.", "mine.").encode()).fetchall()
            == (conn.execute(query.format("public.", "public.").encode()).fetchall())
            != []
        )
        [(judgments,)] = conn.execute("SELECT count(*) FROM public.st1_qrels_train").fetchall()
        assert conn.execute("SELECT count(*) >= %s FROM mine.st1_qrels_train_knn", [judgments]).fetchone() == (True,)
        conn.execute(KNN.replace("CREATE FUNCTION ", "CREATE OR REPLACE FUNCTION public.").encode())


def test_runs_and_foreign_keys(handed: Settings, empty: Settings, tmp_path: Path) -> None:
    dump_plain(handed, tmp_path / "d")
    assert manifest.read(tmp_path / "d")[0].tables["st1_rankings"] == 0  # both runs belong to teams
    dump_plain(handed, tmp_path / "all", with_hidden=True)
    load(tmp_path / "all", empty)
    query = b"SELECT r.run, n.team, r.query, r.doc, r.rank, r.rel_score, r.passage FROM {} r JOIN {} n USING (run) ORDER BY 1, 3, 5"
    with open_session(conninfo(empty)) as conn, open_session(conninfo(handed)) as source:
        there = conn.execute(query.replace(b"{}", b"st1_rankings", 1).replace(b"{}", b"st1_runs")).fetchall()
        assert there == source.execute(query.replace(b"{}", b"rankings", 1).replace(b"{}", b"runs")).fetchall() != []
        judged = conn.execute("SELECT count(*) FROM st1_rankings JOIN st1_qrels_train USING (query, doc)").fetchone()
        assert judged == source.execute("SELECT count(*) FROM rankings JOIN st1_qrels_train USING (query, doc)").fetchone() != (0,)
        for table in ("dblp_text", "dblp_v", "st1_complexity_metrics", "st1_rankings", "st1_qrels_train", "st1_qrels_hidden_1"):
            [(keys,)] = conn.execute(
                "SELECT count(*) FROM pg_constraint WHERE contype = 'f' AND convalidated AND conrelid = %s::regclass"
                " AND confrelid = 'dblp'::regclass",
                [table],
            ).fetchall()
            assert keys == 1, table
        with pytest.raises(psycopg.errors.ForeignKeyViolation):
            conn.execute("DELETE FROM dblp WHERE id = 1")


def test_a_stub_is_written_only_with_what_refers_to_it(
    handed: Settings, new_name: NewName, dumped: Dumped, empty: Settings, tmp_path: Path
) -> None:
    there = new_name()
    restore(there, dumped.folder)
    with open_session(conninfo(there), autocommit=True) as conn:
        conn.execute("INSERT INTO dblp (id, docno, doc, stub) SELECT n, 's' || n, '{}', true FROM generate_series(901, 903) n")
        for edition, doc in (("open", 901), ("test", 902)):
            conn.execute(
                "INSERT INTO stc_all.qrels_judgments (edition, query, doc, rel, hidden) SELECT id, 1, %s, 1, hidden"
                " FROM stc_all.qrels_editions WHERE edition = %s",
                [doc, edition],
            )
    for hidden, stubs in ((False, [(901,)]), (True, [(901,), (902,)])):
        dump_plain(there, tmp_path / f"d{hidden}", with_hidden=hidden)
        text = gzip.decompress((tmp_path / f"d{hidden}" / "01_dblp.sql.gz").read_bytes())
        assert [doc for doc in (901, 902, 903) if b"\ts%d\t" % doc in text] == [one for (one,) in stubs]


def test_what_is_hidden_is_left_out(handed: Settings, empty: Settings, tmp_path: Path) -> None:
    done = dump_plain(handed, tmp_path / "d")
    text = b"".join(gzip.decompress(path.read_bytes()) for path in sorted((tmp_path / "d").glob("*.sql.gz")))
    assert b"hidden" not in text
    assert "test" not in done.manifest.editions
    whole = dump_plain(handed, tmp_path / "all", with_hidden=True)
    load(tmp_path / "all", empty)
    with open_session(conninfo(empty)) as conn, open_session(conninfo(handed)) as source:
        assert conn.execute("SELECT query, doc, rel FROM st1_qrels_hidden_1 WHERE edition = 'test' ORDER BY 1, 2").fetchall() == (
            source.execute(
                "SELECT q.query, j.doc, j.rel FROM qrels j JOIN st1_queries q ON q.id = j.query"
                " JOIN qrels_editions e ON e.id = j.edition WHERE e.edition = 'test' ORDER BY 1, 2"
            ).fetchall()
        )
    assert whole.manifest.tables["st1_qrels_hidden_1"] == 40
    # The source document of a generated query is a judgment too.
    assert b"G1\t\\N\tgenerated\tt5\n" in text


def test_plain_sql_of_a_sample(handed: Settings, empty: Settings, tmp_path: Path) -> None:
    dump_plain(handed, tmp_path / "d", part=Excerpt(size("3")))
    load(tmp_path / "d", empty)
    with open_session(conninfo(empty)) as conn:
        assert conn.execute("SELECT count(*) FROM dblp WHERE NOT stub").fetchone() == (len(NEEDED) + 3,)


def test_half_precision_is_kept(dumped: Dumped, new_name: NewName, empty: Settings, tmp_path: Path) -> None:
    there = new_name()
    restore(there, dumped.folder)
    query = b"SELECT id, title_v::text FROM dblp_v ORDER BY id"
    with open_session(conninfo(there), autocommit=True) as source:
        source.execute("SELECT stc.convert_vectors('minilm', half => true)")
        dump_plain(there, tmp_path / "d")
        expected = source.execute(query).fetchall()
    load(tmp_path / "d", empty)
    with open_session(conninfo(empty), autocommit=True) as conn:
        assert conn.execute("SELECT DISTINCT pg_typeof(title_v)::text FROM dblp_v WHERE title_v IS NOT NULL").fetchall() == [
            ("halfvec",)
        ]
        assert conn.execute(query).fetchall() == expected
        conn.execute("SET ivfflat.probes = 10")
        assert conn.execute("SELECT id FROM dblp_knn_title(qdblp_v_title(7), 10, -0.2)").fetchall()[0] == (7,)
        assert conn.execute("SELECT count(*) FROM pg_indexes WHERE indexdef LIKE '%halfvec_ip_ops%'").fetchone() == (2,)


def test_plain_sql_is_not_restored(handed: Settings, new_name: NewName, tmp_path: Path) -> None:
    dump_plain(handed, tmp_path / "d")
    said, _ = manifest.read(tmp_path / "d")
    manifest.verify(tmp_path / "d", said, jobs=1)
    with pytest.raises(BadInput, match="plain SQL") as error:
        restore(new_name(), tmp_path / "d")
    assert "psql" in str(error.value.hint)


def test_the_command(handed: Settings, tmp_path: Path) -> None:
    done = CliRunner().invoke(group, ["dump", str(tmp_path / "d"), "--plain"], obj=handed)
    assert done.exit_code == 0, done.output
    assert "the edition test is hidden: omitted" in done.output
    wrong = CliRunner().invoke(group, ["dump", str(tmp_path / "e"), "--with-hidden"], obj=handed)
    assert isinstance(wrong.exception, BadArgument)
