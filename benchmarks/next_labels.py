"""Labels that a ranking of runs needs, by the order in which documents are judged: ``python -m benchmarks next_labels``.

TREC 2021 Deep Learning: 32 passage runs, 53 queries. The truth is the ranking by all labels of the pool of depth 10, 5,667
documents. Labels come in batches of 50:

- rank by rank, as a pool of a smaller depth, and at random
- by minimal test collections: all pairs of runs have the same weight
- by stcollection.analysis.next_labels, without and with labels of a machine. NIST's labels of LLMJudge beside those of a language
  model give the probabilities with which the label of a document is drawn: TREC 2021 has no such labels

Each is scored twice: unjudged documents are not relevant, and with the expected gain of unjudged documents. Printed are the labels
from which on tau is at least .9, and tau at some numbers. The figure is build/next_labels.svg.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.stats import kendalltau

from benchmarks.common import REPOSITORY, data, server, tell
from benchmarks.stopping import built, complete, judged_first
from stcollection.analysis.next_labels import loss_saved
from stcollection.analysis.pool_model import Evidence, chances
from stcollection.analysis.pool_scores import expected_scores
from stcollection.evaluation.measures import AP, Measure, nDCG

BATCH, MOST, WANTED = 50, 3000, 0.9
SHOWN = (100, 300, 500, 1000, 2000)
JUDGE = "Olz-multiprompt"  # of LLMJudge
ORDERS = ("by rank", "at random", "mtc", "loss", "loss, machine labels")


def drawn_labels(evidence: Evidence, rng: np.random.Generator) -> NDArray[np.float64]:
    """Return labels with the errors of a language model."""
    folder = data() / "llmjudge"
    people = _labels(folder / "llmjudge_test_qrel_idx.txt")
    machine = _labels(folder / "labels" / f"{JUDGE}.txt")
    counts = Counter((people[pair], label) for pair, label in machine.items() if pair in people)
    table = np.array([[counts[grade, label] for label in range(4)] for grade in range(4)], float)
    table /= table.sum(axis=1, keepdims=True)
    return np.array([rng.choice(4, p=table[int(grade)]) / 3 for grade in evidence.grade])


def _labels(path: Path) -> dict[tuple[str, str], int]:
    lines = (line.split() for line in path.read_text(encoding="utf-8").splitlines())
    return {(query, doc): int(grade) for query, _, doc, grade in lines}


def replay(evidence: Evidence, measure: Measure, order: str, relevant: int) -> NDArray[np.float64]:
    """Return (labels, tau of the ranking now, tau of the expected ranking) after each batch."""
    rng, truth = np.random.default_rng(3), evidence.grade
    good = truth >= relevant
    full = expected_scores(evidence, chances(evidence, good), measure, good).now
    if order == "loss, machine labels":
        evidence = replace(evidence, label=drawn_labels(evidence, rng))
    fixed = {"by rank": "by rank", "at random": "by document"}.get(order)
    ahead = np.zeros(0, np.int64) if fixed is None else _sequence(evidence, fixed, rng)
    judged, rows = np.zeros(len(truth), bool), []
    while True:
        seen = replace(evidence, grade=np.where(judged, truth, np.nan))
        scores = expected_scores(seen, chances(seen, judged & good), measure, judged & good)
        if judged.any():
            rows.append((judged.sum(), *(kendalltau(one, full).statistic for one in (scores.now, scores.expected))))
        if judged.sum() >= MOST:
            return np.array(rows, float)
        if fixed is None:
            worth = loss_saved(scores, range(len(evidence.runs))) if order != "mtc" else _equal(scores.variance, scores.effects)
            picked = np.argsort(-np.where(judged, -1, worth), kind="stable")
        else:
            picked = ahead[judged.sum() :]
        judged[picked[:BATCH]] = True


def _sequence(evidence: Evidence, order: str, rng: np.random.Generator) -> NDArray[np.int64]:
    state = rng.bit_generator.state
    shares = np.arange(1, len(evidence.doc) // BATCH + 2) * BATCH / len(evidence.doc)
    place = np.full(len(evidence.doc), len(shares))
    for number, share in reversed(list(enumerate(shares))):
        rng.bit_generator.state = state
        place[judged_first(evidence, order, min(share, 1), rng)] = number
    return np.argsort(place, kind="stable")


def _equal(variance: NDArray[np.float64], effects: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the sum over all pairs of runs, with equal weights."""
    worth: NDArray[np.float64] = variance * (effects.shape[1] * (effects**2).sum(axis=1) - effects.sum(axis=1) ** 2)
    return worth


def needed(rows: NDArray[np.float64], column: int) -> str:
    below = np.flatnonzero(rows[:, column] < WANTED)
    first = 0 if len(below) == 0 else below[-1] + 1
    return f"{rows[first, 0]:.0f}" if first < len(rows) else f"> {MOST}"


def figure(curves: dict[str, dict[str, NDArray[np.float64]]], path: Path) -> None:
    import matplotlib.pyplot as plt

    drawing, axes = plt.subplots(1, len(curves), figsize=(5.5 * len(curves), 3.8), sharey=True)
    for panel, (measure, lines) in zip(axes, curves.items(), strict=True):
        for order, rows in lines.items():
            panel.plot(rows[:, 0], rows[:, 1 if order in ("by rank", "at random") else 2], label=order)
        panel.axhline(WANTED, color="black", linewidth=0.8)
        panel.set(title=measure, xlabel="labels", ylim=(0.5, 1))
    axes[0].set_ylabel("Kendall's tau with the ranking by all labels")
    axes[0].legend()
    drawing.savefig(path, bbox_inches="tight")
    print(path)


def main() -> None:
    with server() as running, built(running, "TREC 2021") as conn:
        evidence = complete(conn, "TREC 2021")
    curves: dict[str, dict[str, NDArray[np.float64]]] = {}
    for measure, relevant in ((AP, 2), (nDCG @ 10, 1)):
        for order in ORDERS:
            rows = curves.setdefault(str(measure), {})[order] = replay(evidence, measure, order, relevant)
            at = [rows[labels // BATCH - 1] for labels in SHOWN]
            tell(f"{measure}, {order}: labels for tau .9; now", needed(rows, 1), " ".join(f"{row[1]:.3f}" for row in at))
            tell("  with expected gains", needed(rows, 2), " ".join(f"{row[2]:.3f}" for row in at))
    figure(curves, REPOSITORY / "build" / "next_labels.svg")


if __name__ == "__main__":
    main()
