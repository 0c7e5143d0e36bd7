"""The commands ``stc evaluation leaderboard`` and ``stc evaluation score``."""

from __future__ import annotations

from typing import Annotated

import click

from stcollection.analysis.ties import USUAL as USUAL_TIES
from stcollection.analysis.ties import TieRules, tied_ranking
from stcollection.cli.declared import Call, Style, command
from stcollection.cli.evaluation._means import print_means
from stcollection.cli.evaluation._ties import print_ties
from stcollection.cli.options.measures import MOST, aliases
from stcollection.db.connection import connect
from stcollection.declared import Bounds, Option, Rows
from stcollection.evaluation.measures import LEADERBOARD
from stcollection.evaluation.parameters import measures_of
from stcollection.evaluation.score import RunStanding, leaderboard
from stcollection.topics.sets import ALL, expression

_NOT_WITH_TIES = ("complete", "min_grade", "judged_only", "max_rank", "version")


@command(leaderboard)
def leaderboard_command(
    call: Call[Rows[RunStanding]],
    *,
    readability: bool = False,
    cutoff: Annotated[int | None, Bounds(ge=1, le=MOST), Option(default="10")] = None,
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
    if ties and (readability or call.typed(*_NOT_WITH_TIES) or (call.typed("measures") and len(measures) > 1)):
        raise click.UsageError("--ties takes one measure, and none of --readability, --retrieved, -l, -J, -M and --rules.")
    if call.typed("as_of") and (ties or readability):
        raise click.UsageError("--as-of cannot be combined with --ties or --readability.")
    edition, queries = call.given["edition"], call.given.get("queries", ALL)
    with connect(call.settings) as conn:
        if ties:
            found = tied_ranking(
                conn, edition=edition, measure=measures[0], runs=call.given.get("runs", ()), rules=tie_rules, queries=queries
            )
            print_ties(found, pairs=pairs, style=style, power=tie_rules.power)
            return
        print_means(
            conn,
            call(conn),
            edition,
            measures,
            style,
            also=aliases(call.given.get("measures", ())),
            reading_depth=cutoff or 10 if readability else None,
            queries=expression(queries),
        )
