"""The upgrade that adds the recipe of trained models (revision 0040)."""

from __future__ import annotations

import psycopg
import pytest

from stcollection.db.objects import drift
from stcollection.db.settings import Settings
from stcollection.db.upgrade import upgrade
from stcollection.vectors.store import models
from tests.db.set_back import move_back

pytestmark = pytest.mark.slow


def test_registered_models_have_no_recipe(conn: psycopg.Connection, settings: Settings) -> None:
    conn.execute("SELECT stc.add_vector_model('other', 'a/model', 8)")
    move_back(conn)
    upgrade(settings)
    names, rows = models(conn)
    assert [(row[names.index("model")], row[names.index("recipe")]) for row in rows] == [("other", None)]
    assert conn.execute("SELECT name, recipe FROM stc.vector_model('other')").fetchall() == [("a/model", None)]
    assert drift(conn) == []
