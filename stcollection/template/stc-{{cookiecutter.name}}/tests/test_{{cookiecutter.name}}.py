"""The study on a collection with one query, which is removed afterwards."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest
from click.testing import CliRunner
from starlette.testclient import TestClient

import stcollection
from stcollection.cli import stc
from stcollection.db.collections import drop
from stcollection.errors import BadArgument, UnknownObject
from stcollection.site.app import make_app
from stcollection.web.desk import Desk

NAME = "{{cookiecutter.name}}"


@pytest.fixture
def collection() -> Iterator[Any]:
    with stcollection.create(f"test_{NAME}_{os.getpid()}") as collection:
        collection.connection.execute("INSERT INTO stc.st1_queries (query, text) VALUES ('q1', 'privacy at home')")
        yield collection
    drop(collection.settings)


def test_a_note_of_the_command_is_listed_everywhere(collection: Any) -> None:
    added = CliRunner().invoke(stc, ["--db", collection.name, NAME, "add", "q1", "too <broad>"])
    assert (added.exit_code, added.stdout) == (0, "q1: 1 note added\n")
    listed = getattr(collection, NAME).list()
    assert listed[["query", "note"]].values.tolist() == [["q1", "too <broad>"]]
    with TestClient(make_app(Desk(collection.dsn), title="test"), base_url="http://127.0.0.1:8766") as client:
        assert client.get(f"/api/{NAME}-notes").json()[0]["note"] == "too <broad>"
        assert "<td>too &lt;broad&gt;</td>" in client.get(f"/{NAME}").text
        assert "Notizen zu Anfragen" in client.get(f"/{NAME}?lang=de").text


def test_wrong_notes_are_refused(collection: Any) -> None:
    with pytest.raises(UnknownObject, match="there is no query 'q2'"):
        getattr(collection, NAME).add("q2", "a note")
    with pytest.raises(BadArgument, match="the note is empty"):
        getattr(collection, NAME).add("q1", " ")
    assert getattr(collection, NAME).list().empty
