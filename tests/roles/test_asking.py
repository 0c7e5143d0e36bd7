"""Score requests on a hidden edition are counted on commit, rounded, and cover a whole run only."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import psycopg
import pytest
from click.testing import CliRunner

from stcollection.db.settings import Settings
from stcollection.errors import StateError
from stcollection.evaluation.asks import ask, hidden
from tests.groups import evaluation, qrels
from tests.roles.seen import reads, value
from tests.roles.worlds import QUERIES, Login, collection, ranking, store_run

pytestmark = pytest.mark.slow

_ = collection
RUN = 20  # documents per query


@pytest.fixture
def asker(collection: psycopg.Connection, login: Login) -> psycopg.Connection:
    """A participant of red, allowed three requests on test."""
    login("organiser").execute("SELECT stc.allow_asks('test', 3, '{ndcg_cut_10,recip_rank}')")
    return login()


def left(conn: psycopg.Connection) -> int:
    [one] = hidden(conn)
    assert one.left is not None
    return one.left


def true_means(collection: psycopg.Connection, run: str, measures: Sequence[str] = ("ndcg_cut_10", "recip_rank")) -> list[float]:
    rows = collection.execute("SELECT measure, value FROM mean_scores(%s, 'test', %s)", [[run], list(measures)]).fetchall()
    means: dict[str, float] = dict(rows)
    return [means[name] for name in measures]


def test_means_are_those_that_an_organiser_computes_rounded(collection: psycopg.Connection, asker: psycopg.Connection) -> None:
    told, asks = ask(asker, "red1", edition="test")
    assert [one.mean for one in told] == [round(one, 2) for one in true_means(collection, "red1")]
    assert asks == left(asker) == 2
    assert all(0 < one.mean < 1 for one in told)
    again, asks = ask(asker, "red1", edition="test")  # the same unchanged run: counted once
    assert (again, asks) == (told, 2)


def test_what_is_rolled_back_is_not_told(collection: psycopg.Connection, asker: psycopg.Connection) -> None:
    def refused() -> None:
        with pytest.raises(psycopg.Error) as error, asker.transaction():
            asker.execute("SELECT * FROM asked_scores('red1', 'test')")
        assert error.value.sqlstate == "IR405"

    with asker.transaction(force_rollback=True):
        asker.execute("SELECT ask_scores('red1', 'test')")
        refused()
    refused()
    with asker.transaction(force_rollback=True):  # a released savepoint in a transaction that is rolled back
        with asker.transaction():
            asker.execute("SELECT ask_scores('red1', 'test')")
        refused()
    with asker.transaction(force_rollback=True), pytest.raises(psycopg.Error), asker.transaction():  # nor with a single query
        asker.execute(
            "WITH a AS MATERIALIZED (SELECT ask_scores('red1', 'test')) SELECT t.* FROM a, asked_scores('red1', 'test') t"
        )
    with asker.transaction(force_rollback=True):
        asker.execute("DO $$ BEGIN PERFORM ask_scores('red1', 'test'); EXCEPTION WHEN OTHERS THEN NULL; END $$")
        refused()
    assert left(asker) == 3
    with asker.transaction(), pytest.raises(StateError, match="inside a transaction"):
        ask(asker, "red1", edition="test")


def test_no_step_of_a_request_reads_what_depends_on_labels(collection: psycopg.Connection, asker: psycopg.Connection) -> None:
    """A run of judged documents and a run of unjudged documents read the same number of rows."""
    runs = ("good", "bad")
    for run, first in zip(runs, (1, 17), strict=True):
        store_run(asker, run, None, {f"b{n}": [400 + 30 * n + first + at for at in range(10)] for n in range(1, QUERIES + 1)})
    ask(asker, "red1", edition="test")  # the first request of a team creates its row in ask_counts
    seen = []
    for run in runs:
        steps = (f"SELECT ask_scores('{run}', 'test')", "SELECT score_requests()", f"SELECT * FROM asked_scores('{run}', 'test')")
        rows = []
        for step in steps:
            rows.append({table: number for table, number in reads(asker, step).items() if not table.startswith("ask_")})
            asker.execute(step.encode())
        seen.append(rows)
    assert seen[0] == seen[1]
    _, scoring, reading = seen[0]
    assert scoring["qrels_judgments_hidden"] >= QUERIES * 16  # all of them, regardless of the documents in the run
    assert not {table for table in reading if "judg" in table or "ranking" in table}
    assert [[mean for _, mean, _ in asker.execute("SELECT * FROM asked_scores(%s, 'test')", [run])] for run in runs] == [
        [round(one, 2) for one in true_means(collection, run)] for run in runs
    ]


def test_asks_are_as_many_as_are_allowed_also_at_once(
    collection: psycopg.Connection, asker: psycopg.Connection, login: Login
) -> None:
    for number in range(6):
        store_run(asker, f"r{number}", None, number + 50)
    done: list[object] = []

    def one(conn: psycopg.Connection, run: str) -> None:
        try:
            done.append(ask(conn, run, edition="test"))
        except StateError as error:
            done.append(error.sqlstate)

    people = [login() for _ in range(6)]  # for all of red
    threads = [threading.Thread(target=one, args=(conn, f"r{number}")) for number, conn in enumerate(people)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [one for one in done if one == "IR411"] == ["IR411"] * 3
    assert len(done) == 6
    assert left(asker) == 0
    assert left(login(team="blue")) == 3
    with pytest.raises(StateError, match="has used all its 3 requests") as error:
        ask(asker, "red1", edition="test")
    assert "stay available" in (error.value.hint or "")


def test_a_run_of_less_than_ten_documents_for_each_query_is_refused(
    collection: psycopg.Connection, asker: psycopg.Connection
) -> None:
    collection.execute(
        "INSERT INTO dblp (id, docno, doc, stub) SELECT 5000 + g, 's' || g, '{}', true FROM generate_series(1, 10) g"
    )
    whole = {query: docs[:10] for query, docs in ranking(77).items() if query.startswith("b")}
    short = {
        "one": {"b5": [555]},
        "nine": {**whole, "b3": whole["b3"][:9]},
        "lacks": {q: d for q, d in whole.items() if q != "b12"},
        "stubs": {**whole, "b7": [*whole["b7"][:1], *range(5001, 5010)]},
    }
    for run, docs in short.items():
        store_run(asker, run, None, docs)
        with pytest.raises(StateError, match=r"fewer than ten documents of the corpus for \d+ of the 12 queries") as error:
            ask(asker, run, edition="test")
        assert error.value.sqlstate == "IR412"
    assert left(asker) == 3
    store_run(asker, "whole", None, whole)
    assert len(ask(asker, "whole", edition="test")[0]) == 2


def test_what_is_changed_after_asking_changes_nothing(collection: psycopg.Connection, asker: psycopg.Connection) -> None:
    true = [round(one, 2) for one in true_means(collection, "red1")]
    asker.execute("SELECT ask_scores('red1', 'test')")
    asker.execute("SELECT drop_runs('{red1}')")
    store_run(asker, "red1", None, 99)
    with pytest.raises(psycopg.Error, match="not scored yet") as error:
        asker.execute("SELECT * FROM asked_scores('red1', 'test')")
    assert error.value.sqlstate == "IR405"
    asker.execute("SELECT score_requests()")  # the copy, not the current run of that name
    assert [row[1] for row in asker.execute("SELECT * FROM asked_scores('red1', 'test')")] == true
    told, asks = ask(asker, "red1", edition="test")
    assert asks == 1
    asker.execute(
        "INSERT INTO stc.st1_rankings (run, query, doc, rank, rel_score) SELECT k.run, k.query, 799, 13, -13"
        " FROM stc.st1_rankings k"
        " JOIN st1_runs n ON n.id = k.run JOIN st1_queries q ON q.id = k.query WHERE n.run = 'red1' AND k.rank ="
        " 1"
    )
    assert [row[1] for row in asker.execute("SELECT * FROM asked_scores('red1', 'test')")] == [one.mean for one in told]
    collection.execute(
        "INSERT INTO qrels_judgments (edition, query, doc, rel, hidden) SELECT e.id, q.id, 790, 2, true FROM qrels_editions"
        " e, st1_queries q"
        " WHERE e.edition = 'test' AND q.query = 'b1'"
    )
    assert [row[1] for row in asker.execute("SELECT * FROM asked_scores('red1', 'test')")] == [one.mean for one in told]


def test_a_run_that_is_again_as_it_was_is_free(collection: psycopg.Connection, asker: psycopg.Connection) -> None:
    first, _ = ask(asker, "red1", edition="test")
    asker.execute("SELECT drop_runs('{red1}')")
    store_run(asker, "red1", None, 99)
    second, asks = ask(asker, "red1", edition="test")
    assert ([one.mean for one in first] != [one.mean for one in second], asks) == (True, 1)
    asker.execute("SELECT drop_runs('{red1}')")
    store_run(asker, "red1", None, 2)
    again, asks = ask(asker, "red1", edition="test")
    assert ([one.mean for one in again], asks) == ([one.mean for one in first], 1)
    collection.execute(
        "INSERT INTO qrels_judgments (edition, query, doc, rel, hidden) SELECT e.id, q.id, 790, 2, true FROM qrels_editions e,"
        " st1_queries q WHERE e.edition = 'test' AND q.query = 'b1'"
    )
    assert ask(asker, "red1", edition="test")[1] == 0  # changed judgments: a new request


def test_runs_that_differ_in_one_document_far_down_are_told_alike(
    collection: psycopg.Connection, asker: psycopg.Connection
) -> None:
    """An exact mean would reveal the label of that document; a rounded mean does not."""
    base = {query: docs for query, docs in ranking(2, RUN).items() if query.startswith("b")}
    base["b5"] = [one for one in base["b5"] if one not in (552, 571)][:9]
    labels: dict[int, int] = dict(
        collection.execute("SELECT doc, rel FROM qrels_judgments j JOIN st1_queries q ON q.id = j.query WHERE q.query = 'b5'")
    )
    best = max((doc for doc in labels if doc not in base["b5"]), key=lambda doc: labels[doc])
    assert labels[best] == 2
    for run, last in (("with", best), ("without", 571)):
        store_run(asker, run, None, {**base, "b5": [*base["b5"], last]})
    exact = [true_means(collection, run)[0] for run in ("with", "without")]
    assert exact[0] != exact[1]
    assert ask(asker, "with", edition="test")[0][0].mean == ask(asker, "without", edition="test")[0][0].mean


@pytest.mark.parametrize(
    ("run", "edition", "sqlstate"),
    [
        ("blue1", "test", "IR101"),
        ("base", "test", "IR101"),
        ("none", "test", "IR101"),
        ("red1", "none", "IR102"),
        ("red1", "train", "IR202"),
    ],
)
def test_what_cannot_be_asked(
    collection: psycopg.Connection, asker: psycopg.Connection, run: str, edition: str, sqlstate: str
) -> None:
    with pytest.raises(psycopg.Error) as error:
        asker.execute("SELECT ask_scores(%s, %s)", [run, edition])
    assert error.value.sqlstate == sqlstate
    with pytest.raises(psycopg.Error) as error:
        asker.execute("SELECT * FROM asked_scores(%s, %s)", [run, edition])
    assert error.value.sqlstate == "IR405"
    assert "blue" not in str(error.value).replace("blue1", "")


def test_who_may_not_ask(collection: psycopg.Connection, login: Login) -> None:
    for conn, sqlstate in ((login(), "IR410"), (login("reader"), "IR410"), (login("organiser"), "IR410"), (collection, "IR410")):
        with pytest.raises(psycopg.Error) as error:
            conn.execute("SELECT ask_scores('red1', 'test')")
        assert error.value.sqlstate == sqlstate
    login("organiser").execute("SELECT stc.allow_asks('test', 1); SELECT stc.allow_asks('test', 0)")
    with pytest.raises(psycopg.Error, match="score requests are not allowed"):
        login().execute("SELECT ask_scores('red1', 'test')")


@pytest.mark.parametrize(
    ("arguments", "sqlstate"),
    [
        ("'test', -1", "IR202"),
        ("'test', NULL", "IR202"),
        ("'test', 1, '{}'", "IR202"),
        ("'test', 1, '{num_rel}'", "IR202"),
        ("'test', 1, '{gm_map}'", "IR202"),
        ("'test', 1, '{\"P.1,2,3,4,5,6\"}'", "IR202"),
        ("'test', 1, '{none}'", "IR108"),
        ("'test', 1, '{P_9}'", "IR202"),
        ("'test', 1, '{P_10,map,ndcg}'", "IR202"),
        ("'test', 1, '{success_10}'", "IR202"),
        ("'test', 1, '{judged_10}'", "IR202"),
        ("'test', 1, '{dcg}'", "IR202"),
        ("'test', 1, '{\"ndcg.1=0,2=9\"}'", "IR202"),
        ("'test', 1, '{P(rel=2)@10}'", "IR202"),
        ("'test', 1, '{nDCG@5}'", "IR202"),
        ("'none', 1", "IR102"),
    ],
)
def test_what_cannot_be_allowed(collection: psycopg.Connection, arguments: str, sqlstate: str) -> None:
    with pytest.raises(psycopg.Error) as error:
        collection.execute(f"SELECT stc.allow_asks({arguments})".encode())
    assert error.value.sqlstate == sqlstate


def test_what_is_known_of_hidden_editions(collection: psycopg.Connection, login: Login) -> None:
    assert hidden(login()) == [("test", None, None, None)]
    collection.execute("SELECT stc.allow_asks('test', 2)")
    assert hidden(login()) == [("test", 2, ["ndcg_cut_10"], 2)]
    assert hidden(login("reader")) == [("test", 2, ["ndcg_cut_10"], None)]
    collection.execute("SELECT stc.release_edition('test')")
    assert hidden(login()) == []
    assert value(login(), "SELECT count(*) FROM qrels_editions") == 2


def test_the_commands(collection: psycopg.Connection, asker: psycopg.Connection, settings: Settings, dsn: str) -> None:
    one = Settings(db=settings.db, home=settings.home, dsn=f"{dsn} user={asker.info.user}")
    done = CliRunner().invoke(evaluation, ["ask", "red1", "--edition", "test"], obj=one)
    assert done.exit_code == 0, done.output
    assert "recip_rank" in done.output
    assert "requests left for 'test': 2" in done.output
    assert CliRunner().invoke(qrels, ["editions"], obj=one).output.endswith("\nhidden: test (3 requests per team, 2 left)\n")
    done = CliRunner().invoke(qrels, ["allow", "test", "--requests", "5", "--measures", "map, P_10"], obj=settings)
    assert done.output == "test: 5 requests per team allowed\n"
    assert collection.execute("SELECT measures FROM stc.ask_allowances").fetchall() == [(["map", "P_10"],)]
