"""Search all queries with BM25 and vectors of abstracts, fuse both, store the runs and score them.

python scripts/hybrid_run.py mine my-hybrid --edition train
"""

from __future__ import annotations

import argparse
import sys

import stcollection
from stcollection.errors import StcError


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("db", help="name of the collection")
    parser.add_argument("name", help="name of the fused run")
    parser.add_argument("--edition", help="edition of judgments; with none, nothing is scored")
    parser.add_argument("--depth", type=int, default=100, help="documents per query")
    parser.add_argument("--weight", type=float, default=1.0, help="weight of the vectors of abstracts; that of BM25 is 1")
    wanted = parser.parse_args()
    with stcollection.open(wanted.db) as c:
        parts = {f"{wanted.name}-{system}": system for system in ("bm25", "dense-abstract")}
        for run, system in parts.items():
            c.run(system, run, depth=wanted.depth, replace=True)
        weights = dict(zip(parts, (1.0, wanted.weight), strict=True))
        c.fuse(wanted.name, list(parts), weights=weights, depth=wanted.depth, replace=True)
        print(f"stored {', '.join([*parts, wanted.name])}")
        if wanted.edition:
            print(c.score([*parts, wanted.name], edition=wanted.edition, measures=["nDCG@10", "AP"]).to_string(index=False))


if __name__ == "__main__":
    try:
        main()
    except StcError as error:
        sys.exit(f"{error}. {error.hint or ''}")
