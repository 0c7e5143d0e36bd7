"""Recognise the files of a data set: documents, queries, judgments and runs.

A file is recognised by its content: names of columns or fields, tags, number of columns. In some formats documents and queries look
the same (an id and a text), or judgments and runs; then the file's name decides, or the fact that other files are clearly documents
or queries. If neither decides, the caller must name the role: a file of a folder is skipped with the reason, and a named file is an
error.
"""

from __future__ import annotations

import dataclasses
import os
import re
import shlex
from collections import Counter, deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Literal

from stcollection.counts import counted
from stcollection.errors import BadArgument, BadInput, StcError
from stcollection.io import irdatasets, roles
from stcollection.io.corpus.chunks import chunks
from stcollection.io.corpus.documents import RefusedRecord
from stcollection.io.corpus.elements import read as read_elements
from stcollection.io.corpus.fields import DEFAULT, FieldNames
from stcollection.io.files import clip, pieces
from stcollection.io.formats import Kind
from stcollection.io.places import is_named
from stcollection.io.qrels.judgments import Ungraded, reversed_scale, stream_qrels
from stcollection.io.roles import Recognition
from stcollection.io.streams import Source
from stcollection.io.topics.articles import article_topic
from stcollection.io.topics.queries import read_queries
from stcollection.io.topics.spelling import check_queries

_MOST_FILES = 1000
_PIECES = 100  # pieces of a file to test, 1 MB each
_HIDDEN = (".", "__MACOSX")
_GENERIC = {"qrel", "qrels", "rel", "judgments", "relevance"}
_ENDINGS = (
    ".gz", ".zst", ".bz2", ".xz", ".zip", ".parquet", ".tsv", ".csv", ".txt", ".qrels", ".qrel", ".rel", ".jsonl", ".json", ".text",
)  # fmt: skip
_NOUNS: dict[Kind, str] = {"corpus": "documents", "topics": "queries", "qrels": "judgments", "runs": "a run"}
_NO_PERSON = re.compile(
    r"(?<![a-z])(gpt|llms?(?![a-z0-9])|llama|qwen|mistral|gemini|claude|umbrela|knn|synth|simulat|sparse|pseudo)", re.IGNORECASE
)
_MADE = "by its name not made by people: 'stc load --as qrels --origin llm' says so"
Role = Kind | Literal["articles"]


@dataclass(frozen=True, kw_only=True)
class RecognisedFile:
    """A file of a data set, with its role and format.

    :param role: its kind of data, or ``articles`` for the article of a topic; None for a file that is skipped.
    :param records: number of documents, queries or judgments; None if not counted. :param more: True if the file has more.
    :param edition: for judgments, the target edition. :param best_first: for judgments, True if 1 is the best grade.
    :param relevance: for judgments without grades, the grade of each.
    :param human: False for judgments that are not by people, according to the origins in the file or to its name.
    :param note: a remark for the user; for a skipped file the reason.
    """

    path: str
    role: Role | None
    format: str = ""
    records: int | None = None
    more: bool = False
    edition: str = ""
    best_first: bool = False
    relevance: int | None = None
    human: bool = True
    note: str = ""

    def within(self, folder: str) -> str:
        """Return the path relative to a folder. :param folder: '' for the unchanged path."""
        return str(Path(self.path).relative_to(folder)) if folder else self.path


@dataclass(frozen=True)
class RecognisedData:
    """A data set: its files, in the order in which they are loaded."""

    files: tuple[RecognisedFile, ...]

    def of(self, role: Role) -> list[RecognisedFile]:
        """Return the files with a role."""
        return [file for file in self.files if file.role == role]

    @property
    def folder(self) -> str:
        """The folder that contains all files; '' without a common folder."""
        return _common(self.files)

    @property
    def skipped(self) -> list[RecognisedFile]:
        """The files without a role."""
        return [file for file in self.files if file.role is None]


@dataclass(frozen=True, kw_only=True)
class DataOptions:
    """Options that decide what the files of a data set leave open.

    :param given: roles of files. :param fields: names of the fields of documents and queries.
    :param edition: name of the edition, if there is one file of judgments; None names it after the file.
    :param field: part of a TREC topic that is the query: title, desc, narr or title+desc.
    :param best_grade: the best grade, if it could be 1 or the highest.
    :param relevance: the grade of each document in files of judgments without grades; None skips such files.
    :param unknown_queries: what to do with judgments of queries that are not in the topics, as for
        :class:`~stcollection.runs.load.ImportOptions`.
    """

    given: Mapping[str, Kind] = dataclasses.field(default_factory=dict)
    fields: FieldNames = DEFAULT
    field: str = "title"
    edition: str | None = None
    best_grade: int | None = None
    relevance: int | None = None
    unknown_queries: str = "few"

    def with_roles(self, given: Mapping[str, Kind]) -> DataOptions:
        """Return the same options with roles of files."""
        return replace(self, given=given)


AS_FOUND = DataOptions()


def _common(files: Sequence[RecognisedFile]) -> str:
    """Return the folder that contains all files; '' without a common folder."""
    parents = {str(Path(file.path).parent) for file in files}
    alike = len({Path(parent).is_absolute() for parent in parents}) == 1
    if not alike or any(file.path.startswith(irdatasets.PREFIX) for file in files):
        return ""
    common = os.path.commonpath(parents)
    return "" if common == "." else common


@dataclass(frozen=True)
class _Names:
    """The queries that were read.

    :param topics: file and text by query. :param named: names of topics. :param judged: queries by file of judgments.
    """

    topics: dict[str, tuple[str, str]] = dataclasses.field(default_factory=dict)
    named: set[str] = dataclasses.field(default_factory=set)
    judged: dict[str, set[str]] = dataclasses.field(default_factory=dict)


def recognise(paths: Sequence[str], options: DataOptions = AS_FOUND) -> RecognisedData:
    """Recognise the files of a data set without storing anything.

    :param paths: files, folders, and collections of ir_datasets (``irds:NAME``).
    :raises BadArgument: a path does not exist. :raises BadInput: the role of a file is ambiguous; a file that was named, or whose
        role is clear, cannot be read; two files have different texts for a query; no judged query is in the topics.
    """
    recognised: dict[str, Recognition] = {}
    ready: list[RecognisedFile] = []
    given_roles = {str(Path(path).absolute()): role for path, role in options.given.items()}
    files_of_folders = [path for path in _expanded(paths) if str(Path(path).absolute()) not in given_roles]
    for path in dict.fromkeys([*options.given, *files_of_folders]):
        if path in options.given:
            recognised[path] = Recognition(frozenset({options.given[path]}))
        elif path.startswith(irdatasets.PREFIX):
            ready += _ir_dataset(path)
        else:
            recognised[path] = _possible(path, path in paths, options)
    named = {path for path in recognised if path in paths or path in options.given}
    settled = _settle(recognised, named)
    names = _Names()
    inspected = [_inspected(path, guess, path in named, options, names) for path, guess in settled.items()]
    files = [*ready, *_without_odd(inspected, settled, named, names)]
    files = sorted(files, key=lambda file: ("corpus", "topics", "articles", "qrels", "runs", None).index(file.role))
    if not any(file.role for file in files):
        reasons = "; ".join(f"{file.within(_common(files))}: {file.note}" for file in files[:3])
        raise BadInput(
            f"{', '.join(paths)}: no documents, queries or judgments{f' ({reasons})' if reasons else ''}",
            hint="'stc show formats' lists the formats of files.",
        )
    files = _with_editions(files, options)
    if options.unknown_queries == "few" and names.topics:
        for path, queries in names.judged.items():
            check_queries(path, queries, names.topics)
    return RecognisedData(tuple(files))


def _possible(path: str, named: bool, options: DataOptions) -> Recognition:
    """Return the possible roles of a file. :param named: True if the caller named it, not only its folder."""
    try:
        guess = roles.recognise(Path(path), fields=options.fields, relevance=options.relevance)
    except (StcError, OSError) as error:
        if named:
            raise
        return Recognition(frozenset(), _reason(path, error))
    if named and not guess.roles:
        deque(islice(pieces(Path(path)), _PIECES), maxlen=0)  # raises an error if its compression is damaged
        if guess.fields:
            raise BadInput(
                f"{path}: neither documents nor queries by its fields: {', '.join(guess.fields)}",
                hint="Name them: --map docno=FIELD,text=FIELD for documents, --map query=FIELD,text=FIELD for queries.",
            )
        raise BadInput(
            f"{path}: neither documents, queries, judgments nor a run: {guess.reason}",
            hint=f"{_say(path)} 'stc show formats' lists formats.",
        )
    return guess


def _reason(path: str, error: Exception) -> str:
    """Return the message of an error about a file, without its path."""
    text = error.strerror or str(error) if isinstance(error, OSError) else str(error)
    rest = text.removeprefix(path).removeprefix(": ")
    return f"line {rest[1:]}" if re.match(r":\d+: ", rest) else rest


def _expanded(paths: Sequence[str]) -> Iterator[str]:
    """Yield the files of paths; folders are searched recursively, without hidden files."""
    for path in paths:
        if path.startswith(irdatasets.PREFIX) or not Path(path).is_dir():
            yield path if path.startswith(irdatasets.PREFIX) else Source(path).path
            continue
        below = (file for file in sorted(Path(path).rglob("*")) if file.is_file())
        files = [str(file) for file in below if not any(part.startswith(_HIDDEN) for part in file.relative_to(path).parts)]
        if len(files) > _MOST_FILES:
            raise BadArgument(f"{path} contains {counted(len(files), 'file')}", hint="Name the files of the data set.")
        yield from files


def _say(path: str) -> str:
    """Return the hint on how to name the role of a file."""
    return f"Name its role: --corpus {shlex.quote(path)}, or --topics or --qrels; 'stc load --as runs' imports runs."


def _settle(recognised: Mapping[str, Recognition], named: Collection[str]) -> dict[str, Recognition]:
    """Decide doubtful roles by file names, else by the roles of the other files.

    :returns: for each path one role at most.
    :raises BadInput: neither decides about a named file, or about the only documents or queries.
    """
    settled = {path: _by_name(path, guess) for path, guess in recognised.items()}
    clear: set[Kind] = {role for guess in settled.values() if len(guess.roles) == 1 and not guess.reason for role in guess.roles}
    weak: set[Kind] = {role for guess in settled.values() if len(guess.roles) == 1 and guess.weak for role in guess.roles}
    for path, guess in settled.items():
        if len(guess.roles) == 1 and guess.weak and (path in named or guess.roles == {"qrels"} or not guess.roles <= clear):
            continue
        left = guess.roles - clear - weak
        if len(guess.roles) > 1 and len(left) == 1 and (guess.weak or not guess.reason):
            settled[path] = replace(guess, roles=left)
        elif len(guess.roles) > 1 or (guess.roles and guess.reason):
            possible = " or ".join(_NOUNS[role] for role in sorted(guess.roles))
            why = guess.reason or "an id and a text in each record"
            if path in named or (left and guess.roles == {"corpus", "topics"}):
                raise BadInput(f"{path}: could be {possible}: {why}", hint=f"{_say(path)} Nothing was stored.")
            settled[path] = Recognition(frozenset(), f"could be {possible}: {why}")
    return settled


def _by_name(path: str, guess: Recognition) -> Recognition:
    """Decide a doubtful role by the name of the file."""
    if len(guess.roles) < 2 and not guess.reason:
        return guess
    if guess.roles == {"qrels"} and roles.by_name(Path(path), {"qrels", "runs"}) == "runs":
        return replace(guess, reason=f"{guess.reason}, and its name says a run", weak=False)
    role = roles.by_name(Path(path), guess.roles)
    return guess if role is None else Recognition(frozenset({role}), weak=guess.weak)


def _inspected(path: str, guess: Recognition, named: bool, options: DataOptions, names: _Names) -> RecognisedFile:
    """Read a file in its role: the beginning of documents, all queries and judgments. :param names: collects the queries."""
    role = next(iter(guess.roles), None)
    if role == "corpus":
        return _documents(path, options.fields)
    if role == "topics":
        try:
            return _topics(path, options, names)
        except BadInput as error:
            if named or not (guess.weak and guess.reason):
                raise
            return RecognisedFile(path=path, role=None, note=_reason(path, error))
    if role == "qrels":
        try:
            return _judgments(path, options, names)
        except BadInput as error:
            if named or isinstance(error, _OpenScale):
                raise
            names.judged.pop(path, None)
            return RecognisedFile(path=path, role=None, note=_reason(path, error))
    if role == "runs":
        return RecognisedFile(path=path, role=role, format=roles.run_format(Path(path)).name)
    return RecognisedFile(path=path, role=None, note=guess.reason)


def _without_odd(
    files: Sequence[RecognisedFile], settled: Mapping[str, Recognition], named: Collection[str], names: _Names
) -> Iterator[RecognisedFile]:
    """Yield the files; skip tables of numbers that only look like judgments, and find the articles of topics."""
    for file in files:
        judged = names.judged.get(file.path)
        if judged and settled[file.path].weak and file.path not in named and names.topics and judged.isdisjoint(names.topics):
            del names.judged[file.path]
            yield RecognisedFile(path=file.path, role=None, note="three columns, but none of the first is a query of the topics")
        elif file.role is None and (topic := article_topic(Path(file.path), names.named)):
            yield RecognisedFile(path=file.path, role="articles", format="text", records=1, note=f"topic {topic}")
        else:
            yield file


def _documents(path: str, fields: FieldNames) -> RecognisedFile:
    source = Source(path)
    source.keep()  # it is read again when it is loaded
    stream = chunks(source, format=None, fields=fields)
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
            f"{path}: none of the first {counted(records, 'record')} is a document: {reason}",
            hint="Check that it is the right file, or name its fields with --map.",
        )
    note = f"{refused:,} of them cannot be stored: {reason}" if refused else ""
    return RecognisedFile(
        path=path, role="corpus", format=str(first.format), records=records, more=next(stream, None) is not None, note=note
    )


def _topics(path: str, options: DataOptions, names: _Names) -> RecognisedFile:
    how, queries = read_queries(Path(path), field=options.field, fields=options.fields)
    if roles.boolean_queries(queries):
        return RecognisedFile(path=path, role=None, format=how, note="Boolean queries, not loaded")
    for query in queries:
        names.named.update([query.topic] if query.topic else [])
        other, text = names.topics.setdefault(query.query, (path, query.text))
        if text != query.text:
            raise BadInput(
                f"{path}:{query.line}: query {query.query} is {clip(query.text)}, but {clip(text)} in {other}",
                hint="Load one of the two files: name the files instead of the folder. Nothing was stored.",
                sqlstate="IR302",
            )
    return RecognisedFile(path=path, role="topics", format=how, records=len(queries))


class _OpenScale(BadInput):
    """The best grade of a file of judgments could be 1 or the highest."""


def _judgments(path: str, options: DataOptions, names: _Names) -> RecognisedFile:
    queries = names.judged.setdefault(path, set())
    counts: Counter[int] = Counter()
    by_people = False
    try:
        judgments, relevance = stream_qrels(Path(path)), None
    except Ungraded:
        judgments, relevance = stream_qrels(Path(path), relevance=options.relevance), options.relevance
    for judgment in judgments:
        queries.add(judgment.query)
        counts[judgment.rel] += 1
        by_people = by_people or (judgment.origin in (None, "human") and not judgment.simulated)
    grades = sorted(counts)
    grade_note = f"grades {', '.join(map(str, grades))}"
    is_open = reversed_scale(grades)
    if is_open and options.best_grade not in (1, grades[-1]):
        raise _OpenScale(
            f"{path}: the best grade could be 1 or {grades[-1]}; the {grade_note}",
            hint=f"Use --best-grade 1, as in Cranfield's judgments, or --best-grade {grades[-1]}. Nothing was stored.",
        )
    best_first = is_open and options.best_grade == 1
    form, listed = roles.qrels_format(Path(path))
    if relevance is not None or listed:
        grade_note = f"no grades: each pair is taken as relevant, grade {grades[0]}"
    human = _NO_PERSON.search(Path(path).name) is None
    notes = [grade_note, *(["1 is the best"] if best_first else []), *([] if human else [_MADE])]
    return RecognisedFile(
        path=path,
        role="qrels",
        format=form,
        records=counts.total(),
        best_first=best_first,
        relevance=relevance,
        human=by_people and human,
        note="; ".join(notes),
    )


def _with_editions(files: Sequence[RecognisedFile], options: DataOptions) -> list[RecognisedFile]:
    """Name the editions of judgments after the files, or after their folders if file names are generic."""
    judged = [file for file in files if file.role == "qrels"]
    if options.edition is not None and len(judged) != 1:
        raise BadArgument(
            f"one edition, {options.edition!r}, for {counted(len(judged), 'file')} of judgments",
            hint="Omit --edition: editions are named after their files.",
        )
    if unnamed := next((file.path for file in judged if options.edition is None and not is_named(Path(file.path))), None):
        raise BadArgument(f"the judgments from {unnamed} have no name", hint="Name their edition with --edition NAME.")
    stems = [Path(file.path).absolute().parent.name if (stem := _stem(file.path)).lower() in _GENERIC else stem for file in judged]
    editions = {
        file.path: options.edition or (stem if stems.count(stem) == 1 else f"{Path(file.path).parent.name}-{stem}")
        for file, stem in zip(judged, stems, strict=True)
    }
    return [replace(file, edition=editions[file.path]) if file.role == "qrels" else file for file in files]


def edition_name(path: Path) -> str:
    """Return the name that an edition gets from its file: the name of the file without its extensions."""
    return _stem(str(path))


def _stem(path: str) -> str:
    """Return the name of a file without its extensions."""
    if irdatasets.clicks_of(path) is not None:
        return "-".join(path.split("/")[-2:])
    name = Path(path.removeprefix(irdatasets.PREFIX)).name
    while (ending := next((suffix for suffix in _ENDINGS if name.lower().endswith(suffix)), None)) and len(name) > len(ending):
        name = name[: -len(ending)]
    return name


def _ir_dataset(path: str) -> Iterator[RecognisedFile]:
    """Yield the parts that a collection of ir_datasets provides."""
    provided = irdatasets.dataset(path)
    parts: tuple[tuple[str, Kind], ...] = (("docs", "corpus"), ("queries", "topics"), ("qrels", "qrels"))
    for part, role in parts:
        if provided.has(part):
            yield RecognisedFile(path=path, role=role, format="ir_datasets")
