"""Passages of abstracts: ends of sentences, windows, repeated calls; and vectors of passages."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stcollection.errors import BadArgument, StateError
from stcollection.vectors.index import index
from stcollection.vectors.model import Embedder, Vectors
from stcollection.vectors.passages import cut_passages, embed_passages
from tests.examples import examples
from tests.text.documents import put
from tests.vectors.worlds import BagOfWords

pytestmark = pytest.mark.slow

# The sentences of texts; the texts are these, joined by spaces.
SENTENCES = [
    ["We study search.", "It works."],
    ["Does it work?", "Yes!", "It does…", "Really."],
    ["Methods, e.g. Markov chains, i.e. Models, are used (cf. Sect. 3).", "They differ."],
    ["As Smith et al. (2019) and Lee et al. Springer show, it works.", "Others disagree."],
    ["This is due to Smith et al.", "We extend it."],
    ["Fig. 2 shows this.", "So do Figs. 3 and 4, Eq. 5 and Tab. 1."],
    ["The value is 3.5 or .05, at p < 0.01.", "The rest is 12.", "Ours is 14."],
    ["J. Smith and K. L. Jones met Dr. No, Prof. X and Mr. T at U.S. Army bases.", "They talked."],
    ["It was made in the U.S.", "The rest came later."],
    ["See No. 5, vol. 2, pp. 10 and p. 7 there.", "No.", "It is not."],
    ["It grew until 2010.", "3D printing came then.", "1990 was earlier."],
    ["1. Introduction of the problem.", "2. Methods of it.", "(3. Results)."],
    ["He said \"Stop.\"", "She did not (at first).", "\"Why?\"", "[1] tells."],
    ["Node.js, ASP.NET, example.com and f(x.y) are names.", "iOS is one too."],
    ["We index logs, mails, etc.", "This helps.", "Cats, dogs, etc. sleep vs. Birds that fly."],
    ["Wait... what is that?", "That is i.i.d. Gaussian noise, w.r.t. Gauss."],
    ["Émile est là.", "Über allem steht es.", "Ένα.", "Δύο."],
    ["這是一句。"],
    ["One sentence without an end"],
]  # fmt: skip


def sentences(conn: psycopg.Connection, text: str) -> list[str]:
    [[found]] = conn.execute("SELECT stc.passage_sentences(%s)", [text]).fetchall()
    return list(found)


@pytest.mark.parametrize("wanted", SENTENCES, ids=lambda wanted: wanted[0][:30])
def test_where_a_sentence_ends(conn: psycopg.Connection, wanted: list[str]) -> None:
    assert sentences(conn, " ".join(wanted)) == wanted
    assert sentences(conn, " \n" + "\n\t ".join(wanted) + "\r\n") == wanted


def test_ends_without_white_space(conn: psycopg.Connection) -> None:
    assert sentences(conn, "We propose a method.The result (a new one).However, it fails.In time.") == [
        "We propose a method.",
        "The result (a new one).",
        "However, it fails.",
        "In time.",
    ]
    assert sentences(conn, "一。二！三？") == ["一。", "二！", "三？"]


@pytest.mark.parametrize("text", ["", " \n", "...", "?! – (.)", None])
def test_a_text_without_a_word_has_none(conn: psycopg.Connection, text: str | None) -> None:
    assert conn.execute("SELECT coalesce(stc.passage_sentences(%s), '{}')", [text]).fetchone() == ([],)
    assert conn.execute("SELECT coalesce(stc.passage_windows(%s, 5, 5), '{}')", [text]).fetchone() == ([],)


@examples(200)
@given(
    text=st.lists(
        st.sampled_from(["We", "e.g.", "Fig.", "2", "et al.", "end.", "The", "3.5", '"', ")", "J.", "x\\1", "\x1f", "…", "a.We b"])
    ).map(" ".join)
    | st.text(st.characters(blacklist_characters="\0", blacklist_categories=["Cs"]), max_size=80)
)
def test_nothing_with_a_letter_is_lost(conn: psycopg.Connection, text: str) -> None:
    """The joined sentences equal the text, except white space and pieces without letters or digits."""
    kept = "".join(sentences(conn, text))
    [[rest]] = conn.execute(
        "SELECT ARRAY(SELECT c FROM regexp_split_to_table(%s COLLATE pg_c_utf8, '') c WHERE c ~ '[[:alnum:]]')", [text]
    ).fetchall()
    assert [c for c in kept if c in set(rest)] == rest


def windows(conn: psycopg.Connection, text: str, size: int, step: int) -> list[str]:
    [[found]] = conn.execute("SELECT stc.passage_windows(%s, %s, %s)", [text, size, step]).fetchall()
    return list(found)


def test_windows_by_hand(conn: psycopg.Connection) -> None:
    assert windows(conn, " a b\nc  d e ", 2, 2) == ["a b", "c d", "e"]
    assert windows(conn, "a b c d e", 3, 1) == ["a b c", "b c d", "c d e"]
    assert windows(conn, "a b c d e", 4, 2) == ["a b c d", "c d e"]
    assert windows(conn, "a b c d e", 5, 2) == windows(conn, "a b c d e", 50, 2) == ["a b c d e"]


@pytest.mark.parametrize("size", [1, 2, 3, 7])
@pytest.mark.parametrize("n", [1, 2, 6, 7, 8, 20])
def test_windows_cover_all_words_and_none_is_idle(conn: psycopg.Connection, n: int, size: int) -> None:
    words = [f"w{i}" for i in range(n)]
    for step in range(1, size + 1):
        starts = [0]
        while starts[-1] + size < n:
            starts.append(starts[-1] + step)
        assert windows(conn, " ".join(words), size, step) == [" ".join(words[start : start + size]) for start in starts]


TEXTS: dict[int, tuple[str | None, str | None]] = {
    5: ("one", "First here. Second here."),
    2: ("two", "Alone"),
    9: ("none", None),
    11: ("blank", " \n"),
    12: ("dots", "..."),
}


def stored(conn: psycopg.Connection) -> list[tuple[int, int, str]]:
    return conn.execute("SELECT doc, position, text FROM dblp_passages ORDER BY doc, position").fetchall()


def test_only_abstracts_that_lack_passages_are_cut(conn: psycopg.Connection) -> None:
    put(conn, TEXTS)
    done = cut_passages(conn)
    assert (done.how, done.documents, done.passages) == ("sentence", 2, 3)
    assert stored(conn) == [(2, 1, "Alone"), (5, 1, "First here."), (5, 2, "Second here.")]
    assert conn.execute("SELECT value FROM stc_all.stc_settings WHERE name = 'passages'").fetchone() == ("sentence",)
    before = conn.execute("SELECT array_agg(id ORDER BY id) FROM dblp_passages").fetchone()
    assert cut_passages(conn).documents == 0
    assert conn.execute("SELECT array_agg(id ORDER BY id) FROM dblp_passages").fetchone() == before
    # A new document, and one whose text changes.
    put(conn, {20: ("new", "New. Newer.")})
    conn.execute("UPDATE dblp_text SET abstract = 'Changed. It is.' WHERE id = 2")
    assert (cut_passages(conn).documents, len(stored(conn))) == (2, 6)
    conn.execute("DELETE FROM dblp WHERE id = 5")
    assert {doc for doc, _, _ in stored(conn)} == {2, 20}


def test_a_chunk_at_a_time(conn: psycopg.Connection) -> None:
    put(conn, {doc: (None, f"Number {doc}. It is.") for doc in range(1, 8)})
    conn.execute("SELECT stc.begin_passages()")
    assert conn.execute("SELECT * FROM stc.fill_passages(n => 3)").fetchone() == (3, 6, 3)
    assert conn.execute("SELECT * FROM stc.fill_passages(3, 3)").fetchone() == (3, 6, 6)
    assert conn.execute("SELECT stc.passages_lacking()").fetchone() == (1,)
    told: list[tuple[int, int | None]] = []
    assert cut_passages(conn, progress=lambda done, total: told.append((done, total))).documents == 1
    assert told == [(1, 1)]
    assert conn.execute("SELECT * FROM stc.fill_passages()").fetchone() == (0, 0, None)


def test_another_way_replaces_only_when_told(conn: psycopg.Connection) -> None:
    put(conn, TEXTS)
    cut_passages(conn)
    embed_passages(conn, model=BagOfWords())
    index(conn, fields=["passage"])
    before = stored(conn)
    with pytest.raises(BadArgument, match="by sentence, not by window 3 1") as error:
        cut_passages(conn, by="window", size=3)
    assert "replace" in str(error.value.hint)
    assert stored(conn) == before
    done = cut_passages(conn, by="window", size=3, step=2, replace=True)
    assert (done.how, done.documents) == ("window 3 2", 2)
    assert stored(conn) == [(2, 1, "Alone"), (5, 1, "First here. Second"), (5, 2, "Second here.")]
    for nothing in ("dblp_p", "stc.vector_indexes", "pg_indexes WHERE indexname LIKE 'dblp_p_passage%'"):
        assert conn.execute(f"SELECT count(*) FROM {nothing}").fetchone() == (0,)
    # Repeating the same way of cutting is allowed.
    assert cut_passages(conn, by="window", size=3, step=2, replace=True).documents == 0
    # Nothing is reported without passages.
    conn.execute("DELETE FROM dblp_passages")
    assert cut_passages(conn).how == "sentence"


def test_arguments(conn: psycopg.Connection) -> None:
    with pytest.raises(StateError, match="no abstract") as state:
        cut_passages(conn)
    assert state.value.sqlstate == "IR405"
    put(conn, TEXTS)
    wrong: list[tuple[str, int | None, int | None]] = [
        ("page", None, None), ("sentence", 5, None), ("window", 0, None), ("window", 5, 6), ("window", 5, 0),
        ("window", 10**6, None),
    ]  # fmt: skip
    for by, size, step in wrong:
        with pytest.raises(BadArgument) as error:
            cut_passages(conn, by=by, size=size, step=step)
        assert error.value.sqlstate == "IR202"
        assert error.value.hint
    with pytest.raises(psycopg.Error) as raw:
        conn.execute("SELECT * FROM stc.fill_passages()")
    assert raw.value.sqlstate == "IR405"
    with pytest.raises(StateError, match="no passages to embed"):
        embed_passages(conn, model=BagOfWords())


def vectors_by_text(conn: psycopg.Connection, relation: str = "dblp_p") -> dict[str, Vectors]:
    rows = conn.execute(f"SELECT p.text, v.passage_v::real[] FROM dblp_passages p JOIN {relation} v USING (id)").fetchall()
    return {text: np.array(v, dtype=np.float32) for text, v in rows}


def test_each_passage_has_its_vector(conn: psycopg.Connection) -> None:
    put(conn, {doc: (None, f"Number {doc}. It is {doc * 7}.") for doc in range(1, 30)})
    cut_passages(conn)
    told: list[tuple[int, int | None]] = []
    encoder = BagOfWords()
    done = embed_passages(conn, model=encoder, rows=10, progress=lambda done, total: told.append((done, total)))
    assert (done.model, done.passages) == ("minilm", 58)
    assert told[-1] == (58, 58)
    have = vectors_by_text(conn)
    assert have.keys() == {text for _, _, text in stored(conn)}
    for text, got in have.items():
        assert np.array_equal(got, encoder.encode([text])[0])
    again = BagOfWords()
    assert embed_passages(conn, model=again).passages == 0
    assert again.seen == []
    # A changed text loses its vectors with its passages.
    conn.execute("UPDATE dblp_text SET abstract = 'Another one.' WHERE id = 3")
    assert len(vectors_by_text(conn)) == 56
    cut_passages(conn)
    assert embed_passages(conn, model=again).passages == 1
    assert again.seen == ["Another one."]


def test_an_interrupted_embedding_goes_on(conn: psycopg.Connection) -> None:
    class Interrupted(BagOfWords):
        calls = 0

        def encode(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
            self.calls += 1
            if self.calls == 3:
                raise KeyboardInterrupt
            return super().encode(texts, query=query)

    put(conn, {doc: (None, f"Number {doc}.") for doc in range(1, 41)})
    cut_passages(conn)
    with pytest.raises(KeyboardInterrupt):
        embed_passages(conn, model=Interrupted(), rows=10)
    assert len(vectors_by_text(conn)) == 20
    rest = BagOfWords()
    assert embed_passages(conn, model=rest, rows=10).passages == 20
    assert "Number 1." not in rest.seen
    assert len(vectors_by_text(conn)) == 40


def test_a_further_model_has_a_table_of_its_own(conn: psycopg.Connection) -> None:
    put(conn, TEXTS)
    cut_passages(conn)
    embed_passages(conn, model=BagOfWords())
    tiny = BagOfWords(short="tiny", dim=8)
    tiny.name = "tests/tiny"
    assert embed_passages(conn, model=tiny).model == "tiny"
    assert {v.shape for v in vectors_by_text(conn, "dblp_p_tiny").values()} == {(8,)}
    wrong = BagOfWords(dim=8)
    with pytest.raises(StateError) as error:
        embed_passages(conn, model=wrong)
    assert error.value.sqlstate == "IR403"


def test_not_within_a_transaction(dsn: str) -> None:
    with psycopg.connect(dsn) as conn:
        conn.execute("SELECT 1")
        for call in (lambda: cut_passages(conn), lambda: embed_passages(conn, model=BagOfWords())):
            with pytest.raises(StateError, match="transaction"):
                call()


def test_by_the_model(conn: psycopg.Connection, model: Embedder) -> None:
    put(conn, TEXTS)
    cut_passages(conn)
    assert embed_passages(conn).passages == 3
    for text, got in vectors_by_text(conn).items():
        assert float(got @ model.encode([text])[0]) > 0.999  # a CPU with bfloat16 uses it for documents
        assert np.linalg.norm(got) == pytest.approx(1, abs=1e-5)
    assert embed_passages(conn, model="minilm").passages == 0
