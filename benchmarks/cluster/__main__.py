"""One server beside a coordinator and three workers with Citus, all on this machine: loads, indexes, searches, runs.

``make bench-cluster`` measures ACM-CR, 110,293 documents; ``make bench-cluster OPTIONS='--documents 1102930'`` ten copies with
recombined texts (benchmarks/full/documents.py). It builds Citus once (tests/cluster/servers.py). Each finished step is saved in
``build/cluster-<documents>/results.json``, and an interrupted benchmark continues after it.

The servers of the cluster share the processor of this machine, so ratios show what distribution costs, not what more machines gain:
the one server has the whole processor, and as much memory as the four servers together.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from benchmarks.cluster import equal, fill, search
from benchmarks.cluster.sides import sides
from benchmarks.common import REPOSITORY, data
from benchmarks.full.documents import COPY, Seeds, write
from benchmarks.full.steps import Steps, machine
from tests.cluster.servers import NotHere

SHARDS = 12
BYTES_A_DOCUMENT = 30_000  # of both collections, files and write-ahead logs; rounded up
HEADINGS = ("what", "cluster", "one server", "ratio", "difference")


def main(argv: Sequence[str] = ()) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=COPY, help="number of documents (default: %(default)s)")
    parser.add_argument("--shards", type=int, default=SHARDS, help="shards of a new cluster's tables (default: %(default)s)")
    parser.add_argument("--step", action="append", default=[], help="measure only this step, again if it is finished")
    parser.add_argument("--write", type=Path, metavar="FILE", help="write the results as Markdown and stop")
    parser.add_argument("--remove", action="store_true", help="remove the servers and their files")
    options = parser.parse_args(argv)
    folder = REPOSITORY / "build" / f"cluster-{options.documents}"
    if options.remove:
        shutil.rmtree(folder)
        return
    if options.write:
        options.write.write_text(_page(Steps(folder / "results.json"), options.documents), encoding="utf-8")
        return
    folder.mkdir(parents=True, exist_ok=True)
    free, needed = shutil.disk_usage(folder).free, options.documents * BYTES_A_DOCUMENT
    if not (folder / "results.json").exists() and free < needed:
        raise SystemExit(f"{needed / 1e9:.0f} GB of disk are needed, {free / 1e9:.0f} GB are free: lower --documents")
    _measure(Steps(folder / "results.json", tuple(options.step)), folder, options.documents, options.shards)


def _measure(steps: Steps, folder: Path, documents: int, shards: int) -> None:
    """Run the steps in order; later ones need what earlier ones stored."""
    seeds = cache(Seeds)
    sizes = [min(COPY, documents - start) for start in range(0, documents, COPY)]
    files = [folder / f"{number:03}.json.zst" for number in range(len(sizes))]
    steps.run("documents written", lambda: [write(seeds(), folder, number, size) for number, size in enumerate(sizes)])
    try:
        started = sides(folder, shards)
        with started as found:
            steps.run("load", lambda: fill.loaded(found, files, shards))
            steps.run("processes of a load", lambda: fill.in_processes(found, files[0], shards))
            steps.run("text index", lambda: fill.text_indexed(found))
            steps.run("vectors", lambda: fill.vectors_stored(found, seeds(), folder, len(sizes)))
            steps.run("equal runs", lambda: equal.compared(found, seeds(), documents))
            steps.run("vector indexes", lambda: fill.vectors_indexed(found))
            queries = data() / "simpletext" / "simpletext_2024_task1_queries.csv"
            steps.run("queries", lambda: fill.queries_stored(found, seeds(), queries))
            steps.run("disk", lambda: fill.disk(found))
            steps.run("fixed cost", lambda: search.fixed(found))
            steps.run("words", lambda: search.lexical(found, portable=documents <= COPY))
            steps.run("dense", lambda: search.dense(found, seeds()))
            steps.run("hybrid", lambda: search.hybrid(found, seeds()))
            steps.run("runs", lambda: search.runs(found))
    except NotHere as reason:
        raise SystemExit(f"bench-cluster: {reason}") from reason


def _page(steps: Steps, documents: int) -> str:
    head = (
        f"# One server beside a coordinator and three workers, {documents:,} documents\n\n"
        f"By `make bench-cluster` on {machine()}. All servers share this machine; its load before a step: {steps.loads()}.\n"
        "Times are medians over queries, ratios and differences medians of paired times; rows are those that the workers send for\n"
        "a search.\n"
    )
    return head + "\n".join(steps.table(HEADINGS)) + "\n"


if __name__ == "__main__":
    main(sys.argv[1:])
