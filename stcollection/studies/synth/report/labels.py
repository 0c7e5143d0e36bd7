"""Sections of a study's report: labels of language models and sparse ones; what was published, held against the data."""

from __future__ import annotations

import psycopg

from stcollection.analysis.findings import findings
from stcollection.analysis.labels import LabelComparison, labels
from stcollection.studies.synth.report.parts import Missing, ReportTable, Section, StudySources, listed, table_of

_AGREED = {
    "origin": "origin", "queries": "queries", "pairs": "both judge", "only_human": "one alone", "only_other": "other alone",
    "accuracy": "same grade", "binary_accuracy": "same side", "kappa": "kappa", "kappa_quadratic": "quadratic",
    "binary_kappa": "binary kappa", "alpha_ordinal": "alpha", "bias": "bias",
}  # fmt: skip
_ALIKE = {
    "origin": "origin", "systems": "systems", "unpaired": "without scores", "kendall_tau": "tau", "tau_ap": "tau_ap",
    "pearson": "r",
}  # fmt: skip
_MOVED = {
    "run": "run", "family": "family", "value_human": "by people", "value_other": "by the other", "shift": "shift",
    "rank_human": "rank", "rank_other": "rank by the other",
}  # fmt: skip


def labelled(conn: psycopg.Connection, asked: StudySources) -> Section:
    """Each other edition held against that of people: grades, and the rankings of systems."""
    missing = []
    if asked.llm is None:
        missing.append(Missing(what="no labels of a language model are named (--llm)", command="stc qrels llm --help"))
    if asked.sparse is None:
        missing.append(Missing(what="no sparse labels are named (--sparse)", command="stc synth publish --help"))
    others = [(kind, name) for kind, name in (("llm", asked.llm), ("sparse", asked.sparse)) if name is not None]
    tables: list[ReportTable] = []
    notes: list[str] = []
    if others:
        found = labels(
            conn, human=asked.edition, others=[name for _, name in others], measure=asked.measure, by="origin", runs=asked.runs
        )
        for (kind, _), one in zip(others, found, strict=True):
            tables += _tables(kind, one)
            notes += [f"{one.other}: {note}" for note in one.notes]
    return Section(
        name="labels",
        title="Labels of a language model, and sparse ones",
        tables=tuple(tables),
        missing=tuple(missing),
        notes=(
            *notes,
            "Both judge: documents; one alone: those that people alone do. Same side: both relevant or both not, from grade 1.",
            "Quadratic: kappa weighted by the square of distances. Bias: mean grade, less people's. A dash: undefined, as kappa is"
            " where one side gives a single grade.",
        )
        if tables
        else (),
    )


def _tables(kind: str, one: LabelComparison) -> list[ReportTable]:
    tables = [
        table_of(f"{kind}-agreement", f"{one.other} against {one.human}, on documents that both judge.", one.agreement, _AGREED)
    ]
    if one.sources:
        tables.append(
            table_of(
                f"{kind}-sources",
                f"What people say of the documents of {one.other}; a dash: they were not shown them.",
                one.sources,
                {"origin": "origin", "human_rel": "grade by people", "documents": "documents", "share": "share"},
            )
        )
    else:
        cells = {(cell.human_rel, cell.other_rel): cell.pairs for cell in one.confusion if cell.origin == "all"}
        ours, theirs = (sorted({pair[at] for pair in cells}) for at in (0, 1))
        tables.append(
            ReportTable(
                name=f"{kind}-confusion",
                caption=f"Grades of {one.human} (rows) and {one.other} (columns), all queries.",
                headers=("by people", *(f"{grade} by the other" for grade in theirs)),
                rows=tuple((str(grade), *(cells.get((grade, other), 0) for other in theirs)) for grade in ours),
            )
        )
    tables.append(
        table_of(f"{kind}-rankings", f"Systems ranked by {one.other} and by {one.human}, {one.measure}.", one.rankings, _ALIKE)
    )
    moved = one.moved(most=10)
    if moved:
        tables.append(table_of(f"{kind}-moved", f"The systems that {one.other} moves most, all queries.", moved, _MOVED))
    return tables


def found(conn: psycopg.Connection, asked: StudySources) -> Section:
    """Each published finding, with this collection's own figure and whether it agrees."""
    rows = findings(
        conn,
        human=asked.edition,
        llm=asked.llm,
        sparse=asked.sparse,
        measure=asked.measure,
        resamples=asked.resamples,
        seed=asked.seed,
    )
    by: dict[str, int] = {}
    for row in rows:
        by[row.verdict] = by.get(row.verdict, 0) + 1
    return Section(
        name="findings",
        title="What was published, held against these data",
        paragraphs=(
            f"Of {len(rows)} published findings: {listed([f'{verdict} {number}' for verdict, number in by.items()])}.",
            *(row.sentence for row in rows if row.published is None and row.ours is not None),
        ),
        tables=(
            table_of(
                "findings",
                "Published findings on TREC 2023 Deep Learning, and what these data say.",
                rows,
                {
                    "claim": "published finding",
                    "verdict": "verdict",
                    "published": "published",
                    "ours": "here",
                    "low": "from",
                    "high": "to",
                    "labels": "labels",
                    "why": "why",
                },
            ),
            table_of(
                "rules",
                "By which rule, and where each was published.",
                rows,
                {
                    "id": "name",
                    "claim": "published finding",
                    "rule": "rule",
                    "source": "source",
                },
            ),
        ),
        notes=("Figures are held against the published ones only on the very queries of the study; directions on any data.",),
    )
