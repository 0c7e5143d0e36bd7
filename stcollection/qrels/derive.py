"""Derive editions from other editions: by precedence, by a rule for several annotators, or with another scale."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated

import psycopg
from psycopg.rows import class_row

from stcollection.counts import counted
from stcollection.declared import INTERNAL, Option
from stcollection.errors import BadArgument, translate
from stcollection.qrels.calibrate import Calibration, calibration
from stcollection.qrels.editions import NOTHING_SAID, EditionFacts, as_scale, describe
from stcollection.qrels.load import ORIGINS
from stcollection.qrels.parameters import GradeMap, HiddenEdition
from stcollection.retrieval.fuse import ByDocument, alone
from stcollection.topics.sets import ALL, SetExpression

RULES = ("first", "majority", "median", "mean", "max", "min")


@dataclass(frozen=True, kw_only=True)
class Derived:
    """A derived edition.

    :param subtopic_judgments: judgments of documents by subtopic, not counted in ``judgments``.
    :param combined: documents that several annotators judged. :param differing: those of them with different grades.
    :param final: documents with a final decision. :param unsampled: queries of a sampled pool that lose their strata, because
        the edition judges another part of the documents that were drawn.
    :param whole: by document, number of judgments of the source that are of documents, not of passages.
    :param calibration: how the grades of a language model were mapped, if they were.
    """

    queries: int
    judgments: int
    subtopic_judgments: int
    combined: int
    differing: int
    final: int
    unsampled: int
    whole: int = 0
    calibration: Calibration | None = None


@translate()
def derive(
    conn: psycopg.Connection,
    edition: Annotated[str, INTERNAL],
    sources: Annotated[Sequence[str], INTERNAL],
    *,
    rule: Annotated[str, Option(choices=RULES)] = "first",
    grades: GradeMap = None,
    origins: Annotated[Sequence[str] | None, Option(each="origin", choices=ORIGINS)] = None,
    annotators: Annotated[Sequence[str] | None, Option(each="annotator")] = None,
    queries: SetExpression = ALL,
    hidden: HiddenEdition = None,
    facts: EditionFacts = NOTHING_SAID,
    calibrate_with: Annotated[str | None, Option(metavar="EDITION", listed="show editions")] = None,
    by_document: ByDocument = None,
) -> Derived:
    """Make a new edition from others, with one judgment per query and document (sql/qrels/derive_edition.sql).

    ``by_document`` makes one that judges documents from one that judges passages (sql/qrels/edition_by_document.sql); it is hidden
    if its source is.

    Of subtopic judgments, which have no annotator, those of the source named first count; with ``origins`` or ``annotators`` they
    are left out.

    ``grades`` are mapped first. None for ``hidden`` hides the edition if ``facts.split`` is ``test``; one with a hidden source is
    always hidden.

    :param rule: Rule that combines several annotators of a document. For equal majorities and two medians, the lower grade wins.
    :param origins: Use judgments of this origin only. Repeatable.
    :param annotators: Use judgments of this annotator only. Repeatable.
    :param calibrate_with: Map the grades of a language model to those that people gave in EDITION to the same documents.
    :param facts: description, split and year. Default: the values on which the sources agree, and a generated description.
    :raises UnknownObject: a source is not stored, or the set names no query.
    :raises BadArgument: the new edition exists; unknown rule; a source is repeated; a grade is missing from the mapping.
    :raises StateError: no judgment matches.
    """
    with conn.transaction(), conn.cursor(row_factory=class_row(Derived)) as cursor:
        if by_document is not None:
            plain = rule == "first" and queries == ALL and not (grades or origins or annotators or calibrate_with or hidden)
            alone(by_document, sources, plain)
            return _by_document(conn, edition, sources[0], by_document, facts)
        fitted = _calibration(conn, sources, calibrate_with, grades) if calibrate_with is not None else None
        if fitted is not None:
            grades, origins = fitted.scale, ["llm"]
        row = cursor.execute(
            "SELECT * FROM derive_edition(%s, %s::text[], %s, %s, %s::text[], %s::text[], %s, %s)",
            [
                edition,
                list(sources),
                rule,
                as_scale(grades),
                None if origins is None else list(origins),
                None if annotators is None else list(annotators),
                queries,
                facts.split == "test" if hidden is None else hidden,
            ],
        ).fetchone()
        if facts != NOTHING_SAID:
            describe(conn, edition, description=facts.description, split=facts.split, year=facts.year)
    assert row is not None  # noqa: S101
    return replace(row, calibration=fitted)


def _by_document(conn: psycopg.Connection, edition: str, source: str, delimiter: str, facts: EditionFacts) -> Derived:
    [[queries, judgments, subtopics, whole]] = conn.execute(
        "SELECT queries, judgments, subtopic_judgments, whole FROM stc.edition_by_document(%s, %s, %s)",
        [edition, source, delimiter],
    ).fetchall()
    if facts != NOTHING_SAID:
        describe(conn, edition, description=facts.description, split=facts.split, year=facts.year)
    counts = {"combined": 0, "differing": 0, "final": 0, "unsampled": 0}
    return Derived(queries=queries, judgments=judgments, subtopic_judgments=subtopics, whole=whole, **counts)


def _calibration(conn: psycopg.Connection, sources: Sequence[str], people: str, grades: Mapping[int, int] | None) -> Calibration:
    """Fit the labels of the only source. :raises BadArgument: there are several, or grades to map, too."""
    if len(sources) != 1 or grades is not None:
        both = "`grades` and `calibrate_with`" if grades is not None else f"`calibrate_with` and {counted(len(sources), 'edition')}"
        raise BadArgument(f"{both} cannot be combined", hint="Calibrate one edition; combine several models in it first.")
    return calibration(conn, f"{sources[0]}:llm", f"{people}:human")
