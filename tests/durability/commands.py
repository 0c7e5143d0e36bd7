"""The commands that write, each with a table whose lock blocks it halfway."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from stcollection import demo
from tests.durability import rivals

Arguments = Callable[[Path, list[int]], list[str | Path]]


def more(folder: Path, count: int = 60) -> Path:
    """Documents that the collection does not contain."""
    path = folder / "more.json"
    records = [{"id": n, "title": f"Title of {n}", "year": 2000, "abstract": f"About {n}"} for n in range(1, count + 1)]
    path.write_text("".join(json.dumps(one) + "\n" for one in records))
    return path


def queries(folder: Path) -> Path:
    path = folder / "queries.tsv"
    path.write_text("n1\tnew words\nn2\tmore words\n")
    return path


# Commands, each with a table; a lock on it blocks the command in the middle of a statement that writes.
COMMANDS: dict[str, tuple[str, Arguments]] = {
    "corpus load": ("dblp_text", lambda folder, _: ["corpus", "load", more(folder)]),
    "text index": ("stc.text_lexemes", lambda *_: ["text", "index", "--engine", "portable", "--config", "simple"]),
    "vectors import": ("dblp_v", lambda folder, ids: ["vectors", "import", *rivals.vectors(folder, ids), "--field", "content"]),
    "vectors index": ("stc.vector_indexes", lambda *_: ["vectors", "index"]),
    "topics load": ("stc.st1_queries", lambda folder, _: ["topics", "load", queries(folder)]),
    "runs import": (
        "stc.ranked_lists",
        lambda folder, ids: ["runs", "import", rivals.trec(folder / "new.run", [str(one) for one in ids])],
    ),
    "retrieval run": ("stc.ranked_lists", lambda *_: ["retrieval", "run", "bm25", "--depth", "20"]),
    "qrels import": ("qrels_judgments", lambda *_: ["qrels", "import", "--edition", "test", demo.qrels("test")]),
    "qrels expand": ("qrels_judgments", lambda *_: ["qrels", "expand", "--edition", "train", "--threshold", "0.1"]),
    "pool submit": ("stc_all.qrels_assessments", lambda *_: ["qrels", "pool", "submit", "pool", "--edition", "pooled"]),
}
