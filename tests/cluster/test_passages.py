"""Exact search in passages reads the nearest passages of each shard only, and its documents are those of all passages."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from stcollection.db import distribution
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.db.upgrade import upgrade
from stcollection.vectors.queries import notation
from tests.cluster.conftest import NewDatabase

_DOCUMENTS = 400
_DIM = 384
_RNG = np.random.default_rng(3)
_ASKED = _RNG.standard_normal(_DIM).astype(np.float32)
_ASKED /= np.linalg.norm(_ASKED)


def _passage(cosine: float) -> npt.NDArray[np.float32]:
    """Return a vector with this cosine with the query."""
    other = _RNG.standard_normal(_DIM).astype(np.float32)
    other -= (other @ _ASKED) * _ASKED
    made = cosine * _ASKED + np.sqrt(1 - cosine**2) * other / np.linalg.norm(other)
    return np.asarray(made, dtype=np.float32)


def _cosines(doc: int) -> list[float]:
    """Return cosines such that the best passages belong to documents with a low mean: these have nine poor ones, too."""
    if doc <= 300:
        return [0.9 - doc / 2000, *[0.1] * 9]
    return [0.7 - doc / 2000, 0.69 - doc / 2000]


@pytest.fixture(scope="module")
def settings(new_database: NewDatabase) -> Settings:
    made = new_database()
    upgrade(made)
    with connect(made, autocommit=True) as conn, conn.transaction(), conn.cursor() as cursor:
        cursor.execute("INSERT INTO stc.vector_models (model, name, dim, relation) VALUES ('minilm', 'a', 384, 'dblp_v')")
        passage = 0
        for doc in range(1, _DOCUMENTS + 1):
            cursor.execute("INSERT INTO dblp (id, docno, doc) VALUES (%s, %s, '{}')", [doc, f"d{doc:03}"])
            cursor.execute("INSERT INTO dblp_text (id, title, abstract) VALUES (%s, 'a', 'b')", [doc])
            for position, cosine in enumerate(_cosines(doc), 1):
                passage += 1
                cursor.execute(
                    "INSERT INTO dblp_passages (id, doc, position, text) OVERRIDING SYSTEM VALUE VALUES (%s, %s, %s, 'b')",
                    [passage, doc, position],
                )
                cursor.execute("INSERT INTO dblp_p (id, passage_v) VALUES (%s, %s::vector)", [passage, notation(_passage(cosine))])
    distribution.distribute(made, shards=6)
    return made


def _best(aggregate: str, k: int) -> list[tuple[int, float]]:
    """Return the best documents and their scores, from the cosines."""

    def score(cosines: list[float]) -> float:
        some = sorted(cosines, reverse=True)[: {"max": 1, "top3": 3}.get(aggregate)]
        return sum(some) / len(some)

    scores = {doc: score(_cosines(doc)) for doc in range(1, _DOCUMENTS + 1)}
    return sorted(scores.items(), key=lambda one: -one[1])[:k]


@pytest.mark.parametrize("aggregate", ["max", "mean", "top3"])
@pytest.mark.parametrize("k", [1, 20, 399, 1000])
def test_exact_search(settings: Settings, aggregate: str, k: int) -> None:
    with connect(settings, autocommit=True) as conn:
        found = conn.execute(
            "SELECT doc, score FROM passage_search(%s::vector, %s, %s, effort => 0)", [notation(_ASKED), k, aggregate]
        ).fetchall()
    expected = _best(aggregate, k)
    assert [doc for doc, _ in found] == [doc for doc, _ in expected]
    assert [score for _, score in found] == pytest.approx([score for _, score in expected], abs=1e-5)


def test_few_passages_are_read(settings: Settings) -> None:
    """The best documents by max are among the nearest 4 k passages; by mean, all passages must be read here."""
    read = {aggregate: _read(settings, aggregate) for aggregate in ("max", "mean")}
    assert read["max"] == [4 * 5]
    assert len(read["mean"]) > 1


def _read(settings: Settings, aggregate: str) -> list[int]:
    """Return how many passages were requested from each shard, in the order of the statements."""
    sent: list[str] = []
    with connect(settings, autocommit=True) as conn:
        conn.add_notice_handler(lambda one: sent.append(one.message_primary or ""))
        with conn.transaction(force_rollback=True):
            conn.execute("UPDATE pg_proc SET proconfig = array_remove(proconfig, 'client_min_messages=warning')")
            conn.execute("SET LOCAL citus.log_remote_commands = on")
            conn.execute("SELECT * FROM passage_search(%s::vector, 5, %s, effort => 0)", [notation(_ASKED), aggregate])
    asked = [one for one in sent if one.startswith("issuing ") and "passage_v" in one and "FETCH FIRST" in one]
    limits = [int(one.split("FETCH FIRST ")[1].lstrip("('").split("'")[0].split(" ")[0]) for one in asked]
    assert len(limits) % 6 == 0
    return limits[::6]
