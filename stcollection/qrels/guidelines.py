"""Guidelines for assessors of a pool: plain text beside each document (sql/qrels/guide_pool.sql)."""

from __future__ import annotations

from collections.abc import Mapping

import psycopg

from stcollection.errors import translate

_RULES = """\
Judge the document for the query and its topic, by title and abstract only.
Judge each document by itself. Two documents with the same content get the same grade.
Do not reward a good document on another subject, a known author, or a word that only looks like the query's.
Between two grades, choose the lower one. If the text is missing or unreadable, choose "cannot decide"."""

# Examples for the usual three grades, all for one query, so that they can be compared.
_EXAMPLES = {
    0: '"A survey of speech synthesis": the same field, but nothing on privacy.',
    1: '"Smart speakers in family homes", with a sentence on what parents fear about recordings: a part of the answer.',
    2: '"What voice assistants record when nobody speaks to them": the document is about the query.',
}
_QUERY = 'Examples for the query "privacy of voice assistants":'


def default_guidelines(grades: Mapping[int, str]) -> str:
    """Return guidelines for a scale, with an example per grade if the scale is 0 to 2."""
    usual = set(grades) == set(_EXAMPLES)
    lines = [f"{grade}: {meaning}" + (f". {_EXAMPLES[grade]}" if usual else "") for grade, meaning in sorted(grades.items())]
    return "\n".join([_RULES, "", *([_QUERY] if usual else ["Grades:"]), *lines])


@translate()
def pool_guidelines(conn: psycopg.Connection, pool: str) -> str | None:
    """Return the guidelines of a pool; None if it has no own. :raises UnknownObject: the pool is not stored."""
    row = conn.execute("SELECT guidelines FROM stc.qrels_pools WHERE id = stc.pool_key(%s)", [pool]).fetchone()
    return row[0] if row else None


@translate()
def set_guidelines(conn: psycopg.Connection, pool: str, text: str | None) -> None:
    """Store the guidelines of a pool; None or '' restores the default.

    :raises UnknownObject: the pool is not stored. :raises BadArgument: the text is longer than 20,000 characters.
    """
    with conn.transaction():
        conn.execute("SELECT stc.guide_pool(%s, %s)", [pool, text])
