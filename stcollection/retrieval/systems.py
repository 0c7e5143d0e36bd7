"""The retrieval systems of a collection: those of the product, and those that users added with ``add_system``."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, NamedTuple, overload

import psycopg
from psycopg.rows import class_row

from stcollection.declared import Option, declare
from stcollection.errors import UnknownObject, translate
from stcollection.io.files import read_text
from stcollection.retrieval import EMBEDDING, SPARSE, SYSTEMS
from stcollection.retrieval.crossencoder import locate
from stcollection.vectors.model import Encoder


class ListedSystem(NamedTuple):
    """A retrieval system.

    :param function: SQL function that searches. :param vector: it needs the vector of the query.
    :param maker: who added it: organisers, for everybody, or the role itself; None: the product.
    :param problem: why the role cannot run it; None: it can.
    """

    system: str
    title: str
    function: str
    vector: bool
    maker: str | None
    problem: str | None


@translate()
def systems(conn: psycopg.Connection) -> list[ListedSystem]:
    """Return the systems that the role can name, those of the product first."""
    with conn.transaction(), conn.cursor(row_factory=class_row(ListedSystem)) as cursor:
        return cursor.execute("SELECT system, title, function, vector, maker, problem FROM public.systems").fetchall()


def runnable_systems(conn: psycopg.Connection) -> list[str]:
    """Return the names of the systems that the role can run."""
    return [known.system for known in systems(conn) if known.problem is None]


def needs_vector(conn: psycopg.Connection, *names: str) -> bool:
    """Return True if one of the systems needs a vector of the query. Unknown systems need none."""
    if not EMBEDDING.isdisjoint(names):
        return True
    return not SYSTEMS.keys() >= {*names} and any(known.vector for known in systems(conn) if known.system in names)


@overload
def model_of(conn: psycopg.Connection, system: str, model: str | None) -> str | None: ...


@overload
def model_of(conn: psycopg.Connection, system: str, model: str | Encoder | None) -> str | Encoder | None: ...


def model_of(conn: psycopg.Connection, system: str, model: str | Encoder | None) -> str | Encoder | None:
    """Return the model that a search by a system embeds its query with: as given, or the first sparse one for a sparse system.

    :raises BadArgument: the model is of the other kind. :raises StateError: the collection has no sparse vectors.
    """
    if system not in SPARSE or not isinstance(model, str | None):
        return model
    [(named,)] = conn.execute("SELECT (stc.vector_model(%s, sparse => true)).model", [model]).fetchall()
    return str(named)


@translate()
def check_name(conn: psycopg.Connection, system: str) -> None:
    """Check that a system exists. :raises UnknownObject: it does not."""
    conn.execute("SELECT stc.check_system_name(%s)", [system])


_CROSS_ENCODER = re.compile(r"(?<=>>)(\s*cross-encoder:)\s*(.*?)(?=(\s+-?\d+)?\s*(>>|$))")


def _located(stage: re.Match[str]) -> str:
    """Return a stage with the full path of its model's folder. :raises UnknownObject: the model is not on this machine."""
    folder = Path(stage[2]).expanduser()
    name = str(folder.resolve()) if folder.is_dir() else stage[2]
    if name:
        locate(name)
    return f"{stage[1]}{name}"


@declare
@translate()
def add_system(
    conn: psycopg.Connection, system: str, function: str, title: str | None = None, *, path: Annotated[Path | None, Option()] = None
) -> str:
    """Add a system, or replace it. After an error nothing of the file stays.

    :param system: Its name. :param function: Its function, with schema and types of arguments; or its stages:
        bm25 1000 >> dense 100 >> cross-encoder:MODEL 50.
    :param title: A few words. :param path: File of SQL that creates the function.
    :raises UnknownObject: there is no such function, stage or model. :raises BadArgument: it cannot be a system.
    :raises StateError: the role may not add it.
    """
    function = _CROSS_ENCODER.sub(_located, function)
    with conn.transaction():
        if path is not None:
            conn.execute(read_text(path).encode())
        conn.execute("SELECT add_system(%s, %s, %s)", [system, function, title])
    return system


@translate()
def drop_system(conn: psycopg.Connection, system: str) -> int:
    """Remove a system that a user added, and return the number of its runs, which stay with the definition of its function.

    :raises UnknownObject: the role added no such system.
    """
    with conn.transaction():
        if conn.execute("SELECT stc.drop_system(%s)", [system]).fetchone() == (0,):
            check_name(conn, system)
            raise UnknownObject(
                f"the system {system} was not added by you", hint="'stc show systems' shows who added each.", sqlstate="IR107"
            )
        [(runs,)] = conn.execute("SELECT count(*) FROM st1_runs WHERE params ->> 'system' = %s", [system]).fetchall()
    return int(runs)
