"""Documents from CSV, TSV and Parquet, and records with other field names."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import psycopg
import pytest
from click.testing import CliRunner

from stcollection.corpus.load import EmptyFields
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, BadInput
from stcollection.io.corpus.documents import DocumentRecord
from stcollection.io.corpus.fields import DEFAULT, FieldNames, read_map
from tests.corpus.conftest import Load, Write, one, read, texts
from tests.groups import corpus

HEADLINES = '{"key": "a", "headline": "Voice", "body": "At home."}\n{"key": "b", "headline": "Use", "body": "Some."}\n'
NAMES = read_map("docno=key,title=headline,text=body")


def seen(found: list[DocumentRecord]) -> dict[str, tuple[str | None, str | None]]:
    return {document.docno: (document.title, document.abstract) for document in found}


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("docno,title,text\na,T,x\n", {"a": ("T", "x")}),
        ("\ufeffID;Title;Abstract;Year\r\n7;T;\"x; y\";2016\r\n", {"7": ("T", "x; y")}),
        ("_id\ttitle\tcontents\na\tT\tx\n", {"a": ("T", "x")}),
        ('id,text\na,"two\nlines, ""quoted"""\nb,"z"\n', {"a": (None, 'two\nlines, "quoted"'), "b": (None, "z")}),
        ("a1\tsome words here\na2\tfurther words\n", {"a1": (None, "some words here"), "a2": (None, "further words")}),
        ("a1\tT\tsome words here\n", {"a1": ("T", "some words here")}),
        (",docno,title\n0,a,T\n1,b,U\n", {"a": ("T", None), "b": ("U", None)}),  # pandas with its index
        ("docno,title,text\ra,T,x\rb,U,y\r", {"a": ("T", "x"), "b": ("U", "y")}),
        ("docno,title,text\na,T,x\ndocno,title,text\nb,U,y", {"a": ("T", "x"), "b": ("U", "y")}),  # two files, one after the other
    ],
)  # fmt: skip
def test_tables(write: Write, content: str, expected: dict[str, tuple[str | None, str | None]]) -> None:
    documents, rejects = read(write("a", content))
    assert seen(documents) == expected
    assert rejects == []


def test_other_columns_are_kept(write: Write) -> None:
    [document] = read(write("a.csv", "docno,title,Venue,year,\na,T,CHI,2016,\n"))[0]
    assert json.loads(document.doc) == {"docno": "a", "title": "T", "Venue": "CHI", "year": "2016"}


def test_rows_that_cannot_be_read_are_rejected(write: Write) -> None:
    documents, rejects = read(write("a.csv", b"docno,title,text\na,T,x\nb,T\nc,caf\xe9,x\n,T,x\nd,,\ne,T,x\n"))
    assert seen(documents) == {"a": ("T", "x"), "e": ("T", "x")}
    assert [(one.line, one.docno) for one in rejects] == [(3, "b"), (4, None), (5, None), (6, "d")]
    for reject, reason in zip(rejects, ("2 cells, the header has 3", "not UTF-8", "no id", "neither title nor text"), strict=True):
        assert reason in reject.reason


@pytest.mark.parametrize(
    ("content", "message", "hint"),
    [
        (
            "key,headline,body\na,T,x\n",
            "no column for the id and the title or text of documents; the columns are key, headline, body",
            "--map docno=key,title=headline,text=body",
        ),
        ("docno,title,title\na,T,x\n", "the header has title more than once", "Rename"),
        ("docno,headline,body\na,T,x\n", "no column for the title or text of documents", "--map text=headline"),
        ("map\tall\t0.3\nP_10\tall\t0.5\n", "unknown format", "--format"),
        ("1\t0\td1\t1\n1\t0\td2\t1\n", "unknown format", "--format"),
        ("id,title\n1,T\n2,\"open\n", "the file is truncated", "Get the file again"),
        (b'id,text\n1,"' + b"x " * 2**23 + b"\n", "a record of more than 16 MB", "unclosed quote or bracket"),
    ],
)  # fmt: skip
def test_a_table_that_is_none(write: Write, content: str, message: str, hint: str) -> None:
    with pytest.raises(BadInput, match=message) as error:
        read(write("a.csv", content))
    assert hint in (error.value.hint or "")


def test_what_a_map_says() -> None:
    assert read_map("docno=key, abstract=body, year=when") == FieldNames(docno=("key",), text=("body",), year=("when",))
    assert read_map("id=key") == FieldNames(docno=("key",), query=("key",))
    assert str(NAMES) == "docno=key,title=headline,text=body"
    assert str(DEFAULT) == ""
    for text in ("", "body", "title=", "=x", "heading=x", "text=a,abstract=b"):
        with pytest.raises(BadArgument):
            read_map(text)


def test_a_file_by_other_names(conn: psycopg.Connection, write: Write, load_file: Load) -> None:
    """A file loaded with default field names is loaded again with others, and its documents get their texts."""
    path = write("a.jsonl", HEADLINES.replace('"key"', '"id"').replace('"headline"', '"title"'))
    first = load_file(path)
    assert first.empty == EmptyFields(parts=("text",), records=2, there=("id", "title", "body"))
    assert texts(conn) == {"a": ("Voice", None), "b": ("Use", None)}
    again = load_file(path, fields=read_map("text=body"), on_duplicate="replace")
    assert (again.state, again.replaced, again.empty, again.format) == ("loaded", 2, None, "jsonl --map text=body")
    assert texts(conn) == {"a": ("Voice", "At home."), "b": ("Use", "Some.")}
    assert load_file(path, fields=read_map("text=body")).state == "already loaded"
    assert load_file(path).state == "already loaded"


def test_a_map_makes_json_of_any_fields_documents(write: Write) -> None:
    """Without the map, fields such as year and authors would make it dblp."""
    path = write("a.jsonl", HEADLINES.replace('"key"', '"year": 2016, "key"'))
    with pytest.raises(BadInput, match="there is no field summary"):
        read_by(path, read_map("text=summary"))
    assert read_by(path, NAMES) == {"a": ("Voice", "At home."), "b": ("Use", "Some.")}
    assert read_by(write("b.csv", "Key,Headline,Body\na,T,x\n"), NAMES) == {"a": ("T", "x")}
    with pytest.raises(BadArgument, match="trec has fixed field names; --map is for jsonl, csv, tsv"):
        read_by(write("c", "<DOC>\n<DOCNO>1</DOCNO>\n</DOC>\n"), NAMES)


def read_by(path: Path, fields: FieldNames) -> dict[str, tuple[str | None, str | None]]:
    from stcollection.io.corpus.chunks import chunks
    from stcollection.io.corpus.elements import read as elements
    from stcollection.io.streams import Source

    found = [document for chunk in chunks(Source(str(path)), format=None, fields=fields) for *_, document in elements(chunk)]
    return seen([document for document in found if isinstance(document, DocumentRecord)])


@pytest.mark.parametrize(
    ("records", "parts"),
    [
        ([{"id": "1", "title": "T", "body": "Some words."}], ("text",)),
        ([{"id": "1", "text": "x", "headline": "Two words"}], ("title",)),
        ([{"id": "1", "contents": "x"}], ()),  # a collection of passages has no titles
        ([{"id": "1", "title": "T"}, {"id": "2", "title": "U", "text": "x"}], ()),
    ],
)
def test_a_field_that_is_always_empty(write: Write, load_file: Load, records: list[dict[str, Any]], parts: tuple[str, ...]) -> None:
    empty = load_file(write("a.jsonl", "\n".join(map(json.dumps, records)))).empty
    assert (() if empty is None else empty.parts) == parts


def test_the_command_warns_and_takes_a_map(settings: Settings, conn: psycopg.Connection, write: Write) -> None:
    path = str(write("a.jsonl", '{"id": "1", "title": "T", "body": "Some words."}\n'))
    done = CliRunner().invoke(corpus, ["load", path], obj=settings, catch_exceptions=False)
    assert "no text in the first 1 record; their fields are id, title, body" in done.stderr
    assert "--map text=FIELD" in done.stderr
    done = CliRunner().invoke(
        corpus, ["load", path, "--map", "text=body", "--on-duplicate", "replace"], obj=settings, catch_exceptions=False
    )
    assert done.stderr == ""
    assert one(conn, "SELECT abstract FROM dblp_text") == "Some words."


def parquet(path: Path, columns: dict[str, list[Any]]) -> Path:
    pandas = pytest.importorskip("pandas")
    pandas.DataFrame(columns).to_parquet(path, row_group_size=2)
    return path


def test_parquet(conn: psycopg.Connection, tmp_path: Path, load_file: Load) -> None:
    path = parquet(tmp_path / "a.parquet", {"_id": list("abc"), "title": ["T"] * 3, "text": ["x", None, "z"], "year": [1, 2, 3]})
    done = load_file(path)
    assert (done.documents, done.rejects, done.format) == (3, 0, "jsonl")
    assert texts(conn) == {"a": ("T", "x"), "b": ("T", None), "c": ("T", "z")}
    assert load_file(path).state == "already loaded"


def test_parquet_that_is_cut_off(tmp_path: Path) -> None:
    path = parquet(tmp_path / "a.parquet", {"_id": ["a"], "text": ["x"]})
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(BadInput, match="cannot be read as Parquet"):
        read(path)


def test_parquet_without_pyarrow(tmp_path: Path) -> None:
    path = parquet(tmp_path / "a.parquet", {"_id": ["a"], "text": ["x"]})
    script = (
        "import sys; sys.modules['pyarrow.parquet'] = sys.modules['pyarrow'] = None\n"
        "from stcollection.io.streams import Source\n"
        f"[list(stream) for _, stream in Source({str(path)!r}).members()]"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert "StateError" in done.stderr
    assert "Parquet needs the Python package pyarrow, which is not installed" in done.stderr


PAPERS = [
    {"paper_id": "p1", "paper_title": "Tides", "paper_abstract": "What moves the sea."},
    {"paper_id": "p2", "paper_title": "Bees", "paper_abstract": "Why they die."},
]


def separated(sign: str) -> str:
    return "".join(f"{sign.join(row)}\n" for row in [list(PAPERS[0]), *(list(one.values()) for one in PAPERS)])


@pytest.mark.parametrize(
    "content",
    [separated(","), separated(";"), separated("\t"), json.dumps(PAPERS), "\n".join(map(json.dumps, PAPERS))],
    ids=["commas", "semicolons", "tabs", "json", "json lines"],
)
def test_unknown_fields_are_listed_with_the_map_that_reads_them(write: Write, content: str) -> None:
    path = write("papers", content)
    with pytest.raises(
        BadInput, match=r"for the id and the title or text of documents; .* paper_id, paper_title, paper_abs"
    ) as error:
        read(path)
    found = re.search(r"--map (\S+)\.", error.value.hint or "")
    assert found is not None
    assert read_by(path, read_map(found[1])) == {"p1": ("Tides", "What moves the sea."), "p2": ("Bees", "Why they die.")}


def test_names_are_equal_regardless_of_case_and_separators(write: Write) -> None:
    expected = {"a": ("T", "x")}
    assert read_by(write("a.jsonl", '{"docId": "a", "Title": "T", "Abstract": "x"}\n'), DEFAULT) == expected
    assert read_by(write("a.tsv", "Doc ID\tTitle\tAbstract\na\tT\tx\n"), DEFAULT) == expected


def test_years_need_an_id_to_be_dblp(write: Write) -> None:
    with pytest.raises(BadInput, match="no field for the id of documents; the fields are key, title, year"):
        read(write("a.jsonl", '{"key": "a", "title": "T", "year": 2016}\n'))


def test_a_list_of_texts_is_a_text(write: Write) -> None:
    records = [
        {"id": "a", "text": ["One part.", "And another."]},
        {"id": "b", "text": [{"p": "x"}]},
        {"id": "c", "text": {"p": "x"}},
    ]
    documents, rejects = read(write("a.jsonl", "\n".join(map(json.dumps, records))))
    assert seen(documents) == {"a": (None, "One part.\n\nAnd another.")}
    assert [one.reason.partition(": it is ")[2] for one in rejects] == ["a list with values that are not text", "an object"]


def test_a_map_reads_bibliographic_columns(conn: psycopg.Connection, write: Write, load_file: Load) -> None:
    path = write(
        "a.tsv", "key\twhen\tname\twho\twhere\tlink\na\t2016-05-07\tTides\tAnn Ames; Bo Berg\tCHI\thttps://doi.org/10.1/x\n"
    )
    load_file(path, fields=read_map("docno=key,title=name,year=when,date=when,authors=who,venue=where,doi=link,url=link"))
    assert one(conn, "SELECT array[year::text, venue] FROM documents") == ["2016", "CHI"]
    assert one(conn, "SELECT array_agg(name ORDER BY position) FROM dblp_authors") == ["Ann Ames", "Bo Berg"]
    found = "SELECT array[doc ->> 'doi', doc ->> 'url', doc ->> 'date', doc ->> 'where'] FROM dblp"
    assert one(conn, found) == ["10.1/x", "https://doi.org/10.1/x", "2016-05-07", "CHI"]


def test_columns_by_number(write: Write) -> None:
    path = write("a.tsv", "D1\thttp://x\tT\tsome words\nD2\thttp://y\tU\tother words\n")
    with pytest.raises(BadInput, match="unknown format") as error:
        read(path)
    assert "number its columns: --map docno=1" in (error.value.hint or "")
    assert read_by(path, read_map("docno=1,url=2,title=3,text=4")) == {"D1": ("T", "some words"), "D2": ("U", "other words")}
