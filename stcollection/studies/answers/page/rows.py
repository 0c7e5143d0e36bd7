"""Groups of answers: the graph of a query with supports and contradictions, and the same as tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import psycopg
from starlette.datastructures import QueryParams

from stcollection.errors import translate
from stcollection.explore.collection.rows import TableRows
from stcollection.qrels.sheets import plain
from stcollection.studies.answers.drawing import AnswerGraph, answer_rows, relation_rows
from stcollection.studies.answers.graph import graph, grouped_queries, grouped_runs
from stcollection.texts import later
from stcollection.web.words import meant, t

MOST = 200  # queries to choose from; a filter finds the others
PARAMETERS = ("answers", "words", "question")
_LONGEST = 500  # characters of a value
_RELATIONS = {"support": later("support"), "contradiction": later("contradiction")}


@dataclass(frozen=True, kw_only=True)
class ShownAnswers:
    """What the section shows.

    :param sets: number of loaded splits. :param runs: names of runs that group answers. :param run: the chosen one, or ''.
    :param words: filter of the queries. :param graph: of the chosen query, None without one.
    """

    sets: int
    runs: list[str]
    run: str = ""
    words: str = ""
    queries: list[str] = field(default_factory=list)
    graph: AnswerGraph | None = None

    @property
    def full(self) -> bool:
        """There may be more queries."""
        return len(self.queries) >= MOST


def read(params: QueryParams) -> dict[str, str]:
    """Return the state of the section in an address."""
    return {name: params.get(name, "").strip()[:_LONGEST] for name in PARAMETERS}


@translate()
def shown_answers(conn: psycopg.Connection, state: Mapping[str, str]) -> ShownAnswers:
    """Return the groups of an address: of its run and query, else of the first ones."""
    [sets] = conn.execute("SELECT count(*) FROM stc.answer_sets").fetchone() or (0,)
    runs = grouped_runs(conn)
    if not runs:
        return ShownAnswers(sets=sets, runs=runs)
    run, words = state["answers"] if state["answers"] in runs else runs[0], state["words"]
    queries = grouped_queries(conn, run, words=words, most=MOST)
    query = next((query for query in queries if query == state["question"]), next(iter(queries), None))
    found = None if query is None else graph(conn, run, query)
    return ShownAnswers(sets=sets, runs=runs, run=run, words=words, queries=queries, graph=found)


def group_table(found: AnswerGraph) -> TableRows:
    headers = (meant("group", "of answers"), t("document"), t("answer"), t("returned"), t("relevant"))
    rows = [
        (group, plain(doc), plain(text), _yes(returned), "" if gold is None else _yes(gold))
        for group, _, doc, text, returned, gold in answer_rows(found)
    ]
    return TableRows(t("Groups of answers"), headers, rows)


def relation_table(found: AnswerGraph) -> TableRows:
    headers = (t("relation"), t("document"), t("answer"), t("other document"), t("other answer"), t("probability"))
    rows = [
        (t(_RELATIONS[kind]), plain(doc), plain(text), plain(other_doc), plain(other), f"{weight:.2f}")
        for kind, doc, text, other_doc, other, weight in relation_rows(found)
    ]
    return TableRows(t("Relations between answers"), headers, rows, (5,))


def _yes(value: bool) -> str:
    return t("yes") if value else t("no")
