"""Queries generated from the documents of a study: several each by a sequence-to-sequence model, one each by a language model."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import psycopg
from psycopg.types.json import Jsonb

from stcollection.errors import BadArgument, translate
from stcollection.moved import grouped
from stcollection.studies.synth import study as studies
from stcollection.studies.synth.answers import read_query
from stcollection.studies.synth.ask import ALL_UNASKED, AskCounts, Asker, AskOptions, Progress, Questioning, Replies, cost, nothing
from stcollection.studies.synth.study import MIN_SCORE
from stcollection.studies.synth.t5 import Doc2Query, Job, WrittenQuery

PROMPT = "search-query"
MANY = 10


@dataclass(frozen=True, kw_only=True)
class WritingOptions:
    """How a sequence-to-sequence model writes queries.

    :param many: queries a document. :param top_k: words that can come next; 0 is all. :param prefix: put before each passage.
    :param seed: None is the study's.
    :raises BadArgument: a value out of range.
    """

    many: int = MANY
    top_k: int = 10
    temperature: float = 1.0
    prefix: str = ""
    seed: int | None = None

    def __post_init__(self) -> None:
        if self.many < 1:
            raise BadArgument(f"{self.many} queries a document", hint="It is 1 or more.", sqlstate="IR201")
        if self.top_k < 0 or not 0 < self.temperature < float("inf"):
            what = f"top_k is {self.top_k}" if self.top_k < 0 else f"the temperature is {self.temperature:g}"
            raise BadArgument(what, hint="top_k is 0 (all words) or more, the temperature above 0.", sqlstate="IR202")


TEN_EACH = WritingOptions()


@dataclass(kw_only=True)
class GeneratedCounts:
    """What a generation by a sequence-to-sequence model did.

    :param documents: those wanted. :param before: queries an earlier call had made of them. :param made: queries kept now.
    :param to_make: that were missing. :param empty: of those made, without a text. :param cut: documents cut to the model's input.
    :param held: documents another process is at. :param textless: documents that have lost their text.
    """

    documents: int
    before: int = 0
    to_make: int = 0
    made: int = 0
    empty: int = 0
    cut: int = 0
    held: int = 0
    textless: int = 0
    seconds: float = 0.0
    interrupted: bool = False


@grouped(options=WritingOptions)
def by_model(
    conn: psycopg.Connection,
    study: str,
    *,
    model: Doc2Query,
    origin: str = "t5",
    min_score: float | None = MIN_SCORE,
    options: WritingOptions = TEN_EACH,
    simulated: bool = False,
    progress: Progress | None = None,
) -> GeneratedCounts:
    """Generate several queries a document, each with random numbers of its own (:mod:`t5`); a larger ``many`` adds to them.

    Pages are kept as they come; called again it goes on. KeyboardInterrupt ends it after what is kept.

    :param conn: in autocommit, for this alone: it holds the claims on documents.
    :param min_score: of documents; None is all, scored or not.
    :param simulated: the model is not a real one: mark the edition that is published.
    :raises UnknownObject: there is no such study. :raises BadArgument: the origin is made otherwise there.
    :raises StateError: no document has the score.
    """
    began = time.monotonic()
    many = options.many
    drawn_by = _seed(conn, study) if options.seed is None else options.seed
    settings = {
        "revision": model.revision, "seed": drawn_by, "top_k": options.top_k, "temperature": options.temperature,
        "prefix": options.prefix or None, "simulated": simulated or None,
    }  # fmt: skip
    study_id, _ = _begin(conn, study, origin, model.name, None, None, settings)
    wanted = _wanted(conn, study, study_id, origin, many, min_score)
    done = GeneratedCounts(documents=len(wanted), to_make=sum(len(missing) for _, missing in wanted))
    done.before = many * len(wanted) - done.to_make
    lacking = dict(wanted)
    waiting = [doc for doc, missing in wanted if missing][::-1]
    step = f"generate {origin}"
    page_size = max(1, model.batch // many)
    try:
        while waiting:
            page = [waiting.pop() for _ in range(min(page_size, len(waiting)))]
            ours = studies.claim(conn, study_id, step, page)
            done.held += len(page) - len(ours)
            missing = dict(_to_generate(conn, study_id, origin, many, min_score, docs=ours))
            since = sum(len(lacking[doc]) - len(missing.get(doc, ())) for doc in ours)  # by another process
            done.to_make -= since
            done.before += since
            passages = [one for one in studies.texts(conn, study_id, ours) if missing.get(one.doc)]
            done.textless += sum(one.passage is None for one in passages)
            passages = [one for one in passages if one.passage is not None]
            jobs = [Job(one.docno, one.passage or "", missing[one.doc]) for one in passages]
            written = model.write(jobs, seed=drawn_by, top_k=options.top_k, temperature=options.temperature, prefix=options.prefix)
            _keep_written(conn, study_id, origin, model, [one.doc for one in passages], written)
            studies.release(conn, study_id, step, ours)
            done.made += len(written)
            done.empty += sum(not one.text for one in written)
            done.cut += len({one.job for one in written if one.cut})
            if progress is not None:
                progress(done.made, done.to_make, f"{done.empty:,} empty" if done.empty else "")
    except KeyboardInterrupt:
        done.interrupted = True
    finally:
        _end(conn, study_id)
    done.seconds = time.monotonic() - began
    return done


@grouped(options=AskOptions)
def by_prompt(
    conn: psycopg.Connection,
    study: str,
    *,
    asker: Asker,
    origin: str,
    min_score: float | None = MIN_SCORE,
    options: AskOptions = ALL_UNASKED,
    progress: Progress | None = None,
) -> AskCounts:
    """Ask a language model for one query a document; every answer is kept, with the query read from it (:func:`read_query`).

    What was answered before is not asked again, what failed is.

    :param conn: in autocommit, for this alone. :param min_score: of documents; None is all, scored or not.
    :raises UnknownObject: there is no such study. :raises BadArgument: the origin is made otherwise there.
    :raises StateError: no document has the score; the endpoint is away, or refuses the key or the model.
    """
    template = asker.template
    settings = {name: value for name, value in asker.options.items() if value is not None} | (
        {"simulated": True} if options.simulated else {}
    )
    study_id, prompt_id = _begin(conn, study, origin, asker.model, template.name, template.text, settings)
    _wanted(conn, study, study_id, origin, 1, min_score)

    def states(docs: Sequence[int] | None) -> list[tuple[int, str]]:
        found = _to_generate(conn, study_id, origin, 1, min_score, retry_malformed=options.retry_malformed, docs=docs)
        bad = _malformed(conn, study_id, origin, [doc for doc, missing in found if not missing])
        return [(doc, "ask" if missing else "malformed" if doc in bad else "made") for doc, missing in found]

    @translate()
    def keep(replies: Replies, done: AskCounts) -> None:
        rows = []
        for doc, reply in replies:
            text: str | None = None
            dropped: str | None = "error"
            if reply.text is not None:
                text, dropped = read_query(reply.text)
                if reply.finish == "length" and dropped is None:  # it ends somewhere in the query, or after it: who knows
                    text, dropped = None, "malformed"
                done.good += dropped is None
                done.malformed += dropped == "malformed"
                done.empty += dropped == "empty"
            params = cost(reply, asker) | ({"error": reply.error} if reply.error else {})
            rows.append({"doc": doc, "number": 1, "answer": reply.text, "text": text, "dropped": dropped, "params": params})
        conn.execute(_KEEP, [study_id, origin, asker.model, prompt_id, Jsonb(rows)])

    try:
        return Questioning(
            conn,
            study_id=study_id,
            step=f"generate {origin}",
            asker=asker,
            states=states,
            keep=keep,
            limit=options.limit,
            progress=progress,
        ).run()
    finally:
        _end(conn, study_id)


_KEEP = "SELECT stc.synth_keep_candidates(%s, %s, %s, %s, %s)"


@translate()
def _keep_written(
    conn: psycopg.Connection, study_id: int, origin: str, model: Doc2Query, docs: Sequence[int], written: Sequence[WrittenQuery]
) -> None:
    rows = [
        {
            "doc": docs[one.job],
            "number": one.number,
            "answer": one.text,
            "text": one.text or None,
            "dropped": None if one.text else "empty",
            "params": {"cut": True} if one.cut else {},
        }
        for one in written
    ]
    conn.execute(_KEEP, [study_id, origin, model.name, None, Jsonb(rows)])


@translate()
def _seed(conn: psycopg.Connection, study: str) -> int:
    row = conn.execute("SELECT seed FROM stc.synth_studies WHERE id = stc.synth_study_key(%s)", [study]).fetchone()
    assert row is not None  # noqa: S101
    return int(row[0])


@translate()
def _begin(
    conn: psycopg.Connection,
    study: str,
    origin: str,
    model: str,
    prompt: str | None,
    template: str | None,
    settings: dict[str, Any],
) -> tuple[int, int | None]:
    row = conn.execute(
        "SELECT study_id, prompt_id FROM stc.synth_begin_generation(%s, %s, %s, %s, %s, %s)",
        [study, origin, model, prompt, template, Jsonb(settings)],
    ).fetchone()
    assert row is not None  # noqa: S101
    return row[0], row[1]


def _wanted(
    conn: psycopg.Connection, study: str, study_id: int, origin: str, many: int, min_score: float | None
) -> list[tuple[int, list[int]]]:
    found = _to_generate(conn, study_id, origin, many, min_score)
    if not found:
        raise nothing(
            f"no document of the study {study!r} has a score of {min_score:g} or more"
            if min_score is not None
            else f"the study {study!r} has no document",
            "'stc synth score' scores them, 'synth status' tells how far that is; --unscored generates from all.",
        )
    return found


@translate()
def _to_generate(
    conn: psycopg.Connection,
    study_id: int,
    origin: str,
    many: int,
    min_score: float | None,
    *,
    retry_malformed: bool = False,
    docs: Sequence[int] | None = None,
) -> list[tuple[int, list[int]]]:
    return conn.execute(
        "SELECT doc, missing FROM stc.synth_to_generate(%s, %s, %s, %s::float8, %s, %s)",
        [study_id, origin, many, min_score, retry_malformed, None if docs is None else list(docs)],
    ).fetchall()


@translate()
def _malformed(conn: psycopg.Connection, study_id: int, origin: str, docs: Sequence[int]) -> set[int]:
    rows = conn.execute(
        "SELECT doc FROM stc.synth_candidates"
        " WHERE study = %s AND origin = %s AND doc = ANY (%s) AND dropped IN ('malformed', 'empty')",
        [study_id, origin, list(docs)],
    ).fetchall()
    return {doc for (doc,) in rows}


def _end(conn: psycopg.Connection, study_id: int) -> None:
    """Let go of all claims and find the duplicates; nothing where the connection is gone, and the claims with it."""
    if conn.closed:
        return
    with translate():
        conn.execute("SELECT pg_advisory_unlock_all()")
        conn.execute("SELECT stc.synth_mark(%s)", [study_id])
