"""Samples: complete parts, drawn documents, and unchanged scores of runs."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from stcollection.db.backup.dump import Dumped
from stcollection.db.backup.restore import restore
from stcollection.db.backup.sample import Excerpt, Size, dump_sample, size
from stcollection.db.connection import conninfo
from stcollection.db.sessions import open_session
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, UnknownObject
from tests.db.conftest import NewName
from tests.db.handed import DOCUMENTS, NEEDED, RANKED, databases, leaderboard, unpacked_rows
from tests.groups import db as group

pytestmark = pytest.mark.slow


def documents(settings: Settings) -> tuple[set[int], set[int]]:
    """Return the ids of the documents with text and of the stubs."""
    with open_session(conninfo(settings)) as conn:
        rows = conn.execute("SELECT id, stub FROM dblp").fetchall()
    return {doc for doc, stub in rows if not stub}, {doc for doc, stub in rows if stub}


def sample(handed: Settings, there: Settings, folder: Path, drawn: str, seed: int = 1) -> tuple[set[int], set[int]]:
    dump_sample(handed, folder, part=Excerpt(size(drawn), seed), jobs=2)
    restore(there, folder, jobs=2)
    return documents(there)


@pytest.mark.parametrize(
    ("text", "drawn"),
    [
        ("1%", Size(0.01, None)),
        (" 0.5% ", Size(0.005, None)),
        ("0", Size(None, 0)),
        ("100%", Size(1.0, None)),
        ("12", Size(None, 12)),
    ],
)
def test_sizes(text: str, drawn: Size) -> None:
    assert size(text) == drawn


@pytest.mark.parametrize("text", ["", "%", "101%", "-1%", "-1", "1.5", "nan%", "inf%", "1e3", "1 %%", "all", "１％"])
def test_no_sizes(text: str) -> None:
    with pytest.raises(BadArgument, match="sample"):
        size(text)


def test_a_sample_of_nothing_keeps_what_is_needed(handed: Settings, new_name: NewName, tmp_path: Path) -> None:
    there = new_name()
    before = databases(there)
    full, stubs = sample(handed, there, tmp_path / "d", "0")
    assert databases(there) == before | {there.db}
    assert full == NEEDED
    assert stubs == set(RANKED) - NEEDED
    for edition in ("train", "test", "open"):
        assert leaderboard(there, edition) == leaderboard(handed, edition) != []
    tables = (
        "qrels_judgments", "qrels_pool_documents", "qrels_preferences", "qrels_subtopics", "st1_rankings", "st1_queries",
        "st1_topics", "annotations", "st1_runs", "qrels_editions", "coverages", "judged_scores",
    )  # fmt: skip
    with open_session(conninfo(there), autocommit=True) as conn, open_session(conninfo(handed), autocommit=True) as whole:
        for one in (conn, whole):
            one.execute("SET search_path = stc_all, stc, public")
        for table in tables:
            query = f"SELECT count(*), coalesce(sum(hashtextextended(t::text, 0)), 0) FROM {table} t".encode()
            assert conn.execute(query).fetchall() == whole.execute(query).fetchall(), table
        # Dependent rows are removed with a document.
        for table in ("dblp_text", "dblp_v", "dblp_facts", "st1_complexity_metrics", "citation_ranks"):
            left = {doc for (doc,) in conn.execute(f"SELECT id FROM {table}".encode()).fetchall()}
            there_before = {doc for (doc,) in whole.execute(f"SELECT id FROM {table}".encode()).fetchall()}
            assert left == NEEDED & there_before, table
        assert conn.execute("SELECT count(*) FROM dblp_passages").fetchone() == (sum(1 for doc in NEEDED if doc % 3),)
        assert conn.execute("SELECT count(*) FROM stc.corpus_files").fetchone() == (0,)
        assert conn.execute("SELECT bool_and(convalidated) FROM pg_constraint").fetchone() == (True,)
        constraints = (
            "SELECT count(*), min(contype::text) FROM pg_constraint k"
            " WHERE k.connamespace IN ('public'::regnamespace, 'stc'::regnamespace)"
            " AND (k.conrelid = 0 OR k.confrelid = 0 OR 'public'::regnamespace = ALL (SELECT c.relnamespace FROM pg_class c"
            " WHERE c.oid IN (k.conrelid, k.confrelid)))"
        )
        assert conn.execute(constraints.encode()).fetchone() == whole.execute(constraints.encode()).fetchone()
        assert conn.execute("SELECT sound, documents FROM stc.text_status()").fetchone() == (True, len(NEEDED))
        assert conn.execute("SELECT bool_or(stale) FROM stc.vector_status() WHERE kind IS NOT NULL").fetchone() == (False,)
        assert conn.execute("SELECT intact FROM verify_editions('train')").fetchone() == (True,)
        # Searches find no stubs, and new rows get new ids.
        found = conn.execute("SELECT doc FROM bm25_search('voice computers games', 240)").fetchall()
        assert found
        assert {doc for (doc,) in found} <= NEEDED
        conn.execute("INSERT INTO st1_queries (query) VALUES ('new')")


@pytest.mark.long
def test_the_same_seed_draws_the_same_and_of_a_larger_sample_a_part(handed: Settings, new_name: NewName, tmp_path: Path) -> None:
    first, _ = sample(handed, new_name(), tmp_path / "1", "25%", seed=7)
    again, _ = sample(handed, new_name(), tmp_path / "2", "25%", seed=7)
    other, _ = sample(handed, new_name(), tmp_path / "3", "25%", seed=8)
    more, _ = sample(handed, new_name(), tmp_path / "4", "60%", seed=7)
    assert first == again
    assert first != other
    assert NEEDED < first < more
    assert 20 < len(first - NEEDED) < 85  # of 211, by a quarter


def test_so_many_documents(handed: Settings, new_name: NewName, tmp_path: Path) -> None:
    full, stubs = sample(handed, new_name(), tmp_path / "1", "13")
    assert len(full - NEEDED) == 13
    assert full & stubs == set()
    everything, none = sample(handed, new_name(), tmp_path / "2", "100%")
    assert everything == set(range(1, DOCUMENTS + 1))
    assert none == set()


def test_the_command_says_what_a_sample_is(handed: Settings, new_name: NewName, tmp_path: Path) -> None:
    done = CliRunner().invoke(group, ["dump", str(tmp_path / "d"), "--sample", "5"], obj=handed)
    assert done.exit_code == 0, done.output
    assert f"{len(NEEDED)} documents are judged or needed, 5 drawn" in done.output
    there = new_name()
    done = CliRunner().invoke(group, ["restore", str(tmp_path / "d"), "--db", there.db], obj=handed)
    assert done.exit_code == 0, done.output
    assert f"a sample: {len(NEEDED) + 5} of {DOCUMENTS} documents" in done.output
    wrong = CliRunner().invoke(group, ["dump", str(tmp_path / "e"), "--sample", "much"], obj=handed)
    assert isinstance(wrong.exception, BadArgument)
    assert not (tmp_path / "e").exists()


def told(folder: Path) -> set[int]:
    """Return the documents whose title or abstract is anywhere in a dump."""
    text = b"".join(
        gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else unpacked_rows(path)
        for path in folder.rglob("*")
        if path.suffix in (".gz", ".zst")
    )
    return {int(number) for number in re.findall(rb" and (?:computers|networks|learning) (\d+)", text)}


def test_no_text_of_another_licence_leaves(handed: Settings, dumped: Dumped, tmp_path: Path) -> None:
    assert told(dumped.folder) == set(range(1, DOCUMENTS + 1))
    words = ["dump", str(tmp_path / "d"), "--licence", "CC BY,cc0"]
    done = CliRunner().invoke(group, words, obj=handed)
    assert done.exit_code == 0, done.output
    assert told(tmp_path / "d") == {n for n in range(1, DOCUMENTS + 1) if n % 2 == 0 or n % 3 == 0}


def test_plain_sql_of_a_sample_without_licence(handed: Settings, tmp_path: Path) -> None:
    words = ["dump", str(tmp_path / "d"), "--licence", "none", "--sample", "10", "--plain"]
    done = CliRunner().invoke(group, words, obj=handed)
    assert done.exit_code == 0, done.output
    assert all(n % 2 and n % 3 for n in told(tmp_path / "d"))
    assert len(told(tmp_path / "d")) == sum(bool(n % 2 and n % 3) for n in NEEDED) + 10


def test_a_dump_of_a_licence_is_a_collection(handed: Settings, new_name: NewName, tmp_path: Path) -> None:
    there = new_name()
    dump_sample(handed, tmp_path / "d", part=Excerpt(licences=["cc-by"]), jobs=2)
    restore(there, tmp_path / "d", jobs=2)
    full, stubs = documents(there)
    assert full == {n for n in range(1, DOCUMENTS + 1) if n % 2 == 0}
    assert stubs == {n for n in (*RANKED, *NEEDED) if n % 2}
    for edition in ("train", "test", "open"):
        assert leaderboard(there, edition) == leaderboard(handed, edition) != []
    with open_session(conninfo(there)) as conn:
        assert conn.execute("SELECT DISTINCT licence FROM documents").fetchall() == [("cc-by",)]
        assert conn.execute("SELECT sound, documents FROM stc.text_status()").fetchone() == (True, len(full))


def test_an_unknown_licence(handed: Settings, tmp_path: Path) -> None:
    before = databases(handed)
    for layout in ((), ("--plain",)):
        wrong = CliRunner().invoke(group, ["dump", str(tmp_path / "d"), "--licence", "cc-bi", *layout], obj=handed)
        assert isinstance(wrong.exception, UnknownObject)
        assert str(wrong.exception) == "no document has the licence 'cc-bi'"
        assert wrong.exception.hint == ("Did you mean cc-by? The licences are cc-by, cc0; none selects the documents without one.")
        assert not (tmp_path / "d").exists()
    assert databases(handed) == before
