"""Scores computed elsewhere: importing them, and comparing them with ours."""

from __future__ import annotations

from pathlib import Path

import psycopg
import pytest
from click.testing import CliRunner

from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, BadInput, StateError, UnknownObject
from stcollection.evaluation.compare import compare_output
from stcollection.evaluation.imported import ImportedScores, import_scores, read_families, read_output
from stcollection.evaluation.measures import nDCG
from stcollection.evaluation.preferences import JUDGMENTS
from stcollection.evaluation.score import ScoreRules, leaderboard
from stcollection.qrels.load import JudgmentOptions, import_qrels
from stcollection.qrels.preferences import import_preferences
from stcollection.runs.load import ImportOptions, import_run
from tests.at_once import at_once
from tests.evaluation.conftest import StoreQrels, StoreRun
from tests.groups import evaluation

pytestmark = pytest.mark.slow

ONE = "map                   \tq1\t0.5000\nP_5\tq1\t0.2\nmap\tq2\t-1e-3\nrunid\tall\ttheirs\nnum_q\tall\t2\nmap\tall\t0.25\n"
TWO = "a map q1 0.5\nb map q1 0.25\nb map all 0.25\n"


def imported(conn: psycopg.Connection, tmp_path: Path, text: str, **options: object) -> ImportedScores:
    conn.execute("INSERT INTO qrels_editions (edition) VALUES ('mine'), ('decoy') ON CONFLICT DO NOTHING")
    path = tmp_path / "out"
    path.write_bytes(text.encode())
    return import_scores(conn, path, edition="mine", **options)  # type: ignore[arg-type]


def stored(conn: psycopg.Connection) -> set[tuple[object, ...]]:
    return {
        tuple(row)
        for row in conn.execute(
            "SELECT e.edition, n.run, q.query, s.measure, s.value FROM st1_scores s JOIN qrels_editions e ON e.id = s.edition"
            " JOIN st1_runs n ON n.id = s.run JOIN st1_queries q ON q.id = s.query"
        )
    }


def test_trec_eval_output_becomes_a_run_without_rankings(conn: psycopg.Connection, tmp_path: Path) -> None:
    done = imported(conn, tmp_path, "# theirs\n" + ONE, family="dense")
    assert (done.runs, done.queries, done.scores, done.added, done.aside) == (1, 2, 3, 3, 3)
    assert (done.new_runs, done.new_queries) == (1, 2)
    values = {("mine", "theirs", "q1", "map", 0.5), ("mine", "theirs", "q1", "P_5", 0.2), ("mine", "theirs", "q2", "map", -0.001)}
    assert stored(conn) == values
    assert conn.execute("SELECT run, family, source FROM st1_runs").fetchall() == [("theirs", "dense", str(tmp_path / "out"))]
    done = imported(conn, tmp_path, ONE + ONE)
    assert (done.added, done.unchanged, done.duplicates, done.new_runs, done.new_queries) == (0, 3, 3, 0, 0)
    assert stored(conn) == values


def test_the_format_with_the_system_first(conn: psycopg.Connection, tmp_path: Path) -> None:
    done = imported(conn, tmp_path, TWO, families={"a": "sparse", "nobody": "dense"}, family="other")
    assert (done.runs, done.scores, done.aside, done.new_runs) == (2, 2, 1, 2)
    assert stored(conn) == {("mine", "a", "q1", "map", 0.5), ("mine", "b", "q1", "map", 0.25)}
    assert conn.execute("SELECT run, family FROM st1_runs ORDER BY run").fetchall() == [("a", "sparse"), ("b", "other")]
    done = imported(conn, tmp_path, TWO.replace("map", "Rprec"), run="b")
    assert (done.runs, done.added, done.aside) == (1, 1, 2)


def test_scores_belong_to_one_edition(
    conn: psycopg.Connection, settings: Settings, tmp_path: Path, store_run: StoreRun, store_qrels: StoreQrels
) -> None:
    here, there = store_qrels({"q1": {"a": 1}}), store_qrels({"q1": {"b": 1}})
    ours = store_run({"q1": {"a": 2.0, "b": 1.0}}, decoy=False)
    path = tmp_path / "theirs"
    path.write_text("theirs ndcg_cut_10 q1 0.25\n")
    import_scores(conn, path, edition=here)
    assert {one.run: one.values for one in leaderboard(conn, edition=here, measures=[nDCG @ 10])} == {
        ours: (1.0,),
        "theirs": (0.25,),
    }
    assert [one.run for one in leaderboard(conn, edition=there, measures=[nDCG @ 10])] == [ours]
    assert [one.run for one in leaderboard(conn, edition=there, measures=[nDCG @ 10], runs=["theirs", ours])] == [ours]
    grids = [conn.execute("SELECT run FROM stc.score_grid('{}', %s, 'nDCG@10')", [edition]).fetchall() for edition in (here, there)]
    assert [sorted(run for (run,) in grid) for grid in grids] == [sorted([ours, "theirs"]), [ours]]
    shown = CliRunner().invoke(evaluation, ["leaderboard", "--edition", here, "-m", "nDCG@10", "-m", "AP"], obj=settings).output
    assert [line.split() for line in shown.splitlines()[2:]] == [[ours, "1.0000", "1.0000"], ["theirs", "0.2500", "–"]]


def test_a_different_value_requires_replace(conn: psycopg.Connection, tmp_path: Path) -> None:
    imported(conn, tmp_path, ONE)
    before = stored(conn)
    changed = "new\tq9\t1\n" + ONE.replace("0.5000", "0.6")
    with pytest.raises(BadInput, match=r"out:2: map of run theirs for query q1 is 0.6 here and stored as 0.5") as error:
        imported(conn, tmp_path, changed)
    assert (error.value.sqlstate, "--replace" in (error.value.hint or "")) == ("IR302", True)
    assert stored(conn) == before
    assert conn.execute("SELECT 1 FROM st1_queries WHERE query = 'q9'").fetchone() is None
    done = imported(conn, tmp_path, changed, replace_stored=True)
    assert (done.added, done.replaced, done.unchanged) == (1, 1, 2)
    assert ("mine", "theirs", "q1", "map", 0.6) in stored(conn)


@pytest.mark.parametrize(
    ("text", "message", "sqlstate"),
    [
        ("", r"out: no score found", "IR301"),
        ("map q1\n", r"out:1: 2 columns instead of 3 or 4", "IR301"),
        (ONE + "a map q1 0.5\n", r"out:7: 4 columns instead of 3 as in the other lines", "IR301"),
        (ONE + "map q3 high\n", r"out:7: the value 'high' is not a finite number", "IR301"),
        (ONE + "map q3 nan\n", r"out:7: the value 'nan' is not a finite", "IR301"),
        (ONE + "map q3 1e999\n", r"out:7: the value '1e999' is not a finite", "IR301"),
        (ONE + "map q3 1_0\n", r"out:7: the value '1_0' is not a finite", "IR301"),
        (ONE + "map q1 0.6\n", r"out:7: map of run theirs for query q1 is 0.6 here and 0.5 on line 1", "IR302"),
        ("301 0 FBIS 1\n", r"out:1: '0' is not a measure name", "IR301"),
        ("301 Q0 FBIS 1\n", r"out:1: 'Q0' is not a measure name", "IR301"),
        (ONE + "\0", r"out:7: contains U\+0000", "IR303"),
    ],
)
def test_a_file_is_stored_wholly_or_not_at_all(
    conn: psycopg.Connection, tmp_path: Path, text: str, message: str, sqlstate: str
) -> None:
    with pytest.raises(BadInput, match=message) as error:
        imported(conn, tmp_path, text)
    assert error.value.sqlstate == sqlstate
    assert error.value.hint
    assert stored(conn) == set()
    assert conn.execute("SELECT count(*) FROM st1_runs").fetchone() == (0,)


def test_errors(conn: psycopg.Connection, tmp_path: Path, store_run: StoreRun) -> None:
    with pytest.raises(BadArgument, match="does not name its run") as nameless:
        imported(conn, tmp_path, "map q1 0.5\n")
    assert "--run" in (nameless.value.hint or "")
    with pytest.raises(BadInput, match="no score of c found"):
        imported(conn, tmp_path, TWO, run="c")
    with pytest.raises(StateError, match="no score to store"):
        imported(conn, tmp_path, "runid all x\nmap all 0.5\n")
    with pytest.raises(BadInput, match=r"out:1: query q1 is not stored"):
        imported(conn, tmp_path, ONE, unknown_queries="error")
    store_run({"q1": {"d": 1.0}}, "theirs")
    done = imported(conn, tmp_path, ONE, run="others", unknown_queries="skip")
    assert (done.added, done.skipped_queries, done.new_queries) == (2, 1, 0)
    with pytest.raises(BadArgument, match=r"out:1: run theirs has rankings") as ranked:
        imported(conn, tmp_path, ONE)
    assert "compare-output" in (ranked.value.hint or "")
    with pytest.raises(UnknownObject, match="there is no edition 'yours'"):
        import_scores(conn, tmp_path / "out", edition="yours")
    assert {row[1] for row in stored(conn)} == {"others"}


def test_two_at_once_store_it_once(dsn: str, conn: psycopg.Connection, tmp_path: Path) -> None:
    imported(conn, tmp_path, "map q0 1\n", run="first")
    path = tmp_path / "out"
    path.write_text("".join(f"s{n % 7} map q{n} 0.5\n" for n in range(3000)))
    done: list[ImportedScores] = []

    def run() -> None:
        with psycopg.connect(dsn, autocommit=True) as own:
            done.append(import_scores(own, path, edition="mine"))

    at_once(lambda _: run(), range(2))
    assert sorted(one.added for one in done) == [0, 3000]
    assert len(stored(conn)) == 3001


def test_real_scores_of_35_systems(conn: psycopg.Connection, data: Path) -> None:
    folder = data / "trec-dl/dl23"
    conn.execute("INSERT INTO qrels_editions (edition) VALUES ('dl23')")
    families = read_families(folder / "systems.tsv")
    done = import_scores(conn, folder / "systems.gpt4.ndcgeval", edition="dl23", families=families)
    assert (done.runs, done.queries, done.scores, done.aside) == (35, 82, 28_700, 350)
    counts = conn.execute('SELECT family, count(*) FROM st1_runs GROUP BY 1 ORDER BY family COLLATE "C"').fetchall()
    assert counts == [("GPT", 6), ("Other", 13), ("T5", 8), ("T5+GPT", 8)]
    output = read_output(folder / "systems.gpt4.ndcgeval")
    means = {
        (row[0], row[1]): row[2]
        for row in conn.execute(
            "SELECT n.run, s.measure, avg(s.value) FROM st1_scores s JOIN st1_runs n ON n.id = s.run GROUP BY 1, 2"
        )
    }
    assert {(one.run, one.measure): one.value for one in output.summary} == pytest.approx(means, abs=1.01e-4)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("system\tfamily\na\tx\na\ty\n", r"families:3: a already has the family x"),
        ("system,family\na\n", r"families:2: expected a system and its family"),
        ("system,family\n", r"families: no family found"),
        ("", r"families: no family found"),
    ],
)
def test_families_that_cannot_be_read(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "families").write_text(text)
    with pytest.raises(BadInput, match=message):
        read_families(tmp_path / "families")


@pytest.mark.parametrize(
    ("out", "run", "complete", "least"),
    [("out.test.aq", "results.test", False, 370), ("out.test.aqc", "results.trunc", True, 370)],
)
def test_trec_eval_output_equals_our_values(
    conn: psycopg.Connection, data: Path, out: str, run: str, complete: bool, least: int
) -> None:
    files = data / "trec_eval"
    import_run(conn, files / run, name="run", options=ImportOptions())
    import_qrels(conn, files / "qrels.test", edition="mine")
    found = compare_output(
        conn, files / out, run="run", edition="mine", complete=complete, rules=ScoreRules(version="trec_eval 10")
    )
    assert found.differences == []
    assert found.equal >= least
    assert found.equal + sum(found.uncompared.values()) + found.texts == len((files / out).read_text().splitlines())


def test_trec_eval_output_for_other_judgments_equals_our_values(conn: psycopg.Connection, data: Path) -> None:
    files = data / "trec_eval"
    import_run(conn, files / "prefs.results.test", name="prefs", options=ImportOptions())
    import_run(conn, files / "results.test", name="graded", options=ImportOptions())
    import_preferences(conn, files / "prefs.test", edition="prefs")
    import_qrels(conn, files / "qrels.123", edition="qrels_jg", options=JudgmentOptions(columns="query,annotator,doc,rel"))
    import_qrels(conn, files / "qrels.test", edition="qrels_prefs")
    for judgments in JUDGMENTS:
        found = compare_output(
            conn,
            files / f"out.test.{judgments}",
            run="prefs" if judgments == "prefs" else "graded",
            edition=judgments,
            judgments="qrels_prefs" if judgments == "qrels_prefs" else "prefs",
        )
        assert (found.differences, found.uncompared, found.texts) == ([], {}, 1)


def test_every_difference_is_named(
    conn: psycopg.Connection, settings: Settings, tmp_path: Path, store_run: StoreRun, store_qrels: StoreQrels
) -> None:
    run = store_run({"q1": {"a": 2.0, "b": 1.0}, "q2": {"b": 1.0}, "q3": {"b": 1.0}})
    edition = store_qrels({"q1": {"b": 1}, "q2": {"b": 1, "c": 1}, "q3": {"b": 1}, "q4": {"b": 1}})
    path = tmp_path / "out"
    path.write_text("map q1 0.5000\nmap q2 0.4\nmap q9 1.0\nmap all 0.6667\nnum_q all 3\nmystery q1 7\nrecip_rank q1 .5\n")
    found = compare_output(conn, path, run=run, edition=edition)
    assert (found.equal, found.uncompared) == (4, {"mystery": 1})
    assert {(one.line, one.measure, one.query, one.theirs, one.ours) for one in found.differences} == {
        (2, "map", "q2", "0.4", "0.5"),
        (3, "map", "q9", "1.0", None),
        (None, "map", "q3", None, "1.0000"),
        (None, "recip_rank", "q2", None, "1.0000"),
        (None, "recip_rank", "q3", None, "1.0000"),
    }
    assert len(compare_output(conn, path, run=run, edition=edition, tolerance=0.1).differences) == 4
    complete = compare_output(conn, path, run=run, edition=edition, complete=True)
    assert {one.line for one in complete.differences} == {2, 3, 4, 5, None}  # the means include q4, whose absence is no difference

    arguments = ["compare-output", str(path), "--run", run, "--edition", edition]
    shown = CliRunner().invoke(evaluation, arguments, obj=settings)
    assert shown.exit_code == 1
    assert f"{run}: 4 values equal, 5 different; 1 line not compared: mystery" in shown.output
    path.write_text("map q1 0.5000\nmap q2 0.5000\nmap q3 1.0000\n")
    assert CliRunner().invoke(evaluation, arguments, obj=settings).exit_code == 0
    path.write_text("mystery q1 0.5000\n")
    with pytest.raises(BadInput, match="none of its measures is computed here"):
        compare_output(conn, path, run=run, edition=edition)
    path.write_text("map q1 0.5\n")
    with pytest.raises(UnknownObject, match="there is no run 'nobody'"):
        compare_output(conn, path, run="nobody", edition=edition)
    with pytest.raises(BadArgument, match="tolerance is nan"):
        compare_output(conn, path, run=run, edition=edition, tolerance=float("nan"))


def test_a_geometric_mean_is_compared(
    conn: psycopg.Connection, tmp_path: Path, store_run: StoreRun, store_qrels: StoreQrels
) -> None:
    run = store_run({"q1": {"a": 2.0, "b": 1.0}, "q2": {"b": 1.0}})
    edition = store_qrels({"q1": {"b": 1}, "q2": {"b": 1}})
    path = tmp_path / "out"
    path.write_text("gm_map all 0.7071\nnum_q all 2\n")  # of 1/2 and 1
    found = compare_output(conn, path, run=run, edition=edition)
    assert (found.equal, found.differences, found.uncompared) == (2, [], {})
    path.write_text("gm_map all 0.7500\n")
    [difference] = compare_output(conn, path, run=run, edition=edition).differences
    assert (difference.measure, difference.theirs, difference.ours) == ("gm_map", "0.7500", "0.7071")
