"""Read works of OpenAlex (https://docs.openalex.org/api-entities/works/work-object), one JSON object per line.

The snapshot has this layout. The abstract is an inverted index, as in dblp v11 and v12, but without a key ``InvertedIndex``.
"""

from __future__ import annotations

from typing import Any

from stcollection.io.corpus import papers
from stcollection.io.corpus.documents import rebuild_text
from stcollection.io.corpus.papers import PaperPart
from stcollection.io.formats import CorpusFormat

_BIBLIO = (("volume", "volume"), ("issue", "issue"), ("page_start", "first_page"), ("page_end", "last_page"))


def _short(address: object) -> str | None:
    """Return an id without its address: W123 of https://openalex.org/W123."""
    return address.rpartition("/")[2] or None if isinstance(address, str) else None


def _title(work: dict[str, Any]) -> Any:
    return work.get("title") or work.get("display_name")


def _abstract(work: dict[str, Any]) -> str | None:
    index = work.get("abstract_inverted_index")
    return rebuild_text({"InvertedIndex": index}) if index else None


def _authors(work: dict[str, Any]) -> list[dict[str, str]]:
    return [_author(authorship) for authorship in work.get("authorships") or ()]


def _author(authorship: dict[str, Any]) -> dict[str, str]:
    person = authorship.get("author") or {}
    author = {}
    if address := person.get("id"):
        author["id"] = address[address.rfind("/") + 1 :]
    if name := person.get("display_name") or authorship.get("raw_author_name"):
        author["name"] = name
    if places := authorship.get("institutions"):
        author["org"] = places[0].get("display_name")
    elif raw := authorship.get("raw_affiliation_strings"):
        author["org"] = raw[0]
    return author


def _source(work: dict[str, Any]) -> dict[str, Any]:
    return (work.get("primary_location") or {}).get("source") or {}


def _place(work: dict[str, Any]) -> dict[str, Any]:
    """Return what the primary location says; the licence is that of the best open location if it has none."""
    place = work.get("primary_location") or {}
    source = place.get("source") or {}
    return {
        "venue": papers.venue(source.get("display_name")),
        "publisher": papers.plain(source.get("host_organization_name")),
        "url": papers.plain(place.get("landing_page_url")),
        "license": papers.plain(place.get("license") or (work.get("best_oa_location") or {}).get("license")),
    }


def _doc_type(work: dict[str, Any]) -> str | None:
    if work.get("type") == "article" and _source(work).get("type") == "conference":
        return "Conference"
    return papers.doc_type(work.get("type"))


def _biblio(work: dict[str, Any]) -> dict[str, str | None]:
    biblio = work.get("biblio")
    return {name: papers.plain(biblio.get(theirs)) for name, theirs in _BIBLIO} if biblio else {}


def _fields(work: dict[str, Any]) -> list[dict[str, Any]]:
    topics = work.get("topics") or work.get("concepts") or ()
    return [{"name": topic["display_name"], "w": topic.get("score")} for topic in topics]


_LAYOUT = papers.PaperLayout(
    docno=lambda work: _short(work.get("id")),
    title=PaperPart("title", "title", _title),
    abstract=PaperPart("abstract", "abstract_inverted_index", _abstract),
    parts=(
        PaperPart("authors", "authorships", _authors),
        PaperPart("year", "publication_year", lambda work: papers.year(work.get("publication_year"))),
        PaperPart("date", "publication_date", lambda work: papers.date(work.get("publication_date"))),
        PaperPart(None, "primary_location", _place),
        PaperPart("doc_type", "type", _doc_type),
        PaperPart("doi", "doi", lambda work: papers.doi(work.get("doi"))),
        PaperPart(None, "biblio", _biblio),
        PaperPart("lang", "language", lambda work: papers.plain(work.get("language"))),
        PaperPart("n_citation", "cited_by_count", lambda work: papers.whole(work.get("cited_by_count"))),
        PaperPart(
            "references", "referenced_works", lambda work: [url[url.rfind("/") + 1 :] for url in work.get("referenced_works") or ()]
        ),
        PaperPart("fos", "topics", _fields),
    ),
)

FORMAT = CorpusFormat(
    name="openalex",
    title="works of OpenAlex, JSON lines",
    extensions=(".jsonl", ".json"),
    recognised="JSON objects with authorships or abstract_inverted_index",
    fields={
        "id": "docno without the address (W2741809807), required",
        "title or display_name": "title; title or abstract is required",
        "abstract_inverted_index": "abstract",
        "authorships": "authors: id, name, first institution",
        "publication_year, publication_date": "year, date",
        "primary_location": "venue.raw, publisher, url",
        "type": "doc_type: Journal, Conference, Preprint, …",
        "doi, biblio, language": "doi, volume, issue, page_start, page_end, lang",
        "cited_by_count": "n_citation",
        "referenced_works": "references, as docnos",
        "topics, else concepts": "fos",
        "license of primary_location, else of best_oa_location": "license",
        "all others": "not kept",
    },
    example="corpus/openalex.jsonl",
    layout=lambda head: head.json,
    sniff=lambda head: papers.json_layout(head) == "openalex",
    parse=_LAYOUT.parse,
)
