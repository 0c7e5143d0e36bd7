"""Tables of correlations with annotations."""

from __future__ import annotations

from typing import Any

from stcollection.analysis.annotation_correlations import Value
from stcollection.analysis.annotations import AnnotationBootstrap
from stcollection.cli.quiet import aside

MACHINE = ("json", "csv")
RECORDED, RANKED = ("citations", "references", "citations_per_year"), "citation_percentile"


def interval(low: float | None, high: float | None, style: str) -> list[Any]:
    if style in MACHINE:
        return [low, high]
    return [None if low is None or high is None else f"{low:.3f} … {high:.3f}"]


def interval_header(prefix: str, bootstrap: AnnotationBootstrap, style: str) -> list[str]:
    return [f"{prefix}low", f"{prefix}high"] if style in MACHINE else [f"{100 * bootstrap.level:g} %"]


def tell_empty(empty: list[str]) -> None:
    """Print the measures that no graded document has on stderr, and how to compute them."""
    recorded = [name for name in empty if name in RECORDED]
    ranked = [name for name in empty if name == RANKED]
    computed = [name for name in empty if name not in (*RECORDED, RANKED)]
    for names, hint in (
        (computed, "'stc complexity compute' computes them."),
        (ranked, "'stc complexity credibility' ranks documents."),
        (recorded, "The records of the documents do not include it."),
    ):
        if names:
            aside(f"stc: no graded document has {', '.join(names)}\n     {hint}")


def p_header(name: str, style: str) -> list[str]:
    return [f"{name}_p", f"{name}_p_holm"] if style in MACHINE else ["p Holm"]


def p_value(value: Value, style: str) -> list[float | None]:
    return [value.p, value.p_holm] if style in MACHINE else [value.p_holm]
