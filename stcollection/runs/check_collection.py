"""Check the queries, documents, topics and passages of a run against a collection."""

from __future__ import annotations

import psycopg

from stcollection.counts import counted
from stcollection.errors import translate
from stcollection.runs.faults import UNKNOWN_DOCUMENT, UNKNOWN_QUERY, CheckedRun, few

_BATCH = 1000


@translate()
def check_collection(conn: psycopg.Connection, checked: CheckedRun) -> None:
    """Add faults for queries and documents that the collection lacks, and for queries with another topic.

    Each fault has the first line of its query or document. Notes report queries of the collection without results, and passages
    that are not from their documents.
    """
    queries, documents = _first_lines(checked, 0), _first_lines(checked, 1)
    stored: dict[str, str | None] = dict(conn.execute("SELECT query, topic FROM st1_queries WHERE text IS NOT NULL").fetchall())
    for query, line in queries.items():
        if query not in stored:
            checked.add(line, f"query {query} is not in the collection", kind=UNKNOWN_QUERY)
        elif (topic := checked.topics.get(query)) and stored[query] is not None and topic[0] != stored[query]:
            checked.add(topic[1], f"query {query} belongs to topic {stored[query]}, not {topic[0]}")
    known = {docno for (docno,) in conn.execute("SELECT docno FROM dblp WHERE docno = ANY (%s) AND NOT stub", [list(documents)])}
    unknown = documents.keys() - known
    if unknown and not known and conn.execute("SELECT 1 FROM dblp WHERE NOT stub LIMIT 1").fetchone() is None:
        what = f"the collection has no documents, so it lacks all {counted(len(unknown), 'document')} of the run"
        checked.add(0, what, kind=UNKNOWN_DOCUMENT)
        unknown = set()
    for docno in unknown:
        checked.add(documents[docno], f"document {docno} is not in the collection", kind=UNKNOWN_DOCUMENT)
    if missing := sorted(stored.keys() - queries.keys()):
        what = f"no results for {len(missing):,} of the collection's {counted(len(stored), 'query')}: {few(missing)}"
        checked.add(0, what, note=True)
    given = checked.passages or []
    for start in range(0, len(given), _BATCH):
        lines, docnos, passages = zip(*given[start : start + _BATCH], strict=True)
        misplaced = conn.execute(
            "SELECT p.line, p.docno FROM unnest(%s::bigint[], %s::text[], %s::text[]) AS p (line, docno, passage)"
            " JOIN dblp d ON d.docno = p.docno JOIN dblp_text t ON t.id = d.id"
            " WHERE NOT stc.passage_within(p.passage, concat_ws(' ', t.title, t.abstract))",
            [list(lines), list(docnos), [_plain(passage) for passage in passages]],
        )
        for line, docno in misplaced:
            checked.add(line, f"the passage is not from document {docno}", note=True)


def _first_lines(checked: CheckedRun, part: int) -> dict[str, int]:
    """Return the queries (part 0) or documents (part 1) with the first line of each."""
    lines: dict[str, int] = {}
    for pair, line in checked.pairs.items():
        lines[pair[part]] = min(line, lines.get(pair[part], line))
    return lines


def _plain(passage: str) -> str:
    """Remove the characters that PostgreSQL refuses; another check reports them."""
    return passage.replace("\0", "").encode("utf-8", "ignore").decode()
