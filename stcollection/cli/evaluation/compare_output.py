"""The command ``stc analysis compare-output``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import click

from stcollection.cli.options import packed
from stcollection.cli.options.editions import edition_option
from stcollection.cli.options.files import FILE
from stcollection.cli.options.measures import rules_option
from stcollection.cli.output import format_option, render
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.evaluation.compare import OutputComparison, compare_output
from stcollection.evaluation.score import ScoreRules

_EXIT_DIFFERENT = 1


@dataclass(frozen=True, kw_only=True)
class TheirOutput:
    """The options of trec_eval that made the file.

    :param judgments: as for ``-R``.
    :param complete: as for ``-c``.
    """

    file: Path
    judgments: str
    complete: bool


@click.command("compare-output")
@click.argument("file", type=FILE)
@click.option(
    "--run", required=True, help="Stored run to compare with. If the file has several systems, compares only the lines of this run."
)
@edition_option
@click.option(
    "--judgments",
    type=click.Choice(["prefs", "qrels_prefs"]),
    default="prefs",
    show_default=True,
    help="Value of trec_eval's -R, if the file has measures of preferences.",
)
@click.option(
    "--complete/--retrieved",
    default=False,
    show_default=True,
    help="The file was made with trec_eval -c: queries without documents in the run count as 0 in the means.",
)
@rules_option
@click.option("--tolerance", type=click.FloatRange(min=0), default=0.0, show_default=True, help="Largest difference to ignore.")
@format_option
@click.pass_context
@packed(TheirOutput, "theirs")
@packed(ScoreRules, "rules", rules="version")
def command(
    context: click.Context,
    theirs: TheirOutput,
    run: str,
    edition: str,
    rules: ScoreRules,
    tolerance: float,
    style: str,
) -> None:
    """Compare FILE, the output of trec_eval for a stored run, with our scores, and list every difference.

    Our values are rounded like those in the file. The exit code is 1 if there is a difference.
    """
    with connect(context.obj) as conn:
        found = compare_output(
            conn,
            theirs.file,
            run=run,
            edition=edition,
            judgments=theirs.judgments,
            complete=theirs.complete,
            rules=rules,
            tolerance=tolerance,
        )
    rows = [(one.line, one.measure, one.query, one.theirs, one.ours) for one in found.differences]
    if rows or style != "table":
        click.echo(render(rows, ["line", "measure", "query", "theirs", "ours"], style=style))
    click.echo(_told(found), err=style != "table")
    if rows:
        context.exit(_EXIT_DIFFERENT)


def _told(found: OutputComparison) -> str:
    told = [f"{found.run}: {counted(found.equal, 'value')} equal, {len(found.differences):,} different"]
    if found.uncompared:
        told.append(f"{counted(sum(found.uncompared.values()), 'line')} not compared: {', '.join(found.uncompared)}")
    return "; ".join(told)
