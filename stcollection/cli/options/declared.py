"""Options and arguments of click from declared parameters."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from stcollection.cli.options import declared_by, separated
from stcollection.cli.options.completion import BY_NAME
from stcollection.cli.options.files import FILE, OutputPath
from stcollection.cli.options.pairs import check_pairs
from stcollection.cli.output import STYLES, keep_style
from stcollection.declared import REQUIRED, DeclaredParameter

# Names of parameters that have a special type or default.
EDITION = "edition"
_STYLE, _OUT, _FOLDER = "style", "out", "folder"


def option_names(parameter: DeclaredParameter) -> list[str]:
    """Return the options of a parameter as click declares them: ``-m``, ``--measure``, or ``-c/-r``, ``--complete/--retrieved``."""
    flags = list(parameter.option.flags)
    complete = any(flag.startswith("--") for flag in flags) or (flags and len(parameter.each) == 1)  # -k, without --k
    return flags if complete else [*flags, f"--{parameter.each.replace('_', '-')}"]


def click_parameters(parameter: DeclaredParameter) -> list[click.Parameter]:
    """Return the parameter of click; two for an argument EDITION."""
    option, name = parameter.option, parameter.name
    for note in parameter.notes:
        if callable(note):
            return declared_by(note)
    kind = _type(parameter)
    if name == EDITION and option.argument is not None:
        from stcollection.cli.options.editions import declared_argument

        return declared_by(declared_argument(parameter))
    if option.argument is not None:
        required = parameter.default is REQUIRED
        is_whole = option.argument.endswith("...") or (required and not parameter.many)
        metavar = option.argument if is_whole else f"[{option.argument}]" if parameter.choices else None  # None: click's
        return [click.Argument([name], nargs=-1 if parameter.many else 1, required=required, type=kind, metavar=metavar)]
    more: dict[str, Any] = {"type": kind, "default": None, "multiple": parameter.many}
    if parameter.kind is bool:
        off = bool(option.flags) and all(flag.startswith("--no-") for flag in option.flags)  # None is another value
        more = {"type": bool, "flag_value": False, "default": None} if off else {"is_flag": True, "default": parameter.default}
    elif parameter.default is REQUIRED and name != EDITION:
        more = {"type": kind, "required": True, "multiple": parameter.many}
    elif parameter.default is not REQUIRED and not parameter.many:
        more["default"] = parameter.default
    made = click.Option([*option_names(parameter), name], help=_help(parameter), metavar=option.metavar, **more)
    if option.completed is not None:
        made._custom_shell_complete = BY_NAME[option.completed]
    if parameter.is_pairs:
        made.callback = check_pairs(parameter)
    if option.separated:
        made.callback = separated
    if name == EDITION:
        from stcollection.cli.options.editions import named_by

        made.callback = named_by(parameter)
    if name == _STYLE:
        made.callback = keep_style
    return [made]


def _type(parameter: DeclaredParameter) -> Any:
    if parameter.name == _STYLE:
        return click.Choice(parameter.choices or STYLES)
    if parameter.choices:
        return click.Choice(parameter.choices)
    limits = parameter.bounds
    if limits is not None and parameter.kind is int:
        least, most = (None if limit is None else int(limit) for limit in (limits.ge, limits.le))
        return click.IntRange(least, most)
    if limits is not None:
        low, high = (limits.ge if limits.gt is None else limits.gt), (limits.le if limits.lt is None else limits.lt)
        return click.FloatRange(low, high, min_open=limits.gt is not None, max_open=limits.lt is not None)
    if parameter.kind is Path:
        if parameter.name not in (_OUT, _FOLDER) or parameter.option.argument is not None:
            return FILE
        return OutputPath(stdout=parameter.default is None, folder=parameter.name == _FOLDER)
    return {int: click.INT, float: click.FLOAT}.get(parameter.kind, click.STRING)


def _help(parameter: DeclaredParameter) -> str:
    """Return the help with the default, and the command that lists the values."""
    option, default = parameter.option, parameter.option.default
    if default is None and not any(parameter.default is plain for plain in (REQUIRED, None, (), False)):
        default = _default(parameter)
    notes = [f"'stc {option.listed}' lists them"] if option.listed else []
    notes += [f"default: {default}"] if default is not None else []
    notes += ["required"] if parameter.name == EDITION and not notes and parameter.default is REQUIRED else []
    return f"{parameter.help}  [{'; '.join(notes)}]" if notes else parameter.help


def _default(parameter: DeclaredParameter) -> str:
    if parameter.kind is bool:
        return option_names(parameter)[-1].split("/")[0].lstrip("-")
    values = parameter.default if isinstance(parameter.default, tuple) else [parameter.default]
    return ", ".join(map(str, values))
