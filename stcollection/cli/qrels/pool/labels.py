"""The command ``stc qrels pool labels``."""

from __future__ import annotations

import click

from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.qrels.labels import show_labels


@click.command("labels")
@click.argument("name")
@click.option("--show-llm", metavar="EDITION", help="Show the grades that a language model gave in EDITION.")
@click.option("--judge", metavar="NAME", help="Name of the model in the edition.  [default: the only one]")
@click.option("--beside", is_flag=True, help="Show the label next to the document, not only after the assessor's own decision.")
@click.option("--show-hidden", is_flag=True, help="Show the labels even while the edition is hidden.")
@click.option("--off", is_flag=True, help="Show no labels, which is the default of a pool.")
@click.pass_obj
def command(
    settings: Settings, name: str, show_llm: str | None, judge: str | None, beside: bool, show_hidden: bool, off: bool
) -> None:
    """Choose whether assessors of the pool NAME see a language model's labels on the page.

    Each decision is stored with the label that was shown, and whether it was visible before the decision.
    """
    if off == (show_llm is not None):
        raise click.UsageError("use either --show-llm EDITION or --off")
    with connect(settings) as conn:
        show_labels(conn, name, edition=show_llm, judge=judge, beside=beside, hidden=show_hidden)
    when = "beside each document" if beside else "after the assessor's own decision"
    click.echo(f"{name}: no labels" if off else f"{name}: labels of {show_llm}, {when}")
