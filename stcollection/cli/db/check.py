"""The command ``stc db check``."""

from __future__ import annotations

import click

from stcollection.cli.declared import Call, Style
from stcollection.cli.declared import command as declared_command
from stcollection.cli.output import render
from stcollection.db.check import CollectionProblem, problems
from stcollection.errors import StateError


@declared_command(problems)
def command(call: Call[list[CollectionProblem]], *, style: Style = "table") -> None:
    """Check that the rows of the collection agree, that its indexes match them, and that nobody replaced its functions.

    Finds docnos that are stored twice, rows of judgments, runs and vectors whose document is missing, rankings with gaps or
    repeated documents, documents without text or facts, stale indexes, functions and views that someone replaced, and
    functions that share their names. Keys of the database prevent most wrong rows on one server, but not while a collection
    is distributed. Nothing is changed. The exit code is 4 if there are problems.
    """
    found = call.once()
    rows = [one.cells() for one in found]
    if style != "table":
        click.echo(render(rows, CollectionProblem._fields, style=style))
    elif not found:
        click.echo("no problems")
    else:
        click.echo(render([row[:4] for row in rows], ["problem", "table", "rows", "for example"], style=style))
        for one in found:
            click.echo(f"\n{one.problem}, {one.relation}: {one.advice}")
    if found:
        raise StateError(
            f"the collection {call.settings.db!r} has {len(found)} problem{'s' if len(found) > 1 else ''}",
            hint="The advice states the next step for each.",
        )
