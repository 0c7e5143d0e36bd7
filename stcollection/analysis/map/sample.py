"""Read the vectors and texts of the documents on a map."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple
from hashlib import sha256

import numpy as np
import psycopg

from stcollection.analysis.map.records import MapOptions, MapSample
from stcollection.errors import StateError, translate

_HEADER = 4  # bytes before the numbers of a vector
_METHOD = "PCA 50, t-SNE, k-means, 1"  # change it when the layout or the names change, so that stored maps are not used


@translate()
def sample(conn: psycopg.Connection, options: MapOptions) -> MapSample:
    """Return documents with vectors, all or a sample (sql/analysis/map_sample.sql).

    :raises BadArgument: an option is outside its range. :raises UnknownObject: the model does not exist.
    :raises StateError: no document has a vector.
    """
    with conn.cursor(binary=True) as cursor:
        rows = cursor.execute(
            "SELECT doc, v, documents FROM stc.map_sample(%s::integer, %s, %s)", [options.documents, options.seed, options.model]
        ).fetchall()
    if not rows:
        raise StateError("no document has a vector", hint="Compute vectors with 'stc vectors embed'.", sqlstate="IR405")
    docs = np.array([doc for doc, _, _ in rows], dtype=np.int64)
    parts = [bytes(vector)[_HEADER:] for _, vector, _ in rows]
    digest = sha256(repr((_METHOD, astuple(options), rows[0][2])).encode())
    digest.update(docs.tobytes())
    for part in parts:
        digest.update(part)
    vectors = np.frombuffer(b"".join(parts), dtype=">f4").reshape(len(docs), -1).astype(np.float32)
    return MapSample(total=rows[0][2], docs=docs, vectors=vectors, fingerprint=digest.hexdigest())


@translate()
def document_texts(conn: psycopg.Connection, docs: Sequence[int]) -> list[str]:
    """Return title and abstract of documents as one text each, '' for a document that no longer exists."""
    by_doc: dict[int, str] = dict(
        conn.execute(
            "SELECT doc, concat_ws(E'\\n', title, abstract) FROM documents WHERE doc = ANY(%s)", [[int(doc) for doc in docs]]
        ).fetchall()
    )
    return [by_doc.get(int(doc), "") for doc in docs]
