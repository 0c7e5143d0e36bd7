"""Expand judgments: the nearest documents of each relevant document become relevant, in a new edition.

python scripts/expand_qrels.py mine train --threshold 0.85
"""

from __future__ import annotations

import argparse
import sys

import stcollection
from stcollection.errors import StcError


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("db", help="name of the collection")
    parser.add_argument("edition", help="edition to expand; it is not changed")
    parser.add_argument("--into", help="name of the new edition; by default EDITION-knn")
    parser.add_argument("--neighbours", type=int, default=10, help="maximum for each relevant document")
    parser.add_argument("--threshold", type=float, default=0.8, help="minimum cosine")
    wanted = parser.parse_args()
    with stcollection.open(wanted.db) as c:
        made = c.qrels.expand(wanted.edition, wanted.into, neighbours=wanted.neighbours, threshold=wanted.threshold)
        print(f"{made.expansion}: {made.copied:,} judgments copied, {made.added:,} added")


if __name__ == "__main__":
    try:
        main()
    except StcError as error:
        sys.exit(f"{error}. {error.hint or ''}")
