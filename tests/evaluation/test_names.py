"""Names of measures, and what a name that is not there gets for an answer."""

from __future__ import annotations

import psycopg
import pytest

from stcollection.errors import BadArgument, UnknownObject
from stcollection.evaluation.measures import AP, OFFICIAL, RR, Bpref, Judged, Measure, P, R, nDCG, parse_measure
from stcollection.evaluation.score import leaderboard, score
from tests.evaluation.conftest import StoreQrels, StoreRun

NAMES = {
    nDCG @ 10: ["nDCG@10", "ndcg_cut_10", "NDCG@10", "ndcg_cut.10", "nDCG(dcg='log2')@10"],
    P @ 20: ["P@20", "P_20", "p@20", "P(rel=1)@20", "precision@20"],
    R @ 100: ["R@100", "recall_100", "recall@100"],
    Judged @ 10: ["Judged@10", "judged_10"],
    RR: ["RR", "recip_rank", "MRR", "mrr", "RR(rel=1)"],
    AP: ["AP", "map", "MAP", "AP(rel=1)"],
    Bpref: ["Bpref", "bpref", " BPREF "],
}


@pytest.mark.parametrize(("name", "measure"), [(name, measure) for measure, names in NAMES.items() for name in names])
def test_both_families_are_read(name: str, measure: Measure) -> None:
    assert parse_measure(name) == measure


@pytest.mark.parametrize("measure", NAMES, ids=str)
def test_both_families_are_written(measure: Measure) -> None:
    assert [str(measure), measure.trec_eval] == NAMES[measure][:2]


def test_the_official_ones_start_with_what_ranks_the_systems() -> None:
    assert ", ".join(measure.trec_eval for measure in OFFICIAL) == "ndcg_cut_10, ndcg_cut_20, P_10, P_20, recip_rank, bpref, map"


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("nDGC@10", "Did you mean nDCG? The measures are nDCG@k, P@k, R@k, Judged@k, RR, AP, Bpref."),
        ("nDCG", "Add one: nDCG@10."),
        ("MRR@10", "RR is of the whole ranking: name it without the cutoff."),
        ("", "The measures are nDCG@k, P@k, R@k, Judged@k, RR, AP, Bpref."),
        ("nDCG@-1", "The measures are nDCG@k, P@k, R@k, Judged@k, RR, AP, Bpref."),
    ],
)
def test_an_unknown_measure_is_answered_with_a_way_on(name: str, hint: str) -> None:
    with pytest.raises(UnknownObject) as error:
        parse_measure(name)
    assert (error.value.sqlstate, error.value.hint) == ("IR108", hint)


@pytest.mark.parametrize(("name", "sqlstate"), [("P@0", "IR201"), ("P@2147483648", "IR201"), ("P(rel=2)@5", "IR202")])
def test_a_measure_out_of_range_is_refused(name: str, sqlstate: str) -> None:
    with pytest.raises(BadArgument) as error:
        parse_measure(name)
    assert error.value.sqlstate == sqlstate


def test_a_cutoff_is_checked_where_it_is_given() -> None:
    with pytest.raises(BadArgument, match="P@0 has a cutoff of 0"):
        P @ 0


def test_an_unknown_run_is_named_with_a_way_on(conn: psycopg.Connection, store_run: StoreRun, store_qrels: StoreQrels) -> None:
    store_run({}, "bm25")
    edition = store_qrels({})
    for call in (score, leaderboard):
        with pytest.raises(UnknownObject, match="no run 'b25'") as error:
            call(conn, runs=["bm25", "b25"], edition=edition, measures=[nDCG @ 10])
        assert (error.value.sqlstate, error.value.hint) == ("IR101", "Did you mean 'bm25'? 'stc runs list' shows those there are.")


def test_an_unknown_edition_is_named_with_a_way_on(conn: psycopg.Connection, store_qrels: StoreQrels) -> None:
    store_qrels({}, "2024 test")
    for measure in (nDCG @ 10, Judged @ 10):
        with pytest.raises(UnknownObject, match="no edition 'entirely different'") as error:
            score(conn, runs=[], edition="entirely different", measures=[measure])
        assert (error.value.sqlstate, error.value.hint) == ("IR102", "'stc qrels editions' shows those there are.")


def test_sql_checks_the_cutoffs(conn: psycopg.Connection, store_qrels: StoreQrels) -> None:
    edition = store_qrels({})
    for function in ("evaluate", "evaluate_runs"):
        for cutoffs in ("{0}", "{10,-1}", "{NULL}", "{}"):
            with pytest.raises(psycopg.Error) as error:
                conn.execute(f"SELECT * FROM {function}('{{}}', %s, %s)", [edition, cutoffs])
            assert error.value.sqlstate == "IR201"


def test_the_nearest_name(conn: psycopg.Connection) -> None:
    names = ["bm25", "dense_title", "boolean"]
    for name, nearest in {"BM25": "bm25", "b25": "bm25", "dense_titel": "dense_title", "dense_abstract": None, "": None}.items():
        assert conn.execute("SELECT nearest_name(%s, %s)", [name, names]).fetchone() == (nearest,)
