"""The named tuples that iterators yield, with the field names of ir_datasets.

Their annotations are read at run time, by PyTerrier among others, and so are real types here.
"""

from typing import NamedTuple


class Document(NamedTuple):
    """A document; '' where it has no title, abstract or venue, None where it says no year."""

    doc_id: str
    title: str
    abstract: str
    venue: str
    year: int | None

    def default_text(self) -> str:
        """title + abstract"""
        return f"{self.title} {self.abstract}".strip()


class Query(NamedTuple):
    query_id: str
    text: str

    def default_text(self) -> str:
        """text"""
        return self.text


class Qrel(NamedTuple):
    """One judgment, as ir_datasets has it.

    :param relevance: negative: pooled, not judged. :param iteration: '0', as in most files of TREC.
    """

    query_id: str
    doc_id: str
    relevance: int
    iteration: str


class ScoredDoc(NamedTuple):
    query_id: str
    doc_id: str
    score: float
