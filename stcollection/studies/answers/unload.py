"""Write a data set of answer verification to files that load accepts."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Annotated, Any

import orjson
import psycopg
from psycopg import sql

from stcollection.db.roles import rows_schema
from stcollection.db.rows import only_value
from stcollection.declared import Option
from stcollection.errors import BadArgument, translate
from stcollection.io.writing import output
from stcollection.studies.answers.files import KINDS, escape
from stcollection.studies.answers.parameters import AnswerSet
from stcollection.studies.answers.sets import overview

_DOCUMENTS = """
SELECT q.text, coalesce(json_agg(json_build_object('title', d.title, 'url', d.url, 'doc_text', d.text, 'doc_id', d.doc_id)
                                 ORDER BY d.place) FILTER (WHERE d.id IS NOT NULL), '[]')
  FROM stc.answer_queries q LEFT JOIN stc.answer_documents d ON d.query = q.id
 WHERE q.set = %(set)s
   AND EXISTS (SELECT FROM stc.answer_files f WHERE f.set = q.set AND f.kind = 'documents'
               UNION ALL SELECT FROM stc.answer_documents d JOIN stc.answer_queries o ON o.id = d.query WHERE o.set = q.set)
 GROUP BY q.id ORDER BY q.place
"""
# The order of the two answers and of the pairs depends only on their content, so that a round trip gives the same bytes.
_PAIRS = """
SELECT q.text, one.url, one.text, two.url, two.text, {says}
  FROM {{rows}}.answer_pairs p JOIN stc.answer_queries q ON q.id = p.query JOIN stc.answers a ON a.id = p.a JOIN stc.answers b
  ON b.id = p.b
 CROSS JOIN LATERAL (SELECT (a.url, a.text COLLATE "C") <= (b.url, b.text COLLATE "C") AS ahead) o
 CROSS JOIN LATERAL (SELECT CASE WHEN ahead THEN a.url ELSE b.url END AS url,
                            CASE WHEN ahead THEN a.text ELSE b.text END AS text) one
 CROSS JOIN LATERAL (SELECT CASE WHEN ahead THEN b.url ELSE a.url END AS url,
                            CASE WHEN ahead THEN b.text ELSE a.text END AS text) two
 {more}
 WHERE q.set = %(set)s AND a.source = 'given' AND b.source = 'given'
 ORDER BY q.place, one.url, one.text COLLATE "C", two.url, two.text COLLATE "C", 6
"""
_GOLD = """
SELECT q.text, coalesce(string_agg(d.doc_id, ',' ORDER BY d.place) FILTER (WHERE g.document IS NOT NULL), '')
  FROM stc.answer_queries q JOIN stc.answer_documents d ON d.query = q.id LEFT JOIN {rows}.answer_gold g ON g.document = d.id
 WHERE q.set = %(set)s
   AND EXISTS (SELECT FROM stc.answer_files f WHERE f.set = q.set AND f.kind = 'gold'
               UNION ALL SELECT FROM {rows}.answer_gold o JOIN stc.answer_queries w ON w.id = o.query WHERE w.set = q.set)
 GROUP BY q.id ORDER BY q.place
"""
_STATEMENTS = {
    "documents": _DOCUMENTS,
    "pairs": _PAIRS.format(
        says="w.label::text",
        more="CROSS JOIN LATERAL (SELECT generate_series(coalesce(p.label, 0), coalesce(p.label, 1)) AS label) w",
    ),
    "relations": _PAIRS.format(says="p.relation", more="").replace("WHERE", "WHERE p.relation IS NOT NULL AND", 1),
    "gold": _GOLD,
    "templates": "SELECT text, template FROM stc.answer_queries WHERE set = %(set)s AND template IS NOT NULL ORDER BY place",
}


@translate()
def unload(
    conn: psycopg.Connection,
    set: AnswerSet,  # noqa: A002
    folder: Annotated[Path, Option("FOLDER")],
    *,
    replace: bool = False,
) -> list[tuple[Path, int]]:
    """Write a data set to files that load as the same tables, and give the same bytes when written again.

    A contradictory pair is written with both labels, a query without gold with an empty list.

    :param folder: created if it does not exist.
    :param replace: Overwrite existing files.
    :returns: each file with its number of lines.
    :raises UnknownObject: the data set does not exist.
    :raises BadArgument: a file exists.
    """
    written: list[tuple[Path, int]] = []
    with conn.transaction():
        conn.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        for split in [row.split for row in overview(conn, set)]:
            key = only_value(conn, "SELECT stc.answer_set_key(%s, %s)", [set, split])
            for kind, name in KINDS.items():
                path = folder / f"{split}_{name}"
                if lines := _write(conn, path, kind, key, replace=replace):
                    written.append((path, lines))
    return written


def _write(conn: psycopg.Connection, path: Path, kind: str, key: int, *, replace: bool) -> int:
    """Write one file.

    :returns: the number of lines; a file without lines is not created.
    """
    statement = sql.SQL(_STATEMENTS[kind]).format(rows=rows_schema(conn))
    with conn.cursor(name="answer_unload") as cursor:
        cursor.execute(statement, {"set": key})
        lines = _lines(cursor, kind)
        first = next(lines, None)
        if first is None:
            return 0
        if path.exists() and not replace:
            raise BadArgument(f"{path} already exists", hint="Use another folder, or overwrite it with --replace.")
        path.parent.mkdir(parents=True, exist_ok=True)
        with output(path) as file:
            return sum(file.write(line + b"\n") > 0 for line in chain([first], lines))


def _lines(cursor: psycopg.ServerCursor[Any], kind: str) -> Iterator[bytes]:
    for row in cursor:
        if kind == "documents":
            yield orjson.dumps({"query": row[0], "docs": row[1]})
        else:
            yield "\t".join(map(escape, row)).encode()
