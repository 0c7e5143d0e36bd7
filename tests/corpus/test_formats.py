"""Each format, from a file to rows: ids, text, and the unchanged record."""

from __future__ import annotations

import json
import uuid
from typing import Any

import psycopg
import pytest

from stcollection.errors import BadArgument, BadInput
from tests.corpus.conftest import Load, Write, array, inverted, one, read, record, texts

pytestmark = pytest.mark.slow

HEX = "53e99784b7602d9701f3e3f{}"


def lines(*records: dict[str, Any]) -> str:
    return "".join(json.dumps(one) + "\n" for one in records)


V10 = lines(
    {
        "abstract": "Plain text.",
        "authors": ["Ann A.", "Bob B."],
        "n_citation": 3,
        "references": [str(uuid.UUID(int=9))],
        "title": "Old",
        "venue": "SIGIR",
        "year": 2005,
        "id": str(uuid.UUID(int=1)),
    },
    {"authors": ["Ann A."], "n_citation": 0, "title": "No abstract", "venue": "", "year": 2006, "id": str(uuid.UUID(int=2))},
)
V11 = lines(
    {
        "id": "100001334",
        "title": "Eleven",
        "authors": [{"name": "Ann A.", "id": "2226896584"}],
        "venue": {"raw": "VLDB"},
        "year": 2014,
        "indexed_abstract": inverted("words of the abstract"),
        "references": ["5", "6"],
    },
    {"id": "100008599", "title": "Twelve", "authors": [], "year": 2015},
)
V12 = array([record(1, "One", indexed_abstract=inverted("a b c a"), references=[2, 3]), record(2, "Two")])
V13 = """[
{
\t"_id" : "53e99784b7602d9701f3e3f1",
\t"title" : "NumberInt(3) &amp; more",
\t"authors" : [
\t\t{
\t\t\t"_id" : "548a2e3cdabfae9b40134fbc",
\t\t\t"name" : "Ann A.",
\t\t\t"org" : "X \\"Y\\" Z"
\t\t}
\t],
\t"venue" : {
\t\t"raw" : "CoRR",
\t\t"type" : NumberInt(0)
\t},
\t"year" : NumberInt(2010),
\t"keywords" : [
\t\t"ranking"
\t],
\t"n_citation" : NumberInt(-1),
\t"references" : [
\t\t"53e99784b7602d9701f3e3f2"
\t],
\t"abstract" : "As it is."
},
{
\t"_id" : "53e99784b7602d9701f3e3f2",
\t"title" : "Next",
\t"year" : NumberInt(2011)
}
]
"""
V14 = array(
    [
        {"id": HEX.format(1), "title": "Fourteen", "abstract": "Plain.", "authors": [{"id": "1", "name": "A", "org": ""}]},
        {"id": HEX.format(2), "title": "Without", "abstract": "", "authors": [], "year": 2020},
    ]
)
ES = lines(
    {
        "_index": "dblp1",
        "_id": "11",
        "_source": {"id": 11, "title": "Found", "abstract": "In the index.", "references": [12], "fos": []},
    },
    {"_index": "dblp1", "_id": "12", "_source": {"title": "No id of its own", "abstract": ""}},
)
JSONL = lines({"docno": "msmarco_1", "contents": "Text alone."}, {"docno": "msmarco_2", "title": "A title", "contents": ""})
TREC = """<DOC>
<DOCNO> FT911-3 </DOCNO>
<HEADLINE>
FT  14 MAY 91 /
Headline &amp; more
</HEADLINE>
<BYLINE>By ANN A.</BYLINE>
<TEXT>
First <F P=100>tagged</F> part, a < b.
</TEXT>
<TEXT>Second part.</TEXT>
</DOC>

<doc>
<docno>7</docno>
no tags at all
</doc>
"""
SMART = """.I 1
.T
Preliminary Report-International
Algebraic Language
.B
CACM December, 1958
.A
Perlis, A. J.
Samelson,K.
.K
algol
.X
100\t5\t1
.I 2
.T
Wing
.W
text of it
.T
begins so
.I 3
.T
.W
"""

SAMPLES: dict[str, tuple[str, dict[str, tuple[str | None, str | None]]]] = {
    "dblp-v10": (V10, {str(uuid.UUID(int=1)): ("Old", "Plain text."), str(uuid.UUID(int=2)): ("No abstract", None)}),
    "dblp-v11": (V11, {"100001334": ("Eleven", "words of the abstract"), "100008599": ("Twelve", None)}),
    "dblp-v12": (V12, {"1": ("One", "a b c a"), "2": ("Two", None)}),
    "dblp-v13": (V13, {HEX.format(1): ("NumberInt(3) & more", "As it is."), HEX.format(2): ("Next", None)}),
    "dblp-v14": (V14, {HEX.format(1): ("Fourteen", "Plain."), HEX.format(2): ("Without", None)}),
    "elasticsearch": (ES, {"11": ("Found", "In the index."), "12": ("No id of its own", None)}),
    "jsonl": (JSONL, {"msmarco_1": (None, "Text alone."), "msmarco_2": ("A title", None)}),
    "trec": (TREC, {
        "FT911-3": ("FT 14 MAY 91 / Headline & more", "First tagged part, a < b. Second part."), "7": (None, "no tags at all")}),
    "smart": (SMART, {"1": ("Preliminary Report-International Algebraic Language", None), "2": ("Wing", "text of it begins so"),
                      "3": (None, None)}),
    "csv": ('id;title;abstract\n5;One;"Text; of one"\n"A-1";Two;\n', {"5": ("One", "Text; of one"), "A-1": ("Two", None)}),
    "tsv": ("docno\ttitle\ttext\n5\tOne\tText of one\nA-1\tTwo\t\n", {"5": ("One", "Text of one"), "A-1": ("Two", None)}),
}  # fmt: skip


@pytest.mark.parametrize("name", SAMPLES)
def test_a_format(name: str, conn: psycopg.Connection, write: Write, load_file: Load) -> None:
    content, wanted = SAMPLES[name]
    file = write("file", content)
    done = load_file(file)
    assert (done.format, done.documents, done.rejects, done.duplicates, done.cleaned) == (name, len(wanted), 0, 0, 0)
    assert texts(conn) == wanted
    for docno in wanted:  # a numeric docno is the id; others get an id from the sequence
        number = one(conn, "SELECT id FROM dblp WHERE docno = %s", docno)
        assert number == int(docno) if docno.isdigit() else number >= 2**40
    assert len(read(file, format=name)[0]) == len(wanted)
    if name not in ("dblp-v13", "elasticsearch", "trec", "smart", "csv", "tsv"):
        assert_docs_are_the_records(content, conn)


def assert_docs_are_the_records(content: str, conn: psycopg.Connection) -> None:
    came = json.loads(content) if content.startswith("[") else [json.loads(line) for line in content.splitlines()]
    assert [row[0] for row in conn.execute("SELECT doc FROM dblp ORDER BY id").fetchall()] == came


def test_the_doc_of_v13_has_numbers_made_real(conn: psycopg.Connection, write: Write, load_file: Load) -> None:
    load_file(write("file", V13))
    doc = one(conn, "SELECT doc FROM dblp WHERE docno = %s", HEX.format(1))
    assert (doc["year"], doc["n_citation"], doc["venue"]["type"]) == (2010, -1, 0)
    assert doc["title"] == "NumberInt(3) &amp; more"
    assert doc["authors"][0]["org"] == 'X "Y" Z'


def test_the_doc_of_the_dump_is_its_source(conn: psycopg.Connection, write: Write, load_file: Load) -> None:
    load_file(write("file", ES))
    assert one(conn, "SELECT doc FROM dblp WHERE id = 11") == json.loads(ES.splitlines()[0])["_source"]
    assert one(conn, "SELECT doc ->> 'id' FROM dblp WHERE id = 12") == "12"


def test_the_doc_of_smart_and_trec(conn: psycopg.Connection, write: Write, load_file: Load) -> None:
    load_file(write("file", SMART))
    assert one(conn, "SELECT doc FROM dblp WHERE id = 1") == {
        "id": 1,
        "title": "Preliminary Report-International Algebraic Language",
        "year": 1958,
        "keywords": "algol",
        "venue": {"raw": "CACM December, 1958"},
        "authors": [{"name": "Perlis, A. J."}, {"name": "Samelson,K."}],
    }
    assert one(conn, "SELECT doc FROM dblp WHERE id = 3") == {"id": 3}
    load_file(write("trec", TREC))
    doc = one(conn, "SELECT doc FROM dblp WHERE docno = 'FT911-3'")
    assert doc["title"] == "FT 14 MAY 91 / Headline &amp; more"
    assert doc["authors"] == [{"name": "By ANN A."}]


@pytest.mark.parametrize(
    ("content", "line", "reason"),
    [
        ('{"id": 1, "title": "good", "year": 1}\n{"title": "none", "year": 1}\n', 2, "no id"),
        ('{"id": 1, "title": "good", "year": 1}\n{"id": 2, "year": 1}\n', 2, "no title"),
        ('{"id": 1, "title": "good", "year": 1}\n{"id": 2, "title": " ", "year": 1}\n', 2, "no title"),
        ('{"id": 1, "title": "good", "year": 1}\n{"id": 2, "title": 7, "year": 1}\n', 2, "title is not text"),
        ('{"id": 1, "title": "good", "year": 1}\n{"id": 2, "title": "x", "abstract": [1]}\n', 2, "abstract is not text"),
        ('{"id": 1, "title": "good", "year": 1}\n\n{"id": 2, "title": "x" "y"}\n', 3, "not JSON"),
        ('{"id": 1, "title": "good", "year": 1}\n[1]\n', 2, "not an object"),
        ('{"id": 1, "title": "good", "year": 1}\n' + '{"a":' * 100_000 + "1" + "}" * 100_000 + "\n", 2, "nested too deep"),
        ('{"id": 1, "text": "good"}\n{"id": 2, "text": ""}\n', 2, "neither title nor text"),
        ('{"id": 1, "text": "good"}\n{"id": 2, "text": {"a": 1}}\n', 2, "text is not text"),
        ('{"_id": "1", "_source": {"title": "good"}}\n{"_id": "2"}\n', 2, "no _source"),
        ("<DOC>\n<DOCNO>1</DOCNO>\n</DOC>\n<DOC>\n<DOCNO> </DOCNO>\n</DOC>\n", 4, "no <DOCNO>"),
        ("<DOC>\n<DOCNO>1</DOCNO>\n</DOC>\n<DOC>\n</DOC>\n", 4, "no <DOCNO>"),
    ],
)
def test_a_record_that_cannot_be_stored_is_a_reject(content: str, line: int, reason: str, write: Write) -> None:
    documents, [reject] = read(write("file", content))
    assert len(documents) == 1
    assert reject.line == line
    assert reason in reject.reason


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"Dear all,\n", "unknown format; the file begins with 'Dear all,'"),
        (b"", "no document"),
        (b" \n\n", "no document"),
        (b"[]\n", "no document"),
        ("[]".encode("utf-16"), "UTF-16"),
        (b"BZh91AY&SY", "the bzip2 stream"),
        (b"\xfd7zXZ\0abc", "the xz stream"),
        (b"7z\xbc\xaf\x27\x1cabc", "7-Zip"),
        (b"x.json" + bytes(251) + b"ustar\0", "tar"),
        (b"<html><body>404</body></html>", "unknown format"),
    ],
)
def test_a_file_that_is_none(content: bytes, words: str, write: Write) -> None:
    file = write("file", content)
    with pytest.raises(BadInput, match=words) as error:
        read(file)
    assert str(file) in error.value.message
    assert error.value.hint


def test_a_file_that_is_none_leaves_no_trace(write: Write, load_file: Load, conn: psycopg.Connection) -> None:
    with pytest.raises(BadInput, match="unknown format"):
        load_file(write("file", "Dear all,\n"))
    assert one(conn, "SELECT count(*) FROM stc.corpus_files") == 0


def test_a_format_that_is_not_the_files(write: Write) -> None:
    with pytest.raises(BadInput, match="looks like smart, not trec"):
        read(write("file", SMART), format="trec")
    with pytest.raises(BadArgument, match="'trek'"):
        read(write("file", TREC), format="trek")


def test_a_byte_order_mark_is_no_part_of_the_file(write: Write) -> None:
    with_mark, without = (read(write("file", mark + V12.encode())) for mark in (b"\xef\xbb\xbf", b""))
    assert with_mark == without
