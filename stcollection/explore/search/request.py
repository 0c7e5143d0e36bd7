"""Read a search from an address, and write addresses of searches."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any
from urllib.parse import quote_plus, urlencode

from starlette.datastructures import QueryParams

from stcollection.errors import BadArgument
from stcollection.explore.search.asking import SearchRequest
from stcollection.retrieval.filters import TypedFilter, conditions
from stcollection.texts import later

PATH = "/search"
# The fields of the form by their names in the address, with the names that errors use.
FIELDS = {
    "q": "the query", "system": "the system", "k": "the number of results", "model": "the model",
    "first": "from year", "last": "to year",
    "grade": "readability", "cited": "citations", "venue": "venue",
}  # fmt: skip
# What facets and links set. venues and types are lists with a line for each value; above: reading grade.
CHOSEN = ("venues", "types", "above", "judged", "author", "excluded_for")
SEVERAL = ("beside", "editions")  # lists separated by commas, or repeated
STATE = (*FIELDS, *CHOSEN, *SEVERAL, "article", "near", "field")
STARTING = ("q", "near", "article")  # with one of these, an address describes a search
MOST_BESIDE = 3
RESULTS = ("10", "20", "50", "100")
_LONGEST = 10_000  # characters of a query; no system reads more


def lines(value: Any) -> list[str]:
    """Return the values of a list in an address."""
    return [line for line in str(value or "").splitlines() if line.strip()]


def read_state(params: QueryParams) -> dict[str, str]:
    """Return the parameters of an address: the last value of each name. Fields that are missing or empty are ''."""
    return {name: params.get(name, "") for name in STATE} | {name: ",".join(filter(None, params.getlist(name))) for name in SEVERAL}


def address(state: Mapping[str, Any], path: str = PATH, **changes: Any) -> str:
    """Return the address of a search. :param changes: parameters that differ from the state; None removes one."""
    given = {**state, **changes}
    kept = {name: value for name, value in given.items() if value not in (None, "")}
    return f"{path}?{urlencode(kept, quote_via=_quoted)}"


@lru_cache(512)
def _quoted(text: str, safe: str, encoding: str | None, errors: str | None) -> str:
    """Quote a value. A page has 150 addresses that repeat its query."""
    return quote_plus(text, safe, encoding, errors)


def read(given: Mapping[str, Any], *, blank: bool = False) -> SearchRequest:
    """Return the search in an address. :param blank: allow an empty query.

    :raises BadArgument: the query is empty or too long, a number is invalid, or the years are reversed.
    """
    text = str(given["q"] or "").replace("\x00", " ")
    if not text.strip() and not blank:
        raise BadArgument(later("the query is empty"), hint=later("Type some words, or select a stored query."))
    if len(text) > _LONGEST:
        raise BadArgument(
            later("the query has {count:,} characters", count=len(text)),
            hint=later("Shorten it to {most:,} or fewer.", most=_LONGEST),
        )
    k = _number("the number of results", given["k"], whole=True)
    if k is not None and not 1 <= k <= 1000:
        raise BadArgument(
            later("the number of results is {k:g}", k=k), hint=later("Use a number from 1 to 1,000."), sqlstate="IR201"
        )
    system = str(given["system"] or "hybrid")
    return SearchRequest(
        text=text,
        system=system,
        k=int(k or 20),
        filter=narrowing(given),
        model=str(given["model"]) if given["model"] else None,
        beside=_beside(system, given.get("beside")),
    )


def narrowing(given: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the filter of the form and the facets, None if it is empty.

    :raises BadArgument: the years are reversed, or a number is invalid.
    """
    first, last, cited = (_int(_number(FIELDS[name], given[name], whole=True)) for name in ("first", "last", "cited"))
    grade = _number(FIELDS["grade"], given["grade"], whole=False)
    above = _number(FIELDS["grade"], given.get("above"), whole=False)
    if first is not None and last is not None and first > last:
        raise BadArgument(
            later("the first year {first} is after the last {last}", first=first, last=last),
            hint=later("Enter {last} to {first}.", first=first, last=last),
        )
    if cited is not None and cited < 0:
        raise BadArgument(later("the minimum number of citations is {cited}", cited=cited), hint=later("Enter 0 or more."))
    if above is not None and grade is not None and above >= grade:
        raise BadArgument(
            later("no reading grade is over {above:g} and at most {grade:g}", above=above, grade=grade),
            hint=later("Remove one of the two filters."),
        )
    judged = str(given.get("judged") or "")
    if judged not in ("", "yes", "no"):
        raise BadArgument(f"judged is {judged[:80]!r}", hint="Use yes or no.")
    typed = [name] if (name := str(given["venue"] or "").strip()) else []
    # A range includes its ends: over 12 begins at the next number.
    low = "" if above is None else repr(math.nextafter(above, math.inf))
    read = TypedFilter(
        year=None if first is None and last is None else f"{_text(first)}..{_text(last)}",
        readability=() if grade is None and above is None else (f"textstat_fkgl={low}..{_text(grade)}",),
        citations=None if cited is None else f"{cited}..",
        venue=typed + lines(given.get("venues")),
        doc_type=lines(given.get("types")),
        author=[author] if (author := str(given.get("author") or "").strip()) else (),
        excluded_for=str(given.get("excluded_for") or "") or None,
        raw=f'{{"judged": {"true" if judged == "yes" else "false"}}}' if judged else None,
    )
    return conditions(read) or None


def _text(number: float | None) -> str:
    return "" if number is None else f"{number:.15g}"


def _beside(system: str, value: Any) -> tuple[str, ...]:
    """Return the systems to compare with, without the system itself."""
    names: Sequence[str] = value.split(",") if isinstance(value, str) else value or ()
    asked = tuple(dict.fromkeys(name for one in names if (name := one.strip()) and name != system))
    if len(asked) > MOST_BESIDE:
        raise BadArgument(
            later(
                "at most {most} systems can be compared with {system}; got {got}", most=MOST_BESIDE, system=system, got=len(asked)
            ),
            hint=later("Clear some of them."),
        )
    return asked


def _number(name: str, value: Any, *, whole: bool) -> float | None:
    if value is None or value == "":
        return None
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise BadArgument(f"{name}: {value!r} is not a number", hint="Enter digits, such as 12.") from None
    if not abs(number) < 1e9 or (whole and number != int(number)):
        raise BadArgument(f"{name}: {value} is not valid", hint="Enter an integer below one billion.")
    return number


def _int(number: float | None) -> int | None:
    return None if number is None else int(number)
