"""Add judgments to an edition, and list the editions.

python scripts/load_qrels.py mine train train.qrels
"""

from __future__ import annotations

import argparse
import sys

import stcollection
from stcollection.errors import StcError


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("db", help="name of the collection")
    parser.add_argument("edition", help="name of the edition, such as train")
    parser.add_argument("files", nargs="+", help="qrels: TREC's four columns, BEIR, CSV or JSON")
    parser.add_argument(
        "--unknown",
        default="error",
        choices=["error", "skip", "stub"],
        help="unknown documents are an error, skipped, or stored as stubs",
    )
    wanted = parser.parse_args()
    options = stcollection.JudgmentOptions(unknown_documents=wanted.unknown)
    with stcollection.open(wanted.db) as c:
        for added in c.qrels.add(*wanted.files, edition=wanted.edition, options=options):
            print(f"{added.judgments:,} judgments read, {added.added:,} added, {added.skipped_documents:,} documents skipped")
        print(c.qrels.editions()[["edition", "queries", "judgments", "grades"]].to_string(index=False))


if __name__ == "__main__":
    try:
        main()
    except StcError as error:
        sys.exit(f"{error}. {error.hint or ''}")
