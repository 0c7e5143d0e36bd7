"""The command ``stc qrels correct``."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import click
import orjson

from stcollection.analysis.impact import Impact, impact
from stcollection.cli.options import packed, together
from stcollection.cli.options.editions import changed_edition_argument
from stcollection.cli.options.measures import one_measure_option
from stcollection.cli.output import format_option, marked, render
from stcollection.cli.qrels.impact import impact_text
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.errors import StateError
from stcollection.evaluation.measures import Measure
from stcollection.qrels.corrections import Correction, correct, read_corrections
from stcollection.qrels.diff import JudgmentChange, changes


@dataclass(frozen=True, kw_only=True)
class Corrected:
    """What is corrected: one judgment, or the rows of a sheet."""

    query: str | None
    doc: str | None
    rel: int | None
    why: str | None
    sheet: Path | None

    def read(self) -> list[Correction]:
        given = (self.query, self.doc, self.rel, self.why)
        if self.sheet is not None:
            if given != (None,) * 4:
                raise click.UsageError("--sheet takes its corrections from the file: omit --query, --doc, --rel and --why")
            return read_corrections(self.sheet)
        if self.query is None or self.doc is None or self.rel is None or self.why is None:
            raise click.UsageError("give --query, --doc, --rel and --why, or --sheet FILE")
        return [Correction(1, self.query, self.doc, self.rel, self.why)]


_options = together(
    click.option("--query", metavar="QUERY", help="Query of the judgment."),
    click.option("--doc", metavar="DOC", help="Document of the judgment."),
    click.option("--rel", type=click.IntRange(-9999, 9999), metavar="GRADE", help="The right grade."),
    click.option("--why", metavar="TEXT", help="Reason, stored with the new judgment."),
    click.option(
        "--sheet",
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
        help="Correct the judgments in FILE: CSV or JSON lines with the columns query, doc, rel and why.",
    ),
)


@click.command("correct")
@changed_edition_argument
@_options
@click.option("--into", "version", metavar="NAME", help="Name of the new version.  [default: EDITION-v2, -v3, …]")
@click.option("--by", "annotator", default="correction", show_default=True, help="Annotator of the new judgments.")
@click.option("--add", "unjudged", is_flag=True, help="Also judge documents that the edition does not judge.")
@one_measure_option("Measure by which to show the changes of scores and ranks.")
@format_option
@click.pass_obj
@packed(Corrected, "asked")
def command(
    settings: Settings,
    /,
    edition: str,
    asked: Corrected,
    version: str | None,
    annotator: str,
    unjudged: bool,
    measure: Measure,
    style: str,
) -> None:
    """Correct judgments of an EDITION in a new version of it, and show what that changes in scores and ranks.

    EDITION itself does not change: a sealed edition keeps its seal. The version is a copy in which the corrections take precedence
    over all other judgments, with their reasons. It is hidden if EDITION is, and can be corrected again.
    """
    corrections = asked.read()
    with connect(settings) as conn:
        name = correct(conn, edition, corrections, version=version, annotator=annotator, unjudged=unjudged, sheet=asked.sheet)
        differing = changes(conn, edition, name)
        try:
            moved = impact(conn, edition, name, measure=measure)
        except StateError:  # no run is stored
            moved = Impact(runs=[], kendall_tau=None, tau_ap=None, rbo=None)
    _show(edition, name, differing, moved, str(measure), style)


def _show(edition: str, name: str, differing: Sequence[JudgmentChange], moved: Impact, measure: str, style: str) -> None:
    if style == "json":
        told = {
            "edition": name,
            "corrects": edition,
            "judgments": [one._asdict() for one in differing],
            "measure": measure,
            "runs": [one._asdict() for one in moved.runs],
        }
        click.echo(orjson.dumps(marked(told), option=orjson.OPT_INDENT_2).decode())
        return
    click.echo(render(differing, JudgmentChange._fields, style=style))
    if style == "csv":
        return
    click.echo(f"\n{name}: {edition} with {counted(len(differing), 'correction')}; {edition} does not change\n")
    shifted = [one for one in moved.runs if one.shift or one.rank_a != one.rank_b]
    if shifted:
        click.echo(impact_text(replace(moved, runs=shifted), edition, name, measure, style) + "\n")
    unmoved = len(moved.runs) - len(shifted)
    if unmoved or not moved.runs:
        click.echo(
            f"{counted(unmoved, 'run')} with the same {measure} and rank" if unmoved else "No run is stored: no score changes"
        )
    click.echo(f"To publish it: stc qrels seal {shlex.quote(name)}")
