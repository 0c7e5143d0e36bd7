"""The command ``stc synth sample``."""

from __future__ import annotations

import click

from stcollection.cli.options.filters import filter_options
from stcollection.cli.quiet import aside
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.retrieval.filters import TypedFilter, read_filter
from stcollection.studies.synth import study as studies
from stcollection.studies.synth.study import FIELDS


@click.command("sample")
@click.argument("study")
@click.option(
    "--documents", "n", type=click.IntRange(1, 2**31 - 1), default=1000, show_default=True, help="Number of documents of the study."
)
@click.option("--seed", type=int, help="Seed of the sample.  [default: 1, or the study's]")
@click.option(
    "--field",
    type=click.Choice(FIELDS),
    help="Text of a document: content is title and abstract.  [default: abstract, or the study's]",
)
@filter_options
@click.pass_obj
def command(settings: Settings, /, study: str, n: int, seed: int | None, field: str | None, filtering: TypedFilter) -> None:
    """Sample documents that have a text for STUDY. Creates the study if it does not exist.

    Equal corpus, seed and field give the same documents in the same order; a larger --documents extends a smaller sample.
    """
    with connect(settings) as conn:
        drawn = studies.sample(conn, study, n=n, seed=seed, field=field, filter=read_filter(conn, filtering))
    click.echo(f"{study}: {drawn.drawn:,} drawn now, {counted(drawn.sampled, 'document')} of {drawn.eligible:,} with a text")
    if drawn.sampled < n:
        aside(f"only {counted(drawn.sampled, 'document is', 'documents are')} eligible; {n:,} were requested")
