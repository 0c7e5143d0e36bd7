"""Store topics and queries: a TSV or CSV file with qid and query, JSON, or TREC topics. A file is stored whole or not at all.

python scripts/load_topics.py mine queries.csv
"""

from __future__ import annotations

import argparse
import sys

import stcollection
from stcollection.errors import StcError


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("db", help="name of the collection")
    parser.add_argument("files", nargs="+", help="files of queries")
    parser.add_argument("--replace", action="store_true", help="replace texts of queries that are stored")
    wanted = parser.parse_args()
    with stcollection.open(wanted.db) as c:
        found = c.topics.add(*wanted.files, replace=wanted.replace)
        print(f"{found.queries:,} queries read, {found.added:,} added, {found.changed:,} changed")


if __name__ == "__main__":
    try:
        main()
    except StcError as error:
        sys.exit(f"{error}. {error.hint or ''}")
