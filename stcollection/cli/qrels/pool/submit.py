"""The command ``stc qrels pool submit``."""

from __future__ import annotations

import click

from stcollection.cli.options.editions import needed_edition_option
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.qrels.comparisons import submit_pairs
from stcollection.qrels.sheets import submit_pool


@click.command("submit")
@click.argument("name")
@needed_edition_option("Edition to add the judgments to; created if it does not exist.")
@click.option("--annotator", "annotators", multiple=True, help="Submit the sheet of this annotator. Repeatable.  [default: all]")
@click.option("--pairs", is_flag=True, help="Submit orders of compared documents, as preferences, instead of grades.")
@click.pass_obj
def command(settings: Settings, name: str, edition: str, annotators: tuple[str, ...], pairs: bool) -> None:
    """Submit the grades on the sheets of the pool NAME as judgments of an edition, all or none. They can no longer change."""
    if pairs:
        _submit_pairs(settings, name, edition, annotators)
        return
    with connect(settings) as conn:
        done = submit_pool(conn, name, edition=edition, annotators=annotators)
    told = f"{edition}: {counted(done.added, 'judgment')} added" + (
        f"; {done.unchanged:,} stored already" if done.unchanged else ""
    )
    click.echo(told + (f"; {done.left_open:,} not judged yet" if done.left_open else ""))


def _submit_pairs(settings: Settings, name: str, edition: str, annotators: tuple[str, ...]) -> None:
    with connect(settings) as conn:
        done = submit_pairs(conn, name, edition=edition, annotators=annotators)
    told = f"{edition}: {counted(done.added, 'preference level')} added for {counted(done.queries, 'query')} and annotators"
    told += f"; {done.unchanged:,} stored already" if done.unchanged else ""
    click.echo(told + (f"; {counted(done.incomplete, 'order')} not complete yet" if done.incomplete else ""))
