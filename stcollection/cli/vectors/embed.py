"""The command ``stc vectors embed``."""

from __future__ import annotations

import click

from stcollection.cli.options import packed
from stcollection.cli.options.embeddings import PREFIXES
from stcollection.cli.output import ProgressBar
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.vectors import BACKENDS, PRECISIONS
from stcollection.vectors.embed import EmbedCounts, embed
from stcollection.vectors.model import EncoderOptions
from stcollection.vectors.queries import embed_queries
from stcollection.vectors.store import DOCUMENT_FIELDS, FIELDS


@click.command("embed")
@click.option(
    "--model", metavar="NAME", help="A sentence-transformers name in the local cache, or a folder.  [default: all-MiniLM-L6-v2]"
)
@click.option("--as", "short", metavar="SHORT", help="The model's name in the collection.  [default: derived from --model]")
@click.option(
    "--field",
    "fields",
    type=click.Choice(DOCUMENT_FIELDS),
    multiple=True,
    help="Repeat it for several; content is title and abstract as one text.  [default: title and abstract]",
)
@PREFIXES[0]
@PREFIXES[1]
@click.option(
    "--precision",
    type=click.Choice(PRECISIONS),
    default="auto",
    show_default=True,
    help="Of documents; queries are in fp32. auto is bf16 on a CPU that computes it, else fp32.",
)
@click.option("--backend", type=click.Choice(BACKENDS), default="torch", show_default=True, help="openvino is an extra, for CPUs.")
@click.option("--batch", type=click.IntRange(min=1), help="Texts a forward pass.  [default: 16 on a CPU, 256 on a GPU]")
@click.option("--rows", type=click.IntRange(min=1), help="Documents a commit.  [default: 8 batches, at least 256]")
@packed(EncoderOptions, "options")
@click.pass_obj
def command(
    settings: Settings,
    model: str | None,
    short: str | None,
    fields: tuple[str, ...],
    options: EncoderOptions,
    rows: int | None,
) -> None:
    """Embed titles, abstracts and the queries of the topics, on a GPU when there is one.

    What has its vectors is left alone; a run that was interrupted goes on where it stopped, and several may run at once.
    The prefixes are those that the model itself names, if none are given; they are stored, and taken for all later texts.
    """
    with connect(settings) as conn:
        with ProgressBar("embed", unit="documents") as bar:
            done = embed(
                conn,
                model=model,
                short=short,
                fields=fields or FIELDS,
                options=options,
                rows=rows,
                progress=bar,
            )
        queries = embed_queries(conn, model=done.model)
    click.echo(_told(done))
    if queries:
        click.echo(f"embedded {queries:,} queries")


def _told(done: EmbedCounts) -> str:
    if not done.documents:
        return f"all documents have their vectors by {done.model}"
    rate = f", {done.documents / done.seconds:,.0f} a second" if done.seconds >= 1 else ""
    made = {"titles": done.titles, "abstracts": done.abstracts, "titles with abstracts": done.contents}
    what = ", ".join(f"{number:,} {name}" for name, number in made.items() if number)
    return f"embedded {done.documents:,} documents ({what}) by {done.model}{rate}"
