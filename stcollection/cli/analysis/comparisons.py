"""The commands ``stc compare`` and ``stc score --significance``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import click

from stcollection.analysis.board_text import describe_marks, render_board
from stcollection.analysis.marks import Marked, marked_leaderboard
from stcollection.analysis.significance import RunComparison, compare
from stcollection.cli.analysis._comparisons import check_ranking, print_comparisons
from stcollection.cli.declared import Call, Style, command
from stcollection.cli.output import is_raw, note_in, output
from stcollection.cli.quiet import aside
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.declared import AllowedRange, Option, RecordTable
from stcollection.evaluation.judging import judging_runs
from stcollection.evaluation.measures import nDCG
from stcollection.evaluation.parameters import measures_of
from stcollection.topics.sets import ALL, expression

_HINT = "Name two runs, or one run and --baseline; 'stc show runs' lists the stored runs."


@command(compare)
def compare_command(call: Call[RecordTable[RunComparison]], *, ranking: bool = False, style: Style = "table") -> None:
    """Test runs for significant differences: all pairs, or each run against a baseline. Without RUN, compare all runs.

    Prints means, their difference with a confidence interval, effect size d, queries won, tied and lost, p and corrected p. A star
    marks a corrected p below alpha.

    :param ranking: Print the runs best first, and which do not differ significantly from the best. Only for all pairs.
    """
    test = call.group("test")
    check_ranking(ranking, call.given.get("baseline"))
    print_comparisons(call.once(), test, ranking=ranking, style=style, hint=_HINT)


@command(marked_leaderboard)
def leaderboard_command(
    call: Call[Marked],
    *,
    digits: Annotated[int, AllowedRange(ge=1, le=6)] = 4,
    out: Annotated[Path | None, Option(default="standard output")] = None,
    style: Style = "table",
) -> None:
    """Rank runs and mark significant differences: a table for a paper, in Markdown, LaTeX, CSV or JSON. Without RUN, rank all
    runs.

    With a baseline, marks show which means are better or worse than its mean. Otherwise each run has a letter, and a mean carries
    the letters of the runs it beats. The best mean is bold in Markdown and LaTeX.

    :param correction: Correction for multiple tests, per measure.
    :param digits: Decimal places of the means.
    :param out: Write to FILE.
    """
    test, baseline = call.group("test"), call.given.get("baseline")
    with connect(call.settings) as conn:
        marked = call(conn)
        measures, queries = measures_of(call.given.get("measures", [nDCG @ 10])), expression(call.given.get("queries", ALL))
        favoured = judging_runs(conn, call.given["edition"], runs=call.given.get("runs", ()), measure=measures[0], queries=queries)
    footnote = describe_marks(marked, test=test, baseline=baseline, queries=queries)
    for row in favoured:
        aside(f"warning: {row.note}")
    printed = render_board(marked, measures, digits=digits, style=style, note=footnote, raw=is_raw(), simulated=note_in(style))
    if out is None:
        click.echo(printed)
        return
    with output(out) as file:
        file.write(f"{printed}\n".encode())
    click.echo(f"{out}: {counted(len(marked.lines), 'run')}")
