"""The command ``stc qrels pool invite``."""

from __future__ import annotations

from urllib.parse import urlencode, urlsplit

import click

from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument
from stcollection.qrels.assess import AssessorSheet
from stcollection.qrels.invitations import Invitations
from stcollection.web import ports


@click.command("invite")
@click.argument("name", required=False)
@click.option("--annotator", metavar="ANNOTATOR", help="Name under which the assessor judges.")
@click.option("--days", type=float, default=14, show_default=True, help="Days until the link expires.")
@click.option("--page", metavar="URL", default=f"http://127.0.0.1:{ports.EXPLORE}", show_default=True, help="Address of the page.")
@click.option("--revoke-all", is_flag=True, help="Make all invitations of the collection invalid, and make no new one.")
@click.pass_obj
def command(settings: Settings, name: str | None, annotator: str | None, days: float, page: str, revoke_all: bool) -> None:
    """Print a link with which an assessor judges the pool NAME on the page, without a login.

    The page shows the assessor only this sheet. 'stc explore' must run on this machine with the same STC_HOME.
    """
    invitations = Invitations(settings.home, settings.db)
    if revoke_all:
        if name or annotator:
            raise BadArgument("--revoke-all concerns all pools and annotators", hint="Leave out NAME and --annotator.")
        invitations.revoke()
        click.echo(f"all invitations of the collection {settings.db!r} are revoked")
        return
    if not name or not annotator:
        raise BadArgument("an invitation needs a pool and --annotator", hint="'stc qrels pool list' shows the pools.")
    if urlsplit(page).scheme not in ("http", "https") or urlsplit(page).path not in ("", "/") or not urlsplit(page).netloc:
        raise BadArgument(f"{page!r} is not the address of a page", hint="Write it like https://collection.example.")
    with connect(settings) as conn:
        AssessorSheet(conn, name, annotator).progress()  # the pool exists and is shared with the annotator
    token = invitations.make(name, annotator, days=days)
    click.echo(f"{page.removesuffix('/')}/invited?{urlencode({'invitation': token})}")
