"""Find the possible roles of a file from its content: documents, queries, judgments or a run.

The recognisers of the formats (:mod:`~stcollection.io.registry`) decide where a format has one role only. Where formats of two
roles look alike, the names of columns or fields decide, then the name of the file. If neither decides, the role is doubtful: the
user names it, by an option or by the position of the file.
"""

from __future__ import annotations

import re
import shlex
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

from stcollection.errors import BadArgument, BadInput
from stcollection.io import registry
from stcollection.io.corpus import smart as smart_documents
from stcollection.io.corpus import table
from stcollection.io.corpus.fields import DEFAULT, IDS, TEXTS, FieldNames, folded
from stcollection.io.corpus.head import Head
from stcollection.io.corpus.papers import json_layout
from stcollection.io.files import is_comment, pieces
from stcollection.io.formats import Kind, RunFormat
from stcollection.io.jsonrows import NUMBER, first_fields, head_of, is_nested
from stcollection.io.qrels.judgments import Ungraded, stream_qrels
from stcollection.io.qrels.table import NAMES, Table, about, column_names, grade, parts, ranked
from stcollection.io.records import Judgment, QueryRecord
from stcollection.io.runs import named, trec
from stcollection.io.tables import header_of
from stcollection.io.topics import smart as smart_topics
from stcollection.io.topics import trec as trec_topics
from stcollection.io.topics import turns
from stcollection.io.topics.columns import are_queries

_SAMPLE, _LINES = 1000, 50  # number of judgments and lines to examine
_BEGIN = 10_000  # bytes used to detect the format of a run
_SHOWN = 8  # names of columns in a reason
_USUAL_GRADES = range(-5, 11)
_COUNTS = {"trec": 6, "cranfield": 3}  # by format: grades that count up to this number or further are ranks
_NAME_OF: dict[Kind, re.Pattern[str]] = {
    "topics": re.compile(r"quer|topic|question|\.qry|\.que\b|\.bln\b", re.IGNORECASE),
    "corpus": re.compile(r"corpus|collection|doc|passage|abstract|paper|article|\.all\b", re.IGNORECASE),
    "qrels": re.compile(r"qrel|judg|relevan|(?<![a-z])(rels?|gold|labels?|truth)(?![a-z])", re.IGNORECASE),
    "runs": re.compile(
        r"(?<![a-z])(runs?|rank(ing)?s?|results?|res|bm25|retriev\w*|rerank\w*|submissions?|pred(iction)?s?|scores?)(?![a-z])",
        re.IGNORECASE,
    ),
}
_FOLDERS: dict[Kind, re.Pattern[str]] = {
    "qrels": re.compile("qrels?|judge?ments|labels"),
    "runs": re.compile("runs?|results|rankings|submissions"),
}
_GRADES = set(NAMES["rel"]) - {"score", NUMBER}
_OF_QUERIES = {"query", "query_text", "question", "qid", "query_id", "narrative", "problem_statement"}
_OF_DOCUMENTS = {"docno", "doc_id", "docid", "contents", "abstract", "indexed_abstract", "authors", "_source"}
_TEXTS = {"title", *TEXTS}
_USUAL = {"query": "query_id", "desc": "description", "narr": "narrative"}  # names of fields by the parts that --map names
_SCORE = re.compile(r'"\s*:\s*-?(?:[0-9]+\.[0-9]*[1-9]|[0-9.]+[eE]|[0-9]{6})')  # a number that is no grade
_BOOLEAN = re.compile(r"#(and|or|not|q\d+)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Recognition:
    """What a file may be.

    :param roles: its possible roles; empty for a file that is not part of a data set.
    :param reason: why it has no role, or why its role is doubtful; '' if there is no doubt.
    :param weak: True if the doubt is small: the role is the right one unless another file clearly has it.
    :param fields: names of the fields or columns of a file that has no role by them.
    """

    roles: frozenset[Kind]
    reason: str = ""
    weak: bool = False
    fields: tuple[str, ...] = ()


def recognise(path: Path, *, fields: FieldNames = DEFAULT, relevance: int | None = None) -> Recognition:
    """Return the possible roles of a file.

    :param fields: names of fields, if they are not the default.
    :param relevance: the grade of files of judgments without grades; None means that such a file is none.
    :raises BadInput: the file is not UTF-8 text, its compression is damaged, or it contains an array of NumPy.
    """
    head = head_of(path)
    if not head:
        return _none("empty")
    if head.startswith("NUMPY"):
        raise BadInput(
            f"{path}: an array of NumPy, for 'stc load --as vectors'",
            hint=f"Vectors come with the ids of their documents: stc load --as vectors {shlex.quote(str(path))} IDS.npy",
        )
    if "\0" in head or head.startswith("%PDF"):
        return _none("not text")
    begun = Head(head.encode())
    if head[0] in "{[":
        return _by_json(head, begun, fields, relevance)
    head = head[: head.rfind("\n") + 1] or head  # whole lines
    by_start = {
        *_role("corpus", smart_documents.FORMAT.sniff(begun) or smart_documents.TIME.sniff(begun)),
        *_role("topics", smart_topics.FORMAT.sniff(head) or smart_topics.TIME.sniff(head)),
        *_role("corpus", head[0] == "<" and any(format_.sniff(begun) for format_ in registry.CORPUS)),
    }
    if head[0] == "<" and not by_start and trec_topics.FORMAT.sniff(head):
        by_start.add("topics")
    if by_start or head[0] == "<":
        return Recognition(frozenset(by_start)) if by_start else _none("tags, but no <DOC> and no <top>")
    guess = _by_header(path, head, fields, relevance) or _by_columns(path, head, relevance)
    if "topics" in guess.roles and not fields.given("queries") and not any(format_.sniff(head) for format_ in registry.TOPICS):
        roles = guess.roles - {"topics"}
        return replace(guess, roles=roles) if roles else _none(guess.reason or "no known format")
    return guess


def names_in(path: Path) -> list[str]:
    """Return the names of the columns or fields of a file, in lower case; the cells of its first line if it has no names."""
    head = head_of(path)
    if head[:1] in ("{", "["):
        return first_fields(head)
    head = "\n".join(line for line in head.split("\n") if not is_comment(line))
    return header_of(head)[1] or column_names(head.lstrip().partition("\n")[0].split())


def by_name(path: Path, among: Collection[Kind]) -> Kind | None:
    """Return the role, of several, that the name of a file suggests, or that of its folder, such as qrels/ or runs/."""
    matching = [role for role, pattern in _NAME_OF.items() if role in among and pattern.search(path.name)]
    if not matching:
        matching = [role for role, pattern in _FOLDERS.items() if role in among and pattern.fullmatch(path.parent.name.lower())]
    return matching[0] if len(matching) == 1 or "topics" in matching else None


def boolean_queries(queries: Sequence[QueryRecord]) -> bool:
    """Return True if all queries are Boolean formulas, such as those of CISI.BLN."""
    return all(_BOOLEAN.search(query.text) for query in queries)


def run_format(path: Path, *, layout: str | None = None, columns: str | None = None) -> RunFormat:
    """Return the format of a run, detected from its first characters.

    :param layout: the name of its format; None detects it.
    :param columns: names of the columns of a table, such as ``query=question,doc=paper,score=rating``.
    :raises BadArgument: the format does not exist or has no named columns, or ``columns`` is not valid.
    """
    chosen = None if layout is None else registry.run_format(layout)
    named_columns = {} if columns is None else named.read_parts(columns)
    if chosen is not None and not named_columns:
        return chosen
    if chosen is not None and chosen not in (named.CSV, named.JSON):
        raise BadArgument(f"--columns does not apply to runs of the format {layout}", hint="Omit --columns or --format.")
    begin = b""
    for piece in pieces(path):  # the first pieces of a compressed file are small
        begin = (begin + piece).lstrip()[:_BEGIN]
        if len(begin) == _BEGIN:
            break
    text = begin.decode(errors="ignore")
    return named.renamed(text, named_columns) if named_columns else next(form for form in registry.RUNS if form.sniff(text))


def qrels_format(path: Path) -> tuple[str, bool]:
    """Return the name of the format of judgments, and whether it lists relevant documents only, without grades."""
    judged = Table(path)
    return next((format_.name, columns.listed) for format_ in registry.QRELS if (columns := format_.sniff(judged)) is not None)


def _none(reason: str) -> Recognition:
    return Recognition(frozenset(), reason)


def _clear(role: Kind) -> Recognition:
    return Recognition(frozenset({role}))


def _doubtful(roles: Iterable[Kind], reason: str, *, weak: bool = False) -> Recognition:
    return Recognition(frozenset(roles), reason, weak)


def _role(role: Kind, is_it: bool) -> list[Kind]:
    return [role] if is_it else []


def _by_json(head: str, begun: Head, fields: FieldNames, relevance: int | None) -> Recognition:
    if is_nested(head):
        if _SCORE.search(head):
            return _clear("runs")
        return _doubtful({"runs", "qrels"}, "its whole numbers may be grades or scores")
    if turns.FORMAT.sniff(head):
        return _clear("topics")
    if json_layout(begun) is not None:
        return _clear("corpus")
    sample = begun.sample
    names = list(dict.fromkeys(name.lower() for value in sample for name in value))
    values = [content for value in sample for name, content in value.items() if name.lower() in ("score", NUMBER)]
    if guess := _by_names(names, values, fields, relevance):
        return guess
    if len(sample) == 1 and set(IDS).isdisjoint(names) and all(isinstance(content, str | dict) for content in sample[0].values()):
        return _doubtful({"topics"}, f"one object of texts, which may be queries or settings: {_some(names)}")
    spelled = tuple(dict.fromkeys(name for value in sample for name in value))
    return _unknown(names, spelled) if names else _none("JSON without known fields")


def _unknown(names: Sequence[str], spelled: tuple[str, ...]) -> Recognition:
    """Return that a file has no role by its fields. :param names: for the reason. :param spelled: as the file has them."""
    what = parts(names)
    reason = f"unknown fields {_some(names)}{f', about {what}' if what else '; name them with --map'}"
    return Recognition(frozenset(), reason, fields=spelled)


def _some(names: Sequence[str]) -> str:
    return ", ".join([*names[:_SHOWN], *(["…"] if len(names) > _SHOWN else [])])


def _by_names(names: Sequence[str], scores: Sequence[Any], fields: FieldNames, relevance: int | None) -> Recognition | None:
    """Find the roles from names of columns or fields, in lower case; None if the names say nothing.

    :param scores: values of the column of scores.
    """
    usual = {folded(name): _USUAL.get(part, part) for part, name in fields.given().items()}
    names = [usual.get(folded(name), name) for name in names]
    keys = set(names)
    if keys & set(NAMES["query"]) and keys & set(NAMES["doc"]):
        return _by_pairs(names, scores, relevance)
    if keys & _OF_QUERIES and are_queries(keys):
        return _none(about(names)) if "sentences" in parts(names) else _clear("topics")
    if keys & _OF_DOCUMENTS or {"title", "text"} <= keys:
        return _clear("corpus")
    return Recognition(frozenset({"corpus", "topics"})) if keys & set(IDS) and keys & _TEXTS else None


def _by_pairs(names: Sequence[str], scores: Sequence[Any], relevance: int | None) -> Recognition:
    """Find the roles of a table of queries and documents: judgments have grades, runs have scores or ranks."""
    keys = set(names)
    graded, is_run = bool(keys & _GRADES), named.is_run(keys) or not keys.isdisjoint({"rel_score", "run_id"})
    if graded and parts(names):
        return _none(f"not judgments of documents: {about(names)}")
    if graded:
        both = not keys.isdisjoint(named.RANKS) and not keys.isdisjoint(named.SCORES)
        return _doubtful({"runs", "qrels"}, f"a run with grades: {about(names)}") if both else _clear("qrels")
    if is_run and (ranked(keys) or keys.isdisjoint({"score", NUMBER}) or any(grade(str(score)) is None for score in scores)):
        return _clear("runs")
    if is_run and "corpus-id" not in keys:  # BEIR's judgments name their grade score
        return _doubtful({"runs", "qrels"}, "the whole numbers in its column score may be grades or scores")
    if is_run or (relevance is not None and not parts(names) and keys.isdisjoint(_TEXTS)):
        return _clear("qrels")
    return _none(f"no grades: {about(names)}")


def _by_header(path: Path, head: str, fields: FieldNames, relevance: int | None) -> Recognition | None:
    """Find the roles from the header of a table; None without a known header."""
    layout, names = header_of(head)
    rows = [] if layout is None else [row for _, row in islice(layout.rows(head), 1, _SAMPLE)]
    if layout is None:  # judgments may have a header separated by white space
        lines = [line.split() for line in head.split("\n")[:_SAMPLE] if line.strip() and not is_comment(line)]
        names, rows = column_names(lines[0]) if lines else [], lines[1:]
        if set(names).isdisjoint(NAMES["query"]) or set(names).isdisjoint(NAMES["doc"]):
            return None
    at = next((names.index(name) for name in ("score", NUMBER) if name in names), None)
    values = [row[at] for row in rows if at is not None and len(row) == len(names)]
    return _by_names(names, values, fields, relevance)


def _by_columns(path: Path, head: str, relevance: int | None) -> Recognition:
    """Find the roles from the columns of a table without a header."""
    lines = [line for line in head.split("\n")[:_LINES] if line.strip() and not is_comment(line)]
    if lines and not any(trec.fault(line.encode().split(None, 5)) for line in lines):
        return _clear("runs")
    try:
        return _by_grades(path, list(islice(stream_qrels(path), _SAMPLE)))
    except Ungraded as error:
        return _clear("qrels") if relevance is not None else _none(error.message.removeprefix(f"{path}: contains "))
    except BadInput as error:
        fault = error.message.removeprefix(str(path)).lstrip(": ")
    if by_name(Path(path.name), {"qrels", "topics", "corpus"}) == "qrels":
        return _none(f"not judgments: {'line ' if fault[:1].isdigit() else ''}{fault.replace('no judgments: ', '', 1)}")
    possible: set[Kind] = set()
    texts = sum(len(line.split()) > 2 for line in lines)
    pairs = all(line.count("\t") == 1 for line in lines)  # some queries are a single word
    if (2 * texts > len(lines) or (pairs and texts)) and any(format_.sniff(head) for format_ in registry.TOPICS):
        possible.add("topics")
    if table.TSV.sniff(Head(head.encode())):
        possible.add("corpus")
    if possible:
        return _doubtful(possible, "an id and a text in each line, without a header", weak=True)
    names = table.columns_of(Head(head.encode()))[0]
    return _unknown(names, names) if names else _none("no known format")


def _by_grades(path: Path, judgments: Sequence[Judgment]) -> Recognition:
    """Find the role of judgments without a header by their grades: another table of numbers can have the same columns."""
    grades = {judgment.rel for judgment in judgments}
    ranks: defaultdict[str, list[int]] = defaultdict(list)
    for judgment in judgments:
        ranks[judgment.query].append(judgment.rel)
    low, high, form = min(grades), max(grades), qrels_format(path)[0]
    if high >= _COUNTS.get(form, high + 1) and all(
        series == list(range(series[0], series[0] + len(series))) and series[0] < 2 for series in ranks.values()
    ):
        return _doubtful({"qrels"}, "its last column counts up for each query, like ranks, not grades")
    if form != "cranfield":
        return _clear("qrels")
    if low not in _USUAL_GRADES or high not in _USUAL_GRADES:
        return _doubtful({"qrels"}, f"three columns, the last from {low:,} to {high:,}: no usual grades")
    return _doubtful({"qrels"}, "three columns: query, document and grade", weak=True)
