"""Sampling documents for a study."""

from __future__ import annotations

import psycopg
import pytest

from stcollection.errors import BadArgument, StateError, UnknownObject
from stcollection.studies.synth.study import drop, overview, sample
from tests.studies.synth.synth_worlds import DOCUMENTS, rows, world

pytestmark = pytest.mark.slow

DRAWN = (
    "SELECT d.docno FROM stc_all.synth_passages p JOIN stc_all.synth_studies s ON s.id = p.study JOIN dblp d ON d.id = p.doc"
    " WHERE s.study = %s ORDER BY p.place"
)


def drawn(conn: psycopg.Connection, name: str) -> list[str]:
    return [docno for (docno,) in rows(conn, DRAWN, name)]


def test_the_sample_depends_on_the_seed_but_not_on_row_order(conn: psycopg.Connection) -> None:
    world(conn, documents=60)
    sample(conn, "a", n=20, seed=7)
    conn.execute("UPDATE dblp_text SET abstract = abstract || ' .' WHERE id % 3 = 0")  # moves these rows to the end of the table
    sample(conn, "b", n=20, seed=7)
    sample(conn, "c", n=20, seed=8)
    assert drawn(conn, "a") == drawn(conn, "b") != drawn(conn, "c")


def test_a_larger_sample_begins_with_the_smaller(conn: psycopg.Connection) -> None:
    world(conn, documents=60)
    sample(conn, "a", n=10)
    first = drawn(conn, "a")
    assert sample(conn, "a", n=25) == (15, 25, 60)
    assert sample(conn, "a", n=25) == (0, 25, 60)
    sample(conn, "whole", n=25, seed=1)
    assert drawn(conn, "a") == drawn(conn, "whole")
    assert drawn(conn, "a")[:10] == first


def test_only_documents_with_a_text_are_drawn(conn: psycopg.Connection) -> None:
    world(conn)
    assert sample(conn, "abstracts", n=100) == (DOCUMENTS, DOCUMENTS, DOCUMENTS)
    assert sample(conn, "contents", n=100, field="content").eligible == DOCUMENTS + 2
    assert {"901", "903"} <= set(drawn(conn, "contents"))


def test_a_filter_also_applies_when_the_sample_is_extended(conn: psycopg.Connection) -> None:
    world(conn)
    allowed = ["1", "2", "3", "4"]
    assert sample(conn, "s", n=2, filter={"docnos": allowed}) == (2, 2, 4)
    assert sample(conn, "s", n=4) == (2, 4, 4)
    assert sorted(drawn(conn, "s")) == allowed


@pytest.mark.parametrize(
    ("other", "told"),
    [
        ({"n": 9}, "has 10"), ({"seed": 2}, "seed 1"), ({"field": "content"}, "field abstract"),
        ({"filter": {"year": 2000}}, "without a filter"),
    ],
)  # fmt: skip
def test_another_sample_of_the_same_name_raises(conn: psycopg.Connection, other: dict[str, object], told: str) -> None:
    world(conn)
    sample(conn, "s", n=10)
    with pytest.raises(BadArgument, match=told) as error:
        sample(conn, "s", **{"n": 12, **other})  # type: ignore[arg-type]
    assert "another study" in str(error.value.hint)
    assert len(drawn(conn, "s")) == 10


def test_failed_sampling_leaves_nothing(conn: psycopg.Connection) -> None:
    world(conn)
    for options, kind in (
        ({"n": 0}, BadArgument),
        ({"n": 5, "seed": 2**63}, BadArgument),
        ({"n": 5, "field": "title"}, BadArgument),
    ):
        with pytest.raises(kind):
            sample(conn, "s", **options)
    with pytest.raises(BadArgument, match="the name of the study is empty"):
        sample(conn, " ", n=5)
    with pytest.raises(StateError, match="no document with an abstract"):
        sample(conn, "s", n=5, filter={"docnos": ["901"]})
    assert overview(conn) == []


def test_a_study_is_dropped_and_an_unknown_one_raises(conn: psycopg.Connection) -> None:
    world(conn)
    sample(conn, "autumn", n=5)
    with pytest.raises(UnknownObject, match="autum'") as error:
        drop(conn, "autum")
    assert error.value.sqlstate == "IR112"
    assert "Did you mean 'autumn'?" in str(error.value.hint)
    assert drop(conn, "autumn") == 0
    assert rows(conn, "SELECT count(*) FROM stc_all.synth_passages") == [(0,)]
