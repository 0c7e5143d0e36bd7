"""The command ``stc qrels check``."""

from __future__ import annotations

from collections.abc import Sequence

import click
import orjson

from stcollection.cli.options.editions import edition_argument
from stcollection.cli.output import format_option, marked, render
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.errors import BadInput
from stcollection.qrels.rules import check

_SHOWN = 5  # names of offenders in a table


# What each rule of the organisers asks; sql/qrels/edition_rules.sql says it precisely.
_ASKS = {
    "relevant": "each query reaches {relevant} documents of grade {rel} or better",
    "unseen": "no query of a test edition was judged in an earlier edition",
    "documents": "each judged document is in the corpus",
    "queries": "each query has a text and a topic",
    "grades": "each grade is on the scale",
    "annotators": "annotators of a document are of one mind, or settled by 'derive'",
}


@click.command("check")
@edition_argument
@click.option(
    "--relevant", type=click.IntRange(min=1), default=5, show_default=True, help="Relevant documents that each query must reach."
)
@click.option("--rel", type=int, default=1, show_default=True, help="The lowest grade that is relevant.")
@click.option(
    "--highest",
    type=int,
    default=2,
    show_default=True,
    help="The highest grade of the scale, which begins with 0; for an edition whose grades were not mapped.",
)
@format_option
@click.pass_obj
def command(settings: Settings, edition: str, relevant: int, rel: int, highest: int, style: str) -> None:
    """Check an EDITION by the rules of the track's organisers; name what breaks them. Exit code 3 if a rule is broken.

    JSON names every offender.
    """
    with connect(settings) as conn:
        verdicts = check(conn, edition, relevant=relevant, rel=rel, highest=highest)
    asked = [(one, _ASKS[one.rule].format(relevant=relevant, rel=rel)) for one in verdicts]
    headers = ["rule", "asks that", "verdict", "checked", "offend"]
    if style == "json":
        told = [
            {"rule": one.rule, "asks": asks, "verdict": one.verdict, "checked": one.checked, "offenders": list(one.offenders)}
            for one, asks in asked
        ]
        click.echo(orjson.dumps([marked(one) for one in told], option=orjson.OPT_INDENT_2).decode())
    else:
        click.echo(
            render([(one.rule, asks, one.verdict, one.checked, len(one.offenders)) for one, asks in asked], headers, style=style)
        )
    broken = [one for one in verdicts if one.verdict == "fail"]
    if style == "table":
        for one in broken:
            click.echo(f"\n{one.rule}: {_some(one.offenders)}")
    if broken:
        raise BadInput(
            f"the edition {edition!r} breaks {len(broken)} of {len(verdicts)} rules: {', '.join(one.rule for one in broken)}",
            hint="--format json names all that offend.",
        )


def _some(names: Sequence[str]) -> str:
    more = len(names) - _SHOWN
    return "; ".join(names[:_SHOWN]) + (f"; and {more:,} more" if more > 0 else "")
