"""Parameters that several routes have in common, and values as JSON has them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Annotated, Any

from fastapi import Query
from pydantic import AfterValidator

from stcollection.evaluation.measures import OFFICIAL, Measure, parse_measures
from stcollection.http.limits import checked_text

RUNS = 20  # of a request
Text = Annotated[str, AfterValidator(partial(checked_text, name="name"))]
Name = Annotated[Text, Query(min_length=1, max_length=200)]
OneMeasure = Annotated[Text, Query(max_length=200, description="nDCG@10 or ndcg_cut_10.")]
Queries = Annotated[Text, Query(max_length=1000, description="A set of queries: all, long, type:long, topic:G*, a+b, a-b.")]
Runs = Annotated[list[Text] | None, Query(max_length=1000, description="Default: all runs. Repeatable.")]


def named(names: Sequence[str] | None) -> list[Measure]:
    """Return measures by name; the official ones without names. :raises UnknownObject: a measure does not exist."""
    return [measure for name in names or () for measure in parse_measures(name)] or list(OFFICIAL)


def finite(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return values that JSON has."""
    return {name: number(value) for name, value in values.items()}


def number(value: Any) -> Any:
    """Return a value that JSON has: None for NaN and infinity."""
    return None if isinstance(value, float) and not math.isfinite(value) else value
