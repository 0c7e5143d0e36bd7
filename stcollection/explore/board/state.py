"""The form of the leaderboard in the URL: ``?tab=leaderboard&edition=test&measures=nDCG@10,AP&baseline=bm25``.

Parameters with default values are omitted. Unknown values in a URL are ignored, except measures and a typed set of queries: the
page reports them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from stcollection.analysis.board import DRAWS, BoardRequest
from stcollection.analysis.corrections import CORRECTIONS
from stcollection.analysis.significance import TESTS
from stcollection.errors import StcError
from stcollection.evaluation.measures import OFFICIAL
from stcollection.explore.board.request import Choices, baseline_of, measures_of
from stcollection.topics.sets import ALL

TICKED = tuple(str(measure) for measure in OFFICIAL)
OFFERED = (*TICKED, "R@100", "Judged@10")
ALPHA = 0.05
PARAMETERS = (
    "edition", "queries", "set", "measures", "by", "baseline", "runs", "test", "correction", "alpha", "draws", "readable", "pair",
    "against", "on", "run", "below",
)  # fmt: skip
_LONGEST = 1000  # characters of a parameter


class FormValues(NamedTuple):
    """Values of the form's fields.

    :param expression: a set of queries that is typed, used instead of ``queries``; else empty.
    :param ticked: selected measures of OFFERED; ``typed`` has the others. :param by: measure to rank by.
    :param names: names of all measures, for the choice of ``by``. :param words: words of the names of runs to rank.
    """

    edition: str | None
    queries: str
    expression: str
    baseline: str
    ticked: tuple[str, ...]
    typed: str
    by: str | None
    names: tuple[str, ...]
    words: str
    test: str
    correction: str
    alpha: float
    draws: int
    readable: bool


def form_values(place: Mapping[str, str], found: Choices) -> FormValues:
    """Return the values that a URL describes; defaults for parameters that are missing or invalid."""
    given = {name: value[:_LONGEST].replace("\x00", "") for name, value in place.items()}
    names = [one.edition for one in found.editions]
    edition = given.get("edition") if given.get("edition") in names else found.edition()
    listed = _listed(given["measures"]) if given.get("measures") else list(TICKED)
    ticked = tuple(name for name in OFFERED if name in listed)
    typed = ", ".join(name for name in listed if name not in OFFERED)
    try:
        measures = tuple(str(one) for one in measures_of(ticked, typed))
    except StcError:  # the page reports it
        measures = ticked
    queries = given.get("queries", ALL)
    baseline = given.get("baseline", "")
    return FormValues(
        edition=edition,
        queries=queries if edition and queries in found.sets(edition) else ALL,
        expression=given.get("set", "").strip(),
        baseline=baseline if baseline in found.runs else baseline_of(found.runs, (), "") or "",
        ticked=ticked,
        typed=typed,
        by=given.get("by") if given.get("by") in measures else next(iter(measures), None),
        names=measures,
        words=given.get("runs", ""),
        test=given["test"] if given.get("test") in TESTS else TESTS[0],
        correction=given["correction"] if given.get("correction") in CORRECTIONS else "holm",
        alpha=_number(given.get("alpha"), ALPHA),
        draws=int(_number(given.get("draws"), DRAWS)),
        readable=given.get("readable") == "yes",
    )


def parameters(asked: BoardRequest, *, by: str, words: str, found: Choices) -> dict[str, str | None]:
    """Return the URL's parameters for a leaderboard; None for default values."""
    names = tuple(str(measure) for measure in asked.measures)
    usual = baseline_of(found.runs, asked.runs, "")
    offered = asked.queries in found.sets(asked.edition)
    return {
        "edition": asked.edition,
        "queries": asked.queries if offered and asked.queries != ALL else None,
        "set": None if offered else asked.queries,
        "measures": ",".join(names) if names != TICKED else None,
        "by": by if by != names[0] else None,
        "baseline": asked.baseline if asked.baseline != usual else None,
        "runs": words.strip() or None,
        "test": asked.test if asked.test != TESTS[0] else None,
        "correction": asked.correction if asked.correction != "holm" else None,
        "alpha": f"{asked.alpha:g}" if asked.alpha != ALPHA else None,
        "draws": str(asked.permutations) if asked.permutations != DRAWS else None,
        "readable": "yes" if asked.readable else None,
    }


def _listed(text: str) -> list[str]:
    """Split names of measures at commas that are not inside parentheses."""
    found, depth = [""], 0
    for sign in text:
        depth += (sign == "(") - (sign == ")")
        if sign == "," and depth <= 0:
            found.append("")
        else:
            found[-1] += sign
    return [name.strip() for name in found if name.strip()]


def _number(text: str | None, usual: float) -> float:
    try:
        value = float(text) if text else usual
    except ValueError:
        return usual
    return value if 0 < value < 1e9 else usual
