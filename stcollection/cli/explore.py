"""``stc explore``: the page over the collection."""

from __future__ import annotations

import importlib.util
import secrets

import click

from stcollection.db.connection import connect, conninfo
from stcollection.db.settings import Settings
from stcollection.errors import StateError

_NEEDED = ("shiny", "fastapi", "uvicorn", "plotly", "psycopg_pool", "luqum", "mlxtend", "concepts")


@click.command("explore")
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on; off loopback a token is required.")
@click.option("--port", type=click.IntRange(0, 65535), default=8766, show_default=True, help="0 takes a free one.")
@click.option("--token", metavar="TOKEN", help="What a browser must show.  [default: a random one off loopback, none on it]")
@click.option(
    "--public-url", metavar="URL",
    help="The address behind a reverse proxy, as https://collection.example. A token is then required.",
)  # fmt: skip
@click.option("--open/--no-open", "opened", default=False, help="Open it in the browser.")
@click.pass_obj
def command(settings: Settings, host: str, port: int, token: str | None, public_url: str | None, opened: bool) -> None:
    """Open the collection as a page: search, topic coverage, leaderboard, judging. Ends by ctrl-C."""
    missing = [name for name in _NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        raise StateError(f"the explorer needs {', '.join(missing)}", hint="pip install 'stcollection[explore]'", sqlstate="IR404")
    connect(settings, autocommit=True).close()  # what is wrong with the collection is said here, not on the page
    from stcollection.explore.server import run

    run(
        conninfo(settings),
        title=settings.db,
        host=host,
        port=port,
        token=token or None,
        opened=opened,
        say=click.echo,
        new_token=secrets.token_urlsafe,
        public_url=public_url,
    )
