"""Score run files against a file of judgments."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from stcollection.counts import counted
from stcollection.db.settings import Settings
from stcollection.declared import AllowedRange, Option, check_fields
from stcollection.errors import BadInput
from stcollection.evaluation.files.judged import JudgedFile, read_judgments, shown
from stcollection.evaluation.files.ranked import Grades, JudgedRanking, RankedFile, read_ranking
from stcollection.evaluation.files.roles import check_order, columns_by_file
from stcollection.evaluation.files.scratch import scratch, start_early
from stcollection.evaluation.files.subset import judged_subset
from stcollection.evaluation.files.subtopics import EDITION, by_subtopic, read_judged_subtopics, stage_subtopics
from stcollection.evaluation.measures import OFFICIAL, Measure
from stcollection.evaluation.own import learn_measures, stored_rows
from stcollection.evaluation.parameters import Complete, Grade, Measures, measures_of
from stcollection.evaluation.printing import summary_value
from stcollection.evaluation.score import USUAL, RunStanding, Score, ScoreRules
from stcollection.io.qrels.judgments import doubtful_judgments
from stcollection.io.runs import trec
from stcollection.runs.policies import OnDuplicate
from stcollection.topics.sets import ALL, expression

if TYPE_CHECKING:
    import psycopg

_SCORES = "SELECT run, query, scores FROM score_incoming(%s::integer[], %s::text[], %s, %s, %s, %s, %s, %s)"
_STRINGS = (
    "SELECT run, query, relevance_string(relevant, grades, irrelevant, pooled, retrieved, %s, %s, %s)"
    " FROM incoming_lists(NULL, ARRAY(SELECT query FROM incoming_grades), %s::integer[], %s, true) WHERE %s OR retrieved > 0"
)


@dataclass(frozen=True, kw_only=True)
class RunFiles:
    """Run files, and the file of judgments they are scored against. Formats are detected; compressed files are unpacked.

    :param runs: Run files. :param qrels: The file of judgments.
    :param columns: Columns of tables, or fields of JSON, by name: query=question,doc=paper,score=rating,rel=useful; also rank and
        run. A file without such a column is read by the usual names.
    :param queries: Score only these queries: names or patterns such as G01.*, separated by commas; @FILE with one name per line;
        a+b, a-b.
    :param on_duplicate: If a query of a run ranks a document twice: stop, keep the first entry, or keep the entry with the best
        score.
    :param best_grade: Grade 1 is the best, as in Cranfield's judgments: reverse the grades.
    :param relevance: Grade of each listed document, if the file of judgments has no grades.
    """

    runs: Annotated[Sequence[Path], Option("RUN...")] = ()
    qrels: Annotated[Path, Option("QRELS")]
    columns: Annotated[str | None, Option(metavar="NAMES", default="recognised")] = None
    queries: Annotated[str, Option(metavar="SET", reads=expression)] = ALL
    on_duplicate: OnDuplicate = "error"
    best_grade: Annotated[int | None, AllowedRange(ge=1, le=1)] = None
    relevance: Annotated[int | None, Grade, Option(metavar="N", default="a file without grades is an error")] = None

    def __post_init__(self) -> None:
        check_fields(self)


@dataclass(frozen=True, kw_only=True)
class FileScoring:
    """How files are scored.

    :param complete: score a query for which the run has nothing as an empty ranking (trec_eval -c); otherwise leave it out.
    """

    complete: bool = True
    rules: ScoreRules = USUAL


@dataclass(frozen=True, kw_only=True)
class ScoredFile:
    """The scores of one run.

    :param name: name of its file without extensions; the whole path if two files share a name.
    :param tag: tag of the run itself.
    :param values: by query and measure, queries sorted as bytes.
    :param relstrings: by query, if requested.
    """

    name: str
    tag: str
    values: dict[str, dict[Measure, float]] = field(default_factory=dict)
    relstrings: dict[str, str] = field(default_factory=dict)

    def scores(self, measures: Iterable[Measure]) -> list[Score]:
        """Return one score per query and measure."""
        measures = list(measures)
        return [Score(self.name, query, measure, values[measure]) for query, values in self.values.items() for measure in measures]

    def standing(self, measures: Iterable[Measure]) -> RunStanding:
        """Return the means over the queries: the sum for ``num_*``, the geometric mean for ``gm_*``."""
        totals = [(measure, summary_value(measure, [values[measure] for values in self.values.values()])) for measure in measures]
        return RunStanding(self.name, tuple(round(value, 13) if m.kind.mean == "mean" else value for m, value in totals))


@dataclass(frozen=True, kw_only=True)
class FileScores:
    """The scores of run files.

    :param runs: in the order of the files.
    :param simulated: the note to print if the judgments are marked as simulated.
    :param notes: remarks on the files for readers of the scores, one sentence each.
    :param relevant: number of judgments above 0.
    """

    runs: list[ScoredFile]
    simulated: str | None
    notes: list[str]
    relevant: int = 0

    def standings(self, measures: Sequence[Measure]) -> list[RunStanding]:
        """Return the runs, highest value of the first measure first, ties by name."""
        return sorted((run.standing(measures) for run in self.runs), key=lambda standing: (-standing.values[0], standing.run))


def score_files(
    settings: Settings,
    files: RunFiles,
    *,
    measures: Measures = OFFICIAL,
    complete: Complete = True,
    rules: ScoreRules = USUAL,
) -> FileScores:
    """Score run files against a file of judgments (QRELS), without a collection.

    Only a measure that was added to a collection (add_measure) needs it: its formula is read there.

    Measures of subtopics (alpha_nDCG) read the second column of the file as the subtopic; others ignore it.

    :raises BadInput: a line cannot be read, a run contains no judged query, or the judgments lack subtopics.
    :raises BadArgument: a file is missing, a run is given instead of judgments, a parameter is out of range, or some measures need
        subtopic judgments and others do not.
    :raises UnknownObject: a measure does not exist.
    """
    learn_measures(settings)
    return score_as(settings, files, measures_of(measures), FileScoring(complete=complete, rules=rules))


def score_as(
    settings: Settings, files: RunFiles, measures: Iterable[Measure], how: FileScoring, *, relstring: int | None = None
) -> FileScores:
    """Score run files, as :func:`score_files`. :param relstring: the length of trec_eval's relstring, if requested."""
    measures = list(dict.fromkeys(measures))
    own = stored_rows(settings, measures)
    check_order(files.runs, files.qrels)
    start_early(settings)
    read = read_judged_subtopics if by_subtopic(measures) else read_judgments
    named = {} if files.columns is None else columns_by_file(files.runs, files.qrels, files.columns)
    judged = read(files.qrels, best_grade=files.best_grade, relevance=files.relevance, columns=named.get(files.qrels))
    judged = judged_subset(settings, judged, files.queries)
    double = how.rules.version == "trec_eval 10"

    def rank(judged: JudgedFile) -> list[RankedFile]:
        return [
            read_ranking(path, judged, double=double, on_duplicate=files.on_duplicate, columns=named.get(path))
            for path in files.runs
        ]

    ranked = [] if judged.subtopics else rank(judged)  # before the server is needed, which may be starting
    with scratch(settings, own=own) as conn:
        if judged.subtopics:
            judged = stage_subtopics(conn, judged)
            ranked = rank(judged)
        notes = [note for note in (doubtful_judgments(files.qrels), *map(trec.warning, files.runs)) if note] + judged.notes
        notes += [note for run in ranked for note in _notes(run, judged, complete=how.complete)]
        queries = sorted(judged.grades)
        scored = [ScoredFile(name=name, tag=run.tag) for name, run in zip(_names(ranked), ranked, strict=True)]
        _stage(conn, queries, judged.grades, [run.rankings for run in ranked])
        if measures:
            _fill_values(conn, scored, queries, measures, how, edition=EDITION if judged.subtopics else None)
        if relstring is not None:
            _fill_relstrings(conn, scored, queries, relstring, how)
    simulated = f"Simulated: judgments of the file {shown(files.qrels)}." if judged.simulated else None
    relevant = sum(grade > 0 for grades in judged.grades.values() for grade in grades.values())
    return FileScores(runs=scored, simulated=simulated, notes=notes, relevant=relevant)


def _names(ranked: Sequence[RankedFile]) -> list[str]:
    times = Counter(run.name for run in ranked)
    return [run.name if times[run.name] == 1 else str(run.path) for run in ranked]


def _notes(run: RankedFile, judged: JudgedFile, *, complete: bool) -> list[str]:
    """Return notes on names that do not match between a run and the judgments.

    :raises BadInput: they have no query in common.
    """
    where, there = shown(run.path), shown(judged.path)
    if not run.rankings:
        if not run.queries:
            raise BadInput(f"{where} contains no document", hint="Is it the right file?")
        raise BadInput(
            f"{where} and {there} have no query in common: the run has queries such as {_some(run.queries)},"
            f" the judgments such as {_some(judged.grades)}",
            hint="Do both belong to the same topics? If only the spelling of the ids differs, make them equal.",
        )
    notes = []
    if not any(ranking.relevant or ranking.irrelevant or ranking.pooled for ranking in run.rankings):
        documents = judged.grades[run.rankings[0].query]
        notes.append(
            f"{where}: none of its documents is judged, so every score is 0: the run has documents such as {_some(run.documents)},"
            f" the judgments such as {_some(documents)}"
        )
    missing = len(judged.grades) - len(run.rankings)
    if missing:
        what = "these count as 0" if complete else "these are left out"
        notes.append(f"{where}: no documents for {missing} of {counted(len(judged.grades), 'judged query')}; {what}")
    return notes


def _some(names: Iterable[bytes]) -> str:
    return ", ".join(name.decode() for name in islice(names, 3))


def score_rankings(
    settings: Settings,
    judged: JudgedFile,
    rank: Callable[[JudgedFile], Sequence[JudgedRanking]],
    *,
    measures: Sequence[Measure],
    how: FileScoring,
) -> dict[str, dict[Measure, float]]:
    """Score one ranking per query that is already in memory; nothing is stored.

    :param judged: judgments of documents, or of subtopics for measures of subtopics. :param settings: as for :func:`score_files`.
    :param rank: returns the rankings of the judged queries, with the grades of the given judgments.
    :returns: values by query and measure.
    :raises UnknownObject: a measure does not exist. :raises BadArgument: a parameter is out of range.
    """
    run, queries = ScoredFile(name="", tag=""), sorted(judged.grades)
    with scratch(settings, own=stored_rows(settings, measures)) as conn:
        if judged.subtopics:
            judged = stage_subtopics(conn, judged)
        _stage(conn, queries, judged.grades, [rank(judged)])
        _fill_values(conn, [run], queries, measures, how, edition=EDITION if judged.subtopics else None)
    return run.values


def _stage(conn: psycopg.Connection, queries: Sequence[bytes], grades: Grades, ranked: Sequence[Sequence[JudgedRanking]]) -> None:
    numbers = {query: number for number, query in enumerate(queries)}
    conn.execute("SELECT stage_rankings()")
    with conn.cursor() as cursor:
        with cursor.copy("COPY incoming_grades FROM STDIN") as copy:
            for query in queries:
                copy.write_row((numbers[query], sorted(grades[query].values(), reverse=True)))
        with cursor.copy("COPY incoming_rankings FROM STDIN") as copy:
            for run, rankings in enumerate(ranked):
                for ranking in rankings:
                    copy.write_row((run, numbers[ranking.query], *ranking[1:]))


def _fill_values(
    conn: psycopg.Connection,
    scored: Sequence[ScoredFile],
    queries: Sequence[bytes],
    measures: Sequence[Measure],
    how: FileScoring,
    *,
    edition: int | None = None,
) -> None:
    """Compute values. :param edition: key of the subtopic judgments in the workspace, if the measures need them."""
    arguments = [list(range(len(scored))), list(map(str, measures)), how.complete, *how.rules.arguments, edition]
    for run, query, scores in sorted(conn.execute(_SCORES, arguments)):
        scored[run].values[queries[query].decode()] = dict(zip(measures, scores, strict=True))


def _fill_relstrings(
    conn: psycopg.Connection, scored: Sequence[ScoredFile], queries: Sequence[bytes], length: int, how: FileScoring
) -> None:
    rules = how.rules
    arguments = [length, rules.judged_only, rules.max_rank, list(range(len(scored))), rules.version, how.complete]
    for run, query, text in conn.execute(_STRINGS, arguments):
        scored[run].relstrings[queries[query].decode()] = text
