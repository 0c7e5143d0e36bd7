"""Commands that make runs from stored runs: ``stc fuse``, ``tune`` and ``rerank``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

import click

from stcollection.cli.declared import Call, Style, command
from stcollection.cli.output import ProgressBar, render
from stcollection.cli.quiet import aside
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.declared import Option
from stcollection.evaluation.measures import Measure, parse_measure
from stcollection.retrieval.fuse import Fused, fuse
from stcollection.retrieval.rerank import Reranked, rerank_run
from stcollection.retrieval.tune import FEW, Compared, Point, TunedFusion, tune_run

_SHOWN = 5


@command(fuse)
def fuse_command(call: Call[Fused]) -> None:
    """Fuse several stored runs into a new run, or rank the documents of a run of passages."""
    made = call.once()
    click.echo(f"{made.run}: {counted(made.ranked, 'document')} for {counted(made.queries, 'query')}")
    if made.whole:
        aside(f"{counted(made.whole, 'of them is no passage', 'of them are no passages')}: kept as documents")


@command(rerank_run)
def rerank_command(call: Call[Reranked]) -> None:
    """Rerank the top documents of a stored RUN with a cross-encoder or by stored vectors, as a new run.

    A cross-encoder uses a GPU if there is one. The other documents of RUN follow in their order. An interrupted reranking stores
    nothing.
    """
    by_vectors = call.group("by") == "vectors"
    if by_vectors and call.typed("batch"):
        raise click.UsageError("--batch is for a cross-encoder; remove it, or --by vectors")
    if not by_vectors and call.typed("field"):
        raise click.UsageError("--field is for vectors; add --by vectors")
    if not by_vectors and call.group("model") is None:
        raise click.UsageError("name a cross-encoder with --model, or rerank --by vectors")
    with connect(call.settings) as conn, ProgressBar("rerank", unit="pairs") as bar:
        _report(call(conn, progress=bar), lacking="text or vector" if by_vectors else "text")


def _report(made: Reranked, *, lacking: str) -> None:
    """Print the counts of a reranking.

    :param lacking: the missing part of a query, or of its documents, because of which the query keeps its ranking.
    """
    rate = f", {made.pairs / made.seconds:,.0f} a second" if made.seconds >= 1 else ""
    click.echo(
        f"{made.run}: {counted(made.pairs, 'pair')} scored{rate};"
        f" {counted(made.ranked, 'document')} for {counted(made.queries, 'query')}"
    )
    if made.untouched:
        aside(f"{counted(made.untouched, 'query is', 'queries are')} as in {made.first_stage}: no {lacking} to rerank by")


@command(tune_run)
def tune_command(
    call: Call[TunedFusion], *, measure: Annotated[str, Option("-m", "--measure")] = "nDCG@10", style: Style = "table"
) -> None:
    """Find the best weights of several runs on one edition, store the fused run, and report it on another edition.

    :param measure: Measure to optimise and report: nDCG@k, P@k, R@k, RR or AP.
    """
    parsed, runs, train, test = parse_measure(measure), call.group("runs"), call.group("train"), call.group("test")
    tuning = replace(call.group("tuning"), measure=parsed.column, cutoff=parsed.cutoff or 10)
    tuned = call.once(tuning=tuning)
    if test is None:
        click.echo(_grid(tuned.points, runs, parsed, style))
        _validation(tuned, train, parsed)
        _stored(call.group("system"))
        return
    # The report on the test edition is the result; the values on the training edition are notes.
    aside(f"{_SHOWN} best of {len(tuned.points):,} on {train}, used for tuning:\n")
    aside(_grid(tuned.points, runs, parsed, "table"))
    _validation(tuned, train, parsed)
    aside(f"\nOn {test}, {counted(tuned.queries, 'query')}; p of the paired t-test:\n")
    click.echo(_comparison(tuned.test, tuned.fused.run, parsed, style))
    if tuned.shared:
        aside(f"\n{tuned.shared:,} of these queries are also judged in {train}, so they are not an independent test.")
    _stored(call.group("system"))


def _stored(system: str | None) -> None:
    if system is not None:
        aside(f"\nThe system {system} has the best weights. Use 'stc search TEXT --system {system}', or 'stc run {system}'.")


def _validation(tuned: TunedFusion, train: str, measure: Measure) -> None:
    """Print what tuning gains on queries that it has not seen."""
    if not tuned.validated:
        aside(f"\nAll queries of {train} have one topic: the gain on other queries is unknown.")
        return
    aside(f"\nCross-validated on {train}, {counted(tuned.judged, 'query')}; p of the paired t-test:\n")
    aside(_comparison(tuned.validated, tuned.fused.run, measure, "table"))
    best = max(tuned.validated[1:], key=lambda run: run.value)
    if best.value > tuned.validated[0].value:
        aside(f"\nTuning does not help: {best.run} is better on queries that were not used to choose the weights.")
    elif tuned.judged < FEW:
        aside(f"\n{counted(tuned.judged, 'query is', 'queries are')} few to choose weights on; {FEW} are usual.")


def _comparison(compared: Sequence[Compared], name: str, measure: Measure, style: str) -> str:
    rows = [(run.run, run.value, run.difference, run.p) for run in compared]
    return render(rows, ["run", str(measure), f"{name} − run", "p"], style=style)


def _grid(points: list[Point], runs: Sequence[str], measure: Measure, style: str) -> str:
    constant = [] if points[0].constant is None else ["constant"]
    rows = [
        (*(point.weights[run] for run in runs), *([point.constant] if constant else []), point.value) for point in points[:_SHOWN]
    ]
    return render(rows, [*runs, *constant, str(measure)], style=style)
