"""Report sections on bias: families of systems that the queries of an origin favour."""

from __future__ import annotations

from collections.abc import Sequence

import psycopg

from stcollection.analysis.bias import Resampling, SystemShift, bias
from stcollection.analysis.bias_model import mixed_model
from stcollection.counts import counted
from stcollection.plots.bias import draw_bias
from stcollection.studies.synth.report.parts import Cell, ReportTable, Section, StudySources, apart, picture, table_of

_SHOWN = 15  # number of systems shown, those that shift most


def report_bias(conn: psycopg.Connection, study: StudySources) -> Section:
    """Section on the difficulty of each origin's queries, and shifts of families and systems relative to all systems."""
    draws = Resampling(study.resamples, study.seed)
    shift = bias(conn, **study.ranked, bootstrap=draws)
    drawn = picture(
        "families",
        "Shift of each family from human queries, relative to all systems; each dot is a system.",
        lambda: draw_bias(shift),
    )
    figures, missing = apart([drawn])
    return Section(
        tables=(
            table_of(
                "difficulty",
                f"Mean {study.measure} over all systems; a low mean indicates hard queries.",
                shift.difficulty,
                ("origin | queries | mean | low: from | high: to | difference | difference_low: from | difference_high: to"),
            ),
            table_of(
                "families",
                "Families by origin: shift from human queries.",
                shift.families,
                (
                    "family | origin | systems | mean | difference | difference_low: from | difference_high: to | "
                    "relative | relative_low: from | relative_high: to | systems_low: systems from | systems_high: to | "
                    "rank_shift: ranks gained"
                ),
            ),
            table_of(
                "systems",
                "Systems by origin, the largest relative shift from human queries first.",
                _by_shift(shift.systems),
                "run | family | origin | mean | difference | relative | z_shift: z | rank | rank_shift: ranks gained",
                brief=tuple(range(min(_SHOWN, len(shift.systems)))),
            ),
        ),
        figures=figures,
        missing=missing,
        notes=(
            *shift.notes,
            "Relative: difference from the mean shift of all systems. An interval that contains 0 shows neither bias nor its"
            " absence. Intervals are over queries; intervals over systems are wide if a family has few systems.",
        ),
    )


def _by_shift(rows: Sequence[SystemShift]) -> list[SystemShift]:
    """Sort by absolute shift, largest first; rows of the reference, which have no shift, come last."""
    return sorted(rows, key=lambda row: (row.relative is None, -abs(row.relative or 0.0)))


def report_model(conn: psycopg.Connection, study: StudySources) -> Section:
    """Section on the mixed model: does the gap between families depend on the origin of the queries?"""
    model = mixed_model(conn, **study.ranked)
    summary = (
        f"{counted(model.observations, 'value')} of {counted(model.systems, 'system')} on {counted(model.queries, 'query')}."
        f" {'The model converged.' if model.converged else 'No model converged.'}"
    )
    tables: list[ReportTable] = []
    if model.effects:
        tables.append(
            table_of(
                "effects",
                "Fixed effects; the first is the mean of the baseline family on human queries.",
                model.effects,
                "effect | estimate | error: standard error | z | p | low: from | high: to",
            )
        )
    if model.variances:
        tables.append(
            table_of(
                "variances", "Variance components.", model.variances, "component | levels | variance | deviation | share", digits=4
            )
        )
    if model.interaction is not None:
        whole = model.interaction
        row: tuple[Cell, ...] = (whole.statistic, whole.df, whole.p)
        tables.append(
            ReportTable(
                name="interaction",
                caption="Origin x family as a whole: likelihood ratio test of the models with and without it.",
                headers=("chi-squared", "degrees of freedom", "p"),
                rows=(row,),
            )
        )
    return Section(
        paragraphs=(summary,),
        tables=tuple(tables),
        notes=(
            *model.notes,
            "value = origin x family + system + query + residual; systems and queries are crossed random effects.",
        ),
    )
