"""stc db create --shards: a collection that is distributed before it is loaded."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import psycopg
import pytest
from click.testing import CliRunner

import stcollection
from stcollection.api.collection import Collection
from stcollection.db import distribution
from stcollection.db.check import problems
from stcollection.db.collections import create, create_distributed
from stcollection.db.connection import connect
from stcollection.errors import BadArgument, StateError
from tests.cluster.conftest import NewDatabase
from tests.cluster.servers import Cluster
from tests.groups import db


def _load(collection: Collection[Any], path: Path) -> list[tuple[object, ...]]:
    collection.corpus.load(path)
    collection.text.index(engine="portable")
    found = collection.connection.execute("SELECT doc, rank, score FROM bm25_search('voice privacy', 20)").fetchall()
    found += collection.connection.execute("SELECT doc, rank, score FROM boolean_search('voice -river', 20)").fetchall()
    return found


def test_created_loaded_and_searched(new_database: NewDatabase, tmp_path: Path) -> None:
    path = tmp_path / "corpus.jsonl"
    words = ("voice", "privacy", "river", "home")
    records = [{"id": f"d{i}", "title": " ".join(words[: i % 5]), "text": f"{words[i % 4]} {i}"} for i in range(99)]
    path.write_text("\n".join(map(json.dumps, records)))
    alone, spread = new_database(), new_database()
    done = CliRunner().invoke(db, ["create", spread.db, "--shards", "6"], obj=spread)
    assert (done.exit_code, done.output) == (0, f"created the collection {spread.db!r}\n")
    with connect(spread) as conn:
        assert distribution.state(conn) == (9, 6, 3)
        assert problems(conn) == []
    create(alone, exist_ok=True)
    found = []
    for settings in (alone, spread):
        with stcollection.open(settings.db, dsn=settings.dsn, home=settings.home) as collection:
            found.append(_load(collection, path))
    assert len(found[0]) == 40
    assert [row[:2] for row in found[0]] == [row[:2] for row in found[1]]
    assert [row[2] for row in found[0]] == pytest.approx([row[2] for row in found[1]], abs=1e-6)

    assert create_distributed(spread, shards=6, exist_ok=True) is False
    for settings in (alone, spread):
        with pytest.raises(BadArgument, match="already exists") as error:
            create_distributed(settings, shards=6)
        assert "db distribute --shards 6" in (error.value.hint or "")
    with connect(spread) as conn:
        assert conn.execute("SELECT count(*) FROM dblp").fetchone() == (99,)


def test_from_python(new_database: NewDatabase) -> None:
    settings = new_database()
    with stcollection.create(settings.db, dsn=settings.dsn, home=settings.home, shards=2) as collection:
        assert distribution.state(collection.connection) == (9, 2, 2)


@pytest.mark.parametrize("shards", [0, 70000])
def test_impossible_numbers_of_shards_change_nothing(new_database: NewDatabase, shards: int) -> None:
    settings = new_database()
    with pytest.raises(BadArgument, match=f"{shards:,} shards"):
        create_distributed(settings, shards=shards)
    with connect(settings, check=False) as conn:
        assert conn.execute("SELECT to_regclass('public.dblp')").fetchone() == (None,)


def test_a_database_that_is_not_prepared(cluster: Cluster, new_database: NewDatabase) -> None:
    settings = replace(new_database(), db="stc_nowhere", dsn=cluster.dsn("stc_nowhere"))
    with pytest.raises(StateError, match="there is no database 'stc_nowhere'") as error:
        create_distributed(settings, shards=2)
    assert "citus_add_node" in (error.value.hint or "")
    with psycopg.connect(cluster.dsn(), autocommit=True) as admin:
        admin.execute("CREATE DATABASE stc_nowhere TEMPLATE template0")
    with pytest.raises(StateError, match="but not in the database 'stc_nowhere'") as error:
        create_distributed(settings, shards=2)
    with connect(settings, check=False) as conn:
        assert conn.execute("SELECT to_regclass('public.dblp')").fetchone() == (None,)
