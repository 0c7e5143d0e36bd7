"""Origins read from a file, the forms of queries, and statistics by both."""

from __future__ import annotations

import gzip
from pathlib import Path

import psycopg
import pytest
from click.testing import CliRunner

from stcollection.analysis.origins import origin_statistics
from stcollection.cli.analysis.origins import origins_command as origins
from stcollection.cli.topics.loading import origins_command as set_
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, BadInput, StateError, UnknownObject
from stcollection.qrels.load import import_qrels
from stcollection.topics.load import load
from stcollection.topics.origins import QueryOrigin, read_origins, set_origins
from tests import databases
from tests.at_once import at_once

pytestmark = pytest.mark.slow

TEXTS = {
    "q1": "what is apatite",
    "q2": "apatite definition",
    "q3": "is sea salt good for you?",
    "q4": "calculate salary from basic pay",
}
QRELS = "q1 0 d1 2\nq1 0 d2 0\nq1 0 d3 1\nq2 0 d1 0\nq2 0 d4 -1\nq3 0 d1 1\nq5 0 d1 3\n"


@databases.world
def world(conn: psycopg.Connection, tmp_path: Path) -> psycopg.Connection:
    """Four queries with text, and a fifth that only judgments name."""
    (tmp_path / "queries.tsv").write_text("".join(f"{query}\t{text}\n" for query, text in TEXTS.items()))
    load(conn, [tmp_path / "queries.tsv"])
    (tmp_path / "e.qrels").write_text(QRELS)
    import_qrels(conn, tmp_path / "e.qrels", edition="e")
    return conn


def stored(conn: psycopg.Connection) -> dict[str, tuple[str, str | None, str | None]]:
    rows = conn.execute("SELECT query, origin, model, docno FROM st1_queries q LEFT JOIN dblp d ON d.id = q.source").fetchall()
    return {row[0]: row[1:] for row in rows}


def wrote(folder: Path, text: str, name: str = "origins.tsv") -> Path:
    path = folder / name
    path.write_text(text)
    return path


FORMS = [
    ("what is apatite", "question-word"),
    ("Who's the author of Emma", "question-word"),
    ("“How” do magnets work", "question-word"),
    ("in which year did it end", "question-word"),
    ("whatever floats your boat", "phrase"),
    ("is aspirin safe", "yes-no"),
    ("Isn’t it ironic", "yes-no"),
    ("can't birds see red", "yes-no"),
    ("can opener", "keyword"),
    ("island hopping greece cheap", "keyword"),
    ("cost of a new roof?", "question"),
    ("aspirin?", "question"),
    ("meaning of anaesthesiologist", "keyword"),
    ("official parkinson's disease definition", "keyword"),
    ("  apatite\tdefinition ", "keyword"),
    ("calculate salary from basic pay", "phrase"),
    ("good food and, for cholesterol, bad food", "phrase"),
    ("", None),
    ("?! …", None),
    (None, None),
]


@pytest.mark.parametrize(("text", "form"), FORMS)
def test_the_form_of_a_query(conn: psycopg.Connection, text: str | None, form: str | None) -> None:
    assert conn.execute("SELECT stc.query_type(%s)", [text]).fetchone() == (form,)


@pytest.mark.parametrize(
    "text",
    [
        "q1\tt5\tflan\td2\nq2\tgpt-4\n",
        "query\torigin\tmodel\tsource\nq1\tt5\tflan\td2\n\nq2\tgpt-4\t\t\n",
        "source,note,origin,query_id,model\nd2,a b,t5,q1,flan\n,,gpt-4,q2,\n",
        "\ufeffq1,t5,flan,d2\r\nq2,gpt-4\r\n",
    ],
)
def test_origins_with_a_header_and_without(world: psycopg.Connection, tmp_path: Path, text: str) -> None:
    path = wrote(tmp_path, text)
    done = set_origins(world, path)
    assert (done.queries, done.changed, done.origins) == (2, 2, {"gpt-4": 1, "t5": 1})
    now = stored(world)
    assert now["q1"] == ("t5", "flan", "d2")
    assert now["q2"] == ("gpt-4", None, None)
    assert {now[query][0] for query in ("q3", "q4", "q5")} == {"human"}
    assert set_origins(world, path).changed == 0
    set_origins(world, wrote(tmp_path, "q1 ,human\n", "again.csv"))
    assert stored(world)["q1"] == ("human", "flan", "d2")


def test_the_table_of_the_deep_learning_track_is_known_by_its_header(tmp_path: Path) -> None:
    path = tmp_path / "query_info.tsv.gz"
    path.write_bytes(gzip.compress(b"qid\tQL\tSynthetic\tisGPT4\nq1\t0\t0\t0\nq2\t0\t1\t0\nq3\t0\t1\t1\n"))
    assert read_origins(path) == [QueryOrigin(2, "q1", "human"), QueryOrigin(3, "q2", "t5"), QueryOrigin(4, "q3", "gpt-4")]
    with pytest.raises(BadInput, match=r"flags.tsv:2: Synthetic is '0', isGPT4 is '1'"):
        read_origins(wrote(tmp_path, "qid\tSynthetic\tisGPT4\nq1\t0\t1\n", "flags.tsv"))


@pytest.mark.parametrize(
    ("text", "error", "told"),
    [
        ("q1\tt5\nq9\tt5\nq8\tt5\n", UnknownObject, r"origins.tsv:2: there is no query 'q9', and 1 more"),
        ("q1\tt5\t\td9\n", UnknownObject, r"origins.tsv:1: there is no document 'd9'"),
        ("q1\tt5\nq1\tgpt-4\n", BadInput, r"origins.tsv:2: the query 'q1' has another origin, model or source at .*origins.tsv:1"),
        ("q1\tt5\nq2\t\n", BadInput, r"origins.tsv:2: the query 'q2' has no origin"),
        ("q1\tt5\n\tt5\n", BadInput, r"origins.tsv:2: no query"),
        ("q1\tsynthetic\n", BadArgument, "'synthetic' cannot be an origin"),
        ("q1\tt5+gpt\n", BadArgument, r"'t5\+gpt' cannot be an origin"),
        ("q1\tan LLM\n", BadArgument, "'an LLM' cannot be an origin"),
        ("q1\n", BadInput, r"origins.tsv:1: 1 column: 'q1'"),
        ("q1\ta\tb\tc\td\n", BadInput, "5 columns"),
        ('q1,"t5\n', BadInput, r"origins.tsv:1: invalid line"),
        ("query\torigin\n", BadInput, "contains no query"),
        ("", BadInput, "contains no query"),
    ],
)
def test_a_bad_file_stores_nothing(world: psycopg.Connection, tmp_path: Path, text: str, error: type[Exception], told: str) -> None:
    before = stored(world)
    with pytest.raises(error, match=told) as raised:
        set_origins(world, wrote(tmp_path, text))
    assert getattr(raised.value, "hint", None)
    assert stored(world) == before


def test_two_at_once_in_opposite_orders_wait_for_each_other(world: psycopg.Connection, dsn: str, tmp_path: Path) -> None:
    paths = [
        wrote(tmp_path, "".join(f"{query}\t{origin}\n" for query in order), f"{origin}.tsv")
        for origin, order in (("t5", list(TEXTS)), ("gpt-4", list(TEXTS)[::-1]))
    ]
    failed: list[Exception] = []

    def say(path: Path) -> None:
        with psycopg.connect(dsn, autocommit=True) as conn:
            for _ in range(20):
                try:
                    set_origins(conn, path)
                except Exception as error:
                    failed.append(error)

    at_once(say, paths)
    assert failed == []
    assert len({stored(world)[query][0] for query in TEXTS}) == 1


def test_statistics_by_origin_and_form(world: psycopg.Connection, tmp_path: Path) -> None:
    set_origins(world, wrote(tmp_path, "q2\tt5\n"))
    human, t5 = origin_statistics(world, edition="e")
    assert (human.origin, human.type, human.queries, human.without_text) == ("human", None, 3, 1)
    assert (human.mean_words, human.min_words, human.max_words) == (4.5, 3, 6)
    assert (human.pool, human.judged, human.relevant) == (5, 5, 4)
    assert human.relevant_a_query == pytest.approx(4 / 3)
    assert human.grades == pytest.approx({"0": 1 / 3, "1": 2 / 3, "2": 1 / 3, "3": 1 / 3})
    assert (t5.origin, t5.pool, t5.judged, t5.relevant, t5.grades) == ("t5", 2, 1, 0, {"0": 1.0})
    assert origin_statistics(world, edition="e", level=2)[0].relevant == 2
    [every] = origin_statistics(world, edition="e", by=[])
    assert (every.origin, every.queries, every.pool, every.judged) == (None, 4, 7, 6)
    forms = {(one.origin, one.type): one.queries for one in origin_statistics(world, edition="e", by=["type", "origin"])}
    assert forms == {("human", "question-word"): 1, ("human", "yes-no"): 1, ("human", None): 1, ("t5", "keyword"): 1}


def test_statistics_of_unknown_names(world: psycopg.Connection) -> None:
    with pytest.raises(UnknownObject, match="no edition 'f'"):
        origin_statistics(world, edition="f")
    with pytest.raises(BadArgument, match="queries by 'length'"):
        origin_statistics(world, edition="e", by=["length"])
    world.execute("INSERT INTO qrels_editions (edition) VALUES ('bare')")
    with pytest.raises(StateError, match="'bare' judges no query"):
        origin_statistics(world, edition="bare")


def test_the_commands(world: psycopg.Connection, settings: Settings, tmp_path: Path) -> None:
    done = CliRunner().invoke(set_, [str(wrote(tmp_path, "q2\tt5\nq1\thuman\n"))], obj=settings, catch_exceptions=False)
    assert done.output.endswith("origins.tsv: 2 queries, 1 human, 1 t5; 1 changed\n")
    done = CliRunner().invoke(origins, ["e", "--by", "origin,type", "--format", "csv"], obj=settings, catch_exceptions=False)
    head, *rows = done.stdout.splitlines()
    assert head.startswith("origin,type,queries,without_text,mean_words")
    assert head.endswith("grade_0,grade_1,grade_2,grade_3")
    assert [row.split(",")[:3] for row in rows] == [
        ["human", "question-word", "1"],
        ["human", "yes-no", "1"],
        ["human", "", "1"],
        ["t5", "keyword", "1"],
    ]
    assert "1 query has no text" in done.stderr


def test_relevant_documents_per_query_equal_the_published_figures(conn: psycopg.Connection, data: Path) -> None:
    folder = data / "trec-dl" / "dl23"
    load(conn, [folder / "queries.tsv"])
    import_qrels(conn, folder / "nist.qrels", edition="nist")
    assert set_origins(conn, folder / "query_info.tsv").origins == {"gpt-4": 18, "human": 51, "t5": 13}
    found = {one.origin: one for one in origin_statistics(conn, edition="nist")}
    assert {name: (one.queries, round(one.relevant_a_query, 2)) for name, one in found.items()} == {
        "human": (51, 120.12),
        "t5": (13, 71.77),
        "gpt-4": (18, 77.89),
    }
    texts = dict(line.rstrip("\n").split("\t") for line in (folder / "queries.tsv").open())
    of: dict[str, str] = dict(
        conn.execute("SELECT query, origin FROM st1_queries WHERE id = ANY (stc.edition_queries('nist'))").fetchall()
    )
    for name, one in found.items():
        lengths = [len(texts[query].split()) for query, origin in of.items() if origin == name]
        assert (one.min_words, one.max_words) == (min(lengths), max(lengths))
        assert one.mean_words == pytest.approx(sum(lengths) / len(lengths))
