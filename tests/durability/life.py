"""Steps that build and change a small collection, each a ``stc`` command as typed by a user, and their files."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tests.vectors.worlds import clustered

DOCUMENTS = 9000
MORE = 3000
WORDS = [f"w{number:04d}" for number in range(3000)]
QUERIES, RUNS = 20, 3
SEARCHED = 150
NAMES = (
    "load", "text index", "load more", "text index again", "vectors import", "vectors index", "runs import", "qrels import",
    "qrels expand", "topics load", "retrieval run", "complexity compute", "complexity credibility",
)  # fmt: skip


@dataclass(frozen=True)
class Step:
    """A command.

    :param name: one of NAMES. :param whole: whether the command is atomic; otherwise it commits in consistent parts.
    :param moments: SQL conditions that are true in the middle of the command; a kill waits for one of them.
    """

    name: str
    command: tuple[str, ...]
    whole: bool
    moments: tuple[str, ...]


def _running(like: str) -> str:
    """Condition: another session of the database is running such a statement."""
    return (
        "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
        f" AND state = 'active' AND query LIKE '{like}')"
    )


_BUILDING = "SELECT EXISTS (SELECT FROM pg_stat_progress_create_index WHERE datname = current_database())"


def steps(folder: Path) -> list[Step]:
    """The steps; their files are written into the folder."""
    return [
        Step(
            "load", ("corpus", "load", str(_corpus(folder, 1, DOCUMENTS)), "--workers", "2"), False,
            ("SELECT count(*) >= 2 FROM stc.corpus_chunks", _running("COPY dblp_text%")),
        ),
        Step("text index", ("text", "index"), True, (_BUILDING, _running("CALL index_text%"))),
        Step(
            "load more", ("corpus", "load", str(_corpus(folder, DOCUMENTS + 1, MORE)), "--workers", "1"), False,
            (_running("COPY dblp_text%"), "SELECT stale FROM stc.text_index"),
        ),
        Step("text index again", ("text", "index"), True, (_BUILDING, _running("CALL index_text%"))),
        Step(
            "vectors import", ("vectors", "import", *map(str, _vectors(folder)), "--field", "title"), True,
            (_running("COPY pg_temp.incoming_vectors%"), _running("%store_vectors%")),
        ),
        Step(
            "vectors index", ("vectors", "index", "--field", "title", "--lists", "90"), True,
            (_BUILDING, _running("CALL index_vectors%")),
        ),
        Step(
            "runs import", ("runs", "import", *map(str, _runs(folder))), False,
            ("SELECT count(*) >= 1 FROM st1_runs", _running("%import_run%")),
        ),
        Step("qrels import", ("qrels", "import", "--edition", "train", str(_qrels(folder))), True, (_running("%import_qrels%"),)),
        Step(
            "qrels expand",
            ("qrels", "expand", "--edition", "train", "--neighbours", "10", "--threshold", "0.3", "--from-rel", "2"), True,
            (_running("%expand_qrels%"),),
        ),
        Step("topics load", ("topics", "load", str(_topics(folder))), True, (_running("%st1_queries%"),)),
        Step(
            "retrieval run", ("retrieval", "run", "rm3", "--name", "made"), False,
            ("SELECT count(*) >= 1 FROM stc.unfinished_rankings", _running("%search_queries%"), _running("%finish_run%")),
        ),
        Step(
            "complexity compute", ("complexity", "compute", "--workers", "2"), False,
            ("SELECT count(*) >= 1 FROM st1_complexity_metrics", _running("%store_measures%")),
        ),
        Step("complexity credibility", ("complexity", "credibility"), True, (_running("%rank_citations%"),)),
    ]  # fmt: skip


def _corpus(folder: Path, first: int, count: int) -> Path:
    """A dblp v12 file; one record in a hundred has no title and is rejected."""
    draw = random.Random(first)
    weights = [1 / (place + 1) for place in range(len(WORDS))]

    def text(length: int) -> str:
        return " ".join(draw.choices(WORDS, weights=weights, k=length))

    def record(number: int) -> dict[str, object]:
        title = "" if number % 100 == 0 else text(8)
        return {
            "id": number, "title": title, "abstract": text(60), "year": 2000 + number % 20, "n_citation": number % 50,
            "authors": [{"name": f"A{number % 99}. Author", "id": number % 99}], "references": [max(1, number - 1)],
        }  # fmt: skip

    file = folder / f"documents-{first}.json"
    file.write_text("[\n" + ",\n".join(json.dumps(record(number)) for number in range(first, first + count)) + "\n]\n")
    return file


def _ids() -> list[int]:
    return [number for number in range(1, DOCUMENTS + 1) if number % 100]


def _vectors(folder: Path) -> tuple[Path, Path]:
    vectors, ids = folder / "vectors.npy", folder / "ids.npy"
    np.save(vectors, clustered(len(_ids()), seed=3).astype(np.float32))
    np.save(ids, np.array(_ids(), dtype=np.int64))
    return vectors, ids


def _runs(folder: Path) -> list[Path]:
    """Runs with this number of queries and 400 documents each; a few documents are not in the collection."""
    files = []
    for run in range(RUNS):
        draw = random.Random(run)
        lines = []
        for query in range(QUERIES):
            docs = [*draw.sample(_ids(), 395), *range(900_000, 900_005)]
            lines += [f"q{query:02d} Q0 {doc} {rank} {2000 - rank} run{run}\n" for rank, doc in enumerate(docs, start=1)]
        file = folder / f"run{run}.run"
        file.write_text("".join(lines))
        files.append(file)
    return files


def _topics(folder: Path) -> Path:
    draw = random.Random(7)
    file = folder / "queries.tsv"
    file.write_text("".join(f"s{query:03d}\t{' '.join(draw.sample(WORDS, 8))}\n" for query in range(SEARCHED)))
    return file


def _qrels(folder: Path) -> Path:
    draw = random.Random(5)
    file = folder / "train.qrels"
    file.write_text(
        "".join(f"q{query:02d} 0 {doc} {draw.randrange(3)}\n" for query in range(QUERIES) for doc in draw.sample(_ids(), 150))
    )
    return file
