"""The command ``stc synth status``."""

from __future__ import annotations

import click

from stcollection.cli.output import format_option, render
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.studies.synth import study as studies
from stcollection.studies.synth.study import MIN_SCORE


@click.command("status")
@click.argument("study", required=False)
@click.option(
    "--min-score",
    type=click.FloatRange(0, 100),
    default=MIN_SCORE,
    show_default=True,
    help="Count documents with a lower score as 'under'.",
)
@format_option
@click.pass_obj
def command(settings: Settings, study: str | None, min_score: float, style: str) -> None:
    """Report the progress of the studies; for STUDY, also the output of each generator, and what was dropped and why.

    Shares are of the answered documents. With STUDY and --format csv, only the generators are printed.
    """
    with connect(settings) as conn:
        rows = studies.overview(conn, min_score=min_score)
        made = None if study is None else studies.generated(conn, study)
    rows = [one for one in rows if study in (None, one.study)]
    if made is None:
        click.echo(render(rows, studies.StudyOverview._fields, style=style))
    elif style == "json":
        click.echo(
            render([(*rows[0], [one._asdict() for one in made])], [*studies.StudyOverview._fields, "generated"], style=style)
        )
    elif style == "csv":
        click.echo(render(made, studies.Generated._fields, style=style))
    else:
        click.echo(render(rows, studies.StudyOverview._fields, style=style))
        click.echo()
        click.echo(render(made, studies.Generated._fields, style=style) if made else "nothing is generated")
