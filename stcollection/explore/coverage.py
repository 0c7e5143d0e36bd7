"""The topic coverage tab: topics of the abstracts nearest to a text, and their frequency in the corpus."""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from typing import Any

import psycopg
from plotly.graph_objects import Figure
from shiny import Inputs, Outputs, Session, module, reactive, render, req, ui
from shiny.module import resolve_id

from stcollection.errors import StcError
from stcollection.explore.desk import Desk
from stcollection.explore.figures import figure, figure_output
from stcollection.explore.pieces import table, tells
from stcollection.explore.task import PageTask
from stcollection.plots.lattice import draw_lattice
from stcollection.studies.coverage.cover import STEPS, documents
from stcollection.studies.coverage.lattice import diagram
from stcollection.studies.coverage.records import FREQUENT, RARE, Coverage, CoverageOptions, Kind, WordDocument, marks
from stcollection.studies.coverage.store import CoverageRequest, a_text, covered, long_queries

NAME, TITLE = "coverage", "Topic coverage"
OWN = "(custom text)"
SHOWN = 20  # documents listed per topic
_FORM: Any = {"sm": 6, "lg": 3}  # twelfths of the width
_BESIDE: Any = {"sm": 12, "lg": (7, 5)}
_KINDS: dict[Kind, tuple[str, str]] = {
    "lda": ("LDA", "Topics of latent Dirichlet allocation"),
    "itemset": ("Itemsets", "Frequent itemsets of the abstracts"),
    "concept": ("Concepts", "Formal concepts of the abstracts"),
}
_SIGNS = {FREQUENT: "▲ frequent", RARE: "▽ rare", "": ""}
_SLOW = ("sklearn.decomposition", "mlxtend.frequent_patterns", "concepts")
_MARKED = re.compile("\ue000([^\ue000\ue001]*)\ue001")


class _Left(StcError):
    """Raised in the worker thread after the reader cancelled the task."""


@module.ui
def tab() -> ui.Tag:
    return ui.div(
        ui.h1("Topic coverage"),
        ui.p("Find the topics of the abstracts nearest to a text, and count the documents that contain each topic's words."),
        ui.input_select("query", "Source text", [OWN], width="100%"),
        ui.input_text_area("text", "Text", rows=4, width="100%"),
        ui.layout_columns(
            ui.input_numeric("documents", "Nearest abstracts", 100, min=1, max=1000),
            ui.input_numeric("topics", "LDA topics", 10, min=1, max=100),
            ui.input_numeric("words", "Words per topic", 3, min=1, max=6),
            ui.input_select("within", "Count words in", {"text": "title or abstract", "abstract": "abstract"}),
            col_widths=_FORM,
        ),
        ui.div(
            ui.input_task_button("go", "Find topics", label_busy="Finding topics …"),
            ui.input_action_button("cancel", "Cancel", class_="btn-secondary"),
            class_="d-flex gap-2 mb-3",
        ),
        ui.div(ui.output_ui("state"), aria_live="polite"),
        ui.layout_columns(
            ui.navset_underline(
                ui.nav_panel(_KINDS["lda"][0], ui.output_ui("lda_rows"), value="lda"),
                ui.nav_panel(_KINDS["itemset"][0], ui.output_ui("itemset_rows"), value="itemset"),
                ui.nav_panel(
                    _KINDS["concept"][0],
                    figure_output("lattice", label="Lattice of concepts; see the table below for values", height="32rem"),
                    ui.output_ui("concept_rows"),
                    value="concept",
                ),
                id="kind",
            ),
            ui.div(ui.output_ui("held"), aria_live="polite", class_="stc-held", style="position: sticky; top: 1rem"),
            col_widths=_BESIDE,
        ),
    )


@module.server
def serve(input: Inputs, output: Outputs, session: Session, desk: Desk) -> None:  # noqa: A002
    chosen_input = resolve_id("topic")
    texts: dict[str, str] = {}
    at_work: list[_Work] = []
    chosen: reactive.Value[tuple[str, ...] | None] = reactive.Value(None, name="chosen")

    @reactive.effect
    async def _choices() -> None:
        try:
            texts.update({one.query: one.text for one in await desk.ask(long_queries) if one.query is not None})
        except StcError:  # custom texts still work; the error is shown when the reader selects 'Find topics'
            return
        ui.update_select("query", choices=[OWN, *texts])

    @reactive.effect
    @reactive.event(input.query)
    def _fill() -> None:
        if input.query() in texts:
            ui.update_text_area("text", value=texts[input.query()])

    @PageTask
    async def find(asked: CoverageRequest, options: CoverageOptions, work: _Work) -> Coverage:
        return await desk.ask(_find, asked, options, work)

    @reactive.effect(priority=1000)
    def _busy() -> None:
        ui.update_task_button("go", state="busy" if find.status() == "running" else "ready")

    @reactive.effect
    @reactive.event(input.go)
    def _go() -> None:
        text, name = input.text(), input.query()
        asked = CoverageRequest(name, name, text) if texts.get(name) == text else a_text(text)
        at_work[:] = [_Work()]
        chosen.set(None)
        find.invoke(asked, _wanted(input), at_work[0])

    @reactive.effect
    @reactive.event(input.cancel)
    def _cancel() -> None:
        if find.status() == "running":
            at_work[0].left.set()
            find.cancel()

    @render.ui
    @tells
    async def state() -> Any:
        status = find.status()
        if status == "running":
            reactive.invalidate_later(0.3)
            done = at_work[0].steps[:]
            return ui.p(f"Step {max(len(done), 1)} of {len(STEPS)}: {done[-1] if done else STEPS[0]} …")
        if status == "cancelled":
            return ui.p("Cancelled.")
        if status == "initial":
            _warm()
            return ui.p("Select a stored query or enter a text, then select Find topics.")
        found = find.result()
        took = "stored earlier" if found.stored else f"computed in {sum(found.seconds.values()):.2f} seconds"
        sentences = [f"{len(found.topics):,} topics in {_many(len(found.docs), 'abstract')}, {took}."]
        sentences += [f"Itemsets and concepts occur in at least {found.support:.0%} of the abstracts."]
        sentences += [f"{note[:1].upper()}{note[1:]}." for note in found.notes]
        return ui.p(" ".join(sentences))

    def found() -> Coverage:
        req(find.status() == "success")
        return find.result()

    def rows(kind: Kind) -> ui.Tag:
        return _table(found(), kind, chosen_input)

    @render.ui
    def lda_rows() -> ui.Tag:
        return rows("lda")

    @render.ui
    def itemset_rows() -> ui.Tag:
        return rows("itemset")

    @render.ui
    def concept_rows() -> ui.Tag:
        return rows("concept")

    @figure
    async def lattice() -> Figure:
        now = found()
        concepts = now.of("concept")
        req(concepts)
        return draw_lattice(diagram(concepts, abstracts=len(now.docs)))

    @reactive.effect
    @reactive.event(input.topic)
    def _choose() -> None:
        kind, _, place = str(input.topic()).partition(" ")
        if find.status() == "success":
            chosen.set(next((one.words for one in find.result().topics if (one.kind, str(one.place)) == (kind, place)), None))

    @render.ui
    @tells
    async def held() -> Any:
        words = chosen()
        req(words)
        assert words is not None  # noqa: S101
        with reactive.isolate():
            within = find.result().options.within
        return _documents(words, await desk.ask(documents, words, k=SHOWN, within=within))


@cache
def _warm() -> None:
    """Import the packages for LDA and itemsets in the background: this takes seconds, once per process."""
    threading.Thread(target=lambda: [import_module(name) for name in _SLOW], daemon=True).start()


class _Work:
    """State shared by the page and its worker thread: the steps begun so far, and whether the reader cancelled."""

    def __init__(self) -> None:
        self.steps: list[str] = []
        self.left = threading.Event()

    def tell(self, step: str) -> None:
        if self.left.is_set():
            raise _Left("cancelled")
        self.steps.append(step)


def _find(conn: psycopg.Connection, asked: CoverageRequest, options: CoverageOptions, work: _Work) -> Coverage:
    return covered(conn, asked, options=options.checked(), store=False, tell=work.tell)


def _wanted(input: Inputs) -> CoverageOptions:  # noqa: A002
    """Return the form's options. A value that is not an integer becomes 0, which :meth:`CoverageOptions.checked` rejects."""
    documents, topics, words = (
        value if isinstance(value := input[name](), int) else 0 for name in ("documents", "topics", "words")
    )
    return CoverageOptions(documents=documents, topics=topics, words=words, within=input.within())


def _table(found: Coverage, kind: Kind, chosen: str) -> ui.Tag:
    some = found.of(kind)
    if not some:
        return ui.p("No topics of this kind.")

    def button(place: int, words: Sequence[str]) -> ui.Tag:
        return ui.tags.button(
            ", ".join(words),
            type="button",
            class_="btn btn-link btn-sm p-0 text-start stc-topic",
            aria_pressed="false",
            data_input=chosen,
            data_kind=kind,
            data_place=str(place),
            title="Show documents with these words",
        )

    share = "share of words" if kind == "lda" else "abstracts"
    lines = [
        (button(one.place, one.words), _SIGNS[mark], one.count, f"{one.weight:.1%}")
        for one, mark in zip(some, marks([one.count for one in some]), strict=True)
    ]
    return table(
        ("words", "quartile", "documents", share),
        lines,
        numbers=(2, 3),
        caption=f"{_KINDS[kind][1]}, sorted by the number of documents with all words; ▲ top quartile, ▽ bottom quartile",
    )


def _documents(words: Sequence[str], rows: Sequence[WordDocument]) -> ui.Tag:
    named = " + ".join(words)
    total = rows[0].total if rows else 0
    first = f", the first {len(rows):,}" if total > len(rows) else ""
    return ui.div(
        ui.h2(f"{_many(total, 'document')} with {named}{first}", class_="h5 mt-4"),
        ui.tags.ol(*(ui.tags.li(_document(one)) for one in rows)),
    )


def _document(one: WordDocument) -> ui.Tag:
    return ui.div(
        ui.h3(*_marked(one.title or f"Document {one.docno}"), class_="h6 mb-0"),
        ui.div(", ".join(str(part) for part in (one.year, one.docno) if part is not None), class_="small text-body-secondary"),
        ui.p(*_marked(one.abstract or ""), class_="mb-2"),
    )


def _marked(text: str) -> list[Any]:
    """Return the text with marked words as <mark> elements. The rest is plain text, which htmltools escapes."""
    parts = _MARKED.split(text)
    return [ui.tags.mark(part) if at % 2 else part for at, part in enumerate(parts)]


def _many(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"
