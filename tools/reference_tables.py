"""Generate the reference of the tables from a collection's catalog: columns, types, keys, defaults and comments."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
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


def page(found: list[Column]) -> str:
    """Return the tables as Markdown."""
    picture = "![Tables, columns and foreign keys](gallery/schema.svg)"
    lines = [f"\n{picture}\n\n`stc db schema --out schema.svg` draws this diagram."]
    lines.append(
        "\nThe schema `stc_all`, for organisers and owners, has tables of the same names and columns with the rows of hidden"
        " editions too: `answer_gold`, `answer_pairs`, `qrels_editions`, `qrels_files`, `qrels_judgments`, `qrels_preferences`,"
        " `qrels_subtopics`,"
        " `query_cuts` and `st1_scores`, and the views that read them."
    )
    table = None
    for one in found:
        if one.table != table:
            table = one.table
            lines += [f"\n## {table}\n", f"{one.table_comment}.\n", "| column | type | | |\n|---|---|---|---|"]
        marks = ["key"] if one.key else ["not null"] if one.not_null else []
        marks += [f"→ `{name}`" for name in (one.references or "").split(", ") if name]
        marks += [f"default `{one.default}`"] if one.default else []
        lines.append(f"| `{one.name}` | {one.type} | {_cell(', '.join(marks))} | {_cell(one.comment)} |")
    return "\n".join(lines)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
