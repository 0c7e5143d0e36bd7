"""Members score with stored values of editions and runs that they may read. Nothing else of the stored values reaches them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
import pytest

from stcollection.errors import UnknownObject
from stcollection.evaluation.measures import parse_measures
from stcollection.evaluation.score import leaderboard, score
from tests.roles.seen import counters, value
from tests.roles.worlds import Login, collection, edition_id, store_run

pytestmark = pytest.mark.slow

_ = collection
STORED = ("judged_runs", "judged_queries", "judged_rankings", "judged_scores")
OF_RUNS = ("judged_runs", "judged_rankings", "judged_scores")
# Stored measures, computed from stored ranks, and computed from the rankings.
MEASURES = [
    *parse_measures("official"),
    *parse_measures("all_trec"),
    *parse_measures("P(rel=2)@5"),
    *parse_measures("alpha_nDCG@10"),
]
POISON = "UPDATE stc_all.judged_scores SET scores = array_fill(%s::double precision, ARRAY[cardinality(scores)])"


def readable(conn: psycopg.Connection, edition: int) -> dict[str, int]:
    """Return the number of stored rows of an edition in each table that members may read."""
    return {table: value(conn, f"SELECT count(*) FROM stc.{table} WHERE edition = %s", edition) for table in STORED}


def names(conn: psycopg.Connection, table: str) -> set[str]:
    """Return the runs of the stored rows that a role reads, by their names as the owner knows them or as a number."""
    return {str(run) for (run,) in conn.execute(f"SELECT DISTINCT run FROM stc.{table}".encode()).fetchall()}


def of_hidden(conn: psycopg.Connection) -> dict[str, int]:
    """Return the number of rows of hidden editions in each table that members may read, counted by the owner."""
    hidden = "SELECT count(*) FROM stc.{} s JOIN stc_all.qrels_editions e ON e.id = s.edition WHERE e.hidden"
    return {table: value(conn, hidden.format(table)) for table in STORED}


@contextmanager
def forgotten(conn: psycopg.Connection) -> Iterator[None]:
    """Empty the tables of stored values for others, who then compute them."""
    kept = ", ".join(f"stc_all.{table}" for table in STORED)
    conn.execute(f"TRUNCATE {kept}".encode())
    yield
    conn.execute("SELECT judge_runs('{}', e.edition) FROM stc_all.qrels_editions e")


@pytest.mark.parametrize("kind", ["participant", "reader"])
def test_a_member_gets_the_organisers_numbers(collection: psycopg.Connection, login: Login, kind: str) -> None:
    """Stored or not, for all kinds of measures and ways to aggregate."""
    member, organiser = login(kind), login("organiser")
    visible = [run for (run,) in member.execute("SELECT run FROM st1_runs ORDER BY run").fetchall()]
    assert ("red1" in visible, "blue1" in visible) == (kind == "participant", False)

    def numbers(conn: psycopg.Connection) -> str:
        rows = [
            score(conn, runs=visible, edition="train", measures=MEASURES),
            score(conn, runs=visible, edition="train", measures=MEASURES, complete=False),
            leaderboard(conn, "train", runs=visible),
            leaderboard(conn, "train", runs=visible, measures="nDCG(dcg='exp-log2')@10,AP(rel=2)"),
            conn.execute("SELECT * FROM leaderboard('train', %s)", [visible]).fetchall(),
            conn.execute("SELECT * FROM evaluate(%s, 'train', '{5,10}') ORDER BY 1, 2, 3", [visible]).fetchall(),
            conn.execute("SELECT * FROM stc.evaluate_runs(%s, 'train') ORDER BY 1", [visible]).fetchall(),
        ]
        return repr(rows)  # NaN, for measures that were not imported, equals nothing

    theirs = numbers(member)
    assert theirs == numbers(organiser)
    assert [row[0] for row in leaderboard(member, "train")] == [row[0] for row in leaderboard(organiser, "train", runs=visible)]
    with forgotten(collection):
        assert numbers(member) == theirs


def test_a_member_reads_stored_values(collection: psycopg.Connection, login: Login) -> None:
    member = login()
    collection.execute(POISON, [7.0])
    found = member.execute("SELECT DISTINCT run, value FROM scores('{base,red1}', 'train', '{map,P_10}')").fetchall()
    assert sorted(found) == [("base", 7.0), ("red1", 7.0)]
    with forgotten(collection):
        assert member.execute("SELECT FROM scores('{base,red1}', 'train', '{map}') WHERE value > 1").fetchall() == []


@pytest.mark.parametrize(
    "change",
    [
        "INSERT INTO stc_all.qrels_judgments (edition, query, doc, rel, hidden) SELECT e.id, q.id, d.doc, 2, false FROM"
        " qrels_editions e, st1_queries q, stc.st1_rankings d WHERE e.edition = 'train' AND q.query = 'a1' AND d.query = q.id"
        " AND d.run = (SELECT id FROM st1_runs WHERE run = 'red1') AND NOT EXISTS (SELECT FROM qrels_judgments j"
        " WHERE j.query = q.id AND j.doc = d.doc) ORDER BY d.rank LIMIT 1",
        "DELETE FROM stc.st1_rankings r USING st1_runs n WHERE n.id = r.run AND n.run = 'red1' AND r.rank > 2",
    ],
)
def test_a_member_reads_no_outdated_value(collection: psycopg.Connection, login: Login, change: str) -> None:
    member, asked = (
        login(),
        "SELECT run, query, measure, value FROM scores('{red1}', 'train', '{map,P_10,num_ret}') ORDER BY 1, 2, 3",
    )
    before = member.execute(asked.encode()).fetchall()
    collection.execute(change.encode())
    after = member.execute(asked.encode()).fetchall()
    assert after != before
    assert after == collection.execute(asked.encode()).fetchall()
    with forgotten(collection):
        assert member.execute(asked.encode()).fetchall() == after


@pytest.mark.parametrize("kind", ["participant", "reader"])
def test_no_stored_row_of_a_hidden_edition_is_read(collection: psycopg.Connection, login: Login, kind: str) -> None:
    member, hidden = login(kind), edition_id(collection, "test")
    assert value(collection, "SELECT count(*) FROM stc_all.judged_scores WHERE edition = %s", hidden) > 0
    assert readable(member, hidden) == dict.fromkeys(STORED, 0)
    assert of_hidden(collection) == dict.fromkeys(STORED, 0)
    assert min(readable(member, edition_id(collection, "train")).values()) > 0
    for table in STORED:
        for name in (f"stc_all.{table}", f"stc_all.{table}_hidden"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                member.execute(f"SELECT FROM {name}".encode())
    for call in ("scores('{}', 'test', '{map}')", "mean_scores('{}', 'test', '{map}')", "leaderboard('test')"):
        with pytest.raises(psycopg.Error) as error:
            member.execute(f"SELECT * FROM {call}".encode())
        assert error.value.sqlstate == "IR102", call


def test_a_plan_counts_no_stored_row_of_a_hidden_edition(collection: psycopg.Connection, login: Login) -> None:
    """The counts of EXPLAIN ANALYZE are equal with and without stored values of the hidden edition."""
    member, hidden = login(), edition_id(collection, "test")
    probes = [f"SELECT FROM stc.{table} WHERE edition = {hidden}" for table in STORED]

    def plans() -> list[dict[str, float]]:
        member.execute("SET enable_indexscan = off; SET enable_bitmapscan = off; SET enable_indexonlyscan = off")
        return [counters(member, probe) for probe in probes]

    stored = plans()
    collection.execute("DELETE FROM stc_all.judged_runs WHERE edition = %s", [hidden])
    collection.execute("DELETE FROM stc_all.judged_queries WHERE edition = %s", [hidden])
    assert plans() == stored


def test_scoring_a_hidden_edition_writes_no_table_that_members_read(collection: psycopg.Connection) -> None:
    collection.execute("TRUNCATE " + ", ".join(f"stc_all.{table}" for table in STORED))
    written = "SELECT sum(pg_stat_get_xact_tuples_inserted(to_regclass(t)) + pg_stat_get_xact_tuples_deleted(to_regclass(t)))"
    with collection.transaction(force_rollback=True):
        assert value(collection, "SELECT judge_runs('{}', 'test')") == 4
        assert value(collection, f"{written} FROM unnest(%s::text[]) t", [f"stc.{table}" for table in STORED]) == 0
        assert value(collection, f"{written} FROM unnest(%s::text[]) t", [f"stc_all.{table}_hidden" for table in STORED]) > 0
        assert value(collection, "SELECT judge_runs('{}', 'train')") == 4
        assert value(collection, f"{written} FROM unnest(%s::text[]) t", [f"stc.{table}" for table in STORED]) > 0


def test_no_stored_row_of_another_teams_run_is_read(collection: psycopg.Connection, login: Login) -> None:
    member, reader = login(), login("reader")
    keys = {run: str(key) for run, key in collection.execute("SELECT run, id FROM st1_runs").fetchall()}

    def check(red: set[str], all_members: set[str]) -> None:
        for table in OF_RUNS:
            assert names(member, table) == {keys[run] for run in red}, table
            assert names(reader, table) == {keys[run] for run in all_members}, table

    check({"base", "red1", "elsewhere"}, {"base", "elsewhere"})
    collection.execute("UPDATE st1_runs SET shared = true WHERE run = 'blue1'")
    check({"base", "red1", "blue1", "elsewhere"}, {"base", "blue1", "elsewhere"})
    collection.execute("UPDATE st1_runs SET shared = false WHERE run = 'blue1'")
    collection.execute("UPDATE st1_runs SET team = 'blue' WHERE run = 'red1'")
    check({"base", "elsewhere"}, {"base", "elsewhere"})
    collection.execute("DELETE FROM st1_runs WHERE run = 'base'")
    check({"elsewhere"}, {"elsewhere"})
    collection.execute("UPDATE stc.stc_members SET team = 'blue'")
    check({"red1", "blue1", "elsewhere"}, {"elsewhere"})


def test_row_policies_of_stored_values_are_not_switched_off(collection: psycopg.Connection, login: Login) -> None:
    attacker = login()
    attacker.execute("SET row_security = off")
    for table in OF_RUNS:
        with pytest.raises(psycopg.errors.InsufficientPrivilege, match="row-level security"):
            attacker.execute(f"SELECT * FROM stc.{table}".encode())
    attacker.execute("RESET row_security")
    attacker.execute(
        "CREATE FUNCTION told(double precision[]) RETURNS boolean LANGUAGE plpgsql COST 0.0000001 AS"
        " $$ BEGIN RAISE NOTICE 'value %', $1; RETURN true; END $$"
    )
    notices: list[str] = []
    attacker.add_notice_handler(lambda notice: notices.append(notice.message_primary or ""))
    theirs = value(attacker, "SELECT count(*) FROM stc.judged_scores")
    attacker.execute("SELECT FROM stc.judged_scores WHERE told(scores)")
    assert len(notices) == theirs < value(collection, "SELECT count(*) FROM stc.judged_scores")
    for statement in (
        "SELECT * FROM pg_stats WHERE tablename IN ('judged_runs', 'judged_rankings', 'judged_scores')",
        "SELECT * FROM pg_stats WHERE tablename LIKE 'judged%' AND schemaname <> 'stc'",
    ):
        assert attacker.execute(statement.encode()).fetchall() == []


WRITES = (
    "INSERT INTO stc.{} SELECT * FROM stc.{}",
    "UPDATE stc.{} SET edition = edition",
    "DELETE FROM stc.{}",
    "TRUNCATE stc.{}",
    "LOCK TABLE stc.{} IN ROW SHARE MODE",
    "SELECT FROM stc.{} FOR UPDATE",
)


@pytest.mark.parametrize("kind", ["participant", "reader"])
def test_no_member_writes_stored_values(collection: psycopg.Connection, login: Login, kind: str) -> None:
    member = login(kind)
    for table in STORED:
        for statement in WRITES:
            with pytest.raises(psycopg.errors.InsufficientPrivilege), member.transaction():
                member.execute(statement.replace("{}", table).encode())
    assert value(member, "SELECT judge_runs('{}', 'train')") == 0


def test_hiding_an_edition_hides_its_stored_values(collection: psycopg.Connection, login: Login) -> None:
    """At once, by function or UPDATE. A release returns them. No value is computed again."""
    member, organiser = login(), login("organiser")
    train, test = edition_id(collection, "train"), edition_id(collection, "test")
    stored = {table: value(collection, f"SELECT count(*) FROM stc_all.{table}") for table in STORED}
    runs = ["base", "red1"]
    before, theirs = readable(member, train), leaderboard(member, "train", runs=runs)
    fresh = (
        "SELECT count(*) FROM stc_all.judged_runs g JOIN stc_all.qrels_editions e ON e.id = g.edition"
        " AND e.version = g.edition_version"
    )
    current = value(collection, fresh)
    for hide, release in (
        ("SELECT stc.hide_edition('train')", "SELECT stc.release_edition('train')"),
        (
            "UPDATE stc_all.qrels_editions SET hidden = true WHERE edition = 'train'",
            "UPDATE stc_all.qrels_editions SET hidden = false WHERE edition = 'train'",
        ),
    ):
        organiser.execute(hide.encode())
        assert readable(member, train) == dict.fromkeys(STORED, 0)
        assert of_hidden(collection) == dict.fromkeys(STORED, 0)
        assert {table: value(collection, f"SELECT count(*) FROM stc_all.{table}_hidden") for table in STORED} == stored
        with pytest.raises(UnknownObject, match="train"):
            leaderboard(member, "train")
        organiser.execute(release.encode())
        assert readable(member, train) == before
        assert readable(member, test) == dict.fromkeys(STORED, 0)
        assert leaderboard(member, "train", runs=runs) == theirs
        assert value(collection, fresh) == current
    assert {table: value(collection, f"SELECT count(*) FROM stc_all.{table}") for table in STORED} == stored


def test_releasing_an_edition_shows_visible_runs_only(collection: psycopg.Connection, login: Login) -> None:
    member, organiser, test = login(), login("organiser"), edition_id(collection, "test")
    organiser.execute("SELECT stc.release_edition('test')")
    visible = {str(key) for (key,) in member.execute("SELECT id FROM st1_runs").fetchall()}
    for table in OF_RUNS:
        assert names(member, table) == visible, table
    runs = ["base", "red1"]
    assert leaderboard(member, "test", runs=runs) == leaderboard(organiser, "test", runs=runs)
    organiser.execute("SELECT seal_edition('test')")
    assert leaderboard(member, "test", runs=runs) == leaderboard(organiser, "test", runs=runs)
    organiser.execute("SELECT stc.hide_edition('test')")  # a sealed edition can be hidden
    assert readable(member, test) == dict.fromkeys(STORED, 0)


def test_hiding_that_is_rolled_back_shows_as_before(collection: psycopg.Connection, dsn: str, login: Login) -> None:
    """Until the commit, members read the values that they read before; then none."""
    member, train = login(), edition_id(collection, "train")
    before = readable(member, train)
    with psycopg.connect(dsn) as other:
        other.execute("SELECT stc.hide_edition('train')")
        assert readable(member, train) == before
        other.rollback()
        assert readable(member, train) == before
        other.execute("SELECT stc.release_edition('test')")
        assert readable(member, edition_id(collection, "test")) == dict.fromkeys(STORED, 0)
        other.rollback()
        other.execute("SELECT stc.hide_edition('train')")
        other.commit()
    assert readable(member, train) == dict.fromkeys(STORED, 0)


def test_no_mistake_puts_hidden_values_among_visible_ones(collection: psycopg.Connection, login: Login) -> None:
    """The key of an edition contains hidden, so PostgreSQL refuses each of these."""
    organiser, hidden = login("organiser"), edition_id(collection, "test")
    for conn in (collection, organiser):
        for statement in (
            f"INSERT INTO stc.judged_runs SELECT {hidden}, run, false, edition_version, run_version, code, measures"
            " FROM stc_all.judged_runs WHERE hidden",
            f"INSERT INTO stc_all.judged_queries SELECT {hidden}, query, false, edition_version, rels, code FROM"
            " stc_all.judged_queries WHERE hidden",
            "UPDATE stc_all.judged_runs SET hidden = false WHERE hidden",
            "UPDATE stc_all.judged_queries SET hidden = false WHERE hidden",
            "UPDATE stc_all.judged_scores SET hidden = false WHERE hidden",
            "UPDATE stc_all.judged_rankings SET hidden = false WHERE hidden",
        ):
            with pytest.raises((psycopg.errors.ForeignKeyViolation, psycopg.errors.RestrictViolation)):
                conn.execute(statement.encode())
    assert of_hidden(collection) == dict.fromkeys(STORED, 0)


def test_a_role_without_rights_on_stored_values_computes_them(collection: psycopg.Connection, login: Login) -> None:
    """As a role to which an owner of an earlier version granted tables by hand."""
    member = login()
    theirs = leaderboard(member, "train", runs=["base"])
    collection.execute("CREATE ROLE stc_test_by_hand")
    try:
        collection.execute(
            "GRANT USAGE ON SCHEMA stc TO stc_test_by_hand; GRANT SELECT ON ALL TABLES IN SCHEMA public, stc TO stc_test_by_hand"
        )
        collection.execute(POISON, [7.0])
        collection.execute("SET ROLE stc_test_by_hand")
        assert leaderboard(collection, "train", runs=["base"]) != theirs  # it reads them
        collection.execute("RESET ROLE")
        for table in STORED:
            collection.execute(f"REVOKE SELECT ON stc.{table} FROM stc_test_by_hand".encode())
        collection.execute("SET ROLE stc_test_by_hand")
        assert leaderboard(collection, "train", runs=["base"]) == theirs
    finally:
        collection.execute("RESET ROLE")
        collection.execute("DROP OWNED BY stc_test_by_hand; DROP ROLE stc_test_by_hand")


def test_a_run_stored_by_a_member_is_scored_with_the_others(collection: psycopg.Connection, login: Login) -> None:
    """Stored values of some runs, computed values of another: the same as all computed."""
    member = login()
    store_run(member, "red2", None, 9)
    both = leaderboard(member, "train", runs=["red1", "red2"])
    assert value(collection, "SELECT count(*) FROM stc_all.judged_runs g JOIN st1_runs n ON n.id = g.run WHERE n.run = 'red2'") == 0
    with forgotten(collection):
        assert leaderboard(member, "train", runs=["red1", "red2"]) == both
    assert leaderboard(member, "train", runs=["red1", "red2"]) == both
