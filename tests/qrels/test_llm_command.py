"""``stc qrels llm`` as a user types it: on a small collection, and on the demo with realistic figures."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest
from click.testing import CliRunner, Result
from sklearn.metrics import cohen_kappa_score

from stcollection import demo
from stcollection.analysis.labels import labels
from stcollection.corpus.load import load
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, BadInput, StcError, UnknownObject
from stcollection.qrels.load import JudgmentOptions, import_qrels
from stcollection.topics.load import load as load_topics
from tests.groups import qrels
from tests.qrels.llm_server import Answer, Asked, by_overlap, endpoint
from tests.qrels.llm_worlds import PAIRS, rows, stored, world

pytestmark = pytest.mark.slow

KEY = "sk-very-secret"
Llm = Callable[..., Result]


@pytest.fixture
def llm(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Llm:
    for name in ("STC_LLM_ENDPOINT", "STC_LLM_API_KEY", "OPENAI_BASE_URL", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)

    def run(*arguments: str, fine: bool = True) -> Result:
        done = CliRunner().invoke(qrels, ["llm", *arguments], obj=settings)
        if fine:
            assert done.exit_code == 0, done.output
        return done

    return run


@pytest.mark.slow
def test_judge_status_and_answers(conn: psycopg.Connection, llm: Llm, monkeypatch: pytest.MonkeyPatch) -> None:
    world(conn)
    monkeypatch.setenv("STC_LLM_API_KEY", KEY)
    with endpoint(lambda asked: Answer("I cannot \x1b[31msay") if asked.number == 3 else by_overlap(asked)) as server:
        judge = ("judge", "--edition", "machine", "--rejudge", "people", "--model", "rule", "--endpoint", server.url)
        done = llm(*judge, "--dry-run", "--price", "1/2")
        assert f"{PAIRS} pairs: {PAIRS} to judge" in done.output
        assert "<title>\nPaper" in done.output
        assert server.asked == []
        done = llm(*judge, "--seed", "3", "--option", "top_p=0.5", "--option", "max_tokens=null")
        assert f"{PAIRS - 1} judged" in done.output
        assert "1 malformed" in done.output
        assert server.asked[0].body.keys() == {"model", "messages", "temperature", "seed", "top_p"}
        assert server.asked[0].headers["authorization"] == f"Bearer {KEY}"
    [told] = json.loads(llm("status", "--edition", "machine", "--format", "json").output)
    assert (told["judged"], told["malformed"], told["malformed_share"], sum(told["grades"].values())) == (
        PAIRS - 1,
        1,
        1 / PAIRS,
        PAIRS - 1,
    )
    assert 0 < told["p50"] <= told["p95"]
    table = llm("answers", "--edition", "machine", "--state", "malformed").output
    assert "I cannot" in table
    assert "\x1b" not in table
    assert "rule" in llm("status", "--edition", "machine").output
    everything = rows(
        conn, "SELECT (SELECT json_agg(a)::text FROM stc_all.llm_answers a), (SELECT json_agg(j)::text FROM stc_all.llm_judges j)"
    )
    assert KEY not in str(everything)
    assert KEY not in done.output


@pytest.mark.slow
def test_costs_are_shown_before_it_starts(conn: psycopg.Connection, llm: Llm) -> None:
    world(conn)
    with endpoint() as server:
        judge = ("judge", "--edition", "machine", "--rejudge", "people", "--model", "rule", "--endpoint", server.url)
        done = llm(*judge, "--price", "1000/2000", "--concurrency", "4", "--prompt", "umbrela")
    before, first, *_ = done.stderr.splitlines()
    tokens = int(re.findall(r"about ([\d,]+) tokens in prompts, 200 in answers", before)[0].replace(",", ""))
    assert before.startswith(f"{PAIRS} pairs: {PAIRS} to judge")
    assert before.endswith(f"estimated cost {(tokens * 1000 + 200 * 2000) / 1e6:,.2f}")
    assert re.fullmatch(r"\d+ answers in [\d.]+ s: about \d+ s for the other \d+", first)


@pytest.mark.slow
def test_a_judge_that_always_says_1(conn: psycopg.Connection, llm: Llm, settings: Settings) -> None:
    world(conn)
    with endpoint(lambda _: Answer("1")) as server:
        done = llm("judge", "--edition", "machine", "--rejudge", "people", "--model", "rule", "--endpoint", server.url)
    assert f"warning: each of {PAIRS} grades is 1; these labels tell no document from another" in done.stderr
    [compared] = labels(conn, human="people", others=["machine"])
    assert "machine gives grade 1 to every document that both judge: it tells none from another" in compared.notes
    derived = CliRunner().invoke(qrels, ["derive", "flat", "machine", "--calibrate-with", "people"], obj=settings)
    assert derived.exit_code == 0, derived.output
    assert "warning: all grades are mapped to one" in derived.stderr


@pytest.mark.slow
def test_judging_with_and_without_the_article_is_compared(conn: psycopg.Connection, llm: Llm, settings: Settings) -> None:
    """A judge that reads the article gives better grades."""
    world(conn)
    conn.execute("UPDATE st1_topics SET article = 'Assistants listen in the kitchen.'")
    people = dict(
        rows(conn, "SELECT d.docno, max(j.rel) FROM qrels_judgments j JOIN dblp d ON d.id = j.doc WHERE rel < 9 GROUP BY 1")
    )

    def behave(asked: Asked) -> Answer:
        docno = asked.slot("abstract").removeprefix("It is the abstract ").rstrip(".")
        return Answer(str(people[docno])) if "<article>\nWho listens" in asked.prompt else by_overlap(asked)

    with endpoint(behave) as server:
        judge = ("judge", "--edition", "people", "--rejudge", "people", "--model", "rule", "--endpoint", server.url)
        llm(*judge)
        shown = llm(*judge, "--context", "article", "--context-characters", "500", "--dry-run").output
        assert "<article>\nWho listens in the kitchen?\n\nAssistants listen in the kitchen.\n</article>" in shown
        assert "prompt journalist+article " in shown
        done = llm(*judge, "--context", "article", "--context-characters", "500").stdout
        assert done.startswith("rule/journalist+article@")
    status = json.loads(llm("status", "--edition", "people", "--format", "json").output)
    assert [one["prompt"] for one in status] == ["journalist", "journalist+article"]
    agreement = CliRunner().invoke(qrels, ["agreement", "people", "-m", "accuracy", "--format", "json"], obj=settings)
    assert agreement.exit_code == 0, agreement.output
    accuracy = {row["other"].partition("@")[0]: row["accuracy"] for row in json.loads(agreement.output)}
    assert accuracy.keys() == {"people:llm/rule", "people:llm/rule/journalist+article"}
    assert accuracy["people:llm/rule"] < accuracy["people:llm/rule/journalist+article"] == 1


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (("judge", "--edition", "e", "--model", "m", "--rejudge", "people"), BadArgument, "no endpoint is given"),
        (("judge", "--edition", "e", "--model", "m", "--prompt", "nowhere.txt"), UnknownObject, "no prompt 'nowhere.txt'"),
        (("judge", "--edition", "e", "--model", "m", "--runs", "all", "--runs", "r"), BadArgument, "and the name of a run"),
        (("status", "--edition", "none"), UnknownObject, "there is no edition 'none'"),
        (("answers", "--edition", "none"), UnknownObject, "there is no edition 'none'"),
        (("answers", "--edition", "people", "--model", "m"), UnknownObject, "no model 'm' judges"),
    ],
)
def test_wrong_words(conn: psycopg.Connection, llm: Llm, arguments: tuple[str, ...], error: type[StcError], message: str) -> None:
    world(conn)
    done = llm(*arguments, fine=False)
    assert isinstance(done.exception, error)
    assert message in str(done.exception)
    assert done.exception.hint


@pytest.mark.parametrize(
    "option", ["--option=top_p", "--option=model=x", "--price=1", "--concurrency=0", "--budget=seconds=0", "--budget=token=1"]
)
def test_wrong_options(conn: psycopg.Connection, llm: Llm, option: str) -> None:
    assert llm("judge", "--edition", "e", "--model", "m", "--rejudge", "people", option, fine=False).exit_code == 2


def test_a_prompt_of_ones_own(conn: psycopg.Connection, llm: Llm, tmp_path: Path) -> None:
    world(conn)
    mine = tmp_path / "mine.txt"
    mine.write_text("[grades]\n0 1 2 3\n[prompt]\n{query}\n{title}\n{abstract}\nFrom 0 to 3?")
    with endpoint(lambda _: Answer("3")) as server:
        options = ("--edition", "machine", "--rejudge", "people", "--model", "rule", "--endpoint", server.url)
        llm("judge", *options, "--prompt", str(mine))
        assert set(stored(conn).values()) == {3}
        mine.write_text("From 0 to 2?")
        shown = llm("judge", *options, "--prompt", str(mine), "--dry-run").output
        assert re.search(r"user:\nFrom 0 to 2\?\n\n<query>\n.+\n</query>\n\n<title>\n.+\n</title>\n\n<abstract>\n", shown)
        mine.write_text("[prompt]\n{query}\n{titel}")
        done = llm("judge", *options, "--prompt", str(mine), fine=False)
    assert isinstance(done.exception, BadInput)
    assert "mine.txt:3: unknown slot {titel}" in str(done.exception)


@pytest.mark.slow
def test_on_the_demo_a_rule_agrees_with_people_beyond_chance(
    settings: Settings, conn: psycopg.Connection, dsn: str, llm: Llm
) -> None:
    load(dsn, [str(demo.CORPUS)])
    load_topics(conn, [demo.QUERIES])
    import_qrels(conn, demo.qrels("train"), edition="train", options=JudgmentOptions(annotator="first"))
    with endpoint() as server:
        done = llm("judge", "--edition", "train", "--rejudge", "train", "--model", "rule", "--endpoint", server.url)
    assert "307 judged" in done.output
    graded = rows(
        conn,
        "SELECT h.rel, l.rel FROM qrels_judgments h JOIN qrels_judgments l USING (edition, query, doc)"
        " WHERE h.origin = 'human' AND l.origin = 'llm' AND l.annotator = 'rule'",
    )
    assert len(graded) == 307
    people, rule = zip(*graded, strict=True)
    assert sum(a == b for a, b in graded) == 193
    assert cohen_kappa_score(people, rule, weights="linear") == pytest.approx(0.2737, abs=0.0001)
    # Judgments of people take precedence; the rule counts for unjudged pairs.
    assert rows(conn, "SELECT origin, count(*) FROM qrels GROUP BY 1") == [("human", 307)]
