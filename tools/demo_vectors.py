"""Compute the vectors that the demo carries, after 'stc demo --synthetic': python -m tools.demo_vectors."""

from __future__ import annotations

from stcollection.cli.demo import QUESTION
from stcollection.db.connection import connect
from stcollection.db.settings import read_settings
from stcollection.demo import VECTORS
from stcollection.vectors.model import EncoderOptions, load
from stcollection.vectors.stored import write_vectors

TEXTS = "SELECT title FROM dblp_text UNION SELECT abstract FROM dblp_text UNION SELECT stc.query_to_embed(text) FROM st1_queries"


def main() -> None:
    with connect(read_settings(db="demo")) as conn:
        texts = [QUESTION, *(text for (text,) in conn.execute(TEXTS) if text)]
    write_vectors(VECTORS, texts, encoder=load(options=EncoderOptions(precision="fp32")))
    print(f"{VECTORS}: {len(set(texts))} texts, {VECTORS.stat().st_size / 1000:.0f} KB")


if __name__ == "__main__":
    main()
