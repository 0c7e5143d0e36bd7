"""Guidelines for assessors of a pool: plain text beside each document (sql/qrels/guide_pool.sql)."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import psycopg

from stcollection.errors import translate


def default_guidelines(grades: Mapping[int, str], *, t: Callable[[str], str] = str) -> str:
    """Return guidelines for a scale, with an example per grade if the scale is 0 to 2.

    :param t: translates a text; tools/messages.py finds the texts by this name.
    """
    rules = (
        t("Judge the document for the query and its topic, by title and abstract only."),
        t("Judge each document by itself. Two documents with the same content get the same grade."),
        t("Do not reward a good document on another subject, a known author, or a word that only looks like the query's."),
        t('Between two grades, choose the lower one. If the text is missing or unreadable, choose "cannot decide".'),
    )
    # All for one query, so that they can be compared.
    examples = {
        0: t('"A survey of speech synthesis": the same field, but nothing on privacy.'),
        1: t('"Smart speakers in family homes", with a sentence on what parents fear about recordings: a part of the answer.'),
        2: t('"What voice assistants record when nobody speaks to them": the document is about the query.'),
    }
    usual = set(grades) == set(examples)
    heading = t('Examples for the query "privacy of voice assistants":') if usual else t("Grades:")
    lines = [f"{grade}: {meaning}" + (f". {examples[grade]}" if usual else "") for grade, meaning in sorted(grades.items())]
    return "\n".join([*rules, "", heading, *lines])


@translate()
def pool_guidelines(conn: psycopg.Connection, pool: str) -> str | None:
    """Return the guidelines of a pool; None if it has no own. :raises UnknownObject: the pool is not stored."""
    row = conn.execute("SELECT guidelines FROM stc_all.qrels_pools WHERE id = stc.pool_key(%s)", [pool]).fetchone()
    return row[0] if row else None


@translate()
def set_guidelines(conn: psycopg.Connection, pool: str, text: str | None) -> None:
    """Store the guidelines of a pool; None or '' restores the default.

    :raises UnknownObject: the pool is not stored. :raises BadArgument: the text is longer than 20,000 characters.
    """
    with conn.transaction():
        conn.execute("SELECT stc.guide_pool(%s, %s)", [pool, text])
