"""Studies of synthetic queries: drawn, looked at, dropped. Each is a sample of documents and what was made of it, step by step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import psycopg
from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from stcollection.errors import BadArgument, translate

MIN_SCORE = 50.0  # of 100: what a passage needs for queries to be made from it
FIELDS = ("abstract", "content")
DROPPED = ("empty", "malformed", "error", "duplicate", "copy")


class Sampled(NamedTuple):
    """The counts of a sample.

    :param drawn: documents drawn now. :param sampled: those the study has. :param eligible: those there are to draw from.
    """

    drawn: int
    sampled: int
    eligible: int


class StudyOverview(NamedTuple):
    """How far a study is (sql/studies/synth/synth_overview.sql). Shares are of the documents that were answered about."""

    study: str
    field: str
    seed: int
    sampled: int
    scored: int
    malformed: int
    failed: int
    unasked: int
    malformed_share: float | None
    under: int
    under_share: float | None
    kept: int
    scorer: str | None
    candidates: int
    usable: int


class Generated(NamedTuple):
    """What one generator made in a study, and what was dropped (sql/studies/synth/synth_generated.sql).

    :param length: words of a query, the mean of the usable ones. :param found: of these words, how many the passage has; the mean.
    """

    origin: str
    model: str
    prompt: str | None
    documents: int
    made: int
    empty: int
    malformed: int
    error: int
    duplicate: int
    copy: int
    usable: int
    chosen: int
    published: int
    length: float | None
    found: float | None


class Candidate(NamedTuple):
    """A generated query. :param query: None where none could be read from the answer. :param dropped: why it is none to use."""

    id: int
    docno: str
    score: float | None
    origin: str
    model: str
    number: int
    query: str | None
    length: int | None
    found: int | None
    dropped: str | None
    chosen: bool
    answer: str | None


class Scored(NamedTuple):
    """What a language model said of a sampled document. :param state: scored, malformed, failed, unasked."""

    place: int
    docno: str
    state: str
    score: float | None
    answer: str | None
    error: str | None


@translate()
def sample(
    conn: psycopg.Connection,
    study: str,
    *,
    n: int,
    seed: int | None = None,
    field: str | None = None,
    filter: Mapping[str, Any] | None = None,  # noqa: A002
) -> Sampled:
    """Draw n documents with a text; the study is made where it is not there (sql/studies/synth/synth_sample.sql).

    :param n: of the study altogether: a larger one extends its sample. :param seed, field, filter: None is what the study has.
    :raises BadArgument: the study was drawn otherwise, or has more. :raises StateError: there is no document to draw.
    """
    if seed is not None and not -(2**63) <= seed < 2**63:
        raise BadArgument(f"the seed {seed} is too large", hint="It is a whole number of 64 bits.", sqlstate="IR202")
    with conn.cursor(row_factory=class_row(Sampled)) as cursor:
        given = None if filter is None else Jsonb(dict(filter))
        row = cursor.execute(
            "SELECT * FROM stc.synth_sample(%s, %s::integer, %s, %s, %s)", [study, n, seed, field, given]
        ).fetchone()
    assert row is not None  # noqa: S101
    return row


@translate()
def overview(conn: psycopg.Connection, *, min_score: float = MIN_SCORE) -> list[StudyOverview]:
    """How far each study is, by name."""
    with conn.cursor(row_factory=class_row(StudyOverview)) as cursor:
        return cursor.execute("SELECT * FROM stc.synth_overview(%s)", [min_score]).fetchall()


@translate()
def generated(conn: psycopg.Connection, study: str) -> list[Generated]:
    """What was generated in a study, by origin and model. :raises UnknownObject: there is no such study."""
    with conn.cursor(row_factory=class_row(Generated)) as cursor:
        return cursor.execute("SELECT * FROM stc.synth_generated(%s)", [study]).fetchall()


@translate()
def candidates(
    conn: psycopg.Connection, study: str, *, origin: str | None = None, dropped: str | None = None, limit: int | None = None
) -> list[Candidate]:
    """The generated queries of a study, by place of the document, origin and number.

    :param dropped: None is those to use; all is every one; any is those dropped for whatever reason, or one of DROPPED.
    :raises UnknownObject: there is no such study. :raises BadArgument: nothing of that origin was generated in it.
    """
    made = {one.origin for one in generated(conn, study)}
    if origin is not None and origin not in made:
        raise BadArgument(
            f"the study {study!r} has no candidates of the origin {origin!r}",
            hint=f"It has those of {', '.join(sorted(made))}." if made else "Nothing is generated in it: 'stc synth generate'.",
            sqlstate="IR202",
        )
    with conn.cursor(row_factory=class_row(Candidate)) as cursor:
        return cursor.execute(
            "SELECT * FROM stc.synth_candidate_list(%(study)s) WHERE (%(origin)s::text IS NULL OR origin = %(origin)s)"
            " AND CASE %(dropped)s::text WHEN 'all' THEN true WHEN 'any' THEN dropped IS NOT NULL"
            " ELSE dropped IS NOT DISTINCT FROM %(dropped)s END LIMIT %(limit)s",
            {"study": study, "origin": origin, "dropped": dropped, "limit": limit},
        ).fetchall()


@translate()
def scores(conn: psycopg.Connection, study: str, *, state: str | None = None, limit: int | None = None) -> list[Scored]:
    """The sampled documents of a study with what was said of each, in the order they were drawn in.

    :raises UnknownObject: there is no such study.
    """
    with conn.cursor(row_factory=class_row(Scored)) as cursor:
        return cursor.execute(
            "SELECT * FROM stc.synth_score_list(%(study)s) WHERE %(state)s::text IS NULL OR state = %(state)s LIMIT %(limit)s",
            {"study": study, "state": state, "limit": limit},
        ).fetchall()


@translate()
def drop(conn: psycopg.Connection, study: str) -> int:
    """Remove a study; returns how many candidates it had. Queries published from it stay. :raises UnknownObject: no such study."""
    row = conn.execute("SELECT stc.synth_drop(%s)", [study]).fetchone()
    return int(row[0]) if row else 0


@translate()
def claim(conn: psycopg.Connection, study_id: int, step: str, docs: Sequence[int]) -> list[int]:
    """Claim documents for this connection and a step; returns those that no other holds (sql/studies/synth/synth_claim.sql)."""
    row = conn.execute("SELECT stc.synth_claim(%s, %s, %s)", [study_id, step, list(docs)]).fetchone()
    return list(row[0]) if row else []


@translate()
def release(conn: psycopg.Connection, study_id: int, step: str, docs: Sequence[int]) -> None:
    """Let go of documents that were claimed."""
    conn.execute("SELECT stc.synth_release(%s, %s, %s)", [study_id, step, list(docs)])


class SampledPassage(NamedTuple):
    """A sampled document. :param passage: what the study reads of it; None where it has lost its text since."""

    doc: int
    docno: str
    title: str | None
    abstract: str | None
    passage: str | None

    @property
    def slots(self) -> dict[str, str | None]:
        """What a prompt can be filled with."""
        return {"title": self.title, "abstract": self.abstract, "passage": self.passage}


SLOTS = ("title", "abstract", "passage")


@translate()
def texts(conn: psycopg.Connection, study_id: int, docs: Sequence[int]) -> list[SampledPassage]:
    """The texts of sampled documents, in the order they were drawn in."""
    with conn.cursor(row_factory=class_row(SampledPassage)) as cursor:
        return cursor.execute("SELECT * FROM stc.synth_texts(%s, %s)", [study_id, list(docs)]).fetchall()
