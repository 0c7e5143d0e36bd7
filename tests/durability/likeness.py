"""Compare two collections by table, and check that a collection is consistent, without partial changes."""

from __future__ import annotations

import psycopg
from psycopg import sql

# Columns that always differ between two collections: times and durations.
DIFFERS = ("seconds",)
# Arrays of numbers from sequences: only their length is compared.
NUMBERS = {("qrels_files", "rows"), ("corpus_chunks", "docs"), ("topic_files", "queries"), ("topic_files", "topics")}
# Documents in JSON that contain times, metadata that also names the database, and numbers from sequences without a foreign key.
TIMES = {("st1_runs", "params")}
SKIPPED = {
    ("st1_runs", "metadata"),
    ("judged_runs", "run"),
    ("qrels_editions", "id"),  # public.qrels_editions has copies of these numbers
    *((table, column) for table in ("judged_rankings", "judged_scores") for column in ("edition", "run", "query")),
}
QUERIES = ("w0100 w0500", "w0003", "w0042 w0700 w1500", "w2999", "w0250 w0251 w0252 w0253")
DEPTH = 100_000  # all documents, because an index scan may cut off equal scores anywhere

_COLUMNS = """
SELECT c.oid::regclass::text, a.attname,
       a.attidentity <> '' OR coalesce(pg_get_expr(d.adbin, d.adrelid), '') LIKE 'nextval%%' AS counted,
       (SELECT array_agg(t.attname::text || ' ' || f.confrelid::regclass) FROM pg_constraint f JOIN pg_attribute t
           ON t.attrelid = f.confrelid AND t.attnum = f.confkey[array_position(f.conkey, a.attnum)]
         WHERE f.contype = 'f' AND f.conrelid = c.oid AND a.attnum = ANY (f.conkey)) AS refers
  FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
  LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
 WHERE c.relnamespace IN ('public'::regnamespace, 'stc'::regnamespace, 'stc_all'::regnamespace) AND c.relkind = 'r'
   AND a.atttypid <> 'timestamptz'::regtype AND a.attname <> ALL (%s)
 ORDER BY 1, a.attnum
"""


def likeness(conn: psycopg.Connection) -> dict[str, str]:
    """A hash of the unordered rows of each table, without times. Numbers from sequences are compared by rank, because a crash may
    leave gaps.
    """
    conn.execute("SET search_path = pg_catalog")  # so that the names of tables have their schema
    rows = conn.execute(_COLUMNS, [list(DIFFERS)]).fetchall()
    counted = {(table, column) for table, column, is_counted, _ in rows if is_counted}
    shown: dict[str, list[sql.Composable]] = {}
    joined: dict[str, list[sql.Composable]] = {}
    for table, column, _, refers in rows:
        parents = [one.split(" ", 1) for one in refers or ()]
        sources = [(table, column), *((parent, key) for key, parent in parents)]
        source = next((one for one in sources if one in counted), None)
        bare = (table.rpartition(".")[2], column)
        if bare in SKIPPED:
            continue
        if source is None:
            value = sql.SQL("cardinality(t.{})" if bare in NUMBERS else "t.{}")
            if bare in TIMES:
                value = sql.SQL(r"regexp_replace(t.{}::text, '\d{{4}}-\d\d-\d\dT[^\"]*', '', 'g')")
            shown.setdefault(table, []).append(value.format(sql.Identifier(column)))
            continue
        order = sql.Identifier(f"order of {column}")
        shown.setdefault(table, []).append(sql.SQL("{}.n").format(order))
        join = sql.SQL("LEFT JOIN (SELECT {0} AS id, row_number() OVER (ORDER BY {0}) AS n FROM {1}) {2} ON {2}.id = t.{3}")
        joined.setdefault(table, []).append(
            join.format(sql.Identifier(source[1]), sql.SQL(source[0]), order, sql.Identifier(column))
        )
    hashes = {}
    for table, columns in shown.items():
        query = sql.SQL(
            "SELECT count(*) || ' rows ' || coalesce(md5(string_agg(m, '' ORDER BY m)), '')"
            " FROM (SELECT md5(r::text) AS m FROM (SELECT {} FROM {} t {}) r) s"
        ).format(sql.SQL(", ").join(columns), sql.SQL(table), sql.SQL(" ").join(joined.get(table, [])))
        [[hashes[table]]] = conn.execute(query).fetchall()
    conn.execute("RESET search_path")
    return hashes


def answers(conn: psycopg.Connection) -> dict[str, list[tuple[object, ...]]]:
    """Results of a few searches with scores. Searches visit all lists of an ivfflat index, because its centres are random."""
    found: dict[str, list[tuple[object, ...]]] = {}
    indexed = conn.execute("SELECT NOT stale FROM stc.text_index").fetchone() == (True,)
    lists: dict[str, int] = dict(conn.execute("SELECT field, lists FROM stc.vector_indexes WHERE kind = 'ivfflat'").fetchall())
    for query in QUERIES:
        if indexed:
            found[f"bm25 {query}"] = conn.execute(
                "SELECT docno, s.score, rank FROM bm25_search(%s, %s) s JOIN dblp d ON d.id = s.doc ORDER BY rank", [query, DEPTH]
            ).fetchall()
        found[f"boolean {query}"] = conn.execute(
            "SELECT docno, s.score, rank FROM boolean_search(%s, %s) s JOIN dblp d ON d.id = s.doc ORDER BY rank", [query, DEPTH]
        ).fetchall()
    for name, size in lists.items():
        found[f"dense {name}"] = conn.execute(
            "SELECT q.docno, d.docno, round(s.score::numeric, 6), s.rank"
            "  FROM (SELECT v.title_v, d.docno FROM dblp_v v JOIN dblp d USING (id) WHERE v.title_v IS NOT NULL"
            "         ORDER BY v.id LIMIT 3) q,"
            "       LATERAL dense_search(q.title_v, 50, %s, effort => %s) s JOIN dblp d ON d.id = s.doc ORDER BY 1, 4",
            [name, size],
        ).fetchall()
    return found


def check_whole(conn: psycopg.Connection) -> None:
    """Check that no partial change is visible: documents, texts, facts and provenance agree, and indexes are valid and match the
    rows.
    """
    [counts] = conn.execute(
        "SELECT (SELECT count(*) FROM dblp WHERE NOT stub), (SELECT count(*) FROM dblp_text), (SELECT count(*) FROM dblp_facts),"
        "       (SELECT coalesce(sum(documents), 0)::bigint FROM stc.corpus_chunks)"
    ).fetchall()
    assert len(set(counts)) == 1, f"documents, texts, facts, by the ledger: {counts}"
    [(rejects, told)] = conn.execute(
        "SELECT (SELECT count(*) FROM stc.corpus_rejects), (SELECT coalesce(sum(rejects), 0)::bigint FROM stc.corpus_chunks)"
    ).fetchall()
    assert rejects == told
    assert (
        conn.execute(
            "SELECT path FROM stc.corpus_files f WHERE state = 'loaded'"
            "   AND documents <> (SELECT sum(k.documents) FROM stc.corpus_chunks k WHERE k.file = f.id)"
        ).fetchall()
        == []
    )
    assert (
        conn.execute("SELECT indexrelid::regclass FROM pg_index WHERE NOT (indisvalid AND indisready AND indislive)").fetchall()
        == []
    )
    assert conn.execute("SELECT relname FROM pg_class WHERE relname ~ '(bm25_next|_new)$'").fetchall() == []
    assert (
        conn.execute(
            "SELECT field FROM stc.vector_indexes i"
            " WHERE to_regclass(stc.vector_index_name(stc.vector_relation(stc.vector_model(i.model), i.field),"
            " i.field, i.kind)) IS NULL"
        ).fetchall()
        == []
    )
    partial = "SELECT u.run FROM stc.unfinished_runs u JOIN st1_runs n USING (run)"
    empty = "SELECT run FROM st1_runs n WHERE NOT EXISTS (SELECT FROM stc.st1_rankings r WHERE r.run = n.id)"
    assert conn.execute(f"{partial} UNION ALL {empty}".encode()).fetchall() == []
    _check_text_index(conn)


def _check_text_index(conn: psycopg.Connection) -> None:
    """Check that a text index not marked as stale matches the rows, including the documents it finds and their BM25 scores."""
    if conn.execute("SELECT NOT stale FROM stc.text_index").fetchone() != (True,):
        return
    [(rows, measured)] = conn.execute(
        "SELECT (SELECT count(*) FROM dblp_text), (SELECT count(*) FROM stc.text_lengths JOIN dblp_text USING (id))"
    ).fetchall()
    assert rows == measured, "the text index is not of the rows there are, and not stale"
    for query in QUERIES:
        found: dict[int, float] = dict(conn.execute("SELECT doc, score FROM bm25_search(%s, 100000)", [query]).fetchall())
        exact: dict[int, float] = dict(conn.execute("SELECT doc, score FROM stc.bm25_portable(%s, 100000)", [query]).fetchall())
        assert found.keys() == exact.keys(), f"{query}: {len(found)} found, {len(exact)} there"
        worst = max((abs(found[doc] - exact[doc]) / abs(exact[doc]) for doc in exact if exact[doc]), default=0.0)
        assert worst < 1e-5, f"{query}: a score differs by {worst:.2%}"
