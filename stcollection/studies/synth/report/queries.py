"""Report sections on queries: judged queries by origin, and how synthetic ones were generated."""

from __future__ import annotations

import psycopg

from stcollection.analysis.origins import OriginStatistics, origin_statistics
from stcollection.counts import counted
from stcollection.db.simulated import simulated_note
from stcollection.errors import StateError
from stcollection.studies.synth.choose import match
from stcollection.studies.synth.cut import shares
from stcollection.studies.synth.match_figure import draw_match
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

_COUNTS = (
    "queries | without_text: without a text | mean_words: words, mean | min_words: least | "
    "max_words: most | pool: documents | judged | relevant | judged_a_query: judged a query | "
    "relevant_a_query: relevant a query"
)


def report_queries(conn: psycopg.Connection, study: StudySources) -> Section:
    """Section on the judged queries by origin and form: number, length, judged and relevant documents."""
    by_origin = origin_statistics(conn, edition=study.edition, queries=study.queries)
    by_both = origin_statistics(conn, edition=study.edition, by=("origin", "type"), queries=study.queries)
    columns = "origin | " + _COUNTS
    if not any(row.without_text for row in by_origin):
        columns = columns.replace("without_text: without a text | ", "")
    return Section(
        tables=(
            table_of("origins", f"The queries that {study.edition} judges.", by_origin, columns, digits=2),
            _grades(by_origin),
            table_of(
                "types",
                "Judged queries by form.",
                by_both,
                (
                    "origin | type: form | queries | mean_words: words, mean | judged_a_query: judged a query | "
                    "relevant_a_query: relevant a query"
                ),
                digits=2,
            ),
        ),
        paragraphs=_summary(by_origin),
        notes=("Relevant is a grade of 1 or more. Words are separated by white space.",),
    )


def _summary(rows: list[OriginStatistics]) -> tuple[str, ...]:
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


def report_making(conn: psycopg.Connection, study: StudySources) -> Section:
    """Section on sampled documents, generated queries, and the queries that assessors cut."""
    studies = {row.study: row for row in overview(conn)}
    cuts = shares(conn, study.edition, queries=study.queries)
    cut_table = ReportTable(
        name="kept",
        caption=f"Queries that the assessors of {study.edition} cut, by reason, and kept.",
        headers=("origin", "queries", "unreasonable", "few relevant", "many relevant", "kept", "share kept"),
        rows=tuple(tuple(share) for share in cuts),
    )
    tables = [cut_table] if any(share.kept < share.queries for share in cuts) else []
    name = study.study if study.study is not None else next(iter(studies), None) if len(studies) == 1 else None
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
        return Section(tables=tuple(tables), missing=(missing,))
    progress = studies[name]
    steps: tuple[tuple[Cell, ...], ...] = (
        ("sampled", progress.sampled, None),
        ("not asked about yet", progress.unasked, None),
        ("asked, no answer came", progress.failed, None),
        ("answer malformed", progress.malformed, progress.malformed_share),
        ("score too low", progress.under, progress.under_share),
        ("kept", progress.kept, progress.kept / progress.sampled if progress.sampled else None),
    )
    generators = generated(conn, name)
    tables = [
        ReportTable(
            name="steps",
            caption=f"Documents of {name} by outcome; shares are of answered ones, for kept ones of all.",
            headers=("documents", "number", "share"),
            rows=steps,
        ),
        table_of(
            "generated",
            "Generated queries, and queries dropped by reason.",
            generators,
            "origin | model | prompt | documents | made | empty | malformed | error | duplicate | copy | usable | "
            "chosen | published | length: words | found: found in the document",
            digits=2,
        ),
        *tables,
    ]
    drawn: list[Picture | Missing] = []
    try:
        choice = match(conn, name)
    except StateError as error:
        drawn.append(missing_for(error))
    else:
        noted = choice._replace(simulated=simulated_note(conn, [choice.like]))
        tables.append(
            table_of(
                "match",
                f"Distance of the {choice.origin} queries from the relevant pairs of {choice.like}.",
                choice.distances(),
                (
                    "of | target | before | after: chosen | tv_before: TV before | tv_after: TV chosen | "
                    "w1_before: W1 before | w1_after: W1 chosen"
                ),
            )
        )
        drawn.append(picture("match", f"Selection of the queries of {name}.", lambda: draw_match(noted)))
    figures, missing_ = apart(drawn)
    bad = sum(row.empty + row.malformed + row.error for row in generators)
    return Section(
        paragraphs=(
            f"The study {name} sampled {counted(progress.sampled, 'document')} (the {progress.field}, seed {progress.seed}); "
            f"{f'{progress.scorer} scored them' if progress.scorer else 'no model scored them'}. Generators"
            f" made {counted(progress.candidates, 'candidate')}, {progress.usable:,} of them usable;"
            f" {counted(bad, 'answer')} contained no query.",
        ),
        tables=tuple(tables),
        figures=figures,
        missing=missing_,
        notes=(
            "TV: total variation distance from the target, 0 to 1. W1: Wasserstein-1 distance, in words.",
            "Empty and malformed answers are counted separately and are not part of the mean lengths.",
        ),
    )
