"""Vectors in a file by text, computed beforehand, so that a collection can be built without the embedding model."""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from stcollection.errors import BadInput
from stcollection.vectors.model import Encoder, EncoderOptions, Vectors, load

_ABOUT = ("name", "short", "max_tokens", "revision", "query_prefix", "passage_prefix", "pooling", "made_by")


def digest(text: str) -> int:
    """Return the key of a text in the file: the first eight bytes of its SHA-256."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


def write_vectors(path: Path, texts: Sequence[str], *, encoder: Encoder) -> None:
    """Write a file with the vectors of texts, and what the collection records of their model."""
    texts = sorted(set(texts), key=digest)
    about = json.dumps({name: getattr(encoder, name) for name in _ABOUT})
    digests = np.array([digest(text) for text in texts], dtype=np.uint64)
    np.savez_compressed(path, digests=digests, vectors=encoder.encode(texts), model=np.array(about))


class TextVectors:
    """An :class:`~stcollection.vectors.model.Encoder` that reads vectors from a file written by :func:`write_vectors`.

    It loads the model for texts that the file lacks.

    :raises BadInput: the file has no such vectors.
    """

    name: str
    short: str
    max_tokens: int | None
    revision: str | None
    query_prefix: str
    passage_prefix: str
    pooling: str
    made_by: str
    batch = 16

    def __init__(self, path: Path) -> None:
        try:
            with np.load(path) as stored:
                self._row = {int(key): row for row, key in enumerate(stored["digests"])}
                self._vectors: Vectors = stored["vectors"]
                about = json.loads(str(stored["model"]))
        except (KeyError, ValueError, OSError, zipfile.BadZipFile) as error:
            raise BadInput(
                f"{path}: not a file of vectors by text", hint="stcollection.vectors.stored.write_vectors writes one."
            ) from error
        self.dim = int(self._vectors.shape[1])
        for name in _ABOUT:
            setattr(self, name, about[name])

    def encode(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        """Return the vectors of texts.

        :returns: float32[len(texts), dim], each row of length 1. :raises StateError: a text is new, and the model is not installed.
        """
        documents = not query or self.query_prefix == self.passage_prefix  # the file has vectors of documents
        rows = [self._row.get(digest(text)) if documents else None for text in texts]
        vectors = np.zeros((len(texts), self.dim), dtype=np.float32)
        stored = [place for place, row in enumerate(rows) if row is not None]
        vectors[stored] = self._vectors[[row for row in rows if row is not None]]
        if new := [place for place, row in enumerate(rows) if row is None]:
            kept = {name: getattr(self, name) for name in ("query_prefix", "passage_prefix", "pooling", "max_tokens")}
            model = load(self.name, short=self.short, options=EncoderOptions(precision="fp32", dimensions=self.dim, **kept))
            vectors[new] = model.encode([texts[place] for place in new], query=query)
        return vectors
