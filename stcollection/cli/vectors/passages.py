"""The command ``stc vectors passages``."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import click

from stcollection.cli.options import packed
from stcollection.cli.output import ProgressBar
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.vectors.passages import WAYS, cut, embed_passages


@dataclass(frozen=True, kw_only=True)
class _Way:
    """How abstracts are cut."""

    by: str
    size: int | None
    step: int | None
    replace: bool


@click.command("passages")
@click.option("--by", type=click.Choice(WAYS), default="sentence", show_default=True, help="What a passage is.")
@click.option("--size", type=click.IntRange(1, 10_000), metavar="WORDS", help="Of a window.  [default: 64]")
@click.option(
    "--step", type=click.IntRange(1, 10_000), metavar="WORDS", help="From one window to the next.  [default: half of --size]"
)
@click.option("--replace", is_flag=True, help="Throw away passages that were cut another way, with their vectors and indexes.")
@click.option("--model", metavar="NAME", help="As for embed.  [default: all-MiniLM-L6-v2]")
@click.option("--as", "short", metavar="SHORT", help="The model's name in the collection.  [default: derived from --model]")
@click.option("--batch", type=click.IntRange(min=1), help="Texts a forward pass.  [default: 16 on a CPU, 256 on a GPU]")
@click.option("--rows", type=click.IntRange(min=1), help="Passages a commit.  [default: 16 batches, at least 512]")
@click.option("--no-embed", is_flag=True, help="Cut the abstracts, but do not embed the passages.")
@packed(_Way, "way")
@click.pass_obj
def command(
    settings: Settings,
    way: _Way,
    model: str | None,
    short: str | None,
    batch: int | None,
    rows: int | None,
    no_embed: bool,
) -> None:
    """Cut abstracts into passages, sentences or windows of words, and embed these.

    What has been done is left alone; a run that was interrupted goes on where it stopped. Then 'stc vectors index --field passage'.
    """
    with connect(settings) as conn:
        with ProgressBar("cut", unit="documents") as bar:
            done = cut(conn, progress=bar, **asdict(way))
        what = f"cut {done.documents:,} abstracts into {done.passages:,} passages" if done.documents else "all abstracts are cut"
        click.echo(f"{what} by {done.how}")
        if no_embed:
            return
        with ProgressBar("embed", unit="passages") as bar:
            made = embed_passages(conn, model=model, short=short, batch=batch, rows=rows, progress=bar)
    if made.passages:
        rate = f", {made.passages / made.seconds:,.0f} a second" if made.seconds >= 1 else ""
        click.echo(f"embedded {made.passages:,} passages by {made.model}{rate}")
    else:
        click.echo(f"all passages have their vectors by {made.model}")
