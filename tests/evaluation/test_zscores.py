"""Standardised scores: one value, files, and norms of the collection's own runs; test_options.py compares with trec_eval."""

from __future__ import annotations

import statistics
from pathlib import Path

import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stcollection.errors import BadInput, StateError, UnknownObject
from stcollection.evaluation.measures import AP, P, nDCG
from stcollection.evaluation.zscores import MISSING, Norm, read_zscores, zscore, zscore_norms, zscores
from tests.evaluation.conftest import Run, StoreQrels, StoreRun
from tests.examples import examples


def test_a_score_without_mean_or_deviation_is_missing() -> None:
    assert zscore(1.0, Norm(0.5, 0.25)) == 2.0
    assert zscore(0.5, Norm(0.5, 0.0)) == 0.0
    assert zscore(0.6, Norm(0.5, 0.0)) == MISSING
    assert zscore(0.5, None) == MISSING


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("q map 0.5\n", r"z:1: 3 columns instead of 4"),
        ("# fine\nq map 0.5 x\n", r"z:2: 'x' is not a finite number"),
        ("q map nan 1\n", r"z:1: 'nan' is not a finite number"),
        ("q map 0 -1\n", r"z:1: the deviation '-1' is below 0"),
        ("q map 0 1\nq map 0 1\n", r"z:2: query q already has a line for map"),
        ("\n# nothing\n", r"z: no mean and deviation found"),
        ("q map 0 1\n\0", r"z:2: contains U\+0000"),
    ],
)
def test_errors_in_a_file_name_the_line(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "z"
    path.write_bytes(text.encode())
    with pytest.raises(BadInput, match=message):
        read_zscores(path)


QUERIES = ("q1", "q2", "é")
DOCS = ("a", "b", "c", "d")
ranked = st.dictionaries(
    st.sampled_from(QUERIES), st.dictionaries(st.sampled_from(DOCS), st.integers(0, 9).map(float), min_size=1), min_size=1
)


@pytest.mark.slow
@examples(8)
@given(runs=st.lists(ranked, min_size=2, max_size=4), complete=st.booleans())
def test_norms_made_of_stored_runs(
    conn: psycopg.Connection, store_run: StoreRun, store_qrels: StoreQrels, runs: list[Run], complete: bool
) -> None:
    edition = store_qrels({query: {"a": 2, "b": 0, "c": 1} for query in QUERIES})
    names = [store_run(run) for run in runs]
    measures = [AP, P @ 2, nDCG @ 10]
    rows = conn.execute("SELECT * FROM scores(%s, %s, %s, %s)", [names, edition, [m.trec_eval for m in measures], complete])
    raw = {(run, query, measure): value for run, query, measure, value in rows}

    for reference in (names, names[:2]):
        stored = zscore_norms(conn, runs=reference, edition=edition, measures=measures, complete=complete)
        norms = {}
        for one in stored:
            values = [raw[key] for key in raw if key[1:] == (one.query, one.measure) and key[0] in reference]
            assert one.runs == len(values)
            assert one.mean == pytest.approx(statistics.fmean(values))
            assert one.deviation == (pytest.approx(statistics.stdev(values)) if len(set(values)) > 1 else 0)
            norms[one.query, one.measure] = Norm(one.mean, one.deviation)
        assert norms.keys() == {key[1:] for key in raw if key[0] in reference}

        found = zscores(conn, runs=names, reference=reference, edition=edition, measures=measures, complete=complete)
        assert len(found) == len(raw)
        for z in found:
            expected = zscore(raw[z.run, z.query, z.measure], norms.get((z.query, z.measure)))
            assert (MISSING if z.value is None else z.value) == pytest.approx(expected)


def test_equal_scores_have_no_deviation_despite_rounding(
    conn: psycopg.Connection, store_run: StoreRun, store_qrels: StoreQrels
) -> None:
    edition = store_qrels({"q": {"a": 1, **{f"x{number}": 1 for number in range(9)}}})  # AP is 0.1; the sum of six is inexact
    names = [store_run({"q": {"a": 1.0}}) for _ in range(6)]
    [norm] = zscore_norms(conn, runs=names, edition=edition, measures=[AP])
    assert (norm.deviation, norm.mean) == (0, 0.1)
    assert {one.value for one in zscores(conn, runs=names, reference=names, edition=edition, measures=[AP])} == {0}


def test_runs_of_other_queries_do_not_count(conn: psycopg.Connection, store_run: StoreRun, store_qrels: StoreQrels) -> None:
    edition = store_qrels({"q": {"a": 1, "b": 1}})
    mine = {store_run({"q": {"a": 2.0, "b": 1.0}}, decoy=False), store_run({"q": {"b": 1.0}}, decoy=False)}
    store_run({"r": {"a": 1.0}})
    [norm] = zscore_norms(conn, edition=edition, measures=[AP])
    assert (norm.runs, norm.mean) == (2, 0.75)
    assert {one.run for one in zscores(conn, edition=edition, measures=[AP])} == mine


def test_errors(conn: psycopg.Connection, store_run: StoreRun, store_qrels: StoreQrels) -> None:
    edition, run = store_qrels({"q": {"a": 1}}), store_run({"q": {"a": 1.0}})
    with pytest.raises(StateError, match="cannot standardise scores with 1 reference run"):
        zscores(conn, edition=edition, measures=[AP], reference=[run])
    with pytest.raises(UnknownObject, match="no run 'nobody'"):
        zscores(conn, edition=edition, measures=[AP], reference=["nobody"])
    with pytest.raises(UnknownObject, match="no edition 'never'"):
        zscore_norms(conn, edition="never", measures=[AP])
