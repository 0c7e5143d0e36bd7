"""The assessors' cut: reasons, shares by origin, the remaining edition, marks from files, undoing it."""

from __future__ import annotations

from pathlib import Path

import psycopg
import pytest
from click.testing import CliRunner, Result

from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, BadInput, StateError, UnknownObject
from stcollection.qrels.load import JudgmentOptions, import_qrels
from stcollection.studies.synth.cut import Share, clear_cut, cut, keep_queries, parse_marks, read_marks, shares
from tests.groups import synth
from tests.studies.synth.studies import put_documents, put_edition

pytestmark = pytest.mark.slow

# Number of relevant among judged documents of each query.
JUDGED = {"good": (5, 10), "few": (4, 10), "many": (9, 10), "t5-good": (6, 10), "t5-none": (0, 10), "t5-bad": (5, 10)}


@pytest.fixture
def world(conn: psycopg.Connection) -> psycopg.Connection:
    put_documents(conn, dict.fromkeys(range(1, 13), "text"))
    grades = {(query, doc): int(doc <= relevant) for query, (relevant, judged) in JUDGED.items() for doc in range(1, judged + 1)}
    pooled = {("good", 11): -1, ("good", 12): -1}  # not judged, so not part of a share
    put_edition(conn, "e", grades | pooled, {})
    conn.execute("UPDATE st1_queries SET origin = 't5' WHERE query LIKE 't5%'")
    conn.execute("INSERT INTO st1_queries (query, text, origin) VALUES ('refused', 'x', 't5'), ('elsewhere', 'y', 't5')")
    return conn


def reasons(conn: psycopg.Connection, edition: str = "e") -> dict[str, str]:
    return dict(
        conn.execute(
            "SELECT q.query, c.reason FROM query_cuts c JOIN st1_queries q ON q.id = c.query WHERE c.edition = stc.edition_key(%s)",
            [edition],
        ).fetchall()
    )


def test_shares_by_origin(world: psycopg.Connection) -> None:
    assert shares(world, "e") == [
        Share("human", 3, 0, 0, 0, 3, 1.0),
        Share("t5", 3, 0, 0, 0, 3, 1.0),
        Share("all", 6, 0, 0, 0, 6, 1.0),
    ]
    rows = cut(world, "e", unreasonable=[("t5-bad", "makes no sense"), ("refused", "")], most_share=0.6)
    assert reasons(world) == {"few": "few", "t5-none": "few", "many": "many", "t5-bad": "unreasonable", "refused": "unreasonable"}
    assert rows == [Share("human", 3, 0, 1, 1, 1, 1 / 3), Share("t5", 4, 2, 1, 0, 1, 0.25), Share("all", 7, 2, 2, 1, 2, 2 / 7)]


def test_a_mark_takes_precedence_and_is_kept(world: psycopg.Connection) -> None:
    cut(world, "e", unreasonable=[("few", "odd")])
    cut(world, "e", fewest=0)
    assert reasons(world) == {"few": "unreasonable"}
    cut(world, "e", fewest=7, unreasonable=[("few", "")])
    assert reasons(world)["few"] == "unreasonable"
    assert world.execute("SELECT note FROM query_cuts WHERE reason = 'unreasonable'").fetchall() == [("odd",)]
    assert reasons(world)["t5-good"] == "few"
    assert clear_cut(world, "e") == 6 - 1  # all except 'many', of 9
    assert clear_cut(world, "e") == 0
    assert reasons(world) == {}


@pytest.mark.parametrize(
    ("options", "many"),
    [({"most": 8}, {"many"}), ({"most": 9}, set()), ({"most_share": 0.9}, set()), ({"most_share": 0.59}, {"many", "t5-good"})],
)
def test_too_many(world: psycopg.Connection, options: dict[str, float], many: set[str]) -> None:
    cut(world, "e", fewest=0, **options)  # type: ignore[arg-type]
    assert {query for query, reason in reasons(world).items() if reason == "many"} == many


def test_the_level_defines_relevance(world: psycopg.Connection) -> None:
    assert cut(world, "e", fewest=1, level=2)[-1].few == 6


def test_the_remaining_edition_keeps_the_judgments_unchanged(world: psycopg.Connection, tmp_path: Path) -> None:
    (tmp_path / "second").write_text("good 0 d1 0\nfew 0 d1 0\n")
    import_qrels(world, tmp_path / "second", edition="e", options=JudgmentOptions(annotator="second"))
    cut(world, "e")
    done = keep_queries(world, "kept", source="e")
    assert (done.queries, done.judgments) == (4, 4 * 10 + 2 + 1)
    same = (
        "SELECT query, doc, rel, origin, annotator FROM qrels_judgments WHERE edition = stc.edition_key(%s) AND query <> ALL (%s)"
    )
    gone = [row[0] for row in world.execute("SELECT query FROM query_cuts").fetchall()]
    assert sorted(world.execute(same, ["kept", []])) == sorted(world.execute(same, ["e", gone]))
    said = "SELECT query, doc, rel FROM qrels WHERE edition = stc.edition_key(%s) AND query <> ALL (%s)"
    assert sorted(world.execute(said, ["kept", []])) == sorted(world.execute(said, ["e", gone]))
    [ledger] = world.execute("SELECT path, sha256 = now FROM edition_files WHERE edition = 'kept'").fetchall()
    assert ledger == ("edition:e", True)
    with pytest.raises(BadArgument, match="edition 'kept' already exists"):
        keep_queries(world, "kept", source="e")
    with pytest.raises(BadArgument, match="not a valid edition name"):
        keep_queries(world, " ", source="e")
    cut(world, "e", fewest=100)
    with pytest.raises(StateError, match="edition 'e' has no judgments left"):
        keep_queries(world, "none", source="e")
    assert world.execute("SELECT count(*) FROM qrels_editions WHERE edition = 'none'").fetchone() == (0,)


def test_a_sealed_edition_can_be_cut(world: psycopg.Connection) -> None:
    world.execute("SELECT seal_edition('e')")
    assert cut(world, "e")[-1].kept == 4


def test_wrong_arguments_change_nothing(world: psycopg.Connection) -> None:
    cut(world, "e")
    before = reasons(world)
    with pytest.raises(UnknownObject, match="no query 't5-god'") as error:
        cut(world, "e", fewest=0, unreasonable=[("good", ""), ("t5-god", "")])
    assert error.value.hint is not None
    assert "'t5-good'" in error.value.hint
    for wrong in ({"fewest": -1}, {"fewest": 3, "most": 2}, {"most_share": 1.5}):
        with pytest.raises(BadArgument):
            cut(world, "e", **wrong)
    with pytest.raises(UnknownObject, match="no edition 'f'"):
        cut(world, "f")
    assert reasons(world) == before


def test_marks_are_read(tmp_path: Path) -> None:
    file = tmp_path / "marks"
    file.write_text("# by the assessors\n\nq1\tno such thing\t2\n q2 \r\n")
    assert read_marks(file) == [("q1", "no such thing\t2"), ("q2", "")]
    assert parse_marks(["q3", str(file)]) == [("q3", ""), ("q1", "no such thing\t2"), ("q2", "")]
    for text in (b"q 1\n", b"\tnote alone\n", b"\xff\n"):
        file.write_bytes(text)
        with pytest.raises(BadInput, match=r"marks:1"):
            read_marks(file)


def stc(settings: Settings, *arguments: str) -> Result:
    return CliRunner().invoke(synth, ["cut", *arguments], obj=settings)


def test_the_command(settings: Settings, world: psycopg.Connection, tmp_path: Path) -> None:
    (tmp_path / "marks").write_text("t5-bad\tnot a question\n")
    marks = str(tmp_path / "marks")
    done = stc(settings, "e", "--unreasonable", marks, "--max-relevant", "60%", "--into", "kept", "--format", "csv")
    assert done.exit_code == 0, done.output
    assert done.stdout.splitlines() == [
        "origin,queries,unreasonable,few,many,kept,share",
        "human,3,0,1,1,1,0.3333333333333333",
        "t5,3,1,1,0,1,0.3333333333333333",
        "all,6,1,2,1,2,0.3333333333333333",
    ]
    assert "kept: 22 judgments of 2 queries" in done.stderr
    failed = stc(settings, "e", "--min-relevant", "0", "--into", "kept")
    assert isinstance(failed.exception, BadArgument)
    assert len(reasons(world)) == 4  # neither the cut nor the edition is stored
    assert "4 queries are no longer cut" in stc(settings, "e", "--clear").output
    for wrong in (("--max-relevant", "1.5"), ("--max-relevant", "x"), ("--max-relevant", "nan"), ("--clear", "--into", "x")):
        assert isinstance(stc(settings, "e", *wrong).exception, BadArgument)


def test_trec_2023_keeps_all_its_queries_with_its_own_limits(conn: psycopg.Connection, data: Path) -> None:
    """NIST published only the kept queries: none has fewer than 3 documents of grade 2, or more than 60%."""
    import_qrels(conn, data / "trec-dl" / "dl23" / "nist.qrels", edition="nist")
    conn.execute("UPDATE st1_queries SET origin = CASE left(query, 2) WHEN '20' THEN 'human' WHEN '30' THEN 't5' ELSE 'gpt-4' END")
    conn.execute("UPDATE st1_queries SET origin = 'gpt-4' WHERE query LIKE '31%'")
    rows = cut(conn, "nist", fewest=3, most_share=0.6, level=2)
    assert [(row.origin, row.queries, row.kept) for row in rows] == [
        ("human", 51, 51),
        ("gpt-4", 18, 18),
        ("t5", 13, 13),
        ("all", 82, 82),
    ]
