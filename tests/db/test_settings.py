"""--db before STC_DB before the DSN's database; STC_DSN or PG* before the embedded server."""

from __future__ import annotations

from pathlib import Path

import pytest

from stcollection.db.settings import read_settings
from stcollection.errors import BadArgument


@pytest.mark.parametrize(
    ("option", "environ", "db"),
    [
        (None, {}, "stcollection"),
        (None, {"STC_DB": "mine"}, "mine"),
        ("other", {"STC_DB": "mine"}, "other"),
        (None, {"STC_DSN": "host=h dbname=theirs"}, "theirs"),
        (None, {"STC_DSN": "postgresql://h/theirs", "STC_DB": "mine"}, "mine"),
        (None, {"PGHOST": "h", "PGDATABASE": "theirs"}, "theirs"),
        (None, {"PGDATABASE": "theirs"}, "stcollection"),
    ],
)
def test_which_collection(option: str | None, environ: dict[str, str], db: str) -> None:
    assert read_settings(db=option, environ=environ).db == db


def test_which_server() -> None:
    assert read_settings(environ={"PGUSER": "me"}).embedded
    assert read_settings(environ={"PGHOST": "h"}).dsn == ""
    assert read_settings(environ={"STC_DSN": "host=a", "PGHOST": "b"}).dsn == "host=a"
    assert read_settings(environ={"STC_HOME": "relative"}).home == Path.cwd() / "relative"


@pytest.mark.parametrize("name", ["template0", "x" * 64, "a\0b"])
def test_a_name_no_collection_can_have(name: str) -> None:
    with pytest.raises(BadArgument, match="cannot be the name"):
        read_settings(db=name, environ={})


def test_a_dsn_that_is_none_is_told_by_its_name() -> None:
    with pytest.raises(BadArgument, match="STC_DSN is not a connection string") as error:
        read_settings(environ={"STC_DSN": "host=a =b"})
    assert error.value.hint is not None
