"""--published: the settings of the publication, conflicts with other options, and its systems."""

from __future__ import annotations

from pathlib import Path

import psycopg
import pytest
from click.testing import CliRunner

from stcollection.cli import stc
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, StateError
from stcollection.retrieval.published import published_systems
from stcollection.vectors.index import IndexOptions, index
from tests import databases
from tests.groups import qrels, retrieval, text, vectors
from tests.text.documents import build, found, put
from tests.vectors.worlds import put_vectors, vector

pytestmark = pytest.mark.slow
CONFLICTS = {
    "corpus load x --format dblp-v14": "--format dblp-v12",
    "corpus load x --on-duplicate replace": "--on-duplicate skip",
    "text index --config german": "--config english",
    "vectors embed --model mpnet": "--model all-MiniLM-L6-v2",
    "vectors embed --query-prefix q": "--published means",
    "vectors embed --precision bf16": "--precision fp32",
    "vectors index --kind hnsw": "--kind ivfflat",
    "vectors index --half": "--full",
    "vectors index --lists 7": "65 probes",
    "retrieval run boolean --model x": "every word",
    "qrels expand --edition e --threshold 0.7": "--threshold 0.8",
    "qrels expand --edition e --from-rel 1": "--from-rel 2",
    "qrels llm judge --edition e --model m --prompt journalist-topic": "--prompt journalist",
}


@databases.world
def indexed(conn: psycopg.Connection) -> psycopg.Connection:
    put(
        conn, {1: ("Voice assistants at home", None), 2: ("Voices of an assistant", "At homes"), 3: ("Assistants", "Voice or home")}
    )
    build(conn, "portable")
    put_vectors(conn, title={1: vector(1), 2: vector(0, 1), 3: vector(0, 0, 1)})
    conn.execute("INSERT INTO st1_queries (query, text) VALUES ('q', 'voice assistants OR \"home\" -sleep')")
    return conn


@pytest.mark.parametrize(("words", "uses"), CONFLICTS.items())
def test_conflicts_name_both_options(words: str, uses: str, settings: Settings) -> None:
    done = CliRunner().invoke(stc, [*words.split(), "--published"], obj=settings)
    assert isinstance(done.exception, BadArgument)
    option, _, value = words.partition(" --")[2].rpartition(" --")[2].partition(" ")
    assert str(done.exception) == f"--published and --{option}{' ' if value else ''}{value} exclude each other"
    assert uses in str(done.exception.hint)


def test_the_same_value_is_no_conflict(indexed: psycopg.Connection, settings: Settings) -> None:
    done = CliRunner().invoke(text, ["index", "--published", "--config", "english", "--engine", "portable"], obj=settings)
    assert done.exit_code == 0, done.output
    assert indexed.execute("SELECT config::text FROM stc.text_index").fetchone() == ("english",)


def test_every_word_is_required(indexed: psycopg.Connection) -> None:
    query = "voice assistants at home"
    assert [row[0] for row in found(indexed, "stc.conjunctive_search", query, 9)] == [
        row[0] for row in found(indexed, "boolean_search", query, 9)
    ]
    assert {row[0] for row in found(indexed, "stc.conjunctive_search", 'voice OR "home" assistants -sleep', 9)} == set()
    assert {row[0] for row in found(indexed, "stc.conjunctive_search", 'voice OR "home" -assistants', 9)} == {1, 2, 3}
    assert found(indexed, "stc.conjunctive_search", "of the", 9) == []
    long = "voice assistants at home " + " ".join(f"word{n}" for n in range(20))
    assert found(indexed, "boolean_search", long, 9) != [] == found(indexed, "stc.conjunctive_search", long, 9)


def test_runs(indexed: psycopg.Connection, settings: Settings) -> None:
    assert published_systems(indexed, "boolean") == ["conjunctive"]
    with pytest.raises(BadArgument, match="no settings for hybrid"):
        published_systems(indexed, "hybrid")
    with pytest.raises(StateError, match="the title vectors have no index, not the published settings") as stopped:
        published_systems(indexed, None)
    assert "stc vectors index --published --field title" in str(stopped.value.hint)
    index(indexed, fields=["title"], options=IndexOptions(lists=2, effort=2))
    with pytest.raises(StateError, match="2 lists and 2 probes"):
        published_systems(indexed, "dense-title")
    done = CliRunner().invoke(vectors, ["index", "--published", "--field", "title"], obj=settings)
    assert done.exit_code == 0, done.output
    assert published_systems(indexed, "dense-title") == ["dense-title"]
    index(indexed, fields=["title"], options=IndexOptions(half=True))
    with pytest.raises(StateError, match="ivfflat in half precision"):
        published_systems(indexed, "dense-title")


def test_the_run_states_its_system(indexed: psycopg.Connection, settings: Settings) -> None:
    indexed.execute("UPDATE st1_queries SET text = 'voice assistants'")
    done = CliRunner().invoke(retrieval, ["run", "boolean", "--published", "--name", "words"], obj=settings)
    assert done.exit_code == 0, done.output
    [(system, config)] = indexed.execute("SELECT params ->> 'system', params #>> '{indexes,text,config}' FROM st1_runs").fetchall()
    assert (system, config) == ("conjunctive", "english")


def test_expansion(indexed: psycopg.Connection, settings: Settings, tmp_path: Path) -> None:
    indexed.execute(
        "INSERT INTO qrels_editions (edition) VALUES ('train');"
        " INSERT INTO qrels_judgments (edition, query, doc, rel) SELECT e.id, q.id, 1, 2 FROM qrels_editions e, st1_queries q"
    )
    done = CliRunner().invoke(qrels, ["expand", "--edition", "train", "--published"], obj=settings)
    assert done.exit_code == 0, done.output
    assert "train-knn" in done.output
