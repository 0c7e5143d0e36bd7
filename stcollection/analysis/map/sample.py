"""Read the vectors and texts of the documents on a map."""

from __future__ import annotations

from array import array
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
    docs, numbers, total = array("q"), bytearray(), 0
    with conn.cursor(binary=True) as cursor:
        cursor.execute(
            "SELECT doc, v, documents FROM stc.map_sample(%s::integer, %s, %s)", [options.documents, options.seed, options.model]
        )
        for doc, vector, total in cursor:  # noqa: B007  (the same in each row)
            docs.append(doc)
            numbers += vector[_HEADER:]
    if not docs:
        raise StateError("no document has a vector", hint="Compute vectors with 'stc vectors embed'.", sqlstate="IR405")
    digest = sha256(repr((_METHOD, astuple(options), total)).encode())
    digest.update(docs)
    digest.update(numbers)
    vectors = np.frombuffer(numbers, dtype=">f4").reshape(len(docs), -1).astype(np.float32)
    return MapSample(total=total, docs=np.array(docs, dtype=np.int64), vectors=vectors, fingerprint=digest.hexdigest())


@translate()
def document_texts(conn: psycopg.Connection, docs: Sequence[int]) -> list[str]:
    """Return title and abstract of documents as one text each, '' for a document that no longer exists."""
    by_doc: dict[int, str] = dict(
        conn.execute(
            "SELECT doc, concat_ws(E'\\n', title, abstract) FROM documents WHERE doc = ANY(%s)", [[int(doc) for doc in docs]]
        ).fetchall()
    )
    return [by_doc.get(int(doc), "") for doc in docs]
