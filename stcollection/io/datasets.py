"""Whole data sets: which of some files are documents, queries, judgments and runs.

A file is recognised by its content: the names of its columns or fields, its tags, the number of its columns. Documents and queries
of some formats look alike (an id and a text); then the file's name decides, or that the other files are documents. Where neither
does, the caller has to say it.
"""

from __future__ import annotations

import dataclasses
import os
import shlex
from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from stcollection.errors import BadArgument, BadInput
from stcollection.io import irdatasets, roles
from stcollection.io.corpus.chunks import chunks
from stcollection.io.corpus.documents import RefusedRecord
from stcollection.io.corpus.elements import read as read_elements
from stcollection.io.corpus.fields import DEFAULT, FieldNames
from stcollection.io.files import clip, pieces
from stcollection.io.formats import Kind
from stcollection.io.qrels.judgments import reversed_scale, stream_qrels
from stcollection.io.streams import Source
from stcollection.io.topics.queries import read_queries

_MOST_FILES = 1000
_PIECES = 100  # of a file, of a MB each
_HIDDEN = (".", "__MACOSX")
_GENERIC = {"qrel", "qrels", "rel", "judgments", "relevance"}
_ENDINGS = (
    ".gz", ".zst", ".bz2", ".xz", ".zip", ".parquet", ".tsv", ".csv", ".txt", ".qrels", ".qrel", ".rel", ".jsonl", ".json", ".text",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class RecognisedFile:
    """A file of a data set, and how it was understood.

    :param role: its kind of data; None for a file that is not part of a data set.
    :param records: documents, queries or judgments; None if they were not counted. :param more: there are more than those.
    :param edition: of judgments, the edition they go to. :param best_first: of judgments, whether 1 is the best grade.
    :param note: a remark.
    """

    path: str
    role: Kind | None
    format: str = ""
    records: int | None = None
    more: bool = False
    edition: str = ""
    best_first: bool = False
    note: str = ""

    def within(self, folder: str) -> str:
        """The path below a folder. :param folder: '' for the path as it is."""
        return str(Path(self.path).relative_to(folder)) if folder else self.path


@dataclass(frozen=True)
class RecognisedData:
    """A data set: its files, in the order in which they are loaded."""

    files: tuple[RecognisedFile, ...]

    def of(self, role: Kind) -> list[RecognisedFile]:
        """The files of a role."""
        return [one for one in self.files if one.role == role]

    @property
    def folder(self) -> str:
        """The folder that all files are in; '' if there is none, or they are named without one."""
        parents = {str(Path(one.path).parent) for one in self.files}
        alike = len({Path(one).is_absolute() for one in parents}) == 1
        if not alike or any(one.path.startswith(irdatasets.PREFIX) for one in self.files):
            return ""
        common = os.path.commonpath(parents)
        return "" if common == "." else common

    @property
    def skipped(self) -> list[RecognisedFile]:
        """The files without a role."""
        return [one for one in self.files if one.role is None]


@dataclass(frozen=True, kw_only=True)
class DataOptions:
    """How a data set is read where its files leave it open.

    :param given: the role of some files. :param fields: which fields of a document are its id, title and text.
    :param edition: the name of the edition, for one file of judgments; None names it after its file.
    :param field: of TREC topics, what the query is: title, desc, narr or title+desc.
    :param best_grade: the best grade where 1 or the highest may be.
    """

    given: Mapping[str, Kind] = dataclasses.field(default_factory=dict)
    fields: FieldNames = DEFAULT
    field: str = "title"
    edition: str | None = None
    best_grade: int | None = None

    def with_roles(self, given: Mapping[str, Kind]) -> DataOptions:
        """The same options with the role of some files."""
        return replace(self, given=given)


AS_FOUND = DataOptions()


@dataclass(frozen=True)
class _Names:
    """The queries that were read. :param topics: the file and text of each. :param judged: those of each file of judgments."""

    topics: dict[str, tuple[str, str]] = dataclasses.field(default_factory=dict)
    judged: dict[str, set[str]] = dataclasses.field(default_factory=dict)


def recognise(paths: Sequence[str], options: DataOptions = AS_FOUND) -> RecognisedData:
    """Recognise the files of a data set; nothing is stored.

    :param paths: files, folders, and collections of ir_datasets (``irds:NAME``).
    :raises BadArgument: there is no such path. :raises BadInput: the role of a file is open; a file that was named, or whose role
        is clear, cannot be read; two files give a query two texts; the judged queries are not those of the topics.
    """
    found: dict[str, set[Kind]] = {}
    ready: list[RecognisedFile] = []
    given = {str(Path(path).absolute()): role for path, role in options.given.items()}
    files_of_folders = [path for path in _expanded(paths) if str(Path(path).absolute()) not in given]
    for path in dict.fromkeys([*options.given, *files_of_folders]):
        if path in options.given:
            found[path] = {options.given[path]}
        elif path.startswith(irdatasets.PREFIX):
            ready += _ir_dataset(path)
        else:
            found[path] = _possible(path, path in paths, options.fields)
    _settle(found)
    names = _Names()
    files = [_inspected(path, role, options, names) for path, role in found.items()]
    files = sorted([*ready, *files], key=lambda one: ("corpus", "topics", "qrels", "runs", None).index(one.role))
    if not any(one.role for one in files):
        raise BadInput(f"{', '.join(paths)}: no documents, queries or judgments", hint="'stc formats' lists the formats of files.")
    files = _with_editions(files, options)
    _check_queries(names)
    return RecognisedData(tuple(files))


def _possible(path: str, named: bool, fields: FieldNames) -> set[Kind]:
    """The roles that a file may have. :param named: it is not only one of a folder's."""
    try:
        found = roles.possible(Path(path), fields=fields)
    except BadInput:
        if named:
            raise
        return set()
    if named and not found:
        deque(islice(pieces(Path(path)), _PIECES), maxlen=0)  # its compression may be why
        raise BadInput(
            f"{path}: neither documents, queries, judgments nor a run", hint=f"{_say(path)} 'stc formats' lists formats."
        )
    return found


def _expanded(paths: Sequence[str]) -> Iterator[str]:
    """The files that paths name; of a folder all below it that are not hidden."""
    for path in paths:
        if path.startswith(irdatasets.PREFIX) or not Path(path).is_dir():
            yield path if path.startswith(irdatasets.PREFIX) else Source(path).path
            continue
        below = (one for one in sorted(Path(path).rglob("*")) if one.is_file())
        files = [str(one) for one in below if not any(part.startswith(_HIDDEN) for part in one.relative_to(path).parts)]
        if len(files) > _MOST_FILES:
            raise BadArgument(f"{path} holds {len(files):,} files", hint="Name the files of the data set.")
        yield from files


def _say(path: str) -> str:
    """How to give the role of a file."""
    return f"Say what it holds: --corpus {shlex.quote(path)}, or --topics or --qrels."


def _settle(found: dict[str, set[Kind]]) -> None:
    """Decide between documents and queries: by the files that are clear, else by the names of the files.

    :raises BadInput: neither decides.
    """
    for path, possible in found.items():
        if len(possible) > 1 and (role := roles.by_name(Path(path))) in possible:
            found[path] = {role}
    clear: set[Kind] = {role for possible in found.values() if len(possible) == 1 for role in possible}
    for path, possible in found.items():
        if len(possible) > 1:
            left = possible - clear
            if len(left) != 1:
                raise BadInput(f"{path}: it may hold documents or queries", hint=f"{_say(path)} Nothing was stored.")
            found[path] = left


def _inspected(path: str, possible: set[Kind], options: DataOptions, names: _Names) -> RecognisedFile:
    """Read a file in its role: documents from its beginning, queries and judgments to the end. :param names: takes the queries."""
    role = next(iter(possible), None)
    if role == "corpus":
        return _documents(path, options.fields)
    if role == "topics":
        return _topics(path, options.field, names)
    if role == "qrels":
        return _judgments(path, options.best_grade, names)
    if role == "runs":
        return RecognisedFile(path=path, role=role, format=roles.run_format(Path(path)))
    return RecognisedFile(path=path, role=None)


def _documents(path: str, fields: FieldNames) -> RecognisedFile:
    stream = chunks(Source(path), format=None, fields=fields)
    first = next(stream)
    records = refused = 0
    reason = ""
    for _, _, document in read_elements(first):
        records += 1
        if isinstance(document, RefusedRecord):
            refused += 1
            reason = reason or document.reason
    if refused == records:
        raise BadInput(
            f"{path}: none of the first {records:,} records is a document: {reason}",
            hint="Is it the right file? --map names its fields.",
        )
    note = f"{refused:,} of them cannot be stored: {reason}" if refused else ""
    return RecognisedFile(
        path=path, role="corpus", format=str(first.format), records=records, more=next(stream, None) is not None, note=note
    )


def _topics(path: str, field: str, names: _Names) -> RecognisedFile:
    how, found = read_queries(Path(path), field=field)
    if roles.boolean_queries(found):
        return RecognisedFile(path=path, role=None, format=how, note="Boolean queries, not loaded")
    for one in found:
        other, text = names.topics.setdefault(one.query, (path, one.text))
        if text != one.text:
            raise BadInput(
                f"{path}:{one.line}: query {one.query} is {clip(one.text)}; in {other} it is {clip(text)}",
                hint="Load one of the two files: name the files instead of the folder. Nothing was stored.",
                sqlstate="IR302",
            )
    return RecognisedFile(path=path, role="topics", format=how, records=len(found))


def _judgments(path: str, best_grade: int | None, names: _Names) -> RecognisedFile:
    queries = names.judged.setdefault(path, set())
    counts: Counter[int] = Counter()
    for one in stream_qrels(Path(path)):
        queries.add(one.query)
        counts[one.rel] += 1
    grades = sorted(counts)
    shown = f"grades {', '.join(map(str, grades))}"
    is_open = reversed_scale(grades)
    if is_open and best_grade not in (1, grades[-1]):
        raise BadInput(
            f"{path}: the best grade may be 1 or {grades[-1]}; the {shown}",
            hint=f"Say it: --best-grade 1, as in Cranfield's judgments, or --best-grade {grades[-1]}. Nothing was stored.",
        )
    best_first = is_open and best_grade == 1
    return RecognisedFile(
        path=path,
        role="qrels",
        format=roles.qrels_format(Path(path)),
        records=counts.total(),
        best_first=best_first,
        note=f"{shown}; 1 is the best" if best_first else shown,
    )


def _with_editions(files: Sequence[RecognisedFile], options: DataOptions) -> list[RecognisedFile]:
    """The files with the editions of their judgments: named after the files, or their folders where that says nothing."""
    judged = [one for one in files if one.role == "qrels"]
    if options.edition is not None and len(judged) != 1:
        raise BadArgument(
            f"one edition, {options.edition!r}, for {len(judged)} files of judgments",
            hint="Leave --edition out: editions are named after their files.",
        )
    stems = [_stem(one.path) for one in judged]
    stems = [
        Path(one.path).absolute().parent.name if stem.lower() in _GENERIC else stem for one, stem in zip(judged, stems, strict=True)
    ]
    editions = {
        one.path: options.edition or (stem if stems.count(stem) == 1 else f"{Path(one.path).parent.name}-{stem}")
        for one, stem in zip(judged, stems, strict=True)
    }
    return [replace(one, edition=editions[one.path]) if one.role == "qrels" else one for one in files]


def _stem(path: str) -> str:
    """The name of a file without its endings."""
    name = Path(path.removeprefix(irdatasets.PREFIX)).name
    while (ending := next((one for one in _ENDINGS if name.lower().endswith(one)), None)) and len(name) > len(ending):
        name = name[: -len(ending)]
    return name


def _check_queries(names: _Names) -> None:
    """Compare the judged queries with those of the topics.

    :raises BadInput: none of a file's is among them.
    """
    for path, queries in names.judged.items():
        if names.topics and queries.isdisjoint(names.topics):
            raise BadInput(
                f"{path}: none of the judged queries is in the topics: {clip(min(queries))} …; the topics have"
                f" {clip(next(iter(names.topics)))} …",
                hint="Are they of one collection? 'stc qrels import' loads judgments alone. Nothing was stored.",
            )


def _ir_dataset(path: str) -> Iterator[RecognisedFile]:
    """What a collection of ir_datasets provides."""
    provided = irdatasets.dataset(path)
    parts: tuple[tuple[str, Kind], ...] = (("docs", "corpus"), ("queries", "topics"), ("qrels", "qrels"))
    for part, role in parts:
        if provided.has(part):
            yield RecognisedFile(path=path, role=role, format="ir_datasets")
