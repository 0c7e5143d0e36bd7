"""Load documents into a collection and build its text index. If interrupted, run it again to continue.

python scripts/load_corpus.py mine dblp.v12.json.zip
python scripts/load_corpus.py mine papers.csv --map title=headline,text=body
"""

from __future__ import annotations

import argparse
import sys

import stcollection
from stcollection.errors import StcError


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("db", help="name of the collection")
    parser.add_argument("files", nargs="+", help="dblp JSON, JSON lines, CSV, TREC and others, plain or compressed")
    parser.add_argument("--map", help="names of your fields: title=FIELD,text=FIELD")
    wanted = parser.parse_args()
    with stcollection.create(wanted.db, exist_ok=True) as c:
        for file in c.corpus.load(*wanted.files, map=wanted.map):
            print(f"{file.path}: {file.documents:,} documents, {file.rejects:,} rejects, {file.state}")
        print(f"text: {c.text.index().documents:,} documents indexed")


if __name__ == "__main__":
    try:
        main()
    except StcError as error:
        sys.exit(f"{error}. {error.hint or ''}")
