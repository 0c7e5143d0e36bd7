"""The table of mean scores, one row per run."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import click
import psycopg

from stcollection.cli.evaluation._readability import Beside
from stcollection.cli.evaluation._readability import table as readable_table
from stcollection.cli.output import render
from stcollection.evaluation.measures import OFFICIAL, Measure
from stcollection.evaluation.readability import readability
from stcollection.evaluation.score import RunStanding

# The seven official measures, how much of the relevant is reached, and how far the judgments can be trusted.
LEADERBOARD = (*OFFICIAL, Measure("R", 100), Measure("Judged", 10))


def print_means(
    conn: psycopg.Connection,
    rows: Sequence[RunStanding],
    edition: str,
    measures: Sequence[Measure],
    style: str,
    *,
    also: Mapping[str, Measure],
    reading_depth: int | None = None,
) -> None:
    """Print a row a run.

    :param also: further names of the measures, for JSON. :param reading_depth: documents whose readability is told too.
    """
    table = [(row.run, *(None if math.isnan(value) else value for value in row.values)) for row in rows]
    names = [str(measure) for measure in measures]
    if style == "json":  # under the names that were typed too
        places = [names.index(str(measure)) + 1 for measure in also.values()]
        table = [(*cells, *(cells[place] for place in places)) for cells in table]
        names += also
    if reading_depth is None:
        click.echo(render(table, ["run", *names], style=style))
        return
    beside = Beside(readability(conn, runs=[row.run for row in rows], k=reading_depth, edition=edition))
    fields = ["run", *names, *beside.FIELDS]
    click.echo(readable_table([(*cells, *beside[row.run]) for cells, row in zip(table, rows, strict=True)], fields, style=style))
