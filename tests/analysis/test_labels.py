"""Labels compared with human ones: by hand, against agreement and impact, and on TREC's Deep Learning tracks."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any, cast

import krippendorff
import psycopg
import pytest
from click.testing import CliRunner
from scipy.stats import kendalltau, pearsonr
from sklearn.metrics import cohen_kappa_score

from stcollection.analysis.impact import impact
from stcollection.analysis.labels import labels, shape
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, UnknownObject
from stcollection.evaluation.measures import P, nDCG
from stcollection.evaluation.score import score
from stcollection.qrels.agreement import agreement
from stcollection.qrels.load import JudgmentOptions, import_qrels
from stcollection.runs.load import import_runs
from tests.groups import analysis

pytestmark = pytest.mark.slow

# h1 and h2 are human queries, t1 a T5 query. human judges d1 to d3 of each; llm omits d3 of h2 and adds d9 of t1; sparse judges
# one per query.
HUMAN = {"h1": {"d1": 2, "d2": 0, "d3": 1}, "h2": {"d1": 0, "d2": 1, "d3": 0}, "t1": {"d1": 0, "d2": 2, "d3": -1}}
LLM = {"h1": {"d1": 2, "d2": 1, "d3": 1}, "h2": {"d1": 0, "d2": 2}, "t1": {"d1": 1, "d2": 2, "d9": 1}}
SPARSE = {"h1": {"d1": 1}, "h2": {"d1": 1}, "t1": {"d9": 1}, "h3": {"d1": 1}}
RUNS = {
    "good": {"h1": "d1 d3", "h2": "d2 d9", "t1": "d2 d3"},
    "odd": {"h1": "d2 d3", "h2": "d2 d1", "t1": "d1 d9"},
    "bad": {"h1": "d9 d2", "h2": "d1 d3", "t1": "d9 d3"},
}


@pytest.fixture
def world(conn: psycopg.Connection, tmp_path: Path) -> None:
    for edition, judged in (("human", HUMAN), ("llm", LLM), ("sparse", SPARSE)):
        path = tmp_path / f"{edition}.qrels"
        path.write_text("".join(f"{query} 0 {doc} {rel}\n" for query, docs in judged.items() for doc, rel in docs.items()))
        import_qrels(conn, path, edition=edition, options=JudgmentOptions(origin="llm" if edition == "llm" else "human"))
    for name, run in RUNS.items():
        path = tmp_path / f"{name}.run"
        path.write_text(
            "".join(f"{query} Q0 {doc} {at} {-at} t\n" for query, docs in run.items() for at, doc in enumerate(docs.split(), 1))
        )
        list(import_runs(conn, [path]))
    conn.execute("UPDATE st1_queries SET origin = 't5' WHERE query = 't1'")


@pytest.mark.usefixtures("world")
def test_agreement_by_hand(conn: psycopg.Connection) -> None:
    [found] = labels(conn, human="human", others=["llm"], by="origin")
    rows = {one.origin: one for one in found.agreement}
    assert list(rows) == ["all", "human", "t5"]
    # d3 of t1, which is pooled but not judged, counts for neither
    counts = {name: (one.queries, one.pairs, one.only_human, one.only_other) for name, one in rows.items()}
    assert counts == {"all": (3, 7, 1, 1), "human": (2, 5, 1, 0), "t5": (1, 2, 0, 1)}
    assert rows["human"].accuracy == pytest.approx(3 / 5)
    assert rows["human"].binary_accuracy == pytest.approx(4 / 5)
    assert rows["t5"].accuracy == rows["t5"].binary_accuracy == pytest.approx(1 / 2)
    assert rows["human"].bias == pytest.approx(2 / 5)
    assert {(one.human_rel, one.other_rel): one.pairs for one in found.confusion if one.origin == "human"} == {
        (0, 0): 1,
        (0, 1): 1,
        (1, 1): 1,
        (1, 2): 1,
        (2, 2): 1,
    }
    assert not found.shape.sparse
    assert (found.sources, found.notes) == ([], [])


@pytest.mark.usefixtures("world")
def test_over_all_queries_it_equals_agreement(conn: psycopg.Connection) -> None:
    for level in (1, 2):
        [found] = labels(conn, human="human", others=["llm"], level=level)
        [ours], [theirs] = found.agreement, agreement(conn, "human", ["llm"], binary_from=level)
        for field in (
            "queries",
            "pairs",
            "grades",
            "accuracy",
            "binary_accuracy",
            "kappa",
            "kappa_quadratic",
            "binary_kappa",
            "alpha_nominal",
            "alpha_ordinal",
            "alpha_interval",
            "bias",
        ):
            assert getattr(ours, field) == pytest.approx(getattr(theirs, field)), field


@pytest.mark.usefixtures("world")
def test_sparse_by_hand(conn: psycopg.Connection) -> None:
    assert tuple(shape(conn, "sparse")) == (4, 4, 4, 1.0, 1.0, True)
    assert not shape(conn, "sparse", level=2).sparse  # at that level it judges nothing relevant
    [found] = labels(conn, human="human", others=["sparse"], by="origin")
    told = {(one.origin, one.human_rel): (one.documents, one.share) for one in found.sources}
    assert told == {  # the human edition does not judge h3
        ("all", 2): (1, pytest.approx(1 / 3)),
        ("all", 0): (1, pytest.approx(1 / 3)),
        ("all", None): (1, pytest.approx(1 / 3)),
        ("human", 2): (1, 0.5),
        ("human", 0): (1, 0.5),
        ("t5", None): (1, 1.0),
    }
    assert found.relevant_sources() == pytest.approx(1 / 3)
    assert found.relevant_sources("t5") == 0
    assert "sparse is sparse" in found.notes[0]


@pytest.mark.usefixtures("world")
def test_systems_by_hand(conn: psycopg.Connection) -> None:
    [found] = labels(conn, human="human", others=["llm"], measure=P @ 1, by="origin")
    rows = {(one.origin, one.run): one for one in found.systems}
    assert rows["human", "odd"][3:9] == (2, 0.5, 1.0, 0.5, 2, 1)
    assert rows["t5", "odd"][3:9] == (1, 0.0, 1.0, 1.0, 2, 1)
    assert rows["all", "good"][3:9] == (3, 1.0, 1.0, 0.0, 1, 1)
    assert [(one.run, one.rank_human, one.rank_other) for one in found.moved()] == [("odd", 2, 1)]
    assert found.moved(most=0) == []
    [whole] = [one for one in found.rankings if one.origin == "all"]
    by_hand = ([1.0, 1 / 3, 0.0], [1.0, 1.0, 1 / 3])  # for good, odd, bad
    assert whole.systems == 3
    assert whole.kendall_tau == pytest.approx(kendalltau(*by_hand).statistic)
    assert whole.pearson == pytest.approx(pearsonr(*by_hand).statistic)


@pytest.mark.usefixtures("world")
def test_over_all_queries_it_equals_impact(conn: psycopg.Connection) -> None:
    [found] = labels(conn, human="human", others=["sparse"])
    done = impact(conn, "human", "sparse")
    assert [(one.run, one.value_human, one.value_other, one.shift, one.rank_human, one.rank_other) for one in found.systems] == [
        (one.run, one.value_a, one.value_b, one.shift, one.rank_a, one.rank_b) for one in done.runs
    ]
    [whole] = found.rankings
    assert whole.kendall_tau == pytest.approx(done.kendall_tau)
    assert whole.tau_ap == pytest.approx(done.tau_ap)


@pytest.mark.usefixtures("world")
def test_scores_under_only_one_edition_are_noted(conn: psycopg.Connection) -> None:
    conn.execute("INSERT INTO st1_runs (run, family) VALUES ('afar', 'GPT')")
    conn.execute(
        "INSERT INTO st1_scores (edition, run, query, measure, value)"
        " SELECT stc.edition_key('llm'), r.id, q.id, 'ndcg_cut_10', 0.5 FROM st1_runs r, st1_queries q"
        "  WHERE r.run = 'afar' AND q.query IN ('h1', 'h2', 't1')"
    )
    [found] = labels(conn, human="human", others=["llm"])
    [afar] = [one for one in found.systems if one.run == "afar"]
    assert tuple(afar) == ("all", "afar", "GPT", 3, None, 0.5, *[None] * 7)
    assert [(one.systems, one.unpaired) for one in found.rankings] == [(3, 1)]
    assert found.notes == [
        "1 of 4 systems have no value of nDCG@10 under human (from rankings or imported scores);"
        " they have no rank and do not count in tau"
    ]
    [alone] = labels(conn, human="human", others=["llm"], runs=["afar"])
    assert [(one.systems, one.kendall_tau) for one in alone.rankings] == [(0, None)]


@pytest.mark.usefixtures("world")
def test_without_runs_and_without_common_documents(conn: psycopg.Connection, tmp_path: Path) -> None:
    conn.execute("DELETE FROM st1_runs")
    (tmp_path / "far.qrels").write_text("h9 0 d7 1\nh9 0 d8 0\n")
    import_qrels(conn, tmp_path / "far.qrels", edition="far")
    [found] = labels(conn, human="human", others=["far"])
    assert [(one.pairs, one.only_human, one.only_other, one.accuracy, one.kappa) for one in found.agreement] == [
        (0, 8, 2, None, None)
    ]
    assert "no document is judged by both human and far" in found.notes[0]
    assert "no system has a value of nDCG@10" in found.notes[1]


@pytest.mark.usefixtures("world")
def test_errors(conn: psycopg.Connection) -> None:
    with pytest.raises(UnknownObject, match="no edition 'lml'"):
        labels(conn, human="human", others=["lml"])
    with pytest.raises(UnknownObject, match="no edition 'humna'"):
        labels(conn, human="humna", others=["llm"])
    with pytest.raises(UnknownObject, match="no run 'god'"):
        labels(conn, human="human", others=["llm"], runs=["god"])
    with pytest.raises(BadArgument, match="cannot compare human with itself"):
        labels(conn, human="human", others=["llm", "human"])
    with pytest.raises(BadArgument, match="no edition to compare with human"):
        labels(conn, human="human", others=[])
    with pytest.raises(BadArgument, match="by is 'topic'"):
        labels(conn, human="human", others=["llm"], by=cast(Any, "topic"))


@pytest.mark.slow
@pytest.mark.usefixtures("world")
def test_the_command(settings: Settings) -> None:
    def stc(*arguments: str) -> str:
        return CliRunner().invoke(analysis, ["labels", *arguments], obj=settings, catch_exceptions=False).stdout

    told = stc("human", "llm", "sparse", "-m", "P@1")
    assert "llm against human: 8 judgments on 3 queries" in told
    assert "sparse against human: 4 judgments on 4 queries, 4 of grade 1 or better; sparse" in told
    assert "grades that human gives to the documents of sparse: 33.3% relevant" in told
    assert "not shown" in told
    first, second = json.loads(stc("human", "llm", "sparse", "--format", "json", "--by", "origin"))
    assert (first["other"], first["shape"]["sparse"], second["shape"]["sparse"]) == ("llm", False, True)
    assert [one["origin"] for one in first["agreement"]] == ["all", "human", "t5"]
    rows = list(csv.DictReader(stc("human", "llm", "--table", "systems", "--format", "csv").splitlines()))
    assert {row["run"] for row in rows} == set(RUNS)


@pytest.mark.slow
def test_nist_and_gpt4_on_dl23(conn: psycopg.Connection, data: Path) -> None:
    """The study's figures: agreement of 51.3 % on four grades and 68.4 % on two."""
    for edition in ("nist", "gpt4"):
        import_qrels(conn, data / "trec-dl/dl23" / f"{edition}.qrels", edition=edition)
    grades = [_grades(data / "trec-dl/dl23" / f"{edition}.qrels") for edition in ("nist", "gpt4")]
    origins = {}
    with (data / "trec-dl/dl23/query_info.tsv").open() as lines:
        for row in csv.DictReader(lines, delimiter="\t"):
            origins[row["qid"]] = "human" if row["Synthetic"] == "0" else "gpt-4" if row["isGPT4"] == "1" else "t5"
            conn.execute("UPDATE st1_queries SET origin = %s WHERE query = %s", [origins[row["qid"]], row["qid"]])
    [found] = labels(conn, human="nist", others=["gpt4"], by="origin")
    rows = {one.origin: one for one in found.agreement}
    assert {name: (one.queries, one.pairs) for name, one in rows.items()} == {
        "all": (82, 22327),
        "human": (51, 14251),
        "gpt-4": (18, 4370),
        "t5": (13, 3706),
    }
    assert rows["all"].accuracy == pytest.approx(0.513, abs=0.0005)
    assert rows["all"].binary_accuracy == pytest.approx(0.684, abs=0.0005)
    assert sum(one.pairs for one in found.confusion if one.origin == "all") == 22327
    assert rows["all"].only_human == rows["all"].only_other == 0
    for origin, one in rows.items():
        x, y = ([rel for (query, _), rel in sorted(side.items()) if origin in ("all", origins[query])] for side in grades)
        assert one.kappa == pytest.approx(cohen_kappa_score(x, y))
        assert one.kappa_quadratic == pytest.approx(cohen_kappa_score(x, y, weights="quadratic"))
        assert one.alpha_ordinal == pytest.approx(krippendorff.alpha(reliability_data=[x, y], level_of_measurement="ordinal"))


def _grades(path: Path) -> dict[tuple[str, str], int]:
    rows = (line.split() for line in path.read_text().splitlines())
    return {(query, doc): int(rel) for query, _, doc, rel in rows}


@pytest.mark.long
@pytest.mark.slow
def test_sparse_labels_of_dl21(conn: psycopg.Connection, data: Path, tmp_path: Path) -> None:
    """Compare NIST's judgments with only the first relevant document of each query: the 32 runs are ranked differently."""
    first: dict[str, str] = {}
    for line in (data / "trec-dl/dl21/nist.qrels").read_text().splitlines():
        query, _, _, rel = line.split()
        if int(rel) > 0:
            first.setdefault(query, line)
    (tmp_path / "sparse.qrels").write_text("\n".join(first.values()) + "\n")
    import_qrels(conn, data / "trec-dl/dl21/nist.qrels", edition="nist")
    import_qrels(conn, tmp_path / "sparse.qrels", edition="sparse")
    list(import_runs(conn, sorted((data / "trec-dl/dl21/runs").glob("*.gz"))))
    [found] = labels(conn, human="nist", others=["sparse"])
    assert found.shape.sparse
    assert found.relevant_sources() == 1  # they come from NIST's judgments
    means: dict[str, dict[str, float]] = {}
    for edition in ("nist", "sparse"):
        by_run = means.setdefault(edition, {})
        for one in score(conn, runs=[], edition=edition, measures=[nDCG @ 10]):
            by_run[one.run] = by_run.get(one.run, 0.0) + one.value / 53
    runs = sorted(means["nist"])
    expected = kendalltau(*([round(means[edition][run], 12) for run in runs] for edition in ("nist", "sparse"))).statistic
    [whole] = found.rankings
    assert whole.systems == 32
    assert whole.kendall_tau == pytest.approx(expected)
    assert whole.kendall_tau is not None
    assert whole.kendall_tau < 0.5
