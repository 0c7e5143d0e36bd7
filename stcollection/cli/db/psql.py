"""The command ``stc db psql``."""

from __future__ import annotations

import os
import sys

import click
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from stcollection.cli.quiet import aside
from stcollection.db.connection import connect, conninfo
from stcollection.db.embedded import binaries
from stcollection.db.roles import working_role
from stcollection.db.settings import Settings
from stcollection.errors import StcError


@click.command("psql", context_settings={"ignore_unknown_options": True})
@click.option("--owner", is_flag=True, help="Connect as the owner, to change tables and make schemas.")
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
@click.pass_obj
def command(settings: Settings, owner: bool, arguments: tuple[str, ...]) -> None:
    """psql on the collection; ARGUMENTS are psql's own.

    An owner works as the role stc_organiser, which reads everything, makes runs and adds judgments, and cannot drop tables. Errors
    are printed without their CONTEXT: -v SHOW_CONTEXT=errors shows it.
    """
    with connect(settings) as conn:
        role = None if owner else working_role(conn)
    try:
        program = str(binaries() / "psql")
    except StcError:
        program = "psql"
    where = conninfo_to_dict(conninfo(settings, application="psql"))
    if role is not None:
        where["options"] = f"{where.get('options', '')} -c role={role}".strip()
        if not arguments and sys.stdin.isatty():
            aside(f"stc: as {role}, which reads everything and makes runs; --owner connects as the owner")
    password = where.pop("password", None)  # others can read the arguments of a process
    environment = {**os.environ, **({} if password is None else {"PGPASSWORD": str(password)})}
    os.execvpe(program, ["psql", "-v", "SHOW_CONTEXT=never", make_conninfo("", **where), *arguments], environment)
