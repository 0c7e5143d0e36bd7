"""The names of the measures, in both families: ir_measures (``nDCG@10``, ``AP``) and trec_eval (``ndcg_cut_10``, ``map``).

:mod:`stcollection.evaluation.kinds` says which there are; the values come from SQL (sql/evaluation/), which reads the same names.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from difflib import get_close_matches

from stcollection.errors import BadArgument, UnknownObject
from stcollection.evaluation.kinds import ALIASES, GROUPS, KINDS, Kind

_LARGEST = 2**31 - 1  # of PostgreSQL's integer
_COLUMNS = {
    "ndcg_cut": "ndcg", "P": "precision_at", "recall": "recall_at", "recip_rank": "reciprocal_rank", "map": "average_precision",
    "bpref": "bpref", "judged": "judged_at",
}  # fmt: skip
_NAMES = {name.lower(): name for kind in KINDS.values() for name in (kind.name, kind.ir) if name.isidentifier()} | {"mrr": "RR"}
_PATTERN = re.compile(
    r"(?P<name>[A-Za-z_0-9]+?) (?: \( (?P<parameters>[^()]*) \) )? (?: @ (?P<cutoff>[^@()\s]*) | _ (?P<k>\d+) )?", re.X
)
_LISTED = re.compile(
    rf"(?P<name>{'|'.join(sorted((k.name for k in KINDS.values() if k.takes != 'nothing'), key=len, reverse=True))})"
    r"(?P<sign>[._]) (?P<listed>[-+.\d=,ep]+)", re.X,
)  # fmt: skip
_IR = {kind.ir.partition("(")[0] for kind in KINDS.values()} - {""}
_PLAIN = {"", "dcg=log2", "judged_only=false"}  # parameters of ir_measures that say what holds anyway


@dataclass(frozen=True)
class Measure:
    """One measure; ``nDCG @ 10`` is nDCG with a cutoff of 10.

    :param name: in ir_measures, and trec_eval's where it has none there: nDCG, P, R, RR, AP, Bpref, Judged, …, ndcg_rel, utility.
    :param cutoff: how many ranks count, 1 or more None for all of them.
    :param share: of the relevant documents; IPrec and Rprec_mult have it in the cutoff's place.
    :param parameters: as ``rel=2``, ``p=0.8``, ``dcg='exp-log2'``; of trec_eval's own measures as it prints them: ``2,-1,0,0``.
    """

    name: str
    cutoff: int | None = None
    parameters: str = ""
    share: float | None = None

    def __matmul__(self, cutoff: float) -> Measure:
        return _at(self, cutoff).checked()

    def __call__(self, **parameters: object) -> Measure:
        """With parameters: ``P(rel=2) @ 5``, ``RBP(p=0.9)``."""
        return replace(self, parameters=", ".join(f"{key}={value!r}" for key, value in parameters.items())).checked()

    def __str__(self) -> str:
        cutoff = "" if self._at is None else f"{self._at:.12g}"
        if self.name in _IR:
            return self.name + (f"({self.parameters})" if self.parameters else "") + (f"@{cutoff}" if cutoff else "")
        return "_".join(filter(None, (self.name, self.parameters, cutoff)))

    @property
    def _at(self) -> float | None:
        return self.cutoff if self.share is None else self.share

    @property
    def kind(self) -> Kind:
        """What it is in the table of the measures.

        :raises UnknownObject: there is no such measure, or not with (without) a cutoff.
        """
        own = KINDS.get(self.name)
        if own is not None and own.takes in (
            ("cutoff", "share", "p") if self._at is not None else ("nothing", "numbers", "gains", "p")
        ):
            return KINDS["num_rel_ret"] if own.name == "num_ret" and "rel=" in self.parameters else own
        whole, cut = ALIASES.get(self.name.lower(), ("", ""))
        name = (whole if self._at is None else cut) or (self.name if self.name in KINDS else "")
        if name == "ndcg_cut" and "exp-log2" in self.parameters:
            name = "ndcg_exp"
        if name == "num_ret" and "rel=" in self.parameters:
            name = "num_rel_ret"
        if not name and not whole and not cut:
            close = get_close_matches(self.name.lower(), _NAMES, n=1)
            hint = f"Did you mean {_NAMES[close[0]]}? " if close else ""
            shown = self.name if self._at is None else f"{self.name}@{self._at:.12g}"
            raise UnknownObject(
                f"there is no measure {shown}", hint=f"{hint}'stc evaluation measures' lists them.", sqlstate="IR108"
            )
        kind = KINDS.get(name)
        if (kind is None or kind.takes in ("cutoff", "share")) and self._at is None:
            raise UnknownObject(f"{self.name} is no measure without a cutoff", hint=f"Add one: {self.name}@10.", sqlstate="IR108")
        if kind is None or (self._at is not None and kind.takes not in ("cutoff", "share", "p")):
            hint = f"{self.name} is of the whole ranking: name it without the cutoff."
            raise UnknownObject(f"there is no measure {self.name}@{self._at:.12g}", hint=hint, sqlstate="IR108")
        return kind

    @property
    def trec_eval(self) -> str:
        """The name trec_eval prints: ``ndcg_cut_10``, ``recip_rank``; others are named in its manner (``judged_10``)."""
        kind = self.kind
        name = kind.name.replace("recip_rank_cut", "recip_rank")
        if self._at is not None:
            return f"{name}_{self._at:.2f}" if kind.takes == "share" else f"{name}_{self.cutoff}"
        return "_".join(filter(None, (name, self.parameters if kind.takes in ("numbers", "gains", "p") else "")))

    @property
    def column(self) -> str:
        """The column of the SQL functions evaluate and evaluate_runs; its name where they have none for it."""
        return str(self) if self.parameters else _COLUMNS.get(self.kind.name, str(self))

    def checked(self) -> Measure:
        """Itself.

        :raises UnknownObject: there is no such measure, or not with (without) a cutoff.
        :raises BadArgument: the cutoff is out of range.
        """
        kind = self.kind
        if self.share is not None and (kind.takes != "share" or self.share < 0):
            hint = "It is a share of the relevant documents." if kind.takes == "share" else "A cutoff is a whole number of ranks."
            raise BadArgument(f"{self} has a cutoff of {self.share:g}", hint=hint, sqlstate="IR201")
        if self.cutoff is not None and kind.takes != "share" and not 1 <= self.cutoff <= _LARGEST:
            hint = "A cutoff is how many ranks count, 1 or more."
            raise BadArgument(f"{self} has a cutoff of {self.cutoff}", hint=hint, sqlstate="IR201")
        return self


def _at(measure: Measure, cutoff: float | None) -> Measure:
    """The measure with a cutoff, or the share that some have in its place."""
    if cutoff is None:
        return measure
    if cutoff == int(cutoff) and measure.name not in ("IPrec", "iprec_at_recall", "Rprec_mult"):
        return replace(measure, cutoff=int(cutoff))
    return replace(measure, share=float(cutoff))


nDCG = Measure("nDCG")  # noqa: N816  the name in the literature
P = Measure("P")
R = Measure("R")
Judged = Measure("Judged")
RR = Measure("RR")
AP = Measure("AP")
Bpref = Measure("Bpref")
Rprec = Measure("Rprec")
RBP = Measure("RBP")
ERR = Measure("ERR")
Success = Measure("Success")

#: What SimpleText reports; the first ranks the systems.
OFFICIAL = (nDCG @ 10, nDCG @ 20, P @ 10, P @ 20, RR, Bpref, AP)


def parse_measure(name: str) -> Measure:
    """The measure of a name: of ir_measures, of trec_eval, or MRR, MAP, NDCG@10; case does not count.

    :raises UnknownObject: there is no such measure, or the name stands for several (``P``, ``official``).
    :raises BadArgument: the cutoff or a parameter is out of range.
    """
    found = parse_measures(name)
    if len(found) != 1:
        raise UnknownObject(f"{name} is {len(found)} measures", hint=f"Name one, as {found[0]}.", sqlstate="IR108")
    return found[0]


def parse_measures(name: str) -> list[Measure]:
    """The measures of a name, which may stand for several as in trec_eval: ``official``, ``P`` (its nine), ``P.5,10``.

    :raises UnknownObject, BadArgument: as :func:`parse_measure`.
    """
    name = name.strip()
    if name in GROUPS:
        return [one for kind in GROUPS[name] for one in parse_measures(kind)]
    if name in KINDS:
        kind = KINDS[name]
        return [_of(kind, cutoff) for cutoff in kind.defaults] if kind.takes in ("cutoff", "share") else [_of(kind)]
    if match := _LISTED.fullmatch(name):
        return _listed(KINDS[match["name"]], match["listed"], name)
    match = _PATTERN.fullmatch(name)
    if match is None:
        hint = "As nDCG@10 or ndcg_cut_10; 'stc evaluation measures' lists them."
        raise UnknownObject(f"{name!r} is no name of a measure", hint=hint, sqlstate="IR108")
    text = match["cutoff"] if match["cutoff"] is not None else match["k"]
    try:
        cutoff = None if text is None else float(text)
    except ValueError:
        raise UnknownObject(f"there is no measure {name}", hint="A cutoff is a number: nDCG@10.", sqlstate="IR108") from None
    given = _NAMES.get(match["name"].lower(), match["name"])
    kind = _at(Measure(given, None, match["parameters"] or ""), cutoff).kind
    return [_of(kind, cutoff, _parameters(kind, match["parameters"] or "", name)).checked()]


def _of(kind: Kind, cutoff: float | None = None, parameters: str = "") -> Measure:
    """The one way a measure of a kind is written, so that equal ones are equal whatever they were called."""
    if kind.name == "ndcg_exp":
        return _at(Measure("nDCG", None, "dcg='exp-log2'"), cutoff)
    if kind.name == "num_rel_ret":
        return Measure("NumRet", None, parameters or "rel=1") if parameters else Measure("num_rel_ret")
    return _at(Measure(kind.ir or kind.name, None, parameters), cutoff)


def _listed(kind: Kind, listed: str, name: str) -> list[Measure]:
    """Measures with parameters in trec_eval's manner."""
    if kind.takes in ("gains", "p"):
        if not re.fullmatch(r"\d{1,5}=[+-]?[\d.]+(,\d{1,5}=[+-]?[\d.]+)*" if kind.takes == "gains" else r"(p=)?[\d.]+", listed):
            raise BadArgument(f"{name} has parameters that cannot be read", hint="As ndcg.1=3,2=9 or rbp.p=0.8.", sqlstate="IR202")
        # nDCG of ir_measures has no such gains: trec_eval's name is kept
        return [Measure(kind.name, None, listed)]
    try:
        numbers = [float(part) for part in listed.split(",")]
    except ValueError:
        hint = "As P.5,10 or iprec_at_recall.0.1,0.2."
        raise BadArgument(f"{name} has parameters that are no numbers: {listed}", hint=hint, sqlstate="IR202") from None
    if kind.takes == "numbers":
        if kind.name == "utility" and len(numbers) != 4:
            raise BadArgument(f"utility has four coefficients, not {len(numbers)}", hint="As utility.1,-1,0,0.", sqlstate="IR202")
        return [Measure(kind.name, None, listed)]
    return [_of(kind, one if kind.takes == "share" else int(one)).checked() for one in sorted(set(numbers))]


def _parameters(kind: Kind, text: str, name: str) -> str:
    """The parameters in brackets that say something: rel of 1 does not.

    :raises BadArgument: the measure does not have it.
    """
    kept = []
    for part in text.split(","):
        one = re.sub(r"[\s'\"]", "", part).lower()
        binary = re.fullmatch(r"rel=(-?\d{1,5})", one)
        if (
            one in _PLAIN
            or (one == "dcg=exp-log2" and kind.name == "ndcg_exp")
            or (binary and binary[1] == "1" and kind.name != "num_rel_ret")
        ):
            continue
        own = {"p": r"p=[\d.]+", "err": r"max=\d{1,2}", "set_F": r"beta=[\d.]+"}
        if not binary and not any(kind_or in (kind.takes, kind.name) and re.fullmatch(form, one) for kind_or, form in own.items()):
            hint = "rel, p (RBP), dcg (nDCG), max (ERR) and beta (SetF) are read; judged_only is an option for all measures."
            raise BadArgument(f"{name} asks for {part.strip()}", hint=hint, sqlstate="IR202")
        kept.append(one)
    return ", ".join(kept)
