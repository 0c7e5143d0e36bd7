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
    """Whether candidates that were dropped are wanted, and which."""

    dropped: bool
    reason: str | None
    every: bool

    @property
    def which(self) -> str | None:
        return "all" if self.every else self.reason or ("any" if self.dropped else None)


@click.command("candidates")
@click.argument("study")
@click.option("--origin", metavar="ORIGIN", help="Only these.")
@click.option("--dropped", is_flag=True, help="Those that were dropped, not those to use.")
@click.option("--reason", type=click.Choice(DROPPED), help="Those that were dropped for this.")
@click.option("--all", "every", is_flag=True, help="Those to use and those that were dropped.")
@click.option("--limit", type=click.IntRange(min=1), help="So many at most.")
@click.option("--whole", is_flag=True, help="Queries and answers in full, not their beginnings.")
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
    """The generated queries of STUDY: those to use, or with --dropped what was dropped and why."""
    which = dropped.which
    with connect(settings) as conn:
        rows = studies.candidates(conn, study, origin=origin, dropped=which, limit=limit)
    if style not in ("json", "csv"):
        rows = [one._replace(query=one_line(one.query, whole), answer=one_line(one.answer, whole)) for one in rows]
        if which is None:  # the answer tells little more than the query
            click.echo(render([one[:-1] for one in rows], studies.Candidate._fields[:-1], style=style))
            return
    click.echo(render(rows, studies.Candidate._fields, style=style))
