"""stc vectors embed embeds every text once, despite interruptions."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence

import numpy as np
import psycopg
import pytest

from stcollection.errors import DatabaseError, StateError, UnknownObject
from stcollection.vectors.embed import embed
from stcollection.vectors.model import Embedder, Vectors
from stcollection.vectors.queries import embed_queries, query_vector
from tests.at_once import at_once
from tests.text.documents import put
from tests.vectors.worlds import BagOfWords

pytestmark = [pytest.mark.usefixtures("dsn"), pytest.mark.slow]  # embed stores on a separate connection

TEXTS: dict[int, tuple[str | None, str | None]] = {
    3: ("Voice assistants", "They listen at home."),
    7: ("Self-driving cars", None),
    8: (None, "An abstract without a title."),
    9: ("Blank", " \n\t"),
    20: (None, None),
    2**62: ("The last", "of all"),
}


def stored(conn: psycopg.Connection, table: str = "dblp_v") -> dict[int, tuple[Vectors | None, Vectors | None]]:
    rows = conn.execute(f"SELECT id, title_v::real[], abstract_v::real[] FROM {table} ORDER BY id").fetchall()
    return {row[0]: tuple(None if v is None else np.array(v, dtype=np.float32) for v in row[1:]) for row in rows}  # type: ignore[misc]


def some(conn: psycopg.Connection, n: int) -> dict[int, tuple[str | None, str | None]]:
    texts: dict[int, tuple[str | None, str | None]] = {
        doc: (f"title {doc}", f"abstract {doc} word" if doc % 3 else None) for doc in range(1, n + 1)
    }
    put(conn, texts)
    return texts


def complete(conn: psycopg.Connection, texts: dict[int, tuple[str | None, str | None]]) -> None:
    """Check that every text has exactly its vector, and nothing else has one."""
    encoder = BagOfWords()
    have = stored(conn)
    assert have.keys() == {doc for doc, (title, abstract) in texts.items() if title or abstract}
    for doc, vectors in have.items():
        for text, got in zip(texts[doc], vectors, strict=True):
            assert (got is None) == (text is None)
            if text is not None and got is not None:
                assert np.array_equal(got, encoder.encode([text])[0])


@pytest.mark.slow
def test_each_text_has_the_vector_of_the_model(conn: psycopg.Connection, model: Embedder) -> None:
    put(conn, TEXTS)
    conn.execute("INSERT INTO dblp (id, docno, doc, stub) VALUES (99, '99', '{}', true)")
    done = embed(conn, model=model)
    assert (done.model, done.documents, done.titles, done.abstracts) == ("minilm", 5, 4, 3)
    have = stored(conn)
    assert have.keys() == {3, 7, 8, 9, 2**62}
    for doc, (title, abstract) in have.items():
        for text, got in zip(TEXTS[doc], (title, abstract), strict=True):
            if text is None or not text.strip():
                assert got is None
            else:
                assert got is not None
                np.testing.assert_allclose(got, model.encode([text])[0], atol=2e-6)
    assert conn.execute("SELECT model, name, dim, max_tokens, relation, pooling, made_by FROM stc.vector_models").fetchall() == [
        ("minilm", "sentence-transformers/all-MiniLM-L6-v2", 384, 256, "dblp_v", "mean", ["torch fp32"])
    ]


def test_what_has_its_vectors_is_left_alone(conn: psycopg.Connection) -> None:
    texts = some(conn, 30)
    assert embed(conn, model=BagOfWords()).documents == 30
    complete(conn, texts)
    again = BagOfWords()
    assert embed(conn, model=again).documents == 0
    assert again.seen == []
    # A new document, and one that has lost the vector of its abstract.
    put(conn, {100: ("new", None)})
    conn.execute("UPDATE dblp_v SET abstract_v = NULL WHERE id = 4")
    assert embed(conn, model=again).documents == 2
    assert again.seen == ["new", texts[4][1]]
    complete(conn, {**texts, 100: ("new", None)})


def test_an_interrupted_one_goes_on_where_it_stopped(conn: psycopg.Connection) -> None:
    class Interrupted(BagOfWords):
        calls = 0

        def encode(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
            self.calls += 1
            if self.calls == 4:
                raise KeyboardInterrupt
            return super().encode(texts, query=query)

    texts = some(conn, 50)
    with pytest.raises(KeyboardInterrupt):
        embed(conn, model=Interrupted(), rows=10)
    assert stored(conn).keys() == set(range(1, 31))
    rest = BagOfWords()
    assert embed(conn, model=rest, rows=10).documents == 20
    assert "title 30" not in rest.seen
    complete(conn, texts)


def test_several_at_once_share_the_work(conn: psycopg.Connection, dsn: str) -> None:
    all_at_work = threading.Barrier(3)

    class Slow(BagOfWords):
        def encode(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
            if not self.seen:
                all_at_work.wait(timeout=60)
            return super().encode(texts, query=query)

    texts = some(conn, 200)
    encoders = [Slow() for _ in range(3)]

    def work(encoder: BagOfWords) -> None:
        with psycopg.connect(dsn) as own:
            embed(own, model=encoder, rows=10)

    at_once(work, encoders)
    complete(conn, texts)
    seen = [text for encoder in encoders for text in encoder.seen]
    assert len(seen) == len(set(seen)) == sum(text is not None for pair in texts.values() for text in pair)
    assert all(encoder.seen for encoder in encoders)


def test_the_batch_of_one_that_died_is_taken_over(conn: psycopg.Connection, dsn: str) -> None:
    texts = some(conn, 30)
    claimed, died = threading.Event(), threading.Event()

    class Dies(BagOfWords):
        def encode(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
            claimed.set()
            died.wait(10)
            raise RuntimeError

    def work() -> None:
        with psycopg.connect(dsn) as own, pytest.raises(RuntimeError):
            embed(own, model=Dies(), rows=10)

    thread = threading.Thread(target=work)
    thread.start()
    assert claimed.wait(10)
    threading.Timer(0.3, died.set).start()
    done = embed(conn, model=BagOfWords(), rows=10)  # ends only when the claimed batch is finished too
    thread.join()
    assert done.documents == 30
    complete(conn, texts)


def test_the_next_page_is_read_and_the_last_stored_meanwhile(conn: psycopg.Connection, dsn: str) -> None:
    """The encoding of each page waits for reading and storing in parallel, and would time out without them."""

    class Watches(BagOfWords):
        calls = 0

        def encode(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
            self.calls += 1
            with psycopg.connect(dsn, autocommit=True) as beside:
                until = time.monotonic() + 20
                while True:
                    claimed, committed = beside.execute(
                        "SELECT (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND granted AND database = ("
                        "SELECT oid FROM pg_database WHERE datname = current_database())), (SELECT count(*) FROM dblp_v)"
                    ).fetchall()[0]
                    if claimed == (2 if self.calls < 4 else 1) and committed == 10 * (self.calls - 1):
                        break
                    assert time.monotonic() < until, (self.calls, claimed, committed)
                    time.sleep(0.01)
            return super().encode(texts, query=query)

    texts = some(conn, 40)
    encoder = Watches()
    assert embed(conn, model=encoder, rows=10).documents == 40
    assert encoder.calls == 4
    complete(conn, texts)


def test_a_store_that_fails_ends_it(conn: psycopg.Connection) -> None:
    texts = some(conn, 40)
    conn.execute("ALTER TABLE dblp_v ADD CHECK (id <> 15)")
    encoder = BagOfWords()
    with pytest.raises(DatabaseError, match="check constraint"):
        embed(conn, model=encoder, rows=10)
    assert stored(conn).keys() == set(range(1, 11))
    conn.execute("ALTER TABLE dblp_v DROP CONSTRAINT dblp_v_id_check")
    assert embed(conn, model=BagOfWords(), rows=10).documents == 30
    complete(conn, texts)


def test_progress_counts_documents(conn: psycopg.Connection) -> None:
    some(conn, 25)
    told: list[tuple[int, int | None]] = []
    embed(conn, model=BagOfWords(), rows=10, progress=lambda done, total: told.append((done, total)))
    assert told == [(10, 25), (20, 25), (25, 25)]


def test_a_further_model_has_a_table_of_its_own(conn: psycopg.Connection) -> None:
    texts = some(conn, 10)
    embed(conn, model=BagOfWords())
    small = BagOfWords(short="small", dim=8)
    small.name = "tests/small"
    assert embed(conn, model=small).model == "small"
    have = stored(conn, "dblp_v_small")
    assert {doc: v[0].shape for doc, v in have.items() if v[0] is not None} == dict.fromkeys(texts, (8,))
    complete(conn, texts)
    conn.execute("DELETE FROM dblp WHERE id = 3")
    assert 3 not in stored(conn, "dblp_v_small")


def test_two_models_do_not_meet_in_one_table(conn: psycopg.Connection) -> None:
    some(conn, 3)
    with pytest.raises(StateError, match=r"8 dimensions .* 384") as wrong:
        embed(conn, model=BagOfWords(dim=8))
    assert wrong.value.sqlstate == "IR403"
    embed(conn, model=BagOfWords())
    other = BagOfWords()
    other.name = "tests/other"
    with pytest.raises(StateError, match="by tests/bag-of-words, not by tests/other") as error:
        embed(conn, model=other)
    assert error.value.hint is not None
    # Also if nothing is left to embed, and so no model to load.
    with pytest.raises(StateError, match="not by no/such-model"):
        embed(conn, model="no/such-model", short="minilm")


@pytest.mark.slow
def test_a_model_that_is_not_here(conn: psycopg.Connection) -> None:
    some(conn, 1)
    with pytest.raises(UnknownObject, match="no/such-model"):
        embed(conn, model="no/such-model")
    assert conn.execute("SELECT count(*) FROM stc.vector_models").fetchone() == (0,)


def test_nothing_to_embed(conn: psycopg.Connection) -> None:
    with pytest.raises(StateError, match="no text to embed") as error:
        embed(conn)
    assert error.value.sqlstate == "IR405"


def test_not_within_a_transaction(dsn: str) -> None:
    with psycopg.connect(dsn) as conn:
        conn.execute("SELECT 1")
        with pytest.raises(StateError, match="transaction"):
            embed(conn, model=BagOfWords())


def queries(conn: psycopg.Connection, *texts: str | None) -> None:
    conn.cursor().executemany("INSERT INTO st1_queries (query, text) VALUES (%s, %s)", list(enumerate(texts)))


def test_query_vectors_are_remembered_by_their_text(conn: psycopg.Connection) -> None:
    queries(conn, "voice assistants", "voice assistants", "Voice assistants", None, 'it\'s 100% "odd" – \\')
    encoder = BagOfWords()
    assert embed_queries(conn, model=encoder) == 3
    assert embed_queries(conn, model=encoder) == 0
    assert len(encoder.seen) == 3
    for text in ("voice assistants", 'it\'s 100% "odd" – \\'):
        [(got,)] = conn.execute("SELECT embed_query(%s)::real[]", [text]).fetchall()
        assert np.array_equal(np.array(got, dtype=np.float32), encoder.encode([text])[0])


def test_a_query_that_was_never_embedded_is_named(conn: psycopg.Connection) -> None:
    queries(conn, "one")
    embed_queries(conn, model=BagOfWords())
    with pytest.raises(psycopg.Error, match="no vector of the query 'two' by minilm") as error:
        conn.execute("SELECT embed_query('two')")
    assert error.value.sqlstate == "IR405"
    assert error.value.diag.message_hint


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("+women +computer -games", "women computer"),
        ('voice -"smart home" assistants', "voice assistants"),
        ("self-driving cars - a review, 1990-2000", "self-driving cars - a review, 1990-2000"),
        ("C++ or <b>Java</b>", "C++ or <b>Java</b>"),
        ("-games", "-games"),
        ("", ""),
    ],
)
def test_a_vector_knows_no_not(conn: psycopg.Connection, text: str, meant: str) -> None:
    queries(conn, text)
    encoder = BagOfWords()
    embed_queries(conn, model=encoder)
    assert [" ".join(seen.split()) for seen in encoder.seen] == [meant]
    assert conn.execute("SELECT text FROM query_v").fetchall() == [(text,)]


def test_an_asked_query_is_remembered_where_that_may_be(conn: psycopg.Connection, dsn: str) -> None:
    some(conn, 1)
    encoder = BagOfWords()
    with psycopg.connect(dsn) as reader:
        reader.read_only = True
        first = query_vector(reader, "voice", model=encoder)  # not even the model is registered
    embed(conn, model=encoder)
    with psycopg.connect(dsn) as reader:
        reader.read_only = True
        assert query_vector(reader, "voice", model=encoder) == first
    assert conn.execute("SELECT count(*) FROM query_v").fetchone() == (0,)
    assert query_vector(conn, "voice", model=encoder) == first
    before = len(encoder.seen)
    assert np.array_equal(query_vector(conn, "voice", model=encoder).to_numpy(), encoder.encode(["voice"])[0])
    assert len(encoder.seen) == before + 1  # only by the line above
