"""Generate the reference of the tables from a collection's catalog: columns, types, keys, defaults and comments."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import groupby
from typing import NamedTuple

import psycopg

from stcollection.db.collections import create
from stcollection.db.connection import conninfo
from stcollection.db.settings import Settings
from tests.homes import home_folder

_COLUMNS = """
SELECT CASE c.relnamespace WHEN 'public'::regnamespace THEN c.relname ELSE concat(c.relnamespace::regnamespace, '.', c.relname) END,
       obj_description(c.oid, 'pg_class'), a.attname, format_type(a.atttypid, a.atttypmod),
       EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.oid AND i.indisprimary AND a.attnum = ANY (i.indkey)), a.attnotnull,
       (SELECT string_agg(DISTINCT regexp_replace(format('%s.%s', f.confrelid::regclass, r.attname), '^stc_all[.]', ''), ', ')
          FROM pg_constraint f, unnest(f.conkey, f.confkey) AS k (own, theirs), pg_attribute r
         WHERE f.conrelid = c.oid AND f.contype = 'f' AND k.own = a.attnum
           AND r.attrelid = f.confrelid AND r.attnum = k.theirs),
       CASE WHEN a.attgenerated = '' THEN pg_get_expr(d.adbin, d.adrelid) END, col_description(c.oid, a.attnum)
  FROM pg_class c
  JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
  LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
 WHERE c.oid IN (SELECT o.oid FROM stc.collection_objects() o WHERE o.kind = 'TABLE')
   AND NOT (c.relnamespace = 'stc_all'::regnamespace AND (c.relispartition OR c.relkind = 'p' OR c.relname = 'qrels_editions'))
 ORDER BY c.relnamespace::regnamespace::text COLLATE "C", c.relname COLLATE "C", a.attnum
"""


class Column(NamedTuple):
    """A column of a table.

    :param key: part of the primary key. :param references: targets of its foreign keys. :param default: default expression in SQL.
    """

    table: str
    table_comment: str
    name: str
    type: str
    key: bool
    not_null: bool
    references: str | None
    default: str | None
    comment: str


@contextmanager
def collection() -> Iterator[str]:
    """Yield the DSN of an empty collection on a temporary embedded server."""
    with home_folder() as home:
        settings = Settings(db="reference", home=home, dsn=None)
        create(settings)
        yield conninfo(settings)


def columns(dsn: str) -> list[Column]:
    """Return the columns of all tables, by table."""
    with psycopg.connect(dsn) as conn:
        return [Column(*row) for row in conn.execute(_COLUMNS).fetchall()]


_HEAD = """\
# Tables

Find the table and the columns for a statement, and how tables are joined: `→` names the column that a foreign key refers to.
`\\d+ NAME` in psql prints the same. [Ask questions in psql](../howto/psql.md) has statements to copy, and views with names instead
of numbers.

![Tables, columns and foreign keys](gallery/schema.svg)

`stc db schema --out schema.svg` draws this diagram. The schema `stc_all`, for organisers and owners, has the rows of hidden
editions too, in tables of the same names: `answer_gold`, `answer_pairs`, `qrels_editions`, `qrels_files`, `qrels_judgments`,
`qrels_preferences`, `qrels_strata`, `qrels_subtopics`, `query_cuts` and `st1_scores`, and the views that read them.
"""


def page(columns: list[Column]) -> str:
    """Return the tables as Markdown: in full those that users read, and the others by name."""
    lines = [_HEAD]
    others: list[str] = []
    for table, group in groupby(columns, key=lambda column: column.table):
        own = list(group)
        comment = f"{own[0].table_comment}."
        if "." in table and not table.startswith("stc.st1_"):
            others.append(f"`{table}`")
            continue
        lines += [f"\n## {table}\n", f"{comment}\n", *map(_line, own)]
    about = "`\\dt+ stc*.*` in psql describes them, `\\d+ stc.NAME` lists their columns"
    return "\n".join([*lines, f"\n## Other tables\n\n{about}: {', '.join(others)}."]) + "\n"


def _line(column: Column) -> str:
    type_ = column.type.replace("double precision", "float8").replace("timestamp with time zone", "timestamptz")
    marks = [type_, "key" if column.key else "not null" if column.not_null else ""]
    marks += [f"→ `{name}`" for name in (column.references or "").split(", ") if name]
    marks += [f"default `{column.default}`"] if column.default else []
    comment = column.comment.removesuffix(f": {(column.references or '').removeprefix('stc.')}")  # the mark → names it
    return f"- `{column.name}` ({', '.join(filter(None, marks))}): {comment}"
