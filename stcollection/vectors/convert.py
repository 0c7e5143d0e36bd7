"""Store vectors in half or full precision."""

from __future__ import annotations

from dataclasses import dataclass

import psycopg

from stcollection.errors import translate
from stcollection.vectors.index import Indexed, IndexOptions, index
from stcollection.vectors.store import StoredModel, registered, require_idle


@dataclass(frozen=True, kw_only=True)
class Converted:
    """What a conversion did.

    :param storage: ``vector`` or ``halfvec``. :param converted: False if the vectors already were stored so.
    :param indexes: the indexes of the model; those that the conversion dropped are built again.
    """

    model: str
    storage: str
    converted: bool
    indexes: list[Indexed]


@translate()
def convert(conn: psycopg.Connection, *, model: StoredModel = None, half: bool) -> Converted:
    """Store a model's vectors in half precision (halfvec) or full precision (vector), and build its indexes again.

    The tables are rewritten in one transaction, and readers wait for it. Each index is then built in another one, and searches
    compare all vectors until it exists. An interrupted conversion continues when it is repeated.

    :param half: store them in half precision.
    :raises UnknownObject: the model is not registered.
    :raises BadArgument: the vectors have more than 2,000 dimensions, or a diskann index.
    """
    require_idle(conn)
    with conn.transaction():
        [(converted,)] = conn.execute("SELECT stc.convert_vectors(%s, %s)", [model, half]).fetchall()
        space = registered(conn, model)
        known = conn.execute(
            "SELECT field, kind, lists, m, ef_construction FROM stc.vector_indexes WHERE model = %s ORDER BY field", [space.model]
        ).fetchall()
    indexes: list[Indexed] = []
    for field, kind, lists, m, ef_construction in known:
        options = IndexOptions(kind=kind, lists=lists, m=m, ef_construction=ef_construction)
        indexes += index(conn, model=space.model, fields=[field], options=options)
    return Converted(model=space.model, storage=space.storage, converted=converted, indexes=indexes)
