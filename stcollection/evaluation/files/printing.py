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
    wanted = wanted_of(output.names or ["official"])
    length = None if wanted.relstring is None else wanted.relstring[0]
    norms = None if output.zscores is None else read_zscores(output.zscores)
    found = score_as(settings, files, wanted.measures, how, relstring=length)
    found = replace(found, notes=[*found.notes, *wanted.notes])
    relevant = found.relevant if how.complete and wanted.num_rel else None
    arranged = [arrange(wanted, one.values, one.relstrings, tag=one.tag, relevant=relevant) for one in found.runs]
    return [
        line for what in arranged for line in lines(what, norms=norms, per_query=output.per_query, summary=output.summary)
    ], found
