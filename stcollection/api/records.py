"""The named tuples that iterators yield, with the field names of ir_datasets.

PyTerrier and others read the annotations at run time, so they must be types, not strings.
"""

from typing import NamedTuple


class Document(NamedTuple):
    """A document. A missing title, abstract or venue is '', a missing year None."""

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
    """One judgment, as in ir_datasets.

    :param relevance: the grade; negative if pooled but not judged. :param iteration: '0', as in most TREC files.
    """

    query_id: str
    doc_id: str
    relevance: int
    iteration: str


class ScoredDoc(NamedTuple):
    query_id: str
    doc_id: str
    score: float
