"""Labels of a language model on sheets: off by default, after or beside, recorded, and never of a hidden edition by accident."""

from __future__ import annotations

import psycopg
import pytest

from stcollection.errors import BadArgument, UnknownObject
from stcollection.qrels import judging as work
from stcollection.qrels.assess import AssessorSheet
from stcollection.qrels.hiding import hide
from stcollection.qrels.judging import SentDecision
from stcollection.qrels.labels import show_labels
from stcollection.qrels.pools import make_pool
from tests.qrels.pooled import put_documents, put_queries, put_run

DOCS = [f"d{number}" for number in range(6)]


@pytest.fixture
def sheet(conn: psycopg.Connection) -> list[str]:
    """A pool whose documents a model and a person have judged in the edition models; the tokens of anna's sheet."""
    put_documents(conn, {doc: (f"Title {doc}", None) for doc in DOCS})
    put_queries(conn, {"q1": "title"})
    put_run(conn, "r", {"q1": DOCS})
    make_pool(conn, "p")
    conn.execute("INSERT INTO qrels_editions (edition) VALUES ('models'), ('people')")
    conn.execute(
        "INSERT INTO qrels_judgments (edition, query, doc, rel, origin, annotator)"
        " SELECT e.id, q.id, d.id, o.rel, o.origin, o.name FROM qrels_editions e, st1_queries q, dblp d,"
        " (VALUES ('models', 2, 'llm', 'gpt'), ('models', 0, 'human', 'gpt'), ('people', 0, 'human', 'eve'))"
        " AS o (edition, rel, origin, name)"
        " WHERE e.edition = o.edition AND d.docno <> 'd5'"
    )
    return [token for (token,) in conn.execute("SELECT token FROM stc.pool_sheet('p', 'anna') WHERE docno <> 'd5'").fetchall()]


def label(conn: psycopg.Connection, token: str) -> tuple[int, str] | None:
    shown = work.paper(conn, "p", "anna", token).label
    return (shown.rel, shown.judge) if shown else None


def decide(conn: psycopg.Connection, token: str, rel: int | None, *, given: str | None = None) -> None:
    """Decide as the page does, which has just shown the document."""
    paper = work.paper(conn, "p", "anna", token)
    sent = SentDecision(
        id=given, pool="p", annotator="anna", token=token, rel=rel, undecided=False, note=None, seconds=1, seen=paper.changed
    )
    assert work.decide(conn, sent) is not None


def stored(conn: psycopg.Connection) -> list[tuple[int | None, int | None, bool]]:
    return conn.execute("SELECT rel, label, label_seen FROM stc_all.qrels_assessments ORDER BY changed").fetchall()


def test_a_pool_shows_no_labels_by_default(conn: psycopg.Connection, sheet: list[str]) -> None:
    decide(conn, sheet[0], 1)
    assert label(conn, sheet[0]) is None
    show_labels(conn, "p", edition="models", beside=True)
    show_labels(conn, "p", edition=None)
    decide(conn, sheet[1], 1)
    assert label(conn, sheet[1]) is None
    assert stored(conn) == [(1, None, False), (1, None, False)]


def test_after_the_own_decision(conn: psycopg.Connection, sheet: list[str]) -> None:
    show_labels(conn, "p", edition="models", judge="gpt")
    assert label(conn, sheet[0]) is None
    decide(conn, sheet[0], None)  # skipped
    assert label(conn, sheet[0]) is None
    decide(conn, sheet[0], 1)
    assert label(conn, sheet[0]) == (2, "gpt")
    assert stored(conn) == [(1, 2, False)]
    decide(conn, sheet[0], 1)  # confirmed: the grade was given without the label
    assert stored(conn) == [(1, 2, False)]
    decide(conn, sheet[0], 2)
    assert stored(conn) == [(2, 2, True)]


def test_undo_does_not_forget_that_a_label_was_shown(conn: psycopg.Connection, sheet: list[str]) -> None:
    show_labels(conn, "p", edition="models")
    decide(conn, sheet[0], 1, given="0" * 32)
    assert work.undo(conn, "p", "anna", "0" * 32) == (sheet[0], True, "q1")
    again = work.paper(conn, "p", "anna", sheet[0])
    assert (again.state, again.rel, again.label is not None) == ("skipped", None, True)
    assert stored(conn) == [(None, 2, False)]
    decide(conn, sheet[0], 2)
    assert stored(conn) == [(2, 2, True)]


def test_beside_the_document(conn: psycopg.Connection, sheet: list[str]) -> None:
    show_labels(conn, "p", edition="models", beside=True)
    assert label(conn, sheet[0]) == (2, "gpt")
    decide(conn, sheet[0], 1)
    AssessorSheet(conn, "p", "anna").decide(sheet[1], 1)  # in a terminal, which shows no labels
    assert stored(conn) == [(1, 2, True), (1, None, False)]
    [other] = [token for (token,) in conn.execute("SELECT token FROM stc.pool_sheet('p', 'anna') WHERE docno = 'd5'").fetchall()]
    assert label(conn, other) is None
    decide(conn, other, 1)
    assert stored(conn)[-1] == (1, None, False)


def test_a_hidden_edition_shows_nothing_unless_the_organiser_says_so(conn: psycopg.Connection, sheet: list[str]) -> None:
    show_labels(conn, "p", edition="models", beside=True)
    hide(conn, "models")
    assert label(conn, sheet[0]) is None
    decide(conn, sheet[0], 1)
    assert label(conn, sheet[0]) is None
    assert stored(conn) == [(1, None, False)]
    with pytest.raises(BadArgument, match="edition 'models' is hidden"):
        show_labels(conn, "p", edition="models")
    show_labels(conn, "p", edition="models", hidden=True)
    assert label(conn, sheet[0]) == (2, "gpt")
    assert label(conn, sheet[1]) is None


def test_only_a_judge_of_the_edition(conn: psycopg.Connection, sheet: list[str]) -> None:
    with pytest.raises(BadArgument, match="no language model has judged in 'people'"):
        show_labels(conn, "p", edition="people")
    with pytest.raises(BadArgument, match="the language model 'eve' has not judged in 'models'"):
        show_labels(conn, "p", edition="models", judge="eve")
    with pytest.raises(UnknownObject, match="edition"):
        show_labels(conn, "p", edition="nope")
    conn.execute(
        "INSERT INTO qrels_judgments (edition, query, doc, rel, origin, annotator)"
        " SELECT edition, query, doc, 1, origin, 'mistral' FROM qrels_judgments WHERE origin = 'llm'"
    )
    with pytest.raises(BadArgument, match="several language models"):
        show_labels(conn, "p", edition="models")
    show_labels(conn, "p", edition="models", judge="mistral", beside=True)
    assert label(conn, sheet[0]) == (1, "mistral")
