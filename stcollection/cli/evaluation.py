"""``stc evaluation``: score runs, rank systems."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

import click
import psycopg

from stcollection.cli import reading, scoring
from stcollection.cli.hiding import ask_
from stcollection.cli.measuring import (
    MEASURES_HELP,
    aliases,
    complete_option,
    edition_option,
    judged_option,
    level_option,
    max_option,
    measures_named,
    measures_option,
    names_typed,
    rules_option,
)
from stcollection.cli.output import FORMATS, format_option, render, tell_simulated
from stcollection.cli.runs import FILE
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.evaluation.kinds import GROUPS, KINDS, SOURCES
from stcollection.evaluation.measures import OFFICIAL, Measure
from stcollection.evaluation.preferences import JUDGMENTS, score_judgments, trec_eval_lines
from stcollection.evaluation.printing import lines, printed, standardised_lines
from stcollection.evaluation.readability import readability
from stcollection.evaluation.score import USUAL, Rules, judge, leaderboard, score
from stcollection.evaluation.zscores import read_zscores

# The seven official measures, how much of the relevant is reached, and how far the judgments can be trusted.
LEADERBOARD = (*OFFICIAL, Measure("R", 100), Measure("Judged", 10))


@click.group()
def evaluation() -> None:
    """Score runs and rank systems; every measure equal to trec_eval."""


@evaluation.command("score")
@click.argument("runs", nargs=-1)
@edition_option
@click.option("-m", "--measure", "names", multiple=True, help=MEASURES_HELP)
@complete_option
@click.option("-q", "--per-query", is_flag=True, help="A row for each query, not the mean alone.")
@level_option
@judged_option
@max_option
@rules_option
@click.option(
    "--format", "style", type=click.Choice([*FORMATS, "trec_eval"]), default="table", show_default=True,
    help="How to print it; trec_eval is that of one run, as trec_eval prints it.",
)  # fmt: skip
@click.option(
    "-R", "--judgments", type=click.Choice(["qrels", *JUDGMENTS]), default="qrels", show_default=True,
    help="Grades; or preferences, preferences implied by the grades of each annotator, measures averaged over the annotators. "
    "All but qrels with --format trec_eval.",
)  # fmt: skip
@click.option(
    "-Z", "--zscores", type=FILE, help="Standardise by the mean and deviation of FILE (query measure mean deviation); so too."
)
@click.pass_obj
def score_(
    settings: Settings,
    runs: tuple[str, ...],
    edition: str,
    names: tuple[str, ...],
    complete: bool,
    per_query: bool,
    level: int,
    judged_only: bool,
    max_rank: int | None,
    rules: str,
    style: str,
    judgments: str,
    zscores: Path | None,
) -> None:
    """Score RUNS (all if none is named) against one edition of the judgments."""
    how = Rules(relevance_level=level, judged_only=judged_only, max_rank=max_rank, version=rules)
    wanted = names_typed(names)
    if style == "trec_eval":
        if len(runs) != 1:
            raise click.UsageError("trec_eval's format is that of one run: name it.")
        with connect(settings) as conn:
            if judgments != "qrels":
                if wanted or zscores or how != USUAL:
                    raise click.UsageError(f"-R {judgments} has measures of its own: it goes with -q and -c alone.")
                found = score_judgments(conn, run=runs[0], edition=edition, judgments=judgments, complete=complete)
                told = list(trec_eval_lines(found, per_query=per_query))
            else:
                judge(conn, runs=runs, edition=edition)
                what = printed(conn, run=runs[0], edition=edition, names=wanted or ["official"], complete=complete, rules=how)
                if zscores is None:
                    told = list(lines(what, per_query=per_query))
                else:
                    told = [line for line in standardised_lines(what, read_zscores(zscores)) if per_query or "\tall\t" in line]
        click.echo("\n".join(told))
        tell_simulated()
        return
    if judgments != "qrels" or zscores is not None:
        raise click.UsageError("-R and -Z are printed as trec_eval does: add --format trec_eval.")
    measures = measures_named(names) or list(OFFICIAL)
    with connect(settings) as conn:
        judge(conn, runs=runs, edition=edition)
        if not per_query:
            _print_means(conn, runs, edition, measures, complete, style, how, also=aliases(names))
            return
        table: dict[tuple[str, str], dict[str, float]] = {}
        for one in score(conn, runs=runs, edition=edition, measures=measures, complete=complete, rules=how):
            table.setdefault((one.run, one.query), {})[str(one.measure)] = one.value
    columns = [str(measure) for measure in measures]
    also = aliases(names) if style == "json" else {}
    for values in table.values():
        values.update({name: values[str(measure)] for name, measure in also.items() if str(measure) in values})
    columns += also
    rows = [(run, query, *(values.get(name) for name in columns)) for (run, query), values in table.items()]
    click.echo(render(rows, ["run", "query", *columns], style=style))


@evaluation.command("leaderboard")
@edition_option
@measures_option
@complete_option
@level_option
@judged_option
@max_option
@rules_option
@click.option("--readability", "readable", is_flag=True, help="How readable what each run retrieves is, beside the measures.")
@click.option("--k", type=click.IntRange(1, reading.MOST), help="Documents a query that --readability reads.  [default: 10]")
@format_option
@click.pass_obj
def leaderboard_(
    settings: Settings,
    edition: str,
    measures: list[Measure],
    complete: bool,
    level: int,
    judged_only: bool,
    max_rank: int | None,
    rules: str,
    readable: bool,
    k: int | None,
    style: str,
) -> None:
    """Every run, best first by the first measure.

    With --readability also, of the first documents of the edition's queries: the share that has readability (coverage), references,
    different words (vocab), shares of long and of complex words, mean and median of the Flesch-Kincaid grade level.
    """
    if k is not None and not readable:
        raise click.UsageError("--k goes with --readability; the cutoff of a measure is in its name, as nDCG@10.")
    with connect(settings) as conn:
        judge(conn, edition=edition)
        how = Rules(relevance_level=level, judged_only=judged_only, max_rank=max_rank, version=rules)
        _print_means(conn, (), edition, measures, complete, style, how, also=aliases(), reading_depth=k or 10 if readable else None)


@evaluation.command("measures")
@format_option
def measures_(style: str) -> None:
    """The measures there are: names in both families, definition, source."""
    rows = []
    for kind in KINDS.values():
        suffix = {"cutoff": "@k", "share": "@x", "p": "(p=…)"}.get(kind.takes, "")
        shown = {"cutoff": "_k", "share": "_x", "numbers": "[.a,b,…]", "gains": "[.grade=gain,…]", "p": "[.p=…]"}.get(
            kind.takes, ""
        )
        groups = ", ".join(group for group, kinds in GROUPS.items() if kind.name in kinds)
        ours = kind.name in ("binary_rbp", "ndcg_exp", "err", "judged", "recip_rank_cut")
        name = "" if ours else kind.name + shown
        source = f"{kind.source}: {SOURCES[kind.source]}" if style in ("json", "csv") else kind.source
        rows.append((kind.ir + suffix if kind.ir else "", name, kind.definition, groups, source))
    click.echo(render(rows, ["ir_measures", "trec_eval", "definition", "in", "source"], style=style))


def _print_means(
    conn: psycopg.Connection,
    runs: Sequence[str],
    edition: str,
    measures: Sequence[Measure],
    complete: bool,
    style: str,
    rules: Rules,
    *,
    also: Mapping[str, Measure],
    reading_depth: int | None = None,
) -> None:
    measures = measures or LEADERBOARD
    rows = leaderboard(conn, edition=edition, measures=measures, runs=runs, complete=complete, rules=rules)
    table = [(row.run, *(None if math.isnan(value) else value for value in row.values)) for row in rows]
    names = [str(measure) for measure in measures]
    if style == "json":  # under the names that were typed too
        places = [names.index(str(measure)) + 1 for measure in also.values()]
        table = [(*cells, *(cells[place] for place in places)) for cells in table]
        names += also
    if reading_depth is None:
        click.echo(render(table, ["run", *names], style=style))
        return
    beside = reading.Beside(readability(conn, runs=[row.run for row in rows], k=reading_depth, edition=edition))
    fields = ["run", *names, *beside.FIELDS]
    click.echo(reading.table([(*cells, *beside[row.run]) for cells, row in zip(table, rows, strict=True)], fields, style=style))


for command in (scoring.import_, scoring.compare_output_, scoring.zscores_, reading.readability_, ask_):
    evaluation.add_command(command)
