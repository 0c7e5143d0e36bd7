"""The commands on runs of answer verification: ``stc show answer-runs``, ``export``, ``import``, ``explain`` and others."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

import click
import orjson

from stcollection.cli.declared import Call, Style, command
from stcollection.cli.options.figures import FigureFiles, figure_option, write_csv
from stcollection.cli.options.files import export_option
from stcollection.cli.output import output, printable, render
from stcollection.cli.quiet import aside
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.declared import Option
from stcollection.plots.table import table
from stcollection.studies.answers.commands.text import parameters
from stcollection.studies.answers.drawing import AnswerGraph, draw_clusters
from stcollection.studies.answers.explain import as_text, explanations
from stcollection.studies.answers.graph import graph
from stcollection.studies.answers.runs import (
    AnswerRunOverview,
    ExportedAnswers,
    ImportedAnswers,
    drop_run,
    export_run,
    import_run,
    runs,
)


@command(runs)
def runs_command(call: Call[list[AnswerRunOverview]], *, style: Style = "table") -> None:
    """List the runs of answer verification with their settings and sizes."""
    stored = call.once()
    rows: list[Any] = [*stored]
    if style != "json":
        rows = [(*run[:4], parameters(run.params), *run[5:9], run.made.isoformat(" ", "seconds")) for run in stored]
    click.echo(render(rows, AnswerRunOverview._fields, style=style))


@command(drop_run)
def drop_run_command(call: Call[None]) -> None:
    """Remove RUN with its clusters and predictions."""
    call.once()
    click.echo(f"run {printable(call.given['run'])} removed")


@command(export_run)
def export_command(call: Call[ExportedAnswers], *, out: Annotated[Path | None, export_option]) -> None:
    """Export RUN as a submission: one line per query, query<TAB>id,id; nothing after the tab if it returns no document."""
    with connect(call.settings) as conn, output(out) as file:
        counts = _counts(call(conn, out=file))
    click.echo(f"{printable(str(out)) if out else 'standard output'}: {counts}", err=out is None)


@command(import_run)
def import_command(call: Call[ImportedAnswers], *, path: Annotated[Path, Option("FILE")]) -> None:
    """Store the submission FILE for a split of SET as a run, to score it with the others. If a line is wrong, nothing is stored."""
    run = call.once(path=path)
    click.echo(f"run {printable(run.run)}: {_counts(run)}")
    if run.unnamed:
        unnamed = counted(run.unnamed, "query of the split is", "queries of the split are")
        aside(f"{unnamed} not in the file, which counts as unanswered")


def _counts(run: ExportedAnswers | ImportedAnswers) -> str:
    return f"{counted(run.queries, 'query')}, {run.answered:,} of them answered, {counted(run.documents, 'document')}"


@command(explanations)
def explain_command(
    call: Call[Iterator[dict[str, Any]]],
    *,
    form: Annotated[Literal["table", "json"], Option("--format", help="Output format; json prints one object per line.")] = "table",
) -> None:
    """Show the clusters of QUERY in RUN with their answers and documents. QUERY is the whole text of a query; without it, show
    all.

    Prints which step of the rule selected the returned cluster, what contradicts it most, which documents are gold, and which have
    no answer. For a run without clusters, prints the returned documents.
    """
    with connect(call.settings) as conn:
        for number, explanation in enumerate(call(conn)):
            if form == "json":
                click.echo(orjson.dumps(explanation))
            else:
                click.echo(("\n" if number else "") + as_text(explanation, clean=printable))


@command(graph)
def graph_command(
    call: Call[AnswerGraph],
    *,
    files: Annotated[FigureFiles, figure_option("svg")],
) -> None:
    """Draw the answers of QUERY in RUN as SVG: groups, supports on the left, contradictions on the right.

    QUERY is the whole text of a query. A green frame marks groups whose documents are returned; ✓ marks answers in relevant
    documents.
    """
    drawn = call.once()
    if files.figure is not None:
        with output(files.figure) as file:
            file.write(draw_clusters(drawn).encode())
        click.echo(f"{files.figure}: {drawn.counts()}")
    if files.data is not None:
        columns, rows = table(drawn)
        write_csv(files.data, columns, [*rows])
