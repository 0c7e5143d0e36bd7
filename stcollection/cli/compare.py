"""The command ``stc compare``."""

from __future__ import annotations

import click

from stcollection.cli._files import are_files
from stcollection.cli.merged import Typed, merged


@merged(
    click.Option(["--by"], type=click.Choice(["run", "query"]), help="Test runs, or list the queries on which two runs differ."),
    stored=("analysis.comparisons:compare", "stored runs"),
    files=("analysis.files:compare", "run files"),
    queries=("evaluation.worst:differences", "--by query"),
)
def command(typed: Typed) -> str:
    """Test runs for significant differences: all pairs, or each run against a baseline.

    \b
      stc compare bm25 hybrid                      two stored runs
      stc compare --baseline bm25                  all stored runs against one
      stc compare bm25 hybrid --by query           the ten queries on which they differ most, with texts
      stc compare a.run b.run test.qrels           files, without a collection

    Prints means, their difference with a confidence interval, effect size d, queries won, tied and lost, p and corrected p. A star
    marks a corrected p below alpha. 'stc score --significance' prints a table for a paper.
    """
    if typed.options.get("--by") == "query":
        return "queries"
    return "files" if are_files(typed) else "stored"
