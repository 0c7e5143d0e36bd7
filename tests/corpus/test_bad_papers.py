"""Broken and hostile files of bibliographic layouts: intact records are stored, others refused with a reason."""

from __future__ import annotations

import gzip
import json
import resource
import time
from pathlib import Path
from typing import Any

import psycopg
import pytest

from stcollection.errors import BadInput
from stcollection.io import roles
from stcollection.io.corpus.chunks import chunks
from stcollection.io.corpus.documents import MAX_TEXT, RefusedRecord
from stcollection.io.corpus.elements import read as read_elements
from stcollection.io.streams import Source
from tests.corpus import samples
from tests.corpus.conftest import Load, Write, read

PAPERS = list(samples.made(30))
DBLP_HEAD = '<?xml version="1.0" encoding="ISO-8859-1"?>\n<!DOCTYPE dblp SYSTEM "dblp.dtd">\n<dblp>\n'


def work(**fields: Any) -> str:
    """Return a work of OpenAlex as a line."""
    return json.dumps({"id": "https://openalex.org/W1", "title": "A title", "authorships": []} | fields) + "\n"


def article(key: str, inside: str) -> str:
    """Return a record of dblp.xml."""
    return f'<article key="{key}">{inside}</article>\n'


def reasons(path: Path) -> list[tuple[int, str | None, str]]:
    return [(one.line, one.docno, one.reason) for one in read(path)[1]]


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"id": None}, "it has no id"),
        ({"id": 5}, "it has no id"),
        ({"title": None, "display_name": " "}, "it has neither title nor abstract"),
        ({"title": 7}, "its title is not text or a list of texts: it is int 7"),
        ({"abstract_inverted_index": ["a"]}, "its inverted abstract is not {word: [positions]}"),
        ({"abstract_inverted_index": {"a": 3}}, "its inverted abstract is not {word: [positions]}"),
        ({"abstract_inverted_index": {"a": ["x"]}}, "its inverted abstract is not {word: [positions]}"),
        ({"abstract_inverted_index": {"a": [0.5]}}, "its inverted abstract is not {word: [positions]}"),
        ({"authorships": 5}, "its authorships has an unexpected structure: '5'"),
        ({"authorships": ["Ann"]}, "its authorships has an unexpected structure: '[\"Ann\"]'"),
        ({"referenced_works": [3]}, "its referenced_works has an unexpected structure: '[3]'"),
        ({"primary_location": "here"}, "its primary_location has an unexpected structure: '\"here\"'"),
        ({"topics": [{}]}, "its topics has an unexpected structure: '[{}]'"),
        ({"id": "https://openalex.org/"}, "it has no id"),
    ],
)
def test_a_record_of_another_structure_is_refused(fields: dict[str, Any], reason: str, write: Write) -> None:
    path = write("works.jsonl", work(id="https://openalex.org/W7") + work(**fields) + work(id="https://openalex.org/W8"))
    documents, rejects = read(path)
    assert [one.docno for one in documents] == ["W7", "W8"]
    [one] = rejects
    assert (one.line, one.reason) == (2, reason)


@pytest.mark.parametrize(
    ("fields", "year", "licence"),
    [
        ({"publication_year": "2001", "primary_location": None}, 2001, None),
        ({"publication_year": 10**30, "best_oa_location": {"license": "cc-by"}}, None, "cc-by"),
        ({"publication_year": True, "primary_location": {"source": None, "license": 3}}, None, None),
    ],
)
def test_an_odd_value_is_left_out(fields: dict[str, Any], year: int | None, licence: str | None, write: Write) -> None:
    [document] = read(write("works.jsonl", work(**fields)))[0]
    doc = json.loads(document.doc)
    assert (doc.get("year"), doc.get("license")) == (year, licence)


def test_an_inverted_abstract_may_have_gaps(write: Write) -> None:
    index = {"far": [10_000_000], "We": [0], "ask": [5, 2**70]}
    [document] = read(write("works.jsonl", work(abstract_inverted_index=index)))[0]
    assert document.abstract == "We ask far ask"


def test_an_inverted_abstract_does_not_grow_beyond_its_record(write: Write) -> None:
    """A word of 1 MB at 300,000 positions would be a text of 300 GB."""
    path = write("works.jsonl", work() + work(id="W2", abstract_inverted_index={"x" * 2**20: list(range(300_000))}))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    _, document = read(path)[0]
    assert len(document.abstract or "") + len(document.title or "") == MAX_TEXT
    assert document.cut
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 500_000  # kB
    many = write("many.jsonl", work(abstract_inverted_index={f"w{at}": [at] for at in range(300_000)}))
    [document] = read(many)[0]
    assert (document.abstract or "").startswith("w0 w1 w2 ")


@pytest.mark.parametrize("layout", samples.WRITERS)
def test_a_truncated_file_keeps_what_is_whole(layout: str, write: Write) -> None:
    content = samples.WRITERS[layout](PAPERS).encode()
    path = write("cut", content[: len(content) * 2 // 3])
    found: list[Any] = []
    problem = ""
    try:
        for chunk in chunks(Source(str(path)), format=None):
            found += [one for *_, one in read_elements(chunk)]
    except BadInput as error:
        problem = error.message
    whole = [one for one in found if not isinstance(one, RefusedRecord)]
    assert 15 <= len(whole) < 30
    if layout in ("pubmed", "dblp-xml"):
        assert "the file is truncated" in problem
        assert len(found) == len(whole)
    else:  # JSON lines: the last line is refused
        assert len(found) == len(whole) + 1


def test_a_truncated_archive_keeps_what_is_whole(conn: psycopg.Connection, write: Write, load_file: Load) -> None:
    content = gzip.compress(samples.pubmed(PAPERS).encode())
    with pytest.raises(BadInput, match="the gzip stream ends too early"):
        load_file(write("pubmed.xml.gz", content[: len(content) // 2]))
    stored = conn.execute("SELECT count(*) FROM documents").fetchone()
    assert stored is not None
    assert 5 < stored[0] < 30


@pytest.mark.parametrize(
    ("broken", "reason"),
    [
        (article("b", "<title>A &lol9; b.</title>"), "the entity &lol9; is not defined; only names of HTML are known"),
        (article("b", "<title>A < b.</title>"), "it is not well-formed XML: not well-formed (invalid token) in line 5"),
        (article("b", "<title>A</titel>"), "it is not well-formed XML: mismatched tag in line 5"),
        ('<article key="b"><title>No end tag</title>\n', "it is not well-formed XML: no element found in line 5"),
        ("<article><title>No key.</title></article>\n", "it has no id"),
        (article("b", "<title></title>"), "it has neither title nor abstract"),
        (article("b", "<title>A &#0; b.</title>"), "it is not well-formed XML: reference to invalid character number in line 5"),
        (
            article("b", '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><title>&x;</title>'),
            "the entity &x; is not defined; only names of HTML are known",
        ),
        (article("b", "<title>" + "<i>" * 100_000 + "</title>"), "it is not well-formed XML: mismatched tag in line 5"),
    ],
)
def test_a_broken_record_of_dblp_does_not_affect_others(broken: str, reason: str, write: Write) -> None:
    content = DBLP_HEAD + article("a", "<title>First.</title>") + broken + article("c", "<title>Last.</title>") + "</dblp>\n"
    path = write("dblp.xml", content)
    documents, rejects = read(path)
    assert [(one.docno, one.title) for one in documents] == [("a", "First"), ("c", "Last")]
    assert [one.reason for one in rejects] == [reason]
    assert rejects[0].line == 5


def test_entities_are_not_expanded(write: Write) -> None:
    """Billion laughs: nine levels of ten references would be 3 GB."""
    levels = "".join(f'<!ENTITY lol{n} "{f"&lol{n - 1};" * 10}">\n' for n in range(1, 10))
    head = f'<?xml version="1.0"?>\n<!DOCTYPE dblp [\n<!ENTITY lol0 "lol">\n{levels}]>\n<dblp>\n'
    path = write("laughs.xml", head + article("a", "<title>&lol9;</title>") + "</dblp>\n")
    started = time.perf_counter()
    with pytest.raises(BadInput, match="declares the entity 'lol0'; declared entities are not expanded"):
        read(path)
    outside = '<!DOCTYPE dblp [<!ENTITY % p SYSTEM "http://127.0.0.1:1/x.dtd"> %p;]>\n<dblp>\n' + article("a", "<title>A.</title>")
    with pytest.raises(BadInput, match="declares the entity 'p'"):
        read(write("outside.xml", outside + "</dblp>\n"))
    assert time.perf_counter() - started < 5


def test_names_of_html_and_markup_become_text(write: Write) -> None:
    title = "<title>&Uuml;ber <i>K<sub>n</sub></i> &amp; R&ouml;me &lt;x&gt; &#233;.</title>"
    path = write("dblp.xml", DBLP_HEAD + article("a", title) + "</dblp>\n")
    [document] = read(path)[0]
    assert document.title == "Über Kn & Röme <x> é"


def test_declared_encodings(write: Write) -> None:
    latin = (DBLP_HEAD + article("a", "<title>Häuser.</title>") + "</dblp>").encode("latin-1")
    [document] = read(write("latin.xml", latin))[0]
    assert document.title == "Häuser"
    wrong = write("wrong.xml", latin.replace(b"ISO-8859-1", b"UTF-8"))
    assert reasons(wrong) == [
        (4, None, "it is not UTF-8: byte 0xE4 at position 26 of line 4 (iconv -f latin1 -t utf-8 converts a file of that encoding)")
    ]
    for encoding in (b"klingon", b"utf-16", b"utf-7", b"rot13"):
        with pytest.raises(BadInput, match="the file declares the encoding") as error:
            read(write("odd.xml", latin.replace(b"ISO-8859-1", encoding)))
        assert encoding.decode() in error.value.message
    with pytest.raises(BadInput, match="it is UTF-16"):
        read(write("utf16.xml", latin.decode("latin-1").encode("utf-16")))


def test_a_record_without_end_is_too_large(write: Write) -> None:
    path = write("huge.xml", DBLP_HEAD + '<article key="a"><title>' + "x" * (17 << 20))
    with pytest.raises(BadInput, match="a record of more than 16 MB"):
        read(path)


def test_memory_does_not_grow_with_the_file(write: Write) -> None:
    papers = list(samples.made(300))
    middle = "".join(samples.pubmed(papers).splitlines(keepends=True)[3:-1])
    head = '<?xml version="1.0"?>\n<PubmedArticleSet>\n'
    small, large = write("small.xml", head + middle + "</PubmedArticleSet>"), write("large.xml", head + middle * 60)
    with large.open("a") as file:
        file.write("</PubmedArticleSet>\n")
    assert large.stat().st_size > 30 << 20
    for path in (small, large):
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        count = sum(1 for chunk in chunks(Source(str(path)), format=None) for _ in read_elements(chunk))
        assert count in (300, 18_000)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 16_000  # kB


@pytest.mark.parametrize("layout", samples.WRITERS)
def test_a_data_set_recognises_documents(layout: str, write: Write) -> None:
    content = samples.WRITERS[layout](PAPERS)
    assert roles.recognise(write("part_000", content)).roles == {"corpus"}
    if layout == "s2orc-text":  # the text of a whole paper is longer than the part of the file that is examined
        record = json.loads(content.splitlines()[0])
        record["content"]["text"] += "x" * 100_000
        assert roles.recognise(write("part_001", json.dumps(record) + "\n" + content)).roles == {"corpus"}


def test_pubmed_without_what_is_usual(write: Write) -> None:
    head = "<PubmedArticleSet>"
    bare = "<PubmedArticle><MedlineCitation><PMID>5</PMID><Article><ArticleTitle>T</ArticleTitle>{}</Article></MedlineCitation>"
    issue = "<Journal><JournalIssue><PubDate>{}</PubDate></JournalIssue></Journal>"
    dates = {
        issue.format("<MedlineDate>1998 Dec-1999 Jan</MedlineDate>"): (1998, None),
        issue.format("<Year>2001</Year>"): (2001, None),
        "<ArticleDate><Year>2002</Year><Month>02</Month><Day>3</Day></ArticleDate>": (2002, "2002-02-03"),
        "<ArticleDate><Year>2002</Year><Month>13</Month><Day>3</Day></ArticleDate>": (2002, None),
        "": (None, None),
    }
    for inside, expected in dates.items():
        [document] = read(write("p.xml", f"{head}{bare.format(inside)}</PubmedArticle></PubmedArticleSet>"))[0]
        doc = json.loads(document.doc)
        assert (doc.get("year"), doc.get("date")) == expected
    book = (
        "<PubmedBookArticle><BookDocument><PMID>6</PMID><Book><BookTitle>B</BookTitle><PubDate><Year>2003</Year></PubDate></Book>"
        "<ArticleTitle>Chapter</ArticleTitle></BookDocument></PubmedBookArticle>"
    )
    nothing = "<PubmedArticle><Other/></PubmedArticle><DeleteCitation><PMID>9</PMID></DeleteCitation>"
    documents, rejects = read(write("b.xml", f"{head}{book}{nothing}</PubmedArticleSet>"))
    assert [(one.docno, one.title, json.loads(one.doc)["venue"]) for one in documents] == [("6", "Chapter", {"raw": "B"})]
    assert [one.reason for one in rejects] == ["it has no MedlineCitation and no BookDocument"]


@pytest.mark.parametrize(
    ("spans", "reason"),
    [
        ("not json", "its abstract has an unexpected structure: 'null'"),
        ('[{"start": 0}]', "its abstract has an unexpected structure: 'null'"),
        ('[{"start": "a", "end": 3}]', "its abstract has an unexpected structure: 'null'"),
        ('[{"start": -9, "end": 99999999999}]', ""),
        ("[]", "it has neither title nor abstract"),
        (None, "it has neither title nor abstract"),
    ],
)
def test_bad_annotations_of_s2orc(spans: str | None, reason: str, write: Write) -> None:
    record = {"corpusid": 1, "content": {"text": "The whole text.", "annotations": {"abstract": spans, "title": None}}}
    documents, rejects = read(write("s2orc.jsonl", json.dumps(record) + "\n"))
    assert [one.reason for one in rejects] == ([reason] if reason else [])
    assert [one.abstract for one in documents] == ([] if reason else ["The whole text."])


SPELLINGS = {
    "2024-06-30": "2024-06-30",
    "2024-06-30T10:00:00Z": "2024-06-30",
    "30.06.2024": None,
    "06/30/2024": None,
    "2024-6-30": None,
    "June 30, 2024": None,
    "2024-13-41": None,
    "2999-01-01": "2999-01-01",  # announced: the record is kept as it is
}


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_a_date_is_read_in_the_documented_spelling(spelling: str, write: Write) -> None:
    """Other spellings have a day and a month in an unknown order, so the record is kept without a date."""
    papers = {
        "works.jsonl": work(publication_date=spelling, publication_year=2024),
        "papers.jsonl": samples.semanticscholar(PAPERS[:1]).replace(f'"{PAPERS[0].day}"', json.dumps(spelling)),
    }
    for name, content in papers.items():
        assert spelling in content
        [document] = read(write(name, content))[0]
        assert json.loads(document.doc).get("date") == SPELLINGS[spelling]
