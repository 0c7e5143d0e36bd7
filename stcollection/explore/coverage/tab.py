"""The topic coverage tab: topics of the abstracts nearest to a text, and their frequency in the corpus."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from plotly.graph_objects import Figure
from shiny import Inputs, Outputs, Session, module, reactive, render, req, ui
from shiny.module import resolve_id

from stcollection.errors import StcError
from stcollection.explore import address
from stcollection.explore.coverage.asking import Work, find, holding, warm
from stcollection.explore.coverage.form import fill, form, read, sources, wanted, written
from stcollection.explore.coverage.rows import KINDS, documents, topics
from stcollection.explore.figures import figure, figure_output
from stcollection.explore.pieces import tells
from stcollection.explore.task import PageTask
from stcollection.plots.lattice import draw_lattice
from stcollection.studies.coverage.cover import STEPS
from stcollection.studies.coverage.lattice import diagram
from stcollection.studies.coverage.records import Coverage, CoverageOptions, Kind
from stcollection.studies.coverage.store import CoverageRequest, long_queries, make_request
from stcollection.web.desk import Desk
from stcollection.web.words import n, t

NAME = "coverage"
_BESIDE: Any = {"sm": 12, "lg": (7, 5)}
_REMEMBERED = 8  # results of a session, for back and forward

Asked = tuple[CoverageRequest, CoverageOptions]


@module.ui
def tab() -> ui.Tag:
    titles = {kind: t(short) for kind, (short, _) in KINDS.items()}
    return ui.div(
        ui.h1(t("Topic coverage")),
        ui.p(t("Find the topics of the abstracts nearest to a text, and count the documents that contain each topic's words.")),
        form(),
        ui.div(ui.output_ui("state"), aria_live="polite"),
        ui.layout_columns(
            ui.navset_underline(
                ui.nav_panel(titles["lda"], ui.output_ui("lda_rows"), value="lda"),
                ui.nav_panel(titles["itemset"], ui.output_ui("itemset_rows"), value="itemset"),
                ui.nav_panel(
                    titles["concept"],
                    figure_output("lattice", label=t("Lattice of concepts; see the table below for values"), height="32rem"),
                    ui.output_ui("concept_rows"),
                    value="concept",
                ),
                id="kind",
            ),
            ui.div(ui.output_ui("held"), aria_live="polite", class_="stc-held"),
            col_widths=_BESIDE,
        ),
        class_="stc-coverage",
        data_input=resolve_id("topic"),
    )


@module.server
def serve(input: Inputs, output: Outputs, session: Session, desk: Desk) -> None:  # noqa: A002
    at_work: list[Work] = []
    remembered: dict[Asked, Coverage] = {}
    asked: reactive.Value[Asked | None] = reactive.Value(None, name="asked")
    topic: reactive.Value[str] = reactive.Value("", name="topic")

    @PageTask
    async def task(one: Asked, work: Work) -> Coverage:
        if one not in remembered:
            remembered[one] = await desk.ask(find, *one, work)
            for old in list(remembered)[:-_REMEMBERED]:
                del remembered[old]
        return remembered[one]

    def start(one: Asked | None) -> None:
        asked.set(one)
        if one is not None:
            at_work[:] = [Work()]
            task.invoke(one, at_work[0])

    @reactive.effect(priority=1000)
    def _() -> None:
        ui.update_task_button("go", state="busy" if task.status() == "running" else "ready")

    @reactive.effect
    @reactive.event(input.cancel)
    def _() -> None:
        if task.status() == "running":
            at_work[0].left.set()
            task.cancel()

    def found() -> Coverage:
        req(asked() is not None and task.status() == "success")
        return task.result()

    _places(input, session, desk, asked, topic, start)
    _results(session, desk, found, topic)

    @render.ui
    @tells
    async def state() -> Any:
        status = "initial" if asked() is None else task.status()
        if status == "running":
            reactive.invalidate_later(0.3)
            done = at_work[0].steps[:]
            step = done[-1] if done else STEPS[0]
            return ui.p(t("Step {number} of {all}: {step} …", number=max(len(done), 1), all=len(STEPS), step=step))
        if status == "cancelled":
            return ui.p(t("Cancelled."))
        if status == "initial":
            warm()
            return ui.p(t("Select a stored query or enter a text, then select Find topics."))
        return ui.p(_summary(task.result()))


def _places(
    input: Inputs,  # noqa: A002
    session: Session,
    desk: Desk,
    asked: reactive.Value[Asked | None],
    topic: reactive.Value[str],
    start: Callable[[Asked | None], None],
) -> None:
    """Start the work from the form and from the URL, and keep what is shown in the URL."""
    texts: dict[str, str] = {}

    async def restore(place: Mapping[str, str]) -> None:
        request, options = read(place, texts)
        fill(request, options)
        kind = place.get("kind", "lda")
        ui.update_navset("kind", selected=kind if kind in KINDS else "lda")
        topic.set(place.get("topic", ""))
        await session.send_custom_message("stc-topic", {"topic": place.get("topic", "")})
        with reactive.isolate():
            if asked() != (wished := None if request is None else (request, options)):
                start(wished)

    @reactive.effect
    async def _() -> None:
        """Offer the stored queries, and open what the URL names, once."""
        with reactive.isolate():
            with suppress(StcError):  # custom texts still work; the error is shown when the reader selects 'Find topics'
                texts.update({one.query: one.text for one in await desk.ask(long_queries) if one.query is not None})
            ui.update_select("query", choices=sources(texts))
            place = address.read(session)
            if place.get("tab") == NAME:
                await restore(place)

    @reactive.effect
    async def _() -> None:
        place = address.visited(session)
        if place is not None and place.get("tab") == NAME:
            await restore(place)

    @reactive.effect
    @reactive.event(input.query)
    def _() -> None:
        if input.query() in texts:
            ui.update_text_area("text", value=texts[input.query()])

    @reactive.effect
    @reactive.event(input.go)
    async def _() -> None:
        text, name = input.text(), input.query()
        request, options = CoverageRequest(name, name, text) if texts.get(name) == text else make_request(text), wanted(input)
        topic.set("")
        start((request, options))
        await address.write(session, push=True, tab=NAME, topic=None, **written(request, options))

    @reactive.effect
    @reactive.event(input.kind, ignore_init=True)
    async def _() -> None:
        if session.root_scope().input.tab() == NAME:
            await address.write(session, push=True, tab=NAME, kind=None if input.kind() == "lda" else input.kind())

    @reactive.effect
    @reactive.event(input.topic)
    async def _() -> None:
        topic.set(str(input.topic())[:40])
        await address.write(session, push=True, tab=NAME, topic=topic())


def _results(
    session: Session,
    desk: Desk,
    found: Callable[[], Coverage],
    topic: reactive.Value[str],
) -> None:
    """Show the topics, and the documents of the selected one."""

    def rows(kind: Kind) -> ui.Tag:
        done = found()
        with reactive.isolate():  # drawing the table again would move the focus away from its button
            return topics(done, kind, send_to=session.ns("topic"), chosen=topic())

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

    @render.ui
    @tells
    async def held() -> Any:
        done, (kind, _, place) = found(), topic().partition(" ")
        words = next((one.words for one in done.topics if (one.kind, str(one.place)) == (kind, place)), None)
        req(words)
        assert words is not None  # noqa: S101
        return documents(words, *await desk.ask(holding, words, done.options.within))


def _summary(found: Coverage) -> str:
    took = t("stored earlier") if found.stored else t("computed in {seconds:.2f} seconds", seconds=sum(found.seconds.values()))
    abstracts = n("{count:,} abstract", "{count:,} abstracts", len(found.docs))
    sentences = [
        n(
            "{count:,} topic in {abstracts}, {took}.",
            "{count:,} topics in {abstracts}, {took}.",
            len(found.topics),
            abstracts=abstracts,
            took=took,
        )
    ]
    sentences += [t("Itemsets and concepts occur in at least {share:.0%} of the abstracts.", share=found.support)]
    sentences += [f"{note[:1].upper()}{note[1:]}." for note in found.notes]
    return " ".join(sentences)
