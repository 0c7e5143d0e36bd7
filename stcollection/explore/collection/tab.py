"""The tab on the collection's contents: documents, loaded files, judgments, runs, indexes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

from plotly.graph_objects import Bar, Figure
from shiny import Inputs, Outputs, Session, module, reactive, render, ui

from stcollection.cells import figure_text
from stcollection.errors import StcError
from stcollection.explore.collection.asking import Corpus, EditionCounts, Indexes, corpus, indexes, judged
from stcollection.explore.collection.outline import contents, folded, linked, section, tiles
from stcollection.explore.desk import Desk
from stcollection.explore.figures import figure, figure_output
from stcollection.explore.pieces import table, tells
from stcollection.qrels.editions import EditionOverview
from stcollection.vectors.audit import Status

NAME, TITLE = "collection", "Collection"
_GRADES = ("#8a8a8a", "#7cc47f", "#1c6b2a", "#3b82c4", "#d9661f")  # by grade, lowest first; reused in turn
_RUNS = 200  # runs listed at most
SECTIONS = ("Documents", "Files", "Judgments", "Runs", "Indexes")


@module.ui
def tab() -> ui.Tag:
    return ui.div(
        ui.h1("Collection contents"),
        ui.output_ui("glance"),
        contents(SECTIONS),
        section("Documents", ui.output_ui("counts"), figure_output("years", label="Documents per year", height="20rem")),
        section("Files", ui.output_ui("files")),
        section(
            "Judgments",
            ui.output_ui("judgments"),
            figure_output("grades", label="Judgments by edition and grade; see the table above for values", height="16rem"),
        ),
        section("Runs", ui.output_ui("runs")),
        section("Indexes", ui.output_ui("text"), ui.output_ui("vectors"), ui.output_ui("readability")),
        class_="stc-collection",
    )


@module.server
def serve(input: Inputs, output: Outputs, session: Session, desk: Desk) -> None:  # noqa: A002
    @reactive.calc
    async def documents() -> Corpus:
        return await desk.ask(corpus)

    @reactive.calc
    async def said() -> EditionCounts:
        return await desk.ask(judged)

    @reactive.calc
    async def state() -> Indexes:
        return await desk.ask(indexes)

    @render.ui
    @tells
    async def glance() -> ui.Tag:
        found, stored = await documents(), await said()
        return tiles(
            {
                "documents": found.counts.get("documents", 0),
                "abstracts": found.counts.get("abstracts", 0),
                "editions": len(stored.editions),
                "judgments": sum(one.judgments for one in stored.editions),
                "runs": len(stored.runs),
            }
        )

    @render.ui
    @tells
    async def counts() -> ui.Tag:
        return table(("item", "count", "note"), counted(await documents()), caption="Corpus statistics", numbers=(1,))

    @figure
    async def years() -> Figure | None:
        try:
            rows = (await documents()).years
        except StcError:  # 'counts' reports it
            return None
        bars = Bar(x=[year for year, _ in rows], y=[count for _, count in rows], marker={"color": "#3b82c4"})
        return Figure(bars, {"yaxis": {"title": {"text": "documents"}}, "margin": {"t": 10, "r": 10}}) if rows else None

    @render.ui
    @tells
    async def files() -> ui.TagChild:
        headers, rows = (await documents()).files
        if not rows:
            return ui.p("No documents are loaded yet. Load a file with 'stc corpus load'.")
        shown = table(headers, [_file(row) for row in rows], caption="Loaded files", numbers=(3, 4, 5, 6))
        return folded(shown, rows=len(rows), what="loaded files")

    @render.ui
    @tells
    async def judgments() -> ui.TagChild:
        rows = (await said()).editions
        if not rows:
            return ui.p("No judgments are stored. Import some with 'stc qrels import'.")
        headers = ("edition", "split", "queries", "judgments", "grades", "origins", "state")
        lines = [(linked("edition", one.edition), *_edition(one)[1:]) for one in rows]
        shown = table(headers, lines, caption="Editions; select one for its leaderboard", numbers=(2, 3))
        return folded(shown, rows=len(rows), what="editions")

    @figure
    async def grades() -> Figure | None:
        try:
            rows = (await said()).editions
        except StcError:
            return None
        return by_grade(rows) if rows else None

    @render.ui
    @tells
    async def runs() -> ui.TagChild:
        found = (await said()).runs
        if not found:
            return ui.p("No runs are stored. Import some with 'stc runs import', or create one with 'stc retrieval run'.")
        rows = [
            (linked("run", one.run), one.team, one.family, one.queries, one.ranked, one.depth, f"{one.made:%Y-%m-%d}")
            for one in found[:_RUNS]
        ]
        more = f", the first {_RUNS} of {len(found):,}" if len(found) > _RUNS else ""
        headers = ("run", "team", "family", "queries", "ranked documents", "depth", "created")
        shown = table(headers, rows, caption=f"Runs{more}; select one for its scores", numbers=(3, 4, 5))
        return folded(shown, rows=len(rows), what="runs")

    @render.ui
    @tells
    async def text() -> ui.TagChild:
        found = (await state()).text
        if found.get("built") is None:
            return ui.p("The text index is not built. Build it with 'stc text index'.")
        rows = [
            ("state", "up to date" if found["sound"] else f"{'stale' if found['stale'] else 'inconsistent'}: run 'stc text index'"),
            ("BM25 implementation", f"{found['engine']}{' (extension)' if found['engine'] == 'pg_textsearch' else ''}"),
            ("configuration", str(found["config"])), ("k1 and b", f"{found['k1']:g} and {found['b']:g}"),
            ("documents with words", f"{found['documents']:,}"), ("tokens", f"{found['tokens']:,}"),
            ("built", f"{found['built']:%Y-%m-%d %H:%M}"),
        ]  # fmt: skip
        return table(("property", "value"), rows, caption="Text index")

    @render.ui
    @tells
    async def vectors() -> ui.TagChild:
        found = (await state()).vectors
        if not found:
            return ui.p("No vectors are stored. Compute them with 'stc vectors embed'.")
        headers = ("model", "field", "index", "effort", "recall at last audit", "vectors", "state", "next step")
        shown = table(headers, [_indexed(one) for one in found], caption="Vectors and their indexes", numbers=(3, 5))
        return folded(shown, rows=len(found), what="indexes of vectors")

    @render.ui
    @tells
    async def readability() -> ui.TagChild:
        found = (await state()).readability
        return table(("readability", "documents", "note"), found, caption="Readability measures", numbers=(1,))


def counted(found: Corpus) -> list[tuple[str, int, str | None]]:
    """Return rows (item, count, note); the notes are the share with abstracts and the span of years."""
    all_, abstracts = found.counts.get("documents", 0), found.counts.get("abstracts", 0)
    dated = sum(count for _, count in found.years)
    notes = {"abstracts": f"{abstracts / all_:.1%} of the documents" if all_ else None}
    rows = [(what, count, notes.get(what)) for what, count in found.counts.items()]
    span = f"{found.years[0][0]} to {found.years[-1][0]}" if found.years else None
    return [*rows, ("with a year", dated, span)]


def by_grade(rows: Sequence[EditionOverview]) -> Figure:
    """Draw a stacked bar chart of judgments by edition and grade."""
    grades = sorted({int(grade) for one in rows for grade in one.grades})
    names = [figure_text(one.edition) for one in rows]
    bars = [
        Bar(
            name=f"grade {grade}",
            y=names,
            x=[one.grades.get(str(grade), 0) for one in rows],
            orientation="h",
            marker={"color": _GRADES[at % len(_GRADES)]},
            hovertemplate=f"%{{y}}, grade {grade}: %{{x:,}}<extra></extra>",
        )
        for at, grade in enumerate(grades)
    ]
    layout = {
        "barmode": "stack", "height": max(220, 34 * len(rows) + 120), "margin": {"t": 10, "r": 10},
        "xaxis": {"title": {"text": "judgments"}}, "yaxis": {"type": "category", "autorange": "reversed"},
        "legend": {"orientation": "h", "y": 1.1, "yanchor": "bottom", "traceorder": "normal"},
    }  # fmt: skip
    return Figure(bars, layout)


def _file(row: Sequence[object]) -> list[object]:
    """Format a row of the ledger, with the file's name instead of its path and a shortened digest."""
    path, form, state, documents, duplicates, rejects, seconds, digest, finished = row
    return [
        PurePath(str(path)).name, form, state, documents, duplicates, rejects,
        None if seconds is None else f"{seconds:,.1f}", None if digest is None else f"{str(digest)[:12]}…",
        None if finished is None else f"{finished:%Y-%m-%d %H:%M}",
    ]  # fmt: skip


def _edition(one: EditionOverview) -> tuple[object, ...]:
    grades = ", ".join(f"{grade}: {one.grades[grade]:,}" for grade in sorted(one.grades, key=int))
    origins = ", ".join(f"{origin} {count:,}" for origin, count in sorted(one.origins.items()))
    states = (one.hidden and "hidden", one.sealed and f"sealed {one.sealed:%Y-%m-%d}")
    state = ", ".join(state for state in states if state) or "open"
    if one.simulated:
        state += ", simulated"
    return one.edition, one.split, one.queries, one.judgments, grades, origins, state


def _indexed(one: Status) -> tuple[object, ...]:
    kind = f"{one.kind or 'none (exact search)'}{' in half precision' if one.half else ''}"
    recall = "not audited" if one.recall is None else f"{one.recall:.3f} of the first {one.recall_k}, {one.audited:%Y-%m-%d}"
    state = "no index" if one.stale is None else "stale" if one.stale else "fresh"
    return one.model, one.field, kind, one.effort, recall, one.rows_now, state, one.advice
