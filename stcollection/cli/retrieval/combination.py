"""Commands that combine relevance, readability and credibility: ``stc retrieval combine``, ``combine-tune`` and ``pareto``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated

import click

from stcollection.cli.declared import Call, Style, command
from stcollection.cli.output import render
from stcollection.cli.quiet import aside
from stcollection.counts import counted
from stcollection.declared import Option, RecordTable
from stcollection.retrieval.combine import Combined, combine
from stcollection.retrieval.combine_tune import TradeOff, TunedCombination, tune_combination
from stcollection.retrieval.pareto import Undominated, pareto

_TITLE = 60


@command(combine)
def combine_command(call: Call[Combined], *, keep: Annotated[bool, Option("--in-place")] = False) -> None:
    """Rank the documents of a stored RUN by a combination of relevance, readability and credibility, as a new run.

    comb_score = Σ weight · transform(measure) / Σ weight, in [0, 1]. The new run is ranked by it.

    With --in-place, store comb_score in RUN itself, which stays ranked by relevance. Its export as SimpleText JSON has both
    scores.

    :param keep: Instead of making a new run, store comb_score in RUN and keep its order. Excludes --name.
    """
    name = call.group("name")
    if keep == (name is not None):
        raise click.UsageError("give either --name or --in-place")
    made = call.once()
    what = "documents for" if name is not None else "documents have a comb_score, for"
    click.echo(f"{made.run}: {made.ranked:,} {what} {counted(made.queries, 'query')}")
    aside(_formula(made))


@command(tune_combination)
def combine_tune_command(
    call: Call[TunedCombination], *, everything: Annotated[bool, Option("--all")] = False, style: Style = "table"
) -> None:
    """Choose the weights of relevance, readability and credibility on one edition, and report the result on another.

    Relevance judgments ignore readability. The command therefore chooses the weights with the highest mean transformed value of
    the measures (over the top documents of a query) among those that lose at most --max-loss of the best nDCG. It prints the
    trade-off curve: the combinations that no other one exceeds in both.

    :param everything: Print all combinations, not only those of the trade-off curve.
    """
    tuned = call.once()
    tuning, train, test = call.group("tuning"), call.group("train"), call.group("test")
    curve = [point for point in tuned.points if everything or point.curve or point.chosen]
    table = _curve(curve, tuning.measures, tuning.cutoff, style if test is None else "table")
    if test is None:
        click.echo(table)
    else:
        aside(f"{len(curve)} of {counted(len(tuned.points), 'point')} on {train}, used for the choice:\n")
        aside(table)
    aside(f"\n{tuned.run.run}: {_formula(tuned.run)}")
    if test is not None:
        first = counted(tuning.cutoff, "document")
        aside(f"\nOn {test}, {counted(tuned.queries, 'query')}, the first {first}; p of the paired t-test:\n")
        click.echo(_report(tuned, call.group("run"), style))
        if tuned.shared:
            aside(f"\n{tuned.shared:,} of these queries are also judged in {train}, so they are not an independent test.")


@command(pareto)
def pareto_command(call: Call[RecordTable[Undominated]], *, style: Style = "table") -> None:
    """Show the top documents for a QUERY that no other document dominates in relevance, readability and credibility.

    A document is dominated if another one is at least as good by every measure and better by one. There are no weights to tune.
    """
    documents = call.once()
    if not documents and style == "table":
        aside("nothing found")
        return
    rows = [(row.front, row.rank, *row.measured, row.docno, _short(row.title, style)) for row in documents]
    click.echo(render(rows, ["front", "rank", *call.group("options").measures, "document", "title"], style=style))


def _formula(made: Combined) -> str:
    total = sum(part.weight for part in made.parts)
    return "comb_score = " + " + ".join(f"{part.weight / total:.3g} · {part.measure} by {part.transform}" for part in made.parts)


def _report(tuned: TunedCombination, run: str, style: str) -> str:
    rows = [
        (
            row.what,
            row.source,
            row.combined,
            None if row.source is None or row.combined is None else row.combined - row.source,
            row.queries,
            row.p,
        )
        for row in tuned.test
    ]
    return render(rows, ["mean of", run, tuned.run.run, "difference", "queries", "p"], style=style)


def _curve(points: Sequence[TradeOff], measures: Sequence[str], cutoff: int, style: str) -> str:
    def of(values: Mapping[str, float | None], names: Sequence[str]) -> list[float | None]:
        return [values.get(name) for name in names]

    rows = [
        (
            *of(point.weights, ["relevance", *measures]),
            point.ndcg,
            point.gain,
            *of(point.means, measures),
            "←" if point.chosen else "",
        )
        for point in points
    ]
    headers = ["relevance", *measures, f"nDCG@{cutoff}", f"gain@{cutoff}", *(f"mean {name}" for name in measures), "chosen"]
    return render(rows, headers, style=style)


def _short(title: str | None, style: str) -> str | None:
    """Return a title cut to the width of a table for a terminal; unchanged for programs."""
    if style != "table" or title is None or len(title) <= _TITLE:
        return title
    return title[: _TITLE - 1].rstrip() + "…"
