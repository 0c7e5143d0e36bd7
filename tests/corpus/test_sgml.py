"""Documents in TREC's SGML as real collections write it: every document once, with its text, or a reject with the reason."""

from __future__ import annotations

from pathlib import Path

import psycopg
import pytest

from stcollection.errors import BadInput
from stcollection.io.roles import recognise
from tests.corpus.conftest import Load, Write, read, texts
from tests.io.test_split import cut_up

# docno, title, text
DOCUMENTS = {
    ("A1", None, "one"): "<DOC>\n<DOCNO>A1</DOCNO>\n<TEXT>one</TEXT>\n</DOC>\n",
    ("A2", "h", "two"): '<DOC id="A2" type="story">\n<HEADLINE>h</HEADLINE>\n<TEXT>two</TEXT>\n</DOC>\n',
    ("A3", None, "three"): "<DOC >\n<DOCNO>A3</DOCNO>\n<TEXT>three</TEXT>\n</DOC>\n",
    ("A4", None, "four"): '<DOC schema="x">\n<DOCNO>A4</DOCNO>\n<TEXT>four</TEXT>\n</DOC>\n',
    ("A5", None, "five"): "<doc>\n<docno>A5</docno>\n<text>five</text>\n</doc>\n",
    ("A6", None, "six"): "<DOC>\n<DOCNO>A6</DOCNO>\n<TEXT>six</TEXT>\n</DOC >\n",
    ("A7", None, "seven"): '<DOC>\n<DOCNO >\n A7\n</DOCNO >\n<TEXT lang="en">seven</TEXT>\n</DOC>\n',
    ("A8", None, "eight"): "<DOC><DOCNO>A8</DOCNO><TEXT>eight</TEXT></DOC>",
    ("A9", None, "nine"): "<DOC docno=A9>nine</DOC> ",
    ("B1", "T", "ten"): "<Doc\nx='y'><DocNo type='a'>B1</DocNo>\n<Title>T</Title><Text>ten</Text></Doc>\n",
    ("B2", None, "eleven"): '<DOC>\n<DOCID> B2 </DOCID>\n<DOCTYPE SOURCE="wire"> NEWS </DOCTYPE>\n<TEXT>eleven</TEXT>\n</DOC>\n',
    ("B3", None, "twelve"): '<DOC id="1">\n<DOCID>2</DOCID><DOCNO>B3\n<TEXT>twelve\n</DOC>\n',
}
OUTSIDE = "it is text outside of a document"
OPEN = "the next document begins before its </DOC>"


def found(file: Path) -> list[tuple[str, str | None, str | None]]:
    return [(one.docno, one.title, one.abstract) for one in read(file)[0]]


def rejects(file: Path) -> list[tuple[int, str | None, str]]:
    return [(one.line, one.docno, one.reason.partition(":")[0]) for one in read(file)[1]]


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
@pytest.mark.parametrize("first", range(len(DOCUMENTS)))
def test_tags_with_attributes_and_blanks_in_any_case(first: int, ends: str, write: Write) -> None:
    """Each form can be the first of a file, by which its format is recognised."""
    file = write("docs.trec", "".join(list(DOCUMENTS.values())[first:]).replace("\n", ends))
    assert found(file) == list(DOCUMENTS)[first:]
    assert rejects(file) == []
    assert recognise(file).roles == {"corpus"}


@pytest.mark.parametrize("size", [1, 30, 60, 200])
def test_chunks_of_any_size(size: int) -> None:
    _, cut = cut_up("".join(DOCUMENTS.values()).encode(), size)
    assert [record.decode() for _, record in cut] == [text.strip() for text in DOCUMENTS.values()]


def test_text_outside_of_documents_is_counted(conn: psycopg.Connection, write: Write, load_file: Load) -> None:
    file = write(
        "docs.trec",
        "Made by hand\n<DOC>\n<DOCNO>1</DOCNO>\na\n</DOC>\n\nlost words\n<DOC>\n<DOCNO>2</DOCNO>\nb\n</DOC>\nthe end\n",
    )
    done = load_file(file)
    assert (done.documents, done.rejects) == (2, 3)
    assert texts(conn) == {"1": (None, "a"), "2": (None, "b")}
    assert rejects(file) == [(1, None, OUTSIDE), (7, None, OUTSIDE), (12, None, OUTSIDE)]


def test_markup_outside_of_documents_is_no_text(write: Write) -> None:
    file = write(
        "docs.xml",
        '<?xml version="1.0"?>\n<!DOCTYPE d [ <!ELEMENT DOC (#PCDATA)> ]>\n<d>\n<!-- two -->\n<DOC>\n<DOCNO>1</DOCNO>\na\n</DOC>\n'
        "<!-- <DOC>\n<DOCNO>0</DOCNO>\nout of use\n</DOC> -->\n<DOC>\n<DOCNO>2</DOCNO>\nb\n</DOC>\n</d>\n\x1a",
    )
    assert found(file) == [("1", None, "a"), ("2", None, "b")]
    assert rejects(file) == []


def test_a_document_without_an_end_does_not_take_the_next_along(write: Write) -> None:
    file = write(
        "docs.trec",
        '<DOC>\n<DOCNO>1</DOCNO>\na\n<DOC>\n<DOCNO>2</DOCNO>\nb\n</DOC>\n<DOC>\n<DOCNO>3</DOCNO>\nc\n<DOC id="4">d</DOC>\n',
    )
    assert found(file) == [("2", None, "b"), ("4", None, "d")]
    assert rejects(file) == [(1, "1", OPEN), (8, "3", OPEN)]
    with pytest.raises(BadInput, match="truncated"):
        read(write("cut.trec", "<DOC>\n<DOCNO>1</DOCNO>\na\n</DOC>\n<DOC >\n<DOCNO>2</DOCNO>\nb\n"))


def test_a_document_without_a_name_is_refused(write: Write) -> None:
    file = write("docs.trec", "<DOC>\n<DOCNO> </DOCNO>\na\n</DOC>\n<DOC type='x'>\n<TEXT>b</TEXT>\n</DOC>\n<DOC></DOC>\n")
    assert rejects(file) == [(1, None, "it has no <DOCNO>"), (5, None, "it has no <DOCNO>"), (8, None, "it has no <DOCNO>")]


@pytest.mark.parametrize(
    ("body", "title", "text"),
    [
        ("<TEXT>\n<!-- STAG 4700 -->\n<!-- ITAG l=90\n g=1 -->\nVol. 59&hyph;1&blank;&sect; 12\n</TEXT>", None, "Vol. 59-1 § 12"),
        ("<HEAD>AT&amp;T: a < b and c > d</HEAD><TEXT>First.</TEXT>\n<TEXT>2nd</TEXT>", "AT&T: a < b and c > d", "First. 2nd"),
        ("<TEXT>We use the <DOC> tag, &lt;DOC&gt;, &#65;&#x42;</TEXT>", None, "We use the tag, <DOC>, AB"),
        ("<HEAD>one</HEAD><HEAD>two</HEAD><TEXT>a</TEXT>", "one two", "a"),
        ("<TITLE>open\n<TEXT>first\n<TEXT>second", "open", "first second"),
        ("<!DOCTYPE HTML PUBLIC '-//W3C//DTD HTML 3.2//EN'>\n<html><head><title>T</title></head><body>b</body></html>", "T", "b"),
        ("<TEXT><![CDATA[x & y]]> z</TEXT>", None, "x & y z"),
        ("<!-- <DOCNO>0</DOCNO> --><TEXT>a</TEXT>", None, "a"),
    ],
)  # fmt: skip
def test_comments_entities_and_elements_without_an_end(body: str, title: str | None, text: str, write: Write) -> None:
    assert found(write("docs.sgml", f"<DOC>\n{body}\n<DOCNO>1</DOCNO>\n</DOC>\n")) == [("1", title, text)]
