"""Read PubMed's XML (https://www.nlm.nih.gov/bsd/licensee/elements_descriptions.html): PubmedArticleSet."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

from stcollection.io.corpus import papers
from stcollection.io.corpus.documents import DocumentRecord, RefusedRecord
from stcollection.io.corpus.head import Head
from stcollection.io.corpus.split import Splitter
from stcollection.io.corpus.xmlrecords import layout, parsed, text_of
from stcollection.io.formats import CorpusFormat

_MONTHS = {
    "jan": 1, "feb": 2, "mar": 3, "apr": 4, "may": 5, "jun": 6, "jul": 7, "aug": 8, "sep": 9, "oct": 10, "nov": 11, "dec": 12,
}  # fmt: skip
# Licences of Creative Commons in statements of copyright: as an address, as an abbreviation, in words.
_COMMONS = re.compile(
    r"creativecommons\.org/licenses/([a-z-]+)|\bCC[ -]?(BY(?:[ -](?:NC|ND|SA))*|0)\b|creative commons (attribution[a-z -]*)",
    re.IGNORECASE,
)
_WORDS = {"attribution": "by", "noncommercial": "nc", "noderiv": "nd", "sharealike": "sa"}


def parse(record: bytes, line: int) -> DocumentRecord:
    """Return the document of a PubmedArticle or PubmedBookArticle.

    :raises RefusedRecord: not well-formed, no PMID, or neither title nor abstract.
    """
    element = parsed(record, line)
    citation = element.find("MedlineCitation")
    citation = element.find("BookDocument") if citation is None else citation
    if citation is None:
        raise RefusedRecord("it has no MedlineCitation and no BookDocument")
    pmid = text_of(citation.find("PMID"))
    article = citation.find("Article")
    article = citation if article is None else article
    title = text_of(article.find("ArticleTitle")) or text_of(article.find("VernacularTitle"))
    return papers.paper(
        line=line,
        name=pmid,
        title=title,
        abstract=_abstract(article),
        facts=_facts(element, citation, article) | _venue(citation, article) | _rights(article),
    )


def _facts(element: ET.Element, citation: ET.Element, article: ET.Element) -> dict[str, object]:
    data = element.find("PubmedData")
    data = element.find("PubmedBookData") if data is None else data
    data = ET.Element("none") if data is None else data
    day = _date(article)
    dois = [
        *(text_of(node) for node in article.findall("ELocationID") if node.get("EIdType") == "doi"),
        *(text_of(node) for node in data.findall("ArticleIdList/ArticleId") if node.get("IdType") == "doi"),
    ]
    cited = (
        text_of(node) for node in data.findall(".//Reference/ArticleIdList/ArticleId") if node.get("IdType") in ("pubmed", "pmid")
    )
    types = [text_of(node) for node in article.findall("PublicationTypeList/PublicationType")]
    topics = [text_of(node) for node in citation.findall("MeshHeadingList/MeshHeading/DescriptorName")]
    return {
        "authors": [author for node in article.findall("AuthorList/Author") if (author := _author(node))],
        "year": papers.year(day),
        "date": papers.date(day),
        "doc_type": papers.doc_type("Journal Article" if "Journal Article" in types else types[0] if types else None),
        "doi": papers.doi(next(filter(None, dois), None)),
        "lang": text_of(article.find("Language")),
        "references": list(dict.fromkeys(int(ref) if ref.isascii() and ref.isdigit() else ref for ref in cited if ref)),
        "fos": list(dict.fromkeys(topics)),
        "keywords": [text_of(node) for node in citation.findall("KeywordList/Keyword")],
    }


def _author(author: ET.Element) -> dict[str, str]:
    names = [text_of(author.find(name)) for name in ("ForeName", "LastName", "Suffix")]
    parts = {
        "name": " ".join(filter(None, names)) or text_of(author.find("CollectiveName")),
        "org": text_of(author.find("AffiliationInfo/Affiliation")),
    }
    return {key: part for key, part in parts.items() if part} if parts["name"] else {}


def _abstract(article: ET.Element) -> str:
    """Return the abstract; each labelled part is a line that begins with its label."""
    parts = []
    for part in article.findall("Abstract/AbstractText"):
        label, text = part.get("Label"), text_of(part)
        parts.append(f"{label}: {text}" if label and text else text)
    return "\n".join(filter(None, parts))


def _date(article: ET.Element) -> str | None:
    """Return the day of electronic publication, else of the issue, as YYYY-MM-DD, or only its year if it has no day."""
    years = []
    for place in ("ArticleDate", "Journal/JournalIssue/PubDate", "Book/PubDate", "ContributionDate"):
        node = article.find(place)
        if node is None:
            continue
        year, month, day = (text_of(node.find(name)) for name in ("Year", "Month", "Day"))
        years.append(year or text_of(node.find("MedlineDate")))
        number = _MONTHS.get(month[:3].lower()) or papers.whole(month)
        if year and number and day.isdigit():
            return f"{year}-{number:02}-{day:0>2}"
    return next(filter(None, years), None)


def _venue(citation: ET.Element, article: ET.Element) -> dict[str, object]:
    issue = article.find("Journal/JournalIssue")
    first, last = papers.pages(text_of(article.find("Pagination/MedlinePgn")))
    return {
        "venue": papers.venue(
            text_of(article.find("Journal/Title"))
            or text_of(citation.find("MedlineJournalInfo/MedlineTA"))
            or text_of(article.find("Book/BookTitle"))
        ),
        "publisher": text_of(article.find("Book/Publisher/PublisherName")),
        "volume": "" if issue is None else text_of(issue.find("Volume")),
        "issue": "" if issue is None else text_of(issue.find("Issue")),
        "page_start": first,
        "page_end": last,
    }


def _rights(article: ET.Element) -> dict[str, object]:
    """Return the statement of copyright, and the licence: the one of Creative Commons that it names, else ``copyright``."""
    statement = text_of(article.find("Abstract/CopyrightInformation"))
    return {"copyright": statement, "license": _licence(statement)} if statement else {}


def _licence(statement: str) -> str:
    match = _COMMONS.search(statement)
    if match is None:
        return "public-domain" if "public domain" in statement.lower() else "copyright"
    if match[1] or match[2]:
        return "cc-" + (match[1] or match[2]).lower().replace(" ", "-").strip("-")
    words = re.sub(r"(non|no|share)[ -]", r"\1", match[3].lower())
    return "-".join(["cc", *(short for word, short in _WORDS.items() if word in words)])


def _split(head: Head) -> Splitter | None:
    return layout(head, root="PubmedArticleSet", names=("PubmedArticle", "PubmedBookArticle"))


FORMAT = CorpusFormat(
    name="pubmed",
    title="PubMed, XML",
    extensions=(".xml",),
    recognised="PubmedArticleSet or PubmedArticle, as the document type or the first element",
    fields={
        "PMID": "docno, required",
        "ArticleTitle, else VernacularTitle": "title; title or abstract is required",
        "AbstractText": "abstract; each labelled part is a line",
        "AuthorList": "authors: name, first affiliation",
        "ArticleDate, else PubDate": "year, date",
        "Journal, Pagination": "venue.raw, volume, issue, page_start, page_end",
        "PublicationType": "doc_type: Journal if it is one of them, else the first",
        "ELocationID or ArticleId doi": "doi",
        "Language": "lang",
        "ReferenceList": "references with a PMID",
        "MeshHeadingList, KeywordList": "fos, keywords",
        "CopyrightInformation": "copyright; license: that of Creative Commons named in it, else copyright",
        "all others": "not kept; DeleteCitation is ignored",
    },
    example="corpus/pubmed.xml",
    layout=_split,
    sniff=lambda head: _split(head) is not None,
    parse=parse,
)
