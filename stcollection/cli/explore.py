"""``stc explore``: the page over the collection."""

from __future__ import annotations

import click

from stcollection.cli._servers import server
from stcollection.db.settings import Settings


@click.command("explore")
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on; off loopback a token is required.")
@click.option("--port", type=click.IntRange(0, 65535), default=8766, show_default=True, help="0 takes a free one.")
@click.option("--token", metavar="TOKEN", help="What a browser must show.  [default: a random one off loopback, none on it]")
@click.option(
    "--public-url",
    metavar="URL",
    help="The address behind a reverse proxy, as https://collection.example. A token is then required.",
)
@click.option("--open/--no-open", "opened", default=False, help="Open it in the browser.")
@click.pass_obj
def command(settings: Settings, host: str, port: int, token: str | None, public_url: str | None, opened: bool) -> None:
    """Open the collection as a page: search, topic coverage, leaderboard, judging. Ends by ctrl-C."""
    explorer = server("explore")
    options = explorer.ExplorerOptions(host=host, port=port, token=token or None, opened=opened, public_url=public_url)
    explorer.run(settings, options, say=click.echo)
