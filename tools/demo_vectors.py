"""Compute the vectors that the demo carries, after 'stc demo --synthetic': python -m tools.demo_vectors."""

from __future__ import annotations

import numpy as np

from stcollection.cli.demo import QUESTION
from stcollection.db.connection import connect
from stcollection.db.settings import read_settings
from stcollection.demo import VECTORS
from stcollection.demo.vectors import digest
from stcollection.vectors.model import EncoderOptions, load

TEXTS = "SELECT title FROM dblp_text UNION SELECT abstract FROM dblp_text UNION SELECT stc.query_to_embed(text) FROM st1_queries"


def main() -> None:
    with connect(read_settings(db="demo")) as conn:
        texts = sorted({QUESTION, *(text for (text,) in conn.execute(TEXTS) if text)}, key=digest)
    vectors = load(options=EncoderOptions(precision="fp32")).encode(texts)
    np.savez_compressed(VECTORS, digests=np.array([digest(text) for text in texts], dtype=np.uint64), vectors=vectors)
    print(f"{VECTORS}: {len(texts)} texts, {VECTORS.stat().st_size / 1000:.0f} KB")


if __name__ == "__main__":
    main()
