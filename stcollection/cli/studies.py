"""The commands ``stc show studies`` and ``stc studies new``."""

from __future__ import annotations

from pathlib import Path

import click

from stcollection.cli.declared import Call, Style, command
from stcollection.cli.output import render
from stcollection.db.connection import connect
from stcollection.db.studies import StudyState, list_studies
from stcollection.errors import UnknownObject
from stcollection.plugins import problems
from stcollection.template import new_study


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


@click.command("new")
@click.argument("name")
def new_command(name: str) -> None:
    """Write a package with a small study to start from: a table, an SQL function, a command, methods, a route, a tab and tests.

    It is a folder stc-NAME of the current folder. NAME is also its group of commands.
    """
    from stcollection.cli.tree import TREE  # it imports this module by name

    folder = new_study(name, folder=Path(), commands=TREE)
    click.echo(f"wrote {folder}\nnext: pip install -e ./{folder}, then stc db upgrade")
