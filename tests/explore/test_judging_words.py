"""Every text of the view Judging is translated, seen without a browser: in a language whose letters are not ASCII, none is left."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, cast

import pytest
from babel.messages.catalog import Catalog
from starlette.applications import Starlette
from starlette.testclient import TestClient

from stcollection.analysis.impact import Shift
from stcollection.analysis.stopping import ONLY_RELEVANT, PoolProgress, QueryYield
from stcollection.errors import StateError, StcError
from stcollection.explore.judging import organising, pairs, panels
from stcollection.explore.judging.corrections import Effect, Form
from stcollection.explore.judging.decisions import Flushed, flush
from stcollection.explore.judging.disputes import disputes
from stcollection.explore.judging.request import JudgingState
from stcollection.explore.judging.texts import KEYS, announced, division, finished, marked, metadata, paragraphs, scale, simulated
from stcollection.explore.judging.view import VIEW, _paper
from stcollection.explore.templates import render
from stcollection.explore.views import Site
from stcollection.qrels import judging as work
from stcollection.qrels.comparisons import DocumentPair, PairProgress
from stcollection.qrels.diff import JudgmentChange
from stcollection.qrels.guidelines import default_guidelines
from stcollection.qrels.judging import (
    BlindDocument,
    DifferingGrade,
    OfSheet,
    PastDecision,
    PoolAlpha,
    SheetCounts,
    SheetPage,
    SheetPair,
)
from stcollection.qrels.labels import ShownLabel
from stcollection.qrels.organise import AssessorProgress, Drift
from stcollection.qrels.pools import OfQuery, PoolOverview
from stcollection.qrels.sheets import plain
from stcollection.studies.synth.page import proposals
from stcollection.studies.synth.subtopics import Subtopic
from stcollection.topics.articles import TopicArticle
from stcollection.web import words
from stcollection.web.desk import Desk
from stcollection.web.words import speaking, t
from tests.explore.judged import PAPER
from tools import messages

FOREIGN = "qps"
BARE = re.compile(r"[A-Za-z]{2,}")
SEEN = {"alt", "aria-description", "aria-label", "placeholder", "title"}  # attributes that a person sees or hears
PLAIN = {"UTC", "nDCG"}
NOW = datetime(2024, 5, 6, tzinfo=UTC)
SCALE = {0: "not relevant", 1: "relevant", 2: "very relevant"}
ALPHA = PoolAlpha(2, 3, 6, None, 0.5)

PAPERS = [
    PAPER,
    replace(PAPER, state="skipped", label=ShownLabel("1", 2, "ß")),
    replace(PAPER, state="undecided", metadata={"authors": ["ß"], "citations": 2}),
    replace(PAPER, state="draft", rel=1),
    replace(PAPER, state="submitted", rel=1),
]
POOL = PoolOverview("1", "", 2, 3, 0, ["ß"], 0, 0, {}, NOW, simulated=True)
POOLS = [POOL, *(POOL._replace(params={"shares": {"annotators": ["1", "2"], "overlap": part}}) for part in (0, 0.2))]
TODO = OfSheet("1", "2", 9, 1, 1, 0, 1)
OPEN = PairProgress("1", "2", "3", 4, 1, 1, 5, 6, None, False)
GRADE = DifferingGrade("1", "2", "3", None, 2, "4", 0, None, NOW, True, None, None, "open", None, None)
GRADES = [
    GRADE,
    GRADE._replace(docno="4", final=1, final_by="5", review="settled", reviewer="8"),
    GRADE._replace(docno="6", title="7", submitted=False),
]
MANY = [GRADE._replace(docno=str(number)) for number in range(201)]
WORK = AssessorProgress("1", 9, 1, 1, 1, 0, 1, 2.0, 2.0, NOW, NOW)
STATE = JudgingState(pool="1", annotator="2")
FRAME: dict[str, object] = {
    "state": STATE,
    "guest": False,
    "panels": [],
    "panel": "",
    "plain": plain,
    "time": panels._time,
    "undefined": panels.value_or_undefined,
    "metadata": metadata,
}
HERE = work.JudgingSession(pool="1", annotator="2", query=None, grades=SCALE, guidelines=None)
PAIR = work.ShownPair(pair=DocumentPair("1", 2, "3", "4"), left=PAPER, right=PAPER)
ESTIMATE = PoolProgress(
    documents=9,
    judged=3,
    relevant=2,
    missing=1.5,
    low=0,
    high=3,
    measure="1",
    tau=0.5,
    pairs=3,
    open_pairs=1,
    batches=True,
    only_relevant=False,
    queries=[QueryYield("1", 9, 3, 2, 1.5, 0, 3)],
    runs=[],
)
SHIFT = Drift("1", 2, 0.5, 0.5, 0.5, 0.1, 0.1, 0.1)

PROPOSAL = Subtopic(1, "1", "ß", "ß", "ß", 1, "waiting", None, "2", "2", None, None, None, None, None, None, None)
PROPOSALS = [
    PROPOSAL,
    PROPOSAL._replace(nearest="3", words=0.5),
    PROPOSAL._replace(nearest_query="4", nearest="3", words=0.5, cosine=0.5),
    PROPOSAL._replace(state="published", query="5"),
    *(PROPOSAL._replace(state=state, reviewer=reviewer) for state in proposals._STATES for reviewer in (None, "6")),
]


def papers(paper: BlindDocument | None, *, timed: int = 12, **more: object) -> dict[str, object]:
    """The values of a sheet."""
    counts = SheetCounts(20, 3, 1, 1, timed, 5.0)
    page = SheetPage(grades=SCALE, paper=paper, counts=counts, ahead=())
    return {**_paper(STATE, page, again=False), **FRAME, **more}


def pages() -> Iterator[tuple[str, dict[str, object]]]:
    """The templates of the view with values."""
    for paper in PAPERS:
        yield "paper", papers(paper)
        yield "sheet", papers(paper, guidelines=default_guidelines(scale(SCALE), t=t), keys=KEYS, told=announced(paper))
    for rows in ([TODO], [], [TODO._replace(judged=8)]):
        for query in (None, "3"):
            for queries in ("all", "7"):
                yield "paper", papers(None, done=finished(rows, pool="1", query=query, queries=queries))
    yield "article", {**FRAME, "paper": PAPER, "paragraphs": paragraphs}
    for pool in (None, *POOLS):
        listed = POOLS if pool else []
        values = {"error": None, "pools": listed, "chosen": pool, "division": pool and division(pool), "path": "/judging"}
        yield "entry", {**FRAME, **values, "rows": [OfQuery("1", "2", 3, 1, 1)], "simulated": simulated(POOLS)}
    for pool in (None, *POOLS):
        listed, sent = POOLS if pool else [], dict(organising.USUAL)
        told: dict[str, Any] = {"error": None, "told": None, "shown": "1" if pool else None, "shares": ["1"], "editions": ["1"]}
        told |= {"fields": [(field, t(name)) for field, name in organising.FIELD_NAMES.items()], "seen": ["year"]}
        yield "pools", {**FRAME, **told, "listed": listed, "chosen": pool, "sent": sent}
    yield "nobody", {**FRAME, "text": "", "pools": POOLS, "chosen": None, "path": "/judging"}
    yield "queries", {**FRAME, "rows": [TODO], "state": STATE._replace(of="1")}
    for shown in (PAIR, None):
        for open_pairs in ([OPEN], [OPEN._replace(remaining=0)], []):
            for elsewhere in (False, True):
                done = None if shown else pairs.finished(open_pairs, HERE, query="2", elsewhere=elsewhere)
                given = {
                    "shown": shown,
                    "rows": open_pairs,
                    "done": done,
                    "pace": pairs.pairs_left(3, len(open_pairs)),
                    "choices": pairs.CHOICES,
                }
                keys = {"keys": pairs.KEYS, "guidelines": "", "told": "", "paragraphs": paragraphs, "short": 9, "marked": marked}
                yield "pairs", {**FRAME, **given, **keys, "state": STATE._replace(of="1")}
    for found in (GRADES, MANY, []):
        made = disputes(found, {})
        past = [PastDecision("1", "3", "4", NOW, rel, not rel, None, True, False, None) for rel in (0, 1, None)]
        past.append(past[0]._replace(rel=None, review="in-review"))
        yield (
            "disagreements",
            {
                **FRAME,
                "error": None,
                "adjudicator": "",
                "queries": [OfQuery("1", "2", 3, 1, 1)],
                "alpha": ALPHA,
                "pairs": [SheetPair("1", "2", 3, 0.5, None, 0.5)],
                "made": made,
                "shown": made.open[20:40] or made.open,
                "first": 20,
                "size": 20,
                "grades": scale(SCALE),
                "reviews": [(name, t(text)) for name, text in panels.REVIEWS.items()],
                "shown_fields": {one.docno: {"citations": 2} for one in made.open},
                "abstracts": dict.fromkeys((one.docno for one in made.open), None),
                "history": {(one.query, one.docno): past * 2 for one in made.open},
                "settled_by": bool(found),
                "quoted": "",
            },
        )
    for assessors in ([], [WORK, WORK._replace(last_decision=None, median_seconds=0.0)]):
        nothing = replace(ESTIMATE, missing=None, only_relevant=True)
        for drifted, estimate in (
            (None, ESTIMATE),
            (None, nothing),
            ([], replace(ESTIMATE, missing=None)),
            ([SHIFT], replace(ESTIMATE, tau=None)),
        ):
            yield (
                "progress",
                {
                    **FRAME,
                    "rows": assessors,
                    "alpha": ALPHA,
                    "compared": {"1": [OPEN]},
                    "editions": [],
                    "control": "1",
                    "drifted": drifted,
                    "labels": "",
                    "measure": "1",
                    "measures": ["1"],
                    "estimate": estimate,
                    "only_relevant": ONLY_RELEVANT,
                    "by_query": estimate.queries,
                    "names": [],
                    "quoted": "",
                },
            )
    for stored in (False, True):
        for runs in ([], [Shift("1", 0.5, 0.4, -0.1, 1, 2, 3, 3), Shift("2", 0.5, 0.5, 0.0, 2, 2, 3, 3)]):
            change = JudgmentChange("1", "2", "changed", 0, 1, *[None] * (len(JudgmentChange._fields) - 5))
            form = Form(edition="1", query="2", doc="3", rel="1", why="ß", unjudged=False)
            effect = Effect(form=form, version="2", judgments=[change], runs=runs, stored=stored)
            yield (
                "corrections",
                {
                    **FRAME,
                    "may": True,
                    "error": None,
                    "editions": ["1"],
                    "form": form,
                    "effect": effect,
                    "moved": runs[:1],
                    "quote": str,
                },
            )
    for topics in ([], [("1", 1)]):
        yield (
            "proposals",
            {
                **FRAME,
                "error": None,
                "told": "",
                "reviewer": "",
                "topic": "1",
                "topics": topics,
                "proposals": PROPOSALS,
                "accepted": 2,
                "article": TopicArticle(topic="1", title="2", origin="3", article="4\n\n5", queries=[]),
                "verdicts": proposals._VERDICTS,
                "near": proposals._near,
                "state_of": proposals._state,
                "paragraphs": paragraphs,
            },
        )


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
    catalog = words._Catalog(known, plurals, lambda count: int(count != 1))
    monkeypatch.setattr(words, "_catalog", lambda _: catalog)
    with speaking(FOREIGN):
        yield


OF_STUDIES = {"proposals": "synth"}


def test_each_template_is_drawn() -> None:
    drawn = {name for name, _ in pages() if name not in OF_STUDIES} | {
        "frame",
        "macros",
        "alert",
        "article_text",
        "pair",
    }  # these are parts of others
    assert {path.stem for path in Path(panels.__file__).parent.glob("*.html")} == drawn


@pytest.mark.parametrize(
    "name",
    sorted(
        {
            "paper",
            "sheet",
            "article",
            "entry",
            "nobody",
            "queries",
            "pairs",
            "disagreements",
            "progress",
            "corrections",
            "proposals",
        }
    ),
)
def test_no_text_is_left_in_english(name: str) -> None:
    drawn = [
        render(f"{OF_STUDIES.get(one, 'judging')}/{one}.html", part=True, title=None, **values)
        for one, values in pages()
        if one == name
    ]
    found = Texts("".join(drawn)).found
    assert found
    assert bare(found) == []


def test_a_bare_text_is_found() -> None:
    assert bare(Texts('<p title="Skip it"><kbd>1</kbd>Skip<code>stc</code></p>').found) == ["Skip it", "Skip"]
    assert bare([t("Skip"), foreign("{count} Skip").format(count=2)]) == []


def test_meanings_of_an_own_scale_are_not_translated() -> None:
    assert list(scale({0: "relevant", 1: "Skip"}).values()) == ["relevant", "Skip"]
    assert bare(list(scale(SCALE).values())) == []


class Answers:
    """A desk whose answers are written down. :attr:`given` has them by function; an error is raised."""

    guest = None

    def __init__(self) -> None:
        page = SheetPage(grades=SCALE, paper=PAPER, counts=SheetCounts(1, 1, 0, 0, 0, None), ahead=())
        self.origin, self.seconds = self, 1.0
        self.given: dict[Callable[..., Any], Any] = {
            work.sheet_page: page,
            work.progress: [],
            work.paper: PAPER,
            work.place_before: None,
            work.store_decision: work.StoredDecision(ShownLabel("1", 2, "ß")),
            work.undo: work.UndoResult("1", True, "3"),
            flush: Flushed(stored=2, ids=[], rejected=["3"], trouble=None),
        }

    async def ask(self, function: Callable[..., Any], *_: object, **__: object) -> Any:
        answer = self.given[function]
        if isinstance(answer, StcError):
            raise answer
        return answer

    write = ask


def test_what_the_view_announces_is_translated() -> None:
    desk = Answers()
    site = Site(home=cast("Desk", desk), title="ß", sign_out=False)
    client = TestClient(Starlette(routes=list(VIEW.routes(site))))
    announced_texts: list[str] = []

    def heard(answer: dict[str, Any], english: str) -> None:
        announced_texts.append(answer["told"])
        assert foreign(english) in answer["told"]

    def press(key: str, english: str, **answers: Any) -> None:
        desk.given |= {getattr(work, name): answer for name, answer in answers.items()}
        sent = {"key": key, "token": "1", "query": "3", "id": "0" * 8, "last": "0" * 8, "scripted": "1"}
        heard(client.post("/judging/press?pool=1&annotator=2", data=sent).json(), english)

    with speaking(FOREIGN):
        queue = [{"id": "0" * 8, "key": "1", "pool": "1", "annotator": "2", "token": "1"}]
        kept = client.post("/judging/kept?pool=1&annotator=2", json={"queue": queue}).json()
        heard(kept, "decisions that the browser kept are stored. Not stored: 3.")
        heard(kept, "Document 1 of 2 of query 3, not judged yet.")
        press("back", "There is no earlier document.")
        press("1", "Graded 1. Label of a language model (")
        press("skip", "Skipped.")
        press("undecided", "Stored: cannot decide.")
        press("undo", "Undone.")
        press("undo", "Not undone: the judgment was submitted or changed elsewhere.", undo=work.UndoResult("1", False, "3"))
        press("undo", "There is nothing to undo on this page.", undo=None)
        press("back", "Back.", place_before=work.SheetPlace("3", "1"))
        press("1", "Not stored: this document was judged in another tab or terminal.", store_decision=None)
        press("1", "Not stored.", store_decision=StateError("1"))
        stored = work.StoredDecision(None)
        press("1", "The next document could not be loaded.", store_decision=stored, sheet_page=StateError("1"))
        nothing = SheetPage(grades=SCALE, paper=None, counts=SheetCounts(1, 1, 0, 0, 0, None), ahead=())
        press("1", "Nothing left to judge here.", sheet_page=nothing)
    assert bare(announced_texts) == []
