"""``stc retrieval combine``, ``combine-tune`` and ``pareto``: relevance beside readability and credibility."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import click

from stcollection.cli.filtering import filter_options, read_filter
from stcollection.cli.output import format_option, render
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.retrieval import SYSTEMS, combine_tune
from stcollection.retrieval import pareto as fronts_of
from stcollection.retrieval.combine import MISSING, WEIGHTS, Combined
from stcollection.retrieval.combine import combine as combine_run

_TITLE = 60


def _pairs(kind: Callable[[str], Any]) -> Callable[[click.Context, click.Parameter, tuple[str, ...]], dict[str, Any]]:
    """Reads MEASURE=VALUE, each measure once."""

    def read(_: click.Context, option: click.Parameter, given: tuple[str, ...]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for one in given:
            measure, equals, value = (part.strip() for part in one.partition("="))
            if not equals or not measure or measure in found:
                raise click.BadParameter(f"{one!r} is no {option.metavar}, or names its measure a second time")
            try:
                found[measure] = kind(value)
            except ValueError:
                raise click.BadParameter(f"{value!r} is no number") from None
        return found

    return read


def _number(text: str) -> float:
    number = float(text)
    if not abs(number) < float("inf"):
        raise ValueError(text)
    return number


transform_option = click.option(
    "-t", "--transform", "transforms", multiple=True, metavar="MEASURE=HOW", callback=_pairs(str),
    help="How a measure goes into [0, 1]: linear(20,8), log(0,1000), logistic(12,-2), percentile(more), percentile(less); relevance"
    " by minmax, rank, reciprocal(60). Repeatable.  [default: each measure's own; docs/readable.md]",
)  # fmt: skip
missing_option = click.option(
    "--missing", type=click.Choice(MISSING), default="mean", show_default=True,
    help="What stands for a value that a document has not: the mean of the query's documents, or zero, the worst.",
)  # fmt: skip
depth_option = click.option(
    "--depth", type=click.IntRange(min=1), default=1000, show_default=True, help="Documents a query of the new run at most."
)


@click.command("combine")
@click.argument("run")
@click.option("--name", help="The new run's name.")
@click.option("--keep", is_flag=True, help="Make no new run: fill RUN's comb_score and leave its order. In place of --name.")
@click.option(
    "-w", "--weight", "weights", multiple=True, metavar="MEASURE=WEIGHT", callback=_pairs(_number),
    help="How much a measure counts, relevance among them; only the proportions matter. Repeatable.  [default: "
    + " ".join(f"{measure}={weight:g}" for measure, weight in WEIGHTS.items()) + "]",
)  # fmt: skip
@transform_option
@missing_option
@depth_option
@click.option(
    "--replace", is_flag=True, help="Put it in the place of a stored run of that name; with --keep, of what RUN came with."
)
@click.pass_obj
def combine(
    settings: Settings,
    run: str,
    name: str | None,
    keep: bool,
    weights: dict[str, float],
    transforms: dict[str, str],
    missing: str,
    depth: int,
    replace: bool,
) -> None:
    """Rank the documents of a stored RUN by relevance, readability and credibility combined, as a new run.

    comb_score = Σ weight · transform(measure) / Σ weight, in [0, 1]. The new run is ranked by it. --keep fills comb_score of RUN
    instead, which stays ranked by relevance: exported as SimpleText's JSON it carries both scores.
    """
    if keep == (name is not None):
        raise click.UsageError("name a new run by --name, or --keep this one")
    with connect(settings) as conn:
        done = combine_run(
            conn,
            run=run,
            name=name,
            weights=weights or WEIGHTS,
            transforms=transforms,
            missing=missing,
            depth=depth,
            replace=replace,
        )
    what = "documents for" if name is not None else "documents have a comb_score, for"
    click.echo(f"{done.run}: {done.ranked:,} {what} {done.queries:,} queries")
    click.echo(_formula(done), err=True)


def _formula(done: Combined) -> str:
    total = sum(part.weight for part in done.parts)
    return "comb_score = " + " + ".join(f"{part.weight / total:.3g} · {part.measure} by {part.transform}" for part in done.parts)


@click.command("combine-tune")
@click.argument("run")
@click.option("--train", required=True, metavar="EDITION", help="The edition the weights are chosen on.")
@click.option("--test", metavar="EDITION", help="The edition the result is reported on: another one.")
@click.option(
    "--by", "measures", multiple=True, default=combine_tune.MEASURES, show_default=True, metavar="MEASURE",
    help="What relevance is combined with. Repeatable.",
)  # fmt: skip
@transform_option
@missing_option
@click.option("--steps", type=click.IntRange(1, 1000), default=10, show_default=True, help="Weights are multiples of 1/steps.")
@click.option("--cutoff", type=click.IntRange(min=1), default=10, show_default=True, help="Of nDCG, and of the first documents.")
@click.option(
    "--give-up", type=click.FloatRange(0, 1), default=0.02, show_default=True,
    help="How much of the best nDCG may be given up, as a share of it.",
)  # fmt: skip
@click.option("--all", "everything", is_flag=True, help="Print all points, not those of the trade-off curve alone.")
@click.option("--name", default="tuned-readable", show_default=True, help="The name of the run by the chosen weights.")
@depth_option
@click.option("--replace", is_flag=True, help="Put it in the place of a stored run of that name.")
@format_option
@click.pass_obj
def tune(settings: Settings, /, run: str, train: str, test: str | None, everything: bool, style: str, **options: Any) -> None:
    """Choose the weights of relevance, readability and credibility on one edition, and report them on another alone.

    Judgments of relevance never ask for readability. Chosen is therefore the point with the most of it (the mean transformed
    value of the measures over the first documents of a query) among those that lack at most --give-up of the best nDCG. Printed
    is the curve of points from which none gives more of both.
    """
    with connect(settings) as conn:
        done = combine_tune.tune_combination(conn, run=run, train=train, test=test, **options)
    measures, cutoff = options["measures"], options["cutoff"]
    curve = [point for point in done.points if everything or point.curve or point.chosen]
    table = _curve(curve, measures, cutoff, style if test is None else "table")
    if test is None:
        click.echo(table)
    else:
        click.echo(f"{len(curve)} of {len(done.points):,} points, on {train}, by which it is chosen:\n", err=True)
        click.echo(table, err=True)
    click.echo(f"\n{done.run.run}: {_formula(done.run)}", err=True)
    if test is not None:
        click.echo(f"\nOn {test}, {done.queries:,} queries, the first {cutoff} documents; p of the paired t-test:\n", err=True)
        rows = [
            (one.what, one.source, one.combined, None if one.source is None or one.combined is None else one.combined - one.source,
             one.queries, one.p)
            for one in done.test
        ]  # fmt: skip
        click.echo(render(rows, ["mean of", run, done.run.run, "difference", "queries", "p"], style=style))
        if done.shared:
            click.echo(f"\n{done.shared:,} of these queries are judged in {train} too: by them this is no test.", err=True)


def _curve(points: Sequence[combine_tune.TradeOff], measures: Sequence[str], cutoff: int, style: str) -> str:
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


@click.command("pareto")
@click.argument("query")
@click.option("--run", help="A stored run; QUERY is then the name of a stored query.  [default: search for QUERY, a text]")
@click.option("--system", type=click.Choice(SYSTEMS), default="hybrid", show_default=True, help="What ranks, without --run.")
@click.option("-k", type=click.IntRange(min=1), default=100, show_default=True, help="Documents that are compared: the first k.")
@click.option(
    "--by", "measures", multiple=True, default=fronts_of.MEASURES, show_default=True, metavar="MEASURE",
    help="What they are compared by; age:less and age:more say a direction. Repeatable.",
)  # fmt: skip
@click.option("--fronts", type=click.IntRange(min=1), default=1, show_default=True, help="Fronts to show: 2 is what 1 hides.")
@click.option("--model", metavar="SHORT", help="The embedding model's name in the collection.  [default: the collection's first]")
@filter_options
@format_option
@click.pass_obj
def pareto(
    settings: Settings,
    /,
    query: str,
    run: str | None,
    system: str,
    k: int,
    measures: tuple[str, ...],
    fronts: int,
    model: str | None,
    style: str,
    **filtering: Any,
) -> None:
    """Of the first documents for a QUERY those that no other one beats: in relevance, readability and credibility.

    A document is shown if none is as good by every measure and better by one. No weights, so nothing to tune.
    """
    with connect(settings) as conn:
        found = fronts_of.pareto(
            conn, query, run=run, system=system, k=k, measures=measures, fronts=fronts, filter=read_filter(conn, **filtering),
            model=model,
        )  # fmt: skip
    if not found and style == "table":
        click.echo("nothing found", err=True)
        return
    rows = [(one.front, one.rank, *one.measured, one.docno, _short(one.title, style)) for one in found]
    click.echo(render(rows, ["front", "rank", *measures, "document", "title"], style=style))


def _short(title: str | None, style: str) -> str | None:
    """A title as long as a table of a terminal can hold; whole where it is for a program."""
    if style != "table" or title is None or len(title) <= _TITLE:
        return title
    return title[: _TITLE - 1].rstrip() + "…"
