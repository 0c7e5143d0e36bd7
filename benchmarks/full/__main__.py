"""The whole collection at the size of dblp v12: 45 copies of ACM-CR, 4.96 million documents, each step beside a peer.

``make bench-full`` takes up to three hours and 70 GB of disk, and checks the free space first. ``make bench-full OPTIONS='--copies
10'`` measures 1.1 million documents. Each finished step is saved in ``build/full-<copies>/results.json``, and an interrupted
benchmark continues after it. documents.py describes the documents.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from functools import cache
from pathlib import Path

import psycopg

from benchmarks import filters
from benchmarks.common import REPOSITORY, dsn, server
from benchmarks.full import evaluate, fill, search
from benchmarks.full.documents import COPY, Seeds, write
from benchmarks.full.steps import Steps, machine, prepare
from stcollection.db.connection import connect
from stcollection.db.settings import Settings

COPIES = 45
# Disk space per copy: files, rows, indexes and the sorts that build them; measured, then rounded up.
BYTES_A_COPY = 1.5e9


def main(argv: Sequence[str] = ()) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--copies", type=int, default=COPIES, help="copies of ACM-CR (default: %(default)s)")
    parser.add_argument("--step", action="append", default=[], help="measure only this step, again if it is finished")
    parser.add_argument("--write", type=Path, metavar="FILE", help="write the results as Markdown and stop")
    parser.add_argument("--remove", action="store_true", help="remove the collection and its files")
    options = parser.parse_args(argv)
    folder = REPOSITORY / "build" / f"full-{options.copies}"
    if options.write:
        options.write.write_text(_page(Steps(folder / "results.json"), options.copies), encoding="utf-8")
        return
    folder.mkdir(parents=True, exist_ok=True)
    with server() as at:
        needed, what = options.copies * BYTES_A_COPY, f"{options.copies} copies"
        settings = prepare(
            at, f"bench_full_{options.copies}", folder, remove=options.remove, needed=needed, what=what, option="--copies"
        )
        if settings is None:
            return
        steps = Steps(folder / "results.json", tuple(options.step))
        _measure(steps, folder, options.copies, settings)


def _measure(steps: Steps, folder: Path, copies: int, settings: Settings) -> None:
    """Run the steps in order; later ones need what earlier ones stored."""
    seeds = cache(Seeds)
    files = [folder / f"{number:03}.json.zst" for number in range(copies)]
    with ExitStack() as stack:

        def conn() -> psycopg.Connection:
            return stack.enter_context(connect(settings, autocommit=True))

        steps.run("documents written", lambda: [write(seeds(), folder, number) for number in range(copies)])
        steps.run("load", lambda: fill.loaded(settings, files))
        steps.run("text index", lambda: fill.text_indexed(conn()))
        steps.run("vectors", lambda: fill.vectors_stored(conn(), seeds(), folder, copies))
        steps.run("BM25", lambda: search.words(conn(), folder))
        steps.run("ivfflat", lambda: search.dense(conn(), seeds(), copies, "ivfflat"))
        steps.run("ivfflat of titles", lambda: fill.titles_indexed(conn()))
        steps.run("hybrid", lambda: search.hybrid(conn()))
        steps.run("facets", lambda: search.facets(conn()))
        steps.run("filters", lambda: filters.measure(dsn(settings), ["bm25", "ivfflat", "hybrid"], 3))
        steps.run("disk", lambda: fill.disk(conn()))
        steps.run("runs", lambda: evaluate.runs(conn()))
        steps.run("boolean run", lambda: evaluate.runs(conn(), ["boolean"]))  # takes longer than all others together
        steps.run("scores", lambda: evaluate.scored(conn()))
        steps.run("dropped runs", lambda: evaluate.dropped(conn()))
        steps.run("hnsw", lambda: search.dense(conn(), seeds(), copies, "hnsw"))
        steps.run("readers of the page", lambda: evaluate.read(settings))
        steps.run("expansion", lambda: evaluate.expanded(conn()))
        steps.run("load and text index, a part", lambda: fill.small(settings, files[: max(1, min(10, copies // 2))]))
        stack.close()
        if settings.embedded:
            steps.run("kill -9", lambda: evaluate.killed(settings))


def _page(steps: Steps, copies: int) -> str:
    head = (
        f"# Measured with {copies * COPY:,} documents\n\n"
        "Look up how long each step takes, and how much memory and disk.\n\n"
        f"By `make bench-full` on {machine()}; load of the machine before a step: {steps.loads()}.\n"
        f"The documents are ACM-CR and {copies - 1} copies of it with recombined texts and moved vectors\n"
        "(benchmarks/full/documents.py); vectors are searched by SimpleText's queries. Times are medians over queries, ratios\n"
        "medians of paired times. A step that was measured again has its latest figures.\n"
    )
    return head + "\n".join(steps.table()) + "\n"


if __name__ == "__main__":
    main(sys.argv[1:])
