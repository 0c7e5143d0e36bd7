"""Gain of training the embedding model, by cross-validation over the queries of real collections.

ACM-CR is a part: its judged documents and a random sample of the others, 5,000 in all. Training and embedding use the threads that
torch finds: set OMP_NUM_THREADS. The run takes hours on two cores, so it is not among the default benchmarks.
"""

from __future__ import annotations

import json
import random
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import psycopg
import zstandard

from benchmarks.common import collection, data, dsn, server, tell
from benchmarks.quality import COLLECTIONS, Collection, fill
from stcollection.analysis.training import training_gain
from stcollection.vectors.train import TrainingOptions

_DOCUMENTS = 5000  # of ACM-CR
_FOLDS = 3
# Compared on CACM and Cranfield; ACM-CR is measured with the defaults only, so that nothing is chosen on it.
TRIALS = (
    TrainingOptions(),
    TrainingOptions(rate=5e-5),
    TrainingOptions(rate=1e-5),
    TrainingOptions(negatives=3),
)


def main() -> None:
    with server() as at, tempfile.TemporaryDirectory() as folder:
        for one in COLLECTIONS:
            if one.name.startswith("NPL"):  # no titles
                continue
            part, acm = (_part(one, Path(folder)), True) if one.vectors else (one, False)
            with collection(at, "bench_training") as settings, psycopg.connect(dsn(settings), autocommit=True) as conn:
                fill(conn, dsn(settings), part, data())
                for field in ("title", "content"):
                    for options in TRIALS[:1] if acm else TRIALS:
                        _measure(conn, one.name, field, options)


def _part(one: Collection, folder: Path) -> Collection:
    """Write a part of ACM-CR, and return it as a collection whose documents are embedded."""
    judged = {line.split()[2] for line in (data() / one.qrels).read_text().splitlines()}
    kept: list[str] = []
    others: list[str] = []
    with zstandard.open(data() / one.documents, "rt", encoding="utf-8") as file:
        for line in file:
            record = line.strip().strip(",")
            if record.startswith("{"):
                (kept if str(json.loads(record)["id"]) in judged else others).append(record)
    kept += random.Random(1).sample(others, _DOCUMENTS - len(kept))
    path = folder / "part.json"
    path.write_text("[\n" + ",\n".join(kept) + "\n]\n")
    return replace(one, documents=str(path), vectors=None)


def _measure(conn: psycopg.Connection, name: str, field: str, options: TrainingOptions) -> None:
    began = time.process_time()
    found = training_gain(conn, edition="all", field=field, folds=_FOLDS, options=options)
    tell(
        f"{name}, {field}, rate {options.rate:g}, {options.negatives} hard: nDCG@10 before / after, gain and interval",
        f"{found.before:.3f} / {found.after:.3f}, {found.gain:+.3f} ({found.low:+.3f} to {found.high:+.3f})",
        f"{found.queries} queries, {(time.process_time() - began) / 60:.0f} CPU minutes",
    )


if __name__ == "__main__":
    main()
