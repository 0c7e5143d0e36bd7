"""The command ``stc show studies``."""

from __future__ import annotations

import click

from stcollection.cli.declared import Call, Style, command
from stcollection.cli.output import render
from stcollection.db.connection import connect
from stcollection.db.studies import StudyState, list_studies
from stcollection.errors import UnknownObject
from stcollection.plugins import problems


@command(list_studies)
def list_command(call: Call[list[StudyState]], *, style: Style = "table") -> None:
    """List the studies: parts of stcollection, or of other packages, that add commands, tables and views to a collection.

    A study of another package is one that an entry point of the group stcollection.studies names.
    """
    try:
        with connect(call.settings, autocommit=True, check=False) as conn:
            rows = call(conn)
    except UnknownObject:  # there is no such collection
        rows = call(None)
    click.echo(render(rows, list(StudyState._fields), style=style))
    for problem in problems():
        click.echo(problem, err=True)
