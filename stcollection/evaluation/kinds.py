"""The registry of measures: names, parameters, definitions and sources.

Those of the product are in sql/evaluation/measures.toml. Those that organisers added to collections (add_measure) are read when a
name is not known: names are parsed before commands connect, and by servers that run for days.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from stcollection.db.files import folder, toml
from stcollection.evaluation.learning import read_again


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
    :param notes: details that the definition omits; '' for none.
    :param documents, gain, value: its formula in SQL, with placeholders; '' if it has no documents or gain.
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
    notes: str
    documents: str
    gain: str
    value: str
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


def _kind(row: Mapping[str, Any]) -> Kind:
    parameters = tuple(_parameter(parameter) for parameter in row.get("parameters", ()))
    groups = row.get("groups")
    return Kind(
        name=row["kind"],
        ir=row.get("ir", ""),
        also=tuple(row.get("also", ())),
        takes=row.get("takes", "nothing"),
        defaults=tuple(map(float, row.get("defaults") or (parameter.default for parameter in parameters))),
        parameters=parameters,
        groups=None if groups is None else tuple(groups),
        mean=row.get("mean", "mean"),
        range=row.get("range", "[0,1]"),
        uses=tuple(row.get("uses", ())),
        definition=row["definition"],
        notes=row.get("notes", "").strip(),
        documents=row.get("documents", "").strip(),
        gain=row.get("gain", ""),
        value=row["value"].strip(),
        source=row["source"],
    )


def _parameter(row: Mapping[str, Any]) -> Parameter:
    least, largest = row["range"].strip("[]").split(",")
    return Parameter(
        name=row["name"],
        default=str(row["default"]),
        least=float(least) if least else None,
        largest=float(largest) if largest else None,
        squared=row.get("squared", False),
        written=row.get("written", False),
    )


_REGISTRY = toml(folder("sql") / "evaluation" / "measures.toml")
#: The measures of the product, then those that the collections of this process have.
KINDS = {row["kind"]: _kind(row) for row in _REGISTRY["measures"]}
PRODUCT = tuple(KINDS)
GROUPS = {
    group: tuple(kind.name for kind in KINDS.values() if group in (kind.groups or ())) for group in ("official", "set", "all_trec")
}
#: Titles of the sources of the definitions, by their short name in the registry.
SOURCES: dict[str, str] = _REGISTRY["sources"]


#: Called when the measures have changed.
ON_CHANGE: list[Callable[[], None]] = []


def relearn() -> bool:
    """Read the measures that organisers added, unless that was just done. :returns: whether they have changed."""
    if (rows := read_again()) is None:
        return False
    own = {row["kind"]: _kind(row) for row in rows if row["kind"] not in PRODUCT}
    if own == {name: kind for name, kind in KINDS.items() if name not in PRODUCT}:
        return False
    for name in KINDS.keys() - own.keys() - {*PRODUCT}:
        del KINDS[name]
    KINDS.update(own)
    for changed in ON_CHANGE:
        changed()
    return True


def described() -> list[tuple[str, str, str, str, str]]:
    """Return each measure's names in ir_measures and trec_eval, definition, trec_eval's sets that contain it, and source."""
    rows = []
    for kind in KINDS.values():
        named = ", ".join(f"{parameter.name}=…" for parameter in kind.parameters) if kind.takes in ("nothing", "p") else ""
        suffix = {"cutoff": "@k", "share": "@x"}.get(kind.takes, f"({named})" if named else "")
        shown = {"cutoff": "_k", "share": "_x", "numbers": "[.a,b,…]", "gains": "[.grade=gain,…]", "p": "[.p=…]"}.get(
            kind.takes, ""
        )
        groups = ", ".join(group for group, kinds in GROUPS.items() if kind.name in kinds)
        name = "" if kind.groups is None else kind.name + shown
        rows.append((kind.ir + suffix if kind.ir else "", name, kind.definition, groups, kind.source))
    return rows
