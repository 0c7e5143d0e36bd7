"""Dump a collection as SQL with its published names (``stc db dump --plain``), for servers without stcollection.

There is a file with CREATE and COPY for each table, and a last file with keys and indexes. ``gunzip -c *.sql.gz | psql DATABASE``
loads them into a database that needs only pgvector. Vectors keep the collection's precision: vector or halfvec.
"""

from __future__ import annotations

import datetime
import gzip
import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

import psycopg
from psycopg import sql

from stcollection.counts import counted
from stcollection.db.backup import inventory, programs, session
from stcollection.db.backup.dump import Dumped, DumpOrigin, Tell, quiet, reader
from stcollection.db.backup.folder import claimed
from stcollection.db.backup.manifest import Manifest, describe_top, made_by, write
from stcollection.db.backup.sample import Excerpt, sampled
from stcollection.db.connection import connect, conninfo
from stcollection.db.pool import worker_count
from stcollection.db.sessions import open_session
from stcollection.db.settings import Settings
from stcollection.db.step import revision
from stcollection.errors import translate


@dataclass(frozen=True)
class PublishedTable:
    """A published table. :param create: its columns. :param query: its rows."""

    name: str
    create: str
    query: str


_EDITION = (
    "SELECT q.topic, q.query, j.doc, j.rel, j.origin FROM stc_all.qrels j JOIN st1_queries q ON q.id = j.query"
    " WHERE j.edition = (SELECT e.id FROM stc_all.qrels_editions e WHERE e.edition = {})"
)
_QRELS = 'topic text COLLATE "C", query text COLLATE "C" NOT NULL, doc bigint NOT NULL, rel smallint NOT NULL, origin text NOT NULL'

# Stubs only if judgments or runs of this dump refer to them: others may be named by hidden editions.
_STUBS = (
    "EXISTS (SELECT FROM {judgments}.qrels_judgments j WHERE j.doc = d.id)"
    " OR EXISTS (SELECT FROM stc.st1_rankings r JOIN st1_runs n ON n.id = r.run WHERE r.doc = d.id AND ({runs}))"
)
TABLES = (
    PublishedTable("dblp", 'id bigint NOT NULL, docno text COLLATE "C" NOT NULL, doc jsonb NOT NULL, stub boolean NOT NULL',
          f"SELECT id, docno, doc, stub FROM dblp d WHERE NOT stub OR {_STUBS}"),  # noqa: S608  (our own SQL)
    PublishedTable("dblp_text", "id bigint NOT NULL, title text, abstract text", "SELECT id, title, abstract FROM dblp_text"),
    PublishedTable("dblp_v", "id bigint NOT NULL, title_v {vector}(384), abstract_v {vector}(384)",
          "SELECT id, title_v, abstract_v FROM dblp_v"),
    PublishedTable("st1_topics", 'topic text COLLATE "C" NOT NULL, text text, url text, abstract_url text, title text, '
          "article text, source text, published date",
          "SELECT topic, text, url, abstract_url, title, article, source, published FROM st1_topics ORDER BY id"),
    # Omit the source documents of generated queries, because they reveal judgments.
    PublishedTable("st1_queries", 'query text COLLATE "C" NOT NULL, topic text COLLATE "C", text text, origin text NOT NULL',
          "SELECT query, topic, text, origin FROM st1_queries ORDER BY id"),
    PublishedTable("st1_runs", 'run text COLLATE "C" NOT NULL, team text, family text, params jsonb, source text',
          "SELECT n.run, n.team, n.family, n.params, n.source FROM runs n WHERE {runs} ORDER BY n.run"),
    PublishedTable("st1_rankings", 'run text COLLATE "C" NOT NULL, query text COLLATE "C" NOT NULL, doc bigint NOT NULL, '
          "rank integer NOT NULL, rel_score double precision, comb_score double precision, passage text",
          "SELECT r.run, r.query, r.doc, r.rank, r.rel_score, r.comb_score, r.passage"
          " FROM rankings r JOIN runs n USING (run) WHERE {runs}"),
)  # fmt: skip

# The runs that readers see (stc_rights).
_SHOWN = "n.team IS NULL OR n.shared"

_HEAD = "-- {name} of the collection {collection}, with its published names.\nSET client_encoding = 'UTF8';\n"
_FIRST = "CREATE EXTENSION IF NOT EXISTS vector;\n"

# The published functions in plain SQL; ivfflat searches the number of lists that the session sets (ivfflat.probes).
_LAST = """
ALTER TABLE dblp ADD PRIMARY KEY (id);
ALTER TABLE dblp ADD UNIQUE (docno);
ALTER TABLE dblp_text ADD PRIMARY KEY (id);
ALTER TABLE dblp_v ADD PRIMARY KEY (id);
ALTER TABLE st1_complexity_metrics ADD PRIMARY KEY (id);
ALTER TABLE st1_topics ADD PRIMARY KEY (topic);
ALTER TABLE st1_queries ADD PRIMARY KEY (query);
ALTER TABLE st1_runs ADD PRIMARY KEY (run);
ALTER TABLE st1_rankings ADD PRIMARY KEY (run, query, doc);
ALTER TABLE dblp_text ADD COLUMN tsv tsvector GENERATED ALWAYS AS (
    setweight(to_tsvector('english', coalesce(title, '')), 'A') || setweight(to_tsvector('english', coalesce(abstract, '')), 'B')
) STORED;
CREATE INDEX dblp_text_tsv_gin ON dblp_text USING gin (tsv);
SET maintenance_work_mem = '{memory}MB';
CREATE INDEX dblp_v_title_ivfflat ON dblp_v USING ivfflat (title_v {vector}_ip_ops) WITH (lists = {lists});
CREATE INDEX dblp_v_abstract_ivfflat ON dblp_v USING ivfflat (abstract_v {vector}_ip_ops) WITH (lists = {lists});
RESET maintenance_work_mem;
{references}CREATE FUNCTION qdblp_v_title(doc bigint) RETURNS {vector} LANGUAGE sql STABLE
RETURN (SELECT v.title_v FROM dblp_v v WHERE v.id = qdblp_v_title.doc);
CREATE FUNCTION dblp_knn_title(v_query {vector}, nb numeric, sc float) RETURNS TABLE (id bigint)
LANGUAGE plpgsql STABLE STRICT AS $$
BEGIN
    RETURN QUERY SELECT n.id FROM (SELECT v.id, v.title_v <#> v_query AS distance FROM dblp_v v
                                    ORDER BY v.title_v <#> v_query LIMIT least(nb, 2147483647)::integer) n
     WHERE n.distance <= sc ORDER BY n.distance;
END
$$;
ANALYZE;
"""
# Foreign keys, as in the collection. Tables of judgments have those of st1_qrels_train.
_REFERENCES = {
    "dblp_text": {"id": "dblp"},
    "dblp_v": {"id": "dblp"},
    "st1_complexity_metrics": {"id": "dblp"},
    "st1_queries": {"topic": "st1_topics"},
    "st1_rankings": {"run": "st1_runs", "query": "st1_queries", "doc": "dblp"},
    "st1_qrels_train": {"topic": "st1_topics", "query": "st1_queries", "doc": "dblp"},
}


@translate()
def dump_plain(
    settings: Settings,
    folder: Path,
    *,
    with_hidden: bool = False,
    part: Excerpt | None = None,
    jobs: int | None = None,
    tell: Tell = quiet,
) -> Dumped:
    """Write the published tables as SQL into a new or empty folder; otherwise like :func:`stcollection.db.backup.dump.dump`.

    :param with_hidden: include the judgments of hidden editions, one table each, and runs of teams that are not shared.
    :param part: dump only these documents.
    """
    workers = worker_count(jobs)
    with claimed(folder), ExitStack() as opened:
        at, origin = settings, DumpOrigin(collection=settings.db)
        if part is not None:
            at, sample, notes = opened.enter_context(sampled(settings, part=part, jobs=workers, tell=tell))
            origin = DumpOrigin(collection=settings.db, sample=sample, notes=notes)
            conn = opened.enter_context(open_session(conninfo(at)))
        else:
            conn = opened.enter_context(connect(at))
        return _dump(conn, at, folder, origin, with_hidden=with_hidden, jobs=workers, tell=tell)


def _dump(
    conn: psycopg.Connection,
    settings: Settings,
    folder: Path,
    origin: DumpOrigin,
    *,
    with_hidden: bool,
    jobs: int,
    tell: Tell,
) -> Dumped:
    collection = origin.collection or settings.db
    at = revision(conn) or ""
    conn.rollback()
    role = session.owner(conn)
    session.enter(conn, role)
    conn.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
    inventory.check_sees_all(conn, inventory.tables(conn))
    [[snapshot]] = conn.execute("SELECT pg_export_snapshot()").fetchall()
    editions = inventory.editions(conn)
    hidden = [name for name, edition in editions.items() if edition["hidden"]]
    stored = _vector_type(conn)
    tables = [
        replace(table, create=table.create.replace("{vector}", stored))
        for table in _tables(conn, hidden=hidden, with_hidden=with_hidden)
    ]
    for name in hidden:
        tell(f"the edition {name} is hidden: {'included' if with_hidden else 'omitted'}")
    [(others,)] = conn.execute(f"SELECT count(*) FROM runs n WHERE NOT ({_SHOWN})".encode()).fetchall()  # noqa: S608
    if others:
        tell(f"{counted(others, 'run')} of teams: {'included' if with_hidden else 'omitted'}")
    tell(f"writing {counted(len(tables), 'table')}, {jobs} at a time")
    with ThreadPoolExecutor(jobs) as threads:
        paths = [folder / f"{number:02d}_{table.name}.sql.gz" for number, table in enumerate(tables, 1)]
        head = [
            _HEAD.format(name=table.name, collection=_comment(collection)) + (_FIRST if table is tables[0] else "")
            for table in tables
        ]
        rows = list(threads.map(lambda part: _write(settings, role, snapshot, part), zip(paths, tables, head, strict=True)))
    [[lists, memory]] = conn.execute(
        "SELECT l, greatest(64, stc.ivfflat_memory(l, 384) / 1048576 + 1) FROM (SELECT stc.ivfflat_lists(count(title_v)) l"
        " FROM dblp_v)"
    ).fetchall()
    with gzip.open(folder / f"{len(tables) + 1:02d}_indexes.sql.gz", "wt", encoding="utf-8") as file:
        file.write(_HEAD.format(name="keys and indexes", collection=_comment(collection)))
        keys = "".join(
            f"ALTER TABLE {table.name} ADD FOREIGN KEY ({column}) REFERENCES {parent};\n"
            + (f"CREATE INDEX ON {table.name} ({column});\n" if column == "doc" else "")
            for table in tables
            for column, parent in _REFERENCES.get(re.sub("^st1_qrels_.*", "st1_qrels_train", table.name), {}).items()
        )
        file.write(
            _LAST.replace("{references}", keys)
            .replace("{lists}", str(lists))
            .replace("{memory}", str(memory))
            .replace("{vector}", stored)
        )
    published = editions if with_hidden else {name: edition for name, edition in editions.items() if name not in hidden}
    manifest = Manifest(
        kind="plain",
        stcollection=made_by(),
        revision=at,
        collection=collection,
        made=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        postgresql=programs.server_version(conn),
        extensions={name: extension for name, extension in inventory.extensions(conn).items() if name == "vector"},
        sample=origin.sample,
        tables={table.name: count for table, count in zip(tables, rows, strict=True)},
        emptied=[],
        editions=published,
        indexes={"text": None, "vectors": [{"kind": "ivfflat", "field": field, "lists": lists} for field in ("title", "abstract")]},
        rebuilt=[],
        files=describe_top(folder, jobs=jobs),
        notes=list(origin.notes),
    )
    conn.rollback()
    return Dumped(folder, manifest, write(folder, manifest))


def _vector_type(conn: psycopg.Connection) -> str:
    """Return the type of the collection's vectors: vector, or halfvec (half precision)."""
    [(name,)] = conn.execute(
        "SELECT t.typname FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid"
        " WHERE a.attrelid = 'dblp_v'::regclass AND a.attname = 'title_v'"
    ).fetchall()
    return str(name)


def _tables(conn: psycopg.Connection, *, hidden: Sequence[str], with_hidden: bool) -> list[PublishedTable]:
    """Return the published tables, and tables for hidden editions if requested."""
    columns = [
        name
        for (name,) in conn.execute(
            "SELECT attname FROM pg_attribute WHERE attrelid = 'st1_complexity_metrics'::regclass AND atttypid = 'float8'::regtype"
            " AND (attname NOT LIKE 'read\\_%' OR attname = 'read_char') ORDER BY attnum"
        ).fetchall()
    ]
    measures = PublishedTable(
        "st1_complexity_metrics",
        "id bigint NOT NULL, " + ", ".join(f"{name} double precision" for name in columns),
        f"SELECT id, {', '.join(columns)} FROM st1_complexity_metrics",  # noqa: S608  (our own columns)
    )
    schema = "stc_all" if with_hidden else "public"  # public has no rows of hidden editions
    judged = [
        PublishedTable(name, _QRELS, f"SELECT topic, query, doc, rel, origin FROM {schema}.{name}")  # noqa: S608
        for name in ("st1_qrels_train", "st1_qrels_train_knn")
    ]
    if with_hidden:
        for number, name in enumerate((edition for edition in hidden if edition != "train"), 1):
            literal = sql.Literal(name).as_string(conn)
            query = f"SELECT {literal}::text, x.* FROM ({_EDITION.replace('{}', literal)}) x"  # noqa: S608
            judged.append(PublishedTable(f"st1_qrels_hidden_{number}", f"edition text NOT NULL, {_QRELS}", query))
    runs = "true" if with_hidden else _SHOWN
    published = [replace(table, query=table.query.replace("{judgments}", schema).replace("{runs}", runs)) for table in TABLES]
    return [*published[:3], measures, *published[3:], *judged]


def _write(settings: Settings, role: str | None, snapshot: str, part: tuple[Path, PublishedTable, str]) -> int:
    """Write one table in the snapshot. :returns: its rows."""
    path, table, head = part
    with (
        reader(settings, role, snapshot) as conn,
        gzip.open(path, "wb", compresslevel=6) as file,
    ):
        listed = ", ".join(column.strip().split()[0] for column in table.create.split(", "))
        file.write(f"{head}CREATE TABLE {table.name} ({table.create});\nCOPY {table.name} ({listed}) FROM stdin;\n".encode())
        with conn.cursor() as cursor:
            with cursor.copy(f"COPY ({table.query}) TO STDOUT".encode()) as rows:
                for block in rows:
                    file.write(block)
            count = cursor.rowcount
        file.write(b"\\.\n\n")
    return count


def _comment(name: str) -> str:
    """Return a name on one line, which cannot end a comment."""
    return " ".join(name.split())
