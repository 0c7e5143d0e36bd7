"""Citations recounted from the corpus's references: by hand, against scipy, and with malformed references."""

from __future__ import annotations

import json

import numpy as np
import psycopg
import pytest
from click.testing import CliRunner
from scipy.stats import spearmanr

from stcollection.complexity.credibility import check
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, StateError
from tests.complexity.records import put_records, record
from tests.groups import complexity

WORLD = {
    1: record(2000, 0, references=["d2", "d3", "d3", "d1", "elsewhere"], title="Voice"),
    2: record(2000, 1, references=["d1", "d3"]),
    3: record(2000, 5, references=["d90", None, "d2"]),
    4: record(2000, None, references=["d1", "d1", "d4"]),
    5: record(2000, 2, references="d1"),
    6: record(2000, 3, references=[]),
}


@pytest.fixture
def world(conn: psycopg.Connection) -> psycopg.Connection:
    put_records(conn, WORLD)
    put_records(conn, {90: record(2000, 1, references=["d2", "d6"])}, stub=True)
    return conn


def test_by_hand(world: psycopg.Connection) -> None:
    # d1 is listed by 2, 4; d2 by 1, 3; d3 by 1 (twice), 2; a stub is ignored on both sides; d1 and d4 list themselves.
    counts = world.execute("SELECT * FROM citation_counts ORDER BY id").fetchall()
    assert counts == [(1, 0, 2), (2, 1, 2), (3, 5, 2), (4, None, 0), (5, 2, 0), (6, 3, 0)]
    found = check(world)
    assert found[:8] == (6, 4, 12, 2, 2, 6, 5, 2)
    assert found.share == pytest.approx(0.4)
    assert (found.n_citation, found.counted) == (11, 6)
    assert found.spearman == pytest.approx(spearmanr([0, 1, 5, 2, 3], [2, 2, 2, 0, 0])[0])
    assert found.worst_documents == [
        {"id": 1, "docno": "d1", "n_citation": 0, "counted": 2, "title": "Voice"},
        {"id": 2, "docno": "d2", "n_citation": 1, "counted": 2, "title": None},
    ]
    assert [one["docno"] for one in check(world, worst=1).worst_documents] == ["d1"]
    assert check(world, worst=0).worst_documents == []
    assert world.execute("SELECT count(*) FROM dblp_citations").fetchone() == (found.listed,)


def test_at_random_against_scipy(conn: psycopg.Connection) -> None:
    rng = np.random.default_rng(7)
    lists = {doc: rng.integers(0, 330, size=rng.integers(0, 30)).tolist() for doc in range(300)}
    cited = {doc: sum(doc in refs for other, refs in lists.items() if other != doc) for doc in lists}
    stated = {doc: int(rng.poisson(times)) for doc, times in cited.items()}
    put_records(conn, {doc: record(2000, stated[doc], references=[f"d{one}" for one in refs]) for doc, refs in lists.items()})
    assert dict(conn.execute("SELECT id, counted FROM citation_counts").fetchall()) == cited
    found = check(conn)
    assert found.spearman == pytest.approx(spearmanr(list(stated.values()), list(cited.values()))[0])
    assert found.contradicted == sum(cited[doc] > stated[doc] for doc in lists)
    assert found.inside == found.counted == sum(cited.values())
    assert found.listed == sum(map(len, lists.values()))
    assert found.itself == sum(doc in refs for doc, refs in lists.items())
    excess = sorted((stated[doc] - cited[doc], doc) for doc in lists)[:10]
    assert [one["id"] for one in found.worst_documents] == [doc for _, doc in excess]


def test_numbers_and_names(conn: psycopg.Connection) -> None:
    rows = [(1, "1", '{"references": [2, "2", {"id": 2}, [2], true, ""], "n_citation": 1}'), (2, "2", '{"n_citation": 1}')]
    conn.cursor().executemany("INSERT INTO dblp (id, docno, doc) VALUES (%s, %s, %s)", rows)
    assert conn.execute("SELECT counted FROM citation_counts WHERE id = 2").fetchone() == (1,)
    found = check(conn)
    assert (found.listed, found.repeated, found.inside, found.spearman) == (6, 1, 1, None)


def test_nothing_to_compare(conn: psycopg.Connection, settings: Settings) -> None:
    with pytest.raises(StateError, match="the corpus is empty") as error:
        check(conn)
    assert error.value.sqlstate == "IR405"
    put_records(conn, {1: record(2000, None), 2: record(2000, None)})
    found = check(conn)
    assert (found.listed, found.compared, found.share, found.spearman) == (0, 0, None, None)
    done = CliRunner().invoke(complexity, ["citations"], obj=settings, catch_exceptions=False)
    assert "no document lists a reference" in done.stderr
    with pytest.raises(BadArgument, match="worst is -1"):
        check(conn, worst=-1)


def test_the_command(world: psycopg.Connection, settings: Settings) -> None:
    def told(*options: str) -> str:
        done = CliRunner().invoke(complexity, ["citations", *options], obj=settings, catch_exceptions=False)
        assert done.exit_code == 0
        return done.stdout

    text = told()
    assert "40.00 % of the documents" in text
    assert "Voice" in text
    assert json.loads(told("--format", "json"))[0]["worst_documents"][0]["docno"] == "d1"
    assert told("--format", "csv").splitlines()[1].startswith("6,4,12,2,2,6,5,2,0.4,11,6,")
