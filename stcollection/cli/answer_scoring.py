"""``stc analysis answers score``, ``leaderboard``, ``export``, ``import``: how good runs are, and submission files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from stcollection.cli.answer_clustering import parameters, split_option
from stcollection.cli.output import format_option, render
from stcollection.cli.telling import output, printable
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.studies.answers.runs import export_run, import_run
from stcollection.studies.answers.scores import PARTS, Mean, Place, Score, leaderboard, means, scores

_MEAN = Mean._fields[1:]


@click.command("score")
@click.argument("run")
@click.option("-q", "--by-query", is_flag=True, help="Each query, too.")
@format_option
@click.pass_obj
def score_(settings: Settings, run: str, by_query: bool, style: str) -> None:
    """Precision, recall and F1 of the documents RUN returns: the mean over queries, with -q each query.

    micro: over all documents together. A query without gold is left out of the means and counted.
    """
    with connect(settings) as conn:
        if by_query:
            rows = [tuple(shown(value, style) for value in one) for one in scores(conn, run)]
            click.echo(render(rows, Score._fields, style=style))
            return
        rows = [tuple(shown(value, style) for value in one[1:]) for one in means(conn, [run])]
    click.echo(render(rows, _MEAN, style=style))


@click.command("leaderboard")
@click.argument("set")
@split_option
@click.option("--by", type=click.Choice(PARTS), help="A leaderboard for each part of the queries.")
@click.option("--baseline", metavar="RUN", help="What each run is tested against.  [default: the best]")
@click.option("--draws", type=click.IntRange(1, 1_000_000), default=10_000, show_default=True, help="Of bootstrap and test.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of both.")
@format_option
@click.pass_obj
def leaderboard_(settings: Settings, /, style: str, **options: Any) -> None:
    """The runs over a split of SET, best mean F1 first.

    The interval of F1 (95 %) is a BCa bootstrap over queries. p: randomisation test of F1 by query against the best run or the
    baseline, two-sided; corrected: by Holm over the runs.
    """
    with connect(settings) as conn:
        found = leaderboard(conn, **options)
    if not found:
        click.echo("no run over this split yet", err=True)
    if style in ("json", "csv"):
        rows: list[Any] = [one if style == "json" else one._replace(params=parameters(one.params)) for one in found]  # type: ignore[arg-type]
        click.echo(render(rows, Place._fields, style=style))
        return
    parts = options["by"] is not None
    table = [
        tuple(
            shown(value, style)
            for value in (
                *([one.part] if parts else []), one.run, one.method, parameters(one.params), one.queries, one.abstained,
                one.precision, one.recall, one.f1, None if one.low is None else f"{one.low:.4f} … {one.high:.4f}", _p(one.p),
                _p(one.corrected),
            )
        )
        for one in found
    ]  # fmt: skip
    names = ["run", "method", "params", "queries", "abstained", "precision", "recall", "F1", "95 % interval", "p", "corrected"]
    click.echo(render(table, [options["by"], *names] if parts else names, style=style))
    left = {one.part: one.without_gold for one in found if one.without_gold}
    if left:
        click.echo(f"without gold, and so left out: {sum(left.values()):,} of the queries", err=True)


@click.command("export")
@click.argument("run")
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="The file to write.  [default: standard output]")
@click.pass_obj
def export_(settings: Settings, run: str, out: Path | None) -> None:
    """Export RUN as a submission: a line a query, query<TAB>id,id; none after the tab where it returns nothing."""
    with connect(settings) as conn, output(out) as file:
        done = export_run(conn, run, file)
    told = f"{done.queries:,} queries, {done.answered:,} of them answered, {done.documents:,} documents"
    click.echo(f"{printable(str(out)) if out else 'standard output'}: {told}", err=out is None)


@click.command("import")
@click.argument("set")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@split_option
@click.option("--run", required=True, help="The name of the run it makes.")
@click.option("--replace", is_flag=True, help="Put it in the place of a run of its name, which is an error otherwise.")
@click.pass_obj
def import_(settings: Settings, /, file: Path, **options: Any) -> None:
    """Store a submission FILE over a split of SET as a run, to score it beside others; all or nothing."""
    with connect(settings) as conn:
        done = import_run(conn, file, **options)
    told = f"{done.queries:,} queries, {done.answered:,} of them answered, {done.documents:,} documents"
    click.echo(f"run {printable(done.run)}: {told}")
    if done.unnamed:
        click.echo(f"{done.unnamed:,} queries of the split are not in the file: they count as abstained", err=True)


def shown(value: Any, style: str) -> Any:
    """Names as a terminal may print them; in JSON as they are."""
    return printable(value) if isinstance(value, str) and style != "json" else value


def _p(value: float | None) -> str | None:
    if value is None:
        return None
    return "<.0001" if value < 0.00005 else f"{value:.4f}"
