"""Records of files: documents, queries, judgments and ranked documents."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import NamedTuple


@dataclass(slots=True)
class DocumentRecord:
    """A document, ready to be stored.

    :param line: first line of its record in the file, from 1.
    :param docno: its external name.
    :param number: its id if docno is an integer in shortest form within bigint; None lets the store number it in file order.
    :param doc: the record as UTF-8 JSON that PostgreSQL accepts.
    :param title: None if missing.
    :param abstract: None if missing.
    :param cleaned: True if characters that PostgreSQL refuses were removed.
    :param cut: True if title and abstract were longer than MAX_TEXT, and were cut; doc has all.
    :param unread: fields that look like text but are not read as text.
    :param split: True if another file of the same collection may have other fields of the document.
    """

    line: int
    docno: str
    number: int | None
    doc: bytes
    title: str | None
    abstract: str | None
    cleaned: bool = False
    cut: bool = False
    unread: tuple[str, ...] = ()
    split: bool = False


@dataclass(frozen=True, kw_only=True)
class QueryRecord:
    """A query, with its topic if the file has one.

    :param line: its first line in the file, from 1.
    :param topic: name of its topic; None if the format has no topics.
    :param topic_title, article, source, published: title, full text, newspaper and date of the article that the topic comes from.
    :param excluded: docnos of the documents that are left out for the query; None: the file does not say.
    """

    line: int
    query: str
    text: str
    topic: str | None = None
    topic_text: str | None = None
    url: str | None = None
    abstract_url: str | None = None
    topic_title: str | None = None
    article: str | None = None
    source: str | None = None
    published: date | None = None
    excluded: tuple[str, ...] | None = None


@dataclass(frozen=True, kw_only=True)
class ArticleRecord:
    """A press article that a topic comes from.

    :param place: its file, or file and line, for messages. :param text: paragraphs, separated by empty lines.
    :param source: newspaper or website.
    """

    place: str
    topic: str
    text: str
    title: str | None = None
    url: str | None = None
    source: str | None = None
    published: date | None = None


class Judgment(NamedTuple):
    """The grade of one document for one query.

    :param line: line of its file, from 1; 0 without a file.
    :param origin: None if the file does not state it. :param simulated: True if the file marks it as simulated.
    :param stratum: stratum of a sampled pool; a negative grade then means that the document was not drawn. None without strata.
    """

    query: str
    doc: str
    rel: int
    line: int = 0
    topic: str | None = None
    origin: str | None = None
    annotator: str | None = None
    simulated: bool = False
    stratum: str | None = None


@dataclass(frozen=True, kw_only=True)
class Ranked:
    """One document of a ranking.

    :param line: line of its file, from 1; 0 without a file.
    :param query: its query_id; in a file its topic_id if query_id is 0 or missing (2022: retrieved for the topic itself).
    :param rank: rank in the file; None if the file has scores instead.
    """

    query: str
    docno: str
    rank: int | None
    rel_score: float
    comb_score: float | None
    passage: str | None
    topic: str = ""
    line: int = 0

    @property
    def combined(self) -> float:
        """The comb_score, or rel_score if the run has no comb_score."""
        return self.rel_score if self.comb_score is None else self.comb_score
