"""A provider of ir_measures: values computed by the SQL functions that score runs. Needs the package ir-measures."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import psycopg

from stcollection.api.iterators import Rows
from stcollection.api.records import Qrel, ScoredDoc
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, BadInput, StateError, StcError
from stcollection.evaluation.files.judged import JudgedFile, read_judgments
from stcollection.evaluation.files.ranked import JudgedRanking, rank_documents, read_ranking
from stcollection.evaluation.files.score import FileScoring, score_rankings
from stcollection.evaluation.files.subtopics import read_judged_subtopics, with_subtopics
from stcollection.evaluation.measures import Measure, parse_measure
from stcollection.evaluation.score import ScoreRules, score
from stcollection.extras import load_module
from stcollection.io.qrels.subtopics import NamesNoSubtopics, SubtopicJudgment

load_module("ir_measures")
import ir_measures  # noqa: E402
from ir_measures.providers import Evaluator as _Evaluator  # noqa: E402
from ir_measures.providers import Provider as _Provider  # noqa: E402
from ir_measures.providers import register, registry  # noqa: E402

NAME = "stcollection"
_SMALLINT = range(-(2**15), 2**15)
_NONE = ("", "0", "Q0")  # values of the second column that name no subtopic


class Stored(Protocol):
    """The collection that names of editions and runs refer to: a :class:`~stcollection.api.collection.Collection`."""

    @property
    def connection(self) -> psycopg.Connection: ...
    def qrels_iter(self, edition: str) -> Rows[Qrel]: ...
    def scoreddocs_iter(self, run: str, edition: str | None = None) -> Rows[ScoredDoc]: ...


class Provider(_Provider):  # type: ignore[misc]  # ir_measures declares no types for its providers
    """Compute measures of ir_measures with PostgreSQL.

    Judgments and runs can be all that ir_measures accepts (named tuples, data frames, dicts), the path of a file
    (``pathlib.Path``) in any format that ``stc score`` reads, or, with a collection, the name of an edition and of a run in it.
    Documents with equal scores are in trec_eval's order. Values equal those of ``pytrec_eval``, and of other providers for rankings
    without equal scores.

    :param settings: settings of the server; only names read a collection.
    """

    NAME = NAME

    def __init__(self, settings: Settings, collection: Stored | None = None) -> None:
        super().__init__()
        self.settings = settings
        self.collection = collection

    def register(self, *, default: bool = False) -> Provider:
        """Add the provider to ir_measures' registry, replacing an earlier one.

        :param default: use it before other providers in ``ir_measures.iter_calc``, ``calc`` and ``calc_aggregate``.
        """
        register(self)
        pipeline = ir_measures.DefaultPipeline.providers
        pipeline[:] = [one for one in pipeline if one.NAME != NAME]
        if default:  # measures defined at run time keep their own provider
            pipeline.insert(1 if pipeline and pipeline[0] is registry["runtime"] else 0, self)
        return self

    def supports(self, measure: Any) -> bool:
        """Return True if the measure has a definition here, with these parameters."""
        measure.validate_params()
        try:
            _translated(measure)
        except StcError:
            return False
        return True

    def _evaluator(self, measures: Iterable[Any], qrels: Any) -> Evaluator:
        return Evaluator(self, list(measures), qrels)

    def judged_subtopics(self, qrels: Any) -> JudgedFile:
        """Return the subtopic judgments of any accepted kind.

        :raises BadInput: they name no subtopics.
        """
        if isinstance(qrels, Path):
            return read_judged_subtopics(qrels)
        if isinstance(qrels, str):
            rows = self._stored(qrels).connection.execute("SELECT * FROM stc.edition_subtopics(%s)", [qrels]).fetchall()
        else:
            rows = [(one.query_id, _subtopic(one), one.doc_id, one.relevance) for one in qrels]
        if all(subtopic in _NONE for _, subtopic, _, _ in rows):
            raise NamesNoSubtopics(
                "the judgments name no subtopics",
                hint="Measures such as alpha_nDCG need them: ir_measures.Qrel(query, document, relevance, subtopic).",
            )
        return with_subtopics(
            Path("the judgments"),
            (
                SubtopicJudgment(query=str(query), subtopic=str(subtopic), doc=str(doc), rel=_grade(rel, query, doc), line=line)
                for line, (query, subtopic, doc, rel) in enumerate(rows, 1)
            ),
        )

    def judged(self, qrels: Any) -> JudgedFile:
        """Return the judgments of any accepted kind."""
        if isinstance(qrels, Path):
            return read_judgments(qrels)
        if isinstance(qrels, str):
            qrels = list(self._stored(qrels).qrels_iter(qrels))
        grades: dict[bytes, dict[bytes, int]] = {}
        for query, docs in ir_measures.util.QrelsConverter(qrels).as_dict_of_dict().items():
            its = grades.setdefault(str(query).encode(), {})
            for doc, rel in docs.items():
                its[str(doc).encode()] = _grade(rel, query, doc)
        return JudgedFile(path=Path("the judgments"), grades=grades, simulated=False)

    def rankings(self, run: Any, judged: JudgedFile) -> list[JudgedRanking]:
        """Return the rankings of the judged queries of a run of any accepted kind."""
        if isinstance(run, Path):
            return list(read_ranking(run, judged).rankings)
        if isinstance(run, str):
            run = list(self._stored(run).scoreddocs_iter(run))
        found = []
        for query, docs in ir_measures.util.RunConverter(run).as_dict_of_dict().items():
            grades = judged.grades.get(str(query).encode())
            if grades is not None and docs:
                scores = {str(doc).encode(): float(value) for doc, value in docs.items()}
                if any(map(math.isnan, scores.values())):
                    doc = next(doc for doc, value in docs.items() if math.isnan(value))
                    raise BadInput(f"query {query}, document {doc} has no score (NaN)", hint="Remove the row, or give it a score.")
                found.append(rank_documents(str(query).encode(), scores, grades))
        return found

    def _stored(self, name: str) -> Stored:
        if self.collection is None:
            raise StateError(
                f"{name!r} is the name of an edition or run, and this provider has no collection",
                hint="Use stcollection.open(…).provider(); the path of a file must be a pathlib.Path.",
                sqlstate="IR405",
            )
        return self.collection

    def values(
        self, qrels: str | JudgedFile, run: Any, measures: list[Measure], rules: ScoreRules
    ) -> Iterator[tuple[str, Measure, float]]:
        """Yield query, measure and value for the judged queries of a run.

        :param qrels: the name of an edition, if the run is stored too, or judgments of the kind that the measures need.
        """
        if isinstance(qrels, str):
            conn = self._stored(run).connection
            for one in score(conn, runs=[run], edition=qrels, measures=measures, complete=False, rules=rules):
                yield one.query, one.measure, one.value
            return
        if qrels.grades:
            how = FileScoring(complete=False, rules=rules)
            found = score_rankings(self.settings, qrels, partial(self.rankings, run), measures=measures, how=how)
            for query, by_measure in found.items():
                yield from ((query, one, value) for one, value in by_measure.items())


class Evaluator(_Evaluator):  # type: ignore[misc]
    """Scores runs against one set of judgments, which is read once."""

    def __init__(self, provider: Provider, measures: list[Any], qrels: Any) -> None:
        self.provider = provider
        self.stored = qrels if isinstance(qrels, str) else None
        self.ours: dict[tuple[bool, ScoreRules], dict[Measure, list[Any]]] = defaultdict(lambda: defaultdict(list))
        for one in measures:
            ours = _translated(one)
            self.ours["subtopics" in ours.kind.uses, _rules(one)][ours].append(one)
        if not isinstance(qrels, str | Path):  # an iterator can be read only once
            qrels = list(ir_measures.util.QrelsConverter(qrels).as_namedtuple_iter())
        kinds = {by_subtopic for by_subtopic, _ in self.ours}
        self.judged = {
            by_subtopic: (provider.judged_subtopics if by_subtopic else provider.judged)(qrels) for by_subtopic in kinds or {False}
        }
        super().__init__(measures, {query.decode() for judged in self.judged.values() for query in judged.grades})

    def _iter_calc(self, run: Any) -> Iterator[Any]:
        if not isinstance(run, str | Path):  # an iterator can be read only once, and rules may differ between measures
            run = ir_measures.util.RunConverter(run).as_dict_of_dict()
        for (by_subtopic, rules), measures in self.ours.items():
            qrels = self.stored if self.stored is not None and isinstance(run, str) else self.judged[by_subtopic]
            for query, ours, value in self.provider.values(qrels, run, list(measures), rules):
                for one in measures[ours]:
                    yield ir_measures.Metric(query_id=query, measure=one, value=value)


def _subtopic(judgment: Any) -> str:
    """Return the subtopic of a judgment as ir_measures and ir_datasets name it; '' without one."""
    return str(getattr(judgment, "subtopic_id", getattr(judgment, "iteration", "")))


def _rules(measure: Any) -> ScoreRules:
    """Return the rules that ir_measures has as parameters of a measure. set_relative_P and set_F.x take no level themselves."""
    level = measure.params.get("rel", 1) if measure.params.get("relative") or measure.NAME == "SetF" else 1
    return ScoreRules(min_grade=level, judged_only=bool(measure.params.get("judged_only", False)))


def _translated(measure: Any) -> Measure:
    """Return our measure for one of ir_measures.

    :raises UnknownObject: no measure here is the same. :raises BadArgument: it has other parameters.
    """
    given: Mapping[str, Any] = measure.params
    gains = given.get("gains")
    if gains is not None:
        if given.get("cutoff") is not None or given.get("dcg", "log2") != "log2":
            raise BadArgument(f"{measure} has gains and a cutoff", hint="Use gains without a cutoff, or change the grades.")
        return parse_measure("ndcg." + ",".join(f"{grade}={gain}" for grade, gain in sorted(gains.items())))
    if given.get("relative"):
        return parse_measure("set_relative_P")
    if measure.NAME == "SetF":  # ir_measures passes beta to trec_eval, which uses it where the definition has its square
        return parse_measure(f"set_F.{measure['beta']}")
    return parse_measure(str(measure(judged_only=False) if "judged_only" in given else measure))


def _grade(rel: Any, query: object, doc: object) -> int:
    """Return a grade as an integer. :raises BadInput: the value is not an integer, or out of range."""
    if rel != rel or int(rel) != rel or int(rel) not in _SMALLINT:
        raise BadInput(f"query {query}, document {doc} has the grade {rel!r}", hint="A grade is an integer from -32768 to 32767.")
    return int(rel)
