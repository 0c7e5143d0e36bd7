"""Search results use the text search configuration of the collection, not english."""

from __future__ import annotations

import psycopg
import pytest

from tests.text.documents import put

TEXT = "Das Wetter ist gut. Viele Häuser stehen am See. The houses are small."


@pytest.fixture
def german(conn: psycopg.Connection) -> psycopg.Connection:
    put(conn, {1: ("Wohnen", TEXT)})
    conn.execute("INSERT INTO st1_queries (query, text) VALUES ('q', 'Haus')")
    conn.execute("CALL stc.index_text(config => 'german', engine => 'portable')")
    return conn


def test_it_is_english_before_there_is_an_index(conn: psycopg.Connection) -> None:
    assert conn.execute("SELECT stc.text_config()::text").fetchone() == ("english",)


def test_the_sentence_of_a_page(german: psycopg.Connection) -> None:
    assert german.execute("SELECT stc.text_config()::text").fetchone() == ("german",)
    found = german.execute("SELECT snippet FROM stc.search_page('Haus', 'bm25')").fetchall()
    assert found == [("Viele Häuser stehen am See.",)]


def test_the_passage_of_a_run(german: psycopg.Connection) -> None:
    german.execute("SELECT make_run('mine', 'bm25')")
    [[passage]] = german.execute("SELECT passage FROM stc.run_ranking('mine', passages => true)").fetchall()
    assert passage == "Viele Häuser stehen am See."


def test_the_words_marked_for_an_assessor(german: psycopg.Connection) -> None:
    found = german.execute("SELECT stc.words_asked_for('Häuser -See', '{Haus,Hauses,See,ist}')").fetchone()
    assert found == (["Haus", "Hauses"],)


def test_no_function_names_a_configuration_but_the_one(conn: psycopg.Connection) -> None:
    """Defaults of parameters are allowed, because callers see them."""
    found = conn.execute(
        "SELECT proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND proname <> 'text_config'"
        " AND coalesce(pg_get_function_sqlbody(oid), prosrc) ~ '''english'''"
    ).fetchall()
    assert found == []
