"""Parameters that the functions of scores share, as all faces offer them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Annotated, Any

from stcollection.counts import counted
from stcollection.declared import AllowedRange, Option
from stcollection.errors import BadArgument
from stcollection.evaluation.measures import Measure, nDCG
from stcollection.evaluation.typed import measure_of, measures_named
from stcollection.topics.sets import OF_SET, Queries, expression, set_option

if TYPE_CHECKING:
    import psycopg

_EDITION = Option(metavar="EDITION", help="Edition of the judgments.", listed="show editions", default="the only edition")
Edition = Annotated[str | None, _EDITION]
#: An edition that functions require; without a name, commands use the only edition.
NamedEdition = Annotated[str, _EDITION]
EditionArgument = Annotated[
    str, Option("EDITION", help="Edition of the judgments.", listed="show editions", default="the only edition")
]
Runs = Annotated[Sequence[str] | str | None, Option("RUN", each="run", help="Stored runs.", listed="show runs", default="all")]
#: Names, measures of this package, or those of ir_measures.
Measures = Annotated[
    Iterable[Any] | str | Measure,
    Option(
        "-m",
        each="measure",
        help="Measure: nDCG@10 or ndcg_cut_10, P@20, P.5,10, AP, RBP(p=0.8), official, all_trec, … Repeatable, or comma-separated.",
        listed="show measures",
    ),
]
#: The only measure of a figure or a table: a name, or a measure of this package or of ir_measures.
OneMeasure = Annotated[
    Iterable[Any] | str | Measure, Option("-m", each="measure", help="Measure: nDCG@10, AP, …", completed="measures")
]
#: The same where several cannot even be written.
MeasureName = Annotated[str | Measure, Option("-m", each="measure", help="Measure: nDCG@10, AP, …", completed="measures")]
ChosenRuns = Annotated[
    Sequence[str],
    Option("--runs", metavar="RUN", help="Use only these runs. Repeatable, or comma-separated.", default="all", separated=True),
]
QuerySet = Annotated[Queries, OF_SET]
#: A set of queries, as a parameter of another name.
QueriesOption = Annotated[Queries, set_option("--queries")]
Complete = Annotated[
    bool,
    Option(
        "-c/-r",
        "--complete/--retrieved",
        help="Count a query without documents in a run as 0 (trec_eval -c), or leave it out of the mean.",
    ),
]
AsOf = Annotated[
    str | None,
    Option(metavar="YYYY-MM-DD", help="Score as if the collection had been its snapshot of this day."),
]
Grade = AllowedRange(ge=-32768, le=32767)


def edition_of(conn: psycopg.Connection, edition: str | None) -> str:
    """Return the edition, or the only one. :raises BadArgument: none is named, and there are several."""
    from stcollection.qrels.editions import only_edition  # not at module level: 'stc score' reads files and needs no driver

    try:
        return only_edition(conn) if edition is None else edition
    except BadArgument as error:
        error.hint = "Select one with `edition`."
        raise


def runs_of(runs: Sequence[str] | str | None) -> list[str]:
    """Return names of runs as a list; empty means all."""
    return [] if runs is None else [runs] if isinstance(runs, str) else list(runs)


def measures_of(measures: Iterable[Any] | str | Measure) -> list[Measure]:
    """Return measures: a text may name several (``AP, P@10``, ``official``), an object names one. Names may repeat a measure.

    :raises BadArgument: none is named.
    """
    named: list[Any] = [measures] if isinstance(measures, str | Measure) else list(measures)
    if all(isinstance(name, str) and not name.strip(" ,") for name in named):
        raise BadArgument(
            "no measure is named", hint="Name one, such as nDCG@10. 'stc show measures' lists them.", sqlstate="IR202"
        )
    if all(isinstance(measure, Measure) for measure in named):
        return [measure.checked() for measure in named]
    several = (measures_named([name]) if isinstance(name, str) else [measure_of(name).checked()] for name in named)
    return list(dict.fromkeys(measure for measures in several for measure in measures))


def measures_shown(measures: Any, *, most: int) -> list[Measure]:
    """Return the measures of a figure or a table, as :func:`measures_of`; default: nDCG@10.

    :raises BadArgument: there are more than it can show.
    """
    several = isinstance(measures, Iterable) and not isinstance(measures, str)
    named = measures_of((list(measures) if several else [measures]) or [nDCG @ 10])
    if len(named) > most:
        many = f"{counted(len(named), 'measure')} in one figure or table"
        raise BadArgument(many, hint=f"Name {'one' if most == 1 else 'one, or two'}: nDCG@10.", sqlstate="IR202")
    return named


def only_measure(measures: Any) -> Measure:
    """Return the measure of a figure or a table that has one."""
    [measure] = measures_shown(measures, most=1)
    return measure


def set_of(queries: Queries) -> str:
    """Return a set of queries as an expression. Files that it names are read by the face, not here."""
    return queries if isinstance(queries, str) else expression(queries)
