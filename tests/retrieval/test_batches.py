"""Runs made in batches that are committed: interrupted, continued, begun again, and never seen half."""

from __future__ import annotations

from collections.abc import Callable

import psycopg
import pytest
from click.testing import CliRunner

from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, StateError, UnknownObject
from stcollection.qrels.removal import remove_edition
from stcollection.retrieval import SPARSE, SYSTEMS, batches
from stcollection.retrieval import run as making
from stcollection.retrieval.resources import ResourceMeter
from stcollection.retrieval.run import run
from stcollection.runs.removal import remove_runs
from stcollection.runs.unfinished import unfinished_runs
from stcollection.vectors.embed import embed
from stcollection.vectors.index import IndexOptions, index
from stcollection.vectors.passages import cut_passages, embed_passages
from tests import databases
from tests.groups import runs
from tests.text.documents import build, put
from tests.vectors.worlds import BagOfWords

pytestmark = pytest.mark.slow

WORDS = ["voice", "home", "graph", "people", "machine", "listen", "draw", "door"]
QUERIES = {f"q{number}": f"{word} {WORDS[number - 2]}" for number, word in enumerate(WORDS, 1)} | {"none": "xyzzy", "stub": None}
TEXTS = sum(text is not None for text in QUERIES.values())
RANKINGS = (
    "SELECT k.query, k.doc, k.rank, k.file_rank, k.rel_score, k.comb_score, k.passage FROM stc.st1_rankings k"
    " JOIN st1_runs n ON n.id = k.run WHERE n.run = %s ORDER BY 1, 3"
)
RUN = (
    "SELECT team, manual, family, params, source, sha256, shared, jsonb_set(metadata #- '{implementation,made}', '{tag}', '0')"
    " #- '{method,retrieval,0,name}' #- '{resources}' FROM st1_runs WHERE run = %s"
)


@databases.world
def filled(conn: psycopg.Connection) -> None:
    put(conn, {doc: (f"{WORDS[doc % 8]} {WORDS[doc % 5]}", " ".join(WORDS[doc % 3 :: 1 + (doc % 4 > 0)])) for doc in range(1, 90)})
    conn.cursor().executemany("INSERT INTO st1_queries (query, text) VALUES (%s, %s)", list(QUERIES.items()))
    conn.execute("INSERT INTO qrels_editions (edition) VALUES ('train'), ('other')")
    conn.execute(
        "INSERT INTO qrels_judgments (edition, query, doc, rel) SELECT e.id, q.id, d.id, 1 FROM qrels_editions e, st1_queries q,"
        " dblp d WHERE e.edition = 'train' AND (d.id + q.id) % 7 = 0"
    )
    build(conn, "portable")
    embed(conn, model=BagOfWords(), fields=("title", "abstract", "content"))
    cut_passages(conn, by="sentence")
    embed_passages(conn, model=BagOfWords())
    index(conn, options=IndexOptions(lists=3, effort=2))


@pytest.fixture(autouse=True)
def one_query_a_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batches, "_SECONDS", 0.0)
    monkeypatch.setattr(making, "worker_count", lambda wanted, per_core=1: wanted or per_core)


class Stopped(Exception):
    """An interruption."""


class Watch:
    """Record the progress, and interrupt or do something after some queries."""

    def __init__(self, after: int | None = None, act: Callable[[], object] | None = None) -> None:
        self.after, self.act = after, act
        self.seen: list[int] = []
        self.notes: list[str] = []

    def __call__(self, done: int, total: int, note: str) -> None:
        assert total >= TEXTS
        self.seen.append(done)
        if note and note not in self.notes:
            self.notes.append(note)
        if done == self.after:
            if self.act is None:
                raise Stopped
            self.after = None
            self.act()


def interrupt(conn: psycopg.Connection, after: int = 3, *, system: str = "bm25", depth: int = 20) -> None:
    with pytest.raises(Stopped):
        run(conn, system=system, name="mine", depth=depth, progress=Watch(after))


def equal(
    conn: psycopg.Connection,
    system: str = "bm25",
    depth: int = 20,
    filter: str | None = None,  # noqa: A002
    model: str | None = None,
) -> None:
    """Check that run mine equals the one that the SQL function makes."""
    arguments = [system, depth, filter, model]
    conn.execute("SELECT make_run('whole', %s, %s, filter => %s, model => %s, replace => true)", arguments)
    rankings = conn.execute(RANKINGS, ["mine"]).fetchall()
    assert len(rankings) > 0
    assert rankings == conn.execute(RANKINGS, ["whole"]).fetchall()
    assert conn.execute(RUN, ["mine"]).fetchall() == conn.execute(RUN, ["whole"]).fetchall()


@pytest.mark.parametrize("system", [one for one in SYSTEMS if one not in SPARSE])
def test_batches_store_the_rows_of_one_statement(filled: psycopg.Connection, system: str) -> None:
    done = run(filled, system=system, name="mine", depth=20, model=BagOfWords())
    equal(filled, system, model="minilm")
    assert unfinished_runs(filled) == []
    # the statement of which make_run consisted before
    expected = filled.execute(
        "SELECT q.id, s.doc, row_number() OVER (PARTITION BY q.id ORDER BY stc.trec_score(s.score) DESC, d.docno DESC), s.score"
        "  FROM st1_queries q, LATERAL system_search(q.text, %s, 20) s JOIN dblp d ON d.id = s.doc WHERE q.text IS NOT NULL"
        " ORDER BY 1, 3",
        [system],
    ).fetchall()
    stored = filled.execute(RANKINGS, ["mine"]).fetchall()
    assert [(query, doc, rank, score) for query, doc, rank, _, score, *_ in stored] == expected
    assert (done.queries, done.ranked) == (len({row[0] for row in stored}), len(stored))


def test_a_filter_and_the_rest_of_a_runs_row(filled: psycopg.Connection) -> None:
    run(filled, system="bm25", name="mine", depth=20, filter={"judged": "train"})
    equal(filled, filter='{"judged": "train"}')


def test_many_rows_are_stored_in_parts(filled: psycopg.Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    """More than the 50,000 documents that one statement stores, with the remainder in the last statement."""
    filled.execute(
        "INSERT INTO dblp (id, docno, doc) SELECT g, g, '{}' FROM generate_series(1001, 8000) g;"
        "INSERT INTO dblp_text (id, title) SELECT g, 'voice ' || g FROM generate_series(1001, 8000) g;"
        "UPDATE st1_queries SET text = 'voice' WHERE text <> 'xyzzy'"
    )
    build(filled, "portable")
    monkeypatch.setattr(batches, "_SECONDS", 60.0)
    done = run(filled, system="boolean", name="mine", depth=10_000)
    assert done.ranked > 50_000
    equal(filled, "boolean", 10_000)


@pytest.mark.usefixtures("dsn")
def test_an_interrupted_run_is_not_seen_and_continues(filled: psycopg.Connection) -> None:
    interrupt(filled, 3)
    assert filled.execute("SELECT (SELECT count(*) FROM st1_runs), (SELECT count(*) FROM stc.st1_rankings)").fetchone() == (0, 0)
    [left] = unfinished_runs(filled)
    assert (left.run, left.system, left.depth, left.done, left.queries) == ("mine", "bm25", 20, 3, TEXTS)
    times = filled.execute("SELECT query, searched FROM stc.unfinished_rankings ORDER BY query").fetchall()
    interrupt(filled, 5)
    assert filled.execute("SELECT query, searched FROM stc.unfinished_rankings ORDER BY query LIMIT 3").fetchall() == times
    watch = Watch()
    run(filled, system="bm25", name="mine", depth=20, progress=watch)
    assert watch.seen == list(range(5, TEXTS + 1))
    assert watch.notes == [f"mine: continuing after 5 of {TEXTS} queries"]
    equal(filled)
    assert unfinished_runs(filled) == []


def test_a_continued_run_has_the_resources_of_all_its_parts(filled: psycopg.Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = 0.0

    class Meter(ResourceMeter):
        """Each reading is a second after the previous one."""

        def read(self) -> dict[str, float]:
            nonlocal clock
            clock += 1
            return {"runtime in seconds": 1.0}

    monkeypatch.setattr(batches, "ResourceMeter", Meter)
    interrupt(filled, after=3)
    assert clock == 3
    run(filled, system="bm25", name="mine", depth=20)
    [[found]] = filled.execute("SELECT metadata -> 'resources' FROM st1_runs WHERE run = 'mine'").fetchall()
    assert found == {"runtime in seconds": clock}
    assert clock == TEXTS + 1, "one part for each query, and the last step"


def test_an_interruption_before_the_last_step_searches_nothing_again(filled: psycopg.Connection) -> None:
    interrupt(filled, TEXTS)
    watch = Watch()
    run(filled, system="bm25", name="mine", depth=20, team="us", progress=watch)
    assert watch.seen == [TEXTS]
    assert filled.execute("SELECT team FROM st1_runs").fetchone() == ("us",)


def _rebuild(conn: psycopg.Connection) -> None:
    conn.execute("CALL stc.index_text(engine => 'portable', k1 => 0.9)")


def _load(conn: psycopg.Connection) -> None:
    put(conn, dict.fromkeys(range(2000, 2400), ("voice home", "draw")))
    build(conn, "portable")


CHANGES: dict[str, tuple[Callable[[psycopg.Connection], object], str]] = {
    "a query": (lambda conn: conn.execute("INSERT INTO st1_queries (query, text) VALUES ('new', 'voice')"), "the queries"),
    "a text": (lambda conn: conn.execute("UPDATE st1_queries SET text = 'graph' WHERE query = 'q1'"), "the queries"),
    "documents": (_load, "the documents"),
    "the text index": (_rebuild, "the text index"),
    "functions": (lambda conn: conn.execute("UPDATE stc_objects SET fingerprint = 'x' WHERE file LIKE '%ndcg.sql'"), "the version"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_changed_collection_begins_again(filled: psycopg.Connection, change: str) -> None:
    act, named = CHANGES[change]
    interrupt(filled, 3)
    act(filled)
    watch = Watch()
    run(filled, system="bm25", name="mine", depth=20, progress=watch)
    assert watch.seen[0] == 0
    [note] = watch.notes
    assert note.startswith("mine: searching all queries again, because the ")
    assert named in note
    equal(filled)


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_in_the_middle_begins_again(filled: psycopg.Connection, change: str) -> None:
    act, named = CHANGES[change]
    watch = Watch(4, lambda: act(filled))
    run(filled, system="bm25", name="mine", depth=20, progress=watch)
    assert watch.seen[:6] == [0, 1, 2, 3, 4, 0]
    assert named in watch.notes[0]
    equal(filled)


def test_a_collection_that_keeps_changing(filled: psycopg.Connection) -> None:
    def act(done: int, _: int, __: str) -> None:
        if done == 2:
            filled.execute("UPDATE st1_queries SET text = text || ' voice' WHERE query = 'q1'")

    with pytest.raises(StateError, match="changed 3 times while run mine was made") as error:
        run(filled, system="bm25", name="mine", progress=act)
    assert "same command again" in str(error.value.hint)
    assert filled.execute("SELECT count(*) FROM st1_runs").fetchone() == (0,)


def test_other_parameters_begin_again_and_other_vectors_matter_to_dense_systems_only(filled: psycopg.Connection) -> None:
    interrupt(filled, 3)
    watch = Watch(3)
    with pytest.raises(Stopped):
        run(filled, system="bm25", name="mine", depth=10, progress=watch)
    assert watch.notes == ["mine: searching all queries again, because the parameters changed"]
    index(filled, options=IndexOptions(lists=5, effort=2))
    watch = Watch()
    run(filled, system="bm25", name="mine", depth=10, progress=watch)
    assert watch.seen[0] == 3
    with pytest.raises(Stopped):
        run(filled, system="dense-title", name="dense", model=BagOfWords(), progress=Watch(3))
    index(filled, options=IndexOptions(lists=4, effort=2))
    watch = Watch()
    run(filled, system="dense-title", name="dense", model=BagOfWords(), progress=watch)
    assert watch.notes == ["dense: searching all queries again, because the vectors or their index changed"]


def test_judgments_matter_to_a_filter_that_reads_them(filled: psycopg.Connection) -> None:
    with pytest.raises(Stopped):
        run(filled, system="bm25", name="mine", filter={"judged": "train"}, progress=Watch(3))
    remove_edition(filled, "other")
    watch = Watch()
    run(filled, system="bm25", name="mine", filter={"judged": "train"}, progress=watch)
    assert watch.notes == ["mine: searching all queries again, because the data that the filter reads changed"]


def test_refusals_come_before_the_search(filled: psycopg.Connection) -> None:
    run(filled, system="bm25", name="mine")
    for name, team, depth, problem in (
        ("mine", None, 20, "run mine already exists"),
        ("other", None, 0, "depth is 0"),
        ("other", "\n", 20, "the name of a team"),
    ):
        with pytest.raises(BadArgument, match=problem):
            run(filled, system="boolean", name=name, team=team, depth=depth, progress=lambda *_: pytest.fail("it searches"))
    assert unfinished_runs(filled) == []


def test_a_replaced_run_stays_until_the_new_one_is_complete(filled: psycopg.Connection) -> None:
    run(filled, system="boolean", name="mine", depth=20)
    before = filled.execute(RANKINGS, ["mine"]).fetchall()
    with pytest.raises(Stopped):
        run(filled, system="bm25", name="mine", depth=20, replace=True, progress=Watch(3))
    assert filled.execute(RANKINGS, ["mine"]).fetchall() == before
    run(filled, system="bm25", name="mine", depth=20, replace=True)
    equal(filled)


def test_queries_and_documents_of_an_unfinished_run_can_be_removed(filled: psycopg.Connection) -> None:
    interrupt(filled, 3)
    filled.execute("INSERT INTO st1_queries (query, text) VALUES ('more', 'voice')")
    interrupt(filled, TEXTS + 1)
    filled.execute("DELETE FROM st1_queries WHERE query = 'more'")
    run(filled, system="bm25", name="mine", depth=20)
    equal(filled)


def test_an_unfinished_run_is_listed_and_dropped(filled: psycopg.Connection, settings: Settings) -> None:
    interrupt(filled, 3)
    listed = CliRunner().invoke(runs, ["list"], obj=settings)
    assert f"unfinished: mine by {filled.info.user}, bm25 to depth 20: 3 of {TEXTS} queries" in listed.stderr
    assert "mine" not in listed.stdout
    shown = CliRunner().invoke(runs, ["drop", "mine", "--dry-run"], obj=settings)
    assert shown.stdout == "unfinished run mine: 3 queries searched\n"
    assert len(unfinished_runs(filled)) == 1
    CliRunner().invoke(runs, ["drop", "mine", "--yes"], obj=settings, catch_exceptions=False)
    assert unfinished_runs(filled) == []
    assert filled.execute("SELECT count(*) FROM stc.unfinished_rankings").fetchone() == (0,)
    with pytest.raises(UnknownObject, match="no run 'mine'"):
        remove_runs(filled, ["mine"])


def test_a_stored_run_is_dropped_with_its_unfinished_replacement(filled: psycopg.Connection) -> None:
    run(filled, system="bm25", name="mine", depth=20)
    with pytest.raises(Stopped):
        run(filled, system="boolean", name="mine", replace=True, progress=Watch(2))
    [one] = remove_runs(filled, ["mine"])
    assert (one.run, one.ranked > 0, one.unfinished) == ("mine", True, 2)
    assert unfinished_runs(filled) == []
    assert filled.execute("SELECT count(*) FROM st1_runs").fetchone() == (0,)


def test_old_unfinished_runs_are_removed(filled: psycopg.Connection) -> None:
    interrupt(filled, 3)
    filled.execute("UPDATE stc.unfinished_runs SET begun = begun - interval '29 days'")
    run(filled, system="boolean", name="other")
    assert [one.run for one in unfinished_runs(filled)] == ["mine"]
    filled.execute("UPDATE stc.unfinished_runs SET begun = begun - interval '2 days'")
    run(filled, system="boolean", name="third")
    assert unfinished_runs(filled) == []
