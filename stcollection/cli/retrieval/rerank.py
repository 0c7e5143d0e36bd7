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
from stcollection.retrieval.rerank import RerankOptions
from stcollection.retrieval.rerank import rerank as rerank_run


@click.command("rerank")
@click.argument("run")
@click.option(
    "--model", required=True, metavar="NAME", help="CrossEncoder of sentence-transformers: a name in the local cache, or a folder."
)
@click.option("-n", type=click.IntRange(min=1), default=100, show_default=True, help="Number of documents per query to rerank.")
@click.option("--name", help="Name of the new run.  [default: RUN and the model's name]")
@click.option("--depth", type=click.IntRange(min=1), help="Number of documents per query in the new run.  [default: all of RUN]")
@click.option("--batch", type=click.IntRange(min=1), help="Pairs per forward pass.  [default: 32 on a CPU, 256 on a GPU]")
@replace_option
@packed(RerankOptions, "options")
@click.pass_obj
def command(settings: Settings, run: str, model: str, name: str | None, options: RerankOptions, replace: bool) -> None:
    """Rerank the top documents of a stored RUN with a cross-encoder, as a new run. Uses a GPU if there is one.

    The other documents of RUN follow in their order. An interrupted reranking stores nothing.
    """
    with connect(settings) as conn, ProgressBar("rerank", unit="pairs") as bar:
        done = rerank_run(conn, run=run, model=model, name=name, options=options, replace=replace, progress=bar)
    rate = f", {done.pairs / done.seconds:,.0f} a second" if done.seconds >= 1 else ""
    click.echo(
        f"{done.run}: {counted(done.pairs, 'pair')} scored{rate};"
        f" {counted(done.ranked, 'document')} for {counted(done.queries, 'query')}"
    )
    if done.untouched:
        aside(f"{counted(done.untouched, 'query is', 'queries are')} as in {done.first_stage}: they have no text to rerank by")
