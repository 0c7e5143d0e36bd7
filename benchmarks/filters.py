"""Compare filtered searches with plain statements, by system, selectivity and depth, and look up single documents in views.

The documents are those of ACM-CR, copied with perturbed vectors if more are wanted. They get one of four years, which match 50 %,
5 %, 0.1 % and 0.001 % of them (at least one). A plain statement joins the same tables, filters by year, and searches the same index
at the same effort. It does not order ties, and may return fewer than k rows. Numbers in parentheses are rows; times and ratios are
medians over queries. A search also has a fixed cost of 0.5 to 5 ms (it plans several statements), which dominates at 0.001 %.

``--documents`` sets the size. ``--keep`` keeps the collection, and ``--reuse`` measures a kept one.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt
import orjson
import psycopg
import zstandard

from benchmarks.common import collection, data, dsn, server, tell, timed
from benchmarks.full.documents import ACM, SHARES, STRIDE, Vectors, lines, unit
from stcollection.corpus.load import load
from stcollection.vectors.npy import load_npy

DOCUMENTS, QUERIES, ROUNDS, DEPTHS = 30_000, 3, 3, (10, 1000)
NAME = "bench_filters"

YEAR = "JOIN dblp_facts d ON d.id = {doc} WHERE d.year = %(year)s"
BM25 = f"""SELECT t.id AS doc, t.content <@> to_bm25query(%(text)s, 'dblp_text_bm25') AS distance
  FROM dblp_text t {YEAR.format(doc="t.id")} ORDER BY distance LIMIT %(k)s"""
# The ten words with the largest sum of tf · idf in the first ten documents, repeated by their weights after the query's words.
RM3 = f"""WITH first AS MATERIALIZED ({BM25.replace("%(k)s", "10")}),
 words AS (SELECT u.lexeme, sum(-f.distance * cardinality(u.positions) * ln(%(documents)s / x.documents::float)) AS weight
             FROM first f JOIN dblp_text t ON t.id = f.doc, unnest(t.tsv) u
             JOIN stc.text_lexemes x ON x.lexeme = u.lexeme COLLATE "C"
            GROUP BY u.lexeme ORDER BY 2 DESC LIMIT 10),
 query AS MATERIALIZED (
     SELECT concat(repeat(%(text)s || ' ', 5), string_agg(repeat(lexeme || ' ', ceil(30 * weight / total)::int), '')) AS typed
             FROM (SELECT *, nullif(sum(weight) OVER (), 0) AS total FROM words) w)
{BM25.replace("%(text)s", "(SELECT typed FROM query)")}"""
NEAR = f"""SELECT v.id AS doc, v.{{field}}_v <#> %(vector)s::vector AS distance
  FROM dblp_v v {YEAR.format(doc="v.id")} AND v.{{field}}_v IS NOT NULL ORDER BY distance LIMIT %(k)s"""
EXACT = NEAR.format(field="abstract").replace("ORDER BY distance", "ORDER BY (v.abstract_v <#> %(vector)s::vector) + 0")
HYBRID = f"""WITH words AS MATERIALIZED ({BM25.replace("%(k)s", "1000")}),
 near AS MATERIALIZED (({NEAR.format(field="abstract").replace("%(k)s", "1000")}) UNION ALL
  ({NEAR.format(field="title").replace("%(k)s", "1000").replace("ORDER", "AND v.abstract_v IS NULL ORDER")})),
 scored AS (SELECT doc, (avg(distance) OVER () - distance) / nullif(stddev_pop(distance) OVER (), 0) AS score FROM words
             UNION ALL SELECT doc, (avg(distance) OVER () - distance) / nullif(stddev_pop(distance) OVER (), 0) FROM near)
 SELECT doc, sum(score) FROM scored GROUP BY doc ORDER BY 2 DESC LIMIT %(k)s"""
PASSAGES = f"""SELECT n.doc, min(n.distance)
  FROM (SELECT p.doc, v.passage_v <#> %(vector)s::vector AS distance
          FROM dblp_p v JOIN dblp_passages p ON p.id = v.id {YEAR.format(doc="p.doc")}
         ORDER BY distance LIMIT 4 * %(k)s) n GROUP BY n.doc ORDER BY 2 LIMIT %(k)s"""
FILTER = "jsonb_build_object('year', %(year)s::int)"
SYSTEMS = {
    "bm25": (f"SELECT * FROM bm25_search(%(text)s, %(k)s, {FILTER})", BM25),
    "rm3": (f"SELECT * FROM rm3_search(%(text)s, %(k)s, {FILTER})", RM3),
    "exact": (f"SELECT * FROM dense_search(%(vector)s::vector, %(k)s, 'abstract', NULL, {FILTER}, 0)", EXACT),
    "ivfflat": (
        f"SELECT * FROM dense_search(%(vector)s::vector, %(k)s, 'abstract', NULL, {FILTER})",
        NEAR.format(field="abstract"),
    ),
    "hnsw": (f"SELECT * FROM dense_search(%(vector)s::vector, %(k)s, 'content', NULL, {FILTER})", NEAR.format(field="content")),
    "hybrid": (f"SELECT * FROM hybrid_search(%(text)s, %(k)s, %(vector)s::vector, filter => {FILTER})", HYBRID),
    "passages": (f"SELECT * FROM passage_search(%(vector)s::vector, %(k)s, filter => {FILTER})", PASSAGES),
}
# Filters by other keys, top 10 of dense_search; the plain condition is on dblp_facts d.
KEYS = {
    "text": (
        '\'{"text": "retrieval evaluation"}\'',
        "d.id IN (SELECT id FROM dblp_text WHERE tsv @@ to_tsquery('english', 'retrieval & evaluation'))",
    ),
    "text (frequent)": ('\'{"text": "paper"}\'', "d.id IN (SELECT id FROM dblp_text WHERE tsv @@ to_tsquery('english', 'paper'))"),
    "venue": ("jsonb_build_object('venue', %(venue)s::text)", "lower(d.venue) = lower(%(venue)s)"),
    "venue with %": ('\'{"venue": "%%information%%"}\'', "d.venue ILIKE '%%information%%'"),
    "judged": (
        '\'{"judged": "train"}\'',
        "EXISTS (SELECT FROM qrels_judgments j WHERE j.doc = d.id AND j.rel >= 0"
        " AND j.edition = (SELECT id FROM qrels_editions WHERE edition = 'train'))",
    ),
}
# (what, ours, plain)
LOOKUPS = (
    (
        "tsv @@ parse_query, rare words",
        "SELECT id FROM dblp_text WHERE tsv @@ stc.parse_query('retrieval evaluation')",
        "SELECT id FROM dblp_text WHERE tsv @@ (SELECT stc.parse_query('retrieval evaluation'))",
    ),
    (
        "tsv @@ parse_query, a frequent word",
        "SELECT id FROM dblp_text WHERE tsv @@ stc.parse_query('-games paper')",
        "SELECT id FROM dblp_text WHERE tsv @@ (SELECT stc.parse_query('-games paper'))",
    ),
    (
        "tsv @@ parse_query, a phrase in titles",
        "SELECT id FROM dblp_text WHERE tsv @@ stc.parse_query('title:\"information retrieval\"')",
        "SELECT id FROM dblp_text WHERE tsv @@ (SELECT stc.parse_query('title:\"information retrieval\"'))",
    ),
    (
        "tsv @@ parse_query, counted with a sequential scan",
        "SELECT count(*) FILTER (WHERE tsv @@ stc.parse_query('paper')) FROM dblp_text",
        "SELECT count(*) FILTER (WHERE tsv @@ (SELECT stc.parse_query('paper'))) FROM dblp_text",
    ),
    (
        "st1_qrels_train, one query",
        "SELECT * FROM st1_qrels_train WHERE query = 'q900'",
        "SELECT t.topic, q.query, j.doc, j.rel, j.origin FROM qrels_judgments j JOIN stc.st1_queries q ON q.id = j.query"
        " LEFT JOIN st1_topics t ON t.id = q.topic WHERE q.query = 'q900'"
        "   AND j.edition = (SELECT id FROM qrels_editions WHERE edition = 'train')",
    ),
    (
        "judgments, one query",
        "SELECT * FROM judgments WHERE edition = 'train' AND query = 'q900'",
        "SELECT e.edition, q.query, d.docno, j.rel, j.origin FROM qrels_judgments j JOIN qrels_editions e ON e.id = j.edition"
        " JOIN st1_queries q ON q.id = j.query JOIN dblp d ON d.id = j.doc WHERE e.edition = 'train' AND q.query = 'q900'",
    ),
    (
        "dblp_authors, one document",
        "SELECT * FROM dblp_authors WHERE doc = %(doc)s",
        "SELECT a FROM dblp d, jsonb_array_elements(d.doc -> 'authors') a WHERE d.id = %(doc)s",
    ),
    (
        "dblp_citations, one document",
        "SELECT * FROM dblp_citations WHERE doc = %(doc)s",
        "SELECT r FROM dblp d, jsonb_array_elements_text(d.doc -> 'references') r WHERE d.id = %(doc)s",
    ),
    (
        "dblp_authors, one docno",
        "SELECT a.* FROM dblp_authors a JOIN dblp d ON d.id = a.doc WHERE d.docno = %(docno)s",
        "SELECT a FROM dblp d, jsonb_array_elements(d.doc -> 'authors') a WHERE d.docno = %(docno)s",
    ),
    (
        "dblp_authors, ten documents",
        "SELECT a.* FROM dblp_authors a WHERE a.doc IN (SELECT id FROM dblp_facts WHERE year = 2003)",
        "SELECT a FROM dblp d, jsonb_array_elements(d.doc -> 'authors') a"
        " WHERE d.id IN (SELECT id FROM dblp_facts WHERE year = 2003)",
    ),
)


@dataclass(frozen=True)
class Cell:
    """Medians over queries: milliseconds and rows of ours and of the plain statement, and the ratio of the milliseconds."""

    ours: float
    plain: float
    ratio: float
    rows: tuple[int, int]


def main(argv: Sequence[str] = ()) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=DOCUMENTS)
    parser.add_argument("--queries", type=int, default=QUERIES)
    parser.add_argument("--systems", default=",".join((*SYSTEMS, "keys", "lookups")))
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--reuse", action="store_true")
    options = parser.parse_args(argv)
    wanted = options.systems.split(",")
    with server() as at:
        if options.reuse:
            measure(dsn(replace(at, db=NAME)), wanted, options.queries)
            return
        with collection(at, NAME, keep=options.keep) as settings:
            fill(dsn(settings), options.documents)
            measure(dsn(settings), wanted, options.queries)


def fill(where: str, documents: int) -> None:
    """Store documents, text index, vectors of all fields with their indexes, passages, and judgments of 1,000 queries."""
    rng = np.random.default_rng(8)
    with tempfile.TemporaryDirectory() as folder, psycopg.connect(where, autocommit=True) as conn:
        corpus = Path(folder) / "corpus.json"
        with corpus.open("wb") as file:
            for record in recorded(documents, rng):
                file.write(orjson.dumps(record) + b"\n")
        load(where, [str(corpus)])
        conn.execute("CALL stc.index_text()")
        ids = np.array([row[0] for row in conn.execute("SELECT id FROM dblp ORDER BY id")])
        every, known = np.load(data() / ACM / "abstract_v.f16.npy"), np.load(data() / ACM / "abstract_ids.npy")
        place = dict(zip(known.tolist(), range(len(known)), strict=True))
        with_abstract = np.array([doc for doc in ids.tolist() if doc % STRIDE in place])
        its = np.array([place[doc % STRIDE] for doc in with_abstract.tolist()])
        any_ = rng.integers(len(every), size=len(ids))
        part = max(20_000, documents // 3)  # of contents and passages
        for field, names, rows in (
            ("abstract", with_abstract, its),
            ("title", ids, any_),
            ("content", ids[:part], any_[:part]),
        ):
            for start in range(0, len(rows), 100_000):
                block = slice(start, start + 100_000)
                np.save(Path(folder) / "v.npy", perturbed(every[rows[block]].astype(np.float32), rng))
                np.save(Path(folder) / "ids.npy", names[block])
                load_npy(conn, vectors=Path(folder) / "v.npy", ids=Path(folder) / "ids.npy", field=field)
            conn.execute("CALL stc.index_vectors(%s, kind => %s)", [field, "hnsw" if field == "content" else "ivfflat"])
        passages(conn, with_abstract[:part], every[its[:part]].astype(np.float32), rng)
        conn.execute("CALL stc.index_vectors('passage', kind => 'ivfflat')")
        conn.execute("INSERT INTO st1_queries (query, text) SELECT 'q' || n, 'query ' || n FROM generate_series(1, 1000) n")
        conn.execute("INSERT INTO stc_all.qrels_editions (edition) VALUES ('train')")
        conn.execute(
            "INSERT INTO qrels_judgments (edition, query, doc, rel) SELECT e.id, q.id, d.id, d.id % 3 FROM qrels_editions e,"
            " st1_queries q, LATERAL (SELECT id FROM dblp WHERE id > q.id ORDER BY id OFFSET q.id LIMIT 60) d"
        )
        conn.execute("VACUUM (ANALYZE)")


def recorded(documents: int, rng: np.random.Generator) -> Iterator[Mapping[str, object]]:
    """Yield records of ACM-CR, and copies of it with other ids, until there are enough; one of each year is the first."""
    first, shares = list(SHARES), np.cumsum(list(SHARES.values()))
    given = 0
    while True:
        with (data() / ACM / "acmcr.dblp-v12.json.zst").open("rb") as packed:
            for line in lines(zstandard.ZstdDecompressor().stream_reader(packed)):
                record = orjson.loads(line)
                copy, n = divmod(given, 110_292)
                record["id"] += copy * STRIDE
                drawn = int(np.searchsorted(shares, rng.random(), side="right"))
                record["year"] = [*first, 1990][n if given < len(first) else drawn]
                yield record
                given += 1
                if given == documents:
                    return


def perturbed(vectors: Vectors, rng: np.random.Generator) -> Vectors:
    """Return slightly changed vectors (cosine about .9), normalised to length 1."""
    return unit(vectors + rng.normal(scale=0.025, size=vectors.shape).astype(np.float32))


def passages(conn: psycopg.Connection, docs: npt.NDArray[np.int64], vectors: Vectors, rng: np.random.Generator) -> None:
    """Store two passages of each document: by COPY, because only their vectors matter."""
    with conn.cursor() as cursor:
        with cursor.copy("COPY dblp_passages (doc, position, text) FROM STDIN") as copy:
            for doc in docs.tolist():
                copy.write_row((doc, 1, ""))
                copy.write_row((doc, 2, ""))
        places = {doc: row for row, doc in enumerate(docs.tolist())}
        rows = cursor.execute("SELECT id, doc FROM dblp_passages ORDER BY id").fetchall()
        for start in range(0, len(rows), 50_000):
            part = rows[start : start + 50_000]
            moved = perturbed(vectors[[places[doc] for _, doc in part]], rng).astype(np.float16)
            with cursor.copy("COPY dblp_p (id, passage_v) FROM STDIN") as copy:
                for (one, _), vector in zip(part, moved.tolist(), strict=True):
                    copy.write_row((one, orjson.dumps(vector).decode()))


def measure(where: str, wanted: Sequence[str], queries: int) -> None:
    with psycopg.connect(where, autocommit=True) as ours, psycopg.connect(where, autocommit=True) as plain:
        asked = ask(ours, queries)
        row = ours.execute("SELECT count(*) FROM dblp").fetchone()
        documents = row[0] if row else 0
        plain.execute("SELECT '[1]'::vector")
        plain.execute("SET ivfflat.iterative_scan = relaxed_order")
        plain.execute("SET hnsw.iterative_scan = relaxed_order")
        plain.execute("SET jit = off")
        matching: dict[int, int] = dict(ours.execute("SELECT year, count(*) FROM dblp_facts GROUP BY year").fetchall())
        print(f"{documents:,} documents; matching: " + ", ".join(f"{matching.get(year, 0):,}" for year in SHARES))
        for system in SYSTEMS:
            if system in wanted:
                efforts(plain, {"passages": "passage", "hnsw": "content"}.get(system, "abstract"))
                for year, share in SHARES.items():
                    for k in DEPTHS:
                        cell = compare(
                            ours, plain, SYSTEMS[system], [{**one, "year": year, "k": k, "documents": documents} for one in asked]
                        )
                        show(f"{system}, {share:.3%} match, top {k}", cell, "at most 2")
        if "keys" in wanted:
            efforts(plain, "abstract")
            for key, (given, condition) in KEYS.items():
                pair = (
                    f"SELECT * FROM dense_search(%(vector)s::vector, %(k)s, 'abstract', NULL, {given})",
                    NEAR.format(field="abstract").replace("d.year = %(year)s", condition),
                )
                show(f"ivfflat, filter {key}, top 10", compare(ours, plain, pair, [{**one, "k": 10} for one in asked]), "at most 2")
        if "lookups" in wanted:
            for what, mine, theirs in LOOKUPS:
                show(what, compare(ours, plain, (mine, theirs), asked), "at most 2")


def ask(conn: psycopg.Connection, queries: int) -> list[dict[str, object]]:
    """Return titles as queries, with the vectors of their abstracts."""
    rows = conn.execute(
        "SELECT t.id, b.docno, t.title, v.abstract_v::text, f.venue, (SELECT name FROM dblp_authors a WHERE a.doc = t.id LIMIT 1)"
        "  FROM dblp_text t JOIN dblp_v v ON v.id = t.id JOIN dblp_facts f ON f.id = t.id JOIN dblp b ON b.id = t.id"
        " WHERE v.abstract_v IS NOT NULL AND length(t.title) BETWEEN 30 AND 90 AND f.venue <> ''"
        "   AND jsonb_array_length(b.doc -> 'authors') > 0"
        " ORDER BY hashint8(t.id) LIMIT %s",
        [queries],
    ).fetchall()
    names = ("doc", "docno", "text", "vector", "venue", "author")
    asked: list[dict[str, object]] = []
    for row in rows:
        one = dict(zip(names, row, strict=True))
        asked.append(one)
    return asked


def efforts(plain: psycopg.Connection, field: str) -> None:
    """Set the effort of a field's index as a filtered search does: twice the recorded one."""
    for kind, effort in plain.execute("SELECT kind, effort FROM stc.vector_indexes WHERE field = %s", [field]):
        plain.execute(f"SET {'ivfflat.probes' if kind == 'ivfflat' else 'hnsw.ef_search'} = {2 * effort}")


def compare(
    ours: psycopg.Connection, plain: psycopg.Connection, pair: tuple[str, str], asked: Sequence[Mapping[str, object]]
) -> Cell:
    cells = []
    for query in asked:
        times: tuple[list[float], list[float]] = ([], [])
        rows = [0, 0]
        for number in range(ROUNDS):
            for which in (0, 1) if number % 2 else (1, 0):
                found: list[object] = []
                run = partial(execute, (ours, plain)[which], pair[which], query, found)
                times[which].append(1000 * timed(run))
                rows[which] = len(found)
        mine, theirs = (statistics.median(some) for some in times)
        cells.append((mine, theirs, rows))
    return Cell(
        statistics.median(mine for mine, _, _ in cells),
        statistics.median(theirs for _, theirs, _ in cells),
        statistics.median(mine / theirs for mine, theirs, _ in cells),
        (min(rows[0] for _, _, rows in cells), min(rows[1] for _, _, rows in cells)),
    )


def execute(conn: psycopg.Connection, statement: str, parameters: Mapping[str, object], found: list[object]) -> None:
    found += conn.execute(statement.encode(), parameters, prepare=False).fetchall()


def show(what: str, cell: Cell, wanted: str = "") -> None:
    tell(what, f"{cell.ours:.2f} ms ({cell.rows[0]})", f"plain {cell.plain:.2f} ms ({cell.rows[1]})", cell.ratio, wanted)


if __name__ == "__main__":
    main(sys.argv[1:])
