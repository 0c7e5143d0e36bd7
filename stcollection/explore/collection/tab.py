"""The tab on the collection's contents: documents, loaded files, judgments, runs, indexes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any

from plotly.graph_objects import Bar, Figure
from shiny import Inputs, Outputs, Session, module, reactive, render, ui

from stcollection.analysis.contents import Corpus, EditionCounts, Indexes, corpus, indexes, judged
from stcollection.cells import figure_text
from stcollection.errors import StcError
from stcollection.explore.collection import answers
from stcollection.explore.collection.outline import contents, folded, linked, section, tiles
from stcollection.explore.figures import figure, figure_output
from stcollection.explore.pieces import table, tells
from stcollection.qrels.editions import EditionOverview
from stcollection.texts import later
from stcollection.vectors.audit import Status
from stcollection.web.desk import Desk
from stcollection.web.words import t, whole

NAME = "collection"
_GRADES = ("#8a8a8a", "#7cc47f", "#1c6b2a", "#3b82c4", "#d9661f")  # by grade, lowest first; reused in turn
_RUNS = 200  # runs listed at most
# What the status commands call the counts and the columns of the ledger.
_STATED = (later("authors"), later("path"), later("format"), later("duplicates"), later("seconds"), later("finished"))
_INDEX, _EXTENSION = "'stc index'", "pg_textsearch"
SECTIONS = (later("Documents"), later("Files"), later("Judgments"), later("Runs"), later("Answers"), later("Indexes"))


@module.ui
def tab() -> ui.Tag:
    return ui.div(
        ui.h1(t("Collection contents")),
        ui.output_ui("glance"),
        contents(SECTIONS),
        section("Documents", ui.output_ui("counts"), figure_output("years", label=t("Documents per year"), height="20rem")),
        section("Files", ui.output_ui("files")),
        section(
            "Judgments",
            ui.output_ui("judgments"),
            figure_output("grades", label=t("Judgments by edition and grade; see the table above for values"), height="16rem"),
        ),
        section("Runs", ui.output_ui("runs")),
        section("Answers", *answers.shown()),
        section("Indexes", ui.output_ui("text"), ui.output_ui("vectors"), ui.output_ui("readability")),
        class_="stc-collection",
    )


@module.server
def serve(input: Inputs, output: Outputs, session: Session, desk: Desk) -> None:  # noqa: A002
    answers.serve(input, session, desk, name=NAME)

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
                t("documents"): found.counts.get("documents", 0),
                t("abstracts"): found.counts.get("abstracts", 0),
                t("editions"): len(stored.editions),
                t("judgments"): sum(one.judgments for one in stored.editions),
                t("runs"): len(stored.runs),
            }
        )

    @render.ui
    @tells
    async def counts() -> ui.TagChild:
        found = await documents()
        shown = table((t("item"), t("count"), t("note")), counted(found), caption=t("Corpus statistics"), numbers=(1,))
        if not found.estimated:
            return shown
        return ui.TagList(shown, ui.p(t("The collection is large: {command} counts the rest.", command="'stc show corpus'")))

    @figure
    async def years() -> Figure | None:
        try:
            rows = (await documents()).years
        except StcError:  # 'counts' reports it
            return None
        bars = Bar(x=[year for year, _ in rows], y=[count for _, count in rows], marker={"color": "#3b82c4"})
        return Figure(bars, {"yaxis": {"title": {"text": t("documents")}}, "margin": {"t": 10, "r": 10}}) if rows else None

    @render.ui
    @tells
    async def files() -> ui.TagChild:
        headers, rows = (await documents()).files
        if not rows:
            return ui.p(t("No documents are loaded yet. Load a file with {command}.", command="'stc load --as corpus'"))
        shown = table([t(name) for name in headers], [_file(row) for row in rows], caption=t("Loaded files"), numbers=(3, 4, 5, 6))
        return folded(shown, rows=len(rows), what=later("Show {count:,} loaded files"))

    @render.ui
    @tells
    async def judgments() -> ui.TagChild:
        rows = (await said()).editions
        if not rows:
            return ui.p(t("No judgments are stored. Import some with {command}.", command="'stc load --as qrels'"))
        headers = (t("edition"), t("split"), t("queries"), t("judgments"), t("grades"), t("origins"), t("state"))
        lines = [(linked("edition", one.edition), *_edition(one)[1:]) for one in rows]
        shown = table(headers, lines, caption=t("Editions; select one for its leaderboard"), numbers=(2, 3))
        return folded(shown, rows=len(rows), what=later("Show {count:,} editions"))

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
            return ui.p(
                t(
                    "No runs are stored. Import some with {import_}, or create one with {create}.",
                    import_="'stc load --as runs'",
                    create="'stc run'",
                )
            )
        rows = [
            (linked("run", one.run), one.team, one.family, one.queries, one.ranked, one.depth, f"{one.made:%Y-%m-%d}")
            for one in found[:_RUNS]
        ]
        headers = (t("run"), t("team"), t("family"), t("queries"), t("ranked documents"), t("depth"), t("created"))
        caption = t("Runs; select one for its scores")
        if len(found) > _RUNS:
            caption = t("Runs, the first {count} of {all:,}; select one for its scores", count=_RUNS, all=len(found))
        shown = table(headers, rows, caption=caption, numbers=(3, 4, 5))
        return folded(shown, rows=len(rows), what=later("Show {count:,} runs"))

    @render.ui
    @tells
    async def text() -> ui.TagChild:
        found = (await state()).text
        if found.get("built") is None:
            return ui.p(t("The text index is not built. Build it with {command}.", command=_INDEX))
        return table((t("property"), t("value")), index_facts(found), caption=t("Text index"))

    @render.ui
    @tells
    async def vectors() -> ui.TagChild:
        found = (await state()).vectors
        if not found:
            return ui.p(t("No vectors are stored. Compute them with {command}.", command="'stc vectors embed'"))
        headers = [
            t("model"), t("field"), t("index"), t("effort"), t("recall at last audit"), t("vectors"), t("state"), t("next step"),
        ]  # fmt: skip
        shown = table(headers, [_indexed(one) for one in found], caption=t("Vectors and their indexes"), numbers=(3, 5))
        return folded(shown, rows=len(found), what=later("Show {count:,} indexes of vectors"))

    @render.ui
    @tells
    async def readability() -> ui.TagChild:
        found = (await state()).readability
        return table((t("readability"), t("documents"), t("note")), found, caption=t("Readability measures"), numbers=(1,))


def counted(found: Corpus) -> list[tuple[str, int, str | None]]:
    """Return rows (item, count, note); the notes are the share with abstracts and the span of years."""
    all_, abstracts = found.counts.get("documents", 0), found.counts.get("abstracts", 0)
    dated = sum(count for _, count in found.years)
    share = later("{share:.1%} of the documents, estimated") if found.estimated else later("{share:.1%} of the documents")
    notes = {"abstracts": t(share, share=abstracts / all_) if all_ else None}
    rows = [(t(what), count, notes.get(what)) for what, count in found.counts.items()]
    span = t("{first} to {last}", first=found.years[0][0], last=found.years[-1][0]) if found.years else None
    return [*rows, (t("with a year"), dated, span)]


def index_facts(found: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return rows (property, value) of the text index. :param found: as text_status returns it."""
    engine = str(found["engine"])
    broken = later("stale: run {command}") if found["stale"] else later("inconsistent: run {command}")
    return [
        (t("state"), t("up to date") if found["sound"] else t(broken, command=_INDEX)),
        (t("BM25 implementation"), t("{name} (extension)", name=engine) if engine == _EXTENSION else engine),
        (t("configuration"), str(found["config"])), (t("k1 and b"), t("{k1:g} and {b:g}", k1=found["k1"], b=found["b"])),
        (t("documents with words"), whole(found["documents"])), (t("tokens"), whole(found["tokens"])),
        (t("built"), f"{found['built']:%Y-%m-%d %H:%M}"),
    ]  # fmt: skip


def by_grade(rows: Sequence[EditionOverview]) -> Figure:
    """Draw a stacked bar chart of judgments by edition and grade."""
    grades = sorted({int(grade) for one in rows for grade in one.grades})
    names = [figure_text(one.edition) for one in rows]
    bars = [
        Bar(
            name=t("grade {grade}", grade=grade),
            y=names,
            x=[one.grades.get(str(grade), 0) for one in rows],
            orientation="h",
            marker={"color": _GRADES[at % len(_GRADES)]},
            hovertemplate="%{y}, " + t("grade {grade}", grade=grade) + ": %{x:,}<extra></extra>",
        )
        for at, grade in enumerate(grades)
    ]
    layout = {
        "barmode": "stack", "height": max(220, 34 * len(rows) + 120), "margin": {"t": 10, "r": 10},
        "xaxis": {"title": {"text": t("judgments")}}, "yaxis": {"type": "category", "autorange": "reversed"},
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
    grades = ", ".join(f"{grade}: {whole(one.grades[grade])}" for grade in sorted(one.grades, key=int))
    origins = ", ".join(f"{origin} {whole(count)}" for origin, count in sorted(one.origins.items()))
    states = (one.hidden and t("hidden"), one.sealed and t("sealed {date}", date=f"{one.sealed:%Y-%m-%d}"))
    state = ", ".join(state for state in states if state) or t("open")
    if one.simulated:
        state += ", " + t("simulated")
    return one.edition, one.split, one.queries, one.judgments, grades, origins, state


def _indexed(one: Status) -> tuple[object, ...]:
    kind = one.kind or t("none (exact search)")
    if one.half:
        kind = t("{index} in half precision", index=kind)
    recall = t("not audited")
    if one.recall is not None:
        date = f"{one.audited:%Y-%m-%d}"
        recall = t("{recall:.3f} of the first {count}, {date}", recall=one.recall, count=one.recall_k, date=date)
    state = t("no index") if one.stale is None else t("stale") if one.stale else t("fresh")
    return one.model, one.field, kind, one.effort, recall, one.rows_now, state, one.advice
