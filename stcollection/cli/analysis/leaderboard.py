"""The command ``stc analysis leaderboard``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import click

from stcollection.analysis.board_text import describe_marks, render_board
from stcollection.analysis.corrections import CORRECTIONS
from stcollection.analysis.marks import BETTER, WORSE, marked_leaderboard
from stcollection.analysis.significance import PairedTest
from stcollection.cli.options import packed
from stcollection.cli.options.editions import edition_option
from stcollection.cli.options.files import OutputPath
from stcollection.cli.options.measures import measure_option
from stcollection.cli.options.queries import queries_option
from stcollection.cli.options.significance import alpha_option, permutations_option, seed_option, test_option
from stcollection.cli.output import format_option, is_raw, note_in, output
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.evaluation.measures import Measure, nDCG


@dataclass(frozen=True, kw_only=True)
class BoardOutput:
    """Format and file of the table; None is standard output."""

    digits: int
    out: Path | None
    style: str


_baseline_option = click.option(
    "--baseline",
    metavar="RUN",
    help=f"Mark runs that are better ({BETTER}) or worse ({WORSE}) than RUN.  [default: compare all pairs]",
)


@click.command("leaderboard")
@click.argument("runs", nargs=-1)
@edition_option
@measure_option(nDCG @ 10)
@_baseline_option
@queries_option
@test_option
@click.option(
    "--correction",
    type=click.Choice(list(CORRECTIONS)),
    default="holm",
    show_default=True,
    help="Correction for multiple tests, per measure.",
)
@permutations_option
@seed_option
@alpha_option
@click.option("--digits", type=click.IntRange(1, 6), default=4, show_default=True, help="Decimal places of the means.")
@click.option("--out", type=OutputPath(stdout=True), help="Write to FILE.  [default: standard output]")
@format_option
@click.pass_obj
@packed(BoardOutput, "to")
@packed(PairedTest, "test", test="kind")
def command(
    settings: Settings,
    /,
    runs: tuple[str, ...],
    edition: str,
    measures: list[Measure],
    baseline: str | None,
    queries: str,
    test: PairedTest,
    to: BoardOutput,
) -> None:
    """Rank runs and mark significant differences: a table for a paper, in Markdown, LaTeX, CSV or JSON. Without RUN, rank all
    runs.

    With a baseline, marks show which means are better or worse than its mean. Otherwise each run has a letter, and a mean carries
    the letters of the runs it beats. The best mean is bold in Markdown and LaTeX.
    """
    with connect(settings) as conn:
        marked = marked_leaderboard(
            conn, edition=edition, measures=measures, runs=runs, baseline=baseline, test=test, queries=queries
        )
    told = describe_marks(marked, test=test, baseline=baseline, queries=queries)
    printed = render_board(marked, measures, digits=to.digits, style=to.style, note=told, raw=is_raw(), simulated=note_in(to.style))
    if to.out is None:
        click.echo(printed)
    else:
        with output(to.out) as file:
            file.write(f"{printed}\n".encode())
        click.echo(f"{to.out}: {counted(len(marked.lines), 'run')}")
