"""Disagreements in a pool: the grades of each annotator, agreement statistics, and how to resolve disagreements."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from datetime import UTC
from itertools import groupby

import psycopg
from shiny import Inputs, reactive, render, ui

from stcollection.errors import BadArgument, StcError
from stcollection.explore.judging.decisions import part
from stcollection.explore.judging.sheet import scale
from stcollection.explore.pieces import alert, table, tells
from stcollection.qrels import judging as work
from stcollection.qrels.assess import AssessorSheet
from stcollection.qrels.judging import DifferingGrade, PoolAlpha, SheetPair
from stcollection.qrels.organise import adjudicate
from stcollection.qrels.pools import pool_queries
from stcollection.qrels.sheets import plain
from stcollection.texts import later
from stcollection.web.desk import Desk
from stcollection.web.words import n, t

_ALL = "(all)"  # no query: select boxes have no empty choice
_SHOWN = 200  # documents


def shown() -> ui.TagList:
    """Return the elements of the panel."""
    return ui.TagList(
        ui.p(t("This panel shows the grades of other annotators. Documents you have not judged yet are hidden.")),
        ui.input_select("disputed", t("Query"), {_ALL: t("all queries")}),
        ui.input_action_button("reload", t("Refresh"), class_="btn-outline-secondary btn-sm"),
        ui.output_ui("agreeing"),
        ui.input_text("adjudicator", t("Adjudicator's name, for final grades"), value="adjudicator"),
        ui.p(
            t("j and k move between documents; a grade's digit sets the final grade of the selected one."),
            class_="text-body-secondary",
        ),
        ui.output_ui("unsettled"),
        ui.output_ui("differing"),
    )


def serve(
    input: Inputs,  # noqa: A002
    desk: Desk,
    *,
    at_pool: Callable[[], tuple[str, str | None]],
    queries: Callable[[], str],
    decisions: reactive.Value[int],
) -> None:
    """Show the disagreements of a pool on the page.

    :param at_pool: the pool, and the annotator who judges it on this page, if any. :param queries: the set of queries to show.
    :param decisions: counts decisions on this page.
    """

    done: reactive.Value[int] = reactive.Value(0, name="done")
    refusal: reactive.Value[StcError | None] = reactive.Value(None, name="unsettled")

    def query() -> str | None:
        input.reload()
        decisions()
        chosen = input.disputed()
        return None if chosen == _ALL else chosen

    @reactive.effect
    async def _() -> None:
        pool, _ = at_pool()
        try:
            rows = await desk.ask(pool_queries, pool, queries=queries())
        except StcError:
            return  # the lists show it
        names = {row.query: f"{plain(row.query)} {plain(row.query_text)}" for row in rows}
        with reactive.isolate():
            chosen = input.disputed()
        ui.update_select("disputed", choices={_ALL: t("all queries"), **names}, selected=chosen if chosen in names else _ALL)

    @render.ui
    @tells
    async def agreeing() -> ui.Tag:
        pool, _ = at_pool()
        pairs, alpha = await desk.ask(work.agreement, pool, query(), queries())
        return agreement(pairs, alpha, pool)

    @render.ui
    @tells
    async def differing() -> ui.Tag:
        pool, annotator = at_pool()
        done()
        found, own, grades = await desk.ask(_disputes, pool, annotator, query(), queries())
        return disputes(found, own, pool=pool, grades=grades)

    @reactive.effect
    @reactive.event(input.final)
    async def _() -> None:
        """Store a final grade."""
        sent = input.final()
        name, grade = part(sent, "adjudicator").strip(), part(sent, "rel")
        refusal.set(None)
        try:
            if not name:
                raise BadArgument(
                    later("the adjudicator's name is empty"),
                    hint=later("Enter it above the list: final grades are stored with it."),
                )
            if not grade.isdecimal() or len(grade) > 1:
                raise BadArgument(later("{grade!r} is not a grade", grade=grade[:20]), hint=later("Press one of the buttons."))
            await desk.write(
                adjudicate,
                part(sent, "pool"),
                adjudicator=name,
                query=part(sent, "query"),
                docno=part(sent, "docno"),
                rel=int(grade),
                note=plain(part(sent, "note"))[:1000] or None,
            )
        except StcError as error:
            refusal.set(error)
            return
        done.set(done() + 1)

    @render.ui
    def unsettled() -> ui.Tag | None:
        error = refusal()
        return alert(error) if error else None


def _disputes(
    conn: psycopg.Connection, pool: str, annotator: str | None, query: str | None, queries: str
) -> tuple[list[DifferingGrade], dict[tuple[str, str], tuple[str, int | None]], dict[int, str]]:
    own = work.mine(conn, pool, annotator) if annotator else {}
    return work.disagreements(conn, pool, query, queries), own, scale(AssessorSheet(conn, pool, annotator or "").grades())


def agreement(pairs: list[SheetPair], alpha: PoolAlpha, pool: str) -> ui.Tag:
    """Show inter-annotator agreement."""
    if not pairs:
        return ui.p(t("No document of pool {pool} has been judged by two annotators yet.", pool=plain(pool)))
    return ui.div(
        table(
            (t("annotator"), t("other annotator"), t("documents"), t("same grade"), t("kappa"), t("kappa, linear")),
            [
                (
                    plain(one.annotator),
                    plain(one.other),
                    one.documents,
                    f"{one.same:.0%}",
                    value_or_undefined(one.kappa),
                    value_or_undefined(one.kappa_linear),
                )
                for one in pairs
            ],
            caption=t("Agreement of two annotators on the documents of pool {pool} that both judged", pool=plain(pool)),
            numbers=(2, 3, 4, 5),
        ),
        ui.p(
            n(
                "Krippendorff's alpha for {annotators} annotators and {count:,} document: {ordinal} ordinal, {nominal} nominal.",
                "Krippendorff's alpha for {annotators} annotators and {count:,} documents: {ordinal} ordinal, {nominal} nominal.",
                alpha.documents,
                annotators=alpha.annotators,
                ordinal=value_or_undefined(alpha.ordinal),
                nominal=value_or_undefined(alpha.nominal),
            )
        ),
    )


def disputes(
    found: list[DifferingGrade],
    own: dict[tuple[str, str], tuple[str, int | None]],
    *,
    pool: str,
    grades: Mapping[int, str],
) -> ui.Tag:
    """Show the grades of each document, open disagreements first.

    :param own: token and own grade of the page's annotator, by (query, docno).
    """
    documents = [list(rows) for _, rows in groupby(found, lambda row: (row.query, row.docno))]
    hidden = [rows for rows in documents if own.get((rows[0].query, rows[0].docno), ("", 0))[1] is None]
    visible = sorted((rows for rows in documents if rows not in hidden), key=lambda rows: rows[0].final is not None)
    left_out = [t("Hidden until you have judged them: {count:,}.", count=len(hidden))] if hidden else []
    if not visible:
        return ui.p(" ".join([t("No document visible to you has different grades."), *left_out]))
    settled = sum(rows[0].final is not None for rows in visible)
    counts = [t("Documents with different grades: {count:,}.", count=len(visible))]
    counts += [t("With a final grade: {count:,}.", count=settled)] if settled else []
    return ui.div(
        ui.p(" ".join([*counts, *left_out]), role="status"),
        *(_dispute(rows, own, pool=pool, grades=grades) for rows in visible[:_SHOWN]),
        ui.p(t("Showing the first {count}. Select a query to see others.", count=_SHOWN)) if len(visible) > _SHOWN else None,
        ui.h2(t("Resolve disagreements")),
        *_ways_on(pool, adjudicated=any(one.final_by for one in found)),
    )


def _ways_on(pool: str, *, adjudicated: bool) -> tuple[ui.Tag, ...]:
    """Show the commands that make an edition with one grade per document."""
    if adjudicated:
        how = t("Final grades first, a rule for the rest:")
    else:
        how = t("Annotators can review and correct their grades, or you set final grades above. A rule resolves the rest:")
    commands = f"stc pool submit {shlex.quote(pool)} --edition raw\nstc publish derive settled raw --rule majority"
    return ui.p(how), ui.pre(ui.tags.code(commands))


def _dispute(
    rows: list[DifferingGrade], own: dict[tuple[str, str], tuple[str, int | None]], *, pool: str, grades: Mapping[int, str]
) -> ui.Tag:
    first = rows[0]
    token = own.get((first.query, first.docno), (None, None))[0]
    return ui.tags.section(
        ui.h2(plain(first.title) or t("(no title)"), dir="auto"),
        ui.p(
            t("Query {query}", query=plain(first.query)) + " ",
            ui.span(plain(first.query_text), dir="auto"),
            " · " + t("document {docno}", docno=plain(first.docno)),
        ),
        ui.tags.ul(
            *(
                ui.tags.li(
                    ui.strong(f"{plain(one.annotator)}: {one.rel}"),
                    ui.tags.small(
                        f"{one.changed.astimezone(UTC):%Y-%m-%d %H:%M} UTC" + (t(", submitted") if one.submitted else "")
                    ),
                    ui.span(plain(one.note), dir="auto") if one.note else None,
                )
                for one in rows
            )
        ),
        ui.div(
            ui.span(
                t("Final grade: {grade} by {adjudicator}", grade=first.final, adjudicator=plain(first.final_by))
                if first.final_by
                else t("Final grade:")
            ),
            *(
                ui.tags.button(
                    ui.tags.kbd(str(grade)),
                    " ",
                    plain(meaning),
                    type="button",
                    data_final=str(grade),
                    aria_pressed="true" if grade == first.final else "false",
                    class_=f"btn btn-sm {'btn-primary' if grade == first.final else 'btn-outline-primary'}",
                )
                for grade, meaning in grades.items()
            ),
            ui.tags.input(
                type="text",
                class_="form-control form-control-sm stc-why",
                maxlength="1000",
                placeholder=t("Reason"),
                aria_label=t("Reason"),
            ),
            ui.tags.button(t("Review"), type="button", data_look=token, class_="btn btn-outline-secondary btn-sm")
            if token
            else None,
            class_="stc-settle",
        ),
        class_="stc-dispute",
        tabindex="0",
        aria_label=t("Document {docno} of query {query}", docno=plain(first.docno), query=plain(first.query)),
        data_pool=pool,
        data_query=first.query,
        data_docno=first.docno,
    )


def value_or_undefined(value: float | None) -> str:
    """Return an agreement statistic as text."""
    return t("undefined") if value is None else f"{value:.2f}"
