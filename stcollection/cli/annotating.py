"""``stc complexity annotations``: what people say of documents, and how the measures go with it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from stcollection.analysis import annotations as analysis
from stcollection.analysis.annotation_correlations import Correlation, Value, correlate
from stcollection.analysis.annotation_models import Effect, Prediction, predict
from stcollection.analysis.annotations import ALL, Bootstrap, graded
from stcollection.cli.output import format_option, render
from stcollection.cli.runs import FILE
from stcollection.cli.telling import output, printable
from stcollection.complexity.annotations import ASPECTS, Overview, export_annotations, load_annotations, overview
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.io.files import read_text

_MACHINE = ("json", "csv")
_RECORDED, _RANKED = ("citations", "references", "citations_per_year"), "citation_percentile"

aspect_option = click.option(
    "--aspect", type=click.Choice(ASPECTS), default="complexity", show_default=True, help="What was graded."
)
group_option = click.option("-g", "--group", "groups", multiple=True, help="Of annotators; repeat it for several.  [default: all]")
measure_option = click.option(
    "-m", "--measure", "measures", multiple=True, metavar="NAME",
    help="textstat_fkgl, citations, …; repeat it for several.  [default: the 20 of readability; of credibility those of citations]",
)  # fmt: skip
level_option = click.option(
    "--level", type=click.FloatRange(0, 1, min_open=True, max_open=True), default=0.95, show_default=True, help="Of the intervals."
)


def bootstrap_options(command: Callable[..., Any]) -> Callable[..., Any]:
    for option in (
        level_option,
        click.option("--seed", type=click.IntRange(min=0), default=1, show_default=True, help="Of the draws."),
        click.option(
            "--resamples", type=click.IntRange(min=1), default=1000, show_default=True, help="Draws of documents for the intervals."
        ),
    ):
        command = option(command)
    return command


@click.group("annotations")
def annotations_() -> None:
    """What people say of documents: complexity and credibility, 0 to 2, and how the measures go with it."""


@annotations_.command("load")
@click.argument("files", nargs=-1, required=True, type=FILE)
@click.option("--replace", is_flag=True, help="A grade takes the place of another one by the same annotator.")
@click.option("--simulated", is_flag=True, help="The grades were made up: mark their annotators.")
@click.pass_obj
def load_(settings: Settings, files: tuple[Path, ...], replace: bool, simulated: bool) -> None:
    """Take in grades from CSV FILES with the columns doc_id, annotator, group, complexity and credibility.

    Grades are 0, 1 or 2; a blank is none. Each file is stored wholly or not at all; what is stored already changes nothing, another
    grade is an error unless --replace is given. Separated by commas, semicolons or tabs; plain or compressed.
    """
    with connect(settings) as conn:
        for file in files:
            source = printable(os.fsencode(file).decode("utf-8", "backslashreplace"))
            done = load_annotations(conn, read_text(file), source=source, replace_grades=replace, simulated=simulated)
            who = f"{_many(done.documents, 'document')} by {_many(done.annotators, 'annotator')}"
            told = [f"{source}: {_many(done.grades, 'grade')} of {who}, {done.added:,} added"]
            for count, what in (
                (done.changed, "changed"),
                (done.unchanged, "stored already"),
                (done.duplicates, "said twice"),
            ):
                if count:
                    told.append(f"{count:,} {what}")
            if done.blank:
                told.append(f"{_many(done.blank, 'line')} without a grade")
            if done.ignored:
                told.append(f"columns left aside: {printable(', '.join(map(repr, done.ignored)))}")
            click.echo("; ".join(told))


def _many(count: int, what: str) -> str:
    return f"{count:,} {what}{'s' * (count != 1)}"


@annotations_.command("export")
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="The file to write.  [default: standard output]")
@click.pass_obj
def export_(settings: Settings, out: Path | None) -> None:
    """Write all grades as the CSV that load takes."""
    with connect(settings) as conn, output(out) as file:
        count = export_annotations(conn, file)
    if out is not None:
        click.echo(f"{out}: {_many(count, 'line')}")


@annotations_.command("status")
@format_option
@click.pass_obj
def status_(settings: Settings, style: str) -> None:
    """The groups of annotators, what they graded, and how often they gave each grade."""
    with connect(settings) as conn:
        rows = overview(conn)
    names = [one.names if style == "json" else ", ".join(one.names) for one in rows]
    click.echo(render([(*one[:-1], told) for one, told in zip(rows, names, strict=True)], Overview._fields, style=style))


@annotations_.command("agreement")
@click.option("--aspect", "aspects", multiple=True, type=click.Choice(ASPECTS), help="What was graded.  [default: both]")
@group_option
@click.option("--annotators", "by_annotator", is_flag=True, help="Each two annotators, without intervals.")
@bootstrap_options
@format_option
@click.pass_obj
def agreement_(
    settings: Settings, /, aspects: tuple[str, ...], groups: tuple[str, ...], by_annotator: bool, style: str, **options: Any
) -> None:
    """How far people agree: within each group of annotators, between each two groups, and all of them together.

    kappa is Cohen's, the mean over each two annotators by the documents both graded; alpha is Krippendorff's for ordered grades,
    its interval from documents drawn with replacement.
    """
    bootstrap = Bootstrap(**options)
    with connect(settings) as conn:
        graded_ones = aspects or [name for name in ASPECTS if any(one.aspect == name for one in overview(conn))] or ASPECTS[:1]
        if by_annotator:
            pairs = [one for aspect in graded_ones for one in analysis.annotator_agreement(conn, aspect=aspect, groups=groups)]
            click.echo(render(pairs, analysis.Pair._fields, style=style))
            if not pairs:
                click.echo("no document is graded by two annotators", err=True)
            return
        rows = [
            one for aspect in graded_ones for one in analysis.agreement(conn, aspect=aspect, groups=groups, bootstrap=bootstrap)
        ]
    several = len({one.aspect for one in rows}) > 1 or style in _MACHINE
    headers = [*(["aspect"] * several), "group", "with", *analysis.Agreement._fields[3:-2], *_interval_header("", options, style)]
    lines = [
        [*([one.aspect] * several), one.group_a or ALL, one.group_b or ALL, *one[3:-2], *_interval(one.low, one.high, style)]
        for one in rows
    ]
    click.echo(render(lines, headers, style=style))


@annotations_.command("means")
@aspect_option
@measure_option
@group_option
@format_option
@click.pass_obj
def means_(settings: Settings, aspect: str, measures: tuple[str, ...], groups: tuple[str, ...], style: str) -> None:
    """What each measure is like at each grade, by group of annotators: mean, n, standard error.

    n counts documents, each once at a grade of a group; grades counts how often it was given to them.
    """
    with connect(settings) as conn:
        rows = analysis.means(conn, aspect=aspect, measures=measures, groups=groups)
        empty = [
            name
            for name in analysis.measures_of(conn, aspect=aspect, measures=measures)
            if all(one.measure != name for one in rows)
        ]
    if len({one.group for one in rows} - {None}) == 1:  # all of them are that one
        rows = [one for one in rows if one.group is not None]
    lines = [(one.measure, one.group or ALL, *one[2:]) for one in rows]
    click.echo(render(lines, analysis.Mean._fields, style=style))
    _tell_empty(empty)


@annotations_.command("correlate")
@aspect_option
@measure_option
@group_option
@bootstrap_options
@format_option
@click.pass_obj
def correlate_(
    settings: Settings, /, aspect: str, measures: tuple[str, ...], groups: tuple[str, ...], style: str, **options: Any
) -> None:
    """How each measure goes with the grades: Spearman's rho and Kendall's tau-b, by group of annotators and over all.

    Intervals are percentiles over documents drawn with replacement; p comes from exchanging the documents' values at random, and
    Holm's correction is over the measures of a group.
    """
    bootstrap = Bootstrap(**options)
    with connect(settings) as conn:
        grades = graded(conn, aspect=aspect, measures=measures, groups=groups)
    rows = correlate(grades, bootstrap=bootstrap)
    notes = any(one.note for one in rows) or style in _MACHINE
    headers = ["measure", "group", "n", "documents"]
    for name in ("spearman", "kendall"):
        headers += [name, *_interval_header(f"{name}_", options, style), *_p_header(name, style)]
    click.echo(render([_correlation_line(one, style, notes) for one in rows], headers + ["note"] * notes, style=style))
    _tell_empty(grades.empty())


def _correlation_line(one: Correlation, style: str, notes: bool) -> list[Any]:
    line: list[Any] = [one.measure, one.group or ALL, one.n, one.documents]
    for value in (one.spearman, one.kendall):
        line += [value.value, *_interval(value.low, value.high, style), *_p(value, style)]
    return line + [one.note] * notes


def _p_header(name: str, style: str) -> list[str]:
    return [f"{name}_p", f"{name}_p_holm"] if style in _MACHINE else ["p Holm"]


def _p(value: Value, style: str) -> list[float | None]:
    return [value.p, value.p_holm] if style in _MACHINE else [value.p_holm]


@annotations_.command("predict")
@aspect_option
@measure_option
@group_option
@level_option
@click.option(
    "--most-vif", type=click.FloatRange(min=1, min_open=True), default=5.0, show_default=True,
    help="The joint model leaves out a measure that brings a variance inflation factor above this.",
)  # fmt: skip
@format_option
@click.pass_obj
def predict_(
    settings: Settings, aspect: str, measures: tuple[str, ...], groups: tuple[str, ...], level: float, most_vif: float, style: str
) -> None:
    """Which measures predict the grades: proportional-odds regression, a model a measure and one of all that are not collinear.

    odds_ratio: how many times the odds of a higher grade grow by one standard deviation of the measure. The annotators' group is in
    each model, and standard errors are robust to documents with several grades. It takes statsmodels: stcollection[stats].
    """
    with connect(settings) as conn:
        grades = graded(conn, aspect=aspect, measures=measures, groups=groups)
    found = predict(grades, level=level, most_vif=most_vif)
    _print_prediction(found, level, style)
    _tell_empty(grades.empty())


def _print_prediction(found: Prediction, level: float, style: str) -> None:
    rows = [*found.single, *found.joint]
    if style in _MACHINE:
        left_out = [Effect("dropped", one.measure, 0, 0, note=one.because) for one in found.dropped]
        click.echo(render([*rows, *left_out], Effect._fields, style=style))
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
            *_interval(one.low, one.high, style),
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
    beside = f"; beside the group of annotators ({', '.join(found.groups)})" if len(found.groups) > 1 else ""
    click.echo(f"proportional odds, measures in standard deviations{beside}", err=True)
    for one in found.dropped:
        click.echo(f"not in the joint model: {one.measure}: {one.because}", err=True)


def _interval_header(prefix: str, options: dict[str, Any], style: str) -> list[str]:
    return [f"{prefix}low", f"{prefix}high"] if style in _MACHINE else [f"{100 * options['level']:g} %"]


def _interval(low: float | None, high: float | None, style: str) -> list[Any]:
    if style in _MACHINE:
        return [low, high]
    return [None if low is None or high is None else f"{low:.3f} … {high:.3f}"]


def _tell_empty(empty: list[str]) -> None:
    """On stderr the measures that no graded document has, and what would give it one."""
    recorded = [name for name in empty if name in _RECORDED]
    ranked = [name for name in empty if name == _RANKED]
    computed = [name for name in empty if name not in (*_RECORDED, _RANKED)]
    for names, hint in (
        (computed, "'stc complexity compute' computes them."),
        (ranked, "'stc complexity credibility' ranks documents."),
        (recorded, "Their records do not say it."),
    ):
        if names:
            click.echo(f"stc: no graded document has {', '.join(names)}\n     {hint}", err=True)
