"""Embed titles and abstracts and index the vectors. If interrupted, run it again to continue.

python scripts/embed_corpus.py mine
python scripts/embed_corpus.py mine --model BAAI/bge-small-en
"""

from __future__ import annotations

import argparse
import sys

import stcollection
from stcollection.errors import StcError


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("db", help="name of the collection")
    parser.add_argument("--model", help="a name or folder of sentence-transformers; by default that of the collection")
    parser.add_argument("--field", action="append", choices=["title", "abstract"], help="by default both")
    wanted = parser.parse_args()
    fields = wanted.field or ["title", "abstract"]
    with stcollection.open(wanted.db) as c:
        made = c.vectors.embed(wanted.model, fields=fields)
        print(f"{made.model}: {made.titles:,} titles and {made.abstracts:,} abstracts embedded in {made.seconds:.0f} s")
        for index in c.vectors.index(wanted.model, fields=fields):
            print(f"{index.field}: {index.kind} over {index.rows:,} vectors")


if __name__ == "__main__":
    try:
        main()
    except StcError as error:
        sys.exit(f"{error}. {error.hint or ''}")
