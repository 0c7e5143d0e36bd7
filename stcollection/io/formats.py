"""What a file format is: its name, how a file of it is recognised, what reads it and what writes it.

The formats themselves are listed in :mod:`stcollection.io.registry`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, ClassVar, Literal

from stcollection.cells import HtmlFields
from stcollection.io.corpus.fields import FieldNames
from stcollection.io.corpus.head import Head
from stcollection.io.corpus.split import Splitter
from stcollection.io.files import Progress
from stcollection.io.qrels.table import Columns, Table
from stcollection.io.records import DocumentRecord, Judgment, QueryRecord, Ranked

Kind = Literal["corpus", "topics", "qrels", "runs"]
FIELDS = ("title", "desc", "narr", "title+desc")
NUMBERS = ("id", "position")


@dataclass(frozen=True, kw_only=True)
class Format:
    """A format of one kind of file.

    :param name: what ``--format`` takes.
    :param title: what it is, in a line.
    :param extensions: usual endings of file names. Files are recognised by their content; these only order suggestions.
    :param recognised: what the content begins with, in words.
    :param fields: the fields of the file that are read, and what each becomes.
    :param example: a file in docs/examples.
    """

    kind: ClassVar[Kind]
    name: str
    title: str
    extensions: tuple[str, ...]
    recognised: str
    fields: Mapping[str, str]
    example: str

    @property
    def writes(self) -> bool:
        """Whether the collection can write it."""
        return getattr(self, "write", None) is not None


Parser = Callable[[bytes, int], DocumentRecord]


@dataclass(frozen=True, kw_only=True)
class CorpusFormat(Format):
    """A format of documents.

    :param layout: how a stream that begins so falls into records; None if it cannot be of this format.
    :param sniff: whether a stream that begins so is of this format, and of no other.
    :param parse: a record and its line to a document. Raises :class:`~stcollection.io.corpus.documents.Refused`.
    :param renamed: a parser for other names of fields; None if the format has its own.
    """

    kind = "corpus"
    layout: Callable[[Head], Splitter | None]
    sniff: Callable[[Head], bool]
    parse: Parser
    renamed: Callable[[FieldNames], Parser] | None = None


@dataclass(frozen=True, kw_only=True)
class QueryOptions:
    """What of a file of topics becomes its queries.

    :param field: one of FIELDS: what of a TREC topic is its query.
    :param number: one of NUMBERS: what names a SMART query, its ``.I`` or its position; None decides by the file.
    """

    field: str = "title"
    number: str | None = None


@dataclass(frozen=True, kw_only=True)
class TopicFormat(Format):
    """A format of topics.

    :param sniff: whether a text is of this format. The registry asks the formats in its order.
    :param read: the queries of a file, given its path (for messages) and its text.
    :param note: how options that were not given were chosen, such as ``numbered by id``; '' if there is no choice.
    """

    kind = "topics"
    sniff: Callable[[str], bool]
    read: Callable[[Path, str, QueryOptions], Iterator[QueryRecord]]
    note: Callable[[str, QueryOptions], str] = lambda _text, _options: ""


@dataclass(frozen=True, kw_only=True)
class QrelsFormat(Format):
    """A format of judgments.

    :param sniff: the columns of a table of this format, None if it is of another. The registry asks the formats in its order.
    :param write: write judgments, return how many. ``simulated`` marks them as made up, if the format has a place for it.
    """

    kind = "qrels"
    sniff: Callable[[Table], Columns | None]
    write: Callable[[Iterable[Judgment], BinaryIO, bool], int] | None = None


@dataclass(frozen=True, kw_only=True)
class RunFile:
    """A run as it is read.

    :param run_id: the file's name for it, with team and task; None if the format has none.
    :param tag: its name in the format's own column; None if the format has none.
    :param manual: None if the format does not say.
    :param rows: lines of line, query, docno, rank, rel_score, comb_score and passage, as COPY takes them in text.
    """

    run_id: str | None
    tag: str | None
    manual: bool | None
    rows: Iterator[bytes]


@dataclass(frozen=True, kw_only=True)
class RunHeader:
    """What a writer needs to know of a run, besides its rankings.

    :param name: of the run. :param run_id: TEAM_task1_NAME.
    :param score: ``rel`` or ``comb``: which score ranks the documents.
    :param rel_in_unit, comb_in_unit: whether all of its scores are in [0, 1].
    """

    name: str
    run_id: str
    manual: bool
    score: str
    rel_in_unit: bool
    comb_in_unit: bool


@dataclass(frozen=True, kw_only=True)
class Exported(HtmlFields):
    """What was written of a run.

    :param without_passage: documents without any text in the collection; their passage is empty.
    :param cut: documents left out because 2022's format has no room for them.
    """

    run: str
    queries: int
    ranked: int
    without_passage: int = 0
    cut: int = 0


ScoredRow = tuple[bytes, bytes, float]  # query, docno and score of a row
RunReader = Callable[[Path, str, Progress | None], RunFile]
RunWriter = Callable[[Iterable[list[Ranked]], BinaryIO, RunHeader], Exported]


@dataclass(frozen=True, kw_only=True)
class RunFormat(Format):
    """A format of runs.

    :param sniff: whether a file that begins with this text is of this format. The registry asks the formats in its order.
    :param read: a file, given its path, the score that ranks (``rel`` or ``comb``) and a callback for progress.
    :param scores: a faster way to read queries, documents and scores alone; None takes them from ``read``.
    :param write: write rankings, query by query.
    :param passages: whether it has a place for passages.
    """

    kind = "runs"
    sniff: Callable[[str], bool]
    read: RunReader
    scores: Callable[[Path], Iterator[ScoredRow]] | None = None
    write: RunWriter | None = None
    passages: bool = False
