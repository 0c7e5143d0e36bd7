"""Samples of 1,000 records of bibliographic layouts become the documents that they were made from, field by field."""

from __future__ import annotations

import gzip
import json
from typing import Any

import psycopg
import pytest

from stcollection.corpus.licences import licence_counts
from tests.corpus import samples
from tests.corpus.conftest import Load, Write
from tests.corpus.samples import Paper

pytestmark = pytest.mark.slow

PAPERS = list(samples.made(1000))
# How each layout names a paper, and the fields that it lacks.
_DOCNO = {
    "openalex": "W{}",
    "arxiv": "0000.{:05}",
    "dblp-xml": "journals/x/{}",
}
_LACKS = {
    "semanticscholar": {"abstract", "licence", "references"},
    "semanticscholar-abstracts": {"title", "authors", "year", "date", "venue", "doi", "n_citation", "references", "doc_type"},
    "arxiv": {"n_citation", "references"},
    "s2orc": {"licence", "date", "doc_type"},
    "s2orc-text": {"authors", "year", "date", "venue", "n_citation", "references", "doc_type"},
    "pubmed": {"n_citation"},
    "dblp-xml": {"abstract", "licence", "n_citation", "date"},
}
_FORMAT = {"s2orc-text": "s2orc"}
_TYPE = {"arxiv": "Preprint"}


def _expected(layout: str, one: Paper) -> dict[str, Any]:
    docno = _DOCNO.get(layout, "{}")
    abstract = one.abstract
    if layout == "pubmed":
        first, _, rest = abstract.partition(" ")
        abstract = f"AIM: {first}\n{rest}"
    document = {
        "docno": docno.format(one.number),
        "title": one.title,
        "abstract": abstract,
        "authors": one.authors,
        "year": one.year,
        "date": one.day,
        "venue": one.venue,
        "doi": one.doi,
        "doc_type": _TYPE.get(layout, "Journal"),
        "n_citation": one.citations,
        "references": [docno.format(cited) for cited in one.references],
        "licence": one.licence,
    }
    return document | {name: [] if name in ("authors", "references") else None for name in _LACKS.get(layout, ())}


def _stored(conn: psycopg.Connection) -> dict[str, dict[str, Any]]:
    rows = conn.execute(
        "SELECT d.docno, d.title, d.abstract, d.year, b.doc ->> 'date', d.venue, b.doc ->> 'doi', d.doc_type, d.n_citation,"
        " d.licence,"
        " ARRAY(SELECT a.name FROM dblp_authors a WHERE a.doc = d.doc ORDER BY a.position),"
        " ARRAY(SELECT r #>> '{}' FROM jsonb_array_elements(b.doc -> 'references') WITH ORDINALITY x (r, place) ORDER BY place)"
        " FROM documents d JOIN dblp b ON b.id = d.doc"
    ).fetchall()
    names = (
        "docno", "title", "abstract", "year", "date", "venue", "doi", "doc_type", "n_citation", "licence", "authors", "references",
    )  # fmt: skip
    return {row[0]: dict(zip(names, row, strict=True)) for row in rows}


@pytest.mark.parametrize("layout", samples.WRITERS)
def test_a_sample_is_loaded_field_by_field(layout: str, conn: psycopg.Connection, write: Write, load_file: Load) -> None:
    content = samples.WRITERS[layout](PAPERS).encode()
    done = load_file(write("sample", gzip.compress(content)))
    name = _FORMAT.get(layout, layout)
    assert (done.format, done.documents, done.duplicates, done.rejects, done.cleaned) == (name, 1000, 0, 0, 0)
    assert done.empty is None
    stored = _stored(conn)
    for one in PAPERS:
        expected = _expected(layout, one)
        assert stored[expected["docno"]] == expected
    assert len(stored) == 1000
    source = "semanticscholar" if layout.startswith("semanticscholar") else name
    assert conn.execute("SELECT DISTINCT data_source FROM documents").fetchall() == [(source,)]
    cited = conn.execute("SELECT count(*) FROM dblp_citations c JOIN dblp d ON d.id = c.cited").fetchone()
    lacking = "references" in _LACKS.get(layout, ())
    assert cited == (0 if lacking else sum(len(one.references) for one in PAPERS),)


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("first", ["papers", "abstracts"])
def test_papers_and_abstracts_complete_each_other(
    first: str, workers: int, conn: psycopg.Connection, write: Write, load_file: Load
) -> None:
    files = {"papers": samples.semanticscholar(PAPERS), "abstracts": samples.abstracts(PAPERS[:900])}
    order = sorted(files, reverse=first == "papers")
    done = [load_file(write(name, files[name]), workers=workers) for name in order]
    assert [(one.rejects, one.changed) for one in done] == [(0, 0), (0, 0)]
    assert (done[1].duplicates, done[1].completed) == (900, 900)
    assert done[0].documents + done[1].documents == 1000
    stored = _stored(conn)
    for one in PAPERS:
        expected = _expected("semanticscholar", one)
        if one.number <= 900:
            expected |= {"abstract": one.abstract, "licence": one.licence}
        assert stored[str(one.number)] == expected
    assert conn.execute("SELECT DISTINCT data_source FROM documents").fetchall() == [("semanticscholar",)]
    # the same records in another file change nothing
    again = load_file(write("again", files["papers"] + " \n"))
    assert (again.documents, again.duplicates, again.completed, again.rejects) == (0, 1000, 0, 0)
    assert _stored(conn) == stored


def test_a_changed_paper_keeps_its_abstract(conn: psycopg.Connection, write: Write, load_file: Load) -> None:
    load_file(write("papers", samples.semanticscholar(PAPERS[:10])))
    load_file(write("abstracts", samples.abstracts(PAPERS[:10])))
    changed = [one._replace(citations=one.citations + 1000) for one in PAPERS[:10]]
    kept = load_file(write("papers", samples.semanticscholar(changed)))
    assert (kept.duplicates, kept.changed, kept.replaced, kept.rejects) == (10, 10, 0, 10)
    assert _stored(conn)["1"]["n_citation"] == PAPERS[0].citations
    load_file(write("other", samples.semanticscholar(changed) + "\n"), on_duplicate="replace")
    assert _stored(conn)["1"]["n_citation"] == PAPERS[0].citations + 1000
    assert {one["abstract"] for one in _stored(conn).values()} == {one.abstract for one in PAPERS[:10]}


def test_papers_on_one_line_are_completed_one_by_one(conn: psycopg.Connection, write: Write, load_file: Load) -> None:
    """A JSON array on one line: its records have the same line number."""
    load_file(write("papers", samples.semanticscholar(PAPERS[:3])))
    array = "[" + ",".join(samples.abstracts(PAPERS[:6]).splitlines()) + "]"
    done = load_file(write("abstracts", array))
    assert (done.documents, done.completed, done.rejects) == (3, 3, 0)
    assert {docno: one["abstract"] for docno, one in _stored(conn).items()} == {str(one.number): one.abstract for one in PAPERS[:6]}


def test_licences_are_counted_by_source(conn: psycopg.Connection, write: Write, load_file: Load) -> None:
    load_file(write("oa", samples.openalex(PAPERS)))
    load_file(write("dblp", samples.dblp(PAPERS[:7])))
    headers, rows = licence_counts(conn)
    assert headers == ["data_source", "licence", "documents", "abstracts"]
    counts = {name: sum(one.licence == name for one in PAPERS) for name in ("cc-by", "cc-by-nc", "cc0", None)}
    assert {row[1]: row[2:] for row in rows if row[0] == "openalex"} == {name: (one, one) for name, one in counts.items()}
    assert rows[0][0] == "dblp-xml"
    assert rows[0][1:] == (None, 7, 0)


def test_the_licences_of_one_statement(conn: psycopg.Connection) -> None:
    """Every document has its own licence, also if several are written alike or not at all."""
    written: list[tuple[dict[str, object], str | None]] = [
        ({"license": "CC BY 4.0"}, "cc-by"),
        ({"license": "cc-by", "licence": "CC0"}, "cc-by"),
        ({"licence": "CC0"}, "cc0"),
        ({"license": None, "licence": "CC0"}, "cc0"),
        ({"license": 4, "licence": ["CC0"]}, None),
        ({"license": "", "licence": "CC0"}, None),
        ({}, None),
        ({"license": "CC BY 4.0"}, "cc-by"),
    ]
    ids = list(range(1, len(written) + 1))
    docs = [json.dumps({"id": place, "title": "Homes", **more}) for place, (more, _) in zip(ids, written, strict=True)]
    conn.execute("INSERT INTO dblp (id, doc) SELECT * FROM unnest(%s::bigint[], %s::jsonb[])", [ids, docs])
    stored = "SELECT licence FROM dblp_facts ORDER BY id"
    assert [name for (name,) in conn.execute(stored)] == [name for _, name in written]
    conn.execute('UPDATE dblp SET doc = doc || \'{"license": "MIT License"}\' WHERE id IN (1, 7)')
    expected = [name for _, name in written]
    expected[0] = expected[6] = "mit-license"
    assert [name for (name,) in conn.execute(stored)] == expected


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("http://creativecommons.org/licenses/by-nc-nd/4.0/", "cc-by-nc-nd"),
        ("https://creativecommons.org/licenses/by/3.0", "cc-by"),
        ("http://creativecommons.org/publicdomain/zero/1.0/", "cc0"),
        ("http://creativecommons.org/publicdomain/mark/1.0/", "public-domain"),
        ("http://arxiv.org/licenses/nonexclusive-distrib/1.0/", "arxiv-nonexclusive"),
        ("CCBYNCSA", "cc-by-nc-sa"),
        ("CC BY-NC 4.0", "cc-by-nc"),
        ("cc-by", "cc-by"),
        ("CC0", "cc0"),
        ("https://openalex.org/licenses/publisher-specific-oa", "publisher-specific-oa"),
        ("  MIT License ", "mit-license"),
        ("https://www.example.org/terms/", "example.org/terms"),
        ("", None),
        ("   ", None),
        ("x" * 100, "x" * 60),
    ],
)
def test_a_licence_has_one_spelling(written: str, name: str | None, conn: psycopg.Connection) -> None:
    assert conn.execute("SELECT stc.licence_name(%s)", [written]).fetchone() == (name,)
