"""Print scores of files in trec_eval's format."""

from __future__ import annotations

from collections.abc import Iterator

from stcollection.db.settings import Settings
from stcollection.evaluation.files.score import FileScores, FileScoring, RunFiles, ScoredFile, score_files
from stcollection.evaluation.printing import OutputOptions, WantedOutput, arrange, lines, standardised_lines, wanted_of
from stcollection.evaluation.zscores import Norms, read_zscores


def trec_eval_files(
    settings: Settings, files: RunFiles, *, output: OutputOptions, how: FileScoring
) -> tuple[list[str], FileScores]:
    """Return the lines that trec_eval prints for each run, one run after the other, and the scores.

    :param output: only names, zscores, per_query and summary are used.
    :raises StcError: as for :func:`~.score.score_files`.
    """
    wanted = wanted_of(output.names or ["official"])
    length = None if wanted.relstring is None else wanted.relstring[0]
    norms = None if output.zscores is None else read_zscores(output.zscores)
    found = score_files(settings, files, measures=wanted.measures, how=how, relstring=length)
    return [line for one in found.runs for line in _lines(one, wanted, output, norms)], found


def _lines(run: ScoredFile, wanted: WantedOutput, output: OutputOptions, norms: Norms | None) -> Iterator[str]:
    what = arrange(wanted, run.values, run.relstrings, tag=run.tag)
    if norms is None:
        yield from lines(what, per_query=output.per_query, summary=output.summary)
        return
    for line in standardised_lines(what, norms):
        if output.summary if "\tall\t" in line else output.per_query:
            yield line
