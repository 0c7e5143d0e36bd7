"""The commands ``stc vectors embed`` and ``stc vectors passages``."""

from __future__ import annotations

from typing import Annotated

import click

from stcollection.cli.declared import Call, command
from stcollection.cli.options.published import add_published
from stcollection.cli.output import ProgressBar
from stcollection.cli.quiet import aside
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.declared import AllowedRange, Option
from stcollection.published import EMBED
from stcollection.vectors.embed import embed
from stcollection.vectors.model import BatchSize
from stcollection.vectors.passages import PassageCounts, cut_passages, embed_passages
from stcollection.vectors.queries import embed_queries
from stcollection.vectors.store import EmbedCounts, NewModel, NewShort


@command(embed)
def embed_command(call: Call[EmbedCounts], *, published: bool = False) -> None:
    """Embed titles, abstracts and the queries of the topics, on a GPU if there is one.

    Texts with stored vectors are skipped. An interrupted command continues where it stopped, and several may run at once. Prefixes,
    dimensions, pooling and length are by default the model's. They are stored, and used for all later texts and queries.

    :param published: Use the settings of the published collection: all-MiniLM-L6-v2 in full precision, without prefixes.
    """
    if call.typed("count") and not call.typed("address"):
        raise click.UsageError("--actors needs --ray: local, auto, or an address")
    if published:
        add_published(call.given, EMBED)
    model = call.group("model")
    for prefix in (call.given.get("query_prefix"), call.given.get("passage_prefix")):
        if prefix and not prefix[-1].isspace():
            aside(f"the prefix {prefix!r} does not end with a space: the text follows directly")
    with connect(call.settings) as conn:
        with ProgressBar("embed", unit="documents") as bar:
            counts = call(conn, progress=bar)
        given = None if model in (None, counts.model) else model
        queries = embed_queries(conn, model=counts.model, given=given)
    click.echo(_embedded(counts))
    if queries:
        click.echo(f"embedded {counted(queries, 'query')}")


def _embedded(counts: EmbedCounts) -> str:
    if not counts.documents:
        return f"all documents have vectors of {counts.model}"
    rate = f", {counts.documents / counts.seconds:,.0f} a second" if counts.seconds >= 1 else ""
    made = {"titles": counts.titles, "abstracts": counts.abstracts, "titles with abstracts": counts.contents}
    what = ", ".join(f"{number:,} {name}" for name, number in made.items() if number)
    return f"embedded {counted(counts.documents, 'document')} ({what}) with {counts.model}{rate}"


@command(cut_passages)
def passages_command(
    call: Call[PassageCounts],
    *,
    model: NewModel = None,
    short: NewShort = None,
    batch: BatchSize = None,
    rows: Annotated[int | None, AllowedRange(ge=1), Option(default="16 batches, at least 512")] = None,
    no_embed: bool = False,
) -> None:
    """Split abstracts into passages (sentences or windows of words), index their words, and embed them.

    Finished work is skipped; an interrupted command continues where it stopped. Then run 'stc vectors index --field passage'.

    :param model: Model, as for 'stc vectors embed'. :param rows: Passages per transaction.
    :param no_embed: Split the abstracts and index the words, without embedding the passages.
    """
    with connect(call.settings) as conn:
        with ProgressBar("cut", unit="documents") as bar:
            cut = call(conn, progress=bar)
        what = (
            f"split {counted(cut.documents, 'abstract')} into {counted(cut.passages, 'passage')}"
            if cut.documents
            else "all abstracts are split"
        )
        click.echo(f"{what} by {cut.how}")
        if no_embed:
            return
        with ProgressBar("embed", unit="passages") as bar:
            made = embed_passages(conn, model=model, short=short, batch=batch, rows=rows, progress=bar)
    if made.passages:
        rate = f", {made.passages / made.seconds:,.0f} a second" if made.seconds >= 1 else ""
        click.echo(f"embedded {counted(made.passages, 'passage')} with {made.model}{rate}")
    else:
        click.echo(f"all passages have vectors of {made.model}")
