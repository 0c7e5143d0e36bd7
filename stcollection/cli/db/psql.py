"""The command ``stc psql``."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys

import click
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from stcollection.cli.quiet import aside
from stcollection.db.connection import connect, conninfo
from stcollection.db.embedded import binaries
from stcollection.db.objects import drift
from stcollection.db.own_schema import own_schema, put_beside
from stcollection.db.roles import working_role
from stcollection.db.sessions import SETTINGS, options_of, with_options
from stcollection.db.settings import Settings
from stcollection.errors import StcError

# New objects belong in a schema of the user's own, as PostgreSQL does by default.
PSQL_PATH = '"$user",stc_all,public'


@click.command("psql", context_settings={"ignore_unknown_options": True})
@click.option("--owner", is_flag=True, help="Connect as the owner, to change tables and create schemas.")
@click.option(
    "--schema",
    metavar="NAME",
    help="Connect as the owner and create objects in this schema, which is created if needed. It is searched before public.",
)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
@click.pass_obj
def command(settings: Settings, owner: bool, schema: str | None, arguments: tuple[str, ...]) -> None:
    """Run psql on the collection. ARGUMENTS are passed to psql.

    \b
      stc psql -- -c "SELECT * FROM bm25_search('voice', 3)"
      stc psql --schema mine -- -f functions.sql                 create functions of your own
      stc psql --schema mine -- -q --csv -c "SELECT query, docno, score FROM …" | stc load --as runs - --name mine
                                                                 store the rows of a query as a run

    Owners connect with the role stc_organiser, which can read everything, make runs and add judgments, but cannot drop tables.
    With --schema mine, statements that create objects of the published collection run as printed, such as CREATE VIEW
    st1_qrels_train_knn: the new object is in your schema, and the collection keeps its own. A function that names the schema public
    is moved to yours when the session ends.

    Errors are printed without CONTEXT; -v SHOW_CONTEXT=errors shows it.
    """
    with connect(settings) as conn:
        path = own_schema(conn, schema) if schema is not None else None
        role = None if owner or path else working_role(conn)
    try:
        program = str(binaries() / "psql")
    except StcError:
        program = "psql"
    address = conninfo(settings, application="psql")
    where, given = conninfo_to_dict(address), options_of(address)
    # Functions of the collection depend on our settings, also in psql; its own path and variables are set below.
    fixed: dict[str, object] = {name: value for name, value in SETTINGS.items() if name != "search_path"}
    if role is not None:
        fixed["role"] = role
        if not arguments and sys.stdin.isatty():
            aside(f"stc: connected with the role {role}, which can read everything and make runs; --owner connects as the owner")
    if path is None and not owner:  # organisers read hidden editions too; PostgreSQL skips stc_all for others
        path = PSQL_PATH
    if path is not None:
        fixed["search_path"] = path
    where["options"] = with_options(given, fixed)
    password = where.pop("password", None)  # other users can see the arguments of a process
    environment = {**os.environ, **({} if password is None else {"PGPASSWORD": str(password)})}
    environment.pop("PGDATESTYLE", None)  # libpq would send it after our options
    if not (sys.stdin.isatty() and sys.stdout.isatty()):  # in a terminal, psql takes the encoding of the locale
        environment.setdefault("PGCLIENTENCODING", "UTF8")
    call = [program, "-v", "SHOW_CONTEXT=never", make_conninfo("", **where), *arguments]
    if owner or schema is not None:  # other sessions cannot replace functions of the collection
        sys.exit(_watched(settings, schema, call, environment))
    if sys.stdin.isatty() and sys.stderr.isatty():
        os.execvpe(program, call, environment)
    sys.exit(_relay(call, environment))


def _watched(settings: Settings, schema: str | None, call: list[str], environment: dict[str, str]) -> int:
    """Run psql as the owner, then put functions of the collection back, or name those that changed. :returns: its exit code."""
    with connect(settings) as conn:
        before = set(drift(conn))
    code = _relay(call, environment)
    if schema is not None:
        for name in put_beside(settings, schema, before):
            aside(f"note: {name} is the collection's own again; yours is in the schema {schema}")
    with connect(settings) as conn:
        if replaced := [path for path in drift(conn) if path not in before]:
            aside(
                f"note: the session changed objects of the collection: {', '.join(replaced)}."
                f" 'stc --db {settings.db} db upgrade --force' restores them; --schema NAME creates yours beside them"
            )
    return code


_REFUSED = re.compile(
    rb'ERROR:  (?:(?:relation|function) "[^"]*" already exists|permission denied for schema (?:public|stc_all)'
    rb"|cannot change name of (?:input parameter|view column)|cannot change return type|cannot drop columns from view)"
)
_BESIDE = b"HINT:  'stc psql --schema mine' creates your own in the schema mine; the collection keeps its objects.\n"


def _relay(call: list[str], environment: dict[str, str]) -> int:
    """Run psql, and add a hint to errors about names that the collection uses. :returns: its exit code."""
    with subprocess.Popen(call, env=environment, stderr=None if sys.stdin.isatty() else subprocess.PIPE) as process:
        signal.signal(signal.SIGTERM, lambda *_: process.terminate())
        while True:
            try:
                for line in process.stderr or ():
                    sys.stderr.buffer.write(line + (_BESIDE if _REFUSED.search(line) else b""))
                    sys.stderr.buffer.flush()
                return process.wait()
            except KeyboardInterrupt:  # psql handles it
                continue
