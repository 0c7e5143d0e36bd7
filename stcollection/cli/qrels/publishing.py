"""Commands that check, seal, hide and release an edition of the judgments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import click
import orjson

from stcollection.cli.declared import Call, Style, command
from stcollection.cli.options.removal import Yes
from stcollection.cli.output import marked, render
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.declared import Option
from stcollection.errors import BadInput
from stcollection.evaluation.asks import PERMITTED, allow
from stcollection.evaluation.score import judge
from stcollection.qrels.editions import Sealed, Verified, check_edition, seal, verify
from stcollection.qrels.hiding import hide, release, reveals
from stcollection.qrels.rules import Verdict, check

_SHOWN = 5  # number of violations to list in a table


# The rules of the organisers; sql/qrels/edition_rules.sql has the exact definitions.
_RULES = {
    "relevant": "each query has at least {relevant} documents of grade {rel} or better",
    "unseen": "no query of a test edition was judged in an earlier edition, or in its training part",
    "documents": "each judged document is in the corpus",
    "queries": "each query has a text, and a topic if others have one",
    "grades": "each grade is on the scale",
    "annotators": "annotators of a document agree, or an adjudicator or 'derive' has decided",
    "subtopics": "each query with subtopic judgments has a document relevant to a subtopic",
}


@command(check)
def check_command(call: Call[list[Verdict]], *, style: Style = "table") -> None:
    """Check an EDITION against the rules of the track's organisers, and list violations.

    JSON output lists every violation. The exit code is 3 if a rule is broken.
    """
    verdicts = call.once()
    limits = {"relevant": call.given.get("relevant", 5), "rel": call.given.get("rel", 1)}
    rules = [(verdict, _RULES[verdict.rule].format(**limits)) for verdict in verdicts]
    if style == "json":
        records = [
            {"rule": row.rule, "asks": rule, "verdict": row.verdict, "checked": row.checked, "offenders": list(row.offenders)}
            for row, rule in rules
        ]
        click.echo(orjson.dumps([marked(record) for record in records], option=orjson.OPT_INDENT_2).decode())
    else:
        rows = [(row.rule, rule, row.verdict, row.checked, len(row.offenders)) for row, rule in rules]
        click.echo(render(rows, ["rule", "asks that", "verdict", "checked", "offend"], style=style))
    broken = [verdict for verdict in verdicts if verdict.verdict == "fail"]
    if style == "table":
        for verdict in broken:
            click.echo(f"\n{verdict.rule}: {_some(verdict.offenders)}")
    if broken:
        raise BadInput(
            f"the edition {call.given['edition']!r} breaks {len(broken)} of {counted(len(verdicts), 'rule')}:"
            f" {', '.join(verdict.rule for verdict in broken)}",
            hint="--format json lists all violations.",
        )


def _some(names: Sequence[str]) -> str:
    more = len(names) - _SHOWN
    return "; ".join(names[:_SHOWN]) + (f"; and {more:,} more" if more > 0 else "")


@command(seal)
def seal_command(call: Call[Sealed], *, yes: Yes = False) -> None:
    """Seal an EDITION before publication: nothing can be added to it any more.

    Stores the SHA-256 of its contents, which equals that of the file written by 'stc export qrels': check it with sha256sum.
    """
    edition = call.given["edition"]
    with connect(call.settings) as conn:
        check_edition(conn, edition)
    if not yes:
        click.confirm(f"Seal the edition {edition!r}? It cannot be opened again.", abort=True)
    with connect(call.settings) as conn:
        sealed = call(conn)
        judge(conn, edition=edition)  # so that the first scoring does not wait
    state = f"already sealed on {sealed.sealed:%F}" if sealed.already else "sealed"
    click.echo(f"{edition}: {state}, {counted(sealed.judgments, 'judgment')}, SHA-256 {sealed.fingerprint}")


@command(verify)
def verify_command(call: Call[list[Verified]], *, style: Style = "table") -> None:
    """Check that sealed editions (or EDITION) have not changed since they were sealed. The exit code is 3 if one has changed.

    The SHA-256 is that of the present contents, for open editions too, and equals that of 'stc export qrels'.
    """
    verified = call.once()
    words = {True: "sealed, intact", False: "sealed, CHANGED", None: "open"}
    rows = [(row.edition, words[row.intact], row.sealed and f"{row.sealed:%F %R}", row.judgments, row.computed) for row in verified]
    click.echo(render(rows, ["edition", "state", "sealed", "judgments", "sha256"], style=style))
    if broken := [row.edition for row in verified if row.intact is False]:
        raise BadInput(
            f"changed since sealing: {', '.join(broken)}",
            hint="Names of queries or documents were changed, or triggers were disabled. Compare with a published file: stc "
            "qrels diff.",
        )


@command(hide)
def hide_command(call: Call[bool]) -> None:
    """Hide an EDITION from participants and readers, who then do not see that it exists. 'stc publish release' shows it again."""
    edition = call.given["edition"]
    with connect(call.settings) as conn:
        click.echo(f"{edition}: {'hidden' if call(conn) else 'was hidden already'}")
        for warning in reveals(conn, edition):
            click.echo(f"stc: {warning}", err=True)


@command(release)
def release_command(call: Call[bool], *, yes: Yes = False) -> None:
    """Show a hidden EDITION to participants and readers. The time and the user are recorded."""
    edition = call.given["edition"]
    with connect(call.settings) as conn:
        check_edition(conn, edition)
    if not yes:
        click.confirm(f"Show the edition {edition!r} to everyone? This cannot be undone for those who see it.", abort=True)
    click.echo(f"{edition}: {'released' if call.once() else 'is open already'}")


@command(allow)
def allow_command(
    call: Call[None],
    *,
    measures: Annotated[
        str | None,
        Option(metavar="LIST", help=f"Measures to report, at most 2, comma-separated: {PERMITTED}.", default="ndcg_cut_10"),
    ] = None,
) -> None:
    """Allow each team a number of requests for the mean scores of its runs on a hidden EDITION ('stc score --request').

    Each result reveals something about the hidden judgments: allow few requests, of few measures. Earlier requests of a team
    count.
    """
    names = None if measures is None else [name.strip() for name in measures.split(",") if name.strip()]
    call.once(measures=names)
    asks = call.given["asks"]
    click.echo(f"{call.given['edition']}: {counted(asks, 'request') + ' per team allowed' if asks else 'no requests allowed'}")
