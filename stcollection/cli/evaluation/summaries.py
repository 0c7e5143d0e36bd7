"""Commands that summarise scores: ``stc score --request``, ``measures``, ``over-time`` and ``zscores``."""

from __future__ import annotations

from typing import Annotated

import click

from stcollection.analysis.collection_records import SnapshotScore
from stcollection.analysis.overtime import score_over_time
from stcollection.cli.declared import Call, Style, command
from stcollection.cli.output import format_option, render
from stcollection.db.connection import connect
from stcollection.declared import Option, RecordTable
from stcollection.evaluation.asks import AskedScore, ask
from stcollection.evaluation.kinds import SOURCES, described, relearn
from stcollection.evaluation.parameters import measures_of
from stcollection.evaluation.zscores import ZScore, zscore_norms, zscores


@command(ask)
def ask_command(call: Call[tuple[list[AskedScore], int]], *, style: Style = "table") -> None:
    """Request the mean scores of a RUN of your team on a hidden edition, where its organisers allow it; each request is counted.

    The run must have at least ten documents for every query of the edition. Means are rounded to two decimals. Repeating a request
    for an unchanged run is free.
    """
    scores, left = call.once()
    rows = [(call.group("run"), score.measure, score.mean) for score in scores]
    click.echo(render(rows, ["run", "measure", "mean"], style=style))
    if style == "table":
        click.echo(f"requests left for {call.group('edition')!r}: {left}")


@click.command("measures")
@format_option
def measures_command(style: str) -> None:
    """List the measures: names in ir_measures and trec_eval, definition, source; first those of the product.

    Organisers add others with 'stc load --as measures', or with add_measure in 'stc psql'.
    """
    relearn()
    titled = style in ("json", "csv")
    rows = [(*names, f"{source}: {SOURCES[source]}" if titled and source in SOURCES else source) for *names, source in described()]
    click.echo(render(rows, ["ir_measures", "trec_eval", "definition", "in", "source"], style=style))


@command(score_over_time, figure=lambda _: "snapshots")
def over_time_command(call: Call[RecordTable[SnapshotScore]], *, style: Style = "table") -> None:
    """Compare a run and a baseline on the snapshots of the collection ('stc show snapshots').

    Prints for each snapshot the means of both and, compared with the first one: the result delta (R_e), the effect ratio and the
    delta of the relative improvement (has the lead over the baseline stayed?), the root mean square error, also normalised, and
    p-values of t-tests, unpaired and paired by query. Kendall's tau union and rank-biased overlap compare the rankings of the run.
    """
    click.echo(render(call.once(), SnapshotScore._fields, style=style))


@command(zscores)
def zscores_command(
    call: Call[list[ZScore]],
    *,
    norms: bool = False,
    per_query: Annotated[bool, Option("-q")] = False,
    style: Style = "table",
) -> None:
    """Standardise the scores of runs query by query. Without RUN, use all runs with documents for the edition.

    A z-score is the deviation from the mean of all runs, so that hard and easy queries have equal weight. If all reference runs
    have the same score and this run another, there is no z-score (–), and the mean leaves the query out.

    :param norms: Print query, measure, mean and deviation instead, as input for trec_eval -Z.
    :param per_query: Print one row per query, not only the mean.
    """
    measures = measures_of(call.group("measures"))
    with connect(call.settings) as conn:
        if norms:
            shared = {name: call.group(name) for name in ("edition", "complete", "queries")}
            for norm in zscore_norms(conn, runs=call.group("reference"), measures=measures, **shared):
                click.echo(f"{norm.query} {norm.measure} {norm.mean:.6f} {norm.deviation:.6f}")
            return
        scores = call(conn)
    names = [measure.trec_eval for measure in measures]
    values: dict[tuple[str, ...], dict[str, list[float]]] = {}
    for score in scores:
        row = values.setdefault((score.run, score.query) if per_query else (score.run,), {name: [] for name in names})
        row[score.measure] += [] if score.value is None else [score.value]
    means = [(key, [sum(row[name]) / len(row[name]) if row[name] else None for name in names]) for key, row in values.items()]
    if not per_query:
        means.sort(key=lambda mean: (mean[1][0] is None, -(mean[1][0] or 0.0), mean[0]))
    rows = [(*key, *of_key) for key, of_key in means]
    click.echo(render(rows, ["run", *(["query"] if per_query else []), *map(str, measures)], style=style))
