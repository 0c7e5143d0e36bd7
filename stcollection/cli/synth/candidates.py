"""The command ``stc synth candidates``."""

from __future__ import annotations

from dataclasses import dataclass

import click

from stcollection.cli.options import packed
from stcollection.cli.output import format_option, one_line, render
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.studies.synth import study as studies
from stcollection.studies.synth.study import DROPPED


@dataclass(frozen=True, kw_only=True)
class _Dropped:
    """Which candidates to print."""

    dropped: bool
    reason: str | None
    every: bool

    @property
    def which(self) -> str | None:
        return "all" if self.every else self.reason or ("any" if self.dropped else None)


@click.command("candidates")
@click.argument("study")
@click.option("--origin", metavar="ORIGIN", help="Only candidates of this origin.")
@click.option("--dropped", is_flag=True, help="Print dropped candidates instead of usable ones.")
@click.option("--reason", type=click.Choice(DROPPED), help="Print candidates that were dropped for this reason.")
@click.option("--all", "every", is_flag=True, help="Print usable and dropped candidates.")
@click.option("--limit", type=click.IntRange(min=1), help="Largest number of candidates to print.")
@click.option("--whole", is_flag=True, help="Print queries and answers in full, not only their beginnings.")
@format_option
@packed(_Dropped, "dropped")
@click.pass_obj
def command(
    settings: Settings,
    study: str,
    origin: str | None,
    dropped: _Dropped,
    limit: int | None,
    whole: bool,
    style: str,
) -> None:
    """List the generated queries of STUDY: those to use or, with --dropped, the dropped ones with the reason."""
    which = dropped.which
    with connect(settings) as conn:
        rows = studies.candidates(conn, study, origin=origin, dropped=which, limit=limit)
    if style not in ("json", "csv"):
        rows = [one._replace(query=one_line(one.query, whole), answer=one_line(one.answer, whole)) for one in rows]
        if which is None:  # the answer adds little to the query
            click.echo(render([one[:-1] for one in rows], studies.Candidate._fields[:-1], style=style))
            return
    click.echo(render(rows, studies.Candidate._fields, style=style))
