"""``stc db dump --sample``: a collection with fewer documents, in which every judgment, query and run is still there.

Which rows stay is read from the foreign keys. What would hold a document back from being deleted (judgments, pools, sources of
expansions and queries, annotations, answers of language models) keeps its document; what would go with its document (text, vectors,
passages, measures) stays for the documents that stay. Rankings are the exception: they stay whole, so that every run scores as
before, and their documents outside the sample stay as stubs: a name without text, which no search finds.

The sample is put together in a database under a temporary name, where the constraints hold it together, and dumped from there.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql

from stcollection.db.connection import connect, conninfo
from stcollection.db.handover import inventory, programs, restore, scratch
from stcollection.db.handover.dump import EMPTIED, Dumped, Tell, dump_claimed, quiet
from stcollection.db.handover.folder import claimed
from stcollection.db.handover.manifest import Manifest
from stcollection.db.pool import worker_count
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, translate

_CHOSEN = sql.SQL("pg_temp.stc_sample")
# What a sample was not loaded from.
_LEDGER = {"corpus_files", "corpus_chunks", "corpus_rejects"}


@dataclass(frozen=True)
class Size:
    """How many of the documents that nothing needs are drawn: a share of them from 0 to 1, or a number."""

    share: float | None
    documents: int | None


def size(text: str) -> Size:
    """``1%``, ``0.5%`` or ``1000``. :raises BadArgument: it is neither, or not between nothing and everything."""
    try:
        if text.strip().endswith("%"):
            share = float(text.strip()[:-1]) / 100
            if 0 <= share <= 1:
                return Size(share, None)
        elif int(text) >= 0:
            return Size(None, int(text))
    except ValueError:
        pass
    raise BadArgument(f"a sample of {text!r}", hint="Give a share as 1% (0% to 100%), or a number of documents as 1000.")


@translate()
def dump_sample(
    settings: Settings, folder: Path, *, drawn: Size, seed: int = 1, jobs: int | None = None, tell: Tell = quiet,
    progress: programs.Progress | None = None,
) -> Dumped:  # fmt: skip
    """Dump a sample of the collection; else as :func:`stcollection.db.handover.dump.dump`.

    :param seed: the same one draws the same documents of the same collection, and of a larger sample a part.
    """
    workers = worker_count(jobs)
    with (
        claimed(folder) as lock,
        sampled(settings, folder, drawn=drawn, seed=seed, jobs=workers, lock=lock, tell=tell) as (small, said, notes),
        psycopg.connect(conninfo(small)) as conn,
    ):
        return dump_claimed(
            conn, small, folder, lock=lock, jobs=workers, tell=tell, progress=progress,
            collection=settings.db, sample=said, notes=notes,
        )  # fmt: skip


@contextmanager
def sampled(
    settings: Settings, folder: Path, *, drawn: Size, seed: int, jobs: int, lock: int, tell: Tell
) -> Iterator[tuple[Settings, dict[str, Any], list[str]]]:
    """The sample as a database that is removed at the end.

    :returns: where it is, how it was drawn, and what of it is not as in the whole.
    """
    with connect(settings) as source, scratch.making(settings, purpose="sample", collection=settings.db) as (_, name):
        small = replace(settings, db=name)
        major = source.info.server_version // 10000
        source.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        source.execute("SET LOCAL lock_timeout = '60s'")
        inventory.whole(source)
        [[snapshot]] = source.execute("SELECT pg_export_snapshot()").fetchall()
        said = _choose(source, drawn, seed)
        tell(f"{said['kept']:,} documents are judged or else needed, {said['drawn']:,} are drawn, {said['stubs']:,} stay as stubs")
        programs.run(
            [programs.find("pg_dump", server=major), "--format=directory", "--schema-only", f"--file={folder / 'data'}",
             f"--snapshot={snapshot}", "--no-owner", "--no-privileges"],
            conninfo=conninfo(settings), keep=[lock],
        )  # fmt: skip
        tables = inventory.tables(source)
        described = _schema_of(source)
        program = programs.find("pg_restore", server=major)
        with scratch.reach(small, name) as target:
            restore.make_extensions(target, described)
            restore.fill(small, folder, described, program=program, jobs=1, progress=None, only=["pre-data"])
            tell(f"copying {len(tables)} tables")
            with target.transaction():
                _copy(source, target)
                _sequences(source, target)
        restore.fill(small, folder, described, program=program, jobs=jobs, progress=None, only=["post-data"])
        shutil.rmtree(folder / "data")
        source.rollback()
        yield small, said, _notes(said)


def _notes(said: dict[str, Any]) -> list[str]:
    return [
        f"a sample: {said['kept'] + said['drawn']:,} of {said['of']:,} documents, and {said['stubs']:,} stubs that runs rank",
        "runs score as in the whole; searches find other documents, since statistics of words and vector indexes are of the sample",
        "readability and credibility of what runs rank are told without the stubs",
        "ranks by citations are those of the whole collection: 'stc complexity credibility' makes them anew",
        "the ledger of loaded files is left out: the files may be loaded again, and make the sample whole",
    ]


def _schema_of(conn: psycopg.Connection) -> Manifest:
    """What :func:`restore.fill` must know of a schema."""
    _, rebuilt = inventory.indexes(conn)
    return Manifest(
        kind="dump", stcollection="", revision="", collection="", made="", postgresql="", extensions=inventory.extensions(conn),
        sample=None, tables={}, emptied=[], editions={}, indexes={}, rebuilt=rebuilt, files={}, notes=[],
    )  # fmt: skip


_KEYS = """
SELECT k.conrelid::regclass::text, n.nspname, c.relname, array_agg(a.attname ORDER BY u.place), k.confrelid::regclass::text,
       array_agg(f.attname ORDER BY u.place), k.confdeltype = 'c'
  FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid JOIN pg_namespace n ON n.oid = c.relnamespace
 CROSS JOIN LATERAL unnest(k.conkey, k.confkey) WITH ORDINALITY u (own, theirs, place)
  JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = u.own
  JOIN pg_attribute f ON f.attrelid = k.confrelid AND f.attnum = u.theirs
 WHERE k.contype = 'f' AND k.conparentid = 0 GROUP BY k.oid, n.nspname, c.relname ORDER BY 1, k.conname
"""


def _choose(conn: psycopg.Connection, drawn: Size, seed: int) -> dict[str, Any]:
    """Fill a temporary table with the ids of the documents that stay; ``full`` is false for stubs."""
    needed: list[sql.Composable] = [sql.SQL("SELECT unnest(docs) FROM public.coverages")]
    for table, schema, name, columns, parent, _, cascade in conn.execute(_KEYS).fetchall():
        if parent == "dblp" and not cascade and table != "st1_rankings":
            needed.append(sql.SQL("SELECT {} FROM {}").format(sql.Identifier(columns[0]), sql.Identifier(schema, name)))
    conn.execute("CREATE TEMPORARY TABLE stc_sample (id bigint PRIMARY KEY, kept boolean NOT NULL, full_text boolean NOT NULL)")
    conn.execute(
        sql.SQL("INSERT INTO {} SELECT d.id, true, true FROM dblp d WHERE d.id IN ({})").format(
            _CHOSEN, sql.SQL(" UNION ").join(needed)
        )
    )
    # By the id alone, which the key's index has: the documents themselves are read once, when they are copied.
    draw = sql.SQL("('x' || left(md5({} || ' ' || d.id), 8))::bit(32)::bigint").format(sql.Literal(str(seed)))
    rest = sql.SQL(
        "INSERT INTO {} SELECT d.id, false, true FROM dblp d WHERE NOT EXISTS (SELECT FROM {} s WHERE s.id = d.id)"
    ).format(_CHOSEN, _CHOSEN)
    if drawn.share is not None:
        conn.execute(rest + sql.SQL(" AND {} < {}").format(draw, sql.Literal(int(drawn.share * 2**32))))
    else:
        conn.execute(rest + sql.SQL(" ORDER BY {}, d.id LIMIT {}").format(draw, sql.Literal(drawn.documents)))
    conn.execute(
        sql.SQL("INSERT INTO {} SELECT DISTINCT r.doc, false, false FROM st1_rankings r ON CONFLICT DO NOTHING").format(_CHOSEN)
    )
    conn.execute(sql.SQL("ANALYZE {}").format(_CHOSEN))
    [row] = conn.execute(
        sql.SQL(
            "SELECT count(*) FILTER (WHERE kept), count(*) FILTER (WHERE full_text AND NOT kept),"
            " count(*) FILTER (WHERE NOT full_text), (SELECT count(*) FROM dblp) FROM {}"
        ).format(_CHOSEN)
    ).fetchall()
    asked = {"share": drawn.share} if drawn.share is not None else {"documents": drawn.documents}
    return {**asked, "seed": seed, **dict(zip(("kept", "drawn", "stubs", "of"), row, strict=True))}


def _conditions(conn: psycopg.Connection) -> dict[str, sql.Composable]:
    """For each table whose rows go with their documents, which rows stay; by regclass."""
    keys = [row for row in conn.execute(_KEYS).fetchall() if row[6]]
    found: dict[str, sql.Composable] = {}
    frontier = {"dblp": sql.Composed([sql.SQL("SELECT id FROM {} WHERE full_text").format(_CHOSEN)])}
    while frontier:
        further: dict[str, sql.Composed] = {}
        for table, schema, name, columns, parent, theirs, _ in keys:
            if parent not in frontier or table == parent or table in found:
                continue
            own = sql.SQL(", ").join(map(sql.Identifier, columns))
            stay = frontier[parent] if parent == "dblp" else sql.SQL("SELECT {} FROM {} WHERE {}").format(
                sql.SQL(", ").join(map(sql.Identifier, theirs)), sql.SQL(parent), found[parent]
            )  # fmt: skip
            absent = sql.SQL(" OR ").join(sql.SQL("{} IS NULL").format(sql.Identifier(one)) for one in columns)
            found[table] = sql.SQL("(({}) IN ({}) OR {})").format(own, stay, absent)
            further[table] = sql.Composed([sql.Identifier(schema, name)])
        frontier = further
    return found


def _copy(source: psycopg.Connection, target: psycopg.Connection) -> None:
    """Copy each table's rows that stay."""
    conditions = _conditions(source)
    for schema, name, oid in source.execute(inventory.TABLES).fetchall():
        qualified = f"{schema}.{name}"
        [[table]] = source.execute("SELECT %s::oid::regclass::text", [oid]).fetchall()
        if qualified in EMPTIED or (schema == "public" and name in _LEDGER):
            continue
        columns = [
            column
            for (column,) in source.execute(
                "SELECT attname FROM pg_attribute WHERE attrelid = %s AND attnum > 0 AND NOT attisdropped AND attgenerated = ''"
                " ORDER BY attnum",
                [oid],
            ).fetchall()
        ]
        listed: sql.Composable = sql.SQL(", ").join(map(sql.Identifier, columns))
        if qualified == "public.dblp":
            query: sql.Composable = sql.SQL(
                "SELECT d.id, d.docno, CASE WHEN s.full_text THEN d.doc ELSE '{{}}' END,"
                " d.stub OR NOT s.full_text FROM dblp d JOIN {} s ON s.id = d.id"
            ).format(_CHOSEN)
            listed = sql.SQL("id, docno, doc, stub")
        else:
            query = sql.SQL("SELECT {} FROM {} WHERE {}").format(
                listed, sql.Identifier(schema, name), conditions.get(table, sql.SQL("true"))
            )
        # As text: in binary a text search configuration is its number, which is another one there.
        read = sql.SQL("COPY ({}) TO STDOUT").format(query)
        write = sql.SQL("COPY {} ({}) FROM STDIN").format(sql.Identifier(schema, name), listed)
        with source.cursor().copy(read) as rows, target.cursor().copy(write) as copied:
            for block in rows:
                copied.write(block)


def _sequences(source: psycopg.Connection, target: psycopg.Connection) -> None:
    """Have each sequence go on where the whole's is, so that no new row takes a number that was given."""
    for schema, name, last in source.execute("SELECT schemaname, sequencename, last_value FROM pg_sequences").fetchall():
        if last is not None:
            target.execute("SELECT setval(%s::regclass, %s)", [sql.Identifier(schema, name).as_string(target), last])
