"""ElasticSearch's format of requests and responses, as far as scripts need it for searching."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

import orjson
import psycopg
from psycopg.types.json import Jsonb

from stcollection.errors import BadArgument, StcError, UnknownObject
from stcollection.http.dsl import operator, query
from stcollection.http.limits import COUNTED, SIZE, WINDOW, Unreadable, checked_number, refused, unreadable
from stcollection.http.lucene import Node, QueryReading, field_list, read

INDEX = "dblp1"
VERSION = "7.17.0"  # version of the emulated interface; the client of version 7 checks it
HEADERS = {"X-Elastic-Product": "Elasticsearch"}  # required by the client since 7.14

_PARAMETERS = {"q", "df", "default_operator", "size", "from", "_source", "_source_includes", "_source_excludes", "track_total_hits",
               "rest_total_hits_as_int", "sort", "pretty", "token"}  # fmt: skip
_IGNORED = {
    "allow_no_indices", "allow_partial_search_results", "analyze_wildcard", "analyzer", "batched_reduce_size",
    "ccs_minimize_roundtrips", "error_trace", "expand_wildcards", "explain", "format", "human", "ignore_throttled",
    "ignore_unavailable", "lenient",
    "max_concurrent_shard_requests", "pre_filter_shard_size", "preference", "realtime", "refresh", "request_cache", "routing",
    "search_type", "timeout", "typed_keys", "version",
}  # fmt: skip
_BODY = {"query", "size", "from", "_source", "track_total_hits", "sort", "timeout", "version", "explain", "track_scores"}


@dataclass
class Request:
    """A search request.

    :param counted: count hits up to this number; None counts all, 0 none. :param source: send documents, with the fields that
        includes and excludes select.
    """

    node: Node
    reading: QueryReading
    size: int = 10
    skip: int = 0
    counted: int | None = COUNTED
    source: bool = True
    includes: Sequence[str] = ()
    excludes: Sequence[str] = ()
    plain_total: bool = False
    told: list[str] = field(default_factory=list)


def request(parameters: Mapping[str, str], body: object) -> Request:
    """Read a search request. Parameters of the URL override those of the body.

    :raises BadArgument: the request is malformed, too large, or not supported.
    """
    for name in parameters:
        if name not in _PARAMETERS | _IGNORED:
            raise refused(f"request [/_search] contains unrecognized parameter: [{name[:80]}]")
    body = {} if body is None else body
    if not isinstance(body, dict):
        raise unreadable("the body is not an object", 'Example: {"query": {"match": {"title": "privacy"}}}.')
    for name in body:
        if name not in _BODY:
            raise unreadable(f"unknown key [{str(name)[:80]}] in the body", f"Supported keys: {', '.join(sorted(_BODY))}.")
    asked: dict[str, Any] = {**body, **parameters}
    reading = QueryReading(
        fields=field_list([asked["df"]]) if asked.get("df") else (), every=operator(asked.get("default_operator", "OR"))
    )
    if "q" in parameters:
        node = read(parameters["q"], reading)
    else:
        node = query(body["query"], reading) if body.get("query") is not None else {"all": True}
    if asked.get("sort") not in (None, "_score", "_score:desc", ["_score"], [{"_score": "desc"}], [{"_score": {"order": "desc"}}]):
        raise refused(f"sorting by {str(asked['sort'])[:80]} is not supported", "Omit it: documents are sorted by score.")
    one = Request(node=node, reading=reading, told=reading.told)
    one.size = checked_number(asked.get("size", 10), "size", 0, SIZE)
    one.skip = checked_number(asked.get("from", 0), "from", 0, WINDOW)
    if one.skip + one.size > WINDOW:
        raise refused(
            f"Result window is too large, from + size must be less than or equal to: [{WINDOW}] but was [{one.skip + one.size}]"
        )
    counted = asked.get("track_total_hits", "")
    if str(counted).lower() not in ("", "true", "false"):
        one.counted = checked_number(counted, "track_total_hits", 0, 2**31 - 1)
    elif counted != "":
        one.counted = None if str(counted).lower() == "true" else 0
    one.plain_total = str(parameters.get("rest_total_hits_as_int")).lower() == "true"
    if one.plain_total:
        one.counted = None
    _read_source(one, asked)
    return one


def _read_source(one: Request, asked: Mapping[str, Any]) -> None:
    said = asked.get("_source", True)
    if isinstance(said, dict):
        one.includes, one.excludes = _names(said.get("includes", [])), _names(said.get("excludes", []))
    elif str(said).lower() in ("true", "false"):
        one.source = str(said).lower() == "true"
    else:
        one.includes = _names(said)
    one.includes = _names(asked.get("_source_includes", one.includes))
    one.excludes = _names(asked.get("_source_excludes", one.excludes))


def _names(said: object) -> Sequence[str]:
    names = said.split(",") if isinstance(said, str) else said
    if not isinstance(names, list | tuple) or not all(isinstance(one, str) for one in names) or len(names) > 100:
        raise refused(f"_source is {str(said)[:80]}", "Use true, false, or a list of at most 100 fields.")
    return names


def search(conn: psycopg.Connection, one: Request, index: str, licences: Sequence[str]) -> dict[str, Any]:
    """Return the response to a search. :param licences: only documents with these licences have text; empty: all."""
    began = time.monotonic()
    asked = Jsonb(one.node)
    with conn.transaction():
        rows = conn.execute(
            "SELECT s.score, o.docno, o.source FROM (SELECT * FROM lucene_search(%s, %s) OFFSET %s) s"
            " JOIN LATERAL stc.document_sources(ARRAY[s.doc], %s) o ON true ORDER BY s.rank",
            [asked, max(one.skip + one.size, 1), one.skip, list(licences) or None],
        ).fetchall()[: one.size]
        total = None if one.counted == 0 else _count(conn, asked, None if one.counted is None else one.counted + 1)
    hits: dict[str, Any] = {}
    if total is not None:
        more = one.counted is not None and total > one.counted
        value = one.counted if more else total
        hits["total"] = value if one.plain_total else {"value": value, "relation": "gte" if more else "eq"}
    hits["max_score"] = rows[0][0] if rows and one.skip == 0 else None
    hits["hits"] = [_hit(index, docno, source, one, {"_score": score}) for score, docno, source in rows]
    return {
        "took": round((time.monotonic() - began) * 1000), "timed_out": False,
        "_shards": {"total": 1, "successful": 1, "skipped": 0, "failed": 0}, "hits": hits,
    }  # fmt: skip


def count(conn: psycopg.Connection, one: Request) -> dict[str, Any]:
    """Return the response to a count."""
    return {
        "count": _count(conn, Jsonb(one.node), None),
        "_shards": {"total": 1, "successful": 1, "skipped": 0, "failed": 0},
    }


def _count(conn: psycopg.Connection, asked: Jsonb, at_most: int | None) -> int:
    row = conn.execute("SELECT stc.lucene_count(%s, %s)", [asked, at_most]).fetchone()
    return int(row[0]) if row else 0


def document(conn: psycopg.Connection, index: str, name: str, one: Request, licences: Sequence[str]) -> dict[str, Any]:
    """Return the response to a request for one document. :param licences: as in :func:`search`."""
    row = conn.execute(
        "SELECT o.docno, o.source FROM dblp d, stc.document_sources(ARRAY[d.id], %s) o WHERE d.docno = %s AND NOT d.stub",
        [list(licences) or None, name],
    ).fetchone()
    if row is None:
        return {"_index": index, "_type": "_doc", "_id": name, "found": False}
    return _hit(index, row[0], row[1], one, {"_version": 1, "found": True})


def _hit(index: str, docno: str, source: dict[str, Any], one: Request, more: dict[str, Any]) -> dict[str, Any]:
    hit: dict[str, Any] = {"_index": index, "_type": "_doc", "_id": docno, **more}
    if one.source:
        hit["_source"] = _shown(source, one, "") if one.includes or one.excludes else source
    return hit


def _shown(value: Any, one: Request, path: str) -> Any:
    """Return the requested fields of an object, also inside lists, as ElasticSearch does."""
    if isinstance(value, list):
        return [_shown(part, one, path) for part in value]
    if not isinstance(value, dict):
        return value
    shown = {}
    for name, part in value.items():
        here = f"{path}{name}"
        if not any(fnmatchcase(here, pattern) for pattern in one.excludes) and (
            not one.includes or any(_within(here, pattern) for pattern in one.includes)
        ):
            shown[name] = _shown(part, one, f"{here}.")
    return shown


def _within(here: str, pattern: str) -> bool:
    """Return True if the pattern matches the field, one of its parents, or a field inside it."""
    return fnmatchcase(here, pattern) or here.startswith(f"{pattern}.") or pattern.startswith(f"{here}.")


def info(name: str) -> dict[str, Any]:
    """Return the description of the server, which clients request first."""
    return {
        "name": "stcollection", "cluster_name": name, "cluster_uuid": "_na_",
        "version": {
            "number": VERSION, "build_flavor": "default", "build_type": "unknown", "build_hash": "unknown", "build_date": "unknown",
            "build_snapshot": False, "lucene_version": "8.11.1", "minimum_wire_compatibility_version": "6.8.0",
            "minimum_index_compatibility_version": "6.0.0-beta1",
        },
        "tagline": "You Know, for Search",
    }  # fmt: skip


def error(problem: StcError) -> tuple[int, dict[str, Any]]:
    """Return the status and the body in ElasticSearch's format for an error of the collection."""
    if isinstance(problem, UnknownObject):
        return fault(404, "resource_not_found_exception", said(problem))
    if isinstance(problem, BadArgument):
        kind = "parsing_exception" if isinstance(problem, Unreadable) else "illegal_argument_exception"
        return fault(400, kind, said(problem))
    return fault(503, "search_phase_execution_exception", said(problem))


def said(problem: StcError) -> str:
    """Return message and hint as one text."""
    return f"{problem.message}. {problem.hint}" if problem.hint else problem.message


def fault(status: int, kind: str, reason: str) -> tuple[int, dict[str, Any]]:
    """Return an error in ElasticSearch's format."""
    cause = {"type": kind, "reason": reason}
    return status, {"error": {"root_cause": [cause], **cause}, "status": status}


def warning(sentences: Sequence[str]) -> str:
    """Return the Warning header in ElasticSearch's format, which its client displays."""
    return ", ".join(f'299 Elasticsearch-{VERSION} "{_header(one)}"' for one in sentences)


def _header(text: str) -> str:
    return "".join(one if " " <= one <= "~" and one not in '"\\' else "'" if one == '"' else "?" for one in text)


def packed(answer: object, *, pretty: bool) -> bytes:
    """Return a response as JSON."""
    return orjson.dumps(answer, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE if pretty else None)
