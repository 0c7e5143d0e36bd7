"""The command ``stc qrels derive``."""

from __future__ import annotations

import click

from stcollection.cli.options.editions import facts_options, map_option
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.qrels.derive import RULES, derive
from stcollection.qrels.editions import EditionFacts
from stcollection.qrels.load import ORIGINS


@click.command("derive")
@click.argument("name")
@click.argument("editions", nargs=-1, required=True)
@click.option(
    "--rule",
    type=click.Choice(RULES),
    default="first",
    show_default=True,
    help="What several annotators of a document come to; of equal majorities and of two medians the lower.",
)
@map_option
@click.option("--origin", "origins", type=click.Choice(ORIGINS), multiple=True, help="Judgments of this origin alone; repeat it.")
@click.option("--annotator", "annotators", multiple=True, help="Judgments of this annotator alone; repeat it.")
@facts_options
@click.pass_obj
def command(
    settings: Settings,
    /,
    name: str,
    editions: tuple[str, ...],
    rule: str,
    grades: dict[int, int] | None,
    origins: tuple[str, ...],
    annotators: tuple[str, ...],
    facts: EditionFacts,
) -> None:
    """Make the edition NAME from EDITIONS: one judgment a query and document; they stay as they are.

    Human before llm before knn, whatever edition a judgment is in; then the rule. An annotator has one vote a document, that in the
    edition named first. A mapping of grades is done before the rule. So a published edition is made of raw double annotation.
    """
    with connect(settings) as conn:
        done = derive(
            conn, name, editions, rule=rule, grades=grades, origins=origins or None, annotators=annotators or None, facts=facts
        )
    told = f"{name}: {done.judgments:,} judgments on {done.queries:,} queries from {', '.join(editions)}"
    if done.combined:
        told += f"; {done.combined:,} of several annotators, {done.differing:,} of them not of one mind: {rule}"
    click.echo(told)
