"""Print scores of files in trec_eval's format."""

from __future__ import annotations

from dataclasses import replace

from stcollection.db.settings import Settings
from stcollection.evaluation.files.score import FileScores, FileScoring, RunFiles, score_as
from stcollection.evaluation.printing import OutputOptions, arrange, check_level, lines, wanted_of
from stcollection.evaluation.zscores import read_zscores


def trec_eval_files(
    settings: Settings, files: RunFiles, *, output: OutputOptions, how: FileScoring
) -> tuple[list[str], FileScores]:
    """Return the lines that trec_eval prints for each run, one run after the other, and the scores.

    :param output: only names, zscores, per_query and summary are used.
    :raises StcError: as for :func:`~.score.score_files`.
    """
    check_level(how.rules.min_grade)
    request = wanted_of(output.names or ["official"])
    length = None if request.relstring is None else request.relstring[0]
    norms = None if output.zscores is None else read_zscores(output.zscores)
    scores = score_as(settings, files, request.measures, how, relstring=length)
    scores = replace(scores, notes=[*scores.notes, *request.notes])
    relevant = scores.relevant if how.complete and request.num_rel else None
    arranged = [arrange(request, run.values, run.relstrings, tag=run.tag, relevant=relevant) for run in scores.runs]
    return [
        line for what in arranged for line in lines(what, norms=norms, per_query=output.per_query, summary=output.summary)
    ], scores
