"""Dump a sample (``stc db dump --sample``): fewer documents, but every judgment, query and run.

Foreign keys determine the rows to keep. Rows that restrict deletion of a document (judgments, pools, sources of expansions and
queries, annotations, answers of language models) keep their document. Rows that would be deleted with it (text, vectors, passages,
measures) are kept for the documents of the sample. Rankings are the exception: they are complete, so that every run scores as
before, and their documents outside the sample become stubs, which no search finds.

With licences (``--licence``), only documents with these licences are drawn. Other documents that judgments, pools or rankings name
become stubs, and rankings have no passages of them, so that no text of another licence is in the dump.

The sample is built in a database with a temporary name, where our migrations create the tables and constraints check it, and dumped
from there. From the live database, only tables of the collection are read, as their owner.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql

from stcollection import plugins
from stcollection.counts import counted
from stcollection.db import studies
from stcollection.db.backup import inventory, programs, restore, scratch, session, text_search
from stcollection.db.backup.dump import EMPTIED, Dumped, DumpOptions, DumpOrigin, Tell, dump_claimed, quiet
from stcollection.db.backup.folder import claimed
from stcollection.db.backup.inventory import StoredTable
from stcollection.db.backup.tables import separate_words
from stcollection.db.connection import connect, conninfo
from stcollection.db.pool import worker_count
from stcollection.db.sessions import open_session
from stcollection.db.settings import Settings
from stcollection.db.step import revision
from stcollection.db.upgrade import upgrade
from stcollection.errors import BadArgument, translate

_CHOSEN = sql.SQL("pg_temp.stc_sample")
# The ledger of loaded files does not apply to a sample. Files of snapshots stay, since scores as of a day need the days: as
# incomplete, so that they can be loaded again.
_LEDGER = {"corpus_chunks", "corpus_rejects", "build_recipes", "build_steps"}


@dataclass(frozen=True)
class Size:
    """Size of the random draw from the documents that no row needs: a share from 0 to 1, or a number."""

    share: float | None
    documents: int | None


@dataclass(frozen=True)
class Excerpt:
    """The documents of a dump that does not have all.

    :param size: of the random draw; None draws all. :param seed: the same seed draws the same documents; a smaller sample is a
        subset of a larger one. :param licences: the text only of documents with these licences; empty: of all. ``none`` selects
        documents without one.
    """

    size: Size | None = None
    seed: int = 1
    licences: Sequence[str] = ()


def size(text: str) -> Size:
    """Parse ``1%``, ``0.5%`` or ``1000``. :raises BadArgument: invalid syntax, or out of range."""
    try:
        if text.strip().endswith("%"):
            share = float(text.strip()[:-1]) / 100
            if 0 <= share <= 1:
                return Size(share, None)
        elif int(text) >= 0:
            return Size(None, int(text))
    except ValueError:
        pass
    raise BadArgument(f"a sample of {text!r}", hint="Give a share such as 1% (0% to 100%), or a number of documents such as 1000.")


@translate()
def dump_sample(
    settings: Settings,
    folder: Path,
    *,
    part: Excerpt,
    jobs: int | None = None,
    tell: Tell = quiet,
    progress: programs.Progress | None = None,
) -> Dumped:
    """Dump a part of the collection; otherwise like :func:`stcollection.db.backup.dump.dump`.

    :raises UnknownObject: no document has a licence of the part.
    """
    workers = worker_count(jobs)
    with (
        claimed(folder) as lock,
        sampled(settings, part=part, jobs=workers, tell=tell) as (small, sample, notes),
        open_session(conninfo(small)) as conn,
    ):
        options = DumpOptions(jobs=workers, tell=tell, progress=progress)
        origin = DumpOrigin(collection=settings.db, sample=sample, notes=notes)
        return dump_claimed(conn, small, folder, lock=lock, options=options, origin=origin)


@contextmanager
def sampled(settings: Settings, *, part: Excerpt, jobs: int, tell: Tell) -> Iterator[tuple[Settings, dict[str, Any], list[str]]]:
    """Build the sample in a database that is dropped at the end.

    :returns: its settings, how it was drawn, and notes on differences from the collection.
    """
    with connect(settings) as source, scratch.making(settings, purpose="sample", collection=settings.db) as (_, name):
        small = replace(settings, db=name)
        at = revision(source) or ""
        source.rollback()
        role = session.owner(source)
        source.execute(_MAKE_CHOSEN)
        if role is not None:
            source.execute(sql.SQL("GRANT ALL ON {} TO {}").format(_CHOSEN, sql.Identifier(role)))
        source.commit()
        session.enter(source, role)
        source.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        tables = inventory.tables(source)
        inventory.check_sees_all(source, tables)
        inventory.lock(source, tables)
        sample = _choose(source, part, tables)
        tell(
            f"{counted(sample['kept'], 'document is', 'documents are')} judged or needed, {sample['drawn']:,} drawn,"
            f" {sample['stubs']:,} kept as stubs"
        )
        with scratch.reach(small, name) as target:
            restore.make_extensions(target, inventory.extensions(source))
        tell(f"copying {counted(len(tables), 'table')}")
        restore.fill(small, _Chosen(source, tables, passages=not part.licences), revision=at, jobs=1, config=_config(source))
        [[words]] = source.execute("SELECT stc.text_words()").fetchall()
        source.rollback()
        upgrade(small, force=True, restrict=True)
        with scratch.reach(small, name) as target:
            separate_words(target, words)
        yield small, sample, _notes(sample)


class _Chosen:
    """Source of the rows of a live collection that a sample keeps. :param passages: rankings have passages of stubs."""

    def __init__(self, source: psycopg.Connection, tables: Sequence[StoredTable], *, passages: bool) -> None:
        self._source = source
        self._passages = passages
        skipped = {"alembic_version", "stc_objects", *_LEDGER, *EMPTIED, *restore.OF_LOGINS}
        self._tables = {table.name: table for table in tables if table.name not in skipped}
        self._conditions = _conditions(source, tables)
        self.columns: dict[str, Sequence[str]] = {table.name: table.columns for table in self._tables.values()}
        self.sequences = inventory.sequences(source, list(tables))
        self.text_search = text_search.describe(source)
        self.studies = studies.recorded(source)

    def blocks(self, name: str) -> Iterator[bytes]:
        """Yield the kept rows of a table in the text format of COPY."""
        with self._source.cursor().copy(sql.SQL("COPY ({}) TO STDOUT").format(self._query(self._tables[name]))) as rows:
            for block in rows:
                yield bytes(block)

    def _query(self, table: StoredTable) -> sql.Composable:
        if table.name == "dblp":
            return _joined(
                table,
                "id",
                doc=sql.SQL("CASE WHEN s.full_text THEN d.doc ELSE '{{}}' END").format(),
                stub=sql.SQL("d.stub OR NOT s.full_text"),
            )
        if table.name == "corpus_files":
            changed = {"state": sql.SQL("'incomplete'"), "finished": sql.SQL("NULL")}
            listed = sql.SQL(", ").join(changed.get(column, sql.Identifier(column)) for column in table.columns)
            kept = sql.SQL("SELECT {} FROM {} WHERE id IN (SELECT s.file FROM stc.corpus_snapshots s)")
            return kept.format(listed, table.identifier)
        if table.name == "ranked_lists" and not self._passages:
            passages = sql.SQL(
                "CASE WHEN passages IS NOT NULL THEN ARRAY(SELECT CASE WHEN s.full_text THEN u.passage END"
                " FROM unnest(docs, passages) WITH ORDINALITY u (doc, passage, place) LEFT JOIN {} s ON s.id = u.doc"
                " ORDER BY u.place) END"
            ).format(_CHOSEN)
            columns = [passages if column == "passages" else sql.Identifier(column) for column in table.columns]
            return sql.SQL("SELECT {} FROM ONLY {}").format(sql.SQL(", ").join(columns), table.identifier)
        condition = self._conditions.get(table.name, sql.SQL("true"))
        return sql.SQL("SELECT {} FROM ONLY {} WHERE {}").format(table.listed, table.identifier, condition)


def _joined(table: StoredTable, key: str, **changed: sql.Composable) -> sql.Composable:
    """Return the query of a table's rows of chosen documents. :param changed: expressions of columns, of a row d and its s."""
    listed = sql.SQL(", ").join(changed.get(column, sql.Identifier("d", column)) for column in table.columns)
    return sql.SQL("SELECT {} FROM {} d JOIN {} s ON s.id = d.{}").format(listed, table.identifier, _CHOSEN, sql.Identifier(key))


def _config(conn: psycopg.Connection) -> str | None:
    """Return the configuration of the text index; None without an index."""
    row = conn.execute("SELECT c.cfgname FROM stc.text_index t JOIN pg_ts_config c ON c.oid = t.config").fetchone()
    return None if row is None else str(row[0])


def _notes(sample: dict[str, Any]) -> list[str]:
    limited = [f"documents of other licences than {', '.join(sample['licences'])} have no text"] if "licences" in sample else []
    return [
        f"a sample: {sample['kept'] + sample['drawn']:,} of {counted(sample['of'], 'document')}, and"
        f" {counted(sample['stubs'], 'stub')} without text",
        *limited,
        "runs score as in the full collection; searches differ, since word statistics and vector indexes are those of the sample",
        "readability and credibility of ranked documents are computed without the stubs",
        "citation ranks are those of the full collection: 'stc complexity credibility' recomputes them",
        "scores and pools as of a day leave out stubs, which are in no snapshot",
        "the ledger of loaded files is omitted, except files of snapshots: loading the files again completes the sample",
    ]


# Foreign keys between tables of the collection.
_KEYS = """
SELECT c.relname, array_agg(a.attname ORDER BY u.place), p.relname, array_agg(f.attname ORDER BY u.place), k.confdeltype = 'c'
  FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid JOIN pg_class p ON p.oid = k.confrelid
 CROSS JOIN LATERAL unnest(k.conkey, k.confkey) WITH ORDINALITY u (own, theirs, place)
  JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = u.own
  JOIN pg_attribute f ON f.attrelid = k.confrelid AND f.attnum = u.theirs
 WHERE k.contype = 'f' AND k.conrelid = ANY (%(oids)s::oid[]) AND k.confrelid = ANY (%(oids)s::oid[])
 GROUP BY k.oid, c.relname, p.relname ORDER BY 1, k.conname
"""
_MAKE_CHOSEN = "CREATE TEMPORARY TABLE stc_sample (id bigint PRIMARY KEY, kept boolean NOT NULL, full_text boolean NOT NULL)"


def _choose(conn: psycopg.Connection, part: Excerpt, tables: Sequence[StoredTable]) -> dict[str, Any]:
    """Fill the temporary table with the ids of the documents to keep; ``full_text`` is false for stubs."""
    of = {stored.name: stored.identifier for stored in tables}
    needed: list[sql.Composable] = [
        sql.SQL("SELECT unnest({}) FROM {}").format(sql.Identifier(table.docs), of[table.name])
        for table in plugins.tables()
        if table.docs is not None and table.name in of
    ]
    oids = [stored.oid for stored in tables]
    for table, columns, parent, _, cascade in conn.execute(_KEYS, {"oids": oids}).fetchall():
        if parent == "dblp" and not cascade:
            needed.append(sql.SQL("SELECT {} FROM {}").format(sql.Identifier(columns[0]), of[table]))
    licences: list[str] = []
    licensed: sql.Composable = sql.SQL("true")
    if part.licences:
        [[licences]] = conn.execute("SELECT stc.check_licences(%s)", [list(part.licences)]).fetchall()
        licensed = sql.SQL(
            "EXISTS (SELECT FROM public.dblp_facts f WHERE f.id = d.id AND coalesce(f.licence, 'none') = ANY ({}))"
        ).format(sql.Literal(licences))
    conn.execute(
        sql.SQL("INSERT INTO {} SELECT d.id, true, {} FROM public.dblp d WHERE d.id IN ({})").format(
            _CHOSEN, licensed, sql.SQL(" UNION ").join(needed)
        )
    )
    # Use only the id, from the index of the key; the documents are read once, when they are copied.
    draw = sql.SQL("('x' || left(md5({} || ' ' || d.id), 8))::bit(32)::bigint").format(sql.Literal(str(part.seed)))
    rest = sql.SQL(
        "INSERT INTO {} SELECT d.id, false, true FROM public.dblp d WHERE NOT EXISTS (SELECT FROM {} s WHERE s.id = d.id) AND {}"
    ).format(_CHOSEN, _CHOSEN, licensed)
    drawn: dict[str, Any] = {}
    if part.size is None:
        conn.execute(rest)
    elif part.size.share is not None:
        drawn = {"share": part.size.share}
        conn.execute(rest + sql.SQL(" AND {} < {}").format(draw, sql.Literal(int(part.size.share * 2**32))))
    else:
        drawn = {"documents": part.size.documents}
        conn.execute(rest + sql.SQL(" ORDER BY {}, d.id LIMIT {}").format(draw, sql.Literal(part.size.documents)))
    conn.execute(
        sql.SQL("INSERT INTO {} SELECT DISTINCT r.doc, false, false FROM stc.st1_rankings r ON CONFLICT DO NOTHING").format(_CHOSEN)
    )
    conn.execute(sql.SQL("ANALYZE {}").format(_CHOSEN))
    [row] = conn.execute(
        sql.SQL(
            "SELECT count(*) FILTER (WHERE kept AND full_text), count(*) FILTER (WHERE full_text AND NOT kept),"
            " count(*) FILTER (WHERE NOT full_text), (SELECT count(*) FROM public.dblp) FROM {}"
        ).format(_CHOSEN)
    ).fetchall()
    if licences:
        drawn["licences"] = licences
    return {**drawn, "seed": part.seed, **dict(zip(("kept", "drawn", "stubs", "of"), row, strict=True))}


def _conditions(conn: psycopg.Connection, tables: Sequence[StoredTable]) -> dict[str, sql.Composable]:
    """Return for each table whose rows depend on documents the condition of the rows to keep."""
    of = {stored.name: stored.identifier for stored in tables}
    keys = [row for row in conn.execute(_KEYS, {"oids": [stored.oid for stored in tables]}).fetchall() if row[4]]
    conditions: dict[str, sql.Composable] = {}
    frontier = {"dblp"}
    while frontier:
        further = set()
        for table, columns, parent, theirs, _ in keys:
            if parent not in frontier or table == parent or table in conditions:
                continue
            own = sql.SQL(", ").join(map(sql.Identifier, columns))
            stay = (
                sql.SQL("SELECT id FROM {} WHERE full_text").format(_CHOSEN)
                if parent == "dblp"
                else sql.SQL("SELECT {} FROM {} WHERE {}").format(
                    sql.SQL(", ").join(map(sql.Identifier, theirs)), of[parent], conditions[parent]
                )
            )
            absent = sql.SQL(" OR ").join(sql.SQL("{} IS NULL").format(sql.Identifier(column)) for column in columns)
            conditions[table] = sql.SQL("(({}) IN ({}) OR {})").format(own, stay, absent)
            further.add(table)
        frontier = further
    return conditions
