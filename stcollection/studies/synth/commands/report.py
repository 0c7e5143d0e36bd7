"""The command ``stc synth report``."""

from __future__ import annotations

import shlex
from dataclasses import replace as changed
from pathlib import Path
from typing import Annotated, Any

import click

from stcollection.cli.declared import Call, command
from stcollection.cli.options.measures import one_measure_option
from stcollection.cli.options.queries import queries_option
from stcollection.counts import counted
from stcollection.db.settings import Settings
from stcollection.declared import Option
from stcollection.studies.synth.report.files import check_folder, write_report
from stcollection.studies.synth.report.parts import Report, StudySources
from stcollection.studies.synth.report.study import study_report
from stcollection.topics.sets import ALL


@command(study_report)
def report_command(
    call: Call[Report],
    *,
    measure: Annotated[Any, one_measure_option("Measure for scoring the systems.")],
    queries: Annotated[str, queries_option],
    replace: bool = False,
    folder: Annotated[Path, Option("--out", metavar="FOLDER")],
) -> None:
    """Write a report on EDITION, which judges queries of several origins: HTML, Markdown, figures, tables.

    A section without data says what is missing and which command provides it.

    :param replace: Replace a report in the folder. :param folder: Folder to write to; created if it does not exist.
    """
    check_folder(folder.resolve(), replace=replace)
    sources = changed(call.group("study"), measure=measure, queries=queries)
    report = call.once(study=sources, command=_typed(call.settings, sources))
    files = write_report(report, folder, replace=replace)
    missing = [(section.title, part.what) for section in report.sections for part in section.missing]
    tables, figures = (sum(path.suffix == kind for path in files) for kind in (".csv", ".svg"))
    counts = (counted(len(report.sections), "section"), counted(tables, "table"), counted(figures, "figure"))
    click.echo(f"{folder / 'report.html'}: {', '.join(counts)}")
    for title, what in missing:
        click.echo(f"  {title}: missing: {what}")


def _typed(settings: Settings, sources: StudySources) -> str:
    """Return the command that makes the same report. The folder is left out: it does not affect the contents."""
    words = ["stc", "--db", settings.db, "synth", "report", sources.edition]
    for name, value in (("--llm", sources.llm), ("--sparse", sources.sparse), ("--study", sources.study)):
        words += [name, value] if value is not None else []
    for run in sources.runs:
        words += ["--runs", run]
    words += ["--queries", sources.queries] if sources.queries != ALL else []
    words += ["--measure", str(sources.measure), "--seed", str(sources.seed), "--resamples", str(sources.resamples)]
    return shlex.join(words)
