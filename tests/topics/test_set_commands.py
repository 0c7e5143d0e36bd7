"""--queries restricts a command to the same queries as naming them one by one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import psycopg
import pytest
from click.testing import CliRunner, Result

from stcollection.analysis.reusability import reusability, unjudged
from stcollection.analysis.systems import query_differences, ranking_changes, system_means
from stcollection.api.collection import Collection
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, StateError, UnknownObject
from stcollection.evaluation.measures import AP, P, nDCG
from stcollection.evaluation.readability import readability
from stcollection.evaluation.score import leaderboard, score
from stcollection.retrieval import batches
from stcollection.retrieval.run import run
from stcollection.studies.coverage.store import select_requests
from stcollection.topics.sets import store_set
from tests.evaluation.conftest import StoreQrels, StoreRun, store_qrels, store_run  # noqa: F401
from tests.groups import Prefixed
from tests.qrels.test_expand import judge
from tests.text.documents import build, put
from tests.vectors.worlds import at, put_vectors, vector

SHORT, LONG = [f"q{at}" for at in range(6)], [f"G01.C{at}" for at in range(4)]
WORDS = ["home", "graph", "people", "door"]
DOCS = [f"d{at}" for at in range(6)]


def ranking(run: int, query: int) -> dict[str, float]:
    return {doc: float((at * (7 + 4 * run) + query * 3) % 11) for at, doc in enumerate(DOCS)}


@pytest.fixture
def edition(conn: psycopg.Connection, store_run: StoreRun, store_qrels: StoreQrels) -> str:  # noqa: F811
    """Ten judged queries, four of them long, and two runs."""
    queries = SHORT + LONG
    name = store_qrels({query: {doc: (at + number) % 3 for at, doc in enumerate(DOCS)} for number, query in enumerate(queries)})
    for system in range(2):
        store_run({query: ranking(system, number) for number, query in enumerate(queries)}, f"run{system}", decoy=False)
    conn.execute("UPDATE st1_queries SET text = query, origin = CASE WHEN query = 'q0' THEN 't5' ELSE 'human' END")
    return name


def invoke(settings: Settings, *words: str) -> Result:
    command = Prefixed(words[0])
    return CliRunner().invoke(command, words[1:], obj=settings)


def printed(settings: Settings, *words: str) -> str:
    done = invoke(settings, *words)
    assert done.exit_code == 0, (done.output, done.exception)
    return done.stdout


EVALUATION = [
    ("evaluation", "score", "--edition", "E"),
    ("evaluation", "score", "--edition", "E", "-q"),
    ("evaluation", "score", "run0", "--edition", "E", "--format", "trec", "-q", "-m", "all_trec"),
    ("evaluation", "leaderboard", "--edition", "E", "-m", "gm_map", "-m", "num_rel_ret", "-m", "nDCG@5"),
    ("analysis", "leaderboard", "--edition", "E", "-m", "AP", "--format", "csv"),
    ("analysis", "compare", "--edition", "E", "-m", "AP"),
]


@pytest.mark.parametrize("words", EVALUATION, ids=" ".join)
def test_a_set_is_the_same_as_its_names(settings: Settings, edition: str, words: tuple[str, ...], tmp_path: Path) -> None:
    command = [edition if word == "E" else word for word in words]
    every, named = printed(settings, *command), printed(settings, *command, "--queries", ",".join(LONG))
    (tmp_path / "ids").write_text("\n".join(LONG))
    printed(settings, "topics", "set", "mine", "type:long")
    assert named != every
    for spec in ("type:long", "long", "G01.*", "mine", f"@{tmp_path / 'ids'}", f"all-{','.join(SHORT)}"):
        assert printed(settings, *command, "--queries", spec) == named
    assert printed(settings, *command, "--queries", "all") == every


def test_python_and_sql_have_the_same_scores(conn: psycopg.Connection, edition: str, settings: Settings) -> None:
    by_query = score(conn, runs=[], edition=edition, measures=[AP, nDCG @ 5])
    found = score(conn, runs=[], edition=edition, measures=[AP, nDCG @ 5], queries="long")
    assert found == [one for one in by_query if one.query in LONG]
    for line in leaderboard(conn, edition=edition, measures=[AP], queries="long"):
        values = [one.value for one in found if one.run == line.run and one.measure == AP]
        assert line.values == pytest.approx([sum(values) / 4])
        assert conn.execute(
            "SELECT map FROM leaderboard(%s, query_set => 'long') WHERE run = %s", [edition, line.run]
        ).fetchone() == (pytest.approx(line.values[0]),)
    joined = conn.execute(
        "SELECT count(*) FROM scores('{}', %s, '{AP}') JOIN query_set('type:long') USING (query)", [edition]
    ).fetchone()
    assert joined == (8,)
    with Collection(settings) as collection:
        for queries in ("long", LONG):
            frame: Any = collection.score(edition=edition, measures=["AP"], per_query=True, queries=queries)
            assert sorted(set(frame["qid"])) == LONG
        assert collection.topics.set("mine", LONG) == (4, False)
        assert collection.topics.queries("mine") == LONG
        assert [one.name for one in collection.topics.sets()] == ["mine"]
        assert len(collection.compare(["run0", "run1"], edition=edition, queries="mine")) == 1
        collection.topics.unset("mine")


def test_readability_of_a_set(conn: psycopg.Connection, edition: str) -> None:
    conn.execute("INSERT INTO st1_complexity_metrics (id, read_tok) SELECT id, 5 FROM dblp ON CONFLICT DO NOTHING")
    for where in (edition, None):
        assert [one.queries for one in readability(conn, edition=where, queries="type:long")] == [4, 4]
        assert [one.queries for one in readability(conn, edition=where)] == [10, 10]


def test_files_are_scored_on_a_set(settings: Settings, tmp_path: Path) -> None:
    """Without a collection: names, patterns and files."""
    queries = SHORT + LONG
    (tmp_path / "e.qrels").write_text(
        "".join(f"{query} 0 {doc} {(at + number) % 3}\n" for number, query in enumerate(queries) for at, doc in enumerate(DOCS))
    )
    for system in range(2):
        lines = (
            f"{query} Q0 {doc} 0 {value} run{system}\n"
            for number, query in enumerate(queries)
            for doc, value in ranking(system, number).items()
        )
        (tmp_path / f"run{system}.txt").write_text("".join(lines))
    (tmp_path / "ids").write_text("\n".join(LONG))
    files = [str(tmp_path / name) for name in ("run0.txt", "run1.txt", "e.qrels")]
    every = json.loads(printed(settings, "score", *files, "-q", "--format", "json"))
    for spec in (",".join(LONG), "G01.C*", "all-q*", f"@{tmp_path / 'ids'}"):
        found = json.loads(printed(settings, "score", *files, "-q", "--format", "json", "--queries", spec))
        assert found == [row for row in every if row["query"] in LONG]
    assert "4 queries" in invoke(settings, "compare", *files, "--queries", "G01.C*").output
    wrong = invoke(settings, "score", *files, "--queries", "q0+G02.*")
    assert "'G02.*'" in str(wrong.exception)


@pytest.mark.parametrize("words", EVALUATION, ids=" ".join)
def test_a_set_that_names_nothing_is_an_error(settings: Settings, edition: str, words: tuple[str, ...]) -> None:
    done = invoke(settings, *(edition if word == "E" else word for word in words), "--queries", "long+lonng")
    assert isinstance(done.exception, UnknownObject)
    assert "'lonng'" in str(done.exception)
    assert "'long'" in (done.exception.hint or "")


def stored(conn: psycopg.Connection, statement: str, name: str) -> list[tuple[Any, ...]]:
    return conn.execute(statement.encode(), [name]).fetchall()


POOLED = (
    "SELECT q.query, d.doc, d.position FROM stc_all.qrels_pool_documents d JOIN stc_all.qrels_pools p ON p.id = d.pool"
    " JOIN st1_queries q ON q.id = d.query WHERE p.pool = %s ORDER BY 1, 3"
)
RANKED = "SELECT query, docno, rank, rel_score FROM rankings WHERE run = %s ORDER BY 1, 3"
JUDGED = "SELECT query, docno, rel, origin FROM stc.edition_judgments(%s)"


def test_a_pool_of_a_set(conn: psycopg.Connection, settings: Settings, edition: str) -> None:
    for name, spec in {"every": "all", "set": "type:long", "names": ",".join(LONG)}.items():
        printed(settings, "qrels", "pool", "make", name, "--depth", "3", "--queries", spec)
    named = stored(conn, POOLED, "names")
    assert sorted({row[0] for row in named}) == LONG
    assert stored(conn, POOLED, "set") == named == [row for row in stored(conn, POOLED, "every") if row[0] in LONG]
    assert isinstance(invoke(settings, "qrels", "pool", "make", "p", "--queries", "lonng").exception, UnknownObject)


EXPORTS = [
    ("qrels", "export", "--edition", "E"),
    ("runs", "export", "run0"),
    ("runs", "export", "run0", "--format", "simpletext", "--depth", "2"),
    ("qrels", "llm", "judge", "--edition", "new", "--model", "m", "--endpoint", "http://localhost:9", "--runs", "all", "--dry-run"),
]


@pytest.mark.parametrize("words", EXPORTS, ids=" ".join)
def test_an_export_and_a_plan_of_a_set(settings: Settings, edition: str, words: tuple[str, ...]) -> None:
    command = [edition if word == "E" else word for word in words]
    every, named = printed(settings, *command), printed(settings, *command, "--queries", ",".join(LONG))
    assert named != every
    assert printed(settings, *command, "--queries", "type:long") == named
    assert isinstance(invoke(settings, *command, "--queries", "lonng").exception, UnknownObject)


def test_a_run_for_a_set(conn: psycopg.Connection, settings: Settings) -> None:
    """In batches, in one statement, and continued after an interruption."""
    put(conn, {doc: (f"voice {WORDS[doc % 4]}", WORDS[doc % 3]) for doc in range(1, 30)})
    queries = {query: WORDS[at % 4] for at, query in enumerate(SHORT + LONG)}
    conn.cursor().executemany("INSERT INTO st1_queries (query, text) VALUES (%s, %s)", list(queries.items()))
    conn.execute("INSERT INTO st1_queries (query) VALUES ('G01.C9')")  # a stub
    build(conn, "portable")
    for name, spec in {"every": "all", "set": "G01.*", "names": ",".join(LONG)}.items():
        assert f"{10 if spec == 'all' else 4} queries" in printed(
            settings, "retrieval", "run", "bm25", "--name", name, "--queries", spec
        )
    named = stored(conn, RANKED, "names")
    assert sorted({row[0] for row in named}) == LONG
    assert stored(conn, RANKED, "set") == named == [row for row in stored(conn, RANKED, "every") if row[0] in LONG]
    with conn.transaction():
        assert run(conn, system="bm25", name="one", queries="type:long").queries == 4
    assert stored(conn, RANKED, "one") == named
    assert conn.execute("SELECT params ->> 'queries' FROM st1_runs WHERE run = 'set'").fetchone() == ("G01.*",)

    def stop(done: int, *_: object) -> None:
        if done == 1:
            raise KeyboardInterrupt

    store_set(conn, "mine", "G01.*")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(batches, "_SECONDS", 0.0)
        with pytest.raises(KeyboardInterrupt):
            run(conn, system="bm25", name="later", queries="mine", progress=stop)
        notes: list[str] = []
        run(conn, system="bm25", name="later", queries="mine", progress=lambda _done, _all, note: notes.append(note))
        assert notes[0] == "later: continuing after 1 of 4 queries"
        with pytest.raises(KeyboardInterrupt):
            run(conn, system="bm25", name="again", queries="mine", progress=stop)
        store_set(conn, "mine", "all-G01.C0")
        run(conn, system="bm25", name="again", queries="mine", progress=lambda _done, _all, note: notes.append(note))
        assert notes[-1] == "again: searching all queries again, because the queries changed"
    assert stored(conn, RANKED, "later") == named
    assert len({row[0] for row in stored(conn, RANKED, "again")}) == 9
    with pytest.raises(StateError, match="no query with a text in the set"):
        run(conn, system="bm25", name="none", queries="G01.C9")


def test_an_expansion_of_a_set(conn: psycopg.Connection, settings: Settings) -> None:
    """The judgments of all queries are copied; neighbours are added for those of the set."""
    put_vectors(conn, title={1: vector(1), 2: at(0.98), 3: at(0.95), 4: vector(0, 1)})
    judge(conn, [("q1", 1, 2, "human"), ("G01.C1", 1, 2, "human"), ("G01.C2", 2, 2, "human"), ("q1", 4, 0, "human")])
    for name, spec in {"every": "all", "set": "topic:T-q1", "names": "G01.C1,G01.C2"}.items():
        printed(settings, "qrels", "expand", "--edition", "train", "--into", name, "--queries", spec)
    every, named = stored(conn, JUDGED, "every"), stored(conn, JUDGED, "names")
    assert named == stored(conn, JUDGED, "set") == [row for row in every if row[0] != "q1" or row[3] == "human"]
    assert len(named) == len(every) - 2


@pytest.mark.parametrize("figure", ["systems", "slopes", "differences", "readable"])
def test_a_figure_of_a_set(conn: psycopg.Connection, edition: str, figure: str, settings: Settings, tmp_path: Path) -> None:
    """The title names the set; the values are those of its queries."""
    conn.execute("UPDATE dblp SET stub = false")
    conn.execute("INSERT INTO st1_complexity_metrics (id, read_tok, textstat_fkgl) SELECT id, 5, id FROM dblp")
    words = ["analysis", "plot", figure, "run0", "run1", "--edition", edition, "-m", "AP", "--out", str(tmp_path / "f.svg")]
    printed(settings, *words, *(["-m", "nDCG@5"] if figure == "slopes" else []), "--queries", "type:long")
    assert "(type:long)" in (tmp_path / "f.svg").read_text()
    values = {one.query: one.value for one in score(conn, runs=["run0"], edition=edition, measures=[AP], queries="long")}
    [shown] = system_means(conn, edition=edition, measure=AP, runs=["run0"], queries="G01.*").scores
    assert list(shown.values) == pytest.approx([values[query] for query in LONG])
    found = query_differences(conn, "run0", "run1", edition=edition, measure=AP, queries="type:long")
    assert sorted(found.queries) == LONG
    slopes = ranking_changes(conn, edition=edition, measures=[AP, nDCG @ 5], queries="type:long").runs
    assert next(one.left for one in slopes if one.run == "run0") == pytest.approx(shown.mean)


@pytest.mark.parametrize("words", [("reusability", "-m", "P@2", "--depth", "2"), ("unjudged", "-m", "P@2")], ids=" ".join)
def test_reusability_of_a_set(settings: Settings, edition: str, words: tuple[str, ...]) -> None:
    command = ["analysis", words[0], "--edition", edition, *words[1:], "--format", "csv"]
    every, named = printed(settings, *command), printed(settings, *command, "--queries", ",".join(LONG))
    assert named != every
    assert printed(settings, *command, "--queries", "type:long") == named
    assert isinstance(invoke(settings, *command, "--queries", "lonng").exception, UnknownObject)


def test_means_of_reusability_are_over_the_set(conn: psycopg.Connection, edition: str) -> None:
    [before] = {
        row.before for row in reusability(conn, edition=edition, measure=P @ 2, depth=2, queries="long") if row.run == "run0"
    }
    assert leaderboard(conn, edition=edition, measures=[P @ 2], runs=["run0"], queries="long")[0].values == pytest.approx([before])
    [bound] = unjudged(conn, edition=edition, measure=P @ 2, runs=["run0"], queries="long")
    assert bound.value == pytest.approx(before)
    assert bound.retrieved == 8


def test_the_coverage_of_a_set(conn: psycopg.Connection, edition: str) -> None:
    assert [one.query for one in select_requests(conn, queries="q0+q2")] == ["q0", "q2"]
    conn.execute("UPDATE st1_queries SET text = NULL WHERE query = 'q0'")
    assert [one.query for one in select_requests(conn, queries="q0+q2")] == ["q2"]
    assert [one.query for one in select_requests(conn)] == LONG
    with pytest.raises(StateError, match="no query of the set 'q0' has a text"):
        select_requests(conn, queries="q0")
    with pytest.raises(BadArgument, match="names of queries and a set"):
        select_requests(conn, names=["q0"], queries="q2")


def test_the_target_of_generated_queries_is_a_set(conn: psycopg.Connection, edition: str) -> None:
    conn.execute("INSERT INTO dblp_text (id, abstract) SELECT id, 'an abstract' FROM dblp ON CONFLICT DO NOTHING")
    target = "SELECT sum(pairs) FROM stc.synth_target(%s, query_set => %s)"
    count = (
        "SELECT count(*) FROM qrels JOIN st1_queries q ON q.id = qrels.query WHERE rel >= 1 AND q.query = ANY (%s) AND edition ="
    )
    for spec, names in {"type:long": LONG, "all": SHORT + LONG}.items():
        [pairs] = conn.execute(target, [edition, spec]).fetchone() or [None]
        assert conn.execute(f"{count} stc.edition_key(%s)".encode(), [names, edition]).fetchone() == (pairs,)
