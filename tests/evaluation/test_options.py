"""Output equals trec_eval's for every pair of its options, on files with everything that is odd.

The files have negative and large grades, queries without relevant, retrieved or judged documents, a query named ``all``, several
tags, and lines in any order. ``odd.printed`` has commands and what trec_eval prints for them, made with the functions of trec_eval
9.0.8 in pytrec_eval and the loop over queries of version 10. In ``odd.zscores`` a measure that does not exist ends each query,
because trec_eval reads past the last one.
"""

from __future__ import annotations

from pathlib import Path

import psycopg
import pytest
from click.testing import CliRunner, Result

from stcollection.cli.score import command as score
from stcollection.db.settings import Settings
from stcollection.qrels.load import import_qrels
from stcollection.runs.load import import_runs
from tests.evaluation.test_file_scores import embedded as embedded
from tests.groups import evaluation

pytestmark = pytest.mark.slow
FILES = Path(__file__).parent / "files"


def commands() -> dict[str, str]:
    """Return what trec_eval prints, by its options."""
    sections = (FILES / "odd.printed").read_text().removeprefix("$ ").split("\n$ ")
    return {options: printed for options, _, printed in (f"{one}\n".partition("\n") for one in sections)}


def run_files(settings: Settings, options: str) -> Result:
    typed = [str(FILES / word) if word.startswith("odd.") else word for word in options.split()]
    files = [str(FILES / "odd.run"), str(FILES / "odd.qrels")]
    return CliRunner().invoke(score, [*typed, "--format", "trec", *files], obj=settings, catch_exceptions=False)


def test_files(embedded: Settings) -> None:
    different = [
        options
        for options, printed in commands().items()
        if run_files(embedded, options).stdout.rstrip("\n") != printed.rstrip("\n")
    ]
    assert not different
    assert len(commands()) > 50


def test_a_second_list_of_a_measure_is_ignored_as_trec_eval_does_with_a_note(embedded: Settings) -> None:
    done = run_files(embedded, "-m P.5 -m P.10")
    assert [line.split()[0] for line in done.stdout.splitlines()] == ["P_5"]
    assert "-m P.10 is ignored, as -m P.5 comes first" in done.stderr


def test_a_level_at_which_unjudged_documents_count_is_refused(embedded: Settings) -> None:
    with pytest.raises(Exception, match="the lowest relevant grade is -1"):
        run_files(embedded, "-l -1")


def test_stored_runs(conn: psycopg.Connection, settings: Settings) -> None:
    [imported] = import_runs(conn, [FILES / "odd.run"])
    import_qrels(conn, FILES / "odd.qrels", edition="odd")
    different = []
    for options, printed in commands().items():
        if "-n" in options.split():
            continue
        typed = [str(FILES / word) if word.startswith("odd.") else word for word in options.split()]
        with_c = [] if "-c" in typed else ["-r"]
        words = ["score", imported.run, "--edition", "odd", "--format", "trec", "--rules", "trec_eval 10", *with_c, *typed]
        done = CliRunner().invoke(evaluation, words, obj=settings, catch_exceptions=False)
        if done.stdout.rstrip("\n") != printed.rstrip("\n"):
            different.append(options)
    assert not different
