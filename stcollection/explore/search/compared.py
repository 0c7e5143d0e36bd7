"""One search by several systems and the grades of several editions, aligned by document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from stcollection.errors import UnknownObject
from stcollection.explore.marks import MARKED
from stcollection.explore.search.asking import SearchPage, SearchRequest, Shown
from stcollection.texts import later


class ComparedDocument(NamedTuple):
    """A document that at least one system ranks.

    :param ranks: by system; None if it is not among the first k. :param grades: by edition; None if it is not judged. If several
        stored queries have the text of the search, the highest grade.
    """

    document: Shown
    ranks: dict[str, int | None]
    grades: dict[str, int | None]

    @property
    def common(self) -> bool:
        """True if every system ranks it."""
        return None not in self.ranks.values()

    @property
    def disputed(self) -> bool:
        """True if editions give it different grades."""
        return len({rel for rel in self.grades.values() if rel is not None}) > 1


class JudgedCount(NamedTuple):
    """How many of the first documents of a system are judged in an edition, and relevant."""

    system: str
    edition: str
    judged: int
    relevant: int


class SearchComparison(NamedTuple):
    """A search compared. :param documents: by their best rank, then in the order of the systems."""

    systems: tuple[str, ...]
    editions: list[str]
    documents: list[ComparedDocument]
    counts: list[JudgedCount]

    @property
    def common(self) -> int:
        """The number of documents that every system ranks."""
        return sum(row.common for row in self.documents)

    @property
    def disputed(self) -> int:
        """The number of documents with different grades."""
        return sum(row.disputed for row in self.documents)


def chosen_editions(given: str, stored: Sequence[str]) -> list[str]:
    """Return the editions in an address, all if it names none. :raises UnknownObject: one does not exist."""
    names = list(dict.fromkeys(filter(None, (name.strip() for name in given.split(",")))))
    unknown = next((name for name in names if name not in stored), None)
    if unknown is not None:
        raise UnknownObject(
            later("there is no edition {edition!r}", edition=unknown[:80]),
            hint=later("The editions are {editions}.", editions=", ".join(stored)) if stored else later("No edition is stored."),
            sqlstate="IR102",
        )
    return names or list(stored)


def compare(request: SearchRequest, found: SearchPage, editions: Sequence[str]) -> SearchComparison:
    """Align the rankings of a search."""
    listed = [(row.rank, request.systems.index(row.system), row) for row in found.beside or found.rows]
    documents: dict[int, ComparedDocument] = {}
    for rank, _, row in sorted(listed, key=lambda placed: placed[:2]):
        if row.doc not in documents:
            documents[row.doc] = ComparedDocument(row, dict.fromkeys(request.systems), _grades(found, row.doc, editions))
        documents[row.doc].ranks[row.system] = rank
    rows = list(documents.values())
    counts = [_count(rows, system, edition) for system in request.systems for edition in editions]
    return SearchComparison(request.systems, list(editions), rows, counts)


def _count(rows: Sequence[ComparedDocument], system: str, edition: str) -> JudgedCount:
    grades = [row.grades[edition] for row in rows if row.ranks[system] is not None]
    judged = [rel for rel in grades if rel is not None]
    return JudgedCount(system, edition, len(judged), sum(rel > 0 for rel in judged))


def _grades(found: SearchPage, doc: int, editions: Sequence[str]) -> dict[str, int | None]:
    judged = found.judged.get(doc, [])
    return {edition: max((row.rel for row in judged if row.edition == edition), default=None) for edition in editions}


def comparison_record(request: SearchRequest, compared: SearchComparison) -> Mapping[str, Any]:
    """Return a comparison for programs."""
    return {
        "query": request.text,
        "systems": compared.systems,
        "editions": compared.editions,
        "k": request.k,
        "filter": request.filter,
        "common": compared.common,
        "disputed": compared.disputed,
        "counts": [row._asdict() for row in compared.counts],
        "documents": [
            {
                "doc": row.document.doc,
                "docno": row.document.docno,
                "title": row.document.title and MARKED.sub(r"\1", row.document.title),
                "year": row.document.year,
                "venue": row.document.venue,
                "ranks": row.ranks,
                "grades": row.grades,
                "common": row.common,
                "disputed": row.disputed,
            }
            for row in compared.documents
        ],
    }
