"""Disagreements in a pool: the grades of each annotator, agreement statistics, and how to resolve disagreements."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from datetime import UTC
from itertools import groupby

import psycopg
from shiny import Inputs, reactive, render, ui

from stcollection.explore.desk import Desk
from stcollection.explore.judging import work
from stcollection.explore.judging.work import DifferingGrade, PoolAlpha, SheetPair
from stcollection.explore.pieces import table, tells
from stcollection.qrels.sheets import plain

_ALL = "(all)"  # no query: select boxes have no empty choice
_SHOWN = 200  # documents


def shown() -> ui.TagList:
    """Return the elements of the panel."""
    return ui.TagList(
        ui.p("This panel shows the grades of other annotators. Documents you have not judged yet are hidden."),
        ui.input_select("disputed", "Query", {_ALL: "all queries"}),
        ui.input_action_button("reload", "Refresh", class_="btn-outline-secondary btn-sm"),
        ui.output_ui("agreeing"),
        ui.output_ui("differing"),
    )


def serve(
    input: Inputs,  # noqa: A002
    desk: Desk,
    *,
    at_pool: Callable[[], tuple[str, str | None]],
    decisions: reactive.Value[int],
) -> None:
    """Show the disagreements of a pool on the page.

    :param at_pool: the pool, and the annotator who judges it on this page, if any. :param decisions: counts decisions on this page.
    """

    def query() -> str | None:
        input.reload()
        decisions()
        chosen = input.disputed()
        return None if chosen == _ALL else chosen

    @reactive.effect
    async def _() -> None:
        pool, _ = at_pool()
        rows = await desk.ask(work.of_pool, pool)
        names = {row.query: f"{plain(row.query)} {plain(row.query_text)}" for row in rows}
        with reactive.isolate():
            chosen = input.disputed()
        ui.update_select("disputed", choices={_ALL: "all queries", **names}, selected=chosen if chosen in names else _ALL)

    @render.ui
    @tells
    async def agreeing() -> ui.Tag:
        pool, _ = at_pool()
        pairs, alpha = await desk.ask(work.agreement, pool, query())
        return agreement(pairs, alpha)

    @render.ui
    @tells
    async def differing() -> ui.Tag:
        pool, annotator = at_pool()
        found, own = await desk.ask(_disputes, pool, annotator, query())
        return disputes(found, own, pool=pool)


def _disputes(
    conn: psycopg.Connection, pool: str, annotator: str | None, query: str | None
) -> tuple[list[DifferingGrade], dict[tuple[str, str], tuple[str, int | None]]]:
    own = work.mine(conn, pool, annotator) if annotator else {}
    return work.disagreements(conn, pool, query), own


def agreement(pairs: list[SheetPair], alpha: PoolAlpha) -> ui.Tag:
    """Show inter-annotator agreement."""
    if not pairs:
        return ui.p("No document has been judged by two annotators yet.")
    return ui.div(
        table(
            ("annotator", "other annotator", "documents", "same grade", "kappa", "kappa, linear"),
            [
                (
                    plain(one.annotator),
                    plain(one.other),
                    one.documents,
                    f"{one.same:.0%}",
                    _value(one.kappa),
                    _value(one.kappa_linear),
                )
                for one in pairs
            ],
            caption="Agreement of two annotators on the documents that both judged",
            numbers=(2, 3, 4, 5),
        ),
        ui.p(
            f"Krippendorff's alpha for {alpha.annotators} annotators and {alpha.documents:,} documents: "
            f"{_value(alpha.ordinal)} ordinal, {_value(alpha.nominal)} nominal."
        ),
    )


def disputes(found: list[DifferingGrade], own: dict[tuple[str, str], tuple[str, int | None]], *, pool: str) -> ui.Tag:
    """Show the grades of each document. :param own: token and own grade of the page's annotator, by (query, docno)."""
    documents = [list(rows) for _, rows in groupby(found, lambda row: (row.query, row.docno))]
    open_ = [rows for rows in documents if own.get((rows[0].query, rows[0].docno), ("", 0))[1] is None]
    visible = [rows for rows in documents if rows not in open_]
    left_out = f" Hidden until you have judged them: {len(open_):,}." if open_ else ""
    if not visible:
        return ui.p(f"No document visible to you has different grades.{left_out}")
    name = shlex.quote(pool)
    return ui.div(
        ui.p(f"Documents with different grades: {len(visible):,}.{left_out}", role="status"),
        *(_dispute(rows, own) for rows in visible[:_SHOWN]),
        ui.p(f"Showing the first {_SHOWN}. Select a query to see others.") if len(visible) > _SHOWN else None,
        ui.h2("Resolve disagreements"),
        ui.p("Annotators can review and correct their grades. Resolve the remaining differences with a rule, in a terminal:"),
        ui.pre(ui.tags.code(f"stc qrels pool submit {name} --edition raw\nstc qrels derive settled raw --rule majority")),
    )


def _dispute(rows: list[DifferingGrade], own: dict[tuple[str, str], tuple[str, int | None]]) -> ui.Tag:
    first = rows[0]
    token = own.get((first.query, first.docno), (None, None))[0]
    return ui.tags.section(
        ui.h2(plain(first.title) or "(no title)", dir="auto"),
        ui.p(f"Query {plain(first.query)} ", ui.span(plain(first.query_text), dir="auto"), f" · document {plain(first.docno)}"),
        ui.tags.ul(
            *(
                ui.tags.li(
                    ui.strong(f"{plain(one.annotator)}: {one.rel}"),
                    ui.tags.small(f"{one.changed.astimezone(UTC):%Y-%m-%d %H:%M} UTC{', submitted' if one.submitted else ''}"),
                    ui.span(plain(one.note), dir="auto") if one.note else None,
                )
                for one in rows
            )
        ),
        ui.tags.button("Review", type="button", data_look=token, class_="btn btn-outline-secondary btn-sm") if token else None,
        class_="stc-dispute",
    )


def _value(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.2f}"
