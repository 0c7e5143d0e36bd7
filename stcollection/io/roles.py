"""Find the possible roles of a file from its content: documents, queries, judgments or a run."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from itertools import islice
from pathlib import Path

from stcollection.errors import BadInput
from stcollection.io import registry
from stcollection.io.corpus import dblpxml, pubmed, table
from stcollection.io.corpus import trec as trec_documents
from stcollection.io.corpus.fields import DEFAULT, IDS, TEXTS, FieldNames, folded
from stcollection.io.corpus.head import Head
from stcollection.io.corpus.papers import json_layout
from stcollection.io.files import is_comment
from stcollection.io.formats import Kind
from stcollection.io.jsonrows import head_of, is_nested
from stcollection.io.qrels.judgments import stream_qrels
from stcollection.io.qrels.table import NAMES, Table
from stcollection.io.records import QueryRecord
from stcollection.io.runs import named, trec
from stcollection.io.tables import header_of
from stcollection.io.topics.columns import are_queries

_SAMPLE, _LINES = 1000, 50  # number of judgments and lines to examine
_DOCUMENTS_OR_QUERIES: set[Kind] = {"corpus", "topics"}
_QUERY_NAME = re.compile(r"quer|topic|question|\.qry|\.que\b|\.bln\b", re.IGNORECASE)
_DOCUMENT_NAME = re.compile(r"corpus|collection|doc|passage|abstract|paper|article|\.all\b", re.IGNORECASE)
_GRADES = {"rel", "relevance", "grade", "label", "judgment", "judgement", "qrel", "corpus-id"}
_OF_QUERIES = {"query", "query_text", "question", "qid", "query_id", "narrative"}
_OF_DOCUMENTS = {"docno", "doc_id", "docid", "contents", "abstract", "indexed_abstract", "authors", "_source"}
_TEXTS = {"title", *TEXTS}
_USUAL = {"query": "query_id", "desc": "description", "narr": "narrative"}  # names of fields by the parts that --map names
_DECIMAL = re.compile(r":\s*-?(?:[0-9]+\.[0-9]*[1-9]|[0-9.]+[eE])")
_BOOLEAN = re.compile(r"#(and|or|not|q\d+)\b", re.IGNORECASE)


def possible(path: Path, *, fields: FieldNames = DEFAULT) -> set[Kind]:
    """Return the possible roles of a file; empty if it is not a file of a data set.

    :param fields: names of fields, if they are not the default.
    :raises BadInput: the file is not UTF-8 text, or its compression is damaged.
    """
    head = head_of(path)
    if not head or "\0" in head:
        return set()
    if head[0] in "{[":
        return _by_json(head, fields)
    head = head[: head.rfind("\n") + 1] or head  # whole lines
    if re.match(r"\.I\s+\S", head):
        return set(_DOCUMENTS_OR_QUERIES)
    if head[0] == "<":
        return _by_tags(head)
    found = _by_header(head, fields) or _by_columns(path, head)
    return found if fields.given("queries") or any(one.sniff(head) for one in registry.TOPICS) else found - {"topics"}


def unknown_fields(path: Path) -> tuple[str, ...]:
    """Return the names of the fields of a file that is a table with a header, or JSON objects, but has no role by them."""
    try:
        begun = Head(head_of(path).encode())
    except BadInput:
        return ()
    return tuple(dict.fromkeys(name for value in begun.sample for name in value)) or table.columns_of(begun)[0]


def by_name(path: Path) -> Kind | None:
    """Return the role that a file name suggests: corpus, topics or None."""
    if _QUERY_NAME.search(path.name):
        return "topics"
    return "corpus" if _DOCUMENT_NAME.search(path.name) else None


def boolean_queries(queries: Sequence[QueryRecord]) -> bool:
    """Return True if all queries are Boolean formulas, such as those of CISI.BLN."""
    return all(_BOOLEAN.search(one.text) for one in queries)


def run_format(path: Path) -> str:
    """Return the name of the format of a run."""
    head = head_of(path)
    return next(one.name for one in registry.RUNS if one.sniff(head))


def qrels_format(path: Path) -> str:
    """Return the name of the format of judgments."""
    judged = Table(path)
    return next(one.name for one in registry.QRELS if one.sniff(judged) is not None)


def _by_json(head: str, fields: FieldNames) -> set[Kind]:
    if is_nested(head):
        return {"runs"} if _DECIMAL.search(head) else {"qrels"}
    begun = Head(head.encode())
    if json_layout(begun) is not None:
        return {"corpus"}
    sample = begun.sample
    names = {name.lower() for value in sample for name in value}
    if found := _by_names(names, fields):
        return found
    texts = bool(sample) and all(isinstance(one, str) for one in sample[0].values())
    return {"topics"} if texts and len(sample) == 1 and names.isdisjoint(IDS) else set()


def _by_tags(head: str) -> set[Kind]:
    begun = Head(head.encode())
    if pubmed.FORMAT.sniff(begun) or dblpxml.FORMAT.sniff(begun):
        return {"corpus"}
    return {"topics"} if "<top>" in head.lower() else {"corpus"} if trec_documents.FORMAT.sniff(begun) else set()


def _by_names(names: Collection[str], fields: FieldNames) -> set[Kind]:
    """Find the roles from names of columns or fields, in lower case."""
    usual = {folded(name): _USUAL.get(part, part) for part, name in fields.given().items()}
    there = {usual.get(folded(name), name) for name in names}
    if there & set(NAMES["query"]) and there & set(NAMES["doc"]):
        ranking = not there & _GRADES and named.is_run(there)
        if ranking or there & {"rel_score", "run_id"}:
            return {"runs"}
        return {"qrels"} if there & _GRADES or not there & _TEXTS else set()
    if there & _OF_QUERIES and are_queries(there):
        return {"topics"}
    if there & _OF_DOCUMENTS or {"title", "text"} <= there:
        return {"corpus"}
    return set(_DOCUMENTS_OR_QUERIES) if there & set(IDS) and there & _TEXTS else set()


def _by_header(head: str, fields: FieldNames) -> set[Kind]:
    """Find the roles from the header of a table."""
    return _by_names(header_of(head)[1], fields)


def _by_columns(path: Path, head: str) -> set[Kind]:
    """Find the roles from the columns of a table without a header."""
    lines = [line for line in head.split("\n")[:_LINES] if line.strip() and not is_comment(line)]
    if lines and not any(trec.fault(line.encode().split(None, 5)) for line in lines):
        return {"runs"}
    if _is_qrels(path):
        return {"qrels"}
    found: set[Kind] = set()
    texts = sum(len(line.split()) > 2 for line in lines)
    pairs = all(line.count("\t") == 1 for line in lines)  # some queries are a single word
    if (2 * texts > len(lines) or (pairs and texts)) and any(one.sniff(head) for one in registry.TOPICS):
        found.add("topics")
    if table.TSV.sniff(Head(head.encode())):
        found.add("corpus")
    return found


def _is_qrels(path: Path) -> bool:
    try:
        return bool(list(islice(stream_qrels(path), _SAMPLE)))
    except BadInput:
        return False
