"""Names of measures as users type them: several in one text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from stcollection.evaluation.measures import Measure, parse_measure, parse_measures

# Separators between names: blanks and commas outside brackets, except a comma before a number, which is part of a name (P.5,10).
_BETWEEN = re.compile(r"\s+(?![^()]*\))|,\s*(?![^()]*\))(?![-+]?\.?\d[\d.=]*(?:,|\s|$))")


def names_typed(names: Sequence[str]) -> list[str]:
    """Split typed texts into names."""
    return [part for name in names for part in _BETWEEN.split(name.strip()) if part]


def measures_named(names: Sequence[str]) -> list[Measure]:
    """Return the measures of typed names, each once."""
    return list(dict.fromkeys(measure for name in names_typed(names) for measure in parse_measures(name)))


def measure_of(name: Any) -> Measure:
    """Return a Measure unchanged; parse anything else by its name: an ir_measures object or a text."""
    return name if isinstance(name, Measure) else parse_measure(str(name))
