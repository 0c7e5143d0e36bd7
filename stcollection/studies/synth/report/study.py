"""The whole study as one report, from what was studied to what cannot be told.

A section is a function of the database; one that cannot be made says why in its place, and the others stand.
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

Make = Callable[[psycopg.Connection, StudySources], Section]
SECTIONS: tuple[tuple[str, str, Make], ...] = (
    ("studied", "What was studied", studied),
    ("queries", "The judged queries by origin", judged),
    ("making", "How the synthetic queries were made", making),
    ("systems", "Systems by origin of the queries", systems),
    ("reliability", "Whether synthetic queries rank systems as human ones do", ranked),
    ("growth", "How many queries it takes", grown),
    ("bias", "Which families synthetic queries favour", shifted),
    ("model", "Origin and family in one model", modelled),
    ("labels", "Labels of a language model, and sparse ones", labelled),
    ("findings", "What was published, held against these data", found),
)
_STUDIES = "SELECT study FROM stc.synth_studies ORDER BY study"


@translate()
def study_report(conn: psycopg.Connection, asked: StudySources, *, command: str | None = None, date: str | None = None) -> Report:
    """Ask for all sections, in one snapshot of the database where the caller has begun no transaction.

    :param command: that made it, as it was typed.
    :param date: to print; None prints none, so that the same data are the same report.
    :raises UnknownObject: an edition, a run, the measure or the study is not there. :raises BadArgument: one edition for two.
    :raises DatabaseError: the server is gone.
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
            _made(conn, asked, "limits", "What cannot be told", lambda conn, asked: limits(conn, asked, tuple(sections)))
        )
    about = [f"Edition {asked.edition}, measure {asked.measure}, seed {asked.seed}", *([date] if date else [])]
    if note:
        about.append(note.rstrip("."))
    if command:
        about.append(f"made by: {command}")
    return Report(
        title=f"Synthetic queries in {asked.edition}", about="; ".join(about), sections=tuple(sections), simulated=note is not None
    )


def _made(conn: psycopg.Connection, asked: StudySources, name: str, title: str, make: Make) -> Section:
    """A section, or what stands in its place; the errors of SQL in it do not end the transaction."""
    try:
        with translate(), conn.transaction():
            return make(conn, asked)
    except StcError as error:
        if conn.closed:  # no section can be made any more
            raise
        return Section(name=name, title=title, missing=(missing_for(error),))


def _ranking(conn: psycopg.Connection, asked: StudySources) -> str | None:
    """The language model's edition where systems have scores by that one alone, as for a track that keeps its runs to itself."""
    if asked.llm is None:
        return asked.scored
    runs = {edition: conn.execute("SELECT stc.edition_runs(%s)", [edition]).fetchone() for edition in (asked.edition, asked.llm)}
    here, there = (set((row[0] if row else None) or ()) for row in runs.values())
    wanted = set(asked.runs)
    here, there = (found & wanted if wanted else found for found in (here, there))
    return asked.llm if there and not here else asked.scored


def _check(conn: psycopg.Connection, asked: StudySources) -> None:
    """Names that are typed wrong are an error, not a section that is missing."""
    editions = [edition for edition in (asked.edition, asked.llm, asked.sparse) if edition is not None]
    for edition in editions:
        conn.execute("SELECT stc.edition_key(%s)", [edition])
    if len(set(editions)) < len(editions):
        raise BadArgument(
            f"one edition for two of {', '.join(editions)}",
            hint="Those of people, of a language model and the sparse one are three.",
            sqlstate="IR202",
        )
    conn.execute("SELECT stc.run_keys(%s::text[])", [list(asked.runs)])
    asked.measure.checked()
    if asked.study is not None:
        studies = [row[0] for row in conn.execute(_STUDIES)]
        if asked.study not in studies:
            there = f"There are {', '.join(studies)}." if studies else "There is none; 'stc synth' makes one."
            raise UnknownObject(f"there is no study {asked.study!r}", hint=there)
