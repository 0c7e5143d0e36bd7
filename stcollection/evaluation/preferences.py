"""Score a run by the other kinds of judgments that trec_eval supports, with output equal character for character.

===============  ==================================================================  ==================
``prefs``        preferences as given                                                ``-m all_prefs``
``qrels_prefs``  preferences implied by the grades of each annotator                 ``-m all_prefs``
``qrels_jg``     grades, the measures averaged over the annotators                   ``-m qrels_jg``
===============  ==================================================================  ==================

The measures are SQL functions (sql/evaluation/preference_scores.sql, group_scores.sql). This module sorts them as trec_eval does.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from stcollection.errors import BadArgument, translate
from stcollection.runs.listing import tag_of

if TYPE_CHECKING:
    import psycopg

JUDGMENTS = ("prefs", "qrels_prefs", "qrels_jg")

PREFERENCES = (
    "prefs_num_prefs_poss", "prefs_num_prefs_ful", "prefs_num_prefs_ful_ret",
    "prefs_simp", "prefs_pair", "prefs_avgjg", "prefs_avgjg_Rnonrel",
    "prefs_simp_ret", "prefs_pair_ret", "prefs_avgjg_ret", "prefs_avgjg_Rnonrel_ret",
    "prefs_simp_imp", "prefs_pair_imp", "prefs_avgjg_imp",
)  # fmt: skip

GROUPS = (
    "map_avgjg",
    *(f"P_avgjg_{cutoff}" for cutoff in (5, 10, 15, 20, 30, 100, 200, 500, 1000)),
    *(f"Rprec_mult_avgjg_{fifths / 5:.2f}" for fifths in range(1, 11)),
)

_PREFERENCE_SCORES = "SELECT query, measure, value FROM preference_scores(ARRAY[%s], %s, %s, %s)"
_GROUP_SCORES = "SELECT query, measure, value FROM group_scores(ARRAY[%s], %s, %s)"


@dataclass(frozen=True, kw_only=True)
class Evaluation:
    """One run scored by one edition.

    :param runid: the tag in the run's file, else the run's name; printed by trec_eval.
    :param measures: names, in trec_eval's order.
    :param queries: the values by query and measure, queries sorted as bytes.
    """

    runid: str
    measures: tuple[str, ...]
    queries: Mapping[str, Mapping[str, float]]

    @property
    def means(self) -> dict[str, float]:
        """Return the means over the queries, in the order of the measures; the sum for counts."""
        means = {}
        for measure in self.measures:
            total = sum(values[measure] for values in self.queries.values())
            means[measure] = total if is_count(measure) else total / max(len(self.queries), 1)
        return means


def is_count(measure: str) -> bool:
    """Return True if trec_eval prints the measure as an integer and sums it instead of averaging."""
    return measure.startswith(("num_", "prefs_num_"))


@translate()
def score_judgments(
    conn: psycopg.Connection, *, run: str, edition: str, judgments: str = "prefs", complete: bool = False
) -> Evaluation:
    """Score a stored run by preferences or by judgment groups.

    :param judgments: one of JUDGMENTS.
    :param complete: score a query for which the run has nothing as 0 (trec_eval -c); otherwise leave it out, trec_eval's default.
    :raises UnknownObject: the run or the edition is not stored.
    :raises StateError: the edition has no preferences.
    """
    if judgments not in JUDGMENTS:
        raise BadArgument(f"unknown kind of judgments {judgments!r}", hint=f"Use one of {', '.join(JUDGMENTS)}.")
    if judgments == "qrels_jg":
        measures, rows = GROUPS, conn.execute(_GROUP_SCORES, [run, edition, complete]).fetchall()
    else:
        measures, rows = PREFERENCES, conn.execute(_PREFERENCE_SCORES, [run, edition, judgments, complete]).fetchall()
    queries: dict[str, dict[str, float]] = {}
    for query, measure, value in rows:
        queries.setdefault(query, {})[measure] = value
    return Evaluation(runid=tag_of(conn, run), measures=measures, queries={q: queries[q] for q in sorted(queries, key=str.encode)})


def trec_eval_lines(evaluation: Evaluation, *, per_query: bool = True) -> Iterator[str]:
    """Yield trec_eval's lines, without line ends. :param per_query: as ``-q``: print the queries before the summary."""
    if per_query:
        for query, values in evaluation.queries.items():
            yield from (trec_eval_line(measure, query, values[measure]) for measure in evaluation.measures)
    yield trec_eval_line("runid", "all", evaluation.runid)
    yield trec_eval_line("num_q", "all", len(evaluation.queries))
    yield from (trec_eval_line(measure, "all", value) for measure, value in evaluation.means.items())


def trec_eval_line(measure: str, query: str, value: float | str, *, counts: Collection[str] | None = None) -> str:
    """Format one line as trec_eval does: integers for counts, text unchanged, else four decimals.

    :param counts: the measures to print as integers; None: those of :func:`is_count`.
    """
    if isinstance(value, str):
        text = value
    elif (measure in counts) if counts is not None else is_count(measure):
        text = f"{value:.0f}"
    else:
        text = f"{value:6.4f}"
    return f"{measure:<22}\t{query}\t{text}"
