"""Output equals trec_eval 10's, character for character, for every option that its own test outputs cover.

Version 9 rounds differently when it converts a share of recall to a number of documents; pytrec_eval covers it (test_parity).
"""

from __future__ import annotations

from pathlib import Path

import psycopg
import pytest

from stcollection.evaluation.printing import lines
from stcollection.evaluation.printing import printed as scored
from stcollection.evaluation.score import ScoreRules
from stcollection.evaluation.zscores import read_zscores
from stcollection.qrels.load import import_qrels
from stcollection.runs.load import import_runs

PARAMETERS = (
    "iprec_at_recall..10,.20,.25,.75,.50", "P.5,7,3", "recall.20,2000", "Rprec_mult.5.0,0.2,0.35", "utility.2,-1,0,0",
    "11pt_avg..25,.5,.75", "ndcg.1=3,2=9,4=4.5", "ndcg_cut.10,20,23.4", "success.2,5,20",
)  # fmt: skip

COMMANDS = [
    ("out.test", "qrels.test", "results.test", ["official"], "", ScoreRules()),
    ("out.test", "qrels.test.with-comments", "results.test", ["official"], "", ScoreRules()),
    ("out.test.a", "qrels.test", "results.test", ["all_trec"], "", ScoreRules()),
    ("out.test.aq", "qrels.test", "results.test", ["all_trec"], "q", ScoreRules()),
    ("out.test.aqc", "qrels.test", "results.trunc", ["all_trec"], "qc", ScoreRules()),
    ("out.test.aqcM", "qrels.test", "results.trunc", ["all_trec"], "qc", ScoreRules(max_rank=100)),
    ("out.test.aql", "qrels.rel_level", "results.test", ["all_trec", "relstring.20"], "q", ScoreRules(min_grade=2)),
    ("out.test.meas_params", "qrels.test", "results.test", PARAMETERS, "q", ScoreRules()),
    ("out.comment.test", "qrels.comment.test", "results.comment.test", ["official"], "", ScoreRules()),
]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("printed", "qrels", "run", "names", "flags", "rules"), COMMANDS, ids=[f"{one[0]}-{one[1]}" for one in COMMANDS]
)
def test_character_for_character(
    conn: psycopg.Connection, data: Path, printed: str, qrels: str, run: str, names: list[str], flags: str, rules: ScoreRules
) -> None:
    folder = data / "trec_eval"
    [imported] = import_runs(conn, [folder / run])
    import_qrels(conn, folder / qrels, edition="official")
    expected = (folder / printed).read_text().splitlines()
    for version in ("trec_eval 10", "trec_eval 9"):
        how = ScoreRules(rules.min_grade, rules.judged_only, rules.max_rank, version)
        what = scored(conn, run=imported.run, edition="official", names=names, complete="c" in flags, rules=how)
        found = list(lines(what, per_query="q" in flags))
        if version == "trec_eval 10":
            assert found == expected
        else:
            other = {one.split()[0] for one, line in zip(found, expected, strict=True) if one != line}
            assert all(name.startswith(("iprec_at_recall", "11pt_avg")) for name in other)


def test_standardised(conn: psycopg.Connection, data: Path) -> None:
    folder = data / "trec_eval"
    [imported] = import_runs(conn, [folder / "results.test"])
    import_qrels(conn, folder / "qrels.test", edition="official")
    what = scored(conn, run=imported.run, edition="official", names=["all_trec"], rules=ScoreRules(version="trec_eval 10"))
    found = list(lines(what, norms=read_zscores(folder / "zscores_file"), per_query=True))
    assert found == (folder / "out.test.aqZ").read_text().splitlines()
