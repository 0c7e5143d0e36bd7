"""The text of a combination's formula."""

from __future__ import annotations

from stcollection.retrieval.combine import Combined


def formula(done: Combined) -> str:
    total = sum(part.weight for part in done.parts)
    return "comb_score = " + " + ".join(f"{part.weight / total:.3g} · {part.measure} by {part.transform}" for part in done.parts)
