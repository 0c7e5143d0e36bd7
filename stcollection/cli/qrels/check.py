"""The command ``stc qrels check``."""

from __future__ import annotations

from collections.abc import Sequence

import click
import orjson

from stcollection.cli.options.editions import edition_argument
from stcollection.cli.output import format_option, marked, render
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.errors import BadInput
from stcollection.qrels.rules import check

_SHOWN = 5  # number of violations to list in a table


# The rules of the organisers; sql/qrels/edition_rules.sql has the exact definitions.
_ASKS = {
    "relevant": "each query has at least {relevant} documents of grade {rel} or better",
    "unseen": "no query of a test edition was judged in an earlier edition, or in its training part",
    "documents": "each judged document is in the corpus",
    "queries": "each query has a text, and a topic if others have one",
    "grades": "each grade is on the scale",
    "annotators": "annotators of a document agree, or an adjudicator or 'derive' has decided",
    "subtopics": "each query with subtopic judgments has a document relevant to a subtopic",
}


@click.command("check")
@edition_argument
@click.option(
    "--min-relevant",
    "relevant",
    type=click.IntRange(min=1),
    default=5,
    show_default=True,
    help="Smallest number of relevant documents per query.",
)
@click.option("--min-grade", "rel", type=int, default=1, show_default=True, help="Lowest grade that counts as relevant.")
@click.option(
    "--highest",
    type=int,
    default=2,
    show_default=True,
    help="Highest grade of the scale, which starts at 0; for an edition whose grades were not mapped.",
)
@format_option
@click.pass_obj
def command(settings: Settings, edition: str, relevant: int, rel: int, highest: int, style: str) -> None:
    """Check an EDITION against the rules of the track's organisers, and list violations.

    JSON output lists every violation. The exit code is 3 if a rule is broken.
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
            f"the edition {edition!r} breaks {len(broken)} of {counted(len(verdicts), 'rule')}:"
            f" {', '.join(one.rule for one in broken)}",
            hint="--format json lists all violations.",
        )


def _some(names: Sequence[str]) -> str:
    more = len(names) - _SHOWN
    return "; ".join(names[:_SHOWN]) + (f"; and {more:,} more" if more > 0 else "")
