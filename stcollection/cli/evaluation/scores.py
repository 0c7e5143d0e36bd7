"""The commands ``stc score`` and ``stc score``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import click

from stcollection.analysis.tie_rules import USUAL as USUAL_TIES
from stcollection.analysis.tie_rules import TieRules
from stcollection.cli.declared import Call, Style, command
from stcollection.cli.evaluation._means import print_means, print_queries, print_standings
from stcollection.cli.options.measures import MOST, aliases
from stcollection.cli.output import print_simulated
from stcollection.cli.quiet import aside
from stcollection.db.connection import connect
from stcollection.declared import AllowedRange, Option, RecordTable
from stcollection.evaluation.judging import judging_runs
from stcollection.evaluation.measures import LEADERBOARD, OFFICIAL
from stcollection.evaluation.parameters import measures_of
from stcollection.evaluation.printing import OutputOptions, trec_eval_output, wanted_of
from stcollection.evaluation.score import USUAL, RunStanding, leaderboard, score_runs
from stcollection.evaluation.typed import names_typed
from stcollection.topics.sets import ALL, expression


@command(leaderboard, figure=lambda values: "ranks" if values.get("ties") else "systems")
def leaderboard_command(
    call: Call[RecordTable[RunStanding]],
    *,
    readability: bool = False,
    cutoff: Annotated[int | None, AllowedRange(ge=1, le=MOST), Option(default="10")] = None,
    ties: bool = False,
    pairs: bool = False,
    tie_rules: TieRules = USUAL_TIES,
    style: Style = "table",
) -> None:
    """Rank all runs by the first measure.

    With --readability, also reports for the top documents of each query: the share that has readability (coverage), references,
    distinct words (vocab), shares of long and of complex words, mean and median Flesch-Kincaid grade level.

    With --ties, ranks by one measure and reports for each run the interval of its mean and of its rank, its group, the probability
    that it beats the next run, and the number of queries needed to separate the two.

    :param readability: Also report the readability of the retrieved documents.
    :param cutoff: Number of documents per query for --readability.
    :param ties: Print intervals of ranks and groups of runs that do not differ significantly.
    :param pairs: With --ties: print all pairs of runs instead.
    :param alpha: With --ties: intervals have confidence 1 − alpha.
    :param resamples: With --ties: bootstrap resamples of the queries.
    :param seed: With --ties: seed of the bootstrap.
    :param power: With --ties: chance of separating two runs, for the number of queries needed.
    """
    if not ties and (typed := call.typed("pairs", "alpha", "resamples", "seed", "power")):
        raise click.UsageError(f"{typed[0]} needs --ties.")
    if cutoff is not None and not readability:
        raise click.UsageError("--cutoff needs --readability. A measure has its cutoff in the name: nDCG@10.")
    measures = measures_of(call.given.get("measures", LEADERBOARD))
    plain = call.given.get("complete", True) and call.group("rules") == USUAL
    if ties and (readability or not plain or (call.typed("measures") and len(measures) > 1)):
        raise click.UsageError("--ties takes one measure, and none of --readability, --retrieved, -l, -J, -M and --rules.")
    if call.typed("as_of") and (ties or readability):
        raise click.UsageError("--as-of cannot be combined with --ties or --readability.")
    edition, runs, queries = call.given["edition"], call.given.get("runs", ()), expression(call.given.get("queries", ALL))
    with connect(call.settings) as conn:
        if ties:
            from stcollection.analysis.ties import tied_ranking  # imports numpy, which others do not need
            from stcollection.cli.evaluation._ties import print_ties

            ranking = tied_ranking(conn, edition=edition, measure=measures[0], runs=runs, rules=tie_rules, queries=queries)
            print_ties(ranking, pairs=pairs, style=style, power=tie_rules.power)
            return
        also, depth = aliases(call.given.get("measures", ())), cutoff or 10 if readability else None
        print_means(conn, call(conn), edition, measures, style, also=also, reading_depth=depth, queries=queries)
        if plain and not call.typed("as_of"):
            for row in judging_runs(conn, edition, runs=runs, measure=measures[0], queries=queries):
                aside(f"warning: {row.note}")


@command(score_runs)
def score_command(
    call: Call[Any],
    *,
    style: Annotated[Literal["table", "json", "csv", "markdown", "latex", "trec"], Option("--format")] = "table",
    judgments: Annotated[Literal["qrels", "prefs", "qrels_prefs", "qrels_jg"], Option("-R")] = "qrels",
    zscores: Annotated[Path | None, Option("-Z")] = None,
) -> None:
    """Score runs against one edition of the judgments. Without RUN, score all runs.

    :param style: Output format; trec is trec_eval's format, for one run.
    :param judgments: Judgments to use: grades; preferences; preferences from the grades of each annotator; or averages over
        annotators. All but qrels need --format trec.
    :param zscores: Standardise scores with the means and deviations in FILE (query measure mean deviation). Needs --format trec.
    """
    given, runs, queries = call.given, call.given.get("runs", ()), expression(call.given.get("queries", ALL))
    names = names_typed(given.get("measures", ()))
    if style == "trec" and len(runs) != 1:
        raise click.UsageError("trec_eval's format is for one run: name the run.")
    if style == "trec" and call.typed("as_of"):
        raise click.UsageError("--as-of prints means or one row per query, not trec_eval's format: omit --format trec.")
    if style != "trec" and (judgments != "qrels" or zscores is not None):
        raise click.UsageError("-R and -Z print trec_eval's format: add --format trec.")
    if judgments != "qrels" and (zscores is not None or names or call.group("rules") != USUAL or queries != ALL):
        raise click.UsageError(f"-R {judgments} has its own measures: it allows only the options -q and -c.")
    with connect(call.settings) as conn:
        if style == "trec":
            complete, per_query = given.get("complete", True), given.get("per_query", False)
            output = OutputOptions(
                names=names, judgments=judgments, zscores=zscores, complete=complete, per_query=per_query, queries=queries
            )
            lines = trec_eval_output(conn, run=runs[0], edition=given["edition"], output=output, rules=call.group("rules"))
            click.echo("\n".join(lines))
            for note in wanted_of(names).notes:
                aside(note)
            print_simulated()
            return
        found, measures = call(conn), measures_of(given.get("measures", OFFICIAL))
        if estimated := [str(measure) for measure in measures if "strata" in measure.kind.uses]:
            aside(f"{estimated[0]} is an estimate from a sample: --standard-errors prints its confidence interval")
        if given.get("per_query"):
            print_queries(found, measures, style, also=aliases(names))
        else:
            print_standings(found, measures, style, also=aliases(names))
