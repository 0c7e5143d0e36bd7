"""split_words: which words are separated, that each character keeps its place, and which collections separate words."""

from __future__ import annotations

import psycopg
import pytest

from stcollection.db.check import problems
from stcollection.db.settings import Settings
from stcollection.db.upgrade import upgrade
from stcollection.errors import BadArgument
from stcollection.text.index import index
from tests.text.documents import found, put


def words(conn: psycopg.Connection, text: str | None) -> str | None:
    row = conn.execute("SELECT stc.split_words(%s::text, true)", [text]).fetchone()
    assert row is not None
    return None if row[0] is None else " ".join(str(row[0]).split())


@pytest.mark.parametrize(
    ("text", "separate"),
    [
        ("the TCP/IP model", "the TCP IP model TCP/IP"),
        ("(TCP/IP)/(UDP/IP)", "(TCP IP) (UDP IP) TCP/IP UDP/IP"),
        ("802.11a/b/g, H.264/AVC", "802.11a b g, H.264 AVC"),
        ("TCP/IP-based and/or C/C++", "TCP IP-based and or C C++ TCP/IP and/or C/C"),
        ("größe/länge-5", "größe länge 5 größe/länge"),
        ("a/b\nc/d\te", "a b c d e a/b c/d"),
        ("COVID-19.", "COVID 19."),
        ("SARS-CoV-2 and ISO-8859-1-based", "SARS-CoV 2 and ISO 8859 1-based"),
        ("f-1.5, x-1-2-3", "f 1.5, x 1 2 3"),
        ("GPT-4o 1e-5 2.5E-10 F1e-5", "GPT-4o 1e-5 2.5E-10 F1e-5"),
        ("1/2 24/7 2020-21 +49-30/123", "1/2 24/7 2020-21 +49-30/123"),
        ("http://a.org/b/c-1 mail@a.org/b-1 /usr/lib-1", "http://a.org/b/c-1 mail@a.org/b-1 /usr/lib-1"),
        ("10.1145/a-12 doi:10.1000/x/y-1", "10.1145/a-12 doi:10.1000/x/y-1"),
        ("<b>a/b</b><br/>", "<b>a b</b><br/> a/b"),
        ("covid–19 covid‑19 covid−19", "covid 19 covid 19 covid 19"),
        ("client∕server ＴＣＰ／ＩＰ", "client server ＴＣＰ ＩＰ client/server ＴＣＰ/ＩＰ"),
        ("“machine learning” word—word ‘a’ «b» …", "machine learning word word a b"),
        ("non\u00a0breaking 5°×2 、全文。", "non breaking 5 2 全文"),
        ("naïve Zürich m² µ-law", "naïve Zürich m² µ-law"),
        ("", ""), ("/", "/"), (" \n", ""), (None, None),
    ],
)  # fmt: skip
def test_words_are_separated(conn: psycopg.Connection, text: str | None, separate: str | None) -> None:
    assert words(conn, text) == separate
    if text is not None:
        assert conn.execute("SELECT length(stc.split_words(%s))", [text]).fetchone() == (len(text),)


@pytest.mark.parametrize(
    "text",
    ["a/" * 500_000, "a/b " * 60_000, "1-" * 60_000 + "a", "–" * 100_000 + "/a", "/" * 1_000_000, "x-1" * 100_000],
)
def test_long_words_take_linear_time(conn: psycopg.Connection, text: str) -> None:
    """With quadratic time each would take minutes."""
    conn.execute("SET statement_timeout = '60s'")
    try:
        assert conn.execute("SELECT length(stc.split_words(%s))", [text]).fetchone() == (len(text),)
    finally:
        conn.execute("RESET statement_timeout")


def separation(conn: psycopg.Connection) -> object:
    return conn.execute("SELECT words FROM stc.text_status()").fetchall()[0][0]


def test_an_index_keeps_or_changes_the_separation(conn: psycopg.Connection) -> None:
    put(conn, {1: ("Client/server", None), 2: ("Network servers", None)})
    assert separation(conn) == "split"
    assert index(conn).words == "split"
    assert [row[0] for row in found(conn, "bm25_search", "client")] == [1]
    changed = index(conn, words="published")
    assert (changed.built, changed.words, separation(conn)) == (True, "published", "published")
    assert found(conn, "bm25_search", "client") == []
    assert conn.execute("SELECT content, tsv::text FROM dblp_text WHERE id = 1").fetchone() == (
        "Client/server\n",
        "'client/server':1A",
    )
    kept = index(conn)
    assert (kept.built, kept.words) == (False, "published")
    assert index(conn, words="split").built
    assert [row[0] for row in found(conn, "bm25_search", "client")] == [1]
    with pytest.raises(BadArgument, match="'parts'"):
        index(conn, words="parts")


def test_a_refused_change_leaves_the_index_in_place(conn: psycopg.Connection) -> None:
    put(conn, {1: ("Client/server", None)})
    index(conn)
    before = conn.execute("SELECT 'dblp_text_bm25'::regclass::oid").fetchone()
    for separated, k1 in (("parts", 1.2), ("published", -1.0)):
        with pytest.raises(BadArgument):
            index(conn, words=separated, k1=k1)
    assert conn.execute("SELECT 'dblp_text_bm25'::regclass::oid").fetchone() == before


def test_an_upgrade_keeps_the_published_separation(settings: Settings, conn: psycopg.Connection) -> None:
    put(conn, {1: ("Client/server", None)})
    conn.execute("CALL stc.compute_text('english', 'published')")
    before = conn.execute("SELECT content, tsv::text FROM dblp_text").fetchall()
    upgrade(settings, force=True)
    assert separation(conn) == "published"
    assert conn.execute("SELECT content, tsv::text FROM dblp_text").fetchall() == before
    assert problems(conn) == []


@pytest.mark.parametrize("words", ["split", "published"])
@pytest.mark.parametrize(
    ("text", "query", "parts", "whole"),
    [
        ("The TCP/IP model", "ip", "The TCP/[IP] model", "The TCP/IP model"),
        ("The TCP/IP model", "tcp/ip", "The [TCP]/[IP] model", "The [TCP/IP] model"),
        ("A study of COVID-19.", "covid 19", "A study of [COVID]-[19].", "A study of [COVID]-19."),
        ("\n client/server  (servers)", "server", "\n client/[server]  ([servers])", "\n client/server  ([servers])"),
    ],
)
def test_marks_are_in_the_unchanged_text(
    conn: psycopg.Connection, words: str, text: str, query: str, parts: str, whole: str
) -> None:
    conn.execute("CALL stc.compute_text('english', %s)", [words])
    marked = "SELECT translate(stc.mark_words(%s, stc.query_marks(%s)), U&'\\E000\\E001', '[]')"
    assert conn.execute(marked, [text, query]).fetchone() == (parts if words == "split" else whole,)


def test_sentences_and_judged_words_are_read_alike(conn: psycopg.Connection) -> None:
    put(conn, {1: ("Networks", "Other things. The client/server model. More."), 2: ("Cells", "A study of covid–19. Others.")})
    index(conn, engine="portable")
    for query, sentence in (("server", "The client/server model."), ("covid 19", "A study of covid–19.")):
        assert conn.execute("SELECT snippet FROM stc.search_page(%s, 'bm25')", [query]).fetchone() == (sentence,)
    assert conn.execute("SELECT stc.words_asked_for('TCP/IP', '{tcp,udp}')").fetchone() == (["tcp"],)
