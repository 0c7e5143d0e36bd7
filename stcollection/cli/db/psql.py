"""The command ``stc db psql``."""

from __future__ import annotations

import os

import click
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from stcollection.db.connection import connect, conninfo
from stcollection.db.embedded import binaries
from stcollection.db.settings import Settings
from stcollection.errors import StcError


@click.command("psql", context_settings={"ignore_unknown_options": True})
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
@click.pass_obj
def command(settings: Settings, arguments: tuple[str, ...]) -> None:
    """psql on the collection; ARGUMENTS are psql's own.

    Errors are printed without their CONTEXT: -v SHOW_CONTEXT=errors shows it.
    """
    with connect(settings):
        pass
    try:
        program = str(binaries() / "psql")
    except StcError:
        program = "psql"
    where = conninfo_to_dict(conninfo(settings, application="psql"))
    password = where.pop("password", None)  # others can read the arguments of a process
    environment = {**os.environ, **({} if password is None else {"PGPASSWORD": str(password)})}
    os.execvpe(program, ["psql", "-v", "SHOW_CONTEXT=never", make_conninfo("", **where), *arguments], environment)
