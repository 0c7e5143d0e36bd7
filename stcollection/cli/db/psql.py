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
@click.option("--owner", is_flag=True, help="Connect as the owner, to change tables and create schemas.")
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
@click.pass_obj
def command(settings: Settings, owner: bool, arguments: tuple[str, ...]) -> None:
    """Run psql on the collection. ARGUMENTS are passed to psql.

    Owners connect with the role stc_organiser, which can read everything, make runs and add judgments, but cannot drop tables.
    Errors are printed without CONTEXT; -v SHOW_CONTEXT=errors shows it.
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
            aside(f"stc: connected with the role {role}, which can read everything and make runs; --owner connects as the owner")
    password = where.pop("password", None)  # other users can see the arguments of a process
    environment = {**os.environ, **({} if password is None else {"PGPASSWORD": str(password)})}
    os.execvpe(program, ["psql", "-v", "SHOW_CONTEXT=never", make_conninfo("", **where), *arguments], environment)
