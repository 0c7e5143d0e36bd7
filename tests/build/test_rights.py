"""Who may build a collection."""

from __future__ import annotations

import psycopg
import pytest

from stcollection.build.plan import check_rights
from stcollection.db.members import Kind
from stcollection.errors import StateError
from tests.roles.worlds import Login, collection, login  # noqa: F401

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("kind", ["participant", "reader"])
def test_members_may_not(collection: psycopg.Connection, login: Login, kind: Kind) -> None:  # noqa: F811
    with pytest.raises(StateError, match="this role may not build the collection") as refused:
        check_rights(login(kind))
    assert "organisers" in (refused.value.hint or "")


def test_the_owner_and_organisers_may(collection: psycopg.Connection, login: Login) -> None:  # noqa: F811
    check_rights(collection)
    check_rights(login("organiser"))
