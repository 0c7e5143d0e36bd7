"""What the field's files hold: documents, queries, judgments and ranked documents."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class DocumentRecord:
    """A document as it is stored.

    :param line: of its file, 1-based, where its record begins.
    :param docno: its name in the outside world.
    :param number: its id where docno is a whole number in shortest form within bigint; None: the store numbers it, in the order of
        the file.
    :param doc: the record as UTF-8 JSON that PostgreSQL takes.
    :param title: None where it has none.
    :param abstract: None where it has none.
    :param cleaned: characters were removed that PostgreSQL refuses, or the text was cut at MAX_TEXT.
    :param unread: fields that look like its text, and are not read as such.
    """

    line: int
    docno: str
    number: int | None
    doc: bytes
    title: str | None
    abstract: str | None
    cleaned: bool = False
    unread: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class QueryRecord:
    """A query, with its topic if the file names one.

    :param line: where it begins in its file, from 1.
    :param topic: name of its topic; None where the format has none.
    """

    line: int
    query: str
    text: str
    topic: str | None = None
    topic_text: str | None = None
    url: str | None = None
    abstract_url: str | None = None


@dataclass(frozen=True, kw_only=True)
class Judgment:
    """The grade of one document for one query.

    :param line: of its file, from 1; 0 if it comes from no file.
    :param origin: None if the file does not name it. :param simulated: the file marks it as made up.
    """

    query: str
    doc: str
    rel: int
    line: int = 0
    topic: str | None = None
    origin: str | None = None
    annotator: str | None = None
    simulated: bool = False


@dataclass(frozen=True, kw_only=True)
class Ranked:
    """One document of a ranking.

    :param line: of its file, from 1; 0 if it comes from no file.
    :param query: its query_id. In a file, its topic_id if that is 0 or missing (2022: retrieved for the topic as such).
    :param rank: of the file; None if the file has scores instead.
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
        """comb_score, or rel_score if the run has no comb_score."""
        return self.rel_score if self.comb_score is None else self.comb_score
