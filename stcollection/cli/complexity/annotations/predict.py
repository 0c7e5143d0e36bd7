"""The command ``stc complexity annotations predict``."""

from __future__ import annotations

import click

from stcollection.analysis.annotation_models import MeasureEffect, Prediction, predict
from stcollection.analysis.annotations import graded
from stcollection.cli.complexity.annotations._text import MACHINE, interval, tell_empty
from stcollection.cli.options.annotations import aspect_option, group_option, level_option, measure_option
from stcollection.cli.output import format_option, render
from stcollection.cli.quiet import aside
from stcollection.db.connection import connect
from stcollection.db.settings import Settings


@click.command("predict")
@aspect_option
@measure_option
@group_option
@level_option
@click.option(
    "--max-vif",
    "most_vif",
    type=click.FloatRange(min=1, min_open=True),
    default=5.0,
    show_default=True,
    help="Largest variance inflation factor; the joint model leaves out measures that exceed it.",
)
@format_option
@click.pass_obj
def command(
    settings: Settings, aspect: str, measures: tuple[str, ...], groups: tuple[str, ...], level: float, most_vif: float, style: str
) -> None:
    """Predict the grades from the measures: proportional-odds regression, one model per measure and one joint model.

    The joint model leaves out collinear measures. odds_ratio: factor by which the odds of a higher grade change per standard
    deviation of the measure. Each model includes the annotators' group; standard errors are robust to several grades per document.
    Needs statsmodels: stcollection[stats].
    """
    with connect(settings) as conn:
        grades = graded(conn, aspect=aspect, measures=measures, groups=groups)
    found = predict(grades, level=level, most_vif=most_vif)
    _print_prediction(found, level, style)
    tell_empty(grades.empty())


def _print_prediction(found: Prediction, level: float, style: str) -> None:
    rows = [*found.single, *found.joint]
    if style in MACHINE:
        left_out = [MeasureEffect("dropped", one.measure, 0, 0, note=one.because) for one in found.dropped]
        click.echo(render([*rows, *left_out], MeasureEffect._fields, style=style))
        return
    notes = any(one.note for one in rows)
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
            *one[:5],
            *interval(one.low, one.high, style),
            one.p,
            one.p_holm,
            one.aic,
            one.aic_gain,
            one.pseudo_r2,
            *([one.note] * notes),
        ]
        for one in rows
    ]
    click.echo(render(lines, headers + ["note"] * notes, style=style))
    beside = f"; controlling for the group of annotators ({', '.join(found.groups)})" if len(found.groups) > 1 else ""
    aside(f"proportional odds, measures in standard deviations{beside}")
    for one in found.dropped:
        aside(f"not in the joint model: {one.measure}: {one.because}")
