"""``stc load``: a whole data set in one step, on an existing collection."""

from __future__ import annotations

import sys
import types
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

import psycopg
import pytest
from click.testing import CliRunner, Result

from stcollection.cli.load import command as load
from stcollection.db.settings import Settings
from stcollection.errors import BadInput, StateError
from tests.io.test_datasets import BEIR, BESIDE, TRACK

pytestmark = pytest.mark.slow


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, content in BEIR.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(content)
    return tmp_path


def invoke(settings: Settings, *arguments: str | Path) -> Result:
    return CliRunner().invoke(load, list(map(str, arguments)), obj=settings, catch_exceptions=False)


def counts(conn: psycopg.Connection) -> tuple[int, ...]:
    row = conn.execute(
        "SELECT (SELECT count(*) FROM dblp WHERE NOT stub), (SELECT count(*) FROM st1_queries WHERE text IS NOT NULL),"
        " (SELECT count(*) FROM qrels_judgments)"
    ).fetchone()
    assert row is not None
    return row


def test_a_folder_twice(settings: Settings, conn: psycopg.Connection, folder: Path) -> None:
    done = invoke(settings, folder)
    assert counts(conn) == (2, 2, 3)
    for words in ("corpus.jsonl", "2 documents", "edition dev; grades 1", "edition test; grades 0, 2", "stc run bm25"):
        assert words in done.stdout
    done = invoke(settings, folder)
    assert "loaded already" in done.stdout
    assert counts(conn) == (2, 2, 3)


def test_a_dry_run_stores_nothing(settings: Settings, conn: psycopg.Connection, folder: Path) -> None:
    assert "2 documents" in invoke(settings, folder, "--dry-run").stdout
    assert counts(conn) == (0, 0, 0)


def test_as_the_published_collection(settings: Settings, conn: psycopg.Connection, folder: Path) -> None:
    with pytest.raises(BadInput, match=r"corpus\.jsonl: jsonl, not dblp-v12"):
        invoke(settings, folder, "--published")
    assert counts(conn) == (0, 0, 0)
    file = folder / "dblp.v12.json"
    records = [f'{{"id": 1, "title": "{title}", "year": 2001, "doc_type": "Journal", "n_citation": 3}}' for title in ("a", "b")]
    file.write_text("[" + ",\n".join(records) + "]")
    done = invoke(settings, "--corpus", file, "--published")
    assert "stc index --published\n  stc run boolean --published" in done.stdout
    assert conn.execute("SELECT docno, title FROM documents").fetchall() == [("1", "a")]


def test_what_is_open_stores_nothing(settings: Settings, conn: psycopg.Connection, folder: Path) -> None:
    (folder / "extra.qrels").write_text("1 2 1\n1 3 4\n1 4 -1\n")
    with pytest.raises(BadInput, match="the best grade could be 1 or 4"):
        invoke(settings, folder)
    assert counts(conn) == (0, 0, 0)
    assert invoke(settings).exit_code == 2


def test_roles_and_options(settings: Settings, conn: psycopg.Connection, tmp_path: Path) -> None:
    (tmp_path / "a").write_text("key;body\n1;voice at home\n2;use\n")
    (tmp_path / "b").write_text("q1\tvoice at home\n")
    (tmp_path / "c").write_text("q1 1 1\nq1 2 4\nq1 7 -1\n")
    invoke(
        settings,
        "--corpus",
        tmp_path / "a",
        "--topics",
        tmp_path / "b",
        tmp_path / "c",
        "--map",
        "docno=key,text=body",
        "--edition",
        "mine",
        "--best-grade",
        "1",
        "--unknown-docs",
        "skip",
    )
    assert counts(conn) == (2, 1, 2)
    grades = conn.execute("SELECT rel FROM qrels_judgments j JOIN qrels_editions e ON e.id = j.edition WHERE e.edition = 'mine'")
    assert sorted(grades.fetchall()) == [(1,), (4,)]


def write(files: Mapping[str, str], folder: Path) -> Path:
    for name, content in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(content)
    return folder


def editions(conn: psycopg.Connection) -> dict[str, int]:
    return dict(
        conn.execute(
            "SELECT e.edition, count(j.id) FROM qrels_editions e LEFT JOIN qrels_judgments j ON j.edition = e.id GROUP BY 1"
        ).fetchall()
    )


def test_the_folder_of_a_track(settings: Settings, conn: psycopg.Connection, tmp_path: Path) -> None:
    done = invoke(settings, write(TRACK, tmp_path))
    assert counts(conn) == (2, 2, 3)
    assert editions(conn) == {"task1_train": 3}
    assert conn.execute("SELECT topic, title, article FROM st1_topics").fetchall() == [
        ("A01", "Bees and pesticides", "Beekeepers count their losses.")
    ]
    assert done.stdout.rstrip().endswith("stc score --edition task1_train")
    for name in TRACK:
        assert name in done.stdout
    assert "no grades: the columns are query_id, doc_id, snt_id, source_snt, simplified_snt, about sentences" in done.stdout
    again = invoke(settings, tmp_path)
    assert counts(conn) == (2, 2, 3)
    assert "1 article, 1 unchanged" in again.stdout


def test_odd_files_beside_a_data_set(settings: Settings, conn: psycopg.Connection, tmp_path: Path) -> None:
    done = invoke(settings, write({**BEIR, **BESIDE}, tmp_path))
    assert counts(conn) == (2, 2, 3)
    assert editions(conn) == {"dev": 1, "test": 2}
    lines = [line.split("  ") for line in done.stdout.splitlines()]
    assert {line[0] for line in lines if line[0] in BESIDE and line[-1].strip()} == set(BESIDE)  # each with a reason
    with pytest.raises(BadInput, match="contains no grades"):
        invoke(settings, "--qrels", tmp_path / "test_pairs.txt")
    invoke(settings, "--qrels", tmp_path / "test_pairs.txt", "--relevance", "1")
    assert editions(conn) == {"dev": 1, "test": 2, "test_pairs": 2}


def test_a_run_of_whole_numbers_is_not_stored_as_judgments(settings: Settings, conn: psycopg.Connection, tmp_path: Path) -> None:
    done = invoke(settings, write({**BEIR, "bm25.json": '{"q1": {"d1": 3.0, "d2": 2.0}}'}, tmp_path))
    assert "runs, not loaded (stc load --as runs): bm25.json" in done.stdout
    assert editions(conn) == {"dev": 1, "test": 2}
    invoke(settings, "--qrels", tmp_path / "bm25.json")
    assert editions(conn) == {"dev": 1, "test": 2, "bm25": 2}
    alone = invoke(settings, tmp_path / "bm25.json").stdout
    assert alone.split("\n\n")[1:] == [
        "runs, not loaded (stc load --as runs): bm25.json", f"\nNext:\n  stc load --as runs {tmp_path}/bm25.json\n"
    ]  # fmt: skip


def test_judgments_that_cannot_be_stored_do_not_stop_the_others(
    settings: Settings, conn: psycopg.Connection, tmp_path: Path
) -> None:
    write({**BEIR, "a.qrels": "q1 0 x1 1\nq1 0 x2 1\nq1 0 x3 1\n"}, tmp_path)
    with pytest.raises(BadInput, match=r"not loaded: .*a\.qrels: this looks like a file of another collection") as error:
        invoke(settings, tmp_path)
    assert f"stc load --as qrels --edition a {tmp_path}/a.qrels" in (error.value.hint or "")
    assert "--unknown-docs stub" in (error.value.hint or "")
    assert counts(conn) == (2, 2, 3)
    assert editions(conn) == {"dev": 1, "test": 2}
    (tmp_path / "a.qrels").unlink()


def test_topics_that_spell_ids_in_another_way_store_nothing(settings: Settings, conn: psycopg.Connection, tmp_path: Path) -> None:
    topics = "".join(f"<top>\n<num> Number: {number}\n<title> airbus\n</top>\n" for number in ("051", "052", "100"))
    judged = "51 0 d1 1\n52 0 d1 0\n100 0 d1 1\n"
    write({"corpus.jsonl": BEIR["corpus.jsonl"], "topics.txt": topics, "adhoc.qrels": judged}, tmp_path)
    with pytest.raises(BadInput, match=r"adhoc\.qrels: 2 of its 3 queries .*: '51' is '051', '52' is '052' in the topics"):
        invoke(settings, tmp_path)
    assert counts(conn) == (0, 0, 0)
    invoke(settings, tmp_path, "--unknown-queries", "skip")
    assert counts(conn) == (2, 3, 1)


def test_the_next_step_is_the_edition_that_people_made(settings: Settings, conn: psycopg.Connection, tmp_path: Path) -> None:
    write({**BEIR, "gpt4.qrels": "q1 0 d1 1\n", "nist.qrels": "q1 0 d1 1\n"}, tmp_path)
    done = invoke(settings, tmp_path)
    assert done.stdout.rstrip().endswith("--edition nist")
    assert "by its name not made by people: 'stc load --as qrels --origin llm' says so" in done.stdout
    assert len(editions(conn)) == 4


def test_ir_datasets(settings: Settings, conn: psycopg.Connection, registered: str) -> None:
    done = invoke(settings, f"irds:{registered}")
    assert "ir_datasets" in done.stdout
    assert counts(conn) == (2, 1, 1)


def test_snapshots_of_longeval(
    settings: Settings, conn: psycopg.Connection, registered: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its package registers datasets that know their time, their parts, and judgments derived from clicks by a model."""
    import ir_datasets

    dataset, whole = ir_datasets.registry[registered], ir_datasets.Dataset()
    for name, value in {
        "get_timestamp": lambda: datetime(2025, 6, 1),
        "get_snapshot": lambda: "snapshot-2",
        "get_datasets": list,
    }.items():
        monkeypatch.setattr(dataset, name, value, raising=False)
    monkeypatch.setattr(whole, "get_datasets", lambda: [dataset], raising=False)
    names = {"longeval-sci/snapshot-2/dctr": dataset, "longeval-sci/*": whole}
    package = types.ModuleType("ir_datasets_longeval")
    monkeypatch.setattr(package, "load", names.__getitem__, raising=False)
    monkeypatch.setitem(sys.modules, "ir_datasets_longeval", package)
    done = invoke(settings, "irds:longeval-sci/snapshot-2/dctr")
    assert "2 documents in the snapshot of 2025-06-01" in done.stdout
    assert conn.execute("SELECT edition, annotator FROM judgments").fetchall() == [("snapshot-2-dctr", "clicks-dctr")]
    with pytest.raises(BadInput) as refused:
        invoke(settings, "irds:longeval-sci/*")
    assert refused.value.hint == "Load them one by one, each with its date: snapshot-2."
    monkeypatch.setitem(sys.modules, "ir_datasets_longeval", None)
    with pytest.raises(StateError, match="needs the Python package ir-datasets-longeval, which is not installed"):
        invoke(settings, "irds:longeval-sci/2024-11")


@pytest.fixture
def registered() -> str:
    """A collection of ir_datasets in memory."""
    ir_datasets = pytest.importorskip("ir_datasets")
    from ir_datasets.formats import BaseDocs, BaseQrels, BaseQueries, GenericDoc, GenericQuery, TrecQrel

    class Docs(BaseDocs):  # type: ignore[misc]
        def docs_iter(self) -> list[object]:
            return [GenericDoc("d1", "voice at home"), GenericDoc("d2", "use")]

    class Queries(BaseQueries):  # type: ignore[misc]
        def queries_iter(self) -> list[object]:
            return [GenericQuery("q1", "voice")]

    class Qrels(BaseQrels):  # type: ignore[misc]
        def qrels_iter(self) -> list[object]:
            return [TrecQrel("q1", "d1", 1, "0")]

    if "stc-load-test" not in ir_datasets.registry:
        ir_datasets.registry.register("stc-load-test", ir_datasets.Dataset(Docs(), Queries(), Qrels()))
    return "stc-load-test"


def test_unknown_columns_are_nothing_until_they_are_named(settings: Settings, conn: psycopg.Connection, tmp_path: Path) -> None:
    papers, queries = tmp_path / "papers.csv", tmp_path / "questions.tsv"
    papers.write_text("paper_id,paper_title,paper_abstract\np1,Tides,What moves the sea\np2,Bees,Why bees die\n")
    with pytest.raises(
        BadInput, match="neither documents nor queries by its fields: paper_id, paper_title, paper_abstract"
    ) as error:
        invoke(settings, papers)
    assert "--map docno=FIELD" in (error.value.hint or "")
    queries.write_text("turn\tutterance\n1\twhat moves the tides\n2\tbee decline\n")
    (tmp_path / "other.jsonl").write_text('{"_id": "p3", "title": "Moon", "text": "Light."}\n')
    done = invoke(settings, tmp_path)
    reason = ["papers.csv", "unknown fields paper_id, paper_title, paper_abstract; name them with --map"]
    assert reason in [line.split(maxsplit=1) for line in done.stdout.splitlines()]
    assert counts(conn) == (1, 0, 0)
    invoke(
        settings,
        tmp_path,
        "--map",
        "docno=paper_id,title=paper_title,text=paper_abstract,query=turn,desc=utterance",
        "--field",
        "desc",
    )
    assert counts(conn) == (3, 2, 0)
