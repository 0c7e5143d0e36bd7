"""The command ``stc db status``."""

from __future__ import annotations

import click

from stcollection.cli.output import printable
from stcollection.db import catalogue
from stcollection.db.connection import connect
from stcollection.db.embedded import Embedded
from stcollection.db.objects import drift
from stcollection.db.roles import open_to_all, told
from stcollection.db.settings import Settings
from stcollection.db.step import head, in_step, revision
from stcollection.db.versions import defects, requests


@click.command("status")
@click.pass_obj
def command(settings: Settings) -> None:
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
