"""The table of measures and the providers of ir_measures that compute them; part of docs/reference/measures.md."""

from __future__ import annotations

from collections.abc import Sequence

import ir_measures

from stcollection.api.provider import Provider
from stcollection.api.settings import settings_of
from stcollection.evaluation.kinds import KINDS, Kind

_INTRODUCTION = """\
`trec_eval` and `stc` are the commands; the others are providers of ir_measures, with `stcollection` the one of this project. `stc`
computes all measures. A provider computes a measure if it accepts its usual parameters.

Tests compare the values of `stcollection` with those of {provider}.
They compare the values of `stc` with those of {stc}.
They do not compare values with {not_compared}.
"""
#: Providers whose values tests/api/test_provider.py compares with those of the provider stcollection.
COMPARED_PROVIDER = ("accuracy", "compat", "cwl_eval", "judged", "msmarco", "pytrec_eval")
#: Programs and providers whose values tests/evaluation compares with those of stc.
COMPARED_STC = ("trec_eval", "accuracy", "compat", "cwl_eval", "gdeval", "judged", "pyndeval")


def example(kind: Kind) -> str:
    """Return a measure of the kind by its name in ir_measures, with its usual parameters; '' if ir_measures does not have it."""
    if kind.family not in ir_measures.measures.registry:
        return ""
    chosen = kind.ir.partition("(")[2].rstrip(")").replace("…", "1")
    written = [chosen, *(f"{one.name}=1" for one in kind.parameters if one.written)]
    if kind.name == "binary_rbp":  # the gain is 0 or 1
        written.append("rel=1")
    named = ",".join(filter(None, written))
    at = "" if not kind.cut else "@0.1" if kind.takes == "share" else "@10" if 10 in kind.defaults else f"@{int(kind.defaults[-1])}"
    return kind.family + (f"({named})" if named else "") + at


def rows() -> list[tuple[str, dict[str, bool]]]:
    """Return each measure, and for each program and provider whether it computes the measure."""
    others = {name: one for name, one in ir_measures.providers.registry.items() if name not in ("runtime", "stcollection")}
    ours = Provider(settings_of(None, None, None))
    found = []
    for kind in KINDS.values():
        name = example(kind)
        measure = ir_measures.parse_measure(name) if name else None
        computed = {"stc": True, "trec_eval": kind.groups is not None, "stcollection": False} | dict.fromkeys(others, False)
        if measure is not None:
            computed |= {of: one.supports(measure) for of, one in {"stcollection": ours, **others}.items()}
        found.append((name or kind.name, computed))
    return found


def _listed(names: Sequence[str]) -> str:
    """Return names as code, with "and" before the last."""
    *first, last = (f"`{name}`" for name in names)
    return f"{', '.join(first)} and {last}" if first else last


def providers_table() -> str:
    """Return the table as Markdown, with the programs that tests compare values with."""
    table = rows()
    heads = list(table[0][1])
    remaining = [head for head in heads if head not in ("stc", "stcollection", *COMPARED_PROVIDER, *COMPARED_STC)]
    introduction = _INTRODUCTION.format(
        provider=_listed(COMPARED_PROVIDER), stc=_listed(COMPARED_STC), not_compared=_listed(remaining)
    )
    measures: dict[str, list[str]] = {}  # by the programs and providers that compute them
    for name, computed in table:
        measures.setdefault(", ".join(head for head in heads if computed[head] and head != "stc"), []).append(f"`{name}`")
    body = (f"| {', '.join(names)} | {others or 'none'} |" for others, names in measures.items())
    return "\n".join([introduction, "| measures | also computed by |", "|---|---|", *body])
