"""Read dblp.xml (https://dblp.org/xml/), the records of dblp itself. They have no abstracts and no citation counts."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from stcollection.io.corpus import papers
from stcollection.io.corpus.documents import DocumentRecord
from stcollection.io.corpus.head import Head
from stcollection.io.corpus.split import Splitter
from stcollection.io.corpus.xmlrecords import layout, parsed, text_of
from stcollection.io.formats import CorpusFormat

_PUBLICATIONS = ("article", "inproceedings", "proceedings", "book", "incollection", "phdthesis", "mastersthesis", "data")
_OTHERS = ("www", "person")  # home pages of authors
_VENUES = ("journal", "booktitle", "school", "series")
_TYPES = {"article": "Journal", "proceedings": "Proceedings", "data": "Dataset"}


def parse(record: bytes, line: int) -> DocumentRecord:
    """Return the document of a publication.

    :raises RefusedRecord: not well-formed, no key, or no title.
    """
    element = parsed(record, line)
    title = text_of(element.find("title"))
    links = [text_of(link) for link in element.findall("ee")]
    first, last = papers.pages(text_of(element.find("pages")))
    preprint = element.get("publtype") == "informal" or element.get("key", "").startswith("journals/corr/")
    doc_type = "Preprint" if preprint else _TYPES.get(element.tag) or papers.doc_type(element.tag)
    return papers.paper(
        line=line,
        name=element.get("key"),
        title=title.removesuffix(".") if not title.endswith("..") else title,
        abstract=None,
        facts={
            "authors": [_author(person) for person in element.findall("author") or element.findall("editor")],
            "year": papers.year(text_of(element.find("year"))),
            "venue": papers.venue(next(filter(None, (text_of(element.find(name)) for name in _VENUES)), None)),
            "publisher": text_of(element.find("publisher")),
            "doc_type": doc_type,
            "doi": next((papers.doi(link) for link in links if "doi.org/" in link), None),
            "url": next(iter(links), None),
            "volume": text_of(element.find("volume")),
            "issue": text_of(element.find("number")),
            "page_start": first,
            "page_end": last,
            "references": [text for cite in element.findall("cite") if (text := text_of(cite)) not in ("", "...")],
        },
    )


def _author(author: ET.Element) -> dict[str, str]:
    parts = {"name": text_of(author), "orcid": author.get("orcid")}
    return {key: part for key, part in parts.items() if part}


def _split(head: Head) -> Splitter | None:
    return layout(head, root="dblp", names=_PUBLICATIONS, skipped=_OTHERS)


FORMAT = CorpusFormat(
    name="dblp-xml",
    title="dblp.xml, without abstracts",
    extensions=(".xml",),
    recognised="dblp as the document type or the first element, or one of its records",
    fields={
        "key": "docno, required",
        "title": "title without the point at its end, required",
        "author, else editor": "authors: name, orcid",
        "year, publisher, volume, number": "year, publisher, volume, issue",
        "journal, else booktitle, school, series": "venue.raw",
        "pages": "page_start, page_end",
        "ee": "url: the first; doi: the first of doi.org",
        "cite": "references",
        "the element": "doc_type: Journal, Conference, BookChapter, Book, Thesis, …; Preprint for CoRR",
        "www, person": "skipped: home pages of authors",
        "all others": "not kept",
    },
    example="corpus/dblp.xml",
    layout=_split,
    sniff=lambda head: _split(head) is not None,
    parse=parse,
    texts=("title",),
)
