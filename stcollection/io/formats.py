"""File formats: name, detection, reader and writer.

The formats themselves are listed in :mod:`stcollection.io.registry`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, ClassVar, Literal

from stcollection.cells import HtmlFields
from stcollection.io.corpus.fields import DEFAULT, FieldNames
from stcollection.io.corpus.head import Head
from stcollection.io.corpus.split import Splitter
from stcollection.io.files import Progress
from stcollection.io.qrels.table import Columns, Table
from stcollection.io.records import DocumentRecord, Judgment, QueryRecord, Ranked

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Kind = Literal["corpus", "topics", "qrels", "runs"]
FIELDS = ("title", "desc", "narr", "title+desc")
NUMBERS = ("id", "position")


@dataclass(frozen=True, kw_only=True)
class Format:
    """A format of one kind of file.

    :param name: value for ``--format``.
    :param title: description in one line.
    :param extensions: usual file extensions. Files are recognised by content; extensions only order suggestions.
    :param recognised: description of the beginning of such a file.
    :param fields: fields that are read from the file, with their meaning in the collection.
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
        """True if files of this format can be written."""
        return getattr(self, "write", None) is not None


Parser = Callable[[bytes, int], DocumentRecord]


@dataclass(frozen=True, kw_only=True)
class CorpusFormat(Format):
    """A format of documents.

    :param layout: returns the splitter into records for a stream with this beginning; None if it cannot have this format.
    :param sniff: returns True if a stream with this beginning has this format and no other.
    :param parse: converts a record and its line to a document. Raises :class:`~stcollection.io.corpus.documents.RefusedRecord`.
    :param renamed: returns a parser for other field names; None if the format defines its field names.
    :param texts: the parts of a document that the format has; a load warns if all documents lack one of them.
    :param source: name of the source in the view documents; None is the name of the format.
    """

    kind = "corpus"
    layout: Callable[[Head], Splitter | None]
    sniff: Callable[[Head], bool]
    parse: Parser
    renamed: Callable[[FieldNames], Parser] | None = None
    texts: tuple[str, ...] = ("text", "title")
    source: str | None = None


@dataclass(frozen=True, kw_only=True)
class QueryOptions:
    """Options for reading queries from a file of topics.

    :param field: one of FIELDS: part of a TREC topic that is the query.
    :param number: one of NUMBERS: name SMART queries by ``.I`` or by position; None decides by the file.
    :param fields: names of the fields of a table or of JSON objects, if they are not the usual ones.
    """

    field: str = "title"
    number: str | None = None
    fields: FieldNames = DEFAULT


@dataclass(frozen=True, kw_only=True)
class TopicFormat(Format):
    """A format of topics.

    :param sniff: returns True if a text has this format. The registry tries the formats in its order.
    :param read: yields the queries of a file, given its path (for messages) and its text.
    :param note: describes how unset options were chosen, such as ``numbered by id``; '' if there was no choice.
    :param renamed: True if the format accepts other names of fields.
    """

    kind = "topics"
    sniff: Callable[[str], bool]
    read: Callable[[Path, str, QueryOptions], Iterator[QueryRecord]]
    note: Callable[[str, QueryOptions], str] = lambda _text, _options: ""
    renamed: bool = False


@dataclass(frozen=True, kw_only=True)
class QrelsFormat(Format):
    """A format of judgments.

    :param sniff: returns the columns of a table in this format, else None. The registry tries the formats in its order.
    :param write: writes judgments and returns their number; marks them as simulated if the format can represent it.
    """

    kind = "qrels"
    sniff: Callable[[Table], Columns | None]
    write: Callable[[Iterable[Judgment], BinaryIO, bool], int] | None = None


@dataclass(frozen=True, kw_only=True)
class RunColumns:
    """The rows of a run, in the order of the file. Names contain no white space.

    :param queries: distinct names of queries. :param docnos: distinct names of documents.
    :param query: int32[n], index of each row's query. :param doc: int32[n], index of its document.
    :param rank: int32[n], rank in the file. :param score: float64[n], finite.
    """

    queries: Sequence[bytes]
    docnos: Sequence[bytes]
    query: NDArray[np.int32]
    doc: NDArray[np.int32]
    rank: NDArray[np.int32]
    score: NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class RunFile:
    """A run read from a file.

    :param run_id: its run_id with team and task; None if the format has none.
    :param tag: its tag; None if the format has none.
    :param manual: None if the format does not state it.
    :param rows: lines of line, query, docno, rank, rel_score, comb_score and passage in the text format of COPY.
    :param columns: reads the same rows as columns, if the format can; returns None if a row is unusual or invalid.
    """

    run_id: str | None
    tag: str | None
    manual: bool | None
    rows: Iterator[bytes]
    columns: Callable[[], RunColumns | None] | None = None


@dataclass(frozen=True, kw_only=True)
class RunHeader:
    """Facts about a run that a writer needs in addition to the rankings.

    :param name: name of the run. :param run_id: TEAM_task1_NAME.
    :param score: the score that ranks the documents, ``rel`` or ``comb``.
    :param rel_in_unit, comb_in_unit: True if all these scores are in [0, 1].
    """

    name: str
    run_id: str
    manual: bool
    score: str
    rel_in_unit: bool
    comb_in_unit: bool


@dataclass(frozen=True, kw_only=True)
class Exported(HtmlFields):
    """Counts of an exported run.

    :param without_passage: documents without text in the collection; their passage is empty.
    :param cut: documents omitted because of the limit of the 2022 format.
    """

    run: str
    queries: int
    ranked: int
    without_passage: int = 0
    cut: int = 0


ScoredRow = tuple[bytes, bytes, float]  # query, docno, score
RunReader = Callable[[Path, str, Progress | None], RunFile]
RunWriter = Callable[[Iterable[list[Ranked]], BinaryIO, RunHeader], Exported]


@dataclass(frozen=True, kw_only=True)
class RunFormat(Format):
    """A format of runs.

    :param sniff: returns True if a file with this beginning has this format. The registry tries the formats in its order.
    :param read: reads a file, given its path, the score that ranks (``rel`` or ``comb``) and a callback for progress.
    :param scores: a faster reader of queries, documents and scores only; None uses ``read``.
    :param write: writes rankings, query by query.
    :param passages: True if the format has passages.
    """

    kind = "runs"
    sniff: Callable[[str], bool]
    read: RunReader
    scores: Callable[[Path], Iterator[ScoredRow]] | None = None
    write: RunWriter | None = None
    passages: bool = False
