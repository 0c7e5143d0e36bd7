"""Names of measures in both conventions: ir_measures (``nDCG@10``, ``AP``) and trec_eval (``ndcg_cut_10``, ``map``).

:mod:`stcollection.evaluation.kinds` lists the measures; SQL functions (sql/evaluation/), which accept the same names, compute the
values.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import lru_cache

from stcollection.counts import counted
from stcollection.errors import BadArgument, UnknownObject
from stcollection.evaluation.kinds import GROUPS, KINDS, ON_CHANGE, Kind, Parameter, relearn
from stcollection.evaluation.learning import unread

_LARGEST = 2**31 - 1  # largest PostgreSQL integer
_COLUMNS = {
    "ndcg_cut": "ndcg", "P": "precision_at", "recall": "recall_at", "recip_rank": "reciprocal_rank", "map": "average_precision",
    "bpref": "bpref", "judged": "judged_at",
}  # fmt: skip
_PATTERN = re.compile(
    r"(?P<name>[A-Za-z_0-9-]+?) (?: \( (?P<parameters>[^()]*) \) )? (?: @ (?P<cutoff>[^@()\s]*) | _ (?P<k>\d+) )?", re.X
)
_PLAIN = {"", "dcg=log2", "judged_only=false", "normalize=true"}  # parameters of ir_measures that equal the defaults

_NAMES: dict[str, str]  # names by lower case
_SHARES: set[str]
_LISTED: re.Pattern[str]
_IR: set[str]


def _derive() -> None:
    """Compute what depends on the names of the registry."""
    global _NAMES, _SHARES, _LISTED, _IR
    _NAMES = {name.lower(): name for kind in KINDS.values() for name in (kind.name, kind.family) if name} | {"mrr": "RR"}
    _SHARES = {name for kind in KINDS.values() if kind.takes == "share" for name in (kind.name, kind.family)}
    _LISTED = re.compile(
        rf"(?P<name>{'|'.join(sorted((k.name for k in KINDS.values() if k.takes != 'nothing'), key=len, reverse=True))})"
        r"(?P<sign>[._]) (?P<listed>[-+.\d=,ep]+)",
        re.X,
    )
    _IR = {kind.family for kind in KINDS.values()} - {""}


_derive()
ON_CHANGE.append(_derive)


@dataclass(frozen=True)
class Measure:
    """One measure; ``nDCG @ 10`` is nDCG with a cutoff of 10.

    :param name: name in ir_measures, else in trec_eval: nDCG, P, R, RR, AP, Bpref, Judged, …, ndcg_rel, utility.
    :param cutoff: number of ranks that count, at least 1; None: all.
    :param share: share of the relevant documents; IPrec and Rprec_mult have it instead of a cutoff.
    :param parameters: such as ``rel=2``, ``p=0.8``, ``dcg='exp-log2'``; for trec_eval's own measures as it prints them:
        ``2,-1,0,0``.
    """

    name: str
    cutoff: int | None = None
    parameters: str = ""
    share: float | None = None

    def __matmul__(self, cutoff: float) -> Measure:
        return _at(self, cutoff).checked()

    def __call__(self, **parameters: object) -> Measure:
        """Return the measure with parameters: ``P(rel=2) @ 5``, ``RBP(p=0.9)``."""
        return replace(self, parameters=", ".join(f"{key}={value!r}" for key, value in parameters.items())).checked()

    def __str__(self) -> str:
        cutoff = "" if self._at is None else f"{self._at:.12g}"
        if self.name in _IR or self._bracketed:
            return self.name + (f"({self.parameters})" if self.parameters else "") + (f"@{cutoff}" if cutoff else "")
        return "_".join(filter(None, (self.name, self.parameters, cutoff)))

    @property
    def _bracketed(self) -> bool:
        """Return True if a measure that ir_measures lacks needs brackets: trec_eval has no such parameters or cutoff."""
        if (kind := KINDS.get(self.name)) is not None and kind.takes == "p":
            return self._at is not None or re.search(r",|rel=", self.parameters) is not None
        return _named(self.parameters)

    @property
    def _at(self) -> float | None:
        return self.cutoff if self.share is None else self.share

    @property
    def kind(self) -> Kind:
        """Return its entry in the registry.

        :raises UnknownObject: the measure does not exist, or not with (without) a cutoff.
        """
        kind = _find(self.name, self.parameters, cut=self._at is not None)
        if kind is None and relearn():
            return self.kind
        if kind is None:
            close = get_close_matches(self.name.lower(), _NAMES, n=1)
            hint = f"Did you mean {_NAMES[close[0]]}? " if close else ""
            shown = self.name if self._at is None else f"{self.name}@{self._at:.12g}"
            hint = f"{hint}'stc show measures' lists them. {unread()}".rstrip()
            raise UnknownObject(f"there is no measure {shown}", hint=hint, sqlstate="IR108")
        if _fits(kind, cut=self._at is not None):
            return kind
        if self._at is None:
            raise UnknownObject(f"{self.name} needs a cutoff", hint=f"Add a cutoff: {self.name}@10.", sqlstate="IR108")
        hint = f"{self.name} uses the whole ranking: remove the cutoff."
        raise UnknownObject(f"there is no measure {self.name}@{self._at:.12g}", hint=hint, sqlstate="IR108")

    @property
    def trec_eval(self) -> str:
        """Return the name trec_eval prints: ``ndcg_cut_10``, ``recip_rank``; other measures follow its style (``judged_10``)."""
        kind = self.kind
        at = "" if self._at is None else f"{self._at:.2f}" if kind.takes == "share" else str(self.cutoff)
        return "_".join(filter(None, (kind.printed, self._shown(kind), at)))

    def _shown(self, kind: Kind) -> str:
        """Return the parameters in trec_eval's style: as listed, or those that differ from the defaults."""
        if self.name == kind.name and not self._bracketed:
            return self.parameters if kind.takes in ("numbers", "gains", "p") else ""
        given = dict(_given(kind, self.parameters))
        changed = {parameter: number for parameter, number in given.items() if number != float(parameter.default)}
        if kind.takes == "numbers":  # trec_eval lists all of them
            return ",".join(f"{given.get(param, float(param.default)):.12g}" for param in kind.parameters) if changed else ""
        return ",".join(f"{parameter.name}={number:.12g}" for parameter, number in changed.items())

    @property
    def column(self) -> str:
        """Return its column in the SQL functions evaluate and evaluate_runs, or its name if they have no column for it."""
        return str(self) if self.parameters else _COLUMNS.get(self.kind.name, str(self))

    def checked(self) -> Measure:
        """Check the measure and return it.

        :raises UnknownObject: the measure does not exist, or not with (without) a cutoff.
        :raises BadArgument: the cutoff is out of range.
        """
        kind = self.kind
        if self.share is not None and (kind.takes != "share" or self.share < 0):
            hint = (
                "It must be a share of the relevant documents."
                if kind.takes == "share"
                else "A cutoff must be an integer number of ranks."
            )
            raise BadArgument(f"{self} has a cutoff of {self.share:g}", hint=hint, sqlstate="IR201")
        if self.cutoff is not None and kind.takes != "share" and not 1 <= self.cutoff <= _LARGEST:
            hint = "A cutoff is the number of ranks that count, at least 1."
            raise BadArgument(f"{self} has a cutoff of {self.cutoff}", hint=hint, sqlstate="IR201")
        if kind.takes == "p" and self.name == kind.name and self._bracketed and self.name.upper() in _IR:
            hint = f"Use {self.name.upper()} for a minimum grade or a cutoff."
            raise BadArgument(f"{self.name} has only the parameter p; got {self}", hint=hint)
        return self


def _options(text: str) -> list[str]:
    """Return the parameters in brackets, without blanks and quotes, in lower case."""
    return [re.sub(r"[\s'\"]", "", part).lower() for part in text.split(",")]


def _named(parameters: str) -> bool:
    """Return True for parameters with names, such as ``rel=2``; trec_eval's own are numbers: ``2,-1,0,0``, ``1=3,2=9``."""
    return parameters[:1].isalpha()


def _fits(kind: Kind, *, cut: bool) -> bool:
    return kind.takes == "p" or kind.cut == cut


@lru_cache(maxsize=1024)  # called for each value in a table of scores
def _find(name: str, parameters: str, *, cut: bool, exact: bool = True) -> Kind | None:
    """Find the kind for a name; among kinds that share the name in ir_measures, choose the best fit.

    :param exact: prefer a kind with exactly this name to one that has the name in ir_measures: ``rbp`` and ``RBP`` differ.
    """
    lower, options = name.lower(), _options(parameters)
    shared = {lower} | {kind.family.lower() for kind in KINDS.values() if kind.name.lower() == lower and kind.family}
    candidates: list[tuple[tuple[bool, ...], Kind]] = []
    for kind in KINDS.values():
        chosen = bool(kind.chosen_by) and any(option.startswith(kind.chosen_by) for option in options)
        own, same = kind.name.lower() == lower, lower in (kind.family.lower(), *kind.also)
        if own or lower in kind.also or (kind.family.lower() in shared and (chosen or not kind.chosen_by)):
            candidates.append(((_fits(kind, cut=cut), chosen, exact and kind.name == name, same, own), kind))
    return max(candidates, key=lambda candidate: candidate[0])[1] if candidates else None


ON_CHANGE.append(_find.cache_clear)


def _given(kind: Kind, text: str) -> list[tuple[Parameter, float]]:
    """Return the named parameters given in a bracketed text, in the registry's order, with the numbers to compute with."""
    given = dict(option.partition("=")[::2] for option in _options(text))
    numbers = []
    for parameter in kind.parameters:
        if (value := given.get(parameter.name.lower())) is not None:
            number = float(value)
            numbers.append((parameter, number * number if parameter.squared else number))
    return numbers


def _at(measure: Measure, cutoff: float | None) -> Measure:
    """Return the measure with a cutoff, or with a share if it takes one instead."""
    if cutoff is None:
        return measure
    if cutoff == int(cutoff) and measure.name not in _SHARES:
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

#: Measures that SimpleText reports; systems are ranked by the first.
OFFICIAL = (nDCG @ 10, nDCG @ 20, P @ 10, P @ 20, RR, Bpref, AP)
#: Measures of a leaderboard: the official ones, recall, and the coverage of the judgments.
LEADERBOARD = (*OFFICIAL, R @ 100, Judged @ 10)


def parse_measure(name: str) -> Measure:
    """Parse the name of one measure: of ir_measures, of trec_eval, or MRR, MAP, NDCG@10; case is ignored.

    :raises UnknownObject: the measure does not exist, or the name denotes several (``P``, ``official``).
    :raises BadArgument: the cutoff or a parameter is out of range.
    """
    named = parse_measures(name)
    if len(named) != 1:
        raise UnknownObject(
            f"{name} denotes {counted(len(named), 'measure')}", hint=f"Name a single measure, such as {named[0]}.", sqlstate="IR108"
        )
    return named[0]


def parse_measures(name: str) -> list[Measure]:
    """Parse a name that may denote several measures, as in trec_eval: ``official``, ``P`` (nine measures), ``P.5,10``.

    :raises UnknownObject, BadArgument: as for :func:`parse_measure`.
    """
    try:
        return _parsed(name.strip())
    except (UnknownObject, BadArgument):
        if not relearn():
            raise
        return _parsed(name.strip())


def _parsed(name: str) -> list[Measure]:
    if name in GROUPS:
        return [measure for kind in GROUPS[name] for measure in parse_measures(kind)]
    if name in KINDS:
        kind = KINDS[name]
        return [_of(kind, cutoff) for cutoff in kind.defaults] if kind.takes in ("cutoff", "share") else [_of(kind)]
    if match := _LISTED.fullmatch(name):
        return _listed(KINDS[match["name"]], match["listed"], name)
    match = _PATTERN.fullmatch(name)
    if match is None:
        hint = "Use a name such as nDCG@10 or ndcg_cut_10; 'stc show measures' lists them."
        raise UnknownObject(f"{name!r} is not a measure name", hint=hint, sqlstate="IR108")
    text = match["cutoff"] if match["cutoff"] is not None else match["k"]
    try:
        cutoff = None if text is None else float(text)
    except ValueError:
        raise UnknownObject(f"there is no measure {name}", hint="A cutoff must be a number: nDCG@10.", sqlstate="IR108") from None
    options = match["parameters"] or ""
    best = _find(match["name"], options, cut=cutoff is not None, exact=False)
    if best is None or not _fits(best, cut=cutoff is not None):
        best = _at(Measure(match["name"], None, options), cutoff).kind  # raises
    return [_of(best, cutoff, _parameters(best, options, name)).checked()]


def _of(kind: Kind, cutoff: float | None = None, parameters: str = "") -> Measure:
    """Return the normal form of a measure, so that equal measures are equal whatever name was used."""
    if kind.chosen_by.endswith("=") and kind.chosen_by not in parameters:
        return _at(Measure(kind.name, None, parameters), cutoff)
    written = [f"{param.name}={param.default}" for param in kind.parameters if param.written and f"{param.name}=" not in parameters]
    chosen = kind.ir.partition("(")[2].removesuffix(")") if kind.chosen_by and not kind.chosen_by.endswith("=") else ""
    return _at(Measure(kind.family or kind.name, None, ", ".join(filter(None, (chosen, parameters, *written)))), cutoff)


def _listed(kind: Kind, listed: str, name: str) -> list[Measure]:
    """Return measures with parameters in trec_eval's style."""
    if kind.takes == "gains":
        if not re.fullmatch(r"\d{1,5}=[+-]?[\d.]+(,\d{1,5}=[+-]?[\d.]+)*", listed):
            raise BadArgument(f"{name} has gains that cannot be read", hint="Write gains as grade=gain: ndcg.1=3,2=9.")
        # ir_measures' nDCG has no gains like these: keep trec_eval's name
        return [Measure(kind.name, None, listed)]
    own = kind.parameters if kind.takes in ("numbers", "p") else ()
    try:
        numbers = [float(part) for part in (listed.removeprefix(f"{own[0].name}=") if own else listed).split(",")]
    except ValueError:
        hint = "Write parameters as in P.5,10, iprec_at_recall.0.1,0.2 or rbp.p=0.8."
        raise BadArgument(f"{name} has parameters that are not numbers: {listed}", hint=hint) from None
    if own and len(own) != len(numbers):
        hint = f"{kind.name} takes {', '.join(parameter.name for parameter in own)}."
        raise BadArgument(f"{name} has {counted(len(numbers), 'number')} instead of {len(own)}", hint=hint)
    for parameter, number in zip(own, numbers, strict=True) if own else ():
        _check(parameter, number, name)
    if kind.takes in ("numbers", "p"):
        return [Measure(kind.name, None, listed)]
    return [_of(kind, number if kind.takes == "share" else int(number)).checked() for number in sorted(set(numbers))]


def _check(parameter: Parameter, number: float, name: str) -> None:
    """Check that a number is within the parameter's range.

    :raises BadArgument: it is not.
    """
    if (parameter.least is not None and number < parameter.least) or (parameter.largest is not None and number > parameter.largest):
        limits = [
            f"{word} {limit:g}" for word, limit in (("from", parameter.least), ("to", parameter.largest)) if limit is not None
        ]
        raise BadArgument(f"{name} has a parameter of {number:g}", hint=f"{parameter.name} ranges {' '.join(limits)}.")


def _parameters(kind: Kind, text: str, name: str) -> str:
    """Return the parameters in brackets without those that equal the defaults, such as rel=1.

    :raises BadArgument: the measure does not have the parameter, or the value is out of range.
    """
    kept, own = [], {parameter.name.lower(): parameter for parameter in kind.parameters}
    for part, option in zip(text.split(","), _options(text), strict=True):
        key, _, value = option.partition("=")
        if option in _PLAIN or option == kind.chosen_by or (option == "rel=1" and kind.chosen_by != "rel="):
            continue
        if re.fullmatch(r"rel=-?\d{1,5}", option):
            kept.append(option)
        elif key in own and re.fullmatch(own[key].pattern, value):
            kept.append(f"{own[key].name}={value}")
        else:
            hint = f"It takes {', '.join(['rel', *(parameter.name for parameter in kind.parameters)])}."
            if key == "judged_only":
                hint = "judged_only is an option that applies to all measures."
            raise BadArgument(f"{name} does not accept {part.strip()}", hint=hint)
    for parameter, number in _given(kind, ",".join(kept)):
        _check(parameter, number, name)
    return ", ".join(kept)
