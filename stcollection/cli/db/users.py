"""Commands on users: ``stc db user``, ``stc drop user`` and ``stc show users``."""

from __future__ import annotations

import secrets
from pathlib import Path

import click

from stcollection.cli.declared import Call, Style, command
from stcollection.cli.options.removal import yes_option
from stcollection.cli.output import render
from stcollection.cli.quiet import aside
from stcollection.db.connection import connect
from stcollection.db.members import KINDS, Kind, Member, add_member, drop_member, has_login, members
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument

_BYTES = 18  # for a generated password: 24 characters


@click.command("add")
@click.argument("name")
@click.option("--role", "kind", type=click.Choice(KINDS), required=True, help="Role of the user; see docs/howto/administer.md.")
@click.option("--team", help="Team of a participant, whose runs the user owns. Run the command again to change the team.")
@click.option(
    "--password-file",
    type=click.Path(path_type=Path, dir_okay=False, allow_dash=True),
    help="Read the password from the first line of FILE; - is standard input.",
)
@click.option("--prompt", is_flag=True, help="Prompt for the password.  [default: generate one and print it once]")
@click.pass_obj
def add_command(settings: Settings, name: str, kind: Kind, team: str | None, password_file: Path | None, prompt: bool) -> None:
    """Create the login NAME. Participants, organisers and readers get a schema with that name for their own tables."""
    given = _password(password_file, prompt=prompt)
    made_up = None if given else secrets.token_urlsafe(_BYTES)
    with connect(settings) as conn:
        password = given or (None if has_login(conn, name) else made_up)
        made = add_member(conn, name, kind=kind, team=team, password=password)
        host, port = conn.info.host, conn.info.port
    click.echo(f"{name}: {kind}{f' of {team}' if team else ''} of {settings.db!r}{'' if made else ', existing login'}")
    if made and given is None:
        click.echo(f"password    {made_up}")
    if settings.embedded:
        aside("stc: the embedded server does not check passwords: everyone with access to its folder is trusted")
    elif made:
        click.echo(f"connect by  STC_DSN='host={host} port={port} dbname={settings.db} user={name}' PGPASSWORD=…")


def _password(file: Path | None, *, prompt: bool) -> str | None:
    if file is not None and prompt:
        raise click.UsageError("--password-file or --prompt, not both")
    if file is not None:
        with click.open_file(str(file), encoding="utf-8") as lines:
            password: str = lines.readline().rstrip("\r\n")
        if not password:
            raise BadArgument(f"the first line of {file} is empty", hint="The first line must be the password.")
        return password
    return str(click.prompt("Password", hide_input=True, confirmation_prompt=True)) if prompt else None


@click.command("drop")
@click.argument("name")
@yes_option
@click.pass_obj
def drop_command(settings: Settings, name: str, yes: bool) -> None:
    """Remove the user NAME and its schema. The runs of its team stay."""
    if not yes:
        click.confirm(f"Remove the user {name!r} and the schema {name!r} with its contents?", abort=True)
    with connect(settings) as conn:
        gone = drop_member(conn, name)
    click.echo(f"removed the user {name!r}{'' if gone else '; the login stays: another collection of the server uses it'}")


@command(members)
def list_command(call: Call[list[Member]], *, style: Style = "table") -> None:
    """List the users of the collection with role and team."""
    rows = [(one.name, ", ".join(one.kinds), one.team, one.schema) for one in call.once()]
    click.echo(render(rows, ["user", "role", "team", "schema"], style=style))
