"""The command ``stc score``."""

from __future__ import annotations

import click

from stcollection.cli._files import are_files
from stcollection.cli.merged import Typed, merged

_FIRST = (
    ("--worst", "worst"), ("--significance", "marked"), ("--request", "requested"), ("--labels", "corrected"),
    ("--correct-with", "corrected"),
)  # fmt: skip
_OF_BOARD = ("--ties", "--pairs", "--power", "--readability", "--cutoff", "--leaderboard")


@merged(
    click.Option(["--by"], type=click.Choice(["run", "query"]), help="Print the means of each run, or the value of each query."),
    click.Option(["--leaderboard"], is_flag=True, help="Rank the named runs by the measures of the leaderboard."),
    click.Option(["--significance"], is_flag=True, help="Mark significant differences, as a table for a paper."),
    click.Option(["--standard-errors"], is_flag=True, help="Estimate measures from a sampled pool, with confidence intervals."),
    click.Option(["--request"], is_flag=True, help="Request the means of a run of your team on a hidden edition."),
    board=("evaluation.scores:leaderboard", "a ranking of stored runs"),
    stored=("evaluation.scores:score", "stored runs"),
    files=("evaluation.files:score", "run files"),
    worst=("evaluation.worst:worst", "the worst queries of a stored run"),
    marked=("analysis.comparisons:leaderboard", "--significance"),
    corrected=("evaluation.corrected:corrected", "corrected scores"),
    sampled=("evaluation.sampled:sampled", "--standard-errors"),
    requested=("evaluation.summaries:ask", "--request"),
)
def command(typed: Typed) -> str:
    """Score runs: stored runs by name, or run files followed by a file of judgments. Without RUN, rank all stored runs.

    \b
      stc score                        rank all stored runs
      stc score bm25 hybrid            score two stored runs
      stc score my.run test.qrels      score a file, without a collection
      stc score bm25 --by query        print the value of each query
      stc score bm25 --worst 10        list its ten worst queries, with what it misses there
      stc score --significance         mark significant differences, as a table for a paper
      stc score --labels llm --correct-with human
                                       correct scores by labels with judgments of people for some queries

    Every measure equals trec_eval's. Files can have any format that 'stc show formats' lists, plain or compressed; - is standard
    input.
    """
    for option, variant in _FIRST:
        if typed.has(option):
            return variant
    if typed.options.get("--by") == "query":
        typed.added.append("--per-query")
    if typed.has("--standard-errors"):
        return "sampled"
    if are_files(typed):
        return "files"
    if typed.options.get("--format") == "trec":
        return "stored"
    if typed.has(*_OF_BOARD):
        return "board"
    return "stored" if typed.names or typed.added or typed.fitting != "board" else "board"
