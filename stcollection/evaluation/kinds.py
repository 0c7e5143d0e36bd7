"""The registry of measures, read from sql/evaluation/measure_kinds.sql: names, parameters, definitions and sources."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from stcollection.db.files import folder

_ROW = re.compile(r"^ {8}\((\d+, '.*?)\)(?=,$|\Z)", re.DOTALL | re.MULTILINE)
_CELL = re.compile(r"'(?P<text>(?:[^']|'')*)'|(?P<word>NULL|\d+)")
_CONTINUED = re.compile(r"'\n\s*'")  # a string continued on the next line
_PARAMETER = re.compile(r"(\S+?)=([-\d.]+)\[([-\d.]*),([-\d.]*)\]")


class Parameter(NamedTuple):
    """One named numeric parameter of a measure, such as p of RBP.

    :param default: as written in the registry: without a fraction if it is an integer.
    :param least, largest: None without a limit.
    :param squared: the computation uses the square of the value: beta of F.
    :param written: always written out, because ir_measures has no default for it.
    """

    name: str
    default: str
    least: float | None
    largest: float | None
    squared: bool
    written: bool

    @property
    def pattern(self) -> str:
        """Return the form of its values as a regular expression."""
        return r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?" if "." in self.default else r"-?\d{1,5}"


class Kind(NamedTuple):
    """One measure of the registry.

    :param name: name in trec_eval, without parameters; in lower case if trec_eval does not have the measure.
    :param ir: name in ir_measures, '' if it has none.
    :param also: other names, in lower case.
    :param takes: nothing, cutoff, share, numbers, gains, p.
    :param defaults: of the cutoff, the share or the numbers.
    :param parameters: named parameters.
    :param groups: trec_eval's sets that contain it, None if trec_eval does not have the measure.
    :param mean: mean, sum or geometric.
    :param range: range of one query's value, such as ``[0,1]``.
    :param uses: stored (judge_runs stores its values), requests (score requests may report it).
    :param definition: definition of one query's value; R is the number of relevant documents, r a rank.
    :param source: key of SOURCES.
    """

    name: str
    ir: str
    also: tuple[str, ...]
    takes: str
    defaults: tuple[float, ...]
    parameters: tuple[Parameter, ...]
    groups: tuple[str, ...] | None
    mean: str
    range: str
    uses: tuple[str, ...]
    definition: str
    source: str

    @property
    def printed(self) -> str:
        """Return the name used in output, before a cutoff."""
        return self.name.removesuffix("_cut") if self.groups is None else self.name

    @property
    def family(self) -> str:
        """Return the name in ir_measures without the parameter that selects this kind, '' if it has none."""
        return self.ir.partition("(")[0]

    @property
    def chosen_by(self) -> str:
        """Return that parameter, such as ``dcg=exp-log2`` or ``rel=``; '' if none is needed."""
        return self.ir.partition("(")[2].rstrip("…)").replace("'", "").rstrip(")")

    @property
    def cut(self) -> bool:
        """Return True if it has a cutoff, or a share instead."""
        return self.takes in ("cutoff", "share")


def _rows() -> Iterator[tuple[Kind, str]]:
    """Yield the kinds, each with the title of its source, which is set only for the first kind of a source."""
    text = (folder("sql") / "evaluation" / "measure_kinds.sql").read_text(encoding="utf-8")
    for row in _ROW.findall(text.partition("(VALUES\n")[2].partition("\n      ) AS v")[0]):
        cells = [
            None if cell["word"] == "NULL" else (cell["text"] or "").replace("''", "'")
            for cell in _CELL.finditer(_CONTINUED.sub("", row))
        ][1:]
        name, ir, also, takes, defaults, parameters, groups, mean, range_, uses, definition, reference = cells
        source, _, title = (reference or "").partition(": ")
        named = tuple(_parameter(*found) for found in _PARAMETER.findall(parameters or ""))
        numbers = tuple(map(float, _items(defaults))) or tuple(float(one.default) for one in named)
        yield (
            Kind(
                name or "",
                ir or "",
                _items(also),
                takes or "",
                numbers,
                named,
                None if groups is None else _items(groups),
                mean or "",
                range_ or "",
                _items(uses),
                definition or "",
                source,
            ),
            title,
        )


def _items(array: str | None) -> tuple[str, ...]:
    return tuple(item for item in (array or "").strip("{}").split(",") if item)


def _parameter(name: str, default: str, least: str, largest: str) -> Parameter:
    return Parameter(
        name.rstrip("²!"), default, float(least) if least else None, float(largest) if largest else None, "²" in name, "!" in name
    )


_TITLED = tuple(_rows())
KINDS = {kind.name: kind for kind, _ in _TITLED}
GROUPS = {
    group: tuple(kind.name for kind in KINDS.values() if group in (kind.groups or ())) for group in ("official", "set", "all_trec")
}
#: Sources of the definitions, by their short name in the registry.
SOURCES = {kind.source: title for kind, title in _TITLED if title}


def described() -> list[tuple[str, str, str, str, str]]:
    """Return each measure's names in ir_measures and trec_eval, definition, trec_eval's sets that contain it, and source."""
    rows = []
    for kind in KINDS.values():
        named = ", ".join(f"{one.name}=…" for one in kind.parameters) if kind.takes in ("nothing", "p") else ""
        suffix = {"cutoff": "@k", "share": "@x"}.get(kind.takes, f"({named})" if named else "")
        shown = {"cutoff": "_k", "share": "_x", "numbers": "[.a,b,…]", "gains": "[.grade=gain,…]", "p": "[.p=…]"}.get(
            kind.takes, ""
        )
        groups = ", ".join(group for group, kinds in GROUPS.items() if kind.name in kinds)
        name = "" if kind.groups is None else kind.name + shown
        rows.append((kind.ir + suffix if kind.ir else "", name, kind.definition, groups, kind.source))
    return rows
