"""The command ``stc synth report``."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from stcollection.cli.options import packed
from stcollection.cli.options.editions import edition_argument
from stcollection.cli.options.measures import complete, measures_named
from stcollection.cli.options.significance import seed_option
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument
from stcollection.evaluation.measures import Measure
from stcollection.studies.synth.report.files import check_folder, write_report
from stcollection.studies.synth.report.parts import StudySources, counted
from stcollection.studies.synth.report.study import study_report


def _one(_: click.Context, __: click.Parameter, name: str) -> Measure:
    measures = measures_named([name])
    if len(measures) != 1:
        raise BadArgument(f"{name!r} is {len(measures)} measures", hint="A study has one, as nDCG@10.", sqlstate="IR202")
    return measures[0]


@click.command("report")
@edition_argument
@click.option("--llm", metavar="EDITION", help="The same queries judged by a language model.")
@click.option("--sparse", metavar="EDITION", help="One judgment a query: the document it was made from.")
@click.option(
    "-m",
    "--measure",
    metavar="NAME",
    default="nDCG@10",
    show_default=True,
    shell_complete=complete,
    callback=_one,
    help="What systems are scored by.",
)
@click.option("--study", "study_", metavar="NAME", help="In which the queries were made.  ['stc synth' lists them]")
@click.option("--run", "runs", metavar="RUN", multiple=True, help="Take these alone; repeat it.  [default: all of the edition]")
@seed_option
@click.option(
    "--resamples", type=click.IntRange(100, 1_000_000), default=2000, show_default=True, help="Of what is drawn at random."
)
@click.option("--date", metavar="TEXT", help="To print below the title.  [default: none, so that the same data are the same bytes]")
@click.option("--replace", is_flag=True, help="Write it in the place of a report that is in the folder.")
@click.option(
    "--out", metavar="FOLDER", required=True, type=click.Path(path_type=Path), help="Where to write; made if it is not there."
)
@packed(StudySources, "asked", study_="study")
@click.pass_obj
def command(settings: Settings, /, asked: StudySources, date: str | None, replace: bool, out: Path) -> None:
    """Write the study of EDITION, which judges queries of several origins, as a report: HTML, Markdown, figures, tables.

    A section whose data are not there says what is missing and what brings it.
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
    """The command that makes the same report, without its folder, which says nothing of the data."""
    words = ["stc", "--db", settings.db, "synth", "report", asked.edition]
    for name, value in (("--llm", asked.llm), ("--sparse", asked.sparse), ("--study", asked.study)):
        words += [name, value] if value is not None else []
    for run in asked.runs:
        words += ["--run", run]
    words += ["--measure", str(asked.measure), "--seed", str(asked.seed), "--resamples", str(asked.resamples)]
    return shlex.join(words)
