"""Read arXiv's metadata (https://www.kaggle.com/datasets/Cornell-University/arxiv), JSON lines."""

from __future__ import annotations

import re
from email.utils import parsedate
from typing import Any

from stcollection.io.corpus import papers
from stcollection.io.corpus.papers import PaperPart
from stcollection.io.formats import CorpusFormat

_BETWEEN = re.compile(r"\s*,\s+|\s+and\s+")


def _authors(paper: dict[str, Any]) -> list[dict[str, str]]:
    parsed = paper.get("authors_parsed")
    if parsed:  # surname, first names, suffix, then affiliations
        names = [" ".join(filter(None, (parts[1], parts[0], *parts[2:3]))).strip() for parts in parsed]
    else:
        names = _BETWEEN.split(papers.plain(paper.get("authors")) or "")
    return [{"name": name} for name in names if name]


def _first_version(paper: dict[str, Any]) -> str | None:
    """Return the day of the first version; else of the last update."""
    versions = paper.get("versions")
    day = parsedate(versions[0]["created"]) if versions else None
    return f"{day[0]:04}-{day[1]:02}-{day[2]:02}" if day else papers.date(paper.get("update_date"))


def _one_line(paper: dict[str, Any]) -> Any:
    abstract = paper.get("abstract")
    return " ".join(abstract.split()) if isinstance(abstract, str) else abstract


_LAYOUT = papers.PaperLayout(
    docno=lambda paper: paper.get("id"),
    title=PaperPart("title", "title", lambda paper: paper.get("title")),
    abstract=PaperPart("abstract", "abstract", _one_line),
    parts=(
        PaperPart("authors", "authors_parsed", _authors),
        PaperPart("year", "versions", lambda paper: papers.year(_first_version(paper))),
        PaperPart("date", "versions", _first_version),
        PaperPart("venue", "journal-ref", lambda paper: papers.venue(paper.get("journal-ref") or "arXiv")),
        PaperPart("doc_type", "id", lambda _: "Preprint"),
        PaperPart("doi", "doi", lambda paper: papers.doi((papers.plain(paper.get("doi")) or "").partition(" ")[0])),
        PaperPart("url", "id", lambda paper: f"https://arxiv.org/abs/{paper['id']}"),
        PaperPart("fos", "categories", lambda paper: (papers.plain(paper.get("categories")) or "").split()),
        PaperPart("license", "license", lambda paper: papers.plain(paper.get("license"))),
    ),
)

FORMAT = CorpusFormat(
    name="arxiv",
    title="metadata of arXiv, JSON lines",
    extensions=(".json", ".jsonl"),
    recognised="JSON objects with authors_parsed and categories",
    fields={
        "id": "docno, required; also url",
        "title": "title; title or abstract is required",
        "abstract": "abstract, on one line",
        "authors_parsed, else authors": "authors: name",
        "versions": "date and year of the first version, else of update_date",
        "journal-ref": "venue.raw; arXiv if missing",
        "doi": "doi; the first of several",
        "categories": "fos",
        "license": "license",
        "all others": "not kept; doc_type is Preprint",
    },
    example="corpus/arxiv.json",
    layout=lambda head: head.json,
    sniff=lambda head: papers.json_layout(head) == "arxiv",
    parse=_LAYOUT.parse,
)
