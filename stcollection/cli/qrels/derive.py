"""The command ``stc qrels derive``."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

import click

from stcollection.cli.options.editions import facts_options, map_option, no_hide_option
from stcollection.cli.options.queries import queries_option
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.qrels.derive import RULES, Derived, derive
from stcollection.qrels.editions import EditionFacts
from stcollection.qrels.hiding import is_hidden, reveals
from stcollection.qrels.load import ORIGINS


@click.command("derive")
@click.argument("name")
@click.argument("editions", nargs=-1, required=True)
@click.option(
    "--rule",
    type=click.Choice(RULES),
    default="first",
    show_default=True,
    help="Rule that combines several annotators of a document. For equal majorities and two medians, the lower grade wins.",
)
@map_option
@click.option(
    "--origin", "origins", type=click.Choice(ORIGINS), multiple=True, help="Use judgments of this origin only. Repeatable."
)
@click.option("--annotator", "annotators", multiple=True, help="Use judgments of this annotator only. Repeatable.")
@queries_option
@facts_options
@no_hide_option
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
    queries: str,
    facts: EditionFacts,
    hidden: bool | None,
) -> None:
    """Create the edition NAME from other editions, with one judgment per query and document. The others do not change.

    An adjudicator's final grade wins in every rule. Otherwise human judgments take precedence over llm, and llm over knn, whatever
    edition they are in; then the rule applies. An annotator has one vote per document, from the first edition named. Grades are
    mapped before the rule. Use it to publish an edition from raw double annotation, or to split one by --queries: a new edition of
    --split test is hidden from participants and readers until 'stc qrels release'. Of judgments by subtopic, which have no
    annotator, those of the first edition named count; with --origin or --annotator they are left out.
    """
    with connect(settings) as conn:
        done = derive(
            conn,
            name,
            editions,
            rule=rule,
            grades=grades,
            origins=origins or None,
            annotators=annotators or None,
            queries=queries,
            hidden=hidden,
            facts=facts,
        )
        warnings = reveals(conn, name) if is_hidden(conn, name) else None
    click.echo(_told(name, editions, rule, done))
    if warnings is not None:
        click.echo(f"{name}: hidden; to show it: stc qrels release {shlex.quote(name)}")
        for warning in warnings:
            click.echo(f"stc: {warning}", err=True)


def _told(name: str, editions: Sequence[str], rule: str, done: Derived) -> str:
    told = f"{name}: {counted(done.judgments, 'judgment')} on {counted(done.queries, 'query')} from {', '.join(editions)}"
    if done.subtopic_judgments:
        told += f"; {counted(done.subtopic_judgments, 'judgment')} by subtopic"
    if done.combined:
        told += f"; {done.combined:,} with several annotators, {done.differing:,} with different grades: {rule}"
    if done.final:
        told += f"; {counted(done.final, 'final decision')}"
    return told
