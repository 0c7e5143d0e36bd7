"""A sample of a collection with snapshots: searches, runs and scores as of a day are those of its documents."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import ir_measures
import psycopg
import pytest

from stcollection.corpus.load import load
from stcollection.corpus.snapshots import changes_between, record_snapshot, snapshots
from stcollection.db.backup.restore import restore
from stcollection.db.backup.sample import Excerpt, dump_sample, size
from stcollection.db.collections import create, drop
from stcollection.db.connection import conninfo
from stcollection.db.sessions import open_session
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument
from stcollection.evaluation.measures import parse_measure
from stcollection.evaluation.score import score
from stcollection.retrieval.run import run
from stcollection.text.index import index
from tests.db.conftest import NewName

pytestmark = pytest.mark.slow

DAYS = ("2024-01-15", "2024-03-01", "2024-06-30")
NAMES = ("nDCG@10", "P@5", "AP", "R@20")
# Document n is in the snapshots that its number selects; some are absent from the second only.
SPANS = ((0, 1, 2), (0,), (1, 2), (0, 2), (2,))
_FILL = """
INSERT INTO st1_queries (query, text) VALUES ('q1', 'voice computers'), ('q2', 'learning games');
INSERT INTO qrels_editions (edition) VALUES ('all');
INSERT INTO qrels_judgments (edition, query, doc, rel, origin)
SELECT 1, q.id, d.id, (d.id + q.id) % 3, 'human' FROM st1_queries q, dblp d WHERE d.id % 7 = q.id;
"""


def contained(docno: str, day: int) -> bool:
    return day in SPANS[int(docno) % len(SPANS)]


def record(number: int) -> str:
    words = f"{('voice', 'games', 'women')[number % 3]} and {('computers', 'learning')[number % 2]}"
    return json.dumps({"id": str(number), "title": f"{words} {number}", "text": f"Of {words}. " * (1 + number % 5)}) + "\n"


@pytest.fixture
def paths(tmp_path: Path) -> list[Path]:
    found = [tmp_path / f"{day}.jsonl" for day in DAYS]
    for at, path in enumerate(found):
        path.write_text("".join(record(number) for number in range(1, 121) if contained(str(number), at)))
    return found


@pytest.fixture
def dated(server: Settings, new_name: NewName, paths: list[Path]) -> Iterator[Settings]:
    """A collection of three snapshots, with judgments and runs of all documents."""
    settings = replace(server, db=f"{new_name().db}_dated")
    create(settings)
    with open_session(conninfo(settings), autocommit=True) as conn:
        for day, path in zip(DAYS, paths, strict=True):
            [loaded] = load(conninfo(settings), [str(path)])
            record_snapshot(conn, loaded.file, day)
        conn.execute(_FILL.encode())
        index(conn)
        run(conn, system="bm25", name="bm25", depth=60)
    yield settings
    drop(settings)


def texts(conn: psycopg.Connection) -> set[str]:
    """Return the documents of a sample that are no stubs."""
    return {docno for (docno,) in conn.execute("SELECT docno FROM dblp WHERE NOT stub").fetchall()}


def test_scores_and_searches_as_of_a_day(dated: Settings, new_name: NewName, tmp_path: Path) -> None:
    dump_sample(dated, tmp_path / "d", part=Excerpt(size("40%")), jobs=2)
    restore(there := new_name(), tmp_path / "d", jobs=2)
    with open_session(conninfo(dated), autocommit=True) as whole, open_session(conninfo(there), autocommit=True) as conn:
        kept = texts(conn)
        assert 40 < len(kept) < len(texts(whole)) == 120
        facts = "SELECT d.docno, f.first_date, f.last_date, f.absent FROM dblp_facts f JOIN dblp d ON d.id = f.id ORDER BY 1"
        assert conn.execute(facts).fetchall() == [row for row in whole.execute(facts).fetchall() if row[0] in kept]
        assert [row[:2] for row in snapshots(conn)[1]] == [row[:2] for row in snapshots(whole)[1]]
        assert {row[1] for row in changes_between(conn, DAYS[0], DAYS[1])[1]} == {
            row[1] for row in changes_between(whole, DAYS[0], DAYS[1])[1] if row[1] in kept
        }
        ranks = "SELECT query, docno FROM rankings WHERE run = 'bm25' ORDER BY query, rank"
        ranked = whole.execute(ranks).fetchall()
        assert conn.execute(ranks).fetchall() == ranked
        qrels = [
            ir_measures.Qrel(*row)
            for row in whole.execute(
                "SELECT q.query, d.docno, j.rel FROM qrels j JOIN st1_queries q ON q.id = j.query JOIN dblp d ON d.id = j.doc"
            ).fetchall()
        ]
        for at, day in enumerate(DAYS):
            now = {docno for docno in kept if contained(docno, at)}
            assert {docno for (docno,) in conn.execute("SELECT docno FROM documents_as_of(%s)", [day]).fetchall()} == now
            left = [ir_measures.ScoredDoc(query, docno, -float(rank)) for rank, (query, docno) in enumerate(ranked) if docno in now]
            theirs = ir_measures.iter_calc(
                [ir_measures.parse_measure(name) for name in NAMES], [one for one in qrels if one.doc_id in now], left
            )
            ours = score(conn, runs=["bm25"], edition="all", measures=map(parse_measure, NAMES), as_of=day)
            assert {(one.query, str(one.measure)): one.value for one in ours} == {
                (one.query_id, str(one.measure)): pytest.approx(one.value, abs=1e-9) for one in theirs
            }
            found = conn.execute(
                "SELECT d.docno FROM boolean_search('voice', 120, filter => %s) s JOIN dblp d ON d.id = s.doc",
                [json.dumps({"as_of": day})],
            ).fetchall()
            assert {docno for (docno,) in found} == {docno for docno in now if int(docno) % 3 == 0}
            run(conn, system="bm25", name=day, depth=120, filter={"as_of": day})
            made = conn.execute("SELECT DISTINCT docno FROM rankings WHERE run = %s", [day]).fetchall()
            assert {docno for (docno,) in made} <= now
            assert len(made) > 20
        with pytest.raises(BadArgument, match="there is no snapshot up to 2023-01-01"):
            score(conn, runs=["bm25"], edition="all", measures=[parse_measure("AP")], as_of="2023-01-01")


def test_loading_the_files_again_completes_a_sample(dated: Settings, new_name: NewName, paths: list[Path], tmp_path: Path) -> None:
    dump_sample(dated, tmp_path / "d", part=Excerpt(size("40%")), jobs=2)
    restore(there := new_name(), tmp_path / "d", jobs=2)
    dates = "SELECT d.docno, f.first_date, f.last_date, f.absent FROM dblp d JOIN dblp_facts f ON f.id = d.id ORDER BY 1"
    with open_session(conninfo(dated), autocommit=True) as whole, open_session(conninfo(there), autocommit=True) as conn:
        states = "SELECT state FROM stc.corpus_ledger"
        assert conn.execute(states).fetchall() == [("incomplete",)] * 3
        for at in (2, 0, 1):
            [loaded] = load(conninfo(there), [str(paths[at])])
            record_snapshot(conn, loaded.file, DAYS[at])
        assert conn.execute(states).fetchall() == [("loaded",)] * 3
        assert conn.execute(dates).fetchall() == whole.execute(dates).fetchall()
        assert snapshots(conn)[1] == snapshots(whole)[1]


def test_a_collection_without_snapshots_has_no_files(handed: Settings, new_name: NewName, tmp_path: Path) -> None:
    dump_sample(handed, tmp_path / "d", part=Excerpt(size("5")), jobs=2)
    restore(there := new_name(), tmp_path / "d", jobs=2)
    with open_session(conninfo(there), autocommit=True) as conn:
        assert conn.execute("SELECT count(*) FROM stc.corpus_files").fetchone() == (0,)
        with pytest.raises(psycopg.Error, match="the collection has no snapshots"):
            conn.execute("SELECT stc.snapshot_at('2024-01-15')")
