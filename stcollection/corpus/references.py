"""Read documents of the corpus as references for a bibliography."""

from __future__ import annotations

from collections.abc import Sequence

import psycopg

from stcollection.db.rows import records
from stcollection.io.bibliography import Reference


def references(conn: psycopg.Connection, docs: Sequence[int], licences: Sequence[str] = ()) -> list[Reference]:
    """Return documents as references, in the given order.

    :param docs: dblp.id; unknown ones are skipped. :param licences: as :func:`~stcollection.corpus.licences.known_licences` returns
        them; only documents with these have an abstract. Empty: all.
    """
    return records(
        conn,
        Reference,
        "SELECT d.docno, t.title, f.year, f.venue, f.doc_type AS kind, f.n_citation AS citations,"
        " d.doc ->> 'volume' AS volume, d.doc ->> 'issue' AS issue, d.doc ->> 'page_start' AS first_page,"
        " d.doc ->> 'page_end' AS last_page, d.doc ->> 'publisher' AS publisher, d.doc ->> 'doi' AS doi,"
        " d.doc #>> CASE jsonb_typeof(d.doc -> 'url') WHEN 'array' THEN '{url,0}' ELSE '{url}' END::text[] AS url,"
        " coalesce(a.names, '{}') AS authors,"
        " CASE WHEN %(licences)s::text[] = '{}' OR coalesce(f.licence, 'none') = ANY (%(licences)s) THEN t.abstract END"
        " AS abstract"
        "  FROM unnest(%(docs)s::bigint[]) WITH ORDINALITY u (id, place) JOIN dblp d USING (id)"
        "  LEFT JOIN dblp_text t USING (id) LEFT JOIN dblp_facts f USING (id)"
        "  LEFT JOIN LATERAL (SELECT array_agg(x.name ORDER BY x.position) FILTER (WHERE x.name IS NOT NULL) AS names"
        "                       FROM dblp_authors x WHERE x.doc = d.id) a ON true"
        " ORDER BY u.place",
        {"docs": list(docs), "licences": list(licences)},
    )
