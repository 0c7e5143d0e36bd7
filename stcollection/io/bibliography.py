"""Write documents as references: BibTeX, RIS and CSV.

Records come from the corpus and may contain anything. No value can end its field, start another one, or become a formula.
"""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import quote, urlsplit

from stcollection.cells import spreadsheet_cell


@dataclass(frozen=True, kw_only=True)
class Reference:
    """A document as a bibliography lists it; unknown values are None or empty.

    :param docno: name of the document, part of its BibTeX key. :param kind: type in the record, such as ``Journal``.
    """

    docno: str
    title: str | None = None
    authors: Sequence[str] = ()
    year: int | None = None
    venue: str | None = None
    kind: str | None = None
    volume: str | None = None
    issue: str | None = None
    first_page: str | None = None
    last_page: str | None = None
    publisher: str | None = None
    doi: str | None = None
    url: str | None = None
    abstract: str | None = None
    citations: int | None = None


# type in the record: entry of BibTeX with its field for the venue, type of RIS
_KINDS = {
    "journal": ("article", "journal", "JOUR"),
    "conference": ("inproceedings", "booktitle", "CPAPER"),
    "bookchapter": ("incollection", "booktitle", "CHAP"),
    "book": ("book", "series", "BOOK"),
    "thesis": ("phdthesis", "school", "THES"),
    "patent": ("misc", "howpublished", "PAT"),
}
_OTHER = ("misc", "howpublished", "GEN")
_LATEX = {
    "\\": r"\textbackslash{}", "{": r"\textbraceleft{}", "}": r"\textbraceright{}", "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}", **{sign: f"\\{sign}" for sign in "&%$#_"},
}  # fmt: skip
_COLUMNS = ("docno", "title", "authors", "year", "venue", "type", "citations", "doi", "url")


def source_link(doi: str | None, url: str | None) -> str | None:
    """Return the address of a document: its DOI's, else its URL if that is http or https, else None."""
    name = re.sub(r"^(?:https?://(?:dx\.)?doi\.org/|doi:\s*)", "", (doi or "").strip(), flags=re.IGNORECASE)
    if re.match(r"10\.\d+/\S", name):
        return "https://doi.org/" + quote(name, safe="/:;().-_~")
    try:
        parts = urlsplit((url or "").strip())
    except ValueError:
        return None
    if parts.scheme not in ("http", "https") or not parts.netloc:
        return None
    return quote((url or "").strip(), safe="/:;().-_~?#[]@!$&'*+,=%")


def bibtex(references: Iterable[Reference]) -> str:
    """Return references as a BibTeX file in UTF-8. Titles are written as text: braces, signs and backslashes are escaped."""
    return "\n".join(map(_bibtex, references))


def ris(references: Iterable[Reference]) -> str:
    """Return references as a RIS file. Each value is one line, so that none can start another tag."""
    return "".join(map(_ris, references))


def as_csv(references: Iterable[Reference]) -> str:
    """Return references as a CSV table; authors are separated by '; '. Cells that begin like formulas get an apostrophe."""
    text = io.StringIO(newline="")
    table = csv.writer(text, lineterminator="\n")
    table.writerow(_COLUMNS)
    for ref in references:
        cells = (ref.docno, ref.title, "; ".join(ref.authors), ref.year, ref.venue, ref.kind, ref.citations, ref.doi, ref.url)
        table.writerow([spreadsheet_cell(None if cell is None else cell) for cell in cells])
    return text.getvalue()


FORMATS: Mapping[str, Callable[[Iterable[Reference]], str]] = {"csv": as_csv, "bib": bibtex, "ris": ris}


def _line(text: object) -> str:
    """Return a text on one line, without control characters."""
    visible = "".join(" " if unicodedata.category(sign) in ("Cc", "Zl", "Zp", "Cs") else sign for sign in str(text))
    return " ".join(visible.split())


def _latex(text: object) -> str:
    return "".join(_LATEX.get(sign, sign) for sign in _line(text))


def _split(name: str) -> tuple[str, str]:
    """Return surname and first names. Particles in lower case (van, de) belong to the surname; digits at the end are omitted."""
    if "," in name:
        surname, _, first = name.partition(",")
        return _line(surname), _line(first)
    words = _line(name).split()
    while len(words) > 1 and words[-1].isdecimal():  # dblp numbers people of the same name
        words.pop()
    place = len(words) - 1
    while place > 1 and words[place - 1].islower():
        place -= 1
    return " ".join(words[place:]), " ".join(words[:place])


def _key(ref: Reference) -> str:
    """Return a BibTeX key of letters, digits, '_' and '-': surname, year, docno."""
    surname = _split(ref.authors[0])[0] if ref.authors else "anon"
    plain = [re.sub(r"[^A-Za-z0-9-]+", "", unicodedata.normalize("NFKD", part)) for part in (surname, ref.docno)]
    return f"{(plain[0] or 'anon').lower()}{ref.year or ''}_{plain[1] or 'x'}"


def _pages(ref: Reference, dash: str) -> str | None:
    return dash.join(page for page in (ref.first_page, ref.last_page) if page) or None


def _bibtex_name(name: str) -> str:
    """Return a name for BibTeX. BibTeX splits at the word "and", so a name that contains it is in braces and not divided."""
    if re.search(r"\band\b", name, re.IGNORECASE):
        return "{" + _latex(name) + "}"
    return ", ".join(_latex(part) for part in _split(name) if part)


def _bibtex(ref: Reference) -> str:
    entry, place, _ = _KINDS.get((ref.kind or "").lower(), _OTHER)
    link = source_link(ref.doi, ref.url)
    fields = {
        "title": ref.title and _latex(ref.title),
        "author": " and ".join(name for name in map(_bibtex_name, ref.authors) if name),
        "year": ref.year,
        place: ref.venue and _latex(ref.venue),
        "volume": ref.volume and _latex(ref.volume),
        "number": ref.issue and _latex(ref.issue),
        "pages": (pages := _pages(ref, "--")) and _latex(pages),
        "publisher": ref.publisher and _latex(ref.publisher),
        "doi": link.removeprefix("https://doi.org/") if link and link.startswith("https://doi.org/") else None,
        "url": link,
    }
    lines = "".join(f"  {name} = {{{value}}},\n" for name, value in fields.items() if value)
    return f"@{entry}{{{_key(ref)},\n{lines}}}\n"


def _ris(ref: Reference) -> str:
    _, _, kind = _KINDS.get((ref.kind or "").lower(), _OTHER)
    authors = [("AU", ", ".join(part for part in _split(name) if part)) for name in ref.authors]
    link = source_link(ref.doi, ref.url)
    tags: list[tuple[str, object]] = [
        ("TY", kind), ("ID", ref.docno), ("TI", ref.title), *authors, ("PY", ref.year), ("T2", ref.venue), ("VL", ref.volume),
        ("IS", ref.issue), ("SP", ref.first_page), ("EP", ref.last_page), ("PB", ref.publisher), ("DO", ref.doi), ("UR", link),
        ("AB", ref.abstract),
    ]  # fmt: skip
    lines = [f"{tag}  - {_line(value)}" for tag, value in tags if value is not None and _line(value)]
    return "\r\n".join([*lines, "ER  - ", "", ""])
