"""Read the data sets papers and abstracts of Semantic Scholar (https://api.semanticscholar.org/api-docs/datasets), JSON lines.

They are separate files with records of the same papers. Load both, in any order: a document gets the fields that it lacks.
"""

from __future__ import annotations

from typing import Any

from stcollection.io.corpus import papers
from stcollection.io.corpus.papers import PaperPart
from stcollection.io.formats import CorpusFormat


def _of_journal(name: str, paper: dict[str, Any]) -> str | None:
    return papers.plain((paper.get("journal") or {}).get(name))


def _authors(paper: dict[str, Any]) -> list[dict[str, str]]:
    people = ({"id": author.get("authorId"), "name": author.get("name")} for author in paper.get("authors") or ())
    return [{key: part for key, part in person.items() if part} for person in people]


def _fields(paper: dict[str, Any]) -> list[str]:
    return list(dict.fromkeys(field["category"] for field in paper.get("s2fieldsofstudy") or ()))


def _doc_type(paper: dict[str, Any]) -> str | None:
    """Return the type: Conference and JournalArticle are more specific than Review and others."""
    types = paper.get("publicationtypes") or []
    first = next((name for name in ("Conference", "JournalArticle") if name in types), types[0] if types else None)
    return papers.doc_type(first)


_PAPERS = papers.PaperLayout(
    docno=lambda paper: paper.get("corpusid"),
    title=PaperPart("title", "title", lambda paper: paper.get("title")),
    abstract=PaperPart("abstract", "abstract", lambda paper: paper.get("abstract")),
    parts=(
        PaperPart("authors", "authors", _authors),
        PaperPart("year", "year", lambda paper: papers.year(paper.get("year"))),
        PaperPart("date", "publicationdate", lambda paper: papers.date(paper.get("publicationdate"))),
        PaperPart("venue", "venue", lambda paper: papers.venue(paper.get("venue") or _of_journal("name", paper))),
        PaperPart("doc_type", "publicationtypes", _doc_type),
        PaperPart("doi", "externalids", lambda paper: papers.doi((paper.get("externalids") or {}).get("DOI"))),
        PaperPart("url", "url", lambda paper: papers.plain(paper.get("url"))),
        PaperPart("volume", "journal", lambda paper: _of_journal("volume", paper)),
        PaperPart("page_start", "journal", lambda paper: papers.pages(_of_journal("pages", paper))[0]),
        PaperPart("page_end", "journal", lambda paper: papers.pages(_of_journal("pages", paper))[1]),
        PaperPart("n_citation", "citationcount", lambda paper: papers.whole(paper.get("citationcount"))),
        PaperPart("fos", "s2fieldsofstudy", _fields),
    ),
    split=True,
)
_ABSTRACTS = papers.PaperLayout(
    docno=lambda paper: paper.get("corpusid"),
    title=PaperPart("title", "title", lambda paper: paper.get("title")),
    abstract=PaperPart("abstract", "abstract", lambda paper: paper.get("abstract")),
    parts=(PaperPart("license", "openaccessinfo", lambda paper: papers.plain((paper.get("openaccessinfo") or {}).get("license"))),),
    split=True,
)

PAPERS = CorpusFormat(
    name="semanticscholar",
    title="papers of Semantic Scholar, JSON lines",
    extensions=(".jsonl", ".json"),
    recognised="JSON objects with corpusid and title",
    fields={
        "corpusid": "docno, required",
        "title": "title, required",
        "authors": "authors: id, name",
        "year, publicationdate": "year, date",
        "venue, else journal.name": "venue.raw",
        "publicationtypes": "doc_type: Journal, Conference, …",
        "externalids.DOI, url": "doi, url",
        "journal": "volume, page_start, page_end",
        "citationcount": "n_citation",
        "s2fieldsofstudy": "fos",
        "all others": "not kept",
    },
    example="corpus/semanticscholar.jsonl",
    layout=lambda head: head.json,
    sniff=lambda head: papers.json_layout(head) == "semanticscholar",
    parse=_PAPERS.parse,
    texts=("title",),
)
ABSTRACTS = CorpusFormat(
    name="semanticscholar-abstracts",
    title="abstracts of Semantic Scholar, JSON lines",
    extensions=(".jsonl", ".json"),
    recognised="JSON objects with corpusid and abstract, without title",
    fields={
        "corpusid": "docno, required",
        "abstract": "abstract, required; added to the paper with this corpusid",
        "openaccessinfo.license": "license",
        "all others": "not kept",
    },
    example="corpus/semanticscholar-abstracts.jsonl",
    layout=lambda head: head.json,
    sniff=lambda head: papers.json_layout(head) == "semanticscholar-abstracts",
    parse=_ABSTRACTS.parse,
    texts=("text",),
    source="semanticscholar",
)
