"""Progress of a pool, for its organiser: work by assessor, agreement, control documents, and commands for export."""

from __future__ import annotations

import csv
import io
import shlex
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from datetime import UTC

import psycopg
from shiny import Inputs, reactive, render, ui

from stcollection.explore.judging.disagreements import value_or_undefined
from stcollection.explore.judging.pair_view import by_annotator
from stcollection.explore.pieces import table, tells
from stcollection.qrels import judging as work
from stcollection.qrels.comparisons import pair_progress
from stcollection.qrels.judging import PoolAlpha, pool_decisions
from stcollection.qrels.organise import AssessorProgress, Decision, Drift, assessors, drift
from stcollection.qrels.sheets import guarded, plain
from stcollection.topics.sets import ALL
from stcollection.web.desk import Desk
from stcollection.web.words import meant, n, t

_NONE = "(none)"  # select boxes have no empty choice


def shown() -> ui.TagList:
    """Return the elements of the panel."""
    return ui.TagList(
        ui.input_action_button("renew", t("Refresh"), class_="btn-outline-secondary btn-sm"),
        ui.output_ui("people"),
        ui.output_ui("comparing"),
        ui.h2(t("Control documents")),
        ui.p(t("Documents of the pool that an edition judges already show whether an assessor's grades drift over time.")),
        ui.input_select("control", t("Compare with edition"), {_NONE: meant("none", "edition")}),
        ui.output_ui("drifting"),
        ui.output_ui("export"),
    )


def serve(
    input: Inputs,  # noqa: A002
    desk: Desk,
    *,
    at_pool: Callable[[], tuple[str, str | None]],
    queries: Callable[[], str],
    decided: reactive.Value[int],
    comparisons: reactive.Value[int],
) -> None:
    """Show the progress of a pool on the page.

    :param at_pool: the pool, and the annotator who judges it on this page, if any. :param decided: counts decisions on this page.
    :param comparisons: counts comparisons on this page. :param queries: the set of queries to count.
    """

    def current() -> str:
        input.renew()
        decided()
        return at_pool()[0]

    @reactive.effect
    async def _() -> None:
        names = await desk.ask(work.editions)
        ui.update_select("control", choices={_NONE: meant("none", "edition"), **{name: plain(name) for name in names}})

    @render.ui
    @tells
    async def people() -> ui.Tag:
        pool = current()
        rows, alpha = await desk.ask(_people, pool, queries())
        return by_assessor(rows, alpha, pool)

    @render.ui
    @tells
    async def comparing() -> ui.Tag | None:
        input.renew()
        comparisons()
        return by_annotator(await desk.ask(pair_progress, at_pool()[0], queries=queries()))

    @render.ui
    @tells
    async def drifting() -> ui.Tag | None:
        pool, edition = current(), input.control()
        if edition == _NONE:
            return None
        return by_half(await desk.ask(_drift, pool, edition), edition)

    @render.ui
    @tells
    async def export() -> ui.Tag:
        pool = current()
        rows, _ = await desk.ask(_people, pool, ALL)
        return commands(pool, [one.annotator for one in rows])

    @render.download_link(filename="assessors.csv", media_type="text/csv")
    async def assessors_csv() -> AsyncIterator[str]:
        rows, _ = await desk.ask(_people, at_pool()[0], queries())
        yield as_csv(AssessorProgress._fields, rows)

    @render.download_link(filename="decisions.csv", media_type="text/csv")
    async def decisions_csv() -> AsyncIterator[str]:
        yield as_csv(Decision._fields, await desk.ask(pool_decisions, *at_pool()))


def _people(conn: psycopg.Connection, pool: str, queries: str) -> tuple[list[AssessorProgress], PoolAlpha]:
    return assessors(conn, pool, queries=queries), work.alpha(conn, pool, queries=queries)


def as_csv(names: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table as CSV. A cell that a spreadsheet would interpret as a formula gets an apostrophe."""
    text = io.StringIO(newline="")
    table = csv.writer(text, lineterminator="\r\n")
    table.writerow(names)
    table.writerows([guarded(cell) if isinstance(cell, str) else cell for cell in row] for row in rows)
    return text.getvalue()


def _drift(conn: psycopg.Connection, pool: str, edition: str) -> list[Drift]:
    return drift(conn, pool, edition=edition)


def by_assessor(rows: Sequence[AssessorProgress], alpha: PoolAlpha, pool: str) -> ui.Tag:
    """Show the work of each assessor."""
    if not rows:
        return ui.p(t("Nobody has judged a document of pool {pool} yet.", pool=plain(pool)))
    left = sum(one.remaining for one in rows)
    work_left = n(
        "{count:,} decision remains; assessors: {assessors:,}.",
        "{count:,} decisions remain; assessors: {assessors:,}.",
        left,
        assessors=len(rows),
    )
    agreement = n(
        "Krippendorff's alpha (ordinal): {alpha}, from {count:,} document with at least two grades.",
        "Krippendorff's alpha (ordinal): {alpha}, from {count:,} documents with at least two grades.",
        alpha.documents,
        alpha=value_or_undefined(alpha.ordinal),
    )
    return ui.div(
        ui.p(f"{work_left} {agreement}", role="status"),
        table(
            (
                t("assessor"),
                t("documents"),
                t("judged"),
                t("cannot decide"),
                t("skipped"),
                t("remaining"),
                t("notes"),
                t("median seconds"),
                t("last decision"),
            ),
            [
                (
                    plain(one.annotator),
                    one.documents,
                    one.judged,
                    one.undecided,
                    one.skipped,
                    one.remaining,
                    one.notes,
                    "" if one.median_seconds is None else f"{one.median_seconds:.0f}",
                    ui.span(
                        f"{one.last_decision.astimezone(UTC):%Y-%m-%d %H:%M} UTC" if one.last_decision else t("not started"),
                        class_="text-nowrap",
                    ),
                )
                for one in rows
            ],
            caption=t("Work by assessor, pool {pool}", pool=plain(pool)),
            numbers=(1, 2, 3, 4, 5, 6, 7),
        ),
    )


def by_half(rows: Sequence[Drift], edition: str) -> ui.Tag:
    """Show agreement with control documents in the first and second half of each assessor's decisions."""
    if not rows:
        return ui.p(t("No assessor has judged a document that {edition} judges.", edition=plain(edition)))
    return table(
        (
            t("assessor"),
            t("control documents"),
            t("same grade"),
            t("first half"),
            t("second half"),
            t("bias"),
            t("bias, first half"),
            t("bias, second half"),
        ),
        [
            (
                plain(one.annotator),
                one.documents,
                _share(one.same),
                _share(one.first_same),
                _share(one.second_same),
                _signed(one.bias),
                _signed(one.first_bias),
                _signed(one.second_bias),
            )
            for one in rows
        ],
        caption=t("Agreement with {edition} over time. Bias: the assessor's grade minus the edition's", edition=plain(edition)),
        numbers=(1, 2, 3, 4, 5, 6, 7),
    )


def commands(pool: str, annotators: Sequence[str]) -> ui.Tag:
    """Show how to export the sheets and submit the grades."""
    name = shlex.quote(plain(pool))
    people = [shlex.quote(plain(one)) for one in annotators] or ["NAME"]
    lines = [f"stc export pool {name} --annotator {one} --out {one}.csv" for one in people]
    return ui.div(
        ui.h2(t("Export")),
        ui.p(t("Write the sheets with the grades so far, or store the grades as judgments of an edition:")),
        ui.pre(ui.tags.code("\n".join([*lines, f"stc pool submit {name} --edition …"]))),
        ui.div(
            ui.download_link("assessors_csv", t("Work by assessor as CSV")),
            ui.download_link("decisions_csv", t("Decisions as CSV")),
            class_="stc-links",
        ),
        ui.p(t("Documents that you judge on this page and have not judged yet are left out."), class_="text-body-secondary small"),
    )


def _share(value: float | None) -> str:
    return "" if value is None else f"{value:.0%}"


def _signed(value: float | None) -> str:
    return "" if value is None else f"{value:+.2f}"
