"""Runs with named columns or fields: CSV, TSV, JSON and Parquet."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import psycopg
import pytest
from click.testing import CliRunner

from stcollection.cli import stc
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, BadInput
from stcollection.io.roles import run_format
from stcollection.runs.check import check_run
from stcollection.runs.load import recognise
from tests.runs.conftest import Store, ranking

SCORES = [("q", "d", 2.5), ("q", "e", 1.0)]


def rows(path: Path, columns: str | None = None) -> list[tuple[str, str, float]]:
    read = run_format(path, columns=columns).read(path, "rel", None)
    found = [line.split("\t") for line in b"".join(read.rows).decode().splitlines()]
    return [(row[1], row[2], float(row[4])) for row in found]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("qid,docno,score,rank\nq,d,2.5,0\nq,e,1,1\n", "csv"),
        (",qid,docid,docno,rank,score,query\n0,q,17,d,0,2.5,some words\n1,q,18,e,1,1,\"more, words\"\n", "csv"),  # PyTerrier
        ("q_id\tdoc_id\tscore\nq\td\t2.5\nq\te\t1\n", "csv"),  # ranx
        ("\ufeffQuery_ID;Doc_ID;Score;Run\r\nq;d;2.5;mine\r\nq;e;1.0;mine\r\n", "csv"),
        ('{"q": {"d": 2.5, "e": 1}}', "json"),
        ('[{"qid": "q", "docno": "d", "score": 2.5}, {"qid": "q", "docno": "e", "score": 1}]', "json"),
        ('{"qid": "q", "docno": "d", "score": 2.5}\n{"qid": "q", "docno": "e", "score": 1}\n', "json"),
    ],
)  # fmt: skip
def test_what_frames_are_written_as(tmp_path: Path, text: str, name: str) -> None:
    path = tmp_path / "mine"
    path.write_text(text, encoding="utf-8")
    assert recognise(path) == name
    assert rows(path) == SCORES


def test_ranks_without_scores(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_text("qid,docno,rank\nq,d,0\nq,e,1\n")
    assert rows(path) == [("q", "d", 1.0), ("q", "e", 0.5)]


def test_formats_of_others_are_not_taken_for_these(tmp_path: Path) -> None:
    for text, name in (
        ("q Q0 d 1 2.5 t\n", "trec"),
        ('[{"run_id": "T_task1_x", "query_id": "q", "doc_id": 2, "rel_score": 0.5}]', "simpletext"),
        ("run_id\tmanual\ttopic_id\tquery_id\tdoc_id\tpassage\nT_task1_x\t0\tG\tq\t2\tx\n", "simpletext-2022"),
    ):
        path = tmp_path / name
        path.write_text(text)
        assert recognise(path) == name


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("qid,docno,score\nq,d,high\n", "2: the score 'high' is not a finite number"),
        ("qid,docno,score\nq,d,nan\n", "2: the score 'nan'"),
        ("qid,docno,score\nq,d\n", "2: 2 columns, the header has 3"),
        ("qid,docno,score\n,d,1\n", "2: no query"),
        ("qid,docno,score,score\nq,d,1,2\n", "1: the header has score more than once"),
        ("qid,docno,score,run\nq,d,1,a\nq,e,1,b\n", "3: run 'b', but 'a' in the first row; a file contains one run"),
        ("qid,docno,score\n", " contains no ranked document"),
        ('{"q": {"d": 1.5}, "r": 2}', "1: query r has no object of documents"),
        ('{"qid": "q", "docno": "d", "score": true}', "1: the score 'True' is not a finite number"),
        ('{"qid": "q", "docno": "d", "score": 1}\n{"qid": ', "2: not JSON"),
    ],
)
def test_rows_that_cannot_be_read(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "mine"
    path.write_text(text)
    with pytest.raises(BadInput, match=rf"mine:{message}"):
        rows(path)
    assert check_run(path).faults


def test_a_stored_run(conn: psycopg.Connection, tmp_path: Path, store: Store) -> None:
    path = tmp_path / "frame.csv"
    path.write_text('qid,docno,score,rank,name\nq,"d\\1",2.5,0,BM25\nq,e,1,1,BM25\n')
    done = store(path)
    assert (done.counts.queries, done.counts.ranked) == (1, 2)
    assert ranking(conn, "mine")["q"] == ["d\\1", "e"]
    assert conn.execute("SELECT tag FROM st1_runs WHERE run = 'mine'").fetchone() == ("BM25",)
    with pytest.raises(BadArgument, match="has one score, no comb_score"):
        store(path, "other", score="comb")


def test_parquet_of_ranx(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    path = tmp_path / "mine.parquet"
    pandas.DataFrame(SCORES, columns=["q_id", "doc_id", "score"]).to_parquet(path)
    assert recognise(path) == "json"
    assert rows(path) == SCORES


def proposed(hint: str | None) -> str:
    [found] = re.findall(r"--columns (\S+|'[^']+')\. ", hint or "")
    return shlex.split(found)[0]


@pytest.mark.parametrize(
    ("text", "missing", "option"),
    [
        (
            "question,paper,rating\nq,d,2.5\nq,e,1\n",
            "no column for the query, the document and the score or rank of a run; the columns are question, paper, rating",
            "query=question,doc=paper,score=rating",
        ),
        ("paper\tquestion\trating\nd\tq\t2.5\ne\tq\t1\n", "no column", "query=question,doc=paper,score=rating"),
        (";Model;Need;Item;Value\n0;m;q;d;2.5\n1;m;q;e;1\n", "no column", "query=need,doc=item,score=value"),
        ("info need,a,b\nq,d,2.5\nq,e,1\n", "no column", "query=info need,doc=a,score=b"),
        ("qid,docno,year,weight\nq,d,1999,2.5\nq,e,1998,1\n", "no column for the score or rank of a run", "score=weight"),
        ('{"question": "q", "paper": "d", "rating": 2.5}\n{"question": "q", "paper": "e", "rating": 1}\n', "no field", None),
        ('[{"question": "q", "paper": "d", "rating": 2.5}, {"question": "q", "paper": "e", "rating": 1}]', "no field", None),
        ("parquet", "no field for the query, the document and the score", None),
    ],
)
def test_other_names_are_listed_with_the_option_that_reads_them(
    settings: Settings, tmp_path: Path, store: Store, conn: psycopg.Connection, text: str, missing: str, option: str | None
) -> None:
    path = tmp_path / "mine.table"
    if text == "parquet":
        pandas = pytest.importorskip("pandas")
        pandas.DataFrame(SCORES, columns=["question", "paper", "rating"]).to_parquet(path)
    else:
        path.write_text(text)
    with pytest.raises(BadInput, match=missing) as error:
        rows(path)
    columns = proposed(error.value.hint)
    assert columns == (option or "query=question,doc=paper,score=rating")
    assert rows(path, columns) == SCORES
    refused = CliRunner().invoke(stc, ["runs", "check", str(path)], obj=settings)
    assert missing in refused.output
    assert f"--columns {shlex.quote(columns)}. " in refused.output
    assert CliRunner().invoke(stc, ["runs", "check", "--columns", columns, str(path)], obj=settings).exit_code == 0
    store(path, columns=columns)
    assert ranking(conn) == {"q": ["d", "e"]}


@pytest.mark.parametrize("header", ["QueryID,DocNo,Score", "query-id;corpus-id;Score", "Topic Id\tdocument_ID\tsimilarity"])
def test_names_are_equal_regardless_of_case_and_separators(tmp_path: Path, header: str) -> None:
    path = tmp_path / "mine"
    delimiter = next(sign for sign in ",;\t" if sign in header)
    path.write_text(f"{header}\nq,d,2.5\nq,e,1\n".replace(",", delimiter))
    assert rows(path) == SCORES


def test_ranks_and_runs_have_names_too(tmp_path: Path) -> None:
    path = tmp_path / "mine"
    path.write_text("name,Query,Doc Key,place,model\nx,q,d,1,m\ny,q,e,3,m\n")
    with pytest.raises(BadInput, match="no column for the document and the score or rank") as error:
        rows(path)
    assert proposed(error.value.hint) == "doc=doc key,rank=place"
    columns = "doc=DocKey,rank=place,run=Model"
    assert rows(path, columns) == [("q", "d", 0.5), ("q", "e", 0.25)]
    assert run_format(path, columns=columns).read(path, "rel", None).tag == "m"


@pytest.mark.parametrize(
    ("text", "columns", "message", "hint"),
    [
        (
            "qid,docno\nq,d\n",
            None,
            "no column for the score or rank of a run; the columns are qid, docno",
            "which orders the docum",
        ),
        ("qid,docno,title\nq,d,a title\n", None, "no column for the score or rank", "Add the column that is missing"),
        ("q,d,2.5\nq,e,1\n", None, "the columns are q, d, 2.5", "add a header such as query,doc,score before"),
        ("a,b,c\nq,d,2.5\n", "query=a,doc=x,score=c", "there is no column x; the columns are a, b, c", "Correct --columns doc=x"),
        ("q Q0 d 1 2.5 t\n", "query=a,doc=b,score=c", "not a table with a header", "Omit --columns"),
        ("a,b,c\nq,d,2.5\n", "query=a,doc=a,score=c", "does not name columns of a run", "query, doc, score, rank, run"),
        ("a,b,c\nq,d,2.5\n", "query,doc,score", "does not name columns of a run", "query=question,doc=paper,score=rating"),
        ("a,b,c\nq,d,2.5\n", "query=a,doc=b,rel=c", "does not name columns of a run", "query, doc, score, rank, run"),
    ],
)
def test_tables_that_no_names_can_read(tmp_path: Path, text: str, columns: str | None, message: str, hint: str) -> None:
    path = tmp_path / "mine"
    path.write_text(text)
    with pytest.raises((BadInput, BadArgument), match=message) as error:
        rows(path, columns)
    assert hint in (error.value.hint or "")


def test_names_are_for_tables(tmp_path: Path) -> None:
    with pytest.raises(BadArgument, match="--columns does not apply to runs of the format trec"):
        run_format(tmp_path / "mine", layout="trec", columns="query=a")


@pytest.mark.parametrize("names", [("q1", ","), ("q1", "a;b"), ("q,1", "x,y"), ("q1", "a|b")])
def test_a_trec_run_whose_names_contain_a_delimiter_is_no_table(tmp_path: Path, names: tuple[str, str]) -> None:
    path = tmp_path / "mine.run"
    path.write_text(f"{names[0]} Q0 {names[1]} 1 0.5 tag\n{names[0]} Q0 other 2 0.4 tag\n")
    assert run_format(path).name == "trec"
