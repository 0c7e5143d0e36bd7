"""The whole study report, from the data studied to their limits.

A section is a function of the database. If a section cannot be made, its place shows the reason, and the other sections remain.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Annotated

import psycopg
from psycopg.pq import TransactionStatus

from stcollection.db.simulated import simulated_note
from stcollection.declared import INTERNAL, Option
from stcollection.errors import BadArgument, StcError, UnknownObject, translate
from stcollection.studies.synth.report.bias import report_bias, report_model
from stcollection.studies.synth.report.labels import report_findings, report_labels
from stcollection.studies.synth.report.limits import report_limits
from stcollection.studies.synth.report.parts import Report, Section, StudySources, missing_for
from stcollection.studies.synth.report.queries import report_making, report_queries
from stcollection.studies.synth.report.rankings import report_growth, report_rankings
from stcollection.studies.synth.report.sections import report_data, report_systems
from stcollection.topics.sets import titled

Make = Callable[[psycopg.Connection, StudySources], Section]
SECTIONS: tuple[tuple[str, str, Make], ...] = (
    ("studied", "What was studied", report_data),
    ("queries", "The judged queries by origin", report_queries),
    ("making", "How the synthetic queries were made", report_making),
    ("systems", "Systems by origin of the queries", report_systems),
    ("reliability", "Agreement of rankings by synthetic and human queries", report_rankings),
    ("growth", "Number of queries needed", report_growth),
    ("bias", "Bias towards families of systems", report_bias),
    ("model", "Mixed model of origin and family", report_model),
    ("labels", "Language-model labels and sparse labels", report_labels),
    ("findings", "Published findings compared with these data", report_findings),
)
_STUDIES = "SELECT study FROM stc_all.synth_studies ORDER BY study"


@translate()
def study_report(
    conn: psycopg.Connection,
    study: StudySources,
    *,
    command: Annotated[str | None, INTERNAL] = None,
    date: Annotated[str | None, Option(metavar="TEXT", default="none, so that equal data give equal bytes")] = None,
) -> Report:
    """Make all sections, in one snapshot of the database unless the caller has begun a transaction.

    :param command: the command line that made it.
    :param date: Date to print below the title.
    :raises UnknownObject: an edition, a run, the measure or the study does not exist.
    :raises BadArgument: two of the editions are the same.
    :raises DatabaseError: the connection is lost.
    """
    idle = conn.info.transaction_status == TransactionStatus.IDLE
    with conn.transaction():
        if idle:
            conn.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        _check(conn, study)
        study = replace(study, scored=_ranking(conn, study))
        note = simulated_note(conn, [edition for edition in (study.edition, study.llm, study.sparse) if edition is not None])
        sections = [_made(conn, study, name, title, make) for name, title, make in SECTIONS]
        sections.append(
            _made(conn, study, "limits", "Limits of the data", lambda conn, study: report_limits(conn, study, tuple(sections)))
        )
    about = [
        f"Edition {titled(study.edition, study.queries)}, measure {study.measure}, seed {study.seed}",
        *([date] if date else []),
    ]
    if note:
        about.append(note.rstrip("."))
    if command:
        about.append(f"made by: {command}")
    return Report(
        title=f"Synthetic queries in {study.edition}", about="; ".join(about), sections=tuple(sections), simulated=note is not None
    )


def _made(conn: psycopg.Connection, study: StudySources, name: str, title: str, make: Make) -> Section:
    """Make a section, or one with the reason why it is missing; SQL errors in it do not end the transaction."""
    try:
        with translate(), conn.transaction():
            return replace(make(conn, study), name=name, title=title)
    except StcError as error:
        if conn.closed:  # no further section can be made
            raise
        return Section(name=name, title=title, missing=(missing_for(error),))


def _ranking(conn: psycopg.Connection, study: StudySources) -> str | None:
    """Return the language model's edition if systems have scores only by it, as in a track that does not publish its runs."""
    if study.llm is None:
        return study.scored
    scored = {edition: conn.execute("SELECT stc.edition_runs(%s)", [edition]).fetchone() for edition in (study.edition, study.llm)}
    by_people, by_model = (set((row[0] if row else None) or ()) for row in scored.values())
    chosen = set(study.runs)
    by_people, by_model = (names & chosen if chosen else names for names in (by_people, by_model))
    return study.llm if by_model and not by_people else study.scored


def _check(conn: psycopg.Connection, study: StudySources) -> None:
    """Raise an error for wrong names, instead of reporting a missing section."""
    editions = [edition for edition in (study.edition, study.llm, study.sparse) if edition is not None]
    for edition in editions:
        conn.execute("SELECT stc.edition_queries(%s, %s)", [edition, study.queries])
    if len(set(editions)) < len(editions):
        raise BadArgument(
            f"the same edition is given for two of {', '.join(editions)}",
            hint="Give three different editions: human labels, a language model's labels and sparse labels.",
        )
    conn.execute("SELECT stc.run_keys(%s::text[])", [list(study.runs)])
    study.measure.checked()
    if study.study is not None:
        studies = [row[0] for row in conn.execute(_STUDIES)]
        if study.study not in studies:
            hint = (
                f"The studies are {', '.join(studies)}." if studies else "No study is stored; create one with 'stc synth sample'."
            )
            raise UnknownObject(f"there is no study {study.study!r}", hint=hint)
