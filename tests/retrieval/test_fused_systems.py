"""Systems that fuse others with tuned weights: stored by tuning, searched like hybrid, never tuned on a test edition."""

from __future__ import annotations

import psycopg
import pytest
from click.testing import CliRunner
from psycopg.types.json import Jsonb

from stcollection.cli.retrieval.fusion import tune_command
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, StcError
from stcollection.retrieval.explain import why
from stcollection.retrieval.fuse import NewRun
from stcollection.retrieval.run import run
from stcollection.retrieval.search import Search, search
from stcollection.retrieval.systems import drop_system, needs_vector, systems
from stcollection.retrieval.tune import FusionTuning, TunedFusion, tune_run
from stcollection.vectors.embed import embed
from tests import databases
from tests.retrieval.fusing import stored
from tests.text.documents import build, put
from tests.vectors.worlds import BagOfWords

TEXTS = {
    1: ("voice assistants at home", "assistants listen to the voice of people"),
    2: ("listening machines", "voice interfaces hear what is said at home"),
    3: ("voice", None),
    4: ("home automation", "lamps and doors and a voice"),
    5: ("graph drawing", "planar graphs at home"),
    6: ("people and machines", None),
}
QUERIES = {"q1": "voice home", "q2": "planar graphs", "q3": "machines listening", "q4": "people home", "q5": "doors"}
RUNS = ("bm25", "dense-document")
SUM = FusionTuning(method="sum", norm="zscore", steps=4)


@databases.world
def filled(conn: psycopg.Connection) -> psycopg.Connection:
    put(conn, TEXTS)
    build(conn, "portable")
    embed(conn, model=BagOfWords())
    for query, text in QUERIES.items():
        conn.execute("INSERT INTO st1_topics (topic) VALUES (%s)", [query])
        conn.execute("INSERT INTO st1_queries (query, topic, text) VALUES (%s, %s, %s)", [query, query, text])
    for system in (*RUNS, "dense-title", "boolean"):
        run(conn, system=system, name=system, model=BagOfWords())
    conn.execute(
        "INSERT INTO qrels_editions (edition, split, hidden) VALUES"
        " ('train', 'train', false), ('test', 'test', false), ('secret', NULL, true), ('one topic', NULL, false)"
    )
    conn.execute(
        "INSERT INTO qrels_judgments (edition, hidden, query, doc, rel)"
        " SELECT e.id, e.hidden, q.id, 1 + (q.id + e.id + n * n) % 6, n"
        "   FROM qrels_editions e, st1_queries q, generate_series(0, 2) n"
        " WHERE e.edition <> 'one topic' OR q.query = 'q1'"
    )
    return conn


def tuned(conn: psycopg.Connection, runs: tuple[str, ...] = RUNS, *, train: str = "train", system: str = "ours") -> TunedFusion:
    return tune_run(conn, runs, train=train, tuning=SUM, system=system, into=NewRun(name="best", replace=True))


def weights(conn: psycopg.Connection, system: str = "ours") -> dict[str, float]:
    [(fusion,)] = conn.execute("SELECT fusion -> 'weights' FROM stc.own_systems WHERE system = %s", [system]).fetchall()
    return dict(fusion)


def test_it_ranks_as_the_fused_run(filled: psycopg.Connection) -> None:
    done = tuned(filled)
    best = done.points[0].weights
    assert weights(filled) == {"bm25": best["bm25"], "document": best["dense-document"]}
    run(filled, system="ours", name="again", model=BagOfWords())
    ours, again = stored(filled, "best"), stored(filled, "again")
    assert ours.keys() == again.keys() == QUERIES.keys()
    for query, ranked in ours.items():
        assert dict(again[query]) == pytest.approx(dict(ranked), rel=1e-6)
    [(params,)] = filled.execute("SELECT params FROM st1_runs WHERE run = 'again'").fetchall()
    assert params["fusion"]["weights"] == weights(filled)
    told = params["fusion"]["tuned"]
    assert (told["edition"], told["folds"], told["queries"], told["measure"]) == ("train", 5, 5, "ndcg")
    assert told["validated"] == done.validated[0].value


def test_it_is_hybrid_search_with_its_weights(filled: psycopg.Connection) -> None:
    tuned(filled)
    filled.execute("UPDATE stc.own_systems SET fusion = jsonb_set(fusion, '{weights}', '{\"bm25\": 1, \"document\": 3}')")
    vector = filled.execute("SELECT v::text FROM query_v WHERE text = 'voice home'").fetchone()
    expected = filled.execute(
        "SELECT doc, score FROM hybrid_search('voice home', 4, filter => %s, weights => %s)",
        [Jsonb({"docs": [1, 2, 3, 4]}), Jsonb({"document": 0.75, "bm25": 0.25})],
    ).fetchall()
    got = search(filled, "voice home", system="ours", k=4, filter={"docs": [1, 2, 3, 4]}, vector=(vector or ("",))[0])
    assert [one.doc for one in got] == [doc for doc, _ in expected]
    assert [one.score for one in got] == pytest.approx([4 * score for _, score in expected])


@pytest.mark.parametrize(("method", "norm"), [("sum", "zscore"), ("mnz", "minmax"), ("rrf", "minmax")])
def test_why_has_the_parts_of_the_score(filled: psycopg.Connection, method: str, norm: str) -> None:
    tuned(filled)
    given = Jsonb({"weights": {"bm25": 1, "document": 3}, "method": method, "norm": norm})
    filled.execute("UPDATE stc.own_systems SET fusion = fusion || %s", [given])
    asked = Search(text="voice home", system="ours", k=6, filter=None, model=None)
    shown = search(filled, asked.text, system="ours", k=asked.k)
    assert len(shown) > 3
    for one in shown:
        explained = why(filled, asked, one.doc, None)
        assert sum(part.added for part in explained.parts) == pytest.approx(one.score)
        assert {part.ranking for part in explained.parts} <= {"bm25", "document"}
        assert bool(explained.words) == any(part.ranking == "bm25" for part in explained.parts)


def test_listed_replaced_and_dropped(filled: psycopg.Connection) -> None:
    tuned(filled)
    [listed] = [each for each in systems(filled) if each.system == "ours"]
    assert (listed.title, listed.vector, listed.problem) == ("tuned fusion of bm25, document", True, None)
    tuned(filled, ("bm25", "dense-title"))
    assert weights(filled).keys() == {"bm25", "title"}
    drop_system(filled, "ours")
    assert "ours" not in [each.system for each in systems(filled)]
    assert filled.execute("SELECT 1 FROM st1_runs WHERE run = 'best'").fetchall()


def test_a_fusion_of_words_needs_no_vector(filled: psycopg.Connection) -> None:
    tuned(filled, ("bm25", "boolean"))
    assert not needs_vector(filled, "ours")
    filled.execute("DELETE FROM query_v")
    assert [one.doc for one in search(filled, "planar", system="ours")] == [5]


@pytest.mark.parametrize(
    ("runs", "train", "system", "what"),
    [
        (RUNS, "test", "ours", "test is a test edition"),
        (RUNS, "secret", "ours", "secret is hidden"),
        (RUNS, "one topic", "ours", "one topic"),
        (RUNS, "trian", "ours", "no edition 'trian'"),
        (RUNS, "train", "hybrid-ours", "hybrid-ours is taken"),
        (RUNS, "train", "two words", "name of a system"),
        (("bm25", "copy"), "train", "ours", "two runs are by the ranker bm25"),
        (("bm25", "shallow"), "train", "ours", "shallow is not the whole result"),
        (("bm25", "filtered"), "train", "ours", "filtered is not the whole result"),
        (("bm25", "uploaded"), "train", "ours", "uploaded is not the whole result"),
        (("bm25", "fused"), "train", "ours", "fused is not the whole result"),
    ],
)
def test_refused(filled: psycopg.Connection, runs: tuple[str, ...], train: str, system: str, what: str) -> None:
    tuned(filled, system="other")
    run(filled, system="bm25", name="copy")
    run(filled, system="boolean", name="shallow", depth=10)
    run(filled, system="boolean", name="filtered", filter={"docs": [1, 2, 3, 4, 5]})
    run(filled, system="boolean", name="uploaded")
    filled.execute("UPDATE st1_runs SET params = '{}' WHERE run = 'uploaded'")
    run(filled, system="other", name="fused", model=BagOfWords())
    before = filled.execute("SELECT system, fusion FROM stc.own_systems").fetchall()
    for named in (system, None) if train in ("test", "secret", "trian") else (system,):
        with pytest.raises(StcError, match=what) as error:
            tune_run(filled, runs, train=train, tuning=SUM, system=named, into=NewRun(name="new"))
        assert error.value.hint
    assert filled.execute("SELECT system, fusion FROM stc.own_systems").fetchall() == before
    assert filled.execute("SELECT 1 FROM st1_runs WHERE run = 'new'").fetchall() == []


def test_weights_of_zero_are_refused_when_searched(filled: psycopg.Connection) -> None:
    tuned(filled)
    for wrong, what in (({"bm25": 0, "document": 0}, "no weight is above 0"), ({"bm25": -1, "document": 1}, "-1")):
        filled.execute("UPDATE stc.own_systems SET fusion = jsonb_set(fusion, '{weights}', %s)", [Jsonb(wrong)])
        with pytest.raises(BadArgument, match=what):
            search(filled, "voice home", system="ours", model=BagOfWords())
    with pytest.raises(psycopg.Error, match="no weights"):
        filled.execute("SELECT * FROM stc.fused_search('voice', 3)")


def test_the_command(filled: psycopg.Connection, settings: Settings) -> None:
    def told(*arguments: str) -> str:
        done = CliRunner().invoke(tune_command, [*RUNS, "--method", "sum", "--replace", *arguments], obj=settings)
        assert done.exit_code == 0, done.output
        return done.stderr

    said = told("--train", "train", "--system", "ours", "--folds", "2")
    assert "Cross-validated on train, 5 queries" in said
    assert "equal weights" in said
    assert "few to choose weights on" in said or "Tuning does not help" in said
    for arguments in ((), ("--test", "test")):
        assert "'stc search TEXT --system ours', or 'stc run ours'" in told("--train", "train", "--system", "ours", *arguments)
    assert "one topic" in told("--train", "one topic", "--test", "test")
    assert "--system" not in told("--train", "train")
    assert weights(filled)
