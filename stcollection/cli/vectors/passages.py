"""The command ``stc vectors passages``."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import click

from stcollection.cli.options import packed
from stcollection.cli.output import ProgressBar
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.vectors.passages import WAYS, cut_passages, embed_passages


@dataclass(frozen=True, kw_only=True)
class _Way:
    """How to split abstracts into passages."""

    by: str
    size: int | None
    step: int | None
    replace: bool


@click.command("passages")
@click.option("--by", type=click.Choice(WAYS), default="sentence", show_default=True, help="Unit of a passage.")
@click.option("--size", type=click.IntRange(1, 10_000), metavar="WORDS", help="Length of a window, in words.  [default: 64]")
@click.option(
    "--step",
    type=click.IntRange(1, 10_000),
    metavar="WORDS",
    help="Distance between the starts of two windows, in words.  [default: half of --size]",
)
@click.option("--replace", is_flag=True, help="Remove passages with other settings, with their vectors and indexes.")
@click.option("--model", metavar="NAME", help="Model, as for 'stc vectors embed'.  [default: all-MiniLM-L6-v2]")
@click.option("--as", "short", metavar="SHORT", help="Name of the model in the collection.  [default: derived from --model]")
@click.option("--batch", type=click.IntRange(min=1), help="Texts per forward pass.  [default: 16 on a CPU, 256 on a GPU]")
@click.option("--rows", type=click.IntRange(min=1), help="Passages per transaction.  [default: 16 batches, at least 512]")
@click.option("--no-embed", is_flag=True, help="Split the abstracts and index the words, without embedding the passages.")
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
    """Split abstracts into passages (sentences or windows of words), index their words, and embed them.

    Finished work is skipped; an interrupted command continues where it stopped. Then run 'stc vectors index --field passage'.
    """
    with connect(settings) as conn:
        with ProgressBar("cut", unit="documents") as bar:
            done = cut_passages(conn, progress=bar, **asdict(way))
        what = (
            f"split {counted(done.documents, 'abstract')} into {counted(done.passages, 'passage')}"
            if done.documents
            else "all abstracts are split"
        )
        click.echo(f"{what} by {done.how}")
        if no_embed:
            return
        with ProgressBar("embed", unit="passages") as bar:
            made = embed_passages(conn, model=model, short=short, batch=batch, rows=rows, progress=bar)
    if made.passages:
        rate = f", {made.passages / made.seconds:,.0f} a second" if made.seconds >= 1 else ""
        click.echo(f"embedded {counted(made.passages, 'passage')} with {made.model}{rate}")
    else:
        click.echo(f"all passages have vectors of {made.model}")
