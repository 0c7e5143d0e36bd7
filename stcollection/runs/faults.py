"""What a check finds: faults and notes, by line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from stcollection.io.runs.scores import single

MOST_UNKNOWN = 20  # that are printed line by line
# Kinds of faults that a policy of the import can do something about.
DUPLICATE, UNKNOWN_DOCUMENT, UNKNOWN_QUERY = "duplicate", "unknown document", "unknown query"
_UNKNOWN = {UNKNOWN_DOCUMENT: "documents", UNKNOWN_QUERY: "queries"}


@dataclass(frozen=True, order=True)
class RunFault:
    """One error or remark about a run file.

    :param line: from 1; 0 is the file as a whole. :param note: worth knowing, but no reason to refuse the file.
    :param kind: one of the above, or ''.
    """

    line: int
    what: str
    note: bool = False
    kind: str = ""


@dataclass
class CheckedRun:
    """A run file that was checked.

    :param layout: ``trec``, ``simpletext`` or ``simpletext-2022``. :param rows: records or lines that hold a ranked document.
    :param run_id: of a SimpleText file, the tag of a TREC file; None where there is none.
    :param metadata: the file of metadata beside it; None where there is none, or nobody asks. :param beside: its faults.
    """

    layout: str
    rows: int = 0
    run_id: str | None = None
    faults: list[RunFault] = field(default_factory=list)
    # (query, docno) -> line of its first row
    pairs: dict[tuple[str, str], int] = field(default_factory=dict)
    topics: dict[str, tuple[str, int]] = field(default_factory=dict)  # query -> its topic as the file has it, and the line
    metadata: Path | None = None
    beside: list[RunFault] = field(default_factory=list)
    passages: list[tuple[int, str, str]] | None = None  # line, docno, passage; None where nobody asks for them

    def add(self, line: int, what: str, *, note: bool = False, kind: str = "") -> None:
        self.faults.append(RunFault(line, what, note, kind))

    def pair(self, line: int, query: str, docno: str) -> None:
        first = self.pairs.setdefault((query, docno), line)
        if first != line:
            self.add(line, f"query {query} has document {docno} already, on line {first}", kind=DUPLICATE)

    @property
    def bad(self) -> int:
        """The number of faults that are no notes."""
        return sum(not fault.note for fault in self.faults + self.beside)


def brief(faults: Sequence[RunFault], most: int = MOST_UNKNOWN) -> Iterator[RunFault]:
    """The faults to print: of unknown documents, and of unknown queries, the first ones and how many more there are."""
    seen: Counter[str] = Counter()
    for fault in faults:
        seen[fault.kind] += 1
        if fault.kind not in _UNKNOWN or seen[fault.kind] <= most:
            yield fault
    for kind, what in _UNKNOWN.items():
        if seen[kind] > most:
            yield RunFault(0, f"{seen[kind] - most:,} more {what} that are not in the collection", kind=kind)


def few(names: list[str], most: int = 5) -> str:
    """The first of some names, and that there are more."""
    return ", ".join(names[:most]) + (" …" if len(names) > most else "")


def notes_on_order(checked: CheckedRun, ranking: dict[str, list[tuple[int, float, str]]], *, given: str) -> None:
    """What trec_eval sees and the writer of the file may not.

    :param ranking: rank, score and docno of a query's rows. :param given: what the ranks are.
    """
    tied = disordered = 0
    for rows in ranking.values():
        scores = single([score for _, score, _ in sorted(rows, key=lambda row: row[0])])
        disordered += bool((np.diff(scores) > 0).any())
        tied += len(scores) - len(np.unique(scores))
    if disordered:
        what = f"in {disordered} queries {given} not in the order of the scores; trec_eval goes by the scores"
        checked.add(0, what, note=True)
    if tied:
        checked.add(
            0, f"{tied} scores equal another of their query in single precision; trec_eval orders them by document", note=True
        )
