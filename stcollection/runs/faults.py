"""The results of checking a run file: faults and notes, by line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from stcollection.counts import counted
from stcollection.io.runs.scores import single

MOST_OF_A_KIND = 5  # faults of a kind printed without --all
_NAMES = re.compile(r"'[^']*'|\"[^\"]*\"|\S*\d\S*")
# Kinds of faults that an import policy can allow.
DUPLICATE, UNKNOWN_DOCUMENT, UNKNOWN_QUERY = "duplicate", "unknown document", "unknown query"


@dataclass(frozen=True, order=True)
class RunFault:
    """One fault of a run file, or a note about it.

    :param line: from 1; 0 means the whole file. :param note: informational; does not make the file invalid.
    :param kind: DUPLICATE, UNKNOWN_DOCUMENT, UNKNOWN_QUERY or ''.
    """

    line: int
    what: str
    note: bool = False
    kind: str = ""


@dataclass
class CheckedRun:
    """A checked run file.

    :param layout: ``trec``, ``simpletext`` or ``simpletext-2022``. :param rows: records or lines with a ranked document.
    :param run_id: the run_id of a SimpleText file or the tag of a TREC file; None if absent.
    :param metadata: the separate metadata file, if :func:`~stcollection.runs.check.check_file` found one.
    :param hint: how to read a table whose columns have other names; '' if it is read.
    :param beside: the faults of the metadata file.
    """

    layout: str
    rows: int = 0
    run_id: str | None = None
    hint: str = ""
    faults: list[RunFault] = field(default_factory=list)
    # (query, docno) -> line of its first row
    pairs: dict[tuple[str, str], int] = field(default_factory=dict)
    topics: dict[str, tuple[str, int]] = field(default_factory=dict)  # query -> its topic in the file, and the line
    metadata: Path | None = None
    beside: list[RunFault] = field(default_factory=list)
    passages: list[tuple[int, str, str]] | None = None  # line, docno, passage; None if not needed

    def add(self, line: int, what: str, *, note: bool = False, kind: str = "") -> None:
        self.faults.append(RunFault(line, what, note, kind))

    def pair(self, line: int, query: str, docno: str) -> None:
        first = self.pairs.setdefault((query, docno), line)
        if first != line:
            self.add(line, f"query {query} has document {docno} already, on line {first}", kind=DUPLICATE)

    @property
    def bad(self) -> int:
        """The number of faults, notes excluded."""
        return sum(not fault.note for fault in self.faults + self.beside)


def brief(faults: Iterable[RunFault], most: int = MOST_OF_A_KIND) -> Iterator[RunFault]:
    """Yield the first faults of each kind, and the number of those omitted.

    Faults without a kind are grouped together if they differ only in numbers, quoted names and words with digits.
    """
    kinds: dict[tuple[bool, str], list[RunFault]] = {}
    for fault in faults:
        kinds.setdefault((fault.note, fault.kind or _NAMES.sub("#", fault.what)), []).append(fault)
    for alike in kinds.values():
        yield from alike[:most]
        if (more := len(alike) - most) > 0:
            yield RunFault(0, f"… and {more:,} more; --all shows them", note=alike[0].note, kind=alike[0].kind)


def as_line(fault: RunFault, file: str) -> str:
    """Return a fault as a line of a report, such as ``mine.run:4: note: …``."""
    where = f"{file}:{fault.line}" if fault.line else file
    return f"{where}: {'note: ' if fault.note else ''}{fault.what}"


def summary(checked: CheckedRun, file: str) -> str:
    """Return the last line of a report: the numbers of ranked documents and of faults."""
    faults = "1 fault" if checked.bad == 1 else f"{counted(checked.bad, 'fault')}" if checked.bad else "no faults"
    return f"{file}: {counted(checked.rows, 'document')} ranked ({checked.layout or 'no run'}), {faults}"


def few(names: Sequence[str], most: int = 5) -> str:
    """Join the first names, with an ellipsis if names are omitted."""
    return ", ".join(names[:most]) + (" …" if len(names) > most else "")


def notes_on_order(checked: CheckedRun, ranking: dict[str, list[tuple[int, float, str]]], *, given: str) -> None:
    """Add notes on tied scores and on ranks that contradict the scores, as trec_eval orders documents by score.

    :param ranking: by query, the rank, score and docno of its rows. :param given: subject and verb of the note on the order.
    """
    tied = disordered = 0
    for rows in ranking.values():
        scores = np.asarray(single(score for _, score, _ in sorted(rows, key=lambda row: row[0])))
        disordered += bool((np.diff(scores) > 0).any())
        tied += len(scores) - len(np.unique(scores))
    if disordered:
        what = f"in {counted(disordered, 'query')} {given} not in the order of the scores; trec_eval sorts by score"
        checked.add(0, what, note=True)
    if tied:
        checked.add(
            0,
            f"{counted(tied, 'score ties', 'scores tie')} with another of their query in single precision; trec_eval"
            " orders ties by document",
            note=True,
        )
