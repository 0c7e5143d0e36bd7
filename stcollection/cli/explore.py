"""The command ``stc serve page``: the collection as a web page."""

from __future__ import annotations

from typing import Any

import click

from stcollection.cli._servers import server
from stcollection.cli.options.files import OutputPath
from stcollection.cli.options.licences import licence_option
from stcollection.db.settings import Settings
from stcollection.web import ports


@click.command("explore")
@click.option(
    "--host", default="127.0.0.1", show_default=True, help="Address to listen on. Addresses other than loopback require a token."
)
@click.option("--port", type=click.IntRange(0, 65535), default=ports.EXPLORE, show_default=True, help="Port; 0 selects a free one.")
@click.option("--token", metavar="TOKEN", help="Token that browsers must send.  [default: a random token, or none on loopback]")
@click.option(
    "--public-url",
    metavar="URL",
    help="Address behind a reverse proxy, such as https://collection.example. Requires a token.",
)
@click.option(
    "--upload-limit",
    type=click.IntRange(min=0),
    default=200,
    show_default=True,
    metavar="MB",
    help="Largest file to upload on the page, before and after unpacking; 0 disables uploads.",
)
@click.option(
    "--team-limit",
    type=click.IntRange(min=1),
    metavar="N",
    help="Largest number of runs per team stored by upload.  [default: no limit]",
)
@click.option("--sign-in/--no-sign-in", default=False, help="Require a login of the database, and use its rights.")
@click.option(
    "--idle-minutes",
    type=click.FloatRange(0, min_open=True),
    default=120,
    show_default=True,
    help="End a session that was not used for this time.",
)
@click.option(
    "--session-hours",
    type=click.FloatRange(0, min_open=True),
    default=12,
    show_default=True,
    help="End every session after this time.",
)
@click.option(
    "--audit",
    type=OutputPath(),
    metavar="FILE",
    help="Append judgments, changes, downloads and sign-ins to FILE. Organisers read it on the page.",
)
@licence_option("In downloads and answers to programs, send text only of documents with these licences")
@click.option("--open/--no-open", "opened", default=False, help="Open the page in the browser.")
@click.pass_obj
def command(settings: Settings, /, *, idle_minutes: float, session_hours: float, token: str | None, **given: Any) -> None:
    """Open the collection as a web page: search, topic coverage, leaderboard, judging. Ctrl-C stops it."""
    explorer = server("explore")
    options = explorer.ExplorerOptions(token=token or None, idle=60 * idle_minutes, longest=3600 * session_hours, **given)
    explorer.run(settings, options, say=click.echo)
