"""``stc db``: the server and its collections."""

from __future__ import annotations

import os

import click
import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from stcollection.cli.handing import dump_, restore_
from stcollection.cli.output import format_option, render
from stcollection.cli.people import user
from stcollection.cli.telling import printable
from stcollection.db import catalogue
from stcollection.db.collections import collections, create, drop, reset
from stcollection.db.connection import connect, conninfo
from stcollection.db.embedded import Embedded, binaries
from stcollection.db.objects import drift
from stcollection.db.roles import open_to_all, told
from stcollection.db.settings import Settings, named
from stcollection.db.step import head, in_step, revision
from stcollection.db.upgrade import PATIENCE, upgrade
from stcollection.db.versions import defects, requests
from stcollection.errors import BadArgument, StcError


@click.group()
def db() -> None:
    """The server and its collections. One database is one collection."""


db.add_command(dump_)
db.add_command(restore_)
db.add_command(user)


def _embedded(settings: Settings) -> Embedded:
    if not settings.embedded:
        raise BadArgument(
            "the server is the one that STC_DSN or PG* names, not the embedded one", hint="Start and stop it by its own means."
        )
    return Embedded(settings.home)


@db.command("create")
@click.argument("name", required=False)
@click.option("--if-not-exists", is_flag=True, help="Say nothing if it is there already; put it in step.")
@click.pass_obj
def create_(settings: Settings, name: str | None, if_not_exists: bool) -> None:
    """Make a collection, empty and ready to load."""
    settings = named(settings, name)
    made = create(settings, exist_ok=if_not_exists)
    click.echo(f"{'made' if made else 'found'} the collection {settings.db!r}")


@db.command("list")
@format_option
@click.pass_obj
def list_(settings: Settings, style: str) -> None:
    """The collections of the server."""
    rows = [
        (one.name, one.bytes if one.bytes is None or style in ("json", "csv") else f"{one.bytes / 2**20:.1f} MB")
        for one in collections(settings)
    ]
    click.echo(render(rows, ["collection", "size"], style=style))


@db.command("drop")
@click.argument("name")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.pass_obj
def drop_(settings: Settings, name: str, yes: bool) -> None:
    """Remove a collection and all it holds."""
    settings = named(settings, name)
    if not yes:
        click.confirm(f"Remove the collection {settings.db!r} and all it holds?", abort=True)
    drop(settings)
    click.echo(f"removed the collection {settings.db!r}")


@db.command("reset")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.pass_obj
def reset_(settings: Settings, yes: bool) -> None:
    """Empty the collection: remove it and make it anew."""
    if not yes:
        click.confirm(f"Empty the collection {settings.db!r}? All it holds is lost.", abort=True)
    reset(settings)
    click.echo(f"emptied the collection {settings.db!r}")


@db.command("start")
@click.pass_obj
def start(settings: Settings) -> None:
    """Start the embedded server; it stays until it is stopped."""
    server = _embedded(settings)
    server.ensure()
    click.echo(f"the server runs (pid {server.pid()}), its data is in {server.data}")


@db.command("stop")
@click.pass_obj
def stop(settings: Settings) -> None:
    """Stop the embedded server."""
    stopped = _embedded(settings).stop()
    click.echo("the server is stopped" if stopped else "no server was running")


@db.command("status")
@click.pass_obj
def status(settings: Settings) -> None:
    """What serves the collection, and whether it is in step with this version."""
    if settings.embedded:
        server = Embedded(settings.home)
        pid = server.pid()
        click.echo(f"server      embedded, {f'running (pid {pid})' if pid else 'stopped'}, data in {server.data}")
        if pid is None:
            click.echo("            'stc db start' starts it, and so does any command that needs it")
            return
    with connect(settings, check=False) as conn:
        extensions = conn.execute(
            "SELECT string_agg(extname || ' ' || extversion, ', ' ORDER BY extname) FROM pg_extension WHERE extname <> 'plpgsql'"
        ).fetchone()
        info = conn.info
        if not settings.embedded:
            click.echo(f"server      {info.host}:{info.port}, user {info.user}")
        version = info.server_version
        click.echo(f"PostgreSQL  {version // 10000}.{version % 10000}, {extensions[0] if extensions else ''}")
        at = revision(conn)
        for one in defects(conn):
            click.echo(f"defect      {one.extension} {one.version}: {one.sentence}\n            {one.action}")
        for request in requests(conn):
            click.echo(f"request     {request}")
        if at is None:
            click.echo(
                f"collection  {settings.db!r} is a database, but not a collection: 'stc --db {settings.db} db upgrade' makes it one"
            )
            return
        step = "in step" if in_step(conn) else f"not in step with {head()}: run 'stc db upgrade'"
        click.echo(f"collection  {settings.db!r}, revision {at}, {step}")
        if at >= "0008":
            click.echo(f"roles       {told(conn)}")
        changed = drift(conn)
        if changed:
            click.echo(f"drift       changed by hand in the database: {', '.join(changed)}")
        for change in catalogue.drift(conn):
            click.echo(f"drift       {printable(str(change))}")
        if at >= "0008" and (may := open_to_all(conn)) is not None:
            click.echo(f"public      {may}; 'stc db upgrade --restrict' revokes that")


@db.command("upgrade")
@click.option("--force", is_flag=True, help="Put every function and view in anew, those changed by hand too.")
@click.option("--restrict", is_flag=True, help="Revoke the rights of PUBLIC on a database that stcollection did not create.")
@click.option("--dry-run", is_flag=True, help="Print every statement, roll all of them back.")
@click.option(
    "--wait", "patience", metavar="SECONDS", type=click.FloatRange(min=0), default=PATIENCE, show_default=True,
    help="Go on trying so long while other sessions hold what must change.",
)  # fmt: skip
@click.pass_obj
def upgrade_(settings: Settings, force: bool, restrict: bool, dry_run: bool, patience: float) -> None:
    """Put tables and functions in step with this version; all of it or nothing. Readers go on meanwhile.

    Objects of others are never replaced or dropped: if one has a name that is needed, all such are listed and nothing changes.
    """
    step = upgrade(
        settings, force=force, restrict=restrict, patience=patience,
        tell=lambda sentence: click.echo(f"stc: {printable(sentence)}", err=True),
        dry_run=(lambda statement: click.echo(f"{statement}\n")) if dry_run else None,
    )  # fmt: skip
    if dry_run:
        click.echo(f"-- {settings.db!r}: nothing was changed (revision {step.before or 'none'} → {step.after})")
        return
    if step.before == step.after and not step.objects:
        click.echo(f"{settings.db!r} is in step already (revision {step.after})")
    else:
        click.echo(f"{settings.db!r}: revision {step.before or 'none'} → {step.after}, {step.objects} files of sql/ put in step")
        for note in step.notes:
            click.echo(f"note: {note}", err=True)
    for repair in step.repairs:
        click.echo(f"repaired: {printable(repair)}")
    if step.roles:
        click.echo(step.roles)


@db.command("psql", context_settings={"ignore_unknown_options": True})
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
@click.pass_obj
def psql(settings: Settings, arguments: tuple[str, ...]) -> None:
    """psql on the collection; ARGUMENTS are psql's own."""
    with connect(settings):
        pass
    try:
        program = str(binaries() / "psql")
    except StcError:
        program = "psql"
    where = conninfo_to_dict(conninfo(settings, application="psql"))
    password = where.pop("password", None)  # others can read the arguments of a process
    environment = {**os.environ, **({} if password is None else {"PGPASSWORD": str(password)})}
    os.execvpe(program, ["psql", make_conninfo("", **where), *arguments], environment)


@db.command("dsn")
@click.pass_obj
def dsn(settings: Settings) -> None:
    """The connection string of the collection, for psql, notebooks and other programs."""
    with connect(settings) as conn:
        assert isinstance(conn, psycopg.Connection)
    click.echo(conninfo(settings, application=""))
