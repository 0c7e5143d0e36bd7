"""Reading files of topics: small files written here, and real ones."""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import zstandard
from hypothesis import example, given
from hypothesis import strategies as st

from stcollection.errors import BadArgument, BadInput
from stcollection.io.corpus.fields import read_map
from stcollection.io.topics.queries import QueryRecord, read_queries

HEADER = "topic_id;topic_text;topic_url;query_id;query_text\n"
Write = Callable[[str], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write(text: str) -> Path:
        path = tmp_path / "topics"
        path.write_bytes(text.encode())
        return path

    return write


def _typed(options: dict[str, str]) -> dict[str, Any]:
    return {name: read_map(value) if name == "fields" else value for name, value in options.items()}


def texts(path: Path, **options: str) -> dict[str, str]:
    return {query.query: query.text for query in read_queries(path, **_typed(options))[1]}


def refused(path: Path, line: int, *words: str, **options: str) -> BadInput:
    with pytest.raises(BadInput) as error:
        read_queries(path, **_typed(options))
    assert error.value.message.startswith(f"{path}:{line}: "), error.value.message
    for word in words:
        assert word in error.value.message
    assert error.value.hint
    return error.value


def test_simpletext_csv(write: Write) -> None:
    how, queries = read_queries(write(HEADER + "G01;Assistants;http://a;G01.1;digital assistant\n\nG02;B;http://b;G02.C1;x\r\n"))
    assert how == "simpletext-csv"
    assert queries == [
        QueryRecord(line=2, query="G01.1", text="digital assistant", topic="G01", topic_text="Assistants", url="http://a"),
        QueryRecord(line=4, query="G02.C1", text="x", topic="G02", topic_text="B", url="http://b"),
    ]


def test_the_older_header_and_a_byte_order_mark(write: Write) -> None:
    path = write("\ufefftopic_id;query_id;topic_text;topic_url;abstract_url;query_text\nG01;G01.1;A;http://a;http://b;x\n")
    [query] = read_queries(path)[1]
    assert (query.query, query.abstract_url, query.text) == ("G01.1", "http://b", "x")


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        ("=+women +computer -games", "=+women +computer -games"),
        ('"one; two"', "one; two"),
        ('"""smart speaker"" privacy"', '"smart speaker" privacy'),
        ('"smart speaker" privacy', '"smart speaker" privacy'),  # not CSV: the quotes belong to the query
        ('"smart speaker', '"smart speaker'),
        ('5" screens', '5" screens'),
        ('"two\nlines"', "two\nlines"),
        ("''", "''"),
    ],
)
def test_quotes_in_a_csv_query(write: Write, cell: str, text: str) -> None:
    assert texts(write(f"{HEADER}G01;A;u;G01.1;{cell}\nG01;A;u;G01.2;next\n")) == {"G01.1": text, "G01.2": "next"}


def test_a_csv_line_with_too_many_columns(write: Write) -> None:
    error = refused(write(HEADER + "G01;A;u;G01.1;x\nG01;A;u;G01.2;one; two\n"), 3, "6 columns", "5")
    assert "double quotes" in (error.hint or "")


def test_a_csv_header_without_the_query(write: Write) -> None:
    error = refused(write("topic_id;query_id;words\nG01;G01.1;x\n"), 1, "no column for the text of queries", "query_id, words")
    assert "--map text=words" in (error.hint or "")


@pytest.mark.parametrize("cell", ["", "   "])
def test_a_query_without_text(write: Write, cell: str) -> None:
    refused(write(f"{HEADER}G01;A;u;G01.1;{cell}\n"), 2, "without text")


def test_simpletext_json_and_json_lines(write: Write) -> None:
    records = [{"topic_id": "G01", "query_id": "G01.1", "query_text": "é\n"}, {"QUERY_ID": 7, "query_text": "y", "topic_url": None}]
    for text in (json.dumps(records, indent=1), "\n".join(map(json.dumps, records))):
        assert texts(write(text)) == {"G01.1": "é", "7": "y"}


@pytest.mark.parametrize(
    ("text", "line", "word"),
    [
        ('[\n{"query_id": "a", "query_text": "x"},\n{"query_id": "b", "qu', 3, ""),
        ('[\n{"query_id": "a", "query_text": "x"},\n', 3, "truncated"),
        ('[\n{"query_id": "a", "query_text": "x"}\n]\n[]', 3, "after the array"),
        ('[\n{"query_id": "a", "query_text": "x"},\n"b"]', 3, "not an object"),
        ('[\n{"query_id": "a"}]', 2, "no field for the text"),
        ('[\n{"query_text": "a"}]', 2, "no field for the id"),
        ('[\n{"query_id": "a", "query_text": {"x": 1}}]', 2, "query_text"),
        ('[\n{"query_id": ' + "9" * 5000 + "}]", 2, "not a record"),
    ],
)
def test_json_that_cannot_be_read(write: Write, text: str, line: int, word: str) -> None:
    refused(write(text), line, word)


TREC = """
<top>
<num> Number: 051
<title> Topic: Airbus
 subsidies

<desc> Description:
How much?
<narr> Narrative:
A < B, and i <em>too</em>.
</top>
<top><num>2</num><title>
TWO
</title></top>
"""


def test_trec(write: Write) -> None:
    how, queries = read_queries(write(TREC))
    assert how == "trec"
    assert [(query.line, query.query, query.text, query.topic_text) for query in queries] == [
        (2, "051", "Airbus subsidies", "Airbus subsidies"),
        (12, "2", "TWO", "TWO"),
    ]


def test_a_trec_topic_with_several_descriptions_has_no_article(write: Write) -> None:
    once, again = (f"<top><num>1<title>one<desc>{text}</top>" for text in ("how", "why"))
    assert [query.article for query in read_queries(write(once + once))[1]] == ["how", "how"]
    assert [(query.text, query.article) for query in read_queries(write(once + again))[1]] == [("one", None), ("one", None)]


def test_a_field_of_trec(write: Write) -> None:
    path = write(TREC.split("<top><num>2")[0])
    assert texts(path, field="desc") == {"051": "How much?"}
    assert texts(path, field="narr") == {"051": "A < B, and i <em>too</em>."}
    assert texts(path, field="title+desc") == {"051": "Airbus subsidies How much?"}
    error = refused(write(TREC), 12, "topic 2 has no <desc>", "title", field="desc")
    assert "--field" in (error.hint or "")


def test_tsv(write: Write) -> None:
    assert texts(write("1\twhat's a\tb\r\n\n2\t\u2028c \n")) == {"1": "what's a\tb", "2": "c"}
    assert texts(write("qid\tquery\n1\tx\n")) == {"1": "x"}
    refused(write("1\tx\n2 y\n"), 2, "tab")


SMART = ".I {}\n.W\nfirst\n of all\n.N\n me\n.I {}\n.A\nx\n.W\nsecond\n"


@pytest.mark.parametrize(
    ("numbers", "number", "names"),
    [
        (("1", "2"), None, ["1", "2"]),
        (("001", "002"), None, ["1", "2"]),
        (("001", "004"), None, ["1", "2"]),  # Cranfield's layout
        (("001", "004"), "id", ["1", "4"]),
        (("3", "7"), None, ["3", "7"]),
        (("3", "7"), "position", ["1", "2"]),
    ],
)
def test_smart(write: Write, numbers: tuple[str, str], number: str | None, names: list[str]) -> None:
    for text in (SMART.format(*numbers), SMART.format(*numbers).replace("\n", "\r\n")):
        how, queries = read_queries(write(text), number=number)
        assert [(query.query, query.text) for query in queries] == list(zip(names, ["first of all", "second"], strict=True))
        assert how.startswith("smart, numbered by ")


def test_a_smart_query_without_text(write: Write) -> None:
    refused(write(".I 1\n.W\na\n.I 2\n.N\nb\n"), 4, "query 2")


def test_what_is_no_topic_file(write: Write) -> None:
    with pytest.raises(BadInput, match="unknown topic format") as error:
        read_queries(write("Dear all,\n"))
    assert "--format" in (error.value.hint or "")
    with pytest.raises(BadInput, match="unknown topic format"):
        read_queries(write(""))
    with pytest.raises(BadInput, match="contains no query"):
        read_queries(write(HEADER))
    with pytest.raises(BadArgument, match="no topic format 'xml'"):
        read_queries(write(HEADER), layout="xml")


def test_compressed_files_and_what_is_wrong_with_them(tmp_path: Path) -> None:
    text = (HEADER + "G01;A;u;G01.1;x\n" * 2).encode()
    frames = zstandard.compress(text[:30]) + zstandard.compress(text[30:])
    for data in (gzip.compress(text), zstandard.compress(text), frames):
        path = tmp_path / "any.name"
        path.write_bytes(data)
        assert texts(path) == {"G01.1": "x"}
        path.write_bytes(data[:-9])
        with pytest.raises(BadInput, match="truncated or damaged"):
            read_queries(path)


@pytest.mark.parametrize(("data", "word"), [(b"caf\xe9", "0xe9"), (b"a\0b", r"U\+0000")])
def test_bytes_that_cannot_be_stored(tmp_path: Path, data: bytes, word: str) -> None:
    path = tmp_path / "queries.csv"
    path.write_bytes(HEADER.encode() + b"G01;A;u;G01.1;x\nG01;A;u;G01.2;" + data + b"\n")
    with pytest.raises(BadInput, match=rf"queries\.csv:3: .*{word}") as error:
        read_queries(path)
    assert error.value.sqlstate == "IR303"


WORDS = st.text(st.characters(codec="utf-8", exclude_characters="\0\r"), min_size=1).map(str.strip).filter(bool)


@example(rows={"A0.0": "<TOP"})
@given(rows=st.dictionaries(st.from_regex(r"[A-Z][0-9]{1,3}\.[0-9]", fullmatch=True), WORDS, min_size=1))
def test_what_a_csv_writer_wrote_comes_back(tmp_path_factory: pytest.TempPathFactory, rows: dict[str, str]) -> None:
    text = io.StringIO(newline="")
    table = csv.writer(text, delimiter=";", lineterminator="\n")
    table.writerow(HEADER.strip().split(";"))
    for query, words in rows.items():
        table.writerow([query.partition(".")[0], "a topic", "http://a", query, words])
    path = tmp_path_factory.mktemp("csv") / "queries.csv"
    path.write_bytes(text.getvalue().encode())
    assert texts(path) == rows


@given(
    rows=st.dictionaries(st.from_regex(r"[A-Z][0-9]{1,3}\.[0-9]", fullmatch=True), WORDS, min_size=1),
    indent=st.sampled_from([None, 2]),
)
def test_what_a_json_writer_wrote_comes_back(
    tmp_path_factory: pytest.TempPathFactory, rows: dict[str, str], indent: int | None
) -> None:
    path = tmp_path_factory.mktemp("json") / "queries.json"
    path.write_text(json.dumps([{"query_id": query, "query_text": words} for query, words in rows.items()], indent=indent))
    assert texts(path) == rows


@pytest.mark.parametrize(
    ("file", "how", "count", "some"),
    [
        ("simpletext/simpletext_2024_task1_queries.csv", "simpletext-csv", 176, ("G18.4", "=+women +computer -games")),
        ("simpletext/simpletext_2024_task1_queries.json", "simpletext-json", 176, ("G18.4", "=+women +computer -games")),
        ("trec-dl/dl19/queries.tsv", "tsv", 200, ("792752", "what is ruclip")),
        ("trec-dl/dl23/queries.tsv", "tsv", 700, ("2000438", "apatite definition")),
        ("cranfield/cran.qry", "smart, numbered by position", 225, ("4", "can a criterion be developed")),
        (
            "cacm/query.text",
            "smart, numbered by id",
            64,
            ("2", "I am interested in articles written either by Prieve or Udo Pooch"),
        ),
        ("npl/query-text.trec", "trec", 93, ("4", "SYSTEMS OF DATA CODING FOR INFORMATION TRANSFER")),
    ],
)
def test_a_real_file(data: Path, file: str, how: str, count: int, some: tuple[str, str]) -> None:
    told, queries = read_queries(data / file)
    assert (told, len(queries)) == (how, count)
    assert {query.query: query.text for query in queries}[some[0]].startswith(some[1])


def test_both_forms_of_the_track_say_the_same(data: Path) -> None:
    one, other = (
        [
            (query.query, query.text, query.topic, query.topic_text, query.url)
            for query in read_queries(data / f"simpletext/simpletext_2024_task1_queries.{ending}")[1]
        ]
        for ending in ("csv", "json")
    )
    assert one == other
    assert len({topic for _, _, topic, _, _ in one}) == 40


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("map                   \tall\t0.2\nP_10\tall\t0.3\n", "a table of scores, as trec_eval prints it"),
        ("map\t1\t0.2\nmap\t2\t0.3\nmap\tall\t0.25\n", "a table of scores, as trec_eval prints it"),
        ("q\tQ0\td\t1\t0.5\tt\n" * 3, "a table of 6 columns"),
        ("q\t0\td\t1\n" * 3, "a table of 4 columns"),
        ("bm25\t0.25\ndense\t0.31\n", "a table of numbers"),
        ("system\tmap\nbm25\t0.25\ndense\t0.31\n", "a table of numbers"),
    ],
)
def test_another_table_is_not_taken_for_queries(write: Write, text: str, what: str) -> None:
    with pytest.raises(BadInput, match=what) as error:
        read_queries(write(text))
    assert "stc load --as scores" in (error.value.hint or "")


def test_a_query_that_is_a_number_among_others(write: Write) -> None:
    assert texts(write("1\t2001\n2\ta space odyssey\n")) == {"1": "2001", "2": "a space odyssey"}


def test_trec_topics_as_collections_write_them(write: Write) -> None:
    path = write(
        '<?xml version="1.0"?>\n<topics>\n<top lang="en">\n<num> Number: 051\n<title> AT&amp;T <!-- a\nb --> mergers\n\n'
        "<desc> D &sect;\n</top>\nlost words\n<TOP>\n<NUM>Number: 52 </NUM>\n<TITLE>second</TITLE>\n<top>\n<num>53\n<title>third\n"
        "</topics>\n"
    )
    how, queries = read_queries(path)
    assert how == "trec, without 1 line outside of <top> (from line 10)"
    found = [(one.line, one.query, one.text) for one in queries]
    assert found == [(3, "051", "AT&T mergers"), (11, "52", "second"), (14, "53", "third")]


def test_a_smart_query_has_its_title(write: Write) -> None:
    text = ".I 1\n.T\nCompilers\n.W\noptimizing\nloops\n.I 2\n.T\nOnly a title\n.A\nAnother\n.I 3\n.W\nwords\n"
    assert texts(write(text)) == {"1": "Compilers optimizing loops", "2": "Only a title", "3": "words"}


@pytest.mark.parametrize(
    ("text", "how", "queries"),
    [
        ("qid,query\n1,voice\n2,\"home, alone\"\n", "csv", {"1": "voice", "2": "home, alone"}),
        ("1,voice at home\n2,a, b and c\n", "csv", {"1": "voice at home", "2": "a, b and c"}),
        ("\ufeffID;Query;Domain\r\n1;voice;x\r\n", "csv", {"1": "voice"}),
        ("qid\tquery\n1\tvoice\n", "tsv", {"1": "voice"}),
        ("qid\tquery\tdomain\n1\tvoice\tx\n", "csv", {"1": "voice"}),
        ("query_id,text\n1,\"two\nlines\"\n", "csv", {"1": "two lines"}),
        ('{"_id": "1", "text": "voice", "metadata": {}}\n{"_id": 2, "text": "home"}\n', "jsonl", {"1": "voice", "2": "home"}),
        ('[{"qid": "1", "query": "voice", "title": "T"}]', "jsonl", {"1": "voice"}),
        ("query,topic,text,type\nq1,T1,voice,keyword\n", "csv", {"q1": "voice"}),
        ("query\ttext\nq1\tvoice\n", "tsv", {"q1": "voice"}),
        ('{"query": "q1", "topic": "T1", "text": "voice"}', "jsonl", {"q1": "voice"}),
        ("topic,query,narrative\n1,voice,n\n", "csv", {"1": "voice"}),
        ('{"1": "voice", "Q2": "home"}', "jsonl", {"1": "voice", "Q2": "home"}),
        ('{"1": {"title": "voice", "description": "d"}}', "jsonl", {"1": "voice"}),
    ],
)  # fmt: skip
def test_tables_and_json_of_other_names(write: Write, text: str, how: str, queries: dict[str, str]) -> None:
    path = write(text)
    assert read_queries(path)[0] == how
    assert texts(path) == queries


def test_a_description_instead_of_a_title(write: Write) -> None:
    path = write('[{"number": 51, "title": "voice", "description": "What is said?"}]')
    assert texts(path, field="desc") == {"51": "What is said?"}
    assert texts(path, field="title+desc") == {"51": "voice What is said?"}
    refused(path, 1, "no field for the narrative of queries; the fields are number, title, description", field="narr")


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ('{"_id": "1", "title": "T", "text": "x"}', 1, "a document, with title and text, not a query"),
        ("id,title,text\n1,T,x\n", 2, "a document, with title and text, not a query"),
        ('{"_id": "1", "topics": "x"}', 1, "no field for the text of queries; the fields are _id, topics"),
        ("qid,query\n,x\n", 2, "a query without id"),
        ("qid,query,language\n1,a, b,en\n", 2, "4 columns, not 3"),
        ("qid,query,query\n1,a,b\n", 1, "the header has query more than once"),
    ],
)
def test_tables_and_json_that_cannot_be_read(write: Write, text: str, line: int, what: str) -> None:
    refused(write(text), line, what)


@pytest.mark.parametrize("text", ["1,0,d1,2\n1,0,d2,1\n", "1,d1,2\n1,d2,0\n", "Dear all,\nthanks.\n"])
def test_tables_that_are_no_topics(write: Write, text: str) -> None:
    with pytest.raises(BadInput, match="unknown topic format"):
        read_queries(write(text))


def test_a_large_file_is_no_file_of_topics(tmp_path: Path) -> None:
    path = tmp_path / "topics.gz"
    with gzip.open(path, "wb", compresslevel=1) as file:
        for _ in range(257):
            file.write(b"x" * 2**20)
    with pytest.raises(BadInput, match=r"topics\.gz: (more than 256 MB of text|the file unpacks to more than)"):
        read_queries(path)


UNKNOWN = [
    {"qid": "1", "utterance": "what moves the tides", "source": "web"},
    {"qid": "2", "utterance": "bee decline in europe", "source": "phone"},
]


def separated(sign: str) -> str:
    return "".join(f"{sign.join(row)}\n" for row in [list(UNKNOWN[0]), *(list(one.values()) for one in UNKNOWN)])


@pytest.mark.parametrize(
    "text",
    [separated(","), separated(";"), separated("\t"), json.dumps(UNKNOWN), "\n".join(map(json.dumps, UNKNOWN))],
    ids=["commas", "semicolons", "tabs", "json", "json lines"],
)
def test_fields_of_other_names_need_a_map(write: Write, text: str) -> None:
    """One answer for all kinds of tables: the fields, and the map that reads them."""
    path = write(text)
    error = refused(path, 1, "for the text of queries", "qid, utterance, source")
    assert "--map text=utterance" in (error.hint or "")
    expected = {"1": "what moves the tides", "2": "bee decline in europe"}
    assert texts(path, fields="text=utterance") == expected
    assert texts(path, fields="query=QID,text=Utterance") == expected
    with pytest.raises(BadInput, match=r"for the text of queries; .* are qid, utterance, source"):
        texts(path, fields="text=words")


def test_parquet_of_other_names(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    path = tmp_path / "queries.parquet"
    pandas.DataFrame(UNKNOWN).to_parquet(path)
    refused(path, 1, "no field for the text of queries; the fields are qid, utterance, source")
    assert texts(path, fields="text=utterance") == {"1": "what moves the tides", "2": "bee decline in europe"}


@pytest.mark.parametrize(
    ("text", "what", "proposed"),
    [
        (
            '[{"question_id": "CQ1", "question": "what", "query": "virus"}, {"question_id": "CQ2", "question": "how"}]',
            "no field for the id of queries; the fields are question_id, question, query",
            "query=question_id",
        ),
        ('{"question_id": "CQ1", "question": "what is the origin"}', "no field for the id", "query=question_id"),
        ('{"turn_id": "31_1", "raw": "what"}\n{"turn_id": "31_2", "raw": "how"}', "the id and the text", "query=turn_id,text=raw"),
        ('{"field1": "31_1", "field2": "what"}\n{"field1": "31_2", "field2": "how"}', "the id and the text", "--map"),
        ('{"tides": "what moves", "bees": "why"}', "the fields are tides, bees", "one object per query"),
    ],
)
def test_a_field_is_not_an_id(write: Write, text: str, what: str, proposed: str) -> None:
    assert proposed in (refused(write(text), 1, what).hint or "")


@pytest.mark.parametrize(
    "header", ["_id\ttext", "query-id\tquery", "number\ttitle", "topic\tquery", "QueryID\tQuery", "\nqid\tquery"]
)
@pytest.mark.parametrize("sign", ["\t", ",", ";"])
def test_a_header_is_not_a_query(write: Write, header: str, sign: str) -> None:
    assert texts(write(f"{header}\nq1\tvoice assistants\nq2\tbees\n".replace("\t", sign))) == {
        "q1": "voice assistants",
        "q2": "bees",
    }


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("turn\traw utterance\n31_1\twhat is it\n31_2\tbees\n", 1),
        ("\n\npaper_id,paper_title,paper_abstract\np1,Tides,What moves the sea\np2,Bees,Why bees die\n", 3),
        ("qid\tutterance\n1\twhat moves\n", 1),
        ("V1\tV2\n1\twhat moves\n2\tbees\n", 1),  # R without names
        ("0\t1\nq1\twhat moves\nq2\tbees\n", 1),  # pandas without names
        ("tides\tocean tides\nbees\tbee decline\n", 1),  # could be a header
    ],
)
def test_a_doubtful_first_row_is_refused(write: Write, text: str, line: int) -> None:
    for content in (text, text.replace("\t", ",")):
        path = write(content)
        error = refused(path, line, "no column for the id and the text" if "qid" not in text else "no column for the text")
        assert "--map" in (error.hint or "")
    assert len(texts(path, fields="query=1,text=2")) == content.strip().count("\n") + 1, "the first row is a query too"


@pytest.mark.parametrize(
    ("text", "queries"),
    [
        ("q1\ttext\nq2\tbee decline\n", {"q1": "text", "q2": "bee decline"}),
        ("m1\tvoice\n", {"m1": "voice"}),
        ("tides\twhat moves the tides\nbees\tbees\n", {"tides": "what moves the tides", "bees": "bees"}),
        ("G01.1\tA query\nG02.C1\tAnother\n", {"G01.1": "A query", "G02.C1": "Another"}),
    ],
)  # fmt: skip
def test_tsv_without_a_header(write: Write, text: str, queries: dict[str, str]) -> None:
    assert texts(write(text)) == queries


def test_columns_by_number(write: Write) -> None:
    path = write("1\thttp://x\ttides\n2\thttp://y\tbees\n")
    with pytest.raises(BadInput, match="a table of 3 columns") as error:
        read_queries(path)
    assert "--map query=1,text=3" in (error.value.hint or "")
    assert texts(path, fields="query=1,text=3") == {"1": "tides", "2": "bees"}


def test_a_map_is_for_tables_and_json(write: Write) -> None:
    with pytest.raises(BadArgument, match="trec has fixed field names; --map is for conversations, simpletext-csv, "):
        texts(write(TREC), fields="query=num")
