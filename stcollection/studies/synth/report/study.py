"""The whole study report, from the data studied to their limits.

A section is a function of the database. If a section cannot be made, its place shows the reason, and the other sections remain.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import psycopg
from psycopg.pq import TransactionStatus

from stcollection.errors import BadArgument, StcError, UnknownObject, translate
from stcollection.qrels.simulated import simulated_note
from stcollection.studies.synth.report.bias import modelled, shifted
from stcollection.studies.synth.report.labels import found, labelled
from stcollection.studies.synth.report.limits import limits
from stcollection.studies.synth.report.parts import Report, Section, StudySources, missing_for
from stcollection.studies.synth.report.queries import judged, making
from stcollection.studies.synth.report.rankings import grown, ranked
from stcollection.studies.synth.report.sections import studied, systems
from stcollection.topics.sets import titled

Make = Callable[[psycopg.Connection, StudySources], Section]
SECTIONS: tuple[tuple[str, str, Make], ...] = (
    ("studied", "What was studied", studied),
    ("queries", "The judged queries by origin", judged),
    ("making", "How the synthetic queries were made", making),
    ("systems", "Systems by origin of the queries", systems),
    ("reliability", "Agreement of rankings by synthetic and human queries", ranked),
    ("growth", "Number of queries needed", grown),
    ("bias", "Bias towards families of systems", shifted),
    ("model", "Mixed model of origin and family", modelled),
    ("labels", "Language-model labels and sparse labels", labelled),
    ("findings", "Published findings compared with these data", found),
)
_STUDIES = "SELECT study FROM stc_all.synth_studies ORDER BY study"


@translate()
def study_report(conn: psycopg.Connection, asked: StudySources, *, command: str | None = None, date: str | None = None) -> Report:
    """Make all sections, in one snapshot of the database unless the caller has begun a transaction.

    :param command: the command line that made it.
    :param date: to print; None: no date, so that the same data give the same report.
    :raises UnknownObject: an edition, a run, the measure or the study does not exist.
    :raises BadArgument: two of the editions are the same.
    :raises DatabaseError: the connection is lost.
    """
    idle = conn.info.transaction_status == TransactionStatus.IDLE
    with conn.transaction():
        if idle:
            conn.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        _check(conn, asked)
        asked = replace(asked, scored=_ranking(conn, asked))
        note = simulated_note(conn, [one for one in (asked.edition, asked.llm, asked.sparse) if one is not None])
        sections = [_made(conn, asked, name, title, make) for name, title, make in SECTIONS]
        sections.append(
            _made(conn, asked, "limits", "Limits of the data", lambda conn, asked: limits(conn, asked, tuple(sections)))
        )
    about = [
        f"Edition {titled(asked.edition, asked.queries)}, measure {asked.measure}, seed {asked.seed}",
        *([date] if date else []),
    ]
    if note:
        about.append(note.rstrip("."))
    if command:
        about.append(f"made by: {command}")
    return Report(
        title=f"Synthetic queries in {asked.edition}", about="; ".join(about), sections=tuple(sections), simulated=note is not None
    )


def _made(conn: psycopg.Connection, asked: StudySources, name: str, title: str, make: Make) -> Section:
    """Make a section, or one with the reason why it is missing; SQL errors in it do not end the transaction."""
    try:
        with translate(), conn.transaction():
            return make(conn, asked)
    except StcError as error:
        if conn.closed:  # no further section can be made
            raise
        return Section(name=name, title=title, missing=(missing_for(error),))


def _ranking(conn: psycopg.Connection, asked: StudySources) -> str | None:
    """Return the language model's edition if systems have scores only by it, as in a track that does not publish its runs."""
    if asked.llm is None:
        return asked.scored
    runs = {edition: conn.execute("SELECT stc.edition_runs(%s)", [edition]).fetchone() for edition in (asked.edition, asked.llm)}
    here, there = (set((row[0] if row else None) or ()) for row in runs.values())
    wanted = set(asked.runs)
    here, there = (found & wanted if wanted else found for found in (here, there))
    return asked.llm if there and not here else asked.scored


def _check(conn: psycopg.Connection, asked: StudySources) -> None:
    """Raise an error for wrong names, instead of reporting a missing section."""
    editions = [edition for edition in (asked.edition, asked.llm, asked.sparse) if edition is not None]
    for edition in editions:
        conn.execute("SELECT stc.edition_queries(%s, %s)", [edition, asked.queries])
    if len(set(editions)) < len(editions):
        raise BadArgument(
            f"the same edition is given for two of {', '.join(editions)}",
            hint="Give three different editions: human labels, a language model's labels and sparse labels.",
            sqlstate="IR202",
        )
    conn.execute("SELECT stc.run_keys(%s::text[])", [list(asked.runs)])
    asked.measure.checked()
    if asked.study is not None:
        studies = [row[0] for row in conn.execute(_STUDIES)]
        if asked.study not in studies:
            there = (
                f"The studies are {', '.join(studies)}." if studies else "No study is stored; create one with 'stc synth sample'."
            )
            raise UnknownObject(f"there is no study {asked.study!r}", hint=there)
