"""The commands that say which documents to judge next, and whether judging can stop."""

from __future__ import annotations

from typing import Literal

import click

from stcollection.analysis.next_labels import PoolOrder, order_pool
from stcollection.analysis.stopping import ONLY_RELEVANT, PoolProgress, pool_progress
from stcollection.cli.declared import Call, Style, command
from stcollection.cli.output import render
from stcollection.cli.quiet import aside
from stcollection.counts import counted


@command(pool_progress)
def progress_command(call: Call[PoolProgress], *, by: Literal["queries", "runs"] = "queries", style: Style = "table") -> None:
    """Estimate the relevant documents that the pool NAME has not found, and what stopping now would do to the ranking.

    Intervals have 95 %. Documents outside the pool do not count.

    :param by: View: relevant documents of each query, or the score of each run now and as expected from all labels.
    """
    progress = call.once()
    if by == "runs":
        rows, names = [tuple(row) for row in progress.runs], ["run", "now", "rank", "expected", "expected rank", "low", "high"]
    else:
        rows, names = (
            [tuple(row) for row in progress.queries],
            ["query", "documents", "judged", "relevant", "missing", "low", "high"],
        )
    click.echo(render(rows, names, style=style))
    if style in ("json", "csv"):
        return
    aside(f"{counted(progress.relevant, 'relevant document')} found, {missing_text(progress)}")
    if progress.tau is not None:
        aside(
            f"Stopping now: tau {progress.tau:.3f} between the present ranking by {progress.measure} and the one expected from all"
            f" labels; {progress.open_pairs:,} of {counted(progress.pairs, 'pair')} of runs could still turn."
        )
    if progress.batches:
        aside("The documents judged first were not drawn at random: the number of missing documents is less certain.")


@command(order_pool)
def order_command(call: Call[PoolOrder]) -> None:
    """Let assessors of the pool NAME judge first what says most about the ranking of runs. With two RUNs, separate these.

    Sheets, 'stc judge' and the page show one batch after another. Repeat the command after each batch.
    """
    order = call.once()
    if not order.batches:
        click.echo(f"{order.pool}: random order")
        return
    click.echo(
        f"{order.pool}: {counted(order.documents, 'unjudged document')} in {counted(order.batches, 'batch', 'batches')}, the first"
        f" with {counted(order.first, 'query')}"
    )


def missing_text(progress: PoolProgress) -> str:
    """Return the estimate in words."""
    unjudged = f"among {counted(progress.documents - progress.judged, 'unjudged document')}"
    if progress.only_relevant:
        return f"no estimate {unjudged}: all of {counted(progress.judged, 'judged document')} are relevant. {ONLY_RELEVANT}"
    if progress.missing is None:
        return f"no estimate {unjudged}: judge some first."
    return f"{progress.missing:,.1f} more expected {unjudged} (95 %: {progress.low:,} to {progress.high:,})."
