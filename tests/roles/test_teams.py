"""What a participant works with: all open data, the runs of their team, and their own tables."""

from __future__ import annotations

from pathlib import Path

import psycopg
import pytest
from click.testing import CliRunner

from stcollection.db.members import Kind
from stcollection.db.settings import Settings
from stcollection.errors import StateError
from stcollection.evaluation.measures import OFFICIAL
from stcollection.evaluation.score import leaderboard, score
from stcollection.qrels.editions import editions
from stcollection.qrels.hiding import elsewhere, hide, release
from stcollection.retrieval.fuse import fuse
from stcollection.runs.listing import drop_runs, runs
from stcollection.runs.load import ImportOptions, import_runs
from tests.groups import qrels, retrieval
from tests.groups import runs as runs_command
from tests.roles.seen import counters, reads, value
from tests.roles.worlds import Login, collection, store_run

pytestmark = pytest.mark.slow

_ = collection
READING = [
    "SELECT * FROM boolean_search('paper', 5)",
    "SELECT * FROM st1_qrels_train",
    "SELECT * FROM st1_queries",
    "SELECT * FROM dblp_authors",
    "SELECT * FROM document_measures",
    "SELECT * FROM stc.credibility_overview",
    "SELECT * FROM stc.complexity_status()",
    "SELECT * FROM edition_overview",
    "SELECT * FROM run_overview",
    "SELECT * FROM rankings",
    "SELECT * FROM stc.corpus_status()",
    "SELECT * FROM ndcg('{}', 'train')",
    "SELECT * FROM scores('{}', 'train', '{map,P_10}')",
    "SELECT * FROM mean_scores('{}', 'train', '{map}')",
    "SELECT * FROM leaderboard('train')",
    "SELECT * FROM evaluate('{base}', 'train')",
    "SELECT * FROM judged_at('{}', 'train', 10)",
    "SELECT * FROM retrieved('{base}', 'a1', 'train')",
    "SELECT * FROM preference_scores('{base}', 'train')",
    "SELECT * FROM stc.edition_judgments('train')",
    "SELECT * FROM compare_runs('train', 'map', '{base}')",
    "SELECT * FROM query_readability('{base}', 10, 'train')",
    "SELECT * FROM stc.text_status()",
    "SELECT * FROM stc.vector_status()",
    "SELECT * FROM stc.edition_queries('train')",
    "SELECT * FROM stc.cut_shares('train')",
    "SELECT * FROM edition_rules('train')",
    "SELECT * FROM verify_editions()",
    "SELECT * FROM stc.answer_overview",
    "SELECT * FROM stc.coverages",
    "SELECT * FROM stc.measure_kinds()",
    "SELECT * FROM stc.search_page('paper', 'boolean')",
]


@pytest.mark.parametrize("kind", ["participant", "reader", "organiser"])
def test_what_is_open_is_read(collection: psycopg.Connection, login: Login, kind: Kind) -> None:
    conn = login(kind)
    refused = []
    for query in READING:
        try:
            conn.execute(query.encode())
        except (psycopg.errors.InsufficientPrivilege, psycopg.errors.UndefinedFunction, psycopg.errors.UndefinedTable) as error:
            refused.append(f"{query}: {error}")
        except psycopg.Error as error:
            if not (error.sqlstate or "").startswith("IR"):
                refused.append(f"{query}: {error}")
    assert refused == []


def test_views_are_read_but_for_those_of_organisers(collection: psycopg.Connection, login: Login) -> None:
    views = [
        row[0]
        for row in collection.execute(
            "SELECT concat(schemaname, '.', viewname) FROM pg_views"
            " WHERE schemaname IN ('public', 'stc', 'stc_all')"
            " AND viewname !~ '^(pg_|bm25)'"
        )
    ]
    closed = {view for view in views if view.startswith("stc_all.")}
    for kind, expected in (("participant", closed), ("reader", closed), ("organiser", set())):
        conn = login(kind)
        refused = set()
        for view in views:
            try:
                conn.execute(f"SELECT * FROM {view}".encode())
            except psycopg.errors.InsufficientPrivilege:
                refused.add(view)
        assert refused == expected, kind


def test_scores_on_an_open_edition_are_everybodys(collection: psycopg.Connection, login: Login) -> None:
    """Recomputed for users who may not read the stored scores, for all runs visible to them."""
    expected = {one.run: str(one.values) for one in leaderboard(collection, edition="train")}
    for kind, seen in (
        ("participant", {"base", "elsewhere", "red1"}),
        ("reader", {"base", "elsewhere"}),
        ("organiser", set(expected)),
    ):
        conn = login(kind)
        assert {one.run: str(one.values) for one in leaderboard(conn, edition="train")} == {run: expected[run] for run in seen}
        assert len(score(conn, edition="train", runs=["base"], measures=OFFICIAL)) == 12 * len(OFFICIAL)


def test_editions_that_are_hidden_are_not_listed(collection: psycopg.Connection, login: Login) -> None:
    assert [one.edition for one in editions(login())] == ["train"]
    assert [(one.edition, one.hidden) for one in editions(login("organiser"))] == [("test", True), ("train", False)]


def test_facets_and_the_filter_for_judged_documents_ignore_hidden_editions(collection: psycopg.Connection, login: Login) -> None:
    facet = "SELECT coalesce(sum(documents), 0) FROM stc.search_facets('paper', 'boolean') WHERE facet = 'judged' AND value = 'yes'"
    filtered = "SELECT count(*) FROM system_search('paper', 'boolean', 1000, NULL, '{\"judged\": true}')"
    judged = (
        "SELECT count(DISTINCT j.doc) FROM qrels_judgments j JOIN system_search('paper', 'boolean', 1000) s ON s.doc = j.doc"
        " WHERE j.rel >= 0"
    )
    seen = {}
    for who in ("participant", "organiser"):
        conn = login() if who == "participant" else login(who)
        seen[who] = value(conn, facet)
        assert seen[who] == value(conn, filtered) == value(conn, judged)
    assert 0 < seen["participant"] < seen["organiser"]


def test_what_is_released_is_seen_and_what_is_hidden_again_is_not(collection: psycopg.Connection, login: Login) -> None:
    organiser, participant = login("organiser"), login()
    rows = collection.execute("SELECT id, rel FROM qrels_judgments ORDER BY id").fetchall()
    version = collection.execute("SELECT version FROM qrels_editions WHERE edition = 'test'").fetchone()
    assert release(organiser, "test")
    assert not release(organiser, "test")
    assert value(participant, "SELECT count(*) FROM qrels_judgments") == len(rows)
    assert value(collection, "SELECT count(*) FROM stc_all.qrels_judgments_hidden") == 0
    assert collection.execute("SELECT released IS NOT NULL, released_by FROM qrels_editions WHERE edition = 'test'").fetchone() == (
        True,
        organiser.info.user,
    )
    assert hide(organiser, "test")
    assert not hide(organiser, "test")
    assert (
        value(
            participant, "SELECT count(*) FROM qrels_judgments WHERE query IN (SELECT id FROM st1_queries WHERE query LIKE 'b%%')"
        )
        == 0
    )
    assert collection.execute("SELECT released FROM qrels_editions WHERE edition = 'test'").fetchone() == (None,)
    assert collection.execute("SELECT id, rel FROM qrels_judgments ORDER BY id").fetchall() == rows
    assert collection.execute("SELECT version FROM qrels_editions WHERE edition = 'test'").fetchone() == version  # the same message


def test_a_sealed_edition_is_hidden_and_released_and_stays_sealed(collection: psycopg.Connection, login: Login) -> None:
    organiser = login("organiser")
    organiser.execute("SELECT seal_edition('train')")
    assert hide(organiser, "train")
    assert value(collection, "SELECT intact FROM verify_editions('train')") is True
    assert release(organiser, "train")
    with pytest.raises(psycopg.Error, match="sealed"):
        organiser.execute("UPDATE qrels_editions SET year = 2020")


def test_hiding_moves_judgments_and_nothing_else_may(collection: psycopg.Connection) -> None:
    for statement in (
        "UPDATE qrels_judgments SET rel = 2",
        "UPDATE qrels_judgments SET hidden = NOT hidden",
        "UPDATE qrels_judgments SET hidden = NOT hidden, rel = 1",
        "UPDATE qrels_judgments SET hidden = hidden",
        "DELETE FROM qrels_judgments",
        "TRUNCATE qrels_judgments",
        "TRUNCATE stc_all.qrels_judgments_hidden",
        "TRUNCATE public.qrels_judgments",
        "INSERT INTO qrels_judgments (edition, query, doc, rel, hidden) SELECT id, 1, 1, 1, NOT hidden FROM qrels_editions",
    ):
        with pytest.raises(psycopg.Error):
            collection.execute(statement.encode())


def test_what_still_tells_of_a_hidden_edition(collection: psycopg.Connection) -> None:
    assert elsewhere(collection, "test") == {}
    collection.execute("SELECT derive_edition('copy', '{test}')")
    assert value(collection, "SELECT hidden FROM qrels_editions WHERE edition = 'copy'") is True
    release(collection, "copy")
    collection.execute("UPDATE st1_queries SET source = 555 WHERE query = 'b5'")
    assert elsewhere(collection, "test") == {"edition": ["copy"], "query": ["b5"]}


def test_what_is_made_of_a_hidden_edition_is_hidden(collection: psycopg.Connection, login: Login) -> None:
    collection.execute("SELECT derive_edition('both', '{train,test}'), stc.kept_edition('kept', 'test')")
    collection.execute("SELECT derive_edition('open', '{train}')")
    assert [one.edition for one in editions(login())] == ["open", "train"]


def test_test_judgments_are_hidden_when_imported(collection: psycopg.Connection, settings: Settings, tmp_path: Path) -> None:
    file = tmp_path / "x.qrels"
    file.write_text("a1 0 d1 2\n")
    for edition, more in (
        ("one", ["--split", "test"]),
        ("two", ["--split", "test", "--no-hide"]),
        ("three", ["--split", "train"]),
        ("four", []),
    ):
        done = CliRunner().invoke(qrels, ["import", str(file), "--edition", edition, *more], obj=settings)
        assert done.exit_code == 0, done.output
    assert [one.edition for one in editions(collection) if one.hidden] == ["one", "test"]
    file.write_text("a2 0 d1 2\n")  # a second file adds to the first
    CliRunner().invoke(qrels, ["import", str(file), "--edition", "one"], obj=settings)
    assert (
        value(
            collection,
            "SELECT count(*) FROM stc_all.qrels_judgments_hidden WHERE edition = stc.edition_key('one')",
        )
        == 2
    )
    assert CliRunner().invoke(qrels, ["release", "one", "--yes"], obj=settings).output == "one: released\n"
    assert CliRunner().invoke(qrels, ["hide", "two"], obj=settings).output.startswith("two: hidden\n")
    assert "hidden" in CliRunner().invoke(qrels, ["editions"], obj=settings).output


def test_runs_of_other_teams_are_not_there(collection: psycopg.Connection, login: Login) -> None:
    red, blue, organiser = login(), login(team="blue"), login("organiser")
    assert [one.run for one in runs(red)] == ["base", "elsewhere", "red1"]
    assert [one.run for one in runs(blue)] == ["base", "blue1", "elsewhere"]
    assert len(runs(organiser)) == 4
    assert [one.run for one in runs(login("reader"))] == ["base", "elsewhere"]
    assert {row[0] for row in red.execute("SELECT DISTINCT run FROM rankings")} == {"base", "red1"}
    organiser.execute("UPDATE st1_runs SET shared = true WHERE run = 'blue1'")
    assert "blue1" in {one.run for one in runs(red)}


def test_no_plan_counts_rankings_of_other_teams(collection: psycopg.Connection, login: Login) -> None:
    red = login()
    key = value(collection, "SELECT id FROM st1_runs WHERE run = 'blue1'")
    [(query, doc)] = collection.execute(
        "SELECT query, doc FROM stc.st1_rankings WHERE run = %s ORDER BY rank DESC LIMIT 1", [key]
    ).fetchall()
    for asked in (
        "SELECT FROM stc.st1_rankings WHERE run = {run} AND query = {query} AND rank = {rank}",
        "SELECT FROM stc.st1_rankings WHERE run = {run}",
    ):
        seen = [
            (
                counters(red, asked.format(run=run, query=query, rank=rank)),
                reads(red, asked.format(run=run, query=query, rank=rank)),
            )
            for run, rank in ((key, 12), (9999, 12))
        ]
        assert {name: rows for name, rows in seen[0][1].items() if name == "st1_rankings"} == {
            name: rows for name, rows in seen[1][1].items() if name == "st1_rankings"
        }
        assert seen[0][0][".Actual Rows"] == seen[1][0][".Actual Rows"] == 0
        assert {one for one in seen[0][0] if "Removed" in one} == {one for one in seen[1][0] if "Removed" in one}
    assert value(red, "SELECT count(*) FROM stc.st1_rankings WHERE query = %s AND doc = %s AND run = %s", query, doc, key) == 0


def test_a_participant_stores_runs_of_the_own_team_alone(collection: psycopg.Connection, login: Login) -> None:
    red = login()
    store_run(red, "mine", None, 5)
    assert value(collection, "SELECT team FROM st1_runs WHERE run = 'mine'") == "red"
    blue = value(collection, "SELECT id FROM st1_runs WHERE run = 'blue1'")
    for statement, sqlstate in (
        ("INSERT INTO st1_runs (run, team) VALUES ('x', 'blue')", "IR410"),
        ("INSERT INTO st1_runs (run) VALUES ('blue1')", "IR202"),
        ("INSERT INTO st1_runs (run, shared) VALUES ('x', true)", "42501"),
        (f"INSERT INTO stc.st1_rankings (run, query, doc, rank, rel_score) VALUES ({blue}, 1, 1, 100, 0)", "42501"),
        ("UPDATE st1_runs SET team = 'red'", "42501"),
        ("UPDATE stc.st1_rankings SET rank = 99", "42501"),
        ("DELETE FROM stc.st1_rankings", "42501"),
        ("DELETE FROM st1_runs", "42501"),
        ("TRUNCATE st1_runs CASCADE", "42501"),
    ):
        with pytest.raises(psycopg.Error) as error:
            red.execute(statement.encode())
        assert error.value.sqlstate == sqlstate, statement
    drop_runs(red, ["mine"])
    with pytest.raises(StateError, match="may not remove the run base") as refused:
        drop_runs(red, ["red1", "base"])
    assert refused.value.sqlstate == "IR410"
    red.execute("SELECT drop_runs('{red1,blue1,base}')")
    assert [row[0] for row in collection.execute("SELECT run FROM st1_runs ORDER BY 1")] == ["base", "blue1", "elsewhere"]
    collection.execute("DELETE FROM stc.stc_members")
    with pytest.raises(psycopg.Error, match="has no team"):
        red.execute("INSERT INTO st1_runs (run) VALUES ('x')")
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        login("reader").execute("INSERT INTO st1_runs (run) VALUES ('x')")


def test_runs_are_imported_made_fused_and_replaced(collection: psycopg.Connection, login: Login, tmp_path: Path) -> None:
    red = login()
    file = tmp_path / "ours.run"
    file.write_text("".join(f"a{n} Q0 d{doc} {rank} {-rank}.0 tag\n" for n in (1, 2) for rank, doc in enumerate((5, 6, 7), 1)))
    [done] = import_runs(red, [file])
    assert done.counts.ranked == 6
    [done] = import_runs(red, [file], name="ours", options=ImportOptions(replace=True))
    with file.open("a") as more:
        more.write("a1 Q0 unheard 4 -4.0 tag\n")
    with pytest.raises(StateError, match=r"ours\.run:7: document unheard is not stored, and .* may not add documents") as error:
        list(import_runs(red, [file], name="more"))
    assert error.value.sqlstate == "IR410"
    assert "--unknown-docs skip" in (error.value.hint or "")
    [done] = import_runs(red, [file], name="more", options=ImportOptions(unknown_documents="skip"))
    assert done.counts.skipped_documents == 1
    file.write_text("unheard Q0 d1 1 1.0 tag\n")
    with pytest.raises(StateError, match="query unheard is not stored") as error:
        list(import_runs(red, [file], name="other", options=ImportOptions(unknown_queries="stub")))
    assert "--unknown-queries skip" in (error.value.hint or "")
    red.execute("SELECT make_run('made', 'boolean')")
    red.execute("SELECT fuse_runs('fused', '{made,base}')")
    red.execute("SELECT combine_run('combined', 'made', '{\"relevance\": 1}')")
    first = value(red, "SELECT id FROM st1_runs WHERE run = 'base'")
    red.execute(
        "SELECT stc.rerank_store('again', %s, %s, %s, %s, '{}')",
        [first, [1], [value(red, "SELECT doc FROM stc.st1_rankings LIMIT 1")], [9.0]],
    )
    with pytest.raises(psycopg.Error, match="there is no run 'blue1'"):
        red.execute("SELECT fuse_runs('f', '{made,blue1}')")
    with pytest.raises(psycopg.Error, match="there is no run 'blue1'"):
        red.execute("SELECT stc.rerank_run('f', 'blue1')")
    teams: dict[str, str | None] = dict(collection.execute("SELECT run, team FROM st1_runs").fetchall())
    assert {teams[run] for run in ("ours", "more", "made", "fused", "combined", "again")} == {"red"}
    [one] = import_runs(collection, [_run_of(tmp_path)], name="staff")
    assert one.counts.ranked == 1
    assert value(collection, "SELECT team FROM st1_runs WHERE run = 'staff'") is None


def _run_of(folder: Path) -> Path:
    file = folder / "staff.run"
    file.write_text("a1 Q0 d1 1 1.0 tag\n")
    return file


def test_the_commands_of_a_participant(
    collection: psycopg.Connection, login: Login, settings: Settings, dsn: str, tmp_path: Path
) -> None:
    one = Settings(db=settings.db, home=settings.home, dsn=f"{dsn} user={login().info.user}")
    done = CliRunner().invoke(retrieval, ["run", "boolean", "--name", "ours"], obj=one)
    assert done.exit_code == 0, done.output
    done = CliRunner().invoke(runs_command, ["export", "ours", "--out", str(tmp_path / "x.run")], obj=one)
    assert done.exit_code == 0, done.output
    done = CliRunner().invoke(runs_command, ["list"], obj=one)
    assert "red" in done.output
    assert "blue" not in done.output


def test_ones_own_tables_are_in_ones_own_schema(collection: psycopg.Connection, login: Login) -> None:
    red, other, organiser = login(), login(), login("organiser")
    red.execute("CREATE TABLE notes AS SELECT id FROM dblp; CREATE VIEW top AS SELECT * FROM rankings WHERE rank = 1")
    assert value(red, "SELECT count(*) FROM notes") == 800
    for conn in (other, organiser):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            conn.execute(f'SELECT * FROM "{red.info.user}".notes'.encode())


def test_answers_of_a_test_split_keep_their_labels(conn: psycopg.Connection, login: Login) -> None:
    for key, split in enumerate(("train", "test"), 1):
        conn.execute("INSERT INTO stc.answer_sets (set, split, hidden) VALUES ('s', %s, %s)", [split, split == "test"])
        conn.execute("INSERT INTO stc.answer_queries (set, place, text, hidden) VALUES (%s, 1, 'q', %s)", [key, split == "test"])
        conn.execute(
            "INSERT INTO stc.answer_documents (query, place, doc_id, url, title, text) VALUES (%s, 1, 'd', 'u', '', '')", [key]
        )
        conn.execute("INSERT INTO stc.answers (query, url, text) VALUES (%s, 'u', 'a'), (%s, 'v', 'b')", [key, key])
        conn.execute("INSERT INTO answer_gold (document, query, hidden) VALUES (%s, %s, %s)", [key, key, split == "test"])
        conn.execute(
            "INSERT INTO answer_pairs (a, b, query, label, hidden) VALUES (%s, %s, %s, 1, %s)",
            [2 * key - 1, 2 * key, key, split == "test"],
        )
    red = login()
    assert red.execute("SELECT count(*), max(query) FROM stc.answer_gold").fetchone() == (1, 1)
    assert red.execute("SELECT count(*), max(query) FROM stc.answer_pairs").fetchone() == (1, 1)
    assert value(red, "SELECT count(*) FROM stc.answers") == 4
    login("organiser").execute("UPDATE stc.answer_sets SET hidden = false")
    assert value(red, "SELECT count(*) FROM stc.answer_pairs") == 2


def test_documents_of_passages_must_be_stored(collection: psycopg.Connection, login: Login) -> None:
    red = login()
    passages = "INSERT INTO dblp (id, docno, doc) VALUES (901, 'd1#1', '{}'), (902, 'd1#2', '{}'), (903, 'd999#1', '{}')"
    collection.execute(passages)
    store_run(red, "whole", "red", {"a1": [901, 902]})
    store_run(red, "more", "red", {"a1": [901, 903]})
    assert fuse(red, runs=["whole"], name="documents", by_document="#").ranked == 1
    with pytest.raises(StateError, match=r"the document d999 of the passage d999#1 is not stored, and .* may not add documents"):
        fuse(red, runs=["more"], name="other", by_document="#")
    assert collection.execute("SELECT count(*) FROM dblp WHERE stub").fetchone() == (0,)
    assert fuse(collection, runs=["more"], name="other", by_document="#").ranked == 2
