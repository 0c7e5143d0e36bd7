"""The command ``stc analysis compare-output``."""

from __future__ import annotations

from typing import Annotated

import click

from stcollection.cli.declared import Call, Style
from stcollection.cli.declared import command as declared_command
from stcollection.cli.output import render
from stcollection.counts import counted
from stcollection.declared import Option
from stcollection.evaluation.compare import OutputComparison, compare_output
from stcollection.evaluation.score import ScoreRules, Version

_EXIT_DIFFERENT = 1


@declared_command(compare_output, omit=("min_grade", "judged_only", "max_rank"))
def command(
    call: Call[OutputComparison],
    *,
    version: Annotated[Version, Option(each="rules")] = "trec_eval 9",
    style: Style = "table",
) -> None:
    """Compare FILE, the output of trec_eval for a stored run, with our scores, and list every difference.

    Our values are rounded like those in the file. The exit code is 1 if there is a difference.

    :param version: Compatibility: scores in single precision, with the stored ranks; or scores in double precision.
    """
    found = call.once(rules=ScoreRules(version=version))
    rows = [(one.line, one.measure, one.query, one.theirs, one.ours) for one in found.differences]
    if rows or style != "table":
        click.echo(render(rows, ["line", "measure", "query", "theirs", "ours"], style=style))
    click.echo(_told(found), err=style != "table")
    if rows:
        click.get_current_context().exit(_EXIT_DIFFERENT)


def _told(found: OutputComparison) -> str:
    told = [f"{found.run}: {counted(found.equal, 'value')} equal, {len(found.differences):,} different"]
    if found.uncompared:
        told.append(f"{counted(sum(found.uncompared.values()), 'line')} not compared: {', '.join(found.uncompared)}")
    return "; ".join(told)
