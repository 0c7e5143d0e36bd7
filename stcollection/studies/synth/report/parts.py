"""What a report is made of, before it is Markdown or HTML: sections of paragraphs, tables and figures, and what is missing."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from typing import NamedTuple

from stcollection import moved
from stcollection.cells import spreadsheet_cell
from stcollection.errors import StcError
from stcollection.evaluation.measures import Measure, nDCG
from stcollection.plots.canvas import Figure, write

Cell = str | int | float | None


__getattr__ = moved.renamed(__name__, Asked="StudySources")


@dataclass(frozen=True, kw_only=True)
class StudySources:
    """What a study is made of, by the names of the collection.

    :param edition: that judges queries of several origins. :param llm: another one, by a language model, of the same queries.
    :param sparse: one judgment a query, its source. :param study: in which the queries were made.
    :param seed, resamples: of what is drawn at random, in every section.
    :param scored: the edition that systems are ranked by; None is ``edition``.
    """

    edition: str
    llm: str | None = None
    sparse: str | None = None
    study: str | None = None
    measure: Measure = field(default_factory=lambda: nDCG @ 10)
    runs: tuple[str, ...] = ()
    seed: int = 0
    resamples: int = 2000
    scored: str | None = None

    @property
    def ranking(self) -> str:
        return self.scored or self.edition


@dataclass(frozen=True, kw_only=True)
class ReportTable:
    """One table of a report.

    :param name: of its file, in small letters. :param digits: of its numbers that are not whole; the file has them in full.

    A column with the header ``p`` is one of probabilities: what would be shown as 0 is shown as less than the last digit.

    :param brief: places of the rows that a reader is shown, from 0; the file has all. None shows all.
    """

    name: str
    caption: str
    headers: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    digits: int = 3
    brief: tuple[int, ...] | None = None

    def as_csv(self, *, simulated: bool = False) -> str:
        """The table as CSV, all rows. :param simulated: add a last column ``simulated``, true in every row."""
        lines = io.StringIO()
        writer = csv.writer(lines, lineterminator="\n")
        mark = [True] if simulated else []
        writer.writerow([*self.headers, *(["simulated"] if mark else [])])
        writer.writerows([[*("" if _nothing(cell) else spreadsheet_cell(cell) for cell in row), *mark] for row in self.rows])
        return lines.getvalue()

    def numeric(self) -> tuple[bool, ...]:
        """Whether each column holds numbers, so that it is set to the right."""
        columns = [[row[at] for row in self.rows if row[at] is not None] for at in range(len(self.headers))]
        return tuple(
            bool(column) and all(isinstance(cell, int | float) and not isinstance(cell, bool) for cell in column)
            for column in columns
        )

    def shown(self) -> list[tuple[str, ...]]:
        """The cells as a reader sees them, of the rows that are shown."""
        rows = self.rows if self.brief is None else [self.rows[at] for at in self.brief]
        least = 10**-self.digits
        return [
            tuple(
                f"<{least:g}" if of == "p" and isinstance(cell, float) and 0 <= cell < least else shown(cell, self.digits)
                for of, cell in zip(self.headers, row, strict=True)
            )
            for row in rows
        ]

    def told(self) -> str:
        """The caption, and how many rows are in the file alone."""
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
    """What a section cannot show, and what brings it. :param command: as it is typed."""

    what: str
    hint: str | None = None
    command: str | None = None


@dataclass(frozen=True, kw_only=True)
class Section:
    """One part of a report. :param name: in small letters; begins the names of its files. :param notes: how to read it."""

    name: str
    title: str
    paragraphs: tuple[str, ...] = ()
    tables: tuple[ReportTable, ...] = ()
    figures: tuple[Picture, ...] = ()
    notes: tuple[str, ...] = ()
    missing: tuple[Missing, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Report:
    """A report, as it is written to files.

    :param about: one line below the title. :param simulated: it shows simulated judgments; the tables' files say so.
    """

    title: str
    about: str
    sections: tuple[Section, ...]
    simulated: bool = False


def table_of(
    name: str,
    caption: str,
    rows: Sequence[NamedTuple],
    columns: Mapping[str, str],
    *,
    digits: int = 3,
    brief: tuple[int, ...] | None = None,
) -> ReportTable:
    """A table of some fields of rows. :param columns: headers by the name of their field, in order."""
    cells = tuple(tuple(getattr(row, of) for of in columns) for row in rows)
    return ReportTable(name=name, caption=caption, headers=tuple(columns.values()), rows=cells, digits=digits, brief=brief)


def missing_for(error: StcError) -> Missing:
    """An error as what is missing."""
    return Missing(what=error.message, hint=error.hint)


def picture(name: str, caption: str, make: Callable[[], Figure]) -> Picture | Missing:
    """A figure drawn; or why it was not, so that the tables beside it stand."""
    try:
        file = BytesIO()
        write(make(), file, kind="svg")
    except StcError as error:
        return Missing(what=f"No figure of {caption[:1].lower()}{caption[1:].rstrip('.')}: {error.message}", hint=error.hint)
    return Picture(name=name, caption=caption, svg=file.getvalue())


def apart(drawn: Sequence[Picture | Missing]) -> tuple[tuple[Picture, ...], tuple[Missing, ...]]:
    """The figures that were drawn, and what is told of the others."""
    return tuple(one for one in drawn if isinstance(one, Picture)), tuple(one for one in drawn if isinstance(one, Missing))


def shown(cell: Cell, digits: int = 3) -> str:
    """A cell as a reader sees it: whole numbers with commas, others rounded, a dash for none."""
    if _nothing(cell):
        return "–"
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, int):
        return f"{cell:,}".replace("-", "\N{MINUS SIGN}")
    if isinstance(cell, float):
        return f"{round(cell, digits) or 0.0:,.{digits}f}".replace("-", "\N{MINUS SIGN}")
    return str(cell)


def printed(text: str) -> str:
    """A text on one line: blanks single, signs that cannot be printed (control characters, changes of direction) as U+FFFD."""
    return "".join(sign if sign.isprintable() else "\ufffd" for sign in " ".join(text.split()))


def counted(number: int, one: str, several: str | None = None) -> str:
    """``1 query``, ``2,000 queries``."""
    return f"{number:,} {one if number == 1 else several or one + 's'}"


def listed(names: Sequence[str], *, most: int = 8) -> str:
    """``a, b and c``; of more than there is room for, the first ones and how many more."""
    names = list(names)
    if len(names) > most:
        return f"{', '.join(names[:most])} and {len(names) - most:,} more"
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _nothing(cell: Cell) -> bool:
    return cell is None or (isinstance(cell, float) and math.isnan(cell))
