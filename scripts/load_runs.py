"""Import run files, named like their files, and print their scores.

python scripts/load_runs.py mine bm25.run neural.json.gz --edition train
"""

from __future__ import annotations

import argparse
import sys

import stcollection
from stcollection.errors import StcError


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("db", help="name of the collection")
    parser.add_argument("files", nargs="+", help="TREC's six columns, or SimpleText JSON")
    parser.add_argument("--edition", required=True, help="edition of judgments that scores them")
    wanted = parser.parse_args()
    with stcollection.open(wanted.db) as c:
        runs = [run.run for run in c.runs.load(*wanted.files)]
        print(c.score(runs, edition=wanted.edition, measures=["nDCG@10", "AP", "R@100"]).to_string(index=False))


if __name__ == "__main__":
    try:
        main()
    except StcError as error:
        sys.exit(f"{error}. {error.hint or ''}")
