"""The command ``stc vectors embed``."""

from __future__ import annotations

import click

from stcollection.cli.options import packed, together
from stcollection.cli.options.actors import actors_options
from stcollection.cli.options.embeddings import PREFIXES
from stcollection.cli.options.published import published_option
from stcollection.cli.output import ProgressBar
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.db.pool import RayActors
from stcollection.db.settings import Settings
from stcollection.published import EMBED
from stcollection.vectors import BACKENDS, PRECISIONS
from stcollection.vectors.embed import embed
from stcollection.vectors.model import EncoderOptions
from stcollection.vectors.queries import embed_queries
from stcollection.vectors.store import DOCUMENT_FIELDS, FIELDS, EmbedCounts

_options = together(
    click.option(
        "--precision",
        type=click.Choice(PRECISIONS),
        default="auto",
        show_default=True,
        help="Precision for documents; queries use fp32. auto is bf16 on a CPU that supports it, else fp32.",
    ),
    click.option(
        "--backend",
        type=click.Choice(BACKENDS),
        default="torch",
        show_default=True,
        help="Inference backend; openvino is an extra, for CPUs.",
    ),
    click.option("--batch", type=click.IntRange(min=1), help="Texts per forward pass.  [default: 16 on a CPU, 256 on a GPU]"),
    click.option("--rows", type=click.IntRange(min=1), help="Documents per transaction.  [default: 8 batches, at least 256]"),
)


@click.command("embed")
@click.option(
    "--model",
    metavar="NAME",
    help="Model: a sentence-transformers name in the local cache, or a folder.  [default: all-MiniLM-L6-v2]",
)
@click.option("--as", "short", metavar="SHORT", help="Name of the model in the collection.  [default: derived from --model]")
@click.option(
    "--field",
    "fields",
    type=click.Choice(DOCUMENT_FIELDS),
    multiple=True,
    help="Field to embed; content is title and abstract as one text. Repeatable.  [default: title and abstract]",
)
@PREFIXES[0]
@PREFIXES[1]
@_options
@actors_options
@published_option(EMBED)
@packed(EncoderOptions, "options")
@click.pass_obj
def command(
    settings: Settings,
    model: str | None,
    short: str | None,
    fields: tuple[str, ...],
    options: EncoderOptions,
    rows: int | None,
    actors: RayActors | None,
) -> None:
    """Embed titles, abstracts and the queries of the topics, on a GPU if there is one.

    Texts with stored vectors are skipped. An interrupted command continues where it stopped, and several may run at once. Without
    prefix options, the prefixes defined by the model apply; they are stored and used for all later texts.
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
                actors=actors,
                progress=bar,
            )
        given = None if model in (None, done.model) else model
        queries = embed_queries(conn, model=done.model, given=given)
    click.echo(_told(done))
    if queries:
        click.echo(f"embedded {counted(queries, 'query')}")


def _told(done: EmbedCounts) -> str:
    if not done.documents:
        return f"all documents have vectors of {done.model}"
    rate = f", {done.documents / done.seconds:,.0f} a second" if done.seconds >= 1 else ""
    made = {"titles": done.titles, "abstracts": done.abstracts, "titles with abstracts": done.contents}
    what = ", ".join(f"{number:,} {name}" for name, number in made.items() if number)
    return f"embedded {counted(done.documents, 'document')} ({what}) with {done.model}{rate}"
