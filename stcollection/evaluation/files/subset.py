"""Restrict a file of judgments to a set of queries, without a collection."""

from __future__ import annotations

from dataclasses import replace

from stcollection.db.settings import Settings
from stcollection.errors import translate
from stcollection.evaluation.files.judged import JudgedFile
from stcollection.evaluation.files.scratch import QUERY_SETS, scratch
from stcollection.topics.sets import ALL

# A file of judgments has names of queries only: no text, origin, topic or stored set.
_TABLES = """
CREATE TABLE st1_queries (id integer, query text COLLATE "C", text text, origin text COLLATE "C", topic integer);
CREATE TABLE st1_topics (id integer, topic text COLLATE "C");
CREATE TABLE query_sets (name text COLLATE "C", expression text);
"""


@translate()
def judged_subset(settings: Settings, judged: JudgedFile, queries: str) -> JudgedFile:
    """Return the judgments of the queries of a set: names and patterns of names, combined with + and -.

    :param settings: settings of the embedded server, which evaluates the set.
    :raises UnknownObject: a part of the set names no query of the file. :raises BadArgument: the set is not complete.
    """
    if queries == ALL:
        return judged
    names = list(judged.grades)
    with scratch(settings, QUERY_SETS) as conn:
        conn.execute(_TABLES)
        with conn.cursor().copy("COPY st1_queries (id, query) FROM STDIN") as copy:
            for row in enumerate(names):
                copy.write_row((row[0], row[1].decode()))
        kept = conn.execute("SELECT unnest(query_set_ids(%s))", [queries]).fetchall()
    return replace(judged, grades={names[at]: judged.grades[names[at]] for (at,) in sorted(kept)})
