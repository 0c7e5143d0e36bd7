"""All words of a query in one passage: equal to a search by hand, with its index, ties, filters, errors."""

from __future__ import annotations

import numpy as np
import psycopg
import pytest

from stcollection.errors import BadArgument, StateError
from stcollection.retrieval.run import run
from stcollection.retrieval.search import search
from stcollection.text.index import index
from stcollection.vectors.passages import cut_passages
from tests.text.documents import found, ids, put, scans

SEARCH = "stc.conjunctive_passage_search"
TEXTS: dict[int, tuple[str | None, str | None]] = {
    1: ("voice privacy", "Voice assistants listen. Their privacy is a concern."),
    2: (None, "Nothing here. The privacy of voice assistants is a concern."),
    3: (None, "Privacy, voice and assistants: voices, voice privacy, assistants! Nothing here."),
    4: ("voice assistants privacy", None),
    9: (None, "The privacy of voice assistants is a concern. Nothing here."),
    10: (None, "Voice. Assistants. Privacy."),
}


@pytest.fixture
def filled(conn: psycopg.Connection) -> psycopg.Connection:
    put(conn, TEXTS)
    conn.execute("UPDATE dblp SET doc = jsonb_build_object('year', 2000 + id)")
    conn.execute("UPDATE dblp_facts SET year = 2000 + id")
    cut_passages(conn, by="sentence")
    return conn


def test_the_words_are_in_one_passage(filled: psycopg.Connection) -> None:
    rows = found(filled, SEARCH, "voice assistants privacy", 9)
    assert sorted(ids(rows)) == [2, 3, 9]
    assert [rank for _, _, rank in rows] == [1, 2, 3]
    scores = {doc: score for doc, score, _ in rows}
    assert scores[2] == scores[9] < scores[3]
    assert ids(rows)[1:] == [9, 2]  # equal scores by docno descending as bytes
    for k in (1, 2):
        assert found(filled, SEARCH, "voice assistants privacy", k) == rows[:k]
    assert sorted(ids(found(filled, "stc.conjunctive_search", "voice assistants privacy", 9))) == [1, 2, 3, 4, 9, 10]
    assert sorted(ids(found(filled, SEARCH, '+VOICES OR "privacy"', 9))) == [2, 3, 9]
    for query in ("", "of the", "voice xyzzy", "!", "voice nothing"):
        assert found(filled, SEARCH, query, 9) == []


def test_it_is_a_search_by_hand_and_reads_the_index(conn: psycopg.Connection) -> None:
    rng = np.random.default_rng(7)
    words = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta"]
    sentences = {doc: [list(rng.choice(words, rng.integers(1, 5))) for _ in range(rng.integers(1, 6))] for doc in range(300)}
    put(conn, {doc: (None, " ".join(f"{' '.join(one).capitalize()}." for one in them)) for doc, them in sentences.items()})
    cut_passages(conn, by="sentence")
    for query in (["alpha"], ["beta", "zeta"], ["alpha", "gamma", "delta"], ["alpha", "alpha", "beta", "gamma", "delta"]):
        before = scans(conn, "dblp_passages_words")
        expected = {doc for doc, them in sentences.items() if any({*query} <= {*one} for one in them)}
        conn.execute("SET LOCAL enable_seqscan = off")
        assert {*ids(found(conn, SEARCH, " ".join(query), 300))} == expected
        assert scans(conn, "dblp_passages_words") > before


def test_as_a_system_with_filters(filled: psycopg.Connection) -> None:
    filled.execute("INSERT INTO st1_queries (query, text) VALUES ('q1', 'voice assistants privacy'), ('q2', 'voice xyzzy')")
    done = run(filled, system="conjunctive-passage", name="mine")
    assert (done.queries, done.ranked) == (1, 3)
    [(params, family)] = filled.execute("SELECT params, family FROM st1_runs WHERE run = 'mine'").fetchall()
    assert (params["system"], family, list(params["indexes"])) == ("conjunctive-passage", "conjunctive", ["text"])
    assert [one.doc for one in search(filled, "voice assistants privacy", system="conjunctive-passage", k=2)] == [3, 9]
    assert ids(found(filled, SEARCH, "voice assistants privacy", 9, '{"year": [2003, 2010]}')) == [3, 9]
    filled.execute("UPDATE st1_queries SET text = 'voice xyzzy'")
    with pytest.raises(StateError, match="no passage contains all words of a query") as error:
        run(filled, system="conjunctive-passage", name="other")
    assert "run conjunctive" in (error.value.hint or "")


def test_the_index_follows_passages_and_configuration(filled: psycopg.Connection) -> None:
    filled.execute("INSERT INTO dblp (id, docno, doc) VALUES (11, '11', '{}')")
    filled.execute("INSERT INTO dblp_text (id, abstract) VALUES (11, 'Privacies of voice assistants.')")
    cut_passages(filled, by="sentence")
    assert 11 in ids(found(filled, SEARCH, "privacy voice", 9))
    index(filled, config="simple", engine="portable")
    assert 11 not in ids(found(filled, SEARCH, "privacy voice", 9))
    assert 11 in ids(found(filled, SEARCH, "privacies voice", 9))
    cut_passages(filled, by="window", size=30, replace=True)
    assert 10 in ids(found(filled, SEARCH, "voice assistants privacy", 9))


def test_errors(conn: psycopg.Connection) -> None:
    put(conn, TEXTS)
    with pytest.raises(StateError, match="there are no passages") as error:
        search(conn, "voice", system="conjunctive-passage")
    assert "stc vectors passages" in (error.value.hint or "")
    conn.execute("SELECT stc.begin_passages('window', 30)")
    conn.execute("SELECT stc.fill_passages()")
    with pytest.raises(StateError, match="not indexed") as error:
        search(conn, "voice", system="conjunctive-passage")
    assert "stc vectors passages --no-embed --by window --size 30 --step 15." in (error.value.hint or "")
    cut_passages(conn, by="window", size=30, step=15)
    assert search(conn, "voice", system="conjunctive-passage")
    for wrong in ({"k": 0}, {"filter": {"yaer": 2000}}):
        with pytest.raises(BadArgument):
            search(conn, "voice", system="conjunctive-passage", **wrong)
