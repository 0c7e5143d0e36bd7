"""The measures and their names, in both families: ir_measures (``nDCG@10``, ``AP``) and trec_eval (``ndcg_cut_10``, ``map``)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import get_close_matches
from typing import NamedTuple

from stcollection.errors import BadArgument, UnknownObject

_LARGEST = 2**31 - 1  # of PostgreSQL's integer


class _Kind(NamedTuple):
    """:param trec_eval: the name there, without cutoff. :param column: of the SQL functions evaluate and evaluate_runs."""

    trec_eval: str
    column: str
    has_cutoff: bool


_KINDS = {
    "nDCG": _Kind("ndcg_cut", "ndcg", True),
    "P": _Kind("P", "precision_at", True),
    "R": _Kind("recall", "recall_at", True),
    "Judged": _Kind("judged", "judged_at", True),
    "RR": _Kind("recip_rank", "reciprocal_rank", False),
    "AP": _Kind("map", "average_precision", False),
    "Bpref": _Kind("bpref", "bpref", False),
}  # fmt: skip

_ALIASES = {"ndcg": "nDCG", "precision": "P", "mrr": "RR"}
_NAMES = {name.lower(): name for name in _KINDS} | {kind.trec_eval.lower(): name for name, kind in _KINDS.items()} | _ALIASES
_PATTERN = re.compile(r"(?P<name>[a-z_]+?) (?: \( (?P<parameters>[^()]*) \) )? (?: [@_.] (?P<cutoff>\d+) )?", re.I | re.X)
_DEFAULTS = {"", "rel=1", "dcg='log2'", 'dcg="log2"', "judged_only=false"}  # parameters of ir_measures that say what holds anyway


@dataclass(frozen=True)
class Measure:
    """One measure; ``nDCG @ 10`` is nDCG with a cutoff of 10.

    :param name: in ir_measures: nDCG, P, R, Judged (with cutoff), RR, AP, Bpref (without).
    :param cutoff: how many ranks count, 1 or more; None where the whole ranking does, and for a measure that has yet to get one.
    """

    name: str
    cutoff: int | None = None

    def __matmul__(self, cutoff: int) -> Measure:
        return Measure(self.name, cutoff).checked()

    def __str__(self) -> str:
        return self.name if self.cutoff is None else f"{self.name}@{self.cutoff}"

    @property
    def trec_eval(self) -> str:
        """The name in trec_eval: ``ndcg_cut_10``, ``recip_rank``; it has no Judged, which is ``judged_10``."""
        name = _KINDS[self.name].trec_eval
        return name if self.cutoff is None else f"{name}_{self.cutoff}"

    @property
    def column(self) -> str:
        """The column of the SQL functions evaluate and evaluate_runs; ``judged_at`` is a function of its own."""
        return _KINDS[self.name].column

    def checked(self) -> Measure:
        """Itself.

        :raises UnknownObject: there is no such measure, or not with (without) a cutoff.
        :raises BadArgument: the cutoff is out of range.
        """
        kind = _KINDS.get(self.name)
        if kind is None:
            close = get_close_matches(self.name.lower(), _NAMES, n=1)
            meant = f"Did you mean {_NAMES[close[0]]}? " if close else ""
            raise UnknownObject(f"there is no measure {self}", hint=f"{meant}{_known()}", sqlstate="IR108")
        if kind.has_cutoff and self.cutoff is None:
            raise UnknownObject(f"{self} is no measure without a cutoff", hint=f"Add one: {self}@10.", sqlstate="IR108")
        if not kind.has_cutoff and self.cutoff is not None:
            hint = f"{self.name} is of the whole ranking: name it without the cutoff."
            raise UnknownObject(f"there is no measure {self}", hint=hint, sqlstate="IR108")
        if self.cutoff is not None and not 1 <= self.cutoff <= _LARGEST:
            hint = "A cutoff is how many ranks count, 1 or more."
            raise BadArgument(f"{self} has a cutoff of {self.cutoff}", hint=hint, sqlstate="IR201")
        return self


nDCG = Measure("nDCG")  # noqa: N816  the name in the literature
P = Measure("P")
R = Measure("R")
Judged = Measure("Judged")
RR = Measure("RR")
AP = Measure("AP")
Bpref = Measure("Bpref")

#: What SimpleText reports; the first ranks the systems.
OFFICIAL = (nDCG @ 10, nDCG @ 20, P @ 10, P @ 20, RR, Bpref, AP)


def parse_measure(name: str) -> Measure:
    """The measure of a name: of ir_measures, of trec_eval (also ``ndcg_cut.10``), or MRR, MAP, NDCG@10; case does not count.

    :raises UnknownObject: there is no such measure.
    :raises BadArgument: the cutoff is out of range; parameters in brackets ask for something else than the defaults.
    """
    match = _PATTERN.fullmatch(name.strip())
    if match is None:
        raise UnknownObject(f"{name!r} is no name of a measure", hint=_known(), sqlstate="IR108")
    cutoff = None if match["cutoff"] is None else int(match["cutoff"])
    measure = Measure(_NAMES.get(match["name"].lower(), match["name"]), cutoff).checked()
    for parameter in (match["parameters"] or "").split(","):
        if parameter.replace(" ", "").lower() not in _DEFAULTS:
            raise BadArgument(
                f"{name} asks for {parameter.strip()}",
                hint=f"Relevant is rel >= 1 here, the gain is rel: {measure}.",
                sqlstate="IR202",
            )
    return measure


def _known() -> str:
    return f"The measures are {', '.join(name + '@k' * kind.has_cutoff for name, kind in _KINDS.items())}."
