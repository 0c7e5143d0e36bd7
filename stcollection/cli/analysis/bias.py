"""The command ``stc analysis bias``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click
import orjson

from stcollection.analysis.bias import Bias, Difficulty, FamilyShift, Resampling, SystemShift, bias
from stcollection.analysis.bias_model import FixedEffect, Interaction, MixedModel, ModelOptions, Variance, mixed_model
from stcollection.cli.options import together
from stcollection.cli.options.bias import BiasSubject, bias_options
from stcollection.cli.output import format_option, printable, render
from stcollection.cli.quiet import aside
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument

SHIFTS: dict[str, type[tuple[Any, ...]]] = {"families": FamilyShift, "systems": SystemShift, "difficulty": Difficulty}


MODEL: dict[str, type[tuple[Any, ...]]] = {"effects": FixedEffect, "variances": Variance, "interaction": Interaction}


_HEADS = {"systems_low": "low, systems", "systems_high": "high, systems", "relative_low": "low", "relative_high": "high",
          "difference_low": "low", "difference_high": "high"}  # fmt: skip


_LEFT_OUT = {"families": {"difference_low", "difference_high"}}  # not in tables for people: they would be too wide


_model_options = together(
    click.option(
        "--mixed-model",
        "model",
        is_flag=True,
        help="Also fit the mixed model and print effects, variances and interaction. Needs statsmodels.",
    ),
    click.option(
        "--baseline-family",
        metavar="FAMILY",
        help="Family that the model compares the others with.  [default: Other, else the largest]",
    ),
    click.option(
        "--random-slopes",
        "by_query",
        is_flag=True,
        help="In the model, give each query a random slope per family. Slower, but less prone to false positives.",
    ),
)


@click.command("bias")
@bias_options
@click.option(
    "--show",
    multiple=True,
    type=click.Choice([*SHIFTS, *MODEL]),
    help="Table to print. Repeatable.  [default: families, difficulty]",
)
@_model_options
@format_option
@click.pass_obj
def command(
    settings: Settings,
    /,
    of: BiasSubject,
    bootstrap: Resampling,
    show: tuple[str, ...],
    model: bool,
    baseline_family: str | None,
    by_query: bool,
    style: str,
) -> None:
    """Test whether queries of one origin favour a family of systems, compared with the queries of EDITION that people wrote.

    For each family and origin, prints the mean shift of its systems and the relative shift, with bootstrap intervals over queries
    and over systems. The relative shift subtracts the mean shift of all systems, because origins differ in difficulty. Also prints
    the shift in standard deviations and in ranks, and the difficulty of each origin. The model is value ~ origin x family, with
    random systems and queries. Nothing is stored.
    """
    wanted = list(dict.fromkeys(show)) or ["families", "difficulty"]
    if model:
        wanted += [name for name in MODEL if name not in wanted]
    if style == "csv" and len(wanted) > 1:
        raise BadArgument(f"{counted(len(wanted), 'table')} in one CSV", hint="Name one: --show families.", sqlstate="IR202")
    found: Bias | None = None
    fitted: MixedModel | None = None
    with connect(settings) as conn:
        if SHIFTS.keys() & set(wanted):
            found = bias(conn, **vars(of), bootstrap=bootstrap)
        if MODEL.keys() & set(wanted):
            fitted = mixed_model(conn, **vars(of), options=ModelOptions(baseline_family, by_query, bootstrap.alpha))
    _print(found, fitted, wanted, style)


def _print(found: Bias | None, fitted: MixedModel | None, wanted: Sequence[str], style: str) -> None:
    """Print the requested tables. Print the size of the data, the fit and the notes on stderr."""
    tables: dict[str, Sequence[tuple[Any, ...]]] = {}
    for name in wanted:
        rows = getattr(found if name in SHIFTS else fitted, name)
        tables[name] = [rows] if isinstance(rows, Interaction) else list(rows or [])
    notes = list(dict.fromkeys([*(found.notes if found else ()), *(fitted.notes if fitted else ())]))
    if style == "json":
        parts = [f'"{name}": {render(tables[name], _fields(name), style=style)}' for name in wanted]
        text = "{" + ", ".join([*parts, f'"notes": {orjson.dumps(notes).decode()}']) + "}"
        click.echo(orjson.dumps(orjson.loads(text), option=orjson.OPT_INDENT_2).decode())
    else:
        click.echo("\n\n".join(_table(name, tables[name], style) for name in wanted))
    if fitted and fitted.effects and style != "json":
        random = f"{counted(fitted.systems, 'system')}, {counted(fitted.queries, 'query')}, {counted(fitted.observations, 'value')}"
        aside(f"model: {random}; {'converged' if fitted.converged else 'not converged'}")
    for note in notes:
        aside(printable(f"note: {note}"))


def _fields(name: str) -> Sequence[str]:
    fields: Sequence[str] = {**SHIFTS, **MODEL}[name]._fields  # type: ignore[attr-defined]
    return fields


def _table(name: str, rows: Sequence[tuple[Any, ...]], style: str) -> str:
    fields = _fields(name)
    if style == "csv":
        return render(rows, fields, style=style)
    kept = [field for field in fields if field not in _LEFT_OUT.get(name, ())]
    cells = [
        [
            ("< .0001" if value < 1e-4 else f"{value:.4f}") if field == "p" and value is not None else value
            for field, value in zip(fields, row, strict=True)
            if field in kept
        ]
        for row in rows
    ]
    return render(cells, [_HEADS.get(field, field.replace("_", " ")) for field in kept], style=style)
