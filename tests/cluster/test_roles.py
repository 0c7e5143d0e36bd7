"""Roles other than the owner on a distributed collection: the same results, and hidden editions stay hidden on every server."""

from __future__ import annotations

import re
from collections.abc import Iterator

import psycopg
import pytest

from stcollection.db import distribution
from stcollection.db.connection import connect
from stcollection.db.members import add_member
from stcollection.db.settings import Settings
from tests.cluster.conftest import NewDatabase
from tests.cluster.servers import Cluster

_READER, _MEMBER = "cluster_reader", "cluster_member"
_PASSWORD = "only-for-this-test"  # noqa: S105
_SEARCHES = (
    "SELECT * FROM boolean_search('voice', 20)",
    "SELECT * FROM bm25_search('voice river', 20, engine => 'pg_textsearch')",
    "SELECT * FROM rm3_search('voice river', 20)",
    "SELECT * FROM dense_search(qdblp_v_title(10), 20)",
    "SELECT * FROM system_search('voice privacy', 'hybrid', 20)",
    "SELECT * FROM passage_search(qdblp_v_title(10), 20)",
    "SELECT * FROM evaluate('{mine}', 'train')",
    "SELECT * FROM documents ORDER BY docno",
    "SELECT * FROM credibility ORDER BY id",
    """SELECT * FROM boolean_search('voice', 20, '{"judged": "train"}')""",
)
_PRUNING = ("enable_partition_pruning", "constraint_exclusion", "enable_indexscan", "enable_bitmapscan", "enable_indexonlyscan")
_PLAN = "EXPLAIN (ANALYZE, VERBOSE, COSTS OFF, TIMING OFF, SUMMARY OFF, BUFFERS OFF"
_PAIR = "FROM qrels_judgments WHERE doc = 150 AND edition = {edition}"
_ALL = "stc_all.qrels_judgments"
_PROBES = (
    f"{_PLAN}) SELECT {_PAIR}",
    f"{_PLAN}) SELECT j.rel FROM dblp d JOIN qrels_judgments j ON j.doc = d.id WHERE d.id = 150 AND j.edition = {{edition}}",
    f"SELECT result FROM run_command_on_coordinator($${_PLAN}, FORMAT JSON) SELECT {_PAIR}$$)",
    f"SELECT result FROM run_command_on_all_nodes($$SELECT count(*) {_PAIR}$$) ORDER BY nodeid",
    f"SELECT result FROM run_command_on_coordinator('SELECT count(*) FROM {_ALL}_hidden')",
    f"{_PLAN}) SELECT FROM {_ALL}",
    f"SELECT citus_total_relation_size('{_ALL}')",
    f"SELECT citus_add_local_table_to_metadata('{_ALL}')",
    f"SELECT create_reference_table('{_ALL}_hidden')",
)


def _signed_in(dsn: str | None, login: str) -> psycopg.Connection:
    return psycopg.connect(dsn or "", user=login, password=_PASSWORD, autocommit=True)


def _store_run(member: psycopg.Connection, run: str) -> None:
    with member.transaction():
        member.execute("INSERT INTO st1_runs (run, team) VALUES (%s, 'red')", [run])
        member.execute(
            "INSERT INTO stc.st1_rankings (run, query, doc, rank, rel_score) SELECT n.id, q.id, g, g - 195, -g"
            " FROM st1_runs n, st1_queries q, generate_series(196, 215) g WHERE n.run = %s",
            [run],
        )


@pytest.fixture(scope="module")
def settings(filled_collection: NewDatabase) -> Settings:
    """A distributed collection with a hidden edition, and a reader and a participant whose password the servers know."""
    made = filled_collection()
    with connect(made, autocommit=True) as conn:
        conn.execute("INSERT INTO qrels_editions (edition, hidden) VALUES ('secret', true)")
        conn.execute(
            "INSERT INTO qrels_judgments (edition, query, doc, rel, hidden) SELECT e.id, q.id, d.id, 1, true"
            " FROM qrels_editions e, st1_queries q, dblp d WHERE e.edition = 'secret' AND d.id > 200"
        )
        add_member(conn, _MEMBER, kind="participant", team="red", password=_PASSWORD)
        conn.execute("SELECT stc.allow_asks('secret', 3)")
        with _signed_in(made.dsn, _MEMBER) as member:
            _store_run(member, "ours")
            member.execute("SELECT ask_scores('ours', 'secret')")
        distribution.distribute(made, shards=3)
        conn.execute("CALL stc.index_text(engine => 'pg_textsearch')")
        conn.execute(f"CREATE ROLE {_READER} LOGIN PASSWORD '{_PASSWORD}'".encode())
        conn.execute(f"GRANT stc_reader TO {_READER}".encode())
        for setting in _PRUNING:  # also in sessions that Citus opens for her
            conn.execute(f"ALTER ROLE {_MEMBER} SET {setting} = off".encode())
        for login in (_READER, _MEMBER):
            known = f"INSERT INTO pg_dist_authinfo VALUES (0, '{login}', 'password={_PASSWORD}')"
            conn.execute("SELECT run_command_on_all_nodes(%s)", [known])
    return made


@pytest.fixture
def owner(settings: Settings) -> Iterator[psycopg.Connection]:
    with connect(settings, autocommit=True) as conn:
        yield conn


@pytest.fixture
def reader(settings: Settings) -> Iterator[psycopg.Connection]:
    with _signed_in(settings.dsn, _READER) as conn:
        yield conn


@pytest.fixture
def member(settings: Settings) -> Iterator[psycopg.Connection]:
    with _signed_in(settings.dsn, _MEMBER) as conn:
        yield conn


@pytest.mark.parametrize("search", _SEARCHES)
def test_a_reader_finds_what_the_owner_finds(owner: psycopg.Connection, reader: psycopg.Connection, search: str) -> None:
    found = reader.execute(search.encode()).fetchall()
    assert found == owner.execute(search.encode()).fetchall()
    assert found


def test_a_hidden_edition_stays_hidden(reader: psycopg.Connection, owner: psycopg.Connection) -> None:
    assert owner.execute("SELECT count(*) FROM qrels_judgments WHERE hidden").fetchone() == (40,)
    assert reader.execute("SELECT count(*) FROM qrels_judgments WHERE hidden").fetchone() == (0,)
    assert reader.execute("SELECT edition FROM qrels_editions").fetchall() == [("train",)]
    for statement in ("SELECT * FROM evaluate('{mine}', 'secret')", """SELECT filter_docs('{"judged": "secret"}')"""):
        with pytest.raises(psycopg.Error) as error:
            reader.execute(statement.encode())
        assert error.value.sqlstate == "IR102", statement
    # "judged": true counts the open edition only.
    assert reader.execute("""SELECT cardinality(filter_docs('{"judged": true}'))""").fetchone() == (60,)


def test_workers_have_no_judgments(cluster: Cluster, settings: Settings) -> None:
    for node in (1, 2, 3):
        with psycopg.connect(cluster.dsn(settings.db, node=node), user=_READER, password=_PASSWORD, autocommit=True) as conn:
            with pytest.raises(psycopg.errors.UndefinedTable):
                conn.execute("SELECT count(*) FROM public.qrels_judgments")
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                conn.execute("DELETE FROM public.dblp_text")


def test_the_view_that_joins_rankings_fails_for_a_reader(reader: psycopg.Connection) -> None:
    """Citus cannot join documents with tables that have policies; the error is no partial result."""
    with pytest.raises(psycopg.Error):
        reader.execute("SELECT count(*) FROM rankings")
    assert reader.execute("SELECT count(*) FROM stc.st1_rankings").fetchone() == (50,)
    assert reader.execute("SELECT count(*) FROM judgments").fetchone() == (60,)


def test_a_role_that_cannot_log_in_to_workers_gets_an_error(owner: psycopg.Connection) -> None:
    with owner.transaction(force_rollback=True):
        owner.execute("SET LOCAL ROLE stc_reader")
        with pytest.raises(psycopg.Error, match="stc_reader"):
            owner.execute("SELECT * FROM boolean_search('voice', 20)")


def test_requests_from_before_are_scored(owner: psycopg.Connection, member: psycopg.Connection) -> None:
    with pytest.raises(psycopg.Error, match="requesting scores is not possible while") as error:
        member.execute("SELECT ask_scores('ours', 'secret')")
    assert error.value.sqlstate == "IR415"
    assert member.execute("SELECT score_requests()").fetchone() == (1,)
    mean = owner.execute("SELECT round(ndcg::numeric, 2)::float FROM evaluate('{ours}', 'secret')").fetchone()
    assert member.execute("SELECT mean FROM asked_scores('ours', 'secret')").fetchone() == mean


def test_a_participant_drops_runs_of_her_team_only(owner: psycopg.Connection, member: psycopg.Connection) -> None:
    _store_run(member, "late")
    assert member.execute("SELECT drop_runs('{mine,late}')").fetchone() == (1,)
    assert owner.execute("SELECT array_agg(run ORDER BY run) FROM st1_runs").fetchone() == (["mine", "ours"],)


def test_a_login_is_added_to_a_distributed_collection(owner: psycopg.Connection, settings: Settings) -> None:
    add_member(owner, "cluster_late", kind="reader", password=_PASSWORD)
    with _signed_in(settings.dsn, "cluster_late") as late:
        assert late.execute("SELECT count(*) FROM stc.st1_rankings WHERE run = 1").fetchone() == (50,)


def _told(conn: psycopg.Connection, probe: str) -> object:
    """Return the rows or the error of a statement, without the numbers that Citus gives to its plans."""
    try:
        return re.sub(r"\b\d+_\d+\b", "N", str(conn.execute(probe.encode()).fetchall()))
    except psycopg.Error as error:
        return error.sqlstate


def test_a_participant_cannot_count_hidden_pairs(
    cluster: Cluster, settings: Settings, owner: psycopg.Connection, member: psycopg.Connection
) -> None:
    """Without pruning, with functions of Citus and on workers, nothing differs when a pair of the hidden edition is judged."""
    editions: dict[str, int] = dict(owner.execute("SELECT edition, id FROM qrels_editions").fetchall())
    logins = [member, *(_signed_in(cluster.dsn(settings.db, node=node), _MEMBER) for node in (1, 2, 3))]
    differ = {}
    for edition, hidden in (("secret", True), ("train", False)):
        probes = [probe.replace("{edition}", str(editions[edition])) for probe in _PROBES]
        before = [[_told(login, probe) for probe in probes] for login in logins]
        owner.execute(
            "INSERT INTO stc_all.qrels_judgments (edition, query, doc, rel, hidden) SELECT %s, id, 150, 1, %s FROM st1_queries",
            [editions[edition], hidden],
        )
        after = [[_told(login, probe) for probe in probes] for login in logins]
        differ[edition] = [
            (login, probe)
            for login in range(len(logins))
            for probe in range(len(probes))
            if before[login][probe] != after[login][probe]
        ]
    for login in logins[1:]:
        login.close()
    assert differ["secret"] == []
    # The probes do count the pairs of an open edition.
    assert differ["train"] == [(0, 0), (0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 2), (2, 3), (3, 2), (3, 3)]
