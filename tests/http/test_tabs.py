"""Programs can do what the tabs show: answers equal SQL or other libraries, rights hold, and a generated client calls each path."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import psycopg
import pytest
from sklearn.metrics import cohen_kappa_score

from stcollection.db.connection import conninfo
from stcollection.db.sessions import open_session
from stcollection.db.settings import Settings
from stcollection.qrels.invitations import Invitations
from stcollection.qrels.pools import make_pool
from tests.http.generated import generated_client
from tests.http.test_writing import invited, post, sign_in

pytestmark = pytest.mark.slow

DOCS = Path(__file__).parents[2] / "docs/howto/programs.md"


@pytest.fixture(scope="module")
def judged(walled: Settings) -> str:
    """A pool that anna and bert have judged, and carl in part."""
    with open_session(conninfo(walled), autocommit=True) as conn:
        make_pool(conn, "judged")
        for annotator, step in (("anna", 2), ("bert", 3), ("carl", 7)):
            rows = conn.execute("SELECT token FROM stc.pool_sheet('judged', %s) ORDER BY place", [annotator]).fetchall()
            for number, (token,) in enumerate(rows[: 60 if annotator == "carl" else None]):
                conn.execute("SELECT stc.assess('judged', %s, %s, %s, 'a note')", [annotator, token, number // step % 3])
    return "judged"


def get(client: httpx.Client, path: str, status: int = 200, **params: Any) -> Any:
    answer = client.get(path, params=params)
    assert answer.status_code == status, answer.text
    return answer.json() if status == 200 else answer.json()["error"]["message"]


def of_pool(conn: psycopg.Connection, pool: str) -> list[tuple[Any, ...]]:
    return conn.execute(
        "SELECT d.query, d.doc, d.position FROM stc_all.qrels_pool_documents d WHERE d.pool = stc.pool_key(%s) ORDER BY 1, 2",
        [pool],
    ).fetchall()


def test_a_pool_is_made_and_divided(signed: str, boss: psycopg.Connection) -> None:
    olga = sign_in(signed, "olga")
    wanted: dict[str, Any] = {"runs": ["bm25", "hybrid"], "depth": 3, "seed": 7, "exclude": "train"}
    made = post(olga, "/api/pools", pool="by program", **wanted)
    ours = boss.execute(
        "SELECT pooled_queries, documents, without_text"
        "  FROM stc.make_pool('by sql', '{bm25,hybrid}', 3, seed => 7, without_edition => 'train')"
    ).fetchone()
    assert (made["queries"], made["documents"], made["without_text"]) == ours
    assert of_pool(boss, "by program") == of_pool(boss, "by sql") != []
    assert "already exists" in post(olga, "/api/pools", 400, pool="by program", **wanted)
    for _ in range(2):
        shares = post(olga, "/api/pools/share", pool="by program", annotators=["anna", "bert"], overlap=0.2)
        both = len(of_pool(boss, "by program"))
        assert [one["annotator"] for one in shares] == ["anna", "bert"]
        assert sum(one["documents"] for one in shares) == both + both // 5
    token = olga.post("/api/sheet/claim", json={"pool": "by program", "annotator": "anna"}).json()["document"]["token"]
    boss.execute("SELECT stc.assess('by program', 'anna', %s, 1)", [token])
    assert "already being assessed" in post(olga, "/api/pools/share", 400, pool="by program", annotators=["anna"])
    assert "not shared with" in get(olga, "/api/sheet", 400, pool="by program", annotator="carl")
    previous = get(olga, "/api/sheet/previous", pool="by program", annotator="anna")["document"]
    assert (previous["token"], previous["rel"]) == (token, 1)
    assert get(olga, "/api/sheet/previous", pool="by program", annotator="anna", token=token)["document"] is None
    boss.execute("SELECT stc.drop_pool('by sql'), stc.drop_pool('by program', true)")


def test_agreement_is_that_of_scikit_learn(signed: str, boss: psycopg.Connection, judged: str) -> None:
    olga = sign_in(signed, "olga")
    rows = boss.execute(
        "SELECT annotator, query, doc, rel FROM stc_all.qrels_assessments WHERE pool = stc.pool_key('judged')"
    ).fetchall()
    of = {
        name: {(query, doc): rel for annotator, query, doc, rel in rows if annotator == name} for name in ("anna", "bert", "carl")
    }
    found = get(olga, "/api/agreement", pool=judged)
    assert found["annotators"] == 3
    assert [(one["annotator"], one["other"]) for one in found["pairs"]] == [("anna", "bert"), ("anna", "carl"), ("bert", "carl")]
    for one in found["pairs"]:
        common = sorted(of[one["annotator"]].keys() & of[one["other"]].keys())
        left, right = ([of[one[side]][key] for key in common] for side in ("annotator", "other"))
        assert one["documents"] == len(common)
        assert one["same"] == pytest.approx(np.mean(np.equal(left, right)))
        assert one["kappa"] == pytest.approx(cohen_kappa_score(left, right))
        assert one["kappa_linear"] == pytest.approx(cohen_kappa_score(left, right, weights="linear"))
    [query] = boss.execute("SELECT query FROM stc.sheet_queries('judged', 'anna') LIMIT 1").fetchone() or [None]
    assert get(olga, "/api/agreement", pool=judged, query=query)["documents"] < found["documents"]


def test_drift_on_control_documents_by_hand(signed: str, boss: psycopg.Connection, judged: str) -> None:
    olga = sign_in(signed, "olga")
    rows = boss.execute(
        "SELECT a.annotator, a.rel, k.rel FROM stc_all.qrels_assessments a JOIN qrels k ON k.query = a.query AND k.doc = a.doc"
        " WHERE a.pool = stc.pool_key('judged') AND k.edition = (SELECT id FROM qrels_editions WHERE edition = 'train')"
        " ORDER BY a.changed"
    ).fetchall()
    found = get(olga, "/api/drift", pool=judged, edition="train")
    assert [one["annotator"] for one in found] == sorted({row[0] for row in rows})
    for one in found:
        pairs = np.array([(ours, theirs) for name, ours, theirs in rows if name == one["annotator"]])
        half = -(-len(pairs) // 2)
        assert one["documents"] == len(pairs)
        for name, some in (("", pairs), ("first_", pairs[:half]), ("second_", pairs[half:])):
            assert one[f"{name}same"] == pytest.approx(np.mean(some[:, 0] == some[:, 1]))
            assert one[f"{name}bias"] == pytest.approx(np.mean(some[:, 0] - some[:, 1]))


def test_work_and_decisions_of_a_pool(signed: str, boss: psycopg.Connection, judged: str) -> None:
    olga = sign_in(signed, "olga")
    stored = boss.execute(
        "SELECT q.query, d.docno, a.annotator, 'graded', a.rel, a.note"
        "  FROM stc_all.qrels_assessments a JOIN st1_queries q ON q.id = a.query"
        "  JOIN dblp d ON d.id = a.doc WHERE a.pool = stc.pool_key(%s)",
        [judged],
    ).fetchall()
    decisions = get(olga, "/api/decisions", pool=judged)
    names = ("query", "docno", "annotator", "outcome", "grade", "note")
    assert sorted(tuple(one[name] for name in names) for one in decisions) == sorted(stored) != []
    seen = {(query, docno) for query, docno, annotator, *_ in stored if annotator == "carl"}
    assert {(one["query"], one["docno"]) for one in get(olga, "/api/decisions", pool=judged, annotator="carl")} == seen
    work = {one["annotator"]: one for one in get(olga, "/api/assessors", pool=judged)}
    assert (work["anna"]["remaining"], work["carl"]["judged"]) == (0, 60)
    assert work["carl"]["remaining"] == work["anna"]["documents"] - 60
    counts = boss.execute("SELECT query, documents, judged, found FROM stc.pool_queries(%s)", [judged]).fetchall()
    found = get(olga, "/api/pool-queries", pool=judged)
    assert [(one["query"], one["documents"], one["judged"], one["found"]) for one in found] == counts
    assert get(olga, "/api/pairs", pool=judged) == []
    mine = get(olga, "/api/pairs", pool=judged, annotator="anna")
    assert sum(one["documents"] for one in mine) == work["anna"]["documents"]


def test_the_leaderboard_with_marks(signed: str, boss: psycopg.Connection) -> None:
    olga = sign_in(signed, "olga")
    found = get(olga, "/api/significance", edition="train", measure=["nDCG@10", "RR"], baseline="boolean", correction="holm")
    ours = boss.execute("SELECT run, difference, p_holm FROM compare_runs('train', 'nDCG@10', baseline => 'boolean')").fetchall()
    marks = {run: "" if p >= 0.05 else "†" if difference > 0 else "‡" for run, difference, p in ours}
    first = {one["run"]: one["values"][0] for one in found["runs"]}
    assert {run: first[run]["mark"] for run in marks} == marks
    assert {run: first[run]["p"] for run in marks} == pytest.approx({run: p for run, _, p in ours})
    means = boss.execute("SELECT run, value FROM mean_scores('{}', 'train', '{nDCG@10}')").fetchall()
    assert {run: one["value"] for run, one in first.items()} == pytest.approx(dict(means))
    values = [one["values"][0]["value"] for one in found["runs"]]
    assert values == sorted(values, reverse=True)
    assert all(one["low"] < one["values"][0]["value"] < one["high"] for one in found["runs"])
    pairs = get(olga, "/api/significance", edition="train", run=["bm25", "boolean", "hybrid"])
    assert {one["letter"] for one in pairs["runs"]} == {"a", "b", "c"}
    assert all(1 <= one["rank_low"] <= one["rank"] <= one["rank_high"] <= 3 for one in pairs["runs"])
    [(readable, documents)] = boss.execute("SELECT fkgl, documents FROM run_readability('{bm25}', 10, 'train')").fetchall()
    [read] = get(olga, "/api/readability", edition="train", run="bm25")
    assert (read["fkgl"], read["documents"]) == (pytest.approx(readable), documents)
    both = {one["run"]: one["relevance"] for one in get(olga, "/api/reading", edition="train")}
    assert both == pytest.approx(dict(means))


def test_variation_predictors_and_corrected_scores(signed: str, boss: psycopg.Connection) -> None:
    """The routes return the rows of the functions, whose values tests/analysis compares with other libraries."""
    olga = sign_in(signed, "olga")
    for path, params, function in (
        ("variation", {"edition": "train", "baseline": "bm25"}, "run_variation('{}', 'train', baseline => 'bm25')"),
        ("topic-variation", {"edition": "train", "run": "bm25"}, "topic_variation('{bm25}', 'train')"),
        ("predictions", {"run": "bm25", "depth": 10}, "query_predictors('bm25', depth => 10)"),
        ("predictors", {"edition": "train", "run": "bm25"}, "predictor_quality('bm25', 'train')"),
        ("corrected", {"labels": "train", "people": "train", "measure": "AP"}, "corrected_scores('train', 'train', 'AP')"),
    ):
        cursor = boss.execute(f"SELECT * FROM stc.{function}")
        names = [column.name for column in cursor.description or ()]
        ours = cursor.fetchall()
        assert [tuple(row[name] for name in names) for row in get(olga, f"/api/{path}", **params)] == ours != []
    sources = get(olga, "/api/variance-sources", edition="train", measure="AP")
    assert sum(one["share"] for one in sources) == pytest.approx(1)
    for name in ("petra", "rita"):  # participants and readers do not see the edition test
        for params in ({"labels": "test", "people": "train"}, {"labels": "train", "people": "test"}):
            assert "'test'" in get(sign_in(signed, name), "/api/corrected", 404, **params)


def test_hard_queries_rankings_and_a_card(signed: str, boss: psycopg.Connection) -> None:
    olga, rita = sign_in(signed, "olga"), sign_in(signed, "rita")
    ours = boss.execute(
        "SELECT query, max(value) FROM stc.score_grid('{}', 'train', 'nDCG@10') GROUP BY query HAVING max(value) < .8 ORDER BY 2"
    ).fetchall()
    hard = get(olga, "/api/hard-queries", edition="train", below=0.8)
    assert {one["query"]: one["best"] for one in hard} == pytest.approx(dict(ours))
    assert ours != []
    ranked = get(olga, "/api/rankings", run="bm25", against="hybrid", query=ours[0][0], edition="train", k=5)
    assert {one["run"] for one in ranked} == {"bm25", "hybrid"}
    places = {(one["run"], one["docno"]): one["rank"] for one in ranked}
    for one in ranked:
        other = places.get(("hybrid" if one["run"] == "bm25" else "bm25", one["docno"]))
        assert other is None or other == one["elsewhere"]
    card = get(rita, "/api/runs/bm25")
    assert card["receipts"] is None
    assert get(olga, "/api/runs/bm25")["receipts"] == []
    assert [one["edition"] for one in card["scores"]] == ["train"]
    by_query = {one["query"]: one["value"] for one in card["scores"][0]["by_query"]}
    scores = boss.execute("SELECT query, value FROM scores('{bm25}', 'train', '{nDCG@10}')").fetchall()
    assert by_query == pytest.approx(dict(scores))


def test_coverage_the_map_and_contents(signed: str, boss: psycopg.Connection) -> None:
    rita = sign_in(signed, "rita")
    found = get(rita, "/api/coverage", text="voice assistants at home listen to children", documents=30, topics=3)
    assert len(found["documents"]) == 30
    assert {one["kind"] for one in found["topics"]} == {"lda", "itemset", "concept"}
    topic = max(found["topics"], key=lambda one: one["documents"])
    told = get(rita, "/api/coverage/documents", word=topic["words"])
    assert told["total"] == topic["documents"]
    assert 0 < len(told["documents"]) <= 20
    assert "\ue000" not in str(told)
    [query, *_] = get(rita, "/api/long-queries") or [None]
    if query is not None:
        assert get(rita, "/api/coverage", query=query, documents=20, topics=2)["documents"]
    drawn = get(rita, "/api/map", edition="train")
    [vectors] = boss.execute("SELECT count(*) FROM dblp_v WHERE abstract_v IS NOT NULL").fetchone() or [0]
    assert drawn["total"] >= len(drawn["documents"]) == len({one["docno"] for one in drawn["documents"]}) > 0
    assert drawn["total"] <= boss.execute("SELECT count(*) FROM dblp").fetchall()[0][0]
    assert vectors > 0
    rows = boss.execute(
        "SELECT d.docno, j.rel FROM qrels j JOIN qrels_editions e ON e.id = j.edition JOIN dblp d ON d.id = j.doc"
        " WHERE e.edition = 'train' ORDER BY j.rel"
    )
    highest: dict[str, int] = dict(rows.fetchall())  # the last one of each document
    assert all(one["rel"] == highest.get(one["docno"]) for one in drawn["documents"])
    assert highest
    assert {one["cluster"] for one in drawn["documents"]} == set(range(1, len(drawn["clusters"]) + 1))
    contents = get(rita, "/api/contents")
    assert contents["counts"]["documents"] == boss.execute("SELECT count(*) FROM dblp WHERE NOT stub").fetchall()[0][0]
    years = boss.execute("SELECT count(*) FROM dblp_facts WHERE year IS NOT NULL").fetchall()[0][0]
    assert sum(one["documents"] for one in contents["years"]) == years
    beside = get(rita, "/api/search/systems", q="voice assistants", system=["bm25", "dense-title"], k=4)
    for system in ("bm25", "dense-title"):
        alone = get(rita, "/api/search", q="voice assistants", system=system, k=4)["documents"]
        assert [one["docno"] for one in beside if one["system"] == system] == [one["docno"] for one in alone]


def test_a_hidden_edition_is_as_one_that_does_not_exist(signed: str, judged: str) -> None:
    for name in ("petra", "rita"):
        client = sign_in(signed, name)
        for path, params in (
            ("/api/significance", {}),
            ("/api/hard-queries", {}),
            ("/api/variation", {}),
            ("/api/topic-variation", {}),
            ("/api/variance-sources", {}),
            ("/api/predictors", {"run": "bm25"}),
            ("/api/readability", {}),
            ("/api/reading", {}),
            ("/api/map", {}),
            ("/api/drift", {"pool": judged}),
            ("/api/leaderboard", {}),
            ("/api/compare", {"run": "bm25", "against": "hybrid"}),
        ):
            answers = [client.get(path, params={**params, "edition": edition}) for edition in ("test", "tesk")]
            assert answers[0].status_code in (403, 404), (path, answers[0].text)
            assert [answers[0].status_code, answers[0].text.replace("'test'", "'tesk'")] == [
                answers[1].status_code,
                answers[1].text,
            ], path
            assert "'test'" not in answers[1].text, "no suggestion names it"
        overview = get(client, "/api/overview")
        assert {edition for one in overview["annotators"] for edition in one["editions"]} == {"train"}
        assert overview["pools"] == 0
        assert [one["edition"] for one in get(client, "/api/runs/bm25")["scores"]] == ["train"]
    assert "test" in {edition for one in get(sign_in(signed, "olga"), "/api/overview")["annotators"] for edition in one["editions"]}


def test_who_may_not_see_or_make_pools(signed: str, walled: Settings, boss: psycopg.Connection, judged: str) -> None:
    before = boss.execute("SELECT pool, params FROM stc_all.qrels_pools ORDER BY 1").fetchall()
    guest = invited(signed, Invitations(walled.home, walled.db).make(judged, "anna", days=1))
    gone = sign_in(signed, "olga")
    cookies = dict(gone.cookies)
    gone.post("/sign-out")
    clients = {
        "petra": (sign_in(signed, "petra"), {403}),
        "rita": (sign_in(signed, "rita"), {403}),
        "invited": (guest, {404, 405, 403}),
        "signed out": (httpx.Client(base_url=signed, cookies=cookies), {401}),
        "nobody": (httpx.Client(base_url=signed, cookies=dict.fromkeys(cookies, "x")), {401}),
    }
    of_one = ("decisions", "pairs", "sheet/previous")
    for name, (client, statuses) in clients.items():
        for path, body in (
            ("/api/pools", {"pool": "theirs"}),
            ("/api/pools", {"pool": "theirs", "exclude": "test"}),
            ("/api/pools/share", {"pool": judged, "annotators": ["eve"]}),
            ("/api/pools/share", {"pool": "nope", "annotators": ["eve"]}),
            ("/api/pools/order", {"pool": judged}),
            ("/api/pools/order", {"pool": "nope", "labels": "test"}),
        ):
            answer = client.post(path, json=body)
            assert answer.status_code in statuses, (name, path, answer.text)
        for path in ("agreement", "drift", "decisions", "pool-queries", "pool-progress", "pairs", "assessors", "sheet/previous"):
            more = {"edition": "train"} if path == "drift" else {"annotator": "bert"} if path in of_one else {}
            answer = client.get(f"/api/{path}", params={"pool": judged, **more})
            assert answer.status_code in statuses, (name, path, answer.text)
            assert "a note" not in answer.text
    assert get(guest, "/api/sheet/previous", pool=judged, annotator="anna")["document"]["rel"] is not None
    assert get(guest, "/api/pairs", pool=judged, annotator="anna")
    for pool, annotator in ((judged, "bert"), ("demo", "anna")):
        for path in ("/api/sheet/previous", "/api/pairs"):
            assert "this invitation is for judging" in get(guest, path, 403, pool=pool, annotator=annotator)
    assert "this invitation is for judging" in get(guest, "/api/pairs", 403, pool=judged)
    for path in ("/api/map", "/api/coverage?text=a", "/api/significance?edition=train", "/api/contents", "/api/overview"):
        assert guest.get(path).status_code == 404, path
    other = {"origin": "http://elsewhere.example"}
    assert sign_in(signed, "olga").post("/api/pools", json={"pool": "theirs"}, headers=other).status_code == 403
    assert boss.execute("SELECT pool, params FROM stc_all.qrels_pools ORDER BY 1").fetchall() == before


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("/api/pools", {}, 400),
        ("/api/pools", {"pool": ""}, 400),
        ("/api/pools", {"pool": "x" * 201}, 400),
        ("/api/pools", {"pool": "a\u0000b"}, 400),
        ("/api/pools", {"pool": "a\u202eb"}, 400),
        ("/api/pools", {"pool": "p", "depth": 0}, 400),
        ("/api/pools", {"pool": "p", "depth": "deep"}, 400),
        ("/api/pools", {"pool": "p", "depth": 10**20}, 400),
        ("/api/pools", {"pool": "p", "runs": "bm25"}, 400),
        ("/api/pools", {"pool": "p", "runs": ["nope"]}, 404),
        ("/api/pools", {"pool": "p", "runs": ["bm25"] * 1001}, 400),
        ("/api/pools", {"pool": "p", "strata": "1-10:1.0", "depth": 3}, 400),
        ("/api/pools", {"pool": "p", "strata": "1-10"}, 400),
        ("/api/pools", {"pool": "p", "most_useful": 5, "min_teams": 2}, 400),
        ("/api/pools", {"pool": "p", "queries": "@/etc/passwd"}, 404),
        ("/api/pools", {"pool": "p", "exclude": "nope"}, 404),
        ("/api/pools", {"pool": "p", "grades": {"0": "a"}}, 400),
        ("/api/pools", {"pool": "p", "grades": {"0": "a", "10": "b"}}, 400),
        ("/api/pools", {"pool": "p", "grades": ["0", "1"]}, 400),
        ("/api/pools", {"pool": "p", "as_of": "yesterday"}, 400),
        ("/api/pools", {"pool": "p", "seed": -1}, 400),
        ("/api/pools", {"pool": "p", "made": True}, 400),
        ("/api/pools/share", {"pool": "nope", "annotators": ["anna"]}, 404),
        ("/api/pools/share", {"pool": "judged", "annotators": []}, 400),
        ("/api/pools/share", {"pool": "judged", "annotators": ["anna", "anna"]}, 400),
        ("/api/pools/share", {"pool": "judged", "annotators": ["anna"], "overlap": 2}, 400),
        ("/api/pools/share", {"pool": "judged", "annotators": {"anna": 1}}, 400),
        ("/api/pools/order", {"pool": "nope"}, 404),
        ("/api/pools/order", {"pool": "judged", "runs": ["bm25"]}, 400),
        ("/api/pools/order", {"pool": "judged", "batch": 0}, 400),
        ("/api/pool-progress", {"pool": "nope"}, 404),
        ("/api/pool-progress", {"pool": "judged", "measure": "RR"}, 400),
        ("/api/pool-progress", {"pool": "judged", "labels": "nope"}, 404),
        ("/api/agreement", {"pool": "nope"}, 404),
        ("/api/drift", {"pool": "judged", "edition": "nope"}, 404),
        ("/api/drift", {"pool": "judged"}, 400),
        ("/api/decisions", {"pool": "a\0b"}, 400),
        ("/api/pairs", {"pool": "judged", "annotator": "\u202e"}, 400),
        ("/api/significance", {"edition": "train", "alpha": "0"}, 400),
        ("/api/significance", {"edition": "train", "alpha": "nan"}, 400),
        ("/api/significance", {"edition": "train", "test": "nope"}, 400),
        ("/api/significance", {"edition": "train", "correction": "hsd"}, 400),
        ("/api/significance", {"edition": "train", "permutations": 10**9}, 400),
        ("/api/significance", {"edition": "train", "baseline": "nope"}, 404),
        ("/api/significance", {"edition": "train", "measure": "nope"}, 404),
        ("/api/hard-queries", {"edition": "train", "below": "nan"}, 400),
        ("/api/hard-queries", {"edition": "train", "queries": "@/etc/passwd"}, 404),
        ("/api/reading", {"edition": "train", "against": "docno; DROP TABLE dblp"}, 404),
        ("/api/rankings", {"edition": "train", "run": "bm25", "against": "nope", "query": "x"}, 404),
        ("/api/coverage", {}, 400),
        ("/api/coverage", {"text": " "}, 400),
        ("/api/coverage", {"text": "a", "query": "b"}, 400),
        ("/api/coverage", {"query": "nope"}, 404),
        ("/api/coverage", {"text": "voice", "documents": 10**6}, 400),
        ("/api/coverage", {"text": "voice", "max_df": "nan"}, 400),
        ("/api/coverage", {"text": "voice", "within": "title"}, 400),
        ("/api/coverage", {"text": "x" * 10_001}, 400),
        ("/api/coverage/documents", {}, 400),
        ("/api/coverage/documents", {"word": "two words"}, 400),
        ("/api/coverage/documents", {"word": ["a"] * 7}, 400),
        ("/api/map", {"edition": "nope"}, 404),
        ("/api/map", {"edition": "train", "queries": "nope"}, 404),
        ("/api/articles/nope/documents", {"system": "bm25"}, 404),
        ("/api/search/systems", {"q": "a", "system": "bm25"}, 400),
        ("/api/search/systems", {"q": "a", "system": ["bm25", "bm52"]}, 404),
        ("/api/answers", {"run": "nope", "query": "a"}, 404),
    ],
)
def test_wrong_requests(signed: str, judged: str, path: str, body: dict[str, Any], status: int) -> None:
    olga = sign_in(signed, "olga")
    answer = olga.post(path, json=body) if path.startswith("/api/pools") else olga.get(path, params=body)
    assert (answer.status_code, bool(answer.json()["error"]["message"])) == (status, True), answer.text


def test_large_bodies_and_other_types(signed: str, boss: psycopg.Connection) -> None:
    olga = sign_in(signed, "olga")
    for path in ("/api/pools", "/api/pools/share"):
        assert olga.post(path, json={"pool": "x", "annotators": ["a"], "runs": ["x" * 100_000]}).status_code == 413
        assert olga.post(path, content=b'{"pool": "x"}', headers={"content-type": "text/plain"}).status_code == 415
        assert olga.post(path, data={"pool": "x"}).status_code == 415
        assert olga.post(path, content=b"[1]", headers={"content-type": "application/json"}).status_code == 400
    assert boss.execute("SELECT count(*) FROM stc_all.qrels_pools WHERE pool = 'x'").fetchone() == (0,)


def test_the_guide_names_every_path(signed: str) -> None:
    paths = set(sign_in(signed, "olga").get("/openapi.json").json()["paths"])
    told = DOCS.read_text()
    named = {re.sub(r"\{\w+(:path)?\}", "X", path) for path in paths}
    written = {re.sub(r"/(RUN|DOCNO|ID|TOPIC)\b", "/X", one) for one in re.findall(r"`(/[\w/-]+)`", told)}
    assert named - written == set()
    assert {one for one in written if one.startswith("/api/")} - named == set(), "no path that does not exist"


def test_a_generated_client_calls_each_path(
    signed: str, boss: psycopg.Connection, judged: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    olga = sign_in(signed, "olga")
    client, model = generated_client(
        olga.get("/openapi.json").text, tmp_path, monkeypatch, "client_of_tabs", base_url=signed, cookies=dict(olga.cookies)
    )
    called: set[str] = set()

    def call(operation: str, *values: Any, tag: str, **params: Any) -> Any:
        called.add(operation)
        return client(operation, *values, tag=tag, **params)

    made = call("store_pool", tag="judging", body=model("NewPool")(pool="generated", runs=["bm25", "hybrid"], depth=2))
    assert made.documents == len(of_pool(boss, "generated"))
    division = model("PoolDivision")(pool="generated", annotators=["anna", "bert"])
    assert sum(one.documents for one in call("divide_pool", tag="judging", body=division)) == made.documents
    shown = model("PoolMetadata")(pool="generated", fields=[model("PoolMetadataFieldsItem")("year")])
    assert call("show_pool_metadata", tag="judging", body=shown).fields == ["year"]
    order = call("order_pool_documents", tag="judging", body=model("PoolBatches")(pool="generated", batch=2))
    assert order.documents == made.documents
    progress = call("pool_progress", tag="judging", pool=judged).to_dict()
    assert progress == get(olga, "/api/pool-progress", pool=judged)
    assert len(call("queries_of_pool", tag="judging", pool="generated")) == made.queries
    assert call("agreement", tag="judging", pool=judged).to_dict() == get(olga, "/api/agreement", pool=judged)
    [first, *_] = call("annotator_drift", tag="judging", pool=judged, edition="train")
    assert first.to_dict() == get(olga, "/api/drift", pool=judged, edition="train")[0]
    assert len(call("stored_decisions", tag="judging", pool=judged)) == len(get(olga, "/api/decisions", pool=judged))
    assert call("previous_document", tag="judging", pool=judged, annotator="anna").document.state == "draft"
    assert call("compared_pairs", tag="judging", pool=judged, annotator="anna")[0].compared == 0
    assert call("pool_assessors", tag="judging", pool=judged)[0].remaining == 0
    board = call("significance", tag="evaluation", edition="train", baseline="bm25")
    assert board.to_dict() == get(olga, "/api/significance", edition="train", baseline="bm25")
    assert len(call("failed_queries", tag="evaluation", edition="train", below=2)) == board.queries
    assert call("run_readability", tag="evaluation", edition="train", run=["bm25"])[0].run == "bm25"
    for name in ("variation", "topic_variation", "variance_sources"):
        path = f"/api/{name.replace('_', '-')}"
        assert [row.to_dict() for row in call(name, tag="evaluation", edition="train")] == get(olga, path, edition="train")
    assert len(call("predictions", tag="evaluation", run="bm25")) == len(get(olga, "/api/predictions", run="bm25"))
    assert len(call("predictors", tag="evaluation", run="bm25", edition="train")) == 8
    assert len(call("corrected", tag="evaluation", labels="train", people="train")) == len(board.runs)
    assert len(call("reading", tag="evaluation", edition="train")) == len(board.runs)
    covered = call("coverage", tag="collection", text="voice assistants", documents=20, topics=2)
    words = covered.topics[0].words
    assert call("documents_with_words", tag="collection", word=words).total == covered.topics[0].documents
    assert call("queries_for_coverage", tag="collection") == get(olga, "/api/long-queries")
    assert call("document_map", tag="collection").to_dict() == get(olga, "/api/map")
    assert call("collection_contents", tag="collection").counts["documents"] > 0
    assert call("collection_overview", tag="collection").runs == len(board.runs)
    assert call("answer_runs", tag="collection") == []
    assert "nope" in call("answer_queries", tag="collection", run="nope").error.message
    assert "nope" in call("grouped_answers", tag="collection", run="nope", query="a").error.message
    assert [one.topic for one in call("articles", tag="search")] == [one["topic"] for one in get(olga, "/api/articles")]
    assert "nope" in call("documents_like_article", "nope", tag="search").error.message
    assert {one.system for one in call("search_systems", tag="search", q="privacy", system=["bm25", "boolean"])} == {
        "bm25",
        "boolean",
    }
    assert call("system_names", tag="search") == get(olga, "/api/systems")
    boss.execute("SELECT stc.drop_pool('generated')")
    elsewhere = {  # tests/http/test_evaluation.py, test_service.py and test_writing.py call these
        "search", "facets", "why", "neighbours", "document", "stvir_test", "stored_queries", "stored_editions",
        "judgments", "stored_runs", "card", "ranking", "leaderboard", "scores", "compare", "comparisons", "stored_pools", "sheet",
        "claim_document", "decide", "undo_decision", "claim_pair", "compare_documents", "undo_last_comparison",
        "disagreements", "set_final_grade", "proposals", "review_proposal", "publish_proposals", "check_file", "store_run",
        "store_topics", "store_judgments", "store_documents",
    }  # fmt: skip
    described = olga.get("/openapi.json").json()["paths"]
    assert {one["operationId"] for path in described.values() for one in path.values()} == called | elsewhere
