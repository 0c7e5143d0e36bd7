"""The SQL of each tool: calls of the collection's functions and views, as a person would type them in psql."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, LiteralString

import psycopg

from stcollection.analysis.significance import STUDENT_TEST, PairedTest
from stcollection.evaluation.measures import OFFICIAL
from stcollection.evaluation.parameters import measures_of, only_measure, set_of
from stcollection.evaluation.score import USUAL, ScoreRules
from stcollection.mcp.answers import Question
from stcollection.retrieval.filters import read_filter
from stcollection.retrieval.pipelines import pipeline, rank
from stcollection.retrieval.search import search_sql, search_values
from stcollection.retrieval.systems import model_of, needs_vector
from stcollection.topics.sets import ALL, Queries
from stcollection.vectors.queries import query_vector


def search_query(conn: psycopg.Connection, asked: Mapping[str, Any], licences: Sequence[str] = ()) -> Question:
    """Return the search of the k best documents. :param asked: arguments of :func:`stcollection.retrieval.search.search`.

    :param licences: only documents with these have a snippet; empty: all.
    """
    query, system, model = asked["query"], asked.get("system", "hybrid"), asked.get("model")
    # as text, which a person can type too
    steps = pipeline(conn, system, model)
    vector, ranked = None, None
    if steps is not None:
        docs, scores = rank(conn, steps, query, k=asked.get("k", 10), filter=read_filter(conn, asked.get("filter")), model=model)
        ranked = {"docs": docs, "scores": scores}
    elif needs_vector(conn, system):
        vector = query_vector(conn, query, model=model_of(conn, system, model)).to_text()
    columns: LiteralString = "rank, score, docno, year, venue, citations, title"
    return Question(
        statement=search_sql(columns, ", %(docs)s, %(scores)s" if ranked else "", licensed=bool(licences)),
        values=search_values(
            conn,
            query,
            system=system,
            k=asked.get("k", 10),
            filter=asked.get("filter"),
            model=model,
            vector=vector,
            licences=licences,
        )
        | (ranked or {}),
    )


def document(docno: str, licences: Sequence[str] = ()) -> Question:
    """Return the query for a document by name. :param licences: only documents with these have their text; empty: all."""
    return Question(
        statement="SELECT s.docno, s.source FROM dblp d CROSS JOIN stc.document_sources(ARRAY[d.id], %s) s"
        " WHERE d.docno = %s AND NOT d.stub",
        values=[list(licences) or None, docno],
        missing=(f"there is no document {docno[:80]!r}", "IR104"),
        hint="Use a name from the column docno of a search.",
    )


def runs(name: str) -> Question:
    """Return the query for runs whose name contains a text; all if it is empty."""
    return Question(
        statement="SELECT run, team, family, manual, queries, ranked, depth, made FROM run_overview"
        ' WHERE strpos(lower(run), lower(%s)) > 0 ORDER BY run COLLATE "C"',
        values=[name],
    )


def run(name: str) -> Question:
    """Return the query for a run: its counts, parameters and provenance."""
    return Question(
        statement="SELECT o.*, r.params, stc.run_metadata(r.run) AS metadata FROM run_overview o JOIN runs r ON r.run = o.run"
        " WHERE o.run = %s",
        values=[name],
        missing=(f"there is no run {name[:80]!r}", "IR101"),
        hint="The tool list_runs lists all runs.",
    )


def editions() -> Question:
    """Return the query for the editions that the reader may see."""
    return Question(
        statement="SELECT edition, description, queries, judgments, grades, origins, split, year, made, sealed"
        ' FROM edition_overview WHERE NOT hidden ORDER BY edition COLLATE "C"'
    )


def score(
    *,
    edition: str,
    runs: Sequence[str] = (),
    measures: Sequence[str] = (),
    per_query: bool = False,
    queries: str = ALL,
    complete: bool = True,
    rules: ScoreRules = USUAL,
    as_of: str | None = None,
) -> Question:
    """Return the query for scores of runs: means, or one row per query. The parameters are those of :func:`score_runs`."""
    order = 'run COLLATE "C", query COLLATE "C", measure' if per_query else "measure, value DESC"
    name = f"{'' if as_of is None else 'stc.'}{'scores' if per_query else 'mean_scores'}{'' if as_of is None else '_as_of'}"
    day = [] if as_of is None else [as_of]
    version = [rules.version] if as_of is None else []
    measured = [str(one) for one in measures_of(measures or OFFICIAL)]
    values = [list(runs), edition, measured, *day, complete, rules.min_grade, rules.judged_only, rules.max_rank, *version, queries]
    places = ", ".join(["%s::text[]", "%s", "%s::text[]", *["%s"] * (len(values) - 3)])
    return Question(
        statement=f"SELECT * FROM {name}({places}) ORDER BY {order}",  # noqa: S608
        values=values,
        editions=[edition],
    )


def comparison(
    *,
    edition: str,
    runs: Sequence[str] = (),
    measures: Sequence[str] = ("nDCG@10",),
    baseline: str | None = None,
    queries: str = ALL,
    test: PairedTest = STUDENT_TEST,
) -> Question:
    """Return the comparison of runs by paired t-tests, with both corrections of p. The parameters are those of :func:`compare`."""
    compared = [str(one) for one in measures_of(measures)]
    each = "SELECT %s::text AS measure, c.* FROM compare_runs(%s, %s, %s::text[], %s, %s, %s) c"
    return Question(
        statement=" UNION ALL ".join([each] * len(compared)),
        values=[value for one in compared for value in (one, edition, one, list(runs), baseline, test.missing, queries)],
        editions=[edition],
    )


def corrected(
    *,
    labels: str,
    people: str,
    measure: Any = "nDCG@10",
    runs: Sequence[str] = (),
    baseline: str | None = None,
    alpha: float = 0.05,
    queries: str = ALL,
) -> Question:
    """Return the query for scores by labels, corrected with judgments of people."""
    return Question(
        statement="SELECT * FROM stc.corrected_scores(%s, %s, %s, %s::text[], %s, %s, %s)",
        values=[labels, people, str(only_measure(measure)), list(runs), baseline, alpha, queries],
        editions=[labels, people],
    )


def variation(
    *, edition: str, measure: Any = "nDCG@10", runs: Sequence[str] = (), baseline: str | None = None, queries: str = ALL
) -> Question:
    """Return the query for how robust runs are to the formulation of a topic."""
    return Question(
        statement="SELECT * FROM stc.run_variation(%s::text[], %s, %s, %s, %s)",
        values=[list(runs), edition, str(only_measure(measure)), baseline, queries],
        editions=[edition],
    )


def predictions(*, run: str, depth: int = 100, queries: str = ALL) -> Question:
    """Return the query for predictors of a run's performance on each query."""
    return Question(statement="SELECT * FROM stc.query_predictors(%s, %s, %s)", values=[run, queries, depth])


def differences(*, run: str, against: str, edition: str, measure: Any = "nDCG@10", queries: Queries = ALL) -> Question:
    """Return the difference of two runs on each query, largest first."""
    return Question(
        statement="SELECT p.query, q.text, p.value, p.value_against, p.difference"
        " FROM paired_scores(%s::text[], %s, %s, %s, query_set => %s) p JOIN st1_queries q ON q.query = p.query"
        ' ORDER BY abs(p.difference) DESC NULLS LAST, p.query COLLATE "C"',
        values=[[run], edition, str(only_measure(measure)), against, set_of(queries)],
        editions=[edition],
    )


def rankings(query: str, depth: int, *, run: str, against: str, edition: str, **_: Any) -> Question:
    """Return the first documents of two runs for a query, with their judgments and their rank in the other run."""
    return Question(
        statement="SELECT run, rank, docno, title, rel, origin, elsewhere FROM retrieved(%s::text[], %s, %s, %s)",
        values=[list(dict.fromkeys((run, against))), query, edition, depth],
        editions=[edition],
    )


_OBJECTS = """\
SELECT o.kind, o.name, o.comment FROM (
    SELECT CASE c.relkind WHEN 'v' THEN 'view' ELSE 'table' END AS kind, c.relname::text AS name,
           obj_description(c.oid, 'pg_class') AS comment
      FROM pg_class c
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'v', 'p')
     UNION ALL
    SELECT 'function', p.oid::regprocedure::text, obj_description(p.oid, 'pg_proc')
      FROM pg_proc p JOIN pg_description d ON d.objoid = p.oid AND d.classoid = 'pg_proc'::regclass
     WHERE p.pronamespace = 'public'::regnamespace
       AND NOT EXISTS (SELECT FROM pg_depend e WHERE e.objid = p.oid AND e.deptype = 'e')) o
 ORDER BY o.kind DESC, o.name COLLATE "C\""""
_COLUMNS = """\
SELECT a.attname AS column, format_type(a.atttypid, a.atttypmod) AS type, col_description(a.attrelid, a.attnum) AS comment
  FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
 WHERE c.relnamespace = 'public'::regnamespace AND c.relname = %s AND a.attnum > 0 AND NOT a.attisdropped
 ORDER BY a.attnum"""


def tables(name: str | None) -> Question:
    """Return the query for the public tables, views and functions, or for the columns of a table."""
    if name is None:
        return Question(statement=_OBJECTS)
    return Question(
        statement=_COLUMNS,
        values=[name],
        missing=(f"there is no table or view {name[:80]!r}", "IR202"),
        hint="Call describe_tables without an argument to list them.",
    )
