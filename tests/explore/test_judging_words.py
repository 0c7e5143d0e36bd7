"""Every text of the tab Judging is translated, seen without a browser: in a language whose letters are not ASCII, none is left."""

from __future__ import annotations

import asyncio
import inspect
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from html.parser import HTMLParser
from typing import Any, cast

import pytest
from babel.messages.catalog import Catalog
from shiny import reactive, ui

from stcollection.errors import StateError, StcError
from stcollection.explore.judging import disagreements, pair_view, pairs, progress, proposals, sheet, sitting, tab
from stcollection.explore.judging.decisions import Flushed, flush
from stcollection.explore.pieces import alert
from stcollection.qrels import judging as work
from stcollection.qrels.comparisons import DocumentPair, PairProgress
from stcollection.qrels.guidelines import default_guidelines
from stcollection.qrels.judging import DifferingGrade, OfSheet, PoolAlpha, SheetPair
from stcollection.qrels.labels import ShownLabel
from stcollection.qrels.organise import AssessorProgress, Drift
from stcollection.qrels.pools import OfQuery, PoolOverview
from stcollection.studies.synth.subtopics import Subtopic
from stcollection.topics.articles import TopicArticle
from stcollection.web import words
from stcollection.web.desk import Desk
from stcollection.web.hands import Hands
from stcollection.web.words import speaking, t
from tests.explore.judged import PAPER
from tools import messages

FOREIGN = "qps"
BARE = re.compile(r"[A-Za-z]{2,}")
SEEN = {"alt", "aria-description", "aria-label", "placeholder", "title"}  # attributes that a person sees or hears
PLAIN = {"UTC"}
NOW = datetime(2024, 5, 6, tzinfo=UTC)
SCALE = {0: "not relevant", 1: "relevant", 2: "very relevant"}
ALPHA = PoolAlpha(2, 3, 6, None, 0.5)

PAPERS = [
    PAPER,
    replace(PAPER, state="skipped", label=ShownLabel("1", 2, "ß")),
    replace(PAPER, state="undecided"),
    replace(PAPER, state="draft", rel=1),
    replace(PAPER, state="submitted", rel=1),
]
POOL = PoolOverview("1", "", 2, 3, 0, ["ß"], 0, 0, {}, NOW, simulated=True)
POOLS = [POOL, *(POOL._replace(params={"shares": {"annotators": ["1", "2"], "overlap": part}}) for part in (0, 0.2))]
TODO = OfSheet("1", "2", 9, 1, 1, 0, 1)
OPEN = PairProgress("1", "2", "3", 4, 1, 1, 5, 6, None, False)
GRADE = DifferingGrade("1", "2", "3", None, 2, "4", 0, None, NOW, True, None, None)
GRADES = [GRADE, GRADE._replace(docno="4", final=1, final_by="5"), GRADE._replace(docno="6", title="7", submitted=False)]
MANY = [GRADE._replace(docno=str(number)) for number in range(201)]
WORK = AssessorProgress("1", 9, 1, 1, 1, 0, 1, 2.0, 2.0, NOW, NOW)
HERE = work.JudgingSession(pool="1", annotator="2", query=None, grades=SCALE, guidelines=None)
PAIR = work.ShownPair(pair=DocumentPair("1", 2, "3", "4"), left=PAPER, right=PAPER)
SHIFT = Drift("1", 2, 0.5, 0.5, 0.5, 0.1, 0.1, 0.1)

PROPOSAL = Subtopic(1, "1", "ß", "ß", "ß", 1, "waiting", None, "2", "2", None, None, None, None, None, None, None)
PROPOSALS = [
    PROPOSAL,
    PROPOSAL._replace(nearest="3", words=0.5),
    PROPOSAL._replace(nearest_query="4", nearest="3", words=0.5, cosine=0.5),
    PROPOSAL._replace(state="published", query="5"),
    *(PROPOSAL._replace(state=state, reviewer=reviewer) for state in proposals._STATES for reviewer in (None, "6")),
]


def scale() -> dict[int, str]:
    return sheet.scale(SCALE)


def own(grade: int | None) -> dict[tuple[str, str], tuple[str, int | None]]:
    return {("1", one.docno): ("0", grade) for one in GRADES}


# Each function that draws a part of the tab, and its drawings.
Drawing = Callable[[], ui.TagChild]
DRAWN: dict[Callable[..., Any], list[Drawing]] = {
    tab.tab: [lambda: tab.tab("judging")],
    pairs.shown: [pairs.shown],
    disagreements.shown: [disagreements.shown],
    progress.shown: [progress.shown],
    proposals.shown: [proposals.shown],
    proposals._proposal: [partial(proposals._proposal, one) for one in PROPOSALS],
    proposals._publish: [partial(proposals._publish, accepted) for accepted in (1, 2)],
    proposals._article: [lambda: proposals._article(TopicArticle(topic="1", title="2", origin="3", article="4\n\n5", queries=[]))],
    sheet.entry: [lambda: sheet.entry(POOLS, pool="1", annotator="ß")],
    sheet.no_pools: [sheet.no_pools],
    sheet.article: [partial(sheet.article, PAPER)],
    sheet.article_text: [lambda: ui.div(*sheet.article_text("1", "2\n\n3"))],
    sheet.query_line: [partial(sheet.query_line, PAPER)],
    sheet.document: [
        partial(lambda one: sheet.document(one, pool="1", annotator="2", grades=scale(), serial=3), one) for one in PAPERS
    ],
    sheet.guidance: [
        partial(lambda grades: sheet.guidance(default_guidelines(grades, t=t), grades), grades)
        for grades in ({0: "1", 1: "2"}, {0: "1", 1: "2", 2: "3"})
    ],
    sheet.pace: [
        partial(sheet.pace, [one], seconds)
        for seconds in (None, 5, 5000)
        for one in (TODO, TODO._replace(judged=8), TODO._replace(documents=9000))
    ],
    sheet.how_far: [lambda: sheet.how_far([TODO], chosen=None)],
    sheet.of_pool: [partial(sheet.of_pool, one, [OfQuery("1", "2", 3, 1, 1)]) for one in POOLS],
    sheet.simulated: [lambda: sheet.simulated(POOLS)],
    sheet.article_text: [lambda: ui.div(*sheet.article_text("ß", "ß"), t("Article"))],
    sheet.finished: [
        partial(sheet.finished, rows, pool="1", query=query, serial=3, queries=queries)
        for queries in ("all", "7")
        for rows in ([TODO], [], [TODO._replace(judged=8)])
        for query in (None, "3")
    ],
    pair_view.two: [lambda: pair_view.two(PAIR, pool="1", annotator="2", serial=3)],
    pair_view.compared: [
        partial(pair_view.compared, rows, here, query="2", elsewhere=elsewhere, serial=3)
        for rows in ([OPEN], [OPEN._replace(remaining=0)], [])
        for here in (HERE, replace(HERE, queries="4"))
        for elsewhere in (False, True)
    ],
    pair_view.instructions: [lambda: pair_view.instructions("")],
    pair_view.pairs_left: [partial(pair_view.pairs_left, [OPEN._replace(remaining=left)]) for left in (0, 1)],
    pair_view.by_query: [lambda: pair_view.by_query([OPEN], chosen=None)],
    pair_view.by_annotator: [lambda: pair_view.by_annotator([OPEN])],
    disagreements.agreement: [
        partial(disagreements.agreement, rows, ALPHA, "1") for rows in ([], [SheetPair("1", "2", 3, 0.5, None, 0.5)])
    ],
    disagreements.disputes: [
        partial(lambda found, grade: disagreements.disputes(found, own(grade), pool="1", grades=scale()), found, grade)
        for found in (GRADES, GRADES[:1], MANY, [])
        for grade in (None, 1)
    ],
    progress.by_assessor: [
        partial(progress.by_assessor, rows, ALPHA, "1") for rows in ([], [WORK, WORK._replace(last_decision=None)])
    ],
    progress.by_half: [partial(progress.by_half, rows, "1") for rows in ([], [SHIFT])],
    progress.commands: [lambda: progress.commands("1", ["2"])],
}


class Texts(HTMLParser):
    """The texts of a page that a person sees, without commands."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self._hidden = 0
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._hidden += tag in ("code", "script", "style")
        self.found += [value for name, value in attrs if name in SEEN and value]

    def handle_endtag(self, tag: str) -> None:
        self._hidden -= tag in ("code", "script", "style")

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self.found.append(data)


def foreign(text: str) -> str:
    """Return a text with other letters, outside its placeholders."""
    return re.sub(r"\{[^{}]*\}|[A-Za-z]", lambda found: found[0] if len(found[0]) > 1 else chr(ord(found[0]) + 0xFEE0), text)


def bare(texts: list[str]) -> list[str]:
    return [text for text in texts if set(BARE.findall(text)) - PLAIN]


@pytest.fixture(scope="module")
def texts() -> Catalog:
    return messages.extracted()


@pytest.fixture(autouse=True)
def translated(texts: Catalog, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A language that writes each text of the message files with other letters."""
    known: dict[str, str] = {}
    plurals: dict[str, tuple[str, ...]] = {}
    for one in texts:
        if not isinstance(one.id, str):
            plurals[one.id[0]] = tuple(map(foreign, one.id))
        elif one.id:
            known[words._in_sense(one.id, one.context)] = foreign(one.id)
    catalog = words._Catalog(known, plurals, lambda count: int(count != 1), {})
    monkeypatch.setattr(words, "_catalog", lambda _: catalog)
    with speaking(FOREIGN):
        yield


def draws(function: object) -> bool:
    return inspect.isfunction(function) and re.search(r"\bui\.Tag", str(function.__annotations__.get("return"))) is not None


def test_each_function_that_draws_is_drawn() -> None:
    public = {
        function
        for module in (sheet, pair_view, disagreements, progress, pairs, proposals)
        for name, function in vars(module).items()
        if not name.startswith("_") and draws(function) and function.__module__.startswith(sheet.__package__ or "")
    }
    assert {function.__name__ for function in public - DRAWN.keys()} == set()


@pytest.mark.parametrize("function", DRAWN, ids=lambda function: f"{function.__module__.rpartition('.')[2]}.{function.__name__}")
def test_no_text_is_left_in_english(function: Callable[..., object]) -> None:
    html = "".join(str(ui.div(drawing())) for drawing in DRAWN[function])
    found = Texts(html).found
    assert found
    assert bare(found) == []


def test_a_bare_text_is_found() -> None:
    assert bare(Texts(str(ui.div(ui.tags.kbd("1"), "Skip", ui.code("stc"), title="Skip it", id="skip"))).found) == [
        "Skip it",
        "Skip",
    ]
    assert bare([t("Skip"), foreign("{count} Skip").format(count=2)]) == []


def test_meanings_of_an_own_scale_are_not_translated() -> None:
    assert list(sheet.scale({0: "relevant", 1: "Skip"}).values()) == ["relevant", "Skip"]
    assert bare(list(sheet.scale(SCALE).values())) == []


class Answers:
    """A desk whose answers are written down. :attr:`given` has them by function; an error is raised."""

    guest = None

    def __init__(self) -> None:
        here = work.JudgingSession(pool="1", annotator="2", query=None, grades=scale(), guidelines=None)
        changed = replace(PAPER, rel=1, state="draft", changed=NOW, label=ShownLabel("1", 2, "ß"))
        self.given: dict[Callable[..., Any], Any] = {
            work.judging_session: here,
            work.next_token: "1",
            work.paper: PAPER,
            work.ahead: [],
            work.before: None,
            work.decide: changed,
            work.undo: work.UndoResult("1", True),
            flush: Flushed(stored=2, ids=[], rejected=["3"], trouble=None),
        }

    async def ask(self, function: Callable[..., Any], *_: object, **__: object) -> Any:
        answer = self.given[function]
        if isinstance(answer, StcError):
            raise answer
        return answer

    write = ask


class Page:
    """A session of the page without a browser."""

    id = "1"

    async def send_custom_message(self, *_: object) -> None: ...


def test_what_the_tab_announces_is_translated() -> None:
    desk, announced = Answers(), []
    at = sitting.Sitting(cast("Desk", desk), Hands(), cast("Any", Page()))

    def heard(english: str) -> None:
        announced.append(at.told())
        assert foreign(english) in at.told()

    async def press(key: str, english: str, **answers: Any) -> None:
        drawn = at.drawn()
        assert drawn is not None
        sheet_of = {"query": "3", "token": "1"} if drawn.paper else {"query": "", "token": ""}
        desk.given |= {getattr(work, name): answer for name, answer in answers.items()}
        await at.key({"key": key, "pool": "1", "serial": str(drawn.serial), "id": "0" * 8, **sheet_of})
        heard(english)

    async def hour() -> None:
        told = await at.flush({"queue": [{"id": "0" * 8, "key": "1", "pool": "1", "annotator": "2", "token": "1"}]})
        assert foreign("decisions that the browser kept are stored. Not stored: 3.") in told
        await at.begin("1", "2", None, first=told)
        heard("Document 1 of 2 of query 3, not judged yet.")
        await press("back", "There is no earlier document.")
        await press("undo", "There is nothing to undo on this page.")
        await press("1", "Graded 1. Label of a language model (")
        await press("skip", "Skipped.")
        await press("undecided", "Stored: cannot decide.")
        await press("undo", "Undone.")
        await press("undo", "Not undone: the judgment was submitted or changed elsewhere.", undo=work.UndoResult("1", False))
        await press("back", "Back.", before=PAPER)
        await press("1", "Not stored: this document was judged in another tab or terminal.", decide=None)
        await press("1", "Not stored.", decide=StateError("1"))
        await press("1", "The next document could not be loaded.", decide=PAPER, next_token=StateError("1"))
        await press("1", "Nothing left to judge here.", next_token=None)

    with reactive.isolate():
        asyncio.run(hour())
    assert bare(announced) == []


@pytest.mark.parametrize(("pool", "name"), [("", "ß"), ("1", "")])
def test_what_is_wrong_with_an_entry_is_translated(pool: str, name: str) -> None:
    at = sitting.Sitting(cast("Desk", Answers()), Hands(), cast("Any", Page()))
    with reactive.isolate():
        asyncio.run(at.begin(pool, name, None))
        error = at.refusal()
    assert error is not None
    html = str(alert(error))
    assert "lang=" not in html
    assert bare(Texts(html).found) == []
