"""Queries of judgments and runs that the topics do not have, or spell in another way."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest
from click.testing import CliRunner

from stcollection.cli.topics.loading import load_command
from stcollection.db.settings import Settings
from stcollection.errors import BadInput
from stcollection.io.topics.spelling import check_queries, other_spellings
from stcollection.qrels.load import JudgmentOptions, import_qrels
from stcollection.runs.load import ImportOptions, import_run
from stcollection.topics.load import load

Import = Callable[[psycopg.Connection, Path, str], object]


@pytest.mark.parametrize(
    ("mine", "theirs"),
    [
        ("51", "051"),
        ("051", "51"),
        ("Q7", "q7"),
        ("q7", "7"),
        ("7", "q7"),
        ("q007", "7"),
        ("topic-7", "7"),
        ("q-7", "q7"),
        ("trec2019-7", "7"),
        ("q 7", "q7"),
        ("7.0", "7"),
        ("G01.1", "g1.1"),
        ("MB\u00a07", "mb7"),
    ],
)
def test_spellings_of_one_id(mine: str, theirs: str) -> None:
    assert other_spellings([mine], ["8", theirs]) == {mine: theirs}


@pytest.mark.parametrize(
    ("mine", "others"),
    [
        ("T01.1", ["G01.1", "G01.10"]),
        ("31_1", ["311", "1", "31"]),
        ("G01.10", ["G01.1"]),
        ("101", ["1", "10", "0101x"]),
        ("voice", ["voices", "7"]),
    ],
)
def test_other_ids(mine: str, others: list[str]) -> None:
    assert other_spellings([mine], others) == {}


@pytest.mark.parametrize(
    ("queries", "known"),
    [
        (["1", "2"], ["1", "2", "3", "4"]),  # some topics are not judged
        (["1", "2", "3", "4", "5"], ["1", "2"]),  # the topics are the test part of what was judged
        (["1", "2", "9"], ["1", "2", "3", "4", "5", "6", "7"]),  # most queries are known
        (["1", "2"], []),  # no topics
        (["1", "01"], ["1"]),  # the file has both
    ],
)
def test_queries_without_topics_that_are_accepted(queries: list[str], known: list[str]) -> None:
    check_queries("a.qrels", queries, known)


def test_both_spellings_are_shown() -> None:
    with pytest.raises(BadInput) as error:
        check_queries("a.qrels", ["51", "52", "100"], ["051", "052", "100"])
    assert error.value.message == (
        "a.qrels: 2 of its 3 queries are not in the topics, which spell ids in another way:"
        " '51' is '051', '52' is '052' in the topics"
    )
    with pytest.raises(BadInput) as error:
        check_queries("a.qrels", ["401", "402", "3"], ["1", "2", "3", "4"])
    assert (
        error.value.message == "a.qrels: 2 of its 3 queries are not in the topics: '401', '402' …; the topics have '1', '2', '4' …"
    )
    assert "--unknown-queries stub" in (error.value.hint or "")


def judgments(conn: psycopg.Connection, path: Path, unknown: str) -> object:
    path.write_text("51 0 d1 1\n52 0 d1 0\n100 0 d1 1\n")
    return import_qrels(conn, path, edition="a", options=JudgmentOptions(unknown_queries=unknown)).new_queries


def run(conn: psycopg.Connection, path: Path, unknown: str) -> object:
    path.write_text("51 Q0 d1 1 2.0 t\n52 Q0 d1 1 2.0 t\n100 Q0 d1 1 2.0 t\n")
    return import_run(conn, path, name="mine", options=ImportOptions(unknown_queries=unknown)).counts.new_queries


@pytest.mark.parametrize("store", [judgments, run])
def test_a_collection_with_topics(conn: psycopg.Connection, tmp_path: Path, store: Import) -> None:
    topics = tmp_path / "topics.tsv"
    topics.write_text("051\tairbus subsidies\n052\tsecond topic\n100\tthird topic\n")
    load(conn, [topics])
    with pytest.raises(BadInput, match="'51' is '051', '52' is '052' in the topics"):
        store(conn, tmp_path / "a", "few")
    assert conn.execute("SELECT query FROM st1_queries WHERE text IS NULL").fetchall() == []
    assert store(conn, tmp_path / "a", "stub") == 2
    store(conn, tmp_path / "a", "few")  # stored already


@pytest.mark.parametrize("store", [judgments, run])
def test_a_collection_without_topics_accepts_all(conn: psycopg.Connection, tmp_path: Path, store: Import) -> None:
    assert store(conn, tmp_path / "a", "few") == 3


def test_topics_after_judgments_that_spell_ids_in_another_way(settings: Settings, conn: psycopg.Connection, tmp_path: Path) -> None:
    judgments(conn, tmp_path / "a", "few")
    conn.commit()
    topics = tmp_path / "topics.tsv"
    topics.write_text("051\tairbus subsidies\n052\tsecond topic\n100\tthird topic\n")
    done = CliRunner().invoke(load_command, [str(topics)], obj=settings, catch_exceptions=False)
    assert "2 queries of judgments or runs without text may be spelled in another way: '51' is '051' here" in done.stderr
