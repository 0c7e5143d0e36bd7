"""What a check finds: faults and notes, by line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from stcollection.io.runs.scores import single

MOST_OF_A_KIND = 5  # printed without --all
_NAMES = re.compile(r"'[^']*'|\"[^\"]*\"|\S*\d\S*")
# Kinds of faults that a policy of the import can do something about.
DUPLICATE, UNKNOWN_DOCUMENT, UNKNOWN_QUERY = "duplicate", "unknown document", "unknown query"


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
    :param metadata: the file of metadata next to it, if :func:`~stcollection.runs.check.check_file` found one.
    :param beside: the faults in it.
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


def brief(faults: Iterable[RunFault], most: int = MOST_OF_A_KIND) -> Iterator[RunFault]:
    """Yield the faults kind by kind: the first ones of each, and how many more there are.

    Two faults without a kind are of one if they differ in numbers, names in quotes and words with digits alone.
    """
    kinds: dict[tuple[bool, str], list[RunFault]] = {}
    for fault in faults:
        kinds.setdefault((fault.note, fault.kind or _NAMES.sub("#", fault.what)), []).append(fault)
    for alike in kinds.values():
        yield from alike[:most]
        if (more := len(alike) - most) > 0:
            yield RunFault(0, f"… and {more:,} more; --all shows them", note=alike[0].note, kind=alike[0].kind)


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
