"""Read S2ORC, JSON lines: the metadata of the releases up to 2020, and the data sets s2orc and s2orc_v2 of Semantic Scholar.

The releases up to 2020 (https://github.com/allenai/s2orc) have the abstract as text. The data sets have the text of the whole
paper, and annotations with the positions of title and abstract in it. The text of the body is not kept.
"""

from __future__ import annotations

from typing import Any

import orjson

from stcollection.io.corpus import papers
from stcollection.io.corpus.papers import PaperPart
from stcollection.io.formats import CorpusFormat


def _whole_text(paper: dict[str, Any]) -> dict[str, Any]:
    return paper.get("content") or paper.get("body") or {}


def _spans(paper: dict[str, Any], name: str) -> str | None:
    """Return the annotated parts of the text, one per line."""
    whole = _whole_text(paper)
    spans = (whole.get("annotations") or {}).get(name)
    text = whole.get("text")
    if not spans or not text:
        return None
    ranges = orjson.loads(spans) if isinstance(spans, str) else spans
    return "\n".join(text[max(int(span["start"]), 0) : max(int(span["end"]), 0)].strip() for span in ranges or ()) or None


def _abstract(paper: dict[str, Any]) -> Any:
    """Return the abstract. The older releases mark line breaks with ``:::``."""
    abstract = paper.get("abstract")
    if isinstance(abstract, str):
        return abstract.replace(":::", "\n")
    return abstract or _spans(paper, "abstract")


def _authors(paper: dict[str, Any]) -> list[dict[str, str]]:
    return [_author(author) for author in paper.get("authors") or ()]


def _author(author: dict[str, Any]) -> dict[str, str]:
    if "last" in author:
        parts = (author.get("first"), *(author.get("middle") or ()), author["last"], author.get("suffix"))
        return {"name": " ".join(part for part in parts if part)}
    person = {"id": author.get("authorId") or author.get("authorid"), "name": author.get("name")}
    return {key: part for key, part in person.items() if part}


def _open_access(paper: dict[str, Any]) -> dict[str, Any]:
    source = _whole_text(paper).get("source") or {}
    return paper.get("openaccessinfo") or source.get("oainfo") or {}


def _doi(paper: dict[str, Any]) -> str | None:
    ids = paper.get("externalids") or _open_access(paper).get("externalids") or {}
    return papers.doi(paper.get("doi") or ids.get("doi") or ids.get("DOI"))


_LAYOUT = papers.PaperLayout(
    docno=lambda paper: paper.get("paper_id", paper.get("corpusid")),
    title=PaperPart("title", "title", lambda paper: paper.get("title") or _spans(paper, "title")),
    abstract=PaperPart("abstract", "abstract", _abstract),
    parts=(
        PaperPart("authors", "authors", _authors),
        PaperPart("year", "year", lambda paper: papers.year(paper.get("year"))),
        PaperPart("venue", "venue", lambda paper: papers.venue(paper.get("venue") or paper.get("journal"))),
        PaperPart("doi", "externalids", _doi),
        PaperPart("url", "s2_url", lambda paper: papers.plain(paper.get("s2_url") or _open_access(paper).get("url"))),
        PaperPart(
            "n_citation",
            "inbound_citations",
            lambda paper: len(paper["inbound_citations"]) if isinstance(paper.get("inbound_citations"), list) else None,
        ),
        PaperPart("references", "outbound_citations", lambda paper: list(paper.get("outbound_citations") or ())),
        PaperPart("license", "openaccessinfo", lambda paper: papers.plain(_open_access(paper).get("license"))),
    ),
)

FORMAT = CorpusFormat(
    name="s2orc",
    title="S2ORC, JSON lines: metadata (up to 2020), s2orc, s2orc_v2",
    extensions=(".jsonl", ".json"),
    recognised="JSON objects with paper_id and outbound_citations, or corpusid and content or body",
    fields={
        "paper_id or corpusid": "docno, required",
        "title, else the text annotated as title": "title; title or abstract is required",
        "abstract, else the text annotated as abstract": "abstract; ::: becomes a line break",
        "authors": "authors: name from first, middle, last, suffix, or name and id",
        "year": "year",
        "venue, else journal": "venue.raw",
        "doi, or doi in externalids": "doi",
        "s2_url, else url of the open access": "url",
        "inbound_citations": "n_citation: their number",
        "outbound_citations": "references",
        "license in openaccessinfo or content.source.oainfo": "license",
        "all others": "not kept, nor the text of the body",
    },
    example="corpus/s2orc.jsonl",
    layout=lambda head: head.json,
    sniff=lambda head: papers.json_layout(head) == "s2orc",
    parse=_LAYOUT.parse,
)
