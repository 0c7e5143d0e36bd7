"""Measures as people type them: several names in one text."""

from __future__ import annotations

import re
from collections.abc import Sequence

from stcollection.evaluation.measures import Measure, parse_measures

# Between names: blanks and commas, but not in brackets, and no comma before a number, which belongs to a name (P.5,10).
_BETWEEN = re.compile(r"\s+(?![^()]*\))|,\s*(?![^()]*\))(?![-+]?\.?\d[\d.=]*(?:,|\s|$))")


def names_typed(names: Sequence[str]) -> list[str]:
    """Names as they were typed, apart."""
    return [part for name in names for part in _BETWEEN.split(name.strip()) if part]


def measures_named(names: Sequence[str]) -> list[Measure]:
    """The measures of names as they were typed, each once."""
    return list(dict.fromkeys(one for name in names_typed(names) for one in parse_measures(name)))
