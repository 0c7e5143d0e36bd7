"""The command ``stc retrieval rerank``."""

from __future__ import annotations

import click

from stcollection.cli.options import packed
from stcollection.cli.options.fusion import replace_option
from stcollection.cli.output import ProgressBar
from stcollection.cli.quiet import aside
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.retrieval.rerank import FIELDS, Reranked, RerankOptions, rerank_by_vectors
from stcollection.retrieval.rerank import rerank as rerank_run


@click.command("rerank")
@click.argument("run")
@click.option(
    "--by",
    type=click.Choice(["cross-encoder", "vectors"]),
    default="cross-encoder",
    show_default=True,
    help="Score documents with a cross-encoder, or by the cosines of stored vectors.",
)
@click.option(
    "--model",
    metavar="NAME",
    help="CrossEncoder of sentence-transformers: a name in the local cache, or a folder. With --by vectors, name of an embedding"
    " model in the collection; the default is its first.",
)
@click.option(
    "--field",
    type=click.Choice(FIELDS),
    help="Vectors to rerank by, with --by vectors; document is the abstract, or the title of a document without one."
    "  [default: document]",
)
@click.option("-n", type=click.IntRange(min=1), default=100, show_default=True, help="Number of documents per query to rerank.")
@click.option("--name", help="Name of the new run.  [default: RUN and the model's name]")
@click.option("--depth", type=click.IntRange(min=1), help="Number of documents per query in the new run.  [default: all of RUN]")
@click.option("--batch", type=click.IntRange(min=1), help="Pairs per forward pass.  [default: 32 on a CPU, 256 on a GPU]")
@replace_option
@packed(RerankOptions, "options")
@click.pass_obj
def command(
    settings: Settings,
    /,
    run: str,
    by: str,
    model: str | None,
    field: str | None,
    name: str | None,
    options: RerankOptions,
    replace: bool,
) -> None:
    """Rerank the top documents of a stored RUN with a cross-encoder or by stored vectors, as a new run.

    A cross-encoder uses a GPU if there is one. The other documents of RUN follow in their order. An interrupted reranking stores
    nothing.
    """
    if by == "vectors" and options.batch is not None:
        raise click.UsageError("--batch is for a cross-encoder; remove it, or --by vectors")
    if by == "cross-encoder" and field is not None:
        raise click.UsageError("--field is for vectors; add --by vectors")
    with connect(settings) as conn, ProgressBar("rerank", unit="pairs") as bar:
        if by == "vectors":
            done = rerank_by_vectors(
                conn, run=run, name=name, field=field or FIELDS[0], model=model, options=options, replace=replace
            )
        elif model is None:
            raise click.UsageError("name a cross-encoder with --model, or rerank --by vectors")
        else:
            done = rerank_run(conn, run=run, model=model, name=name, options=options, replace=replace, progress=bar)
    _report(done, lacking="text or vector" if by == "vectors" else "text")


def _report(done: Reranked, *, lacking: str) -> None:
    """Print the counts of a reranking.

    :param lacking: what a query or its documents lack if the query keeps its ranking.
    """
    rate = f", {done.pairs / done.seconds:,.0f} a second" if done.seconds >= 1 else ""
    click.echo(
        f"{done.run}: {counted(done.pairs, 'pair')} scored{rate};"
        f" {counted(done.ranked, 'document')} for {counted(done.queries, 'query')}"
    )
    if done.untouched:
        aside(f"{counted(done.untouched, 'query is', 'queries are')} as in {done.first_stage}: no {lacking} to rerank by")
