"""Load a dblp file into a collection, then index and embed it: an example of the Python functions behind five `stc` commands.

    python scripts/load_dblp.py mine dblp.v12.json.zip

If interrupted, run it again to continue.
"""

from __future__ import annotations

import sys

from stcollection.corpus.ledger import status
from stcollection.corpus.load import load
from stcollection.db.collections import create
from stcollection.db.connection import connect, conninfo
from stcollection.db.settings import read_settings
from stcollection.text.index import index as index_text
from stcollection.vectors.embed import embed
from stcollection.vectors.index import index as index_vectors


def main(db: str, *files: str) -> None:
    settings = read_settings(db=db)
    create(settings, exist_ok=True)
    for loaded in load(conninfo(settings), files):
        print(f"{loaded.path}: {loaded.documents:,} documents, {loaded.rejects:,} rejects, {loaded.state}")
    with connect(settings, autocommit=True) as conn:
        print(f"text: {index_text(conn).documents:,} documents indexed")
        print(f"vectors: {embed(conn)}")
        for index in index_vectors(conn):
            print(f"vectors: {index}")
        for what, count in status(conn):
            print(f"{what}: {count:,}")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
