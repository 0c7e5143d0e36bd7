"""TREC export: importing the file and trec_eval reproduce the ranks."""

from __future__ import annotations

import io
from pathlib import Path

import psycopg
import pytest
import pytrec_eval

from stcollection.errors import BadArgument, UnknownObject
from stcollection.runs.export import export_trec
from stcollection.runs.load import ImportOptions, import_runs
from tests.runs.conftest import Store, ranking


def exported(conn: psycopg.Connection, run: str = "mine", **options: object) -> str:
    out = io.BytesIO()
    export_trec(conn, run, out, **options)  # type: ignore[arg-type]
    return out.getvalue().decode()


def test_by_hand(conn: psycopg.Connection, store: Store) -> None:
    store("q2 Q0 a 9 1.0 t\nq10 Q0 9 9 0.1 t\nq10 Q0 10 9 0.1 t\nq10 Q0 b 9 1e-7 t\n")
    assert exported(conn) == "q10 Q0 9 1 0.1 mine\nq10 Q0 10 2 0.1 mine\nq10 Q0 b 3 1e-07 mine\nq2 Q0 a 1 1.0 mine\n"
    assert exported(conn, depth=1) == "q10 Q0 9 1 0.1 mine\nq2 Q0 a 1 1.0 mine\n"


def test_by_the_combined_score(conn: psycopg.Connection, store: Store) -> None:
    store("q Q0 a 1 3 t\nq Q0 b 2 2 t\nq Q0 c 3 1 t\n")
    conn.execute("UPDATE stc.st1_rankings SET comb_score = 2.5 WHERE rel_score IN (1, 3)")
    assert exported(conn, score="comb") == "q Q0 c 1 2.5 mine\nq Q0 a 2 2.5 mine\nq Q0 b 3 2.0 mine\n"


def test_ties_in_another_order_than_that_of_trec_eval_come_back_all_the_same(conn: psycopg.Connection, store: Store) -> None:
    store("q Q0 a 1 3 t\nq Q0 b 2 2 t\nq Q0 c 3 1 t\nq Q0 d 4 0.5 t\n")
    conn.execute("UPDATE stc.st1_rankings SET rel_score = 3, rank = CASE rank WHEN 2 THEN 3 WHEN 3 THEN 2 ELSE rank END")
    before = ranking(conn)
    assert before == {"q": ["a", "c", "b", "d"]}
    text = exported(conn)
    store(text, "again")
    assert ranking(conn, "again") == before


@pytest.mark.slow
def test_real_runs_come_back(conn: psycopg.Connection, data: Path, tmp_path: Path) -> None:
    paths = [
        data / "simpletext/runs/baseline.run",
        data / "trec_eval/results.test",
        data / "cranfield/runs/results_simple_boolean.txt",
    ]
    for done in import_runs(conn, paths, options=ImportOptions(on_duplicate="first")):
        again = tmp_path / f"again-{done.run}"
        again.write_text(exported(conn, done.run))
        [back] = import_runs(conn, [again])
        assert back.counts.ranked == done.counts.ranked
        assert ranking(conn, back.run) == ranking(conn, done.run)


def test_trec_eval_scores_the_export_as_the_file(conn: psycopg.Connection, data: Path) -> None:
    path = data / "trec_eval/results.test"
    list(import_runs(conn, [path]))
    with (data / "trec_eval/qrels.test").open() as file:
        qrels = pytrec_eval.parse_qrel(file)

    def scores(lines: io.TextIOBase) -> object:
        return pytrec_eval.RelevanceEvaluator(qrels, {"map", "ndcg", "bpref", "P_5"}).evaluate(pytrec_eval.parse_run(lines))

    with path.open() as file:
        assert scores(io.StringIO(exported(conn, "results.test"))) == scores(file)


def test_a_name_that_the_format_cannot_carry(conn: psycopg.Connection, store: Store) -> None:
    store("q Q0 a 1 3 t\n")
    conn.execute("UPDATE dblp SET docno = 'a b'")
    with pytest.raises(BadArgument, match="'a b' contains white space"):
        exported(conn)


def test_an_unknown_run_is_named_with_a_way_on(conn: psycopg.Connection, store: Store) -> None:
    store("q Q0 a 1 3 t\n", "baseline")
    with pytest.raises(UnknownObject, match="no run 'basline'") as error:
        exported(conn, "basline")
    assert "Did you mean 'baseline'?" in (error.value.hint or "")
    for call, state in (("'no'", "IR101"), ("'baseline', 'rel', 0", "IR201"), ("'baseline', 'sim'", "IR202")):
        with pytest.raises(psycopg.Error) as raised:
            conn.execute(f"SELECT * FROM stc.run_ranking({call})".encode())
        assert raised.value.sqlstate == state
