"""Report sections on labels of language models, sparse labels, and published findings."""

from __future__ import annotations

import psycopg

from stcollection.analysis.findings import Draw, findings
from stcollection.analysis.labels import LabelComparison, labels
from stcollection.counts import counted
from stcollection.studies.synth.report.parts import Missing, ReportTable, Section, StudySources, listed, table_of

_AGREED = (
    "origin | queries | pairs: both judge | only_human: one alone | only_other: other alone | "
    "accuracy: same grade | binary_accuracy: same side | kappa | kappa_quadratic: quadratic | "
    "binary_kappa: binary kappa | alpha_ordinal: alpha | bias"
)
_ALIKE = "origin | systems | unpaired: without scores | kendall_tau: tau | tau_ap | pearson: r"
_MOVED = (
    "run | family | value_human: by people | value_other: by the other | shift | rank_human: rank | rank_other: rank by the other"
)


def report_labels(conn: psycopg.Connection, study: StudySources) -> Section:
    """Section that compares each other edition with the human one: grades, and rankings of systems."""
    missing = []
    if study.llm is None:
        missing.append(Missing(what="no edition with a language model's labels is given (--llm)", command="stc judge --llm --help"))
    if study.sparse is None:
        missing.append(Missing(what="no edition with sparse labels is given (--sparse)", command="stc synth publish --help"))
    others = [(kind, name) for kind, name in (("llm", study.llm), ("sparse", study.sparse)) if name is not None]
    tables: list[ReportTable] = []
    notes: list[str] = []
    if others:
        comparisons = labels(
            conn,
            human=study.edition,
            others=[name for _, name in others],
            measure=study.measure,
            by="origin",
            runs=study.runs,
            queries=study.queries,
        )
        for (kind, _), comparison in zip(others, comparisons, strict=True):
            tables += _tables(kind, comparison)
            notes += [f"{comparison.other}: {note}" for note in comparison.notes]
    return Section(
        tables=tuple(tables),
        missing=tuple(missing),
        notes=(
            *notes,
            "Both judge: number of documents that both judge; one alone: that only people judge. Same side: both grades are"
            " relevant (1 or more), or both are not.",
            "Quadratic: kappa weighted by squared distance. Bias: mean grade minus people's. A dash: undefined, for example kappa"
            " if one side gives a single grade.",
        )
        if tables
        else (),
    )


def _tables(kind: str, pair: LabelComparison) -> list[ReportTable]:
    tables = [
        table_of(f"{kind}-agreement", f"{pair.other} against {pair.human}, on documents that both judge.", pair.agreement, _AGREED)
    ]
    if pair.sources:
        tables.append(
            table_of(
                f"{kind}-sources",
                f"People's grades of the documents of {pair.other}; a dash: people were not shown the document.",
                pair.sources,
                "origin | human_rel: grade by people | documents | share",
            )
        )
    else:
        cells = {(cell.human_rel, cell.other_rel): cell.pairs for cell in pair.confusion if cell.origin == "all"}
        ours, theirs = (sorted({grades[at] for grades in cells}) for at in (0, 1))
        tables.append(
            ReportTable(
                name=f"{kind}-confusion",
                caption=f"Grades of {pair.human} (rows) and {pair.other} (columns), all queries.",
                headers=("by people", *(f"{grade} by the other" for grade in theirs)),
                rows=tuple((str(grade), *(cells.get((grade, other), 0) for other in theirs)) for grade in ours),
            )
        )
    tables.append(
        table_of(f"{kind}-rankings", f"Systems ranked by {pair.other} and by {pair.human}, {pair.measure}.", pair.rankings, _ALIKE)
    )
    moved = pair.moved(most=10)
    if moved:
        tables.append(
            table_of(f"{kind}-moved", f"The systems whose rank changes most under {pair.other}, all queries.", moved, _MOVED)
        )
    return tables


def report_findings(conn: psycopg.Connection, study: StudySources) -> Section:
    """Section with each published finding, this collection's figure, and whether it agrees."""
    rows = findings(
        conn,
        human=study.edition,
        llm=study.llm,
        sparse=study.sparse,
        measure=study.measure,
        draw=Draw(study.resamples, study.seed),
        queries=study.queries,
    )
    by: dict[str, int] = {}
    for row in rows:
        by[row.verdict] = by.get(row.verdict, 0) + 1
    return Section(
        paragraphs=(
            f"Of {counted(len(rows), 'published finding')}: {listed([f'{verdict} {number}' for verdict, number in by.items()])}.",
            *(row.sentence for row in rows if row.published is None and row.ours is not None),
        ),
        tables=(
            table_of(
                "findings",
                "Published findings on TREC 2023 Deep Learning, and the verdict of these data.",
                rows,
                "claim: published finding | verdict | published | ours: here | low: from | high: to | labels | why",
            ),
            table_of(
                "rules", "The rule and the source of each finding.", rows, "id: name | claim: published finding | rule | source"
            ),
        ),
        notes=("Figures are compared with the published ones only on the study's own queries; directions on any data.",),
    )
