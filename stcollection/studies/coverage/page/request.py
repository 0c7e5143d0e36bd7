"""The coverage that an address describes, and addresses of coverages."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlencode

from starlette.datastructures import QueryParams

from stcollection.studies.coverage.records import CoverageOptions
from stcollection.studies.coverage.store import CoverageRequest, make_request
from stcollection.texts import later

PATH = "/coverage"
WITHIN = {"text": later("title or abstract"), "abstract": later("abstract")}
COMMON = {"omit": later("leave out"), "keep": later("keep")}
STATE = ("source", "text", "documents", "topics", "words", "within", "common", "max_df", "kind", "topic")
_WHOLE = ("documents", "topics", "words")
_DEFAULT = CoverageOptions()
_LONGEST = 10_000  # characters of a text


def read_state(params: QueryParams) -> dict[str, str]:
    """Return the parameters of an address, '' for those that are missing."""
    return {name: params.get(name, "")[:_LONGEST] for name in STATE}


def address(state: Mapping[str, str], path: str = PATH, **changes: str) -> str:
    """Return the address of a coverage. :param changes: parameters that differ from the state."""
    return f"{path}?{urlencode({name: value for name, value in {**state, **changes}.items() if value})}"


def read(state: Mapping[str, str], texts: Mapping[str, str]) -> tuple[CoverageRequest | None, CoverageOptions]:
    """Return the request and the options; no request without a text.

    :param texts: of the stored queries. A value that is not a number becomes 0, which :meth:`CoverageOptions.checked` rejects.
    """
    whole = {name: _number(state[name], getattr(_DEFAULT, name)) for name in _WHOLE}
    options = CoverageOptions(
        **{name: int(value) if value == int(value) else 0 for name, value in whole.items()},
        within=state["within"] or _DEFAULT.within,
        stop_words=state["common"] != "keep",
        max_df=_number(state["max_df"], _DEFAULT.max_df),
    )
    if state["source"] in texts:
        return CoverageRequest(state["source"], state["source"], texts[state["source"]]), options
    return (make_request(state["text"]) if state["text"].strip() else None), options


def _number(text: str, default: float) -> float:
    try:
        number = float(text) if text else default
    except ValueError:
        return 0
    return number if abs(number) < 1e9 else 0
