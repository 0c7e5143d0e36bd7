"""The command ``stc qrels llm answers``."""

from __future__ import annotations

import json

import click

from stcollection.cli.options.editions import edition_option
from stcollection.cli.output import format_option, render
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.qrels.llm import report


@click.command("answers")
@edition_option
@click.option(
    "--model", "annotator", metavar="NAME", help="Only answers of this model, or of an annotator listed by 'stc qrels llm status'."
)
@click.option("--state", type=click.Choice(report.STATES), help="Only answers in this state.  [default: all, malformed first]")
@click.option("--query", help="Only answers on this query.")
@click.option("--limit", type=click.IntRange(min=1), default=20, show_default=True, help="Largest number of answers to print.")
@click.option("--whole", is_flag=True, help="Print answers in full, not only their beginnings.")
@format_option
@click.pass_obj
def command(
    settings: Settings,
    /,
    edition: str,
    annotator: str | None,
    state: str | None,
    query: str | None,
    limit: int,
    whole: bool,
    style: str,
) -> None:
    """Print the stored answers of models: malformed answers first, then failures, then those with a grade."""
    with connect(settings) as conn:
        rows = report.answers(conn, edition, annotator=annotator, state=state, query=query, limit=limit)
    if style == "json":
        click.echo(render(rows, report.Answer._fields, style=style))
        return
    headers = ["annotator", "query", "doc", "state", "rel", "answer", "finish", "attempts", "seconds"]
    click.echo(
        render(
            [
                (
                    one.annotator,
                    one.query,
                    one.docno,
                    one.state,
                    one.rel,
                    _shown(one.error or one.answer, whole),
                    one.finish,
                    one.attempts,
                    one.seconds,
                )
                for one in rows
            ],
            headers,
            style=style,
        )
    )


def _shown(text: str | None, whole: bool) -> str:
    """Return text on one line, without characters that a terminal would interpret."""
    line = json.dumps(text or "", ensure_ascii=False)[1:-1]
    line = "".join(sign if sign.isprintable() else "\ufffd" for sign in line)
    return line if whole or len(line) <= 60 else line[:59] + "…"
