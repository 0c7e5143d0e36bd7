"""The commands ``stc analysis variation`` and ``predictors``: queries of a topic, and how queries will perform."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal

import click

from stcollection.analysis.predictors import QueryPrediction, predictor_quality, query_predictors
from stcollection.analysis.variation import RunVariation, run_variation, topic_variation, variance_sources
from stcollection.cli.declared import Call, Style, command
from stcollection.cli.output import render
from stcollection.cli.quiet import aside
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.declared import Option, RecordTable, call
from stcollection.errors import BadArgument
from stcollection.evaluation.parameters import MeasureName

_TABLES: dict[str, Callable[..., RecordTable[Any]]] = {"topic": topic_variation, "source": variance_sources}


@command(run_variation, figure=lambda _: "variation")
def variation_command(
    asked: Call[RecordTable[RunVariation]],
    *,
    by: Literal["run", "topic", "source"] = "run",
    style: Style = "table",
) -> None:
    """Compare runs on topics with several queries: which are robust to the formulation? Without RUN, compare all.

    Prints the mean, and the means of the best and the worst query of each topic; the deviation within topics, and its share of
    the run's variance. --by source is an analysis of variance by topic, formulation and system.

    :param by: Print a row per run, per run and topic, or per source of variance.
    """
    with connect(asked.settings) as conn:
        if by == "run":
            rows: RecordTable[Any] = asked(conn)
        elif asked.given.get("baseline") is not None:
            raise BadArgument(f"--baseline with --by {by}", hint="Only --by run compares with a baseline.")
        else:
            rows = call(_TABLES[by], conn, asked.arguments())
    _print(rows, style)
    if by == "run" and rows:
        aside(f"{counted(rows[0].topics, 'topic')} with several judged queries, {counted(rows[0].queries, 'query')}.")


@command(query_predictors)
def predictors_command(
    asked: Call[RecordTable[QueryPrediction]],
    *,
    judged: Annotated[str | None, Option("--edition", metavar="EDITION", listed="show editions")] = None,
    measure: MeasureName = "nDCG@10",
    style: Style = "table",
) -> None:
    """Predict how well RUN answers each query, from the words of the query and the scores of the run.

    With --edition, prints the correlations of each predictor with the measure instead. picked: the mean score of the formulation
    of each topic with the highest prediction, to compare with the mean of all formulations and of the best.

    :param judged: Compare the predictions with the measure by this edition of the judgments.
    """
    with connect(asked.settings) as conn:
        compared = {"edition": judged, "measure": measure}
        rows: RecordTable[Any] = asked(conn) if judged is None else call(predictor_quality, conn, asked.arguments() | compared)
    _print(rows, style)


def _print(rows: RecordTable[Any], style: str) -> None:
    names = rows.columns if style in ("json", "csv") else [name.replace("_", " ") for name in rows.columns]
    click.echo(render(rows.table(), list(names), style=style))
