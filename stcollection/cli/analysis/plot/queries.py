"""The command ``stc analysis plot queries``."""

from __future__ import annotations

import click

from stcollection.cli.options.editions import edition_argument
from stcollection.cli.options.figures import FigureFile, draw, file_options
from stcollection.cli.options.measures import level_option
from stcollection.cli.options.queries import queries_option
from stcollection.db.settings import Settings
from stcollection.studies.synth.query_figure import plot_queries


@click.command("queries")
@edition_argument
@click.option(
    "--field",
    type=click.Choice(["abstract", "content"]),
    default="abstract",
    show_default=True,
    help="Text of the documents in which query words are looked up; content is title and abstract.",
)
@level_option
@queries_option
@file_options
@click.pass_obj
def command(settings: Settings, /, file: FigureFile, edition: str, field: str, level: int, queries: str) -> None:
    """Plot the lengths of EDITION's queries, and how many of their words the relevant documents have, by origin of the queries.

    Words are counted without stopping or stemming, as for 'stc synth select'.
    """
    draw(settings, file, plot_queries, edition, field=field, level=level, query_set=queries, width=file.width)
