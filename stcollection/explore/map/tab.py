"""The map tab: documents placed by their vectors, a list of them, and the open document."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from plotly.graph_objects import Figure
from shiny import Inputs, Outputs, Session, module, reactive, render, req, ui
from shiny.module import resolve_id

from stcollection.analysis.cluster_hypothesis import NeighbourShare
from stcollection.analysis.map.documents import OpenedDocument, Spot, grades, judged_queries, near_relevant, opened
from stcollection.analysis.map.store import STEPS
from stcollection.errors import StcError
from stcollection.explore import address
from stcollection.explore.figures import figure, figure_output
from stcollection.explore.map.drawing import draw, shown
from stcollection.explore.pieces import alert, tells
from stcollection.explore.restoring import Restoring
from stcollection.explore.task import PageTask
from stcollection.texts import later
from stcollection.topics.sets import ALL, expression
from stcollection.web.desk import Desk
from stcollection.web.maps import PageMap, SharedMap
from stcollection.web.words import n, t

NAME = "map"
_COLOURS = {"cluster": later("Cluster"), "year": later("Year"), "venue": later("Venue"), "relevance": later("Relevance")}
_LISTED = 25  # documents in the list
_LONGEST_SET = 500  # characters of a typed set of queries from the URL
_DEFAULTS = {"colour": "cluster", "edition": "", "query": "", "set": "", "cluster": "", "find": ""}
_JUDGED = ("edition", "query", "set")  # used only while relevance colours the map
_BESIDE: Any = {"sm": 12, "lg": (8, 4)}


@module.ui
def tab() -> ui.Tag:
    return ui.div(
        ui.h1(t("Map of the documents")),
        ui.p(
            t("Documents with similar vectors are near each other. Select a mark, or a title from the list, to read the document.")
        ),
        ui.div(ui.output_ui("state"), role="status"),
        ui.div(
            ui.input_select("colour", t("Colour by"), {name: t(said) for name, said in _COLOURS.items()}),
            ui.div(ui.input_select("edition", t("Judgments of edition"), []), class_="stc-map-judged"),
            ui.div(ui.input_select("query", t("Judged for query"), _or_all({})), class_="stc-map-judged"),
            ui.div(ui.input_text("set", t("Typed query set"), placeholder="G01.C*", update_on="blur"), class_="stc-map-judged"),
            class_="stc-controls",
        ),
        ui.div(ui.output_ui("near"), role="status"),
        ui.layout_columns(
            figure_output("points", label=t("Map of the documents; the list has the same documents"), height="34rem"),
            ui.div(
                ui.div(ui.output_ui("document"), aria_live="polite", class_="stc-map-open"),
                ui.h2(t("Documents"), class_="h5"),
                ui.div(
                    ui.input_text("find", t("Words in the title")),
                    ui.input_select("cluster", t("Cluster"), _or_all({})),
                    class_="stc-controls",
                ),
                ui.output_ui("listed"),
            ),
            col_widths=_BESIDE,
        ),
        class_="stc-map",
        data_points=resolve_id("points"),
        data_input=resolve_id("doc"),
    )


@module.server
def serve(input: Inputs, output: Outputs, session: Session, desk: Desk) -> None:  # noqa: A002
    shared = SharedMap.of(desk)
    doc: reactive.Value[int | None] = reactive.Value(None, name="doc")
    queries: reactive.Value[dict[str, list[str]]] = reactive.Value({}, name="queries")

    @PageTask
    async def load() -> tuple[PageMap, dict[str, list[str]]] | StcError:
        try:
            return await shared.get(), await desk.ask(judged_queries)
        except StcError as error:
            return error

    @reactive.effect
    def _() -> None:
        """Load the map when the reader first opens the tab, and again after an error."""
        if session.root_scope().input.tab() != NAME:
            return
        with reactive.isolate():
            failed = load.status() == "success" and isinstance(load.result(), StcError)
            if load.status() == "initial" or failed:
                load.invoke()

    @reactive.calc
    def found() -> PageMap:
        done = load.result()
        req(not isinstance(done, StcError))
        assert not isinstance(done, StcError)  # noqa: S101
        return done[0]

    @render.ui
    def state() -> ui.TagChild:
        if load.status() == "running":
            reactive.invalidate_later(0.5)
            done = shared.steps[:]
            if not done:
                return t("Reading vectors …")
            return t("Step {number} of {all}: {step} …", number=len(done), all=len(STEPS), step=done[-1])
        done_all = load.result()
        return alert(done_all) if isinstance(done_all, StcError) else _counted(done_all[0])

    @reactive.effect
    def _() -> None:
        done = load.result()
        if not isinstance(done, StcError):
            queries.set(done[1])

    _places(input, session, doc, queries, found)

    def chosen() -> str:
        """Return the set of queries whose judgments are shown."""
        query = input.query()
        return str(input["set"]()).strip() or (expression([query]) if query else ALL)

    @reactive.calc
    async def relevant() -> Mapping[int, int]:
        if input.colour() != "relevance" or input.edition() not in queries():
            return {}
        return await desk.ask(grades, input.edition(), chosen())

    @render.ui
    async def near() -> ui.TagChild:
        """The test of the cluster hypothesis. An unknown set of queries is reported by the figure."""
        if input.colour() != "relevance" or input.edition() not in queries():
            return None
        try:
            return _near(await desk.ask(near_relevant, input.edition(), chosen()))
        except StcError:
            return None

    @figure
    async def points() -> Figure | None:
        now = found()
        with reactive.isolate():
            ring = doc()
        try:
            return draw(now, input.colour(), await relevant(), ring)
        except StcError as error:
            ui.notification_show(alert(error), type="error")
            return None

    @render.ui
    def listed() -> ui.TagChild:
        cluster = input.cluster()
        some = found().find(input.find(), int(cluster) - 1 if cluster.isdecimal() else None)
        return _list(some, doc(), session.ns("doc"))

    @reactive.effect
    @reactive.event(input.doc)
    def _() -> None:
        chosen = input.doc()
        doc.set(chosen if isinstance(chosen, int) and not isinstance(chosen, bool) and abs(chosen) < 2**63 else None)

    @reactive.effect
    async def _() -> None:
        """Put the ring around the open document."""
        now = found()
        spot = None if doc() is None else now.of(doc() or 0)
        place = None if spot is None else [float(one) for one in now.map.places[spot.place]]
        await session.send_custom_message("stc-map-ring", {"figure": session.ns("points"), "place": place})

    @render.ui
    @tells
    async def document() -> ui.TagChild:
        chosen = doc()
        return None if chosen is None else _document(await desk.ask(opened, chosen), found())


def _places(
    input: Inputs,  # noqa: A002
    session: Session,
    doc: reactive.Value[int | None],
    queries: reactive.Value[dict[str, list[str]]],
    found: Callable[[], PageMap],
) -> None:
    """Offer editions, queries and clusters, and keep the state of the tab in the URL."""
    restoring, written = Restoring(), [dict[str, str]()]

    def now() -> dict[str, str]:
        return {name: str(input[name]() or "") for name in _DEFAULTS}

    def restore(place: Mapping[str, str]) -> None:
        """Set the inputs to the URL's values. Values that do not exist become the default."""
        with reactive.isolate():
            known, names = queries(), found().map.names
            before = now()
        wanted = {name: place.get(name, default) for name, default in _DEFAULTS.items()}
        edition = wanted["edition"] if wanted["edition"] in known else next(iter(known), "")
        choices = known.get(edition, [])
        wanted |= {
            "colour": wanted["colour"] if wanted["colour"] in _COLOURS else "cluster",
            "edition": edition,
            "query": wanted["query"] if wanted["query"] in choices else "",
            "cluster": wanted["cluster"] if wanted["cluster"] in {str(at) for at in range(1, len(names) + 1)} else "",
            "set": wanted["set"][:_LONGEST_SET],
            "find": wanted["find"][:200],
        }
        restoring.begin(wanted, before)
        chosen = place.get("doc", "") if place.get("doc", "").isdecimal() and len(place["doc"]) < 19 else ""
        doc.set(int(chosen) if chosen else None)
        written[0] = _parameters(wanted, chosen)
        ui.update_select("colour", selected=wanted["colour"])
        ui.update_select("edition", choices=list(known), selected=edition)
        ui.update_select("query", choices=_or_all(dict(zip(choices, choices, strict=True))), selected=wanted["query"])
        clusters = {str(at): name for at, name in enumerate(names, 1)}
        ui.update_select("cluster", choices=_or_all(clusters), selected=wanted["cluster"])
        ui.update_text("set", value=wanted["set"])
        ui.update_text("find", value=wanted["find"])

    @reactive.effect
    def _() -> None:
        """Restore the state in the URL as soon as the map is there."""
        found()
        queries()
        place = address.read(session)
        restore(place if place.get("tab") == NAME else {})

    @reactive.effect
    def _() -> None:
        place = address.visited(session)
        if place is not None and place.get("tab") == NAME:
            restore(place)

    @reactive.effect
    @reactive.event(input.edition, ignore_init=True)
    def _() -> None:
        choices = queries().get(input.edition(), [])
        selected = input.query() if input.query() in choices else ""
        ui.update_select("query", choices=_or_all(dict(zip(choices, choices, strict=True))), selected=selected)

    @reactive.effect
    async def _() -> None:
        """Write the state into the URL."""
        found()
        state, here = now(), session.root_scope().input.tab() == NAME
        opened_now = "" if doc() is None else str(doc())
        if not here or not restoring.settled(state):
            return
        state = _parameters(state, opened_now)
        before, written[0] = written[0], state
        push = bool(before) and any(before[name] != state[name] for name in state if name != "find")
        await address.write(session, push=push, tab=NAME, **state)


def _parameters(state: Mapping[str, str], doc: str) -> dict[str, str]:
    """Return the URL's parameters. Defaults are empty, and _JUDGED while they do not colour the map."""
    unused = () if state["colour"] == "relevance" else _JUDGED
    return {name: "" if value == _DEFAULTS[name] or name in unused else value for name, value in state.items()} | {"doc": doc}


def _or_all(choices: Mapping[str, str]) -> dict[str, str]:
    """Return choices after one for all."""
    return {"": t("All"), **choices}


def _counted(found: PageMap) -> str:
    many, total = len(found.spots), found.map.total
    what = n("{count:,} document", "{count:,} documents", many)
    if many != total:
        what = t("A sample of {count:,} of the {all:,} documents with vectors", count=many, all=total)
    how = n(
        "{documents}, in {count} cluster by k-means.",
        "{documents}, in {count} clusters by k-means.",
        len(found.map.names),
        documents=what,
    )
    return how + " " + t("Places are by t-SNE: distances between clusters mean little.")


def _near(found: NeighbourShare | None) -> ui.TagChild:
    if found is None or found.corpus_share is None or found.corpus_chance is None:
        return None
    return t(
        "Nearest-neighbour test: of the five documents nearest to a relevant one, {share:.1%} are relevant ({chance:.1%} by chance)"
        "; of the five nearest judged ones, {judged:.1%} ({judged_chance:.1%} by chance).",
        share=found.corpus_share,
        chance=found.corpus_chance,
        judged=found.judged_share,
        judged_chance=found.judged_chance,
    )


def _list(some: Sequence[Spot], doc: int | None, name: str) -> ui.Tag:
    first = shown(some, _LISTED)
    count = n("{count:,} document", "{count:,} documents", len(some))
    if len(some) > len(first):
        count += t(", the first {count} by title", count=len(first))
    return ui.div(
        ui.p(count, role="status", class_="mb-1"),
        ui.tags.ul(
            *(
                ui.tags.li(
                    ui.tags.button(
                        one.title,
                        type="button",
                        class_="stc-spot",
                        data_doc=str(one.doc),
                        data_input=name,
                        aria_pressed="true" if one.doc == doc else "false",
                    ),
                    ui.span(f" {one.year}", class_="text-body-secondary") if one.year is not None else None,
                )
                for one in first
            ),
            class_="stc-spots",
        ),
    )


def _document(one: OpenedDocument, found: PageMap) -> ui.Tag:
    spot = found.of(one.doc)
    cluster = None if spot is None else t("cluster: {name}", name=found.map.names[found.map.clusters[spot.place]])
    about = [str(part) for part in (one.year, one.venue, one.docno, cluster) if part]
    return ui.div(
        ui.h2(one.title or t("Document {name}", name=one.docno), class_="h5"),
        ui.p(" · ".join(about), class_="small text-body-secondary mb-1"),
        ui.p(one.abstract or t("This document has no abstract."), class_="stc-map-abstract", tabindex="0"),
        ui.a(t("Find similar documents"), href=f"/search?near={one.doc}&field=title"),
    )
