"""Report sections on queries: judged queries by origin, and how synthetic ones were generated."""

from __future__ import annotations

import psycopg

from stcollection.analysis.origins import OriginStatistics, origin_statistics
from stcollection.counts import counted
from stcollection.errors import StateError
from stcollection.plots.match import draw_match
from stcollection.studies.synth.choose import match
from stcollection.studies.synth.cut import shares
from stcollection.studies.synth.match_figure import chosen_queries
from stcollection.studies.synth.report.parts import (
    Cell,
    Missing,
    Picture,
    ReportTable,
    Section,
    StudySources,
    apart,
    listed,
    missing_for,
    picture,
    table_of,
)
from stcollection.studies.synth.study import generated, overview

_COUNTS = {
    "queries": "queries", "without_text": "without a text", "mean_words": "words, mean", "min_words": "least", "max_words": "most",
    "pool": "documents", "judged": "judged", "relevant": "relevant", "judged_a_query": "judged a query",
    "relevant_a_query": "relevant a query",
}  # fmt: skip


def judged(conn: psycopg.Connection, asked: StudySources) -> Section:
    """Section on the judged queries by origin and form: number, length, judged and relevant documents."""
    by_origin = origin_statistics(conn, edition=asked.edition, queries=asked.queries)
    by_both = origin_statistics(conn, edition=asked.edition, by=("origin", "type"), queries=asked.queries)
    columns = {"origin": "origin"} | {
        of: header for of, header in _COUNTS.items() if of != "without_text" or any(row.without_text for row in by_origin)
    }
    return Section(
        name="queries",
        title="The judged queries by origin",
        tables=(
            table_of("origins", f"The queries that {asked.edition} judges.", by_origin, columns, digits=2),
            _grades(by_origin),
            table_of(
                "types",
                "Judged queries by form.",
                by_both,
                {
                    "origin": "origin",
                    "type": "form",
                    "queries": "queries",
                    "mean_words": "words, mean",
                    "judged_a_query": "judged a query",
                    "relevant_a_query": "relevant a query",
                },
                digits=2,
            ),
        ),
        paragraphs=_told(by_origin),
        notes=("Relevant is a grade of 1 or more. Words are separated by white space.",),
    )


def _told(rows: list[OriginStatistics]) -> tuple[str, ...]:
    parts = [
        f"{row.origin}: {counted(row.queries, 'query')} with {row.relevant_a_query:.2f} relevant documents each"
        for row in rows
        if row.queries
    ]
    return (f"{'; '.join(parts)}.",) if parts else ()


def _grades(rows: list[OriginStatistics]) -> ReportTable:
    grades = sorted({grade for row in rows for grade in row.grades or {}}, key=int)
    return ReportTable(
        name="grades",
        caption="Mean number of documents per query with each grade.",
        headers=("origin", *(f"grade {grade}" for grade in grades)),
        rows=tuple((row.origin, *((row.grades or {}).get(grade) for grade in grades)) for row in rows),
        digits=2,
    )


def making(conn: psycopg.Connection, asked: StudySources) -> Section:
    """Section on sampled documents, generated queries, and the queries that assessors cut."""
    studies = {one.study: one for one in overview(conn)}
    kept = shares(conn, asked.edition, queries=asked.queries)
    cuts = ReportTable(
        name="kept",
        caption=f"Queries that the assessors of {asked.edition} cut, by reason, and kept.",
        headers=("origin", "queries", "unreasonable", "few relevant", "many relevant", "kept", "share kept"),
        rows=tuple(tuple(one) for one in kept),
    )
    tables = [cuts] if any(one.kept < one.queries for one in kept) else []
    name = asked.study if asked.study is not None else next(iter(studies), None) if len(studies) == 1 else None
    if name is None:
        if studies:
            missing = Missing(
                what=f"there are several studies: {listed(list(studies))}", hint="Choose the one to show with --study."
            )
        else:
            missing = Missing(
                what="no study is stored, so it is unknown how the queries were generated",
                command="stc synth sample STUDY --documents 1000",
            )
        return Section(name="making", title="How the synthetic queries were made", tables=tuple(tables), missing=(missing,))
    one = studies[name]
    steps: tuple[tuple[Cell, ...], ...] = (
        ("sampled", one.sampled, None),
        ("not asked about yet", one.unasked, None),
        ("asked, no answer came", one.failed, None),
        ("answer malformed", one.malformed, one.malformed_share),
        ("score too low", one.under, one.under_share),
        ("kept", one.kept, one.kept / one.sampled if one.sampled else None),
    )
    made = generated(conn, name)
    tables = [
        ReportTable(
            name="steps", caption=f"Documents of {name} by outcome; shares are of answered ones, for kept ones of all.",
            headers=("documents", "number", "share"), rows=steps,
        ),
        table_of("generated", "Generated queries, and queries dropped by reason.", made, {
            "origin": "origin", "model": "model", "prompt": "prompt", "documents": "documents", "made": "made", "empty": "empty",
            "malformed": "malformed", "error": "error", "duplicate": "duplicate", "copy": "copy", "usable": "usable",
            "chosen": "chosen", "published": "published", "length": "words", "found": "found in the document",
        }, digits=2),
        *tables,
    ]  # fmt: skip
    drawn: list[Picture | Missing] = []
    try:
        found = match(conn, name)
    except StateError as error:
        drawn.append(missing_for(error))
    else:
        tables.append(
            table_of(
                "match",
                f"Distance of the {found.origin} queries from the relevant pairs of {found.like}.",
                found.distances(),
                {
                    "of": "of",
                    "target": "target",
                    "before": "before",
                    "after": "chosen",
                    "tv_before": "TV before",
                    "tv_after": "TV chosen",
                    "w1_before": "W1 before",
                    "w1_after": "W1 chosen",
                },
            )
        )
        drawn.append(picture("match", f"Selection of the queries of {name}.", lambda: draw_match(chosen_queries(conn, found))))
    figures, missing_ = apart(drawn)
    bad = sum(row.empty + row.malformed + row.error for row in made)
    return Section(
        name="making",
        title="How the synthetic queries were made",
        paragraphs=(
            f"The study {name} sampled {counted(one.sampled, 'document')} (the {one.field}, seed {one.seed}); "
            f"{f'{one.scorer} scored them' if one.scorer else 'no model scored them'}. Generators made"
            f" {counted(one.candidates, 'candidate')}, {one.usable:,} of them usable; {counted(bad, 'answer')} contained no query.",
        ),
        tables=tuple(tables),
        figures=figures,
        missing=missing_,
        notes=(
            "TV: total variation distance from the target, 0 to 1. W1: Wasserstein-1 distance, in words.",
            "Empty and malformed answers are counted separately and are not part of the mean lengths.",
        ),
    )
