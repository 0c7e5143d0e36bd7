"""Parts of a report before it is Markdown or HTML: sections of paragraphs, tables, figures and missing parts."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from typing import Annotated, Any, NamedTuple

from stcollection.cells import spreadsheet_cell
from stcollection.counts import counted
from stcollection.declared import INTERNAL, AllowedRange, Option, check_fields
from stcollection.errors import StcError
from stcollection.evaluation.measures import Measure, nDCG
from stcollection.plots.canvas import Figure, write
from stcollection.topics.sets import ALL

Cell = str | int | float | None


@dataclass(frozen=True, kw_only=True)
class StudySources:
    """Inputs of a study report, by their names in the collection.

    :param edition: judges queries of several origins.
    :param llm: Edition in which a language model judged the same queries.
    :param sparse: Edition with one judgment per query: the document it was made from.
    :param study: Study that generated the queries.  ['stc synth' lists the studies]
    :param measure: that systems are scored by. :param runs: Use only this run. Repeatable.
    :param seed: Seed of the randomisation and the bootstrap. :param resamples: Number of bootstrap resamples and permutations.
    :param queries: the set of queries to report on.
    :param scored: the edition that systems are ranked by; None: ``edition``.
    """

    edition: Annotated[str, Option("EDITION", default="the only edition")]
    llm: Annotated[str | None, Option(metavar="EDITION")] = None
    sparse: Annotated[str | None, Option(metavar="EDITION")] = None
    study: Annotated[str | None, Option(metavar="NAME")] = None
    measure: Measure = field(default_factory=lambda: nDCG @ 10)
    runs: Annotated[tuple[str, ...], Option("--runs", metavar="RUN", default="all of the edition")] = ()
    seed: Annotated[int, AllowedRange(ge=0)] = 0
    resamples: Annotated[int, AllowedRange(ge=100, le=1_000_000)] = 2000
    queries: str = ALL
    scored: Annotated[str | None, INTERNAL] = None

    def __post_init__(self) -> None:
        check_fields(self)

    @property
    def ranking(self) -> str:
        return self.scored or self.edition

    @property
    def ranked(self) -> dict[str, Any]:
        """The arguments of an analysis of the runs."""
        return {"edition": self.ranking, "measure": self.measure, "runs": self.runs, "queries": self.queries}


@dataclass(frozen=True, kw_only=True)
class ReportTable:
    """One table of a report.

    A column with the header ``p`` contains p-values; a value that would be shown as 0 is shown as less than the last digit.

    :param name: name of its file, in lower case.
    :param digits: decimal places of non-integers; the file has full precision.
    :param brief: indexes of the rows shown to readers; the file has all. None: all.
    """

    name: str
    caption: str
    headers: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    digits: int = 3
    brief: tuple[int, ...] | None = None

    def as_csv(self, *, simulated: bool = False) -> str:
        """Return the table as CSV, all rows. :param simulated: add a last column ``simulated``, true in every row."""
        lines = io.StringIO()
        writer = csv.writer(lines, lineterminator="\n")
        mark = [True] if simulated else []
        writer.writerow([*self.headers, *(["simulated"] if mark else [])])
        writer.writerows([[*("" if _nothing(cell) else spreadsheet_cell(cell) for cell in row), *mark] for row in self.rows])
        return lines.getvalue()

    def numeric(self) -> tuple[bool, ...]:
        """Return whether each column is numeric, and so right-aligned."""
        columns = [[row[at] for row in self.rows if row[at] is not None] for at in range(len(self.headers))]
        return tuple(
            bool(column) and all(isinstance(cell, int | float) and not isinstance(cell, bool) for cell in column)
            for column in columns
        )

    def shown(self) -> list[tuple[str, ...]]:
        """Return the displayed cells of the rows that are shown."""
        rows = self.rows if self.brief is None else [self.rows[at] for at in self.brief]
        least = 10**-self.digits
        return [
            tuple(
                f"<{least:g}" if of == "p" and isinstance(cell, float) and 0 <= cell < least else shown(cell, self.digits)
                for of, cell in zip(self.headers, row, strict=True)
            )
            for row in rows
        ]

    def full_caption(self) -> str:
        """Return the caption, with the number of rows that are only in the file."""
        hidden = 0 if self.brief is None else len(self.rows) - len(self.brief)
        return f"{self.caption} {counted(hidden, 'further row')} in the file." if hidden else self.caption


@dataclass(frozen=True, kw_only=True)
class Picture:
    """A figure as SVG."""

    name: str
    caption: str
    svg: bytes


@dataclass(frozen=True, kw_only=True)
class Missing:
    """A part that a section cannot show, and how to provide it. :param command: as typed in a shell."""

    what: str
    hint: str | None = None
    command: str | None = None


@dataclass(frozen=True, kw_only=True)
class Section:
    """One part of a report. :param name: in lower case; prefix of its file names. :param notes: how to read it."""

    name: str = ""
    title: str = ""
    paragraphs: tuple[str, ...] = ()
    tables: tuple[ReportTable, ...] = ()
    figures: tuple[Picture, ...] = ()
    notes: tuple[str, ...] = ()
    missing: tuple[Missing, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Report:
    """A report that can be written to files.

    :param about: one line below the title.
    :param simulated: it shows simulated judgments; the table files are marked.
    """

    title: str
    about: str
    sections: tuple[Section, ...]
    simulated: bool = False


def table_of(
    name: str,
    caption: str,
    rows: Sequence[NamedTuple],
    columns: str,
    *,
    digits: int = 3,
    brief: tuple[int, ...] | None = None,
) -> ReportTable:
    """Build a table from some fields of rows. :param columns: fields, with another header as in ``origin | mean | low: from``."""
    fields = [column.partition(": ") for column in columns.split(" | ")]
    headers = tuple(header or field for field, _, header in fields)
    cells = tuple(tuple(getattr(row, field) for field, _, _ in fields) for row in rows)
    return ReportTable(name=name, caption=caption, headers=headers, rows=cells, digits=digits, brief=brief)


def missing_for(error: StcError) -> Missing:
    """Convert an error to a missing part."""
    return Missing(what=error.message, hint=error.hint)


def picture(name: str, caption: str, make: Callable[[], Figure]) -> Picture | Missing:
    """Draw a figure, or return the reason why it is missing, so that the tables next to it remain."""
    try:
        file = BytesIO()
        write(make(), file, kind="svg")
    except StcError as error:
        return Missing(what=f"No figure of {caption[:1].lower()}{caption[1:].rstrip('.')}: {error.message}", hint=error.hint)
    return Picture(name=name, caption=caption, svg=file.getvalue())


def apart(drawn: Sequence[Picture | Missing]) -> tuple[tuple[Picture, ...], tuple[Missing, ...]]:
    """Separate the figures that were drawn from the missing ones."""
    return tuple(part for part in drawn if isinstance(part, Picture)), tuple(part for part in drawn if isinstance(part, Missing))


def shown(cell: Cell, digits: int = 3) -> str:
    """Format a cell for display: integers with commas, others rounded, a dash for None."""
    if _nothing(cell):
        return "–"
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, int):
        return f"{cell:,}".replace("-", "\N{MINUS SIGN}")
    if isinstance(cell, float):
        return f"{round(cell, digits) or 0.0:,.{digits}f}".replace("-", "\N{MINUS SIGN}")
    return str(cell)


def listed(names: Sequence[str], *, most: int = 8) -> str:
    """Join names as ``a, b and c``; of a long list, the first names and the number of others."""
    names = list(names)
    if len(names) > most:
        return f"{', '.join(names[:most])} and {len(names) - most:,} more"
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _nothing(cell: Cell) -> bool:
    return cell is None or (isinstance(cell, float) and math.isnan(cell))
