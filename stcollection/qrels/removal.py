"""Remove an edition of the judgments, or the judgments that a file added to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import psycopg
from psycopg import sql

from stcollection.counts import counted
from stcollection.db.ledger import LedgerFile, find_file
from stcollection.db.removal import check_choice
from stcollection.db.roles import rows_schema
from stcollection.declared import Option
from stcollection.errors import BadArgument, translate
from stcollection.qrels.editions import drop_edition
from stcollection.qrels.parameters import OneEdition


@dataclass(frozen=True, kw_only=True)
class QrelsRemoval:
    """Counts of a removal of judgments, performed or (under ``dry_run``) planned.

    :param path: path of the file; None for a whole edition. :param judgments: removed judgments; of a whole edition, one per
        query and document.
    :param shared: judgments of the file that stay because another file of the edition contains them.
    :param edition_dropped: True if the edition is removed because it has no judgments left.
    :param preferences, subtopic_judgments, scores, answers: rows removed with an edition; scores are imported ones, answers those
        of language models.
    """

    edition: str
    judgments: int
    path: str | None = None
    shared: int = 0
    edition_dropped: bool = True
    preferences: int = 0
    subtopic_judgments: int = 0
    scores: int = 0
    answers: int = 0


_WITH_EDITION = """
SELECT e.edition, e.sealed IS NOT NULL, (SELECT count(*) FROM qrels j WHERE j.edition = e.id),
       (SELECT count(*) FROM qrels_preferences p WHERE p.edition = e.id),
       (SELECT count(*) FROM qrels_subtopics t WHERE t.edition = e.id),
       (SELECT count(*) FROM st1_scores s WHERE s.edition = e.id),
       (SELECT count(*) FROM stc_all.llm_answers a JOIN stc_all.llm_judges u ON u.id = a.judge WHERE u.edition = e.id)
  FROM qrels_editions e WHERE e.id = stc.edition_key(%s)
"""


@translate()
def remove_edition(conn: psycopg.Connection, edition: str, *, even_sealed: bool = False, dry_run: bool = False) -> QrelsRemoval:
    """Remove an edition with all its judgments, preferences, imported scores and answers of language models.

    :param even_sealed: remove it even if it is sealed. :param dry_run: count only; change nothing.
    :raises UnknownObject: the edition is not stored. :raises StateError: it is sealed, and even_sealed is not set.
    """
    with conn.transaction():
        [(name, sealed, judgments, preferences, subtopics, scores, answers)] = conn.execute(_WITH_EDITION, [edition]).fetchall()
        if not dry_run or (sealed and not even_sealed):  # drop_edition raises the error for a sealed edition
            drop_edition(conn, edition, even_sealed=even_sealed)
    return QrelsRemoval(
        edition=name,
        judgments=judgments,
        preferences=preferences,
        subtopic_judgments=subtopics,
        scores=scores,
        answers=answers,
    )


@translate()
def remove_file(conn: psycopg.Connection, name: str, *, edition: str | None = None, dry_run: bool = False) -> QrelsRemoval:
    """Remove the judgments that a file added to an edition, and the file's entry in the ledger.

    Judgments that another file of the edition also contains stay. An edition without remaining judgments is removed.

    :param name: path, file name, or SHA-256 (``stc show edition-files``). :param edition: required if several have it.
    :param dry_run: count only; change nothing.
    :raises UnknownObject: the file or edition is not stored. :raises BadArgument: several files match.
    :raises StateError: the edition is sealed; the role may not remove judgments; the judgments of the file were not recorded.
    """
    if edition is not None:
        conn.execute("SELECT stc.edition_key(%s)", [edition])
    rows = conn.execute(
        sql.SQL(
            "SELECT DISTINCT ON (e.edition, f.path, f.sha256) f.id, f.path, f.sha256, f.imported, f.judgments, e.edition"
            "  FROM {}.qrels_files f JOIN qrels_editions e ON e.id = f.edition WHERE e.edition = coalesce(%s, e.edition)"
            " ORDER BY e.edition, f.path, f.sha256, f.id"
        ).format(rows_schema(conn)),
        [edition],
    ).fetchall()
    stored = [
        LedgerFile(number, path, sha256, imported, f"edition {of}, imported {imported:%F %R}, {counted(judgments, 'judgment')}")
        for number, path, sha256, imported, judgments, of in rows
    ]
    try:
        chosen = find_file(stored, name, listing="stc show edition-files", which="Select the edition with --edition.")
    except BadArgument as error:
        if edition is None and len({of for *_, of in rows}) > 1:
            raise BadArgument(error.message, hint=f"{error.hint} Select the edition with --edition.") from None
        raise
    [of] = [row[5] for row in rows if row[0] == chosen.id]
    with conn.transaction():
        if dry_run:
            of_file = "SELECT cardinality(ids), shared, empties FROM stc.file_removal(%s)"
            [(removed, shared, dropped)] = conn.execute(of_file, [chosen.id]).fetchall()
        else:
            [(removed, shared, dropped)] = conn.execute("SELECT * FROM stc.drop_file(%s)", [chosen.id]).fetchall()
    return QrelsRemoval(edition=of, path=chosen.path, judgments=removed, shared=shared, edition_dropped=dropped)


@translate()
def remove_judgments(
    conn: psycopg.Connection,
    edition: OneEdition = None,
    *,
    file: Annotated[str | None, Option(metavar="NAME")] = None,
    even_sealed: bool = False,
    dry_run: bool = False,
) -> QrelsRemoval:
    """Remove an edition (:func:`remove_edition`), or the judgments of one file (:func:`remove_file`).

    :param file: Remove only the judgments of this file: its path, its name, or the start of its SHA-256 ('stc show edition-files').
    :param even_sealed: Also remove a sealed edition, which others may rely on.
    :param dry_run: Count only; change nothing.
    :raises BadArgument: neither is named.
    """
    check_choice(edition or file, hint="Name an edition, or a file (--file).")
    if file is not None:
        return remove_file(conn, file, edition=edition, dry_run=dry_run)
    return remove_edition(conn, edition or "", even_sealed=even_sealed, dry_run=dry_run)
