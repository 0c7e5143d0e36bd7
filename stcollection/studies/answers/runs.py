"""Runs of answer verification: list, drop, export and import submission files."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import psycopg
from psycopg.types.json import Jsonb

from stcollection.counts import counted, first_of
from stcollection.db.rows import records
from stcollection.errors import BadArgument, BadInput, translate
from stcollection.io.files import bad_line, lines
from stcollection.studies.answers.parameters import AnswerRun, AnswerSet, NewRun, Split

_SHOWN = 3  # unknown names that a message lists


class AnswerRunOverview(NamedTuple):
    """One row of answer_run_overview."""

    run: str
    set: str
    split: str
    method: str
    params: dict[str, Any]
    queries: int
    answered: int
    documents: int
    clusters: int
    made: datetime


class ExportedAnswers(NamedTuple):
    queries: int
    answered: int
    documents: int


class ImportedAnswers(NamedTuple):
    """An imported run of answers.

    :param unnamed: number of queries of the split that the file does not name; they abstain.
    """

    run: str
    queries: int
    answered: int
    documents: int
    unnamed: int


@translate()
def runs(conn: psycopg.Connection) -> list[AnswerRunOverview]:
    """Return the stored runs, by name."""
    return records(conn, AnswerRunOverview, "SELECT * FROM stc.answer_run_overview ORDER BY run")


@translate()
def drop_run(conn: psycopg.Connection, run: AnswerRun) -> None:
    """Remove a run with its clusters and predictions. :raises UnknownObject: the run does not exist."""
    with conn.transaction():
        conn.execute("DELETE FROM stc.answer_runs WHERE id = stc.answer_run_key(%s)", [run])


@translate()
def export_run(conn: psycopg.Connection, run: AnswerRun, out: BinaryIO) -> ExportedAnswers:
    """Write a run in the challenge's submission format: ``query<TAB>id,id``, queries as loaded, documents by place.

    A query that abstains has no ids.

    :raises UnknownObject: the run does not exist.
    :raises BadArgument: the name of a query or document cannot be written in this format.
    """
    rows = conn.execute(
        "SELECT q.text, coalesce(array_agg(d.doc_id ORDER BY d.place, d.id) FILTER (WHERE p.document IS NOT NULL), '{}')"
        " FROM stc.answer_runs r JOIN stc.answer_queries q ON q.set = r.set"
        " LEFT JOIN stc.answer_predictions p ON p.run = r.id AND p.query = q.id LEFT JOIN stc.answer_documents d"
        " ON d.id = p.document"
        " WHERE r.id = stc.answer_run_key(%s) GROUP BY q.id ORDER BY q.place, q.id",
        [run],
    ).fetchall()
    for query, documents in rows:
        _carried("query", query, "\t\n\r")
        for document in documents:
            _carried("document", document, "\t\n\r,")
        out.write(f"{query}\t{','.join(documents)}\n".encode())
    return ExportedAnswers(len(rows), sum(bool(documents) for _, documents in rows), sum(len(documents) for _, documents in rows))


def _carried(kind: str, name: str, signs: str) -> None:
    wrong = next((sign for sign in signs if sign in name), None)
    if wrong is None and name:
        return
    what = "is empty" if wrong is None else f"contains {'a comma' if wrong == ',' else repr(wrong)}"
    hint = "Rename it in the source file and load that again."
    raise BadArgument(f"the {kind} {name!r} {what}, which the submission format does not allow", hint=hint)


@translate()
def import_run(
    conn: psycopg.Connection,
    path: Path,
    *,
    set: AnswerSet,  # noqa: A002
    split: Split = "test",
    run: NewRun,
    replace: bool = False,
) -> ImportedAnswers:
    """Store a submission file as a run, in one transaction.

    A query abstains if the file does not name it, or if its line has no document. The file is UTF-8, with or without a byte order
    mark; empty lines are ignored.

    :param split: Split of the data set. :param replace: Replace a stored run with this name; otherwise that is an error.
    :raises BadInput: a line is not ``query<TAB>id,id``, or a query or document is repeated or not in the split.
    :raises UnknownObject: the split does not exist.
    :raises BadArgument: the run's name is taken.
    """
    read = list(_lines(path))
    with conn.transaction():
        [(set_id,)] = conn.execute("SELECT stc.answer_set_key(%s, %s)", [set, split]).fetchall()
        stored: dict[str, tuple[int, dict[str, int]]] = {}
        for text, query, names, keys in conn.execute(
            "SELECT q.text, q.id, coalesce(array_agg(d.doc_id) FILTER (WHERE d.id IS NOT NULL), '{}'),"
            " coalesce(array_agg(d.id) FILTER (WHERE d.id IS NOT NULL), '{}')"
            " FROM stc.answer_queries q LEFT JOIN stc.answer_documents d ON d.query = q.id WHERE q.set = %s GROUP BY q.id",
            [set_id],
        ):
            stored[text] = query, dict(zip(names, keys, strict=True))
        queries = [f"{query!r} in line {number}" for number, query, _ in read if query not in stored]
        _all_known(path, "query", queries, f"{set} {split}")
        documents = [
            f"{name!r} in line {number}" for number, query, names in read for name in names if name not in stored[query][1]
        ]
        _all_known(path, "document", documents, "its query")
        params = {"file": path.name}
        [(key,)] = conn.execute(
            "SELECT stc.answer_begin_run(%s, %s, 'imported', %s, %s)", [run, set_id, Jsonb(params), replace]
        ).fetchall()
        rows = [(key, stored[query][1][name], stored[query][0]) for _, query, names in read for name in names]
        with conn.cursor() as cursor, cursor.copy("COPY stc.answer_predictions (run, document, query) FROM STDIN") as copy:
            for row in rows:
                copy.write_row(row)
    return ImportedAnswers(run, len(read), sum(bool(names) for _, _, names in read), len(rows), len(stored) - len(read))


def _lines(path: Path) -> Iterator[tuple[int, str, list[str]]]:
    """Return line number, query and documents of each non-empty line."""
    first: dict[str, int] = {}
    for number, line in lines(path):
        fields = line.split("\t")
        if len(fields) != 2 or not fields[0]:
            what = "no query" if len(fields) == 2 else f"{counted(len(fields), 'field')} instead of 2"
            hint = "Expected: query, a tab, and document ids joined by commas; no ids if nothing is returned."
            raise bad_line(path, number, what, hint=hint)
        query, names = fields[0], fields[1].split(",") if fields[1] else []
        if query in first:
            hint = "Write one line per query."
            raise bad_line(path, number, f"{query!r} is repeated from line {first[query]}", hint=hint, sqlstate="IR302")
        first[query] = number
        for at, name in enumerate(names):
            if not name:
                hint = "Separate ids by one comma, without a comma at the end."
                raise bad_line(path, number, "an empty document id", hint=hint)
            if name in names[:at]:
                hint = "List each document once."
                raise bad_line(path, number, f"document {name!r} is listed twice", hint=hint, sqlstate="IR302")
        yield number, query, names
    if not first:
        raise BadInput(f"{path} is empty", hint="Expected: query, a tab, and document ids joined by commas.")


def _all_known(path: Path, what: str, unknown: list[str], where: str) -> None:
    if unknown:
        fault = f"{counted(len(unknown), what)} not found in {where}: {first_of(unknown, _SHOWN)}"
        hint = "Nothing was stored. Names must be exactly as in the data; check --set and --split."
        raise BadInput(f"{path}: {fault}", hint=hint)
