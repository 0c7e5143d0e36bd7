"""Write a stored run to a file: a SimpleText submission, or TREC's six columns.

python scripts/export_run.py mine my-hybrid my-hybrid.run --format trec
"""

from __future__ import annotations

import argparse
import sys

import stcollection
from stcollection.errors import StcError


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("db", help="name of the collection")
    parser.add_argument("run", help="name of the run")
    parser.add_argument("file", help="file to write; .gz compresses it")
    parser.add_argument("--format", default="simpletext", choices=["simpletext", "simpletext-2022", "trec"])
    parser.add_argument("--depth", type=int, help="documents per query; by default all")
    wanted = parser.parse_args()
    with stcollection.open(wanted.db) as c:
        c.runs.export(wanted.run, wanted.file, layout=wanted.format, depth=wanted.depth)
        print(f"{wanted.file} written")


if __name__ == "__main__":
    try:
        main()
    except StcError as error:
        sys.exit(f"{error}. {error.hint or ''}")
