"""``stc analysis plot``: figures as SVG, PNG or PDF."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from stcollection.analysis import figures, judged_figures
from stcollection.analysis.canvas import Figure, kind_of, needed, write
from stcollection.cli.measuring import edition_option, measures_named
from stcollection.cli.runs import output
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument
from stcollection.evaluation.measures import Measure, nDCG


@click.group("plot")
def plot() -> None:
    """Draw figures: SVG, PNG or PDF, as the ending of --out tells. The same data make the same file."""


def _out(_: click.Context, __: click.Parameter, path: Path) -> Path:
    """Checked before any work is done."""
    kind_of(path)
    if not path.parent.is_dir():
        raise BadArgument(f"there is no folder {path.parent}", hint="Make it first, or write elsewhere.", sqlstate="IR202")
    needed("matplotlib")
    return path


def measures_option(most: int) -> Callable[..., Any]:
    """``-m`` of a figure of one measure, or of one or two."""

    def check(_: click.Context, __: click.Parameter, names: tuple[str, ...]) -> Measure | list[Measure]:
        measures = measures_named(names) or [nDCG @ 10]
        if len(measures) > most:
            many = f"{len(measures)} measures in one figure"
            raise BadArgument(many, hint=f"Name {'one' if most == 1 else 'one, or two'}: -m nDCG@10.", sqlstate="IR202")
        return measures[0] if most == 1 else measures

    name = "measure" if most == 1 else "measures"
    told = "nDCG@10, AP, …" if most == 1 else "nDCG@10, AP, …; two of them to set one against the other."
    return click.option("-m", "--measure", name, multiple=True, callback=check, help=f"{told}  [default: nDCG@10]")


def _options(*options: Callable[..., Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def add(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            command = option(command)
        return command

    return add


file_options = _options(
    click.option("--out", required=True, type=click.Path(dir_okay=False, path_type=Path), callback=_out, is_eager=True,
                 help="The file to write: .svg, .png or .pdf."),
    click.option("--width", type=click.FloatRange(1.5, 40), metavar="INCHES",
                 help="Of the figure.  [default: a column of a paper, 3.35, or as much as its labels take]"),
)  # fmt: skip
spread_options = _options(
    click.option("--interval", type=click.Choice(figures.INTERVALS), default="t", show_default=True,
                 help="Of the mean over queries: Student's, or BCa bootstrap."),
    click.option("--alpha", type=click.FloatRange(0, 1, min_open=True, max_open=True), default=0.05, show_default=True,
                 help="The interval has confidence 1 − alpha."),
    click.option("--resamples", type=click.IntRange(min=1), default=100_000, show_default=True, help="Of the bootstrap."),
    click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of the bootstrap."),
    click.option("--missing", type=click.Choice(["zero", "drop"]), default="zero", show_default=True,
                 help="A query a run has nothing for: 0 (trec_eval -c), or left out."),
)  # fmt: skip


def draw(settings: Settings, out: Path, figure: Callable[..., Figure], *arguments: Any, **options: Any) -> None:
    """Draw a figure of the collection, write it, and tell its size."""
    with connect(settings) as conn:
        done = figure(conn, *arguments, **options)
    with output(out) as file:
        boxes = write(done, file, kind=kind_of(out))
    width, height = done.get_size_inches()
    click.echo(f"{out}: {width:.2f} × {height:.2f} inches, {out.stat().st_size:,} bytes")
    if boxes:
        click.echo(
            f"a box stands for each of {boxes!r}, for which the font has no sign; SVG leaves the font to the viewer", err=True
        )


@plot.command("systems")
@click.argument("runs", nargs=-1)
@edition_option
@measures_option(1)
@click.option("--queries", is_flag=True, help="Each query's value too, as a faint stroke.")
@spread_options
@file_options
@click.pass_obj
def systems(settings: Settings, /, out: Path, **options: Any) -> None:
    """The mean of each of RUNS (all if none is named) with its interval over queries, best on top.

    Two intervals that overlap do not say that the runs are alike: 'stc analysis compare' tests them query by query.
    """
    draw(settings, out, figures.systems, **options)


@plot.command("differences")
@click.argument("run")
@click.argument("against")
@edition_option
@measures_option(1)
@spread_options
@file_options
@click.pass_obj
def differences(settings: Settings, /, out: Path, run: str, against: str, **options: Any) -> None:
    """By how much RUN is better or worse than AGAINST on each query, with the mean difference and its interval."""
    draw(settings, out, figures.differences, run, against, **options)


@plot.command("slopes")
@click.argument("runs", nargs=-1)
@edition_option
@click.option("--against", metavar="EDITION", help="The edition on the right.  [default: none, two measures]")
@measures_option(2)
@click.option("--all", "every", is_flag=True, help="The mean by each edition is over all its queries, not those both judge alone.")
@file_options
@click.pass_obj
def slopes(settings: Settings, /, out: Path, **options: Any) -> None:
    """One ranking of RUNS (all if none is named) against another: of two editions, or by two measures, -m nDCG@10 -m AP."""
    draw(settings, out, figures.slopes, **options)


@plot.command("depth")
@click.argument("pool")
@click.option("--edition", metavar="EDITION", help="Whose judgments count.  [default: the grades on the pool's own sheets]")
@click.option("--relevant", type=click.IntRange(min=1), default=1, show_default=True, help="The lowest grade that is relevant.")
@file_options
@click.pass_obj
def depth(settings: Settings, /, out: Path, pool: str, **options: Any) -> None:
    """What POOL has found by each depth: documents, judged and relevant ones, and how many relevant ones each depth added."""
    draw(settings, out, judged_figures.depth, pool, **options)


@plot.command("grades")
@click.argument("editions", nargs=-1)
@click.option("--counts", is_flag=True, help="Bars as long as there are judgments.  [default: all of 100%]")
@file_options
@click.pass_obj
def grades(settings: Settings, /, out: Path, editions: tuple[str, ...], **options: Any) -> None:
    """How often EDITIONS (all if none is named) give each grade; a bar for each origin where there are several."""
    draw(settings, out, judged_figures.grades, editions, **options)
