"""The command ``stc db user add``."""

from __future__ import annotations

import secrets
from pathlib import Path

import click

from stcollection.cli.quiet import aside
from stcollection.db.connection import connect
from stcollection.db.members import KINDS, Kind, add_member, has_login
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument

_BYTES = 18  # of a password that is generated: 24 characters


@click.command("add")
@click.argument("name")
@click.option("--role", "kind", type=click.Choice(KINDS), required=True, help="What NAME may do: docs/roles.md.")
@click.option("--team", help="Of a participant: whose runs are its own; again, with another one, to change it.")
@click.option(
    "--password-file", type=click.Path(path_type=Path, dir_okay=False, allow_dash=True), help="Its first line; - is standard input."
)
@click.option("--prompt", is_flag=True, help="Ask for the password.  [default: make one and print it, once]")
@click.pass_obj
def command(settings: Settings, name: str, kind: Kind, team: str | None, password_file: Path | None, prompt: bool) -> None:
    """Let NAME log in. A participant, organiser or reader gets a schema of that name, for tables of one's own."""
    given = _password(password_file, prompt=prompt)
    made_up = None if given else secrets.token_urlsafe(_BYTES)
    with connect(settings) as conn:
        password = given or (None if has_login(conn, name) else made_up)
        made = add_member(conn, name, kind=kind, team=team, password=password)
        host, port = conn.info.host, conn.info.port
    click.echo(f"{name}: {kind}{f' of {team}' if team else ''} of {settings.db!r}{'' if made else ', a login that was there'}")
    if made and given is None:
        click.echo(f"password    {made_up}")
    if settings.embedded:
        aside("stc: the embedded server asks nobody for a password, and trusts whoever may enter its folder")
    elif made:
        click.echo(f"connect by  STC_DSN='host={host} port={port} dbname={settings.db} user={name}' PGPASSWORD=…")


def _password(file: Path | None, *, prompt: bool) -> str | None:
    if file is not None and prompt:
        raise click.UsageError("--password-file or --prompt, not both")
    if file is not None:
        with click.open_file(str(file), encoding="utf-8") as lines:
            password: str = lines.readline().rstrip("\r\n")
        if not password:
            raise BadArgument(f"the first line of {file} is empty", hint="It is to be the password.")
        return password
    return str(click.prompt("Password", hide_input=True, confirmation_prompt=True)) if prompt else None
