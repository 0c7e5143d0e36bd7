"""Labels of language models compared with NIST's judgments; expected values computed from the files by other programs."""

from __future__ import annotations

from pathlib import Path

import krippendorff
import numpy as np
import psycopg
import pytest
from scipy.stats import kendalltau, spearmanr
from sklearn.metrics import accuracy_score, cohen_kappa_score

from stcollection.qrels.agreement import Bootstrap, agreement, alpha, ranked
from stcollection.qrels.load import JudgmentOptions, import_qrels

pytestmark = pytest.mark.slow
LEVELS = ("nominal", "ordinal", "interval")


def read(path: Path) -> dict[tuple[str, str], int]:
    rows = (line.split() for line in path.read_text().splitlines())
    return {(query, doc): int(rel) for query, _, doc, rel in rows}


@pytest.mark.long
def test_eleven_label_sets_are_ranked_as_scipy_and_scikit_learn_rank_them(conn: psycopg.Connection, data: Path) -> None:
    folder = data / "llmjudge"
    nist, files = folder / "llmjudge_test_qrel_idx.txt", sorted((folder / "labels").glob("*.txt"))
    import_qrels(conn, nist, edition="all")
    import_qrels(conn, nist, edition="nist")
    for file in files:
        import_qrels(conn, file, edition="all", options=JudgmentOptions(origin="llm", annotator=file.stem))
        import_qrels(conn, file, edition=file.stem, options=JudgmentOptions(origin="llm"))
    rows = agreement(conn, "all", bootstrap=Bootstrap(resamples=200))
    assert len(rows) == len(files) == 11

    truth = read(nist)
    pairs = sorted(truth)
    x = [truth[pair] for pair in pairs]
    told = {file.stem: read(file) for file in files}
    for row in rows:
        y = [told[row.other.removeprefix("all:llm/")][pair] for pair in pairs]
        assert (row.reference, row.pairs, row.queries, row.note) == ("all:human", 4423, 25, None)
        expected = {
            "accuracy": accuracy_score(x, y),
            "binary_accuracy": accuracy_score([g > 0 for g in x], [g > 0 for g in y]),
            "kappa": cohen_kappa_score(x, y),
            "kappa_linear": cohen_kappa_score(x, y, labels=range(4), weights="linear"),
            "kappa_quadratic": cohen_kappa_score(x, y, labels=range(4), weights="quadratic"),
            "binary_kappa": cohen_kappa_score([g > 0 for g in x], [g > 0 for g in y]),
            "tau": kendalltau(x, y).statistic,
            "rho": spearmanr(x, y).statistic,
            **{f"alpha_{level}": krippendorff.alpha(reliability_data=[x, y], level_of_measurement=level) for level in LEVELS},
            "mae": np.mean(np.abs(np.subtract(y, x))),
            "bias": np.mean(np.subtract(y, x)),
        }
        assert {measure: row.value(measure) for measure in expected} == pytest.approx(expected, abs=1e-10)
        assert row.intervals
        for measure, value in expected.items():
            low, high = row.intervals[measure]
            assert low is not None
            assert high is not None
            assert low < value < high

    assert [one.other.removeprefix("all:llm/") for one in ranked(rows, "kappa")] == [
        "willia-umbrela1",
        "h2oloo-fewself",
        "Olz-exp",
        "Olz-multiprompt",
        "RMITIR-llama38b",
        "TREMA-CoT",
        "NISTRetrieval-instruct0",
        "NISTRetrieval-reason0",
        "prophet-setting1",
        "TREMA-naiveBdecompose",
        "TREMA-questions",
    ]
    apart = agreement(conn, "nist", [file.stem for file in files])
    assert [one.kappa for one in apart] == [{one.other: one.kappa for one in rows}[f"all:llm/{one.other}"] for one in apart]

    table = np.array([x, *([labels[pair] for pair in pairs] for labels in told.values())], dtype=float)
    [over_all] = alpha(conn, ["all"])
    assert (over_all.annotators, over_all.documents, over_all.judgments) == (12, 4423, 12 * 4423)
    for level in LEVELS:
        expected_alpha = krippendorff.alpha(reliability_data=table, level_of_measurement=level)
        assert getattr(over_all, f"alpha_{level}") == pytest.approx(expected_alpha, abs=1e-10)


@pytest.mark.long
def test_the_published_agreement_of_nist_and_gpt4(conn: psycopg.Connection, data: Path) -> None:
    for edition in ("nist", "gpt4"):
        import_qrels(conn, data / "trec-dl" / "dl23" / f"{edition}.qrels", edition=edition)
    [row] = agreement(conn, "nist", ["gpt4"], bootstrap=Bootstrap(resamples=200))
    assert (row.queries, row.pairs, row.grades) == (82, 22327, 4)
    assert row.accuracy is not None
    assert row.binary_accuracy is not None
    assert (round(100 * row.accuracy, 1), round(100 * row.binary_accuracy, 1)) == (51.3, 68.4)
    assert row.intervals
    low, high = row.intervals["accuracy"]
    [single] = agreement(conn, "nist", ["gpt4"], bootstrap=Bootstrap(resamples=200, of="pair"))
    assert single.intervals
    narrow_low, narrow_high = single.intervals["accuracy"]
    assert None not in (low, high, narrow_low, narrow_high)
    assert high - low > 2 * (narrow_high - narrow_low)  # type: ignore[operator]  # the pairs of a query depend on each other
