"""The command ``stc retrieval rerank``."""

from __future__ import annotations

import click

from stcollection.cli.options import packed
from stcollection.cli.options.fusion import replace_option
from stcollection.cli.output import ProgressBar
from stcollection.cli.quiet import aside
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.retrieval.rerank import RerankOptions
from stcollection.retrieval.rerank import rerank as rerank_run


@click.command("rerank")
@click.argument("run")
@click.option(
    "--model", required=True, metavar="NAME", help="A sentence-transformers CrossEncoder: its name in the local cache, or a folder."
)
@click.option("-n", type=click.IntRange(min=1), default=100, show_default=True, help="Documents a query that the model ranks.")
@click.option("--name", help="The new run's name.  [default: RUN and the model's]")
@click.option("--depth", type=click.IntRange(min=1), help="Documents a query at most.  [default: all of RUN]")
@click.option("--batch", type=click.IntRange(min=1), help="Pairs a forward pass.  [default: 32 on a CPU, 256 on a GPU]")
@replace_option
@packed(RerankOptions, "options")
@click.pass_obj
def command(settings: Settings, run: str, model: str, name: str | None, options: RerankOptions, replace: bool) -> None:
    """Put the first documents of a stored RUN in the order of a cross-encoder, as a new run; on a GPU when there is one.

    The rest of RUN follows below. An interrupted reranking leaves nothing.
    """
    with connect(settings) as conn, ProgressBar("rerank", unit="pairs") as bar:
        done = rerank_run(conn, run=run, model=model, name=name, options=options, replace=replace, progress=bar)
    rate = f", {done.pairs / done.seconds:,.0f} a second" if done.seconds >= 1 else ""
    click.echo(f"{done.run}: {done.pairs:,} pairs scored{rate}; {done.ranked:,} documents for {done.queries:,} queries")
    if done.untouched:
        aside(f"{done.untouched:,} queries are as in {done.first_stage}: no text to rerank by")
