"""The list of all file formats.

To add a format, write a module that defines it and add a line here, or install it as a package (stcollection/io/installed.py). The
command line, its completion, messages and docs/reference/formats.md use this list. The first format that recognises a file reads
it; formats of other packages are tried first, because some of these accept any text.
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TypeVar, get_args

from stcollection.errors import BadArgument
from stcollection.io.corpus import arxiv, dblp, dblpxml, elasticsearch, jsonl, openalex, pubmed, s2orc, semanticscholar, table
from stcollection.io.corpus import smart as smart_documents
from stcollection.io.corpus import trec as trec_documents
from stcollection.io.formats import CorpusFormat, Format, Kind, QrelsFormat, RunFormat, TopicFormat
from stcollection.io.installed import installed
from stcollection.io.qrels import beir, cacm, cranfield, separated, strata, time, ungraded
from stcollection.io.qrels import jsonl as jsonl_qrels
from stcollection.io.qrels import trec as trec_qrels
from stcollection.io.runs import named, simpletext_2022
from stcollection.io.runs import simpletext as simpletext_runs
from stcollection.io.runs import trec as trec_runs
from stcollection.io.topics import jsonl as jsonl_topics
from stcollection.io.topics import simpletext as simpletext_topics
from stcollection.io.topics import smart as smart_topics
from stcollection.io.topics import table as topic_table
from stcollection.io.topics import trec as trec_topics
from stcollection.io.topics import tsv, turns

KINDS: tuple[Kind, ...] = get_args(Kind)

CORPUS: tuple[CorpusFormat, ...] = (
    *dblp.FORMATS,
    elasticsearch.FORMAT,
    openalex.FORMAT,
    semanticscholar.PAPERS,
    semanticscholar.ABSTRACTS,
    s2orc.FORMAT,
    arxiv.FORMAT,
    pubmed.FORMAT,
    dblpxml.FORMAT,
    jsonl.FORMAT,
    trec_documents.FORMAT,
    smart_documents.FORMAT,
    smart_documents.TIME,
    table.CSV,
    table.TSV,
)
TOPICS: tuple[TopicFormat, ...] = (
    turns.FORMAT,
    simpletext_topics.CSV,
    simpletext_topics.JSON,
    jsonl_topics.FORMAT,
    smart_topics.FORMAT,
    smart_topics.TIME,
    trec_topics.FORMAT,
    tsv.FORMAT,
    topic_table.FORMAT,
)
QRELS: tuple[QrelsFormat, ...] = (
    jsonl_qrels.FORMAT,
    beir.FORMAT,
    separated.FORMAT,
    time.FORMAT,
    cacm.FORMAT,
    trec_qrels.FORMAT,
    strata.FORMAT,
    ungraded.FORMAT,
    cranfield.FORMAT,
)
RUNS: tuple[RunFormat, ...] = (
    named.JSON,
    named.CSV,
    simpletext_runs.FORMAT,
    simpletext_2022.FORMAT,
    trec_runs.FORMAT,  # accepts any other text; its reader reports the first invalid line
)

F = TypeVar("F", bound=Format)
#: The formats of other packages; why some cannot be used, a line for each.
INSTALLED, PROBLEMS = installed((*CORPUS, *TOPICS, *QRELS, *RUNS))
CORPUS = (*(entry for entry in INSTALLED if isinstance(entry, CorpusFormat)), *CORPUS)
TOPICS = (*(entry for entry in INSTALLED if isinstance(entry, TopicFormat)), *TOPICS)
QRELS = (*(entry for entry in INSTALLED if isinstance(entry, QrelsFormat)), *QRELS)
RUNS = (*(entry for entry in INSTALLED if isinstance(entry, RunFormat)), *RUNS)
_NOUNS: dict[Kind, str] = {"corpus": "corpus", "topics": "topic", "qrels": "qrels", "runs": "run"}


def formats(kind: Kind | None = None) -> tuple[Format, ...]:
    """Return the formats of a kind, or all."""
    by_kind: dict[Kind, tuple[Format, ...]] = {"corpus": CORPUS, "topics": TOPICS, "qrels": QRELS, "runs": RUNS}
    return by_kind[kind] if kind is not None else tuple(format_ for group in by_kind.values() for format_ in group)


def names(kind: Kind, *, written: bool = False) -> tuple[str, ...]:
    """Return the names of the formats of a kind. :param written: only those that can be written."""
    return tuple(format_.name for format_ in formats(kind) if format_.writes or not written)


def list_formats(kind: Kind | None = None, *, full: bool, text: bool) -> tuple[list[str], list[list[Any]]]:
    """Return the formats as a table: headers and rows.

    :param full: include title, fields and example. :param text: return lists as text.
    """
    headers = ["kind", "name", "extensions", "recognised by", "written", *(["title", "fields", "example"] if full else [])]
    rows: list[list[Any]] = []
    for entry in formats(kind):
        extensions, written, fields = entry.extensions, entry.writes, dict(entry.fields)
        row: list[Any] = [entry.kind, entry.name, list(extensions), entry.recognised, written, entry.title, fields, entry.example]
        if text:
            row[2], row[4] = " ".join(extensions), "yes" if written else ""
            row[6] = "; ".join(f"{name}: {what}" for name, what in fields.items())
        rows.append(row[: len(headers)])
    return headers, rows


def corpus_format(name: str) -> CorpusFormat:
    """Return the corpus format with this name.

    :raises BadArgument: the format does not exist.
    """
    return _named(CORPUS, "corpus", name)


def topic_format(name: str) -> TopicFormat:
    """Return the topic format with this name.

    :raises BadArgument: the format does not exist.
    """
    return _named(TOPICS, "topics", name)


def qrels_format(name: str) -> QrelsFormat:
    """Return the qrels format with this name.

    :raises BadArgument: the format does not exist.
    """
    return _named(QRELS, "qrels", name)


def run_format(name: str) -> RunFormat:
    """Return the run format with this name.

    :raises BadArgument: the format does not exist.
    """
    return _named(RUNS, "runs", name)


def _named(among: Sequence[F], kind: Kind, name: str) -> F:
    chosen = next((format_ for format_ in among if format_.name == name), None)
    if chosen is None:
        raise unknown_format(kind, name)
    return chosen


def unknown_format(kind: Kind, name: str, *, written: bool = False) -> BadArgument:
    """Return the error for a format that does not exist, with the closest names.

    :param written: True if the format is for writing.
    """
    closest = get_close_matches(name.lower(), names(kind, written=written), n=3, cutoff=0)
    return BadArgument(
        f"there is no {_NOUNS[kind]} format {name!r}{' that can be written' if written else ''}",
        hint=". ".join([f"The closest names are {', '.join(closest)}; 'stc show formats {kind}' lists all", *PROBLEMS]) + ".",
    )


def suggest(kind: Kind, path: str | Path, *, way: str = "--format names one") -> str:
    """Return a hint for a file of unknown format: three formats, first those that its name suggests."""
    name = str(path).lower()
    for packed in (".gz", ".zst", ".bz2", ".xz", ".zip"):
        name = name.removesuffix(packed)
    likely = sorted(formats(kind), key=lambda format_: not name.endswith(format_.extensions))
    return f"{way}: {', '.join(format_.name for format_ in likely[:3])}, …; 'stc show formats {kind}' lists all."
