"""Studies of synthetic queries: sample, inspect and drop. A study is a sample of documents with the results of each step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, NamedTuple

import psycopg
from psycopg.types.json import Jsonb

from stcollection.db.rows import only_record, only_value, records
from stcollection.declared import INTERNAL, AllowedRange, Option, declare
from stcollection.errors import BadArgument, translate
from stcollection.studies.synth.parameters import Most, StudyName

MIN_SCORE = 50.0  # minimum score (of 100) of a passage that queries are generated from
FIELDS = ("abstract", "content")
DROPPED = ("empty", "malformed", "error", "duplicate", "copy")


class Sampled(NamedTuple):
    """Counts of a sample.

    :param drawn: documents drawn now.
    :param sampled: documents in the study.
    :param eligible: documents available for sampling.
    """

    drawn: int
    sampled: int
    eligible: int


class StudyOverview(NamedTuple):
    """Progress of a study (synth/sql/synth_overview.sql). Shares are of the documents with an answer."""

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
    """Queries that one generator made in a study, and the dropped ones (synth/sql/synth_generated.sql).

    :param length: mean number of words of the usable queries.
    :param found: mean number of these words that occur in the passage.
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
    """A generated query. :param query: None if none could be parsed from the answer. :param dropped: why it is not usable."""

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
    """A language model's answer about a sampled document. :param state: scored, malformed, failed, unasked."""

    place: int
    docno: str
    state: str
    score: float | None
    answer: str | None
    error: str | None


@declare
@translate()
def sample(
    conn: psycopg.Connection,
    study: StudyName,
    *,
    n: Annotated[int, AllowedRange(ge=1, le=2**31 - 1), Option("--documents")] = 1000,
    seed: Annotated[int | None, Option(default="1, or the study's")] = None,
    field: Annotated[str | None, Option(choices=FIELDS, default="abstract, or the study's")] = None,
    filter: Annotated[Mapping[str, Any] | None, INTERNAL] = None,  # noqa: A002
) -> Sampled:
    """Draw documents with text until the study has n; create it if it does not exist (synth/sql/synth_sample.sql).

    :param n: Number of documents of the study. :param seed: Seed of the sample.
    :param field: Text of a document: content is title and abstract.
    :param filter: None: that of the study.
    :raises BadArgument: the study was drawn with other settings, or is larger.
    :raises StateError: there is no document to draw.
    """
    if seed is not None and not -(2**63) <= seed < 2**63:
        raise BadArgument(f"the seed {seed} is too large", hint="It must be an integer of at most 64 bits.")
    values = [study, n, seed, field, None if filter is None else Jsonb(dict(filter))]
    return only_record(conn, Sampled, "SELECT * FROM stc.synth_sample(%s, %s::integer, %s, %s, %s)", values)


@declare
@translate()
def overview(
    conn: psycopg.Connection, *, min_score: Annotated[float, AllowedRange(ge=0, le=100)] = MIN_SCORE
) -> list[StudyOverview]:
    """Return the progress of each study, by name.

    :param min_score: Count documents with a lower score as 'under'.
    """
    return records(conn, StudyOverview, "SELECT * FROM stc.synth_overview(%s)", [min_score])


@translate()
def generated(conn: psycopg.Connection, study: str) -> list[Generated]:
    """Return the queries generated in a study, by origin and model. :raises UnknownObject: the study does not exist."""
    return records(conn, Generated, "SELECT * FROM stc.synth_generated(%s)", [study])


@declare
@translate()
def candidates(
    conn: psycopg.Connection,
    study: StudyName,
    *,
    origin: Annotated[str | None, Option(metavar="ORIGIN")] = None,
    dropped: Annotated[str | None, INTERNAL] = None,
    limit: Most = None,
) -> list[Candidate]:
    """Return the generated queries of a study, by place of the document, origin and number.

    :param origin: Only candidates of this origin. :param limit: Largest number of candidates to print.
    :param dropped: None: usable ones; all: every query; any: all dropped ones; or one of DROPPED.
    :raises UnknownObject: the study does not exist.
    :raises BadArgument: no query of that origin was generated in it.
    """
    origins = {generator.origin for generator in generated(conn, study)}
    if origin is not None and origin not in origins:
        raise BadArgument(
            f"the study {study!r} has no candidates of the origin {origin!r}",
            hint=f"Its origins are {', '.join(sorted(origins))}." if origins else "Generate queries with 'stc synth generate'.",
        )
    return records(
        conn,
        Candidate,
        "SELECT * FROM stc.synth_candidate_list(%(study)s) WHERE (%(origin)s::text IS NULL OR origin = %(origin)s)"
        " AND CASE %(dropped)s::text WHEN 'all' THEN true WHEN 'any' THEN dropped IS NOT NULL"
        " ELSE dropped IS NOT DISTINCT FROM %(dropped)s END LIMIT %(limit)s",
        {"study": study, "origin": origin, "dropped": dropped, "limit": limit},
    )


@declare
@translate()
def scores(
    conn: psycopg.Connection,
    study: StudyName,
    *,
    state: Annotated[str | None, Option(choices=("scored", "malformed", "failed", "unasked"))] = None,
    limit: Most = None,
) -> list[Scored]:
    """Return the sampled documents of a study with the answer about each, in the order of sampling.

    :param state: Only documents in this state. :param limit: Largest number of documents to print.
    :raises UnknownObject: the study does not exist.
    """
    return records(
        conn,
        Scored,
        "SELECT * FROM stc.synth_score_list(%(study)s) WHERE %(state)s::text IS NULL OR state = %(state)s LIMIT %(limit)s",
        {"study": study, "state": state, "limit": limit},
    )


@translate()
def drop(conn: psycopg.Connection, study: StudyName) -> int:
    """Remove a study; return its number of candidates. Published queries stay.

    :raises UnknownObject: the study does not exist.
    """
    return int(only_value(conn, "SELECT stc.synth_drop(%s)", [study]))


@translate()
def claim(conn: psycopg.Connection, study_id: int, step: str, docs: Sequence[int]) -> list[int]:
    """Claim documents for this connection and step; return those that were free (synth/sql/synth_claim.sql)."""
    return list(only_value(conn, "SELECT stc.synth_claim(%s, %s, %s)", [study_id, step, list(docs)]))


@translate()
def release(conn: psycopg.Connection, study_id: int, step: str, docs: Sequence[int]) -> None:
    """Release claimed documents."""
    conn.execute("SELECT stc.synth_release(%s, %s, %s)", [study_id, step, list(docs)])


class SampledPassage(NamedTuple):
    """A sampled document. :param passage: the field that the study reads; None if the text has been removed since."""

    doc: int
    docno: str
    title: str | None
    abstract: str | None
    passage: str | None

    @property
    def slots(self) -> dict[str, str | None]:
        """Return the values of a prompt's slots."""
        return {"title": self.title, "abstract": self.abstract, "passage": self.passage}


SLOTS = ("title", "abstract", "passage")


@translate()
def texts(conn: psycopg.Connection, study_id: int, docs: Sequence[int]) -> list[SampledPassage]:
    """Return the texts of sampled documents, in the order of sampling."""
    return records(conn, SampledPassage, "SELECT * FROM stc.synth_texts(%s, %s)", [study_id, list(docs)])
