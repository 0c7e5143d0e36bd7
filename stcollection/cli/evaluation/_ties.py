"""Tables of rankings that admit ties."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from stcollection.analysis.rank_intervals import ENOUGH
from stcollection.analysis.records import RankedRun, RankIntervals, RunPair
from stcollection.cli.output import render
from stcollection.cli.quiet import aside
from stcollection.counts import counted

_MACHINE = ("json", "csv")


def print_ties(found: RankIntervals, *, pairs: bool, style: str, power: float) -> None:
    """Print one row per run, or one per pair, and a note on the method on stderr."""
    click.echo(_pairs(found, style) if pairs else _runs(found, style))
    aside(_note(found, power))


def _runs(found: RankIntervals, style: str) -> str:
    following: list[RunPair | None] = [*_neighbours(found), None]
    rows: list[Sequence[Any]] = []
    for run, pair in zip(found.runs, following, strict=True):
        beats, needed = (None, None) if pair is None else (pair.beats, pair.needed)
        cells = (run.run, run.mean, f"{run.low:.4f} … {run.high:.4f}", span(run), run.group, _share(beats), needed)
        rows.append((*run, beats, needed) if style in _MACHINE else cells)
    if style in _MACHINE:
        return render(rows, [*RankedRun._fields, "beats_next", "queries_to_next"], style=style)
    level = f"{100 * (1 - found.alpha):.6g} %"
    names = ["run", found.measure, f"{level} interval", "ranks", "group", "beats next", "queries to next"]
    return render(rows, names, style=style)


def _neighbours(found: RankIntervals) -> list[RunPair]:
    """Return the pairs of each run and the next one."""
    by_names = {(pair.run, pair.against): pair for pair in found.pairs}
    return [by_names[one.run, other.run] for one, other in zip(found.runs, found.runs[1:], strict=False)]


def _pairs(found: RankIntervals, style: str) -> str:
    if style in _MACHINE:
        return render(found.pairs, RunPair._fields, style=style)
    rows = [
        (
            pair.run,
            pair.against,
            pair.difference,
            f"{pair.low:+.4f} … {pair.high:+.4f}",
            f"{pair.p:.4f}",
            "*" if pair.p < found.alpha else "",
            _share(pair.beats),
            pair.needed,
        )
        for pair in found.pairs
    ]
    names = ["run", "against", "difference", f"{100 * (1 - found.alpha):.6g} % interval", "corrected p", "", "beats", "queries"]
    return render(rows, names, style=style)


def span(run: RankedRun) -> str:
    """Return the interval of a rank, such as ``1–3``."""
    return str(run.rank_low) if run.rank_low == run.rank_high else f"{run.rank_low}–{run.rank_high}"


def _share(value: float | None) -> str | None:
    """Return a probability that was estimated by resampling; never 0 % or 100 %."""
    if value is None:
        return None
    return ">99.9 %" if value > 0.999 else "<0.1 %" if value < 0.001 else f"{100 * value:.1f} %"


def _note(found: RankIntervals, power: float) -> str:
    told = [
        f"{counted(found.queries, 'query')}, {counted(found.resamples, 'resample')}."
        f" The intervals of ranks of all runs hold together with confidence"
        f" {100 * (1 - found.alpha):.6g} %.",
        "A group has the best remaining run and the runs that are not significantly worse. Queries: for a chance of"
        f" {100 * power:.6g} % to separate two runs in this ranking.",
    ]
    if found.queries < ENOUGH:
        told.append(
            f"{counted(found.queries, 'query is', 'queries are')} few: intervals of ranks are wider than with"
            f" {ENOUGH} or more (Bonferroni)."
        )
    return "\n".join(told)
