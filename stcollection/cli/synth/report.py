"""The command ``stc synth report``."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from stcollection.cli.options import packed
from stcollection.cli.options.completion import complete_measures
from stcollection.cli.options.editions import edition_argument
from stcollection.cli.options.files import OutputPath
from stcollection.cli.options.measures import measures_named
from stcollection.cli.options.queries import queries_option
from stcollection.cli.options.significance import seed_option
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument
from stcollection.evaluation.measures import Measure
from stcollection.studies.synth.report.files import check_folder, write_report
from stcollection.studies.synth.report.parts import StudySources
from stcollection.studies.synth.report.study import study_report
from stcollection.topics.sets import ALL


def _one(_: click.Context, __: click.Parameter, name: str) -> Measure:
    measures = measures_named([name])
    if len(measures) != 1:
        raise BadArgument(
            f"{name!r} is {counted(len(measures), 'measure')}", hint="Give one measure, such as nDCG@10.", sqlstate="IR202"
        )
    return measures[0]


@click.command("report")
@edition_argument
@click.option("--llm", metavar="EDITION", help="Edition in which a language model judged the same queries.")
@click.option("--sparse", metavar="EDITION", help="Edition with one judgment per query: the document it was made from.")
@click.option(
    "-m",
    "--measure",
    metavar="MEASURE",
    default="nDCG@10",
    show_default=True,
    shell_complete=complete_measures,
    callback=_one,
    help="Measure for scoring the systems.",
)
@click.option("--study", "study_", metavar="NAME", help="Study that generated the queries.  ['stc synth' lists the studies]")
@click.option("--runs", "runs", metavar="RUN", multiple=True, help="Use only this run. Repeatable.  [default: all of the edition]")
@queries_option
@seed_option
@click.option(
    "--resamples",
    type=click.IntRange(100, 1_000_000),
    default=2000,
    show_default=True,
    help="Number of bootstrap resamples and permutations.",
)
@click.option("--date", metavar="TEXT", help="Date to print below the title.  [default: none, so that equal data give equal bytes]")
@click.option("--replace", is_flag=True, help="Replace a report in the folder.")
@click.option(
    "--out",
    metavar="FOLDER",
    required=True,
    type=OutputPath(folder=True),
    help="Folder to write to; created if it does not exist.",
)
@packed(StudySources, "asked", study_="study")
@click.pass_obj
def command(settings: Settings, /, asked: StudySources, date: str | None, replace: bool, out: Path) -> None:
    """Write a report on EDITION, which judges queries of several origins: HTML, Markdown, figures, tables.

    A section without data says what is missing and which command provides it.
    """
    check_folder(out.resolve(), replace=replace)
    with connect(settings) as conn:
        report = study_report(conn, asked, command=_typed(settings, asked), date=date)
    files = write_report(report, out, replace=replace)
    missing = [(section.title, one.what) for section in report.sections for one in section.missing]
    tables, figures = (sum(path.suffix == kind for path in files) for kind in (".csv", ".svg"))
    counts = (counted(len(report.sections), "section"), counted(tables, "table"), counted(figures, "figure"))
    click.echo(f"{out / 'report.html'}: {', '.join(counts)}")
    for title, what in missing:
        click.echo(f"  {title}: missing: {what}")


def _typed(settings: Settings, asked: StudySources) -> str:
    """Return the command that makes the same report. The folder is left out: it does not affect the contents."""
    words = ["stc", "--db", settings.db, "synth", "report", asked.edition]
    for name, value in (("--llm", asked.llm), ("--sparse", asked.sparse), ("--study", asked.study)):
        words += [name, value] if value is not None else []
    for run in asked.runs:
        words += ["--runs", run]
    words += ["--queries", asked.queries] if asked.queries != ALL else []
    words += ["--measure", str(asked.measure), "--seed", str(asked.seed), "--resamples", str(asked.resamples)]
    return shlex.join(words)
