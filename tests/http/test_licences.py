"""With licences, answers to programs and downloads have no text of documents with other licences."""

from __future__ import annotations

import json
from collections.abc import Iterator

import httpx
import psycopg
import pytest
from click.testing import CliRunner

from stcollection.api.collection import Collection
from stcollection.cli.explore import command
from stcollection.corpus.references import references
from stcollection.db.settings import Settings
from stcollection.errors import UnknownObject
from stcollection.io.bibliography import ris
from stcollection.text.index import index
from tests.explore.conftest import serving

pytestmark = pytest.mark.slow

WORD = "zebrafish"
DOCUMENTS = [
    {"id": "open", "title": "Voice at home", "abstract": f"An {WORD} speaks.", "license": "CC BY 4.0", "year": 2020},
    {
        "id": "closed",
        "title": "Voice at work",
        "abstract": f"A {WORD} is silent.",
        "notes": WORD,
        "year": 2021,
        "doi": "10.1/x",
    },
    {
        "id": "other",
        "title": "Voice at sea",
        "abstract": f"The {WORD} swims.",
        "license": "CC BY-NC",
        "authors": [{"name": "Ada"}],
    },
]


@pytest.fixture
def corpus(conn: psycopg.Connection, settings: Settings) -> psycopg.Connection:
    with Collection(settings) as collection:
        collection.corpus.load(DOCUMENTS)
    index(conn)
    return conn


@pytest.fixture
def http(corpus: psycopg.Connection, settings: Settings) -> Iterator[httpx.Client]:
    for address in serving(settings, "--licence", "CC-BY"):
        with httpx.Client(base_url=address, timeout=60) as client:
            yield client


def test_documents_with_words_have_text_of_these_licences_only(http: httpx.Client) -> None:
    found = http.get("/api/coverage/documents", params={"word": WORD}).json()
    assert found["total"] == 3
    assert {one["docno"]: WORD in (one["abstract"] or "") for one in found["documents"]} == {
        "open": True,
        "closed": False,
        "other": False,
    }


def test_programs_get_text_of_these_licences_only(http: httpx.Client) -> None:
    hits = http.get("/api/search", params={"q": f"{WORD} voice", "system": "bm25"}).json()["documents"]
    assert {hit["docno"]: hit["snippet"] for hit in hits} == {"open": f"An {WORD} speaks.", "closed": None, "other": None}
    assert http.get("/api/documents/open").json()["document"]["abstract"] == f"An {WORD} speaks."
    closed = http.get("/api/documents/closed").json()["document"]
    assert closed == {"id": "closed", "title": "Voice at work", "year": 2021, "doi": "10.1/x"}
    other = http.get("/dblp1/_source/other").json()
    assert other == {"id": "other", "title": "Voice at sea", "license": "CC BY-NC", "authors": [{"name": "Ada"}]}
    for address in (
        "/api/documents/closed",
        "/api/why?q=voice&system=bm25&docno=closed",
        "/dblp1/_doc/closed",
        "/dblp1/_source/other",
    ):
        answer = http.get(address)
        assert answer.status_code == 200
        assert WORD not in answer.text
    found = http.post("/_search", json={"query": {"match": {"abstract": WORD}}}).json()["hits"]["hits"]
    assert {hit["_id"] for hit in found if WORD in json.dumps(hit)} == {"open"}
    assert len(found) == 3


def test_downloads_have_these_abstracts_only(corpus: psycopg.Connection) -> None:
    docs = [row[0] for row in corpus.execute('SELECT id FROM dblp ORDER BY docno COLLATE "C"').fetchall()]
    for licences, expected in (
        ([], ["closed", "open", "other"]),
        (["cc-by"], ["open"]),
        (["none", "cc-by-nc"], ["closed", "other"]),
    ):
        found = references(corpus, docs, licences)
        assert [one.docno for one in found] == ["closed", "open", "other"]
        assert [one.docno for one in found if one.abstract] == expected
        assert ris(found).count(WORD) == len(expected)


def test_an_unknown_licence_stops_the_start(corpus: psycopg.Connection, settings: Settings) -> None:
    done = CliRunner().invoke(command, ["--port", "0", "--licence", "MIT"], obj=settings)
    assert isinstance(done.exception, UnknownObject)
    assert str(done.exception) == "no document has the licence 'mit'"
    assert "The licences are cc-by, cc-by-nc" in (done.exception.hint or "")
