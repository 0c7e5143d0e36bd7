"""Subtopic judgments are imported, exported, listed, hidden and removed with their edition."""

from __future__ import annotations

import io
from pathlib import Path

import psycopg
import pytest
from click.testing import CliRunner

from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, BadInput, StateError
from stcollection.qrels.derive import derive
from stcollection.qrels.editions import EditionFacts, editions, seal
from stcollection.qrels.load import JudgmentOptions, import_qrels
from stcollection.qrels.removal import remove_edition, remove_file
from stcollection.qrels.sources import sources
from stcollection.qrels.subtopics import export_subtopics, import_subtopics
from tests.groups import qrels
from tests.qrels.conftest import says

TEXT = "20 1 b 1\n20 2 b 0\n20 10 a -2\n3 1 a 2\n"


def _file(folder: Path, text: str, name: str = "web.qrels") -> Path:
    (folder / name).write_text(text)
    return folder / name


def _exported(conn: psycopg.Connection, edition: str = "web", queries: str = "all") -> str:
    out = io.BytesIO()
    export_subtopics(conn, edition, out, queries=queries)
    return out.getvalue().decode()


def test_a_file_is_stored_and_written_again(conn: psycopg.Connection, tmp_path: Path) -> None:
    path = _file(tmp_path, TEXT + "20 1 b 1\n")
    done = import_subtopics(conn, path, edition="web", facts=EditionFacts(year=2009))
    assert (done.queries, done.subtopics, done.judgments, done.added, done.duplicates) == (2, 4, 4, 4, 1)
    assert _exported(conn) == TEXT
    assert _exported(conn, queries="3") == "3 1 a 2\n"
    again = import_subtopics(conn, path, edition="web")
    assert (again.added, again.unchanged) == (0, 4)
    [edition] = editions(conn)
    assert (edition.subtopic_judgments, edition.judgments, edition.year) == (4, 0, 2009)
    assert [(one.judgments, one.added) for one in sources(conn)] == [(4, 4), (4, 0)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("q 1 d\n", "web.qrels:1: 3 columns, not 4"),
        ("q 1 d 1\nq 1 d one\n", "web.qrels:2: the grade 'one' is not an integer"),
        ("q 1 d 1\nq 2 e 1\nq 1 d 2\n", "web.qrels:3: query q, subtopic 1, document d has grade 2 here and 1 on line 1"),
        ("q 0 d 1\nq Q0 e 1\n", "the second column is 0 in each line"),
        ("q \u200b d 1\n", "cannot be the name of a subtopic"),
    ],
)
def test_wrong_files_are_refused_with_the_line(conn: psycopg.Connection, tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(BadInput, match=message) as error:
        import_subtopics(conn, _file(tmp_path, text), edition="web")
    assert error.value.hint
    assert editions(conn) == []


def test_a_stored_grade_does_not_change(conn: psycopg.Connection, tmp_path: Path) -> None:
    import_subtopics(conn, _file(tmp_path, TEXT), edition="web")
    with pytest.raises(BadInput, match="query 3, subtopic 1, document a has grade 1 here and is stored with 2"):
        import_subtopics(conn, _file(tmp_path, "3 1 a 1\n"), edition="web")
    assert _exported(conn) == TEXT


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("q 1 d 1\nq 2 d 0\n", "web.qrels:2: query q, document d is 0 here and 1 on line 1"),
        ("q 1 d 1\nq 2 d 1\n", "documents of a query are repeated with different second columns"),
    ],
)
def test_plain_import_notices_subtopics(conn: psycopg.Connection, tmp_path: Path, text: str, message: str) -> None:
    path = _file(tmp_path, text)
    with pytest.raises(BadInput, match=message) as error:
        import_qrels(conn, path, edition="web")
    assert error.value.hint is not None
    assert f"stc load --as subtopics {path} --edition web" in error.value.hint
    assert editions(conn) == []
    if text.endswith("1\n"):  # the column has another meaning
        import_qrels(conn, path, edition="web", options=JudgmentOptions(columns="query,_,doc,rel"))
        assert says(conn, "web") == {("q", "d"): 1}


def test_other_second_columns_of_plain_judgments_are_skipped(conn: psycopg.Connection, tmp_path: Path) -> None:
    """Those of TREC-COVID are rounds, and a pair is judged in one round."""
    import_qrels(conn, _file(tmp_path, "1 0.5 a 1\n1 1 b 0\n2 2 a 2\n"), edition="covid")
    assert says(conn, "covid") == {("1", "a"): 1, ("1", "b"): 0, ("2", "a"): 2}


def test_a_header_names_the_columns(conn: psycopg.Connection, tmp_path: Path) -> None:
    rows = "query,doc,rel,origin\nq,a,1,human\nq,b,1,human\nq,b,1,human\n"
    assert import_qrels(conn, _file(tmp_path, rows, "table.csv"), edition="table").duplicates == 1
    assert says(conn, "table") == {("q", "a"): 1, ("q", "b"): 1}


def test_a_sealed_edition_accepts_none(conn: psycopg.Connection, tmp_path: Path) -> None:
    import_qrels(conn, _file(tmp_path, "q 0 a 1\n", "plain.qrels"), edition="web")
    seal(conn, "web")
    with pytest.raises(StateError, match="sealed") as error:
        import_subtopics(conn, _file(tmp_path, TEXT), edition="web")
    assert error.value.sqlstate == "IR407"


def test_they_are_hidden_and_removed_with_their_edition(conn: psycopg.Connection, tmp_path: Path) -> None:
    hidden = "SELECT count(*) FROM stc_all.qrels_subtopics_hidden"
    import_subtopics(conn, _file(tmp_path, TEXT), edition="web", facts=EditionFacts(split="test"))
    assert conn.execute(hidden).fetchone() == (4,)
    conn.execute("SELECT stc.release_edition('web')")
    assert conn.execute(hidden).fetchone() == (0,)
    import_qrels(conn, _file(tmp_path, "q 0 a 1\n", "plain.qrels"), edition="web")
    assert not remove_file(conn, "plain.qrels").edition_dropped
    assert remove_edition(conn, "web").subtopic_judgments == 4
    assert conn.execute("SELECT count(*) FROM qrels_subtopics").fetchone() == (0,)


def test_they_are_derived_with_the_edition(conn: psycopg.Connection, tmp_path: Path) -> None:
    """The first source named counts; grades are mapped; the ledger counts what came from each source."""
    import_qrels(conn, _file(tmp_path, "20 0 b 1\n", "plain.qrels"), edition="plain")
    import_subtopics(conn, _file(tmp_path, TEXT), edition="web", facts=EditionFacts(split="test"))
    import_subtopics(conn, _file(tmp_path, "20 1 b 2\n20 1 c 2\n", "other.qrels"), edition="other")
    done = derive(conn, "all", ["plain", "other", "web"], grades={-2: -2, 0: 0, 1: 1, 2: 3})
    assert (done.queries, done.judgments, done.subtopic_judgments) == (2, 1, 5)
    assert _exported(conn, "all") == "20 1 b 3\n20 1 c 3\n20 2 b 0\n20 10 a -2\n3 1 a 3\n"
    assert _exported(conn) == TEXT
    [edition] = [one for one in editions(conn) if one.edition == "all"]
    assert edition.hidden, "a source is hidden"
    assert conn.execute("SELECT count(*) FROM stc_all.qrels_subtopics_hidden").fetchone() == (9,)
    assert [(one.judgments, one.added) for one in sources(conn) if one.edition == "all"] == [(1, 1), (2, 2), (4, 3)]
    only = derive(conn, "aspects", ["web"])
    assert (only.queries, only.judgments, only.subtopic_judgments) == (2, 0, 4)
    assert derive(conn, "humans", ["plain", "web"], origins=["human"]).subtopic_judgments == 0
    with pytest.raises(StateError, match="no judgment of these origins"):
        derive(conn, "none", ["web"], annotators=["ann"])
    with pytest.raises(BadArgument, match="the grade -2 is not in the mapping"):
        derive(conn, "none", ["web"], grades={0: 0, 1: 1, 2: 2})


def test_names_with_white_space_are_not_exported(conn: psycopg.Connection, tmp_path: Path) -> None:
    import_subtopics(conn, _file(tmp_path, TEXT), edition="web")
    conn.execute("UPDATE qrels_subtopics SET subtopic = 'of cats' WHERE subtopic = '10'")
    with pytest.raises(BadArgument, match="'of cats' contains white space"):
        _exported(conn)


def test_commands(settings: Settings, tmp_path: Path) -> None:
    def stc(*words: str) -> str:
        done = CliRunner().invoke(qrels, list(words), obj=settings)
        assert done.exit_code == 0, done.output
        return done.output

    path = _file(tmp_path, TEXT)
    assert "4 judgments on 4 subtopics of 2 queries, 4 added" in stc("import-subtopics", str(path), "--edition", "web")
    assert stc("export", "--subtopics", "--edition", "web") == TEXT
    assert "subtopics" in stc("editions")
    assert "web2: 0 judgments on 2 queries from web; 4 judgments by subtopic" in stc("derive", "web2", "web")
    assert "4 subtopic judgments" in stc("drop", "web", "--dry-run")
    refused = CliRunner().invoke(qrels, ["export", "--subtopics", "--format", "csv", "--edition", "web"], obj=settings)
    assert refused.exit_code == 2
