"""The commands of ``stc complexity`` that relate grades to measures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import click

from stcollection.analysis.annotation_correlations import Correlation, correlate
from stcollection.analysis.annotation_models import MeasureEffect, Prediction, predict
from stcollection.analysis.annotations import (
    ALL,
    THOUSAND,
    AnnotationAgreement,
    AnnotationBootstrap,
    AnnotatorPair,
    AspectGrades,
    Confidence,
    agreement,
    annotator_agreement,
    graded,
    means,
    measures_of,
)
from stcollection.analysis.document_measures import ASPECTS, Aspect
from stcollection.analysis.records import AnnotationMean
from stcollection.cli.complexity.annotations._text import (
    MACHINE,
    interval,
    interval_header,
    p_header,
    p_value,
    tell_empty,
)
from stcollection.cli.declared import Call, Style, command
from stcollection.cli.output import render
from stcollection.cli.quiet import aside
from stcollection.complexity.annotations import overview
from stcollection.db.connection import connect
from stcollection.declared import AllowedRange, Option


@command(agreement, omit=("aspect",))
def agreement_command(
    call: Call[list[AnnotationAgreement]],
    *,
    aspects: Annotated[Sequence[Aspect], Option("--aspect", default="both")] = (),
    by_annotator: Annotated[bool, Option("--annotators")] = False,
    bootstrap: AnnotationBootstrap = THOUSAND,
    style: Style = "table",
) -> None:
    """Measure agreement within each group of annotators, between each two groups, and of all annotators together.

    kappa is Cohen's, averaged over pairs of annotators on the documents that both graded. alpha is Krippendorff's for ordinal
    grades; its interval is a bootstrap over documents.

    :param aspects: Aspect that was graded. Repeatable.
    :param by_annotator: Compare each pair of annotators, without intervals.
    """
    with connect(call.settings) as conn:
        chosen = aspects or [name for name in ASPECTS if any(row.aspect == name for row in overview(conn))] or ASPECTS[:1]
        if by_annotator:
            groups = call.given.get("groups", ())
            pairs = [pair for aspect in chosen for pair in annotator_agreement(conn, aspect=aspect, groups=groups)]
            click.echo(render(pairs, AnnotatorPair._fields, style=style))
            if not pairs:
                aside("no document is graded by two annotators")
            return
        rows = [row for aspect in chosen for row in call(conn, aspect=aspect, bootstrap=bootstrap)]
    several = len({row.aspect for row in rows}) > 1 or style in MACHINE
    ends = interval_header("", bootstrap, style)
    headers = [*(["aspect"] * several), "group", "with", *AnnotationAgreement._fields[3:-2], *ends]
    lines = [
        [*([row.aspect] * several), row.group_a or ALL, row.group_b or ALL, *row[3:-2], *interval(row.low, row.high, style)]
        for row in rows
    ]
    click.echo(render(lines, headers, style=style))


@command(means)
def means_command(call: Call[list[AnnotationMean]], *, style: Style = "table") -> None:
    """Report each measure at each grade, by group of annotators: mean, n, standard error.

    n counts documents, once per grade and group; 'grades' counts the grades given to them.
    """
    with connect(call.settings) as conn:
        rows = call(conn)
        aspect, measures = call.given.get("aspect", "complexity"), call.given.get("measures", ())
        named = measures_of(conn, aspect=aspect, measures=measures)
    empty = [name for name in named if all(row.measure != name for row in rows)]
    if len({row.group for row in rows} - {None}) == 1:  # one group is the same as all
        rows = [row for row in rows if row.group is not None]
    lines = [(row.measure, row.group or ALL, *row[2:]) for row in rows]
    click.echo(render(lines, AnnotationMean._fields, style=style))
    tell_empty(empty)


@command(graded)
def correlate_command(call: Call[AspectGrades], *, bootstrap: AnnotationBootstrap = THOUSAND, style: Style = "table") -> None:
    """Correlate each measure with the grades: Spearman's rho and Kendall's tau-b, by group of annotators and over all.

    Intervals are percentiles of a bootstrap over documents. p is from a permutation test, with Holm's correction over the measures
    of a group.
    """
    grades = call.once()
    rows = correlate(grades, bootstrap=bootstrap)
    notes = any(row.note for row in rows) or style in MACHINE
    headers = ["measure", "group", "n", "documents"]
    for name in ("spearman", "kendall"):
        headers += [name, *interval_header(f"{name}_", bootstrap, style), *p_header(name, style)]
    click.echo(render([_correlation_line(row, style, notes) for row in rows], headers + ["note"] * notes, style=style))
    tell_empty(grades.empty())


def _correlation_line(row: Correlation, style: str, notes: bool) -> list[Any]:
    line: list[Any] = [row.measure, row.group or ALL, row.n, row.documents]
    for value in (row.spearman, row.kendall):
        line += [value.value, *interval(value.low, value.high, style), *p_value(value, style)]
    return line + [row.note] * notes


@command(graded)
def predict_command(
    call: Call[AspectGrades],
    *,
    level: Confidence = 0.95,
    most_vif: Annotated[float, AllowedRange(gt=1), Option(each="max_vif")] = 5.0,
    style: Style = "table",
) -> None:
    """Predict the grades from the measures: proportional-odds regression, one model per measure and one joint model.

    The joint model leaves out collinear measures. odds_ratio: factor by which the odds of a higher grade change per standard
    deviation of the measure. Each model includes the annotators' group; standard errors are robust to several grades per document.
    Needs statsmodels: stcollection[stats].

    :param most_vif: Largest variance inflation factor; the joint model leaves out measures that exceed it.
    """
    grades = call.once()
    _print_prediction(predict(grades, level=level, most_vif=most_vif), level, style)
    tell_empty(grades.empty())


def _print_prediction(fitted: Prediction, level: float, style: str) -> None:
    rows = [*fitted.single, *fitted.joint]
    if style in MACHINE:
        left_out = [MeasureEffect("dropped", row.measure, 0, 0, note=row.because) for row in fitted.dropped]
        click.echo(render([*rows, *left_out], MeasureEffect._fields, style=style))
        return
    notes = any(row.note for row in rows)
    headers = [
        "model",
        "measure",
        "n",
        "documents",
        "odds_ratio",
        f"{100 * level:g} %",
        "p",
        "p Holm",
        "AIC",
        "AIC gain",
        "pseudo R²",
    ]
    lines = [
        [
            *row[:5],
            *interval(row.low, row.high, style),
            row.p,
            row.p_holm,
            row.aic,
            row.aic_gain,
            row.pseudo_r2,
            *([row.note] * notes),
        ]
        for row in rows
    ]
    click.echo(render(lines, headers + ["note"] * notes, style=style))
    beside = f"; controlling for the group of annotators ({', '.join(fitted.groups)})" if len(fitted.groups) > 1 else ""
    aside(f"proportional odds, measures in standard deviations{beside}")
    for row in fitted.dropped:
        aside(f"not in the joint model: {row.measure}: {row.because}")
