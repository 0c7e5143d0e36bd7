"""Correct a judgment of an edition on the page, as ``stc publish correct`` does, after showing what the correction changes."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass

import psycopg

from stcollection.analysis.impact import Shift, impact
from stcollection.errors import BadArgument, StateError
from stcollection.evaluation.measures import nDCG
from stcollection.qrels.corrections import Correction, correct
from stcollection.qrels.diff import JudgmentChange, changes
from stcollection.texts import later

_GRADE = re.compile(r"-?[0-9]{1,4}")
MEASURE = nDCG @ 10


@dataclass(frozen=True, kw_only=True)
class Form:
    """The values of the form. :param unjudged: also accept a document that the edition does not judge."""

    edition: str
    query: str
    doc: str
    rel: str
    why: str
    unjudged: bool


@dataclass(frozen=True, kw_only=True)
class Effect:
    """What a correction changes. :param version: name of the new version. :param stored: False for a preview.

    :param runs: the stored runs, by the edition and by the version.
    """

    form: Form
    version: str
    judgments: list[JudgmentChange]
    runs: list[Shift]
    stored: bool


def organises(conn: psycopg.Connection) -> bool:
    """Return True if this role can correct editions: organisers and owners, on a server that can write."""
    return conn.execute(
        "SELECT CASE WHEN stc.sees_all_rows() THEN has_any_column_privilege('stc_all.qrels_editions', 'INSERT')"
        "   AND has_any_column_privilege('stc_all.qrels_judgments', 'INSERT') AND NOT pg_is_in_recovery() ELSE false END"
    ).fetchone() == (True,)


def corrected(conn: psycopg.Connection, form: Form, *, keep: bool) -> Effect:
    """Correct a judgment in a new version of the edition. :param keep: False returns the effect and stores nothing.

    :raises StateError: the role is no organiser's. :raises BadArgument: the correction does not fit the edition.
    """
    if not organises(conn):
        raise StateError(
            later("only organisers can correct judgments"),
            hint=later("Send the query, the document, the right grade and the reason to an organiser."),
            sqlstate="IR410",
        )
    if not (form.query and form.doc and form.rel and form.why):
        raise BadArgument(
            later("the correction is incomplete"), hint=later("Enter a query, a document, the right grade and the reason.")
        )
    if not _GRADE.fullmatch(form.rel):
        raise BadArgument(
            later("{grade!r} is not a grade", grade=form.rel[:20]),
            hint=later("Enter an integer of the edition's scale, such as 1."),
        )
    with conn.transaction(force_rollback=not keep):
        given = Correction(1, form.query, form.doc, int(form.rel), form.why)
        version = correct(conn, form.edition, [given], unjudged=form.unjudged)
        runs: list[Shift] = []
        with suppress(StateError), conn.transaction():  # no run is stored, or none has a score with both
            runs = impact(conn, form.edition, version, measure=MEASURE).runs
        judgments = changes(conn, form.edition, version)
    return Effect(form=form, version=version, judgments=judgments, runs=runs, stored=keep)
