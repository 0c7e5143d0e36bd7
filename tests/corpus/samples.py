"""Samples of bibliographic layouts: records made by a generator, and the documents that they must become."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple
from xml.sax.saxutils import escape, quoteattr

_TEXT = (
    "voice assistant home family privacy speaker query ranking judgment corpus naïve façade Straße 東京 data graph learning model"
    " user study survey network retrieval evaluation measure topic language text system search engine"
)
_WORDS = _TEXT.split()
_NAMES = ("Ann Ames", "Bo Bär", "Cy Çelik", "Di van Dam", "Eve O'Neil", "Fu 李")
_VENUES = ("CHI", "SIGIR", "Journal of Homes", "VLDB")
_LICENCES = ("cc-by", "cc-by-nc", "cc0", None)


class Paper(NamedTuple):
    """A paper, whatever the layout. :param number: from 1. :param licence: as the column licence has it."""

    number: int
    title: str
    abstract: str
    authors: list[str]
    year: int
    day: str
    venue: str
    citations: int
    references: list[int]
    licence: str | None

    @property
    def doi(self) -> str:
        return f"10.1000/p.{self.number}"


def made(count: int, *, seed: int = 1) -> Iterator[Paper]:
    """Yield papers; the same seed always gives the same."""
    draw = random.Random(seed)

    def words(least: int, most: int) -> str:
        return " ".join(draw.choice(_WORDS) for _ in range(draw.randint(least, most)))

    for number in range(1, count + 1):
        year, month, day = draw.randint(1980, 2024), draw.randint(1, 12), draw.randint(1, 28)
        yield Paper(
            number=number,
            title=f"{words(3, 9)} {number}",
            abstract=f"{words(20, 150)}.",
            authors=draw.sample(_NAMES, draw.randint(1, 4)),
            year=year,
            day=f"{year}-{month:02}-{day:02}",
            venue=draw.choice(_VENUES),
            citations=draw.randint(0, 500),
            references=sorted(draw.sample(range(1, count + 1), min(count, draw.randint(0, 20)))),
            licence=draw.choice(_LICENCES),
        )


def inverted(text: str) -> dict[str, list[int]]:
    """Return the positions of each word of a text."""
    index: dict[str, list[int]] = {}
    for position, word in enumerate(text.split()):
        index.setdefault(word, []).append(position)
    return index


def _lines(records: Iterator[dict[str, Any]]) -> str:
    return "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in records)


def openalex(papers: list[Paper], *, more: bool = False) -> str:
    """Return the papers as works of OpenAlex. :param more: with further objects, so that a record has 6 kB."""
    return _lines(_work(one, more) for one in papers)


def _work(one: Paper, more: bool) -> dict[str, Any]:
    place = {
        "is_oa": one.licence is not None,
        "landing_page_url": f"https://doi.org/{one.doi}",
        "license": one.licence if one.number % 2 else None,
        "source": {"id": "https://openalex.org/S1", "display_name": one.venue, "type": "journal"},
    }
    work: dict[str, Any] = {
        "id": f"https://openalex.org/W{one.number}",
        "doi": f"https://doi.org/{one.doi}",
        "title": one.title,
        "display_name": one.title,
        "publication_year": one.year,
        "publication_date": one.day,
        "language": "en",
        "type": "article",
        "primary_location": place,
        "best_oa_location": {**place, "license": one.licence} if one.licence else None,
        "authorships": [
            {
                "author_position": "first",
                "author": {"id": f"https://openalex.org/A{_NAMES.index(name)}", "display_name": name, "orcid": None},
                "institutions": [{"id": "https://openalex.org/I1", "display_name": "University of Utopia", "country_code": "UT"}],
                "raw_affiliation_strings": ["Department of Homes, University of Utopia"],
            }
            for name in one.authors
        ],
        "cited_by_count": one.citations,
        "biblio": {"volume": "7", "issue": "2", "first_page": "1", "last_page": "9"},
        "topics": [{"id": "https://openalex.org/T1", "display_name": "Voice interfaces", "score": 0.5}],
        "referenced_works": [f"https://openalex.org/W{cited}" for cited in one.references],
        "abstract_inverted_index": inverted(one.abstract),
    }
    if more:
        work["concepts"] = [
            {
                "id": f"https://openalex.org/C{at}",
                "wikidata": f"https://www.wikidata.org/wiki/Q{at}",
                "display_name": word,
                "score": 0.1,
            }
            for at, word in enumerate(_WORDS[:20])
        ]
        work["locations"] = [place, place]
        work["related_works"] = [f"https://openalex.org/W{at}" for at in range(10)]
        work["counts_by_year"] = [{"year": year, "cited_by_count": 3} for year in range(2012, 2025)]
        work["ids"] = {"openalex": work["id"], "doi": work["doi"], "mag": str(one.number)}
    return work


def semanticscholar(papers: list[Paper]) -> str:
    """Return the papers as Semantic Scholar's data set papers."""
    return _lines(
        {
            "corpusid": one.number,
            "externalids": {"DOI": one.doi, "MAG": None, "DBLP": None},
            "url": f"https://www.semanticscholar.org/paper/{one.number:x}",
            "title": one.title,
            "authors": [{"authorId": str(_NAMES.index(name)), "name": name} for name in one.authors],
            "venue": one.venue,
            "year": one.year,
            "referencecount": len(one.references),
            "citationcount": one.citations,
            "s2fieldsofstudy": [{"category": "Computer Science", "source": "external"}] * 2,
            "publicationtypes": ["Review", "JournalArticle"],
            "publicationdate": one.day,
            "journal": {"name": "another name", "volume": "7", "pages": "1-9"},
        }
        for one in papers
    )


def abstracts(papers: list[Paper]) -> str:
    """Return the abstracts of the papers as Semantic Scholar's data set abstracts."""
    spelled = {"cc-by": "CCBY", "cc-by-nc": "CCBYNC", "cc0": "CC0", None: None}
    return _lines(
        {"corpusid": one.number, "openaccessinfo": {"license": spelled[one.licence], "status": "GREEN"}, "abstract": one.abstract}
        for one in papers
    )


def arxiv(papers: list[Paper]) -> str:
    """Return the papers as arXiv's metadata."""
    address = {
        "cc-by": "http://creativecommons.org/licenses/by/4.0/",
        "cc-by-nc": "http://creativecommons.org/licenses/by-nc/4.0/",
        "cc0": "http://creativecommons.org/publicdomain/zero/1.0/",
        None: None,
    }
    return _lines(
        {
            "id": f"{one.number // 100000:04}.{one.number:05}",
            "submitter": one.authors[0],
            "authors": ", ".join(one.authors),
            "title": one.title.replace(" ", "\n  ", 1),
            "journal-ref": one.venue,
            "doi": f"{one.doi} 10.1000/second",
            "categories": "cs.IR cs.HC",
            "license": address[one.licence],
            "abstract": "  " + one.abstract.replace(" ", "\n", 1) + "\n",
            "versions": [
                {"version": "v1", "created": f"Mon, {int(one.day[8:])} {_MONTHS[int(one.day[5:7])]} {one.year} 10:00:00 GMT"},
                {"version": "v2", "created": "Tue, 3 Jan 2040 10:00:00 GMT"},
            ],
            "update_date": "2041-01-01",
            "authors_parsed": [[name.partition(" ")[2], name.partition(" ")[0], ""] for name in one.authors],
        }
        for one in papers
    )


_MONTHS = ("", "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def s2orc(papers: list[Paper]) -> str:
    """Return the papers as the metadata of S2ORC up to 2020."""
    return _lines(
        {
            "paper_id": str(one.number),
            "title": one.title,
            "authors": [
                {"first": name.partition(" ")[0], "middle": [], "last": name.partition(" ")[2], "suffix": ""}
                for name in one.authors
            ],
            "abstract": one.abstract,
            "year": one.year,
            "doi": one.doi,
            "venue": None,
            "journal": one.venue,
            "outbound_citations": [str(cited) for cited in one.references],
            "inbound_citations": ["1"] * one.citations,
            "has_outbound_citations": bool(one.references),
        }
        for one in papers
    )


def s2orc_text(papers: list[Paper]) -> str:
    """Return the papers as Semantic Scholar's data set s2orc: a text with annotated title and abstract."""
    return _lines(
        {
            "corpusid": one.number,
            "externalids": {"doi": one.doi, "arxiv": None},
            "content": {
                "source": {"pdfurls": None, "oainfo": {"license": one.licence, "status": "GREEN"}},
                "text": f"{one.title}\n{one.abstract}\nIntroduction. The text of the body.",
                "annotations": {
                    "title": json.dumps([{"start": 0, "end": len(one.title)}]),
                    "abstract": json.dumps([{"start": len(one.title) + 1, "end": str(len(one.title) + 1 + len(one.abstract))}]),
                    "paragraph": None,
                },
            },
        }
        for one in papers
    )


def pubmed(papers: list[Paper]) -> str:
    """Return the papers as PubMed's XML."""
    rights = {
        "cc-by": "© The Authors. This work is under a Creative Commons Attribution 4.0 licence.",
        "cc-by-nc": "Copyright 2020, CC BY-NC.",
        "cc0": "CC0",
        None: "",
    }
    head = '<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE PubmedArticleSet SYSTEM "pubmed.dtd">\n<PubmedArticleSet>\n'
    return head + "".join(_article(one, rights[one.licence]) for one in papers) + "</PubmedArticleSet>\n"


def _article(one: Paper, rights: str) -> str:
    half = one.abstract.index(" ")
    authors = "".join(
        f"<Author><LastName>{escape(name.partition(' ')[2])}</LastName><ForeName>{name.partition(' ')[0]}</ForeName>"
        "<AffiliationInfo><Affiliation>University of Utopia</Affiliation></AffiliationInfo></Author>"
        for name in one.authors
    )
    cited = "".join(
        f'<Reference><ArticleIdList><ArticleId IdType="pubmed">{number}</ArticleId></ArticleIdList></Reference>'
        for number in one.references
    )
    return (
        f'<PubmedArticle><MedlineCitation Status="MEDLINE">\n<PMID Version="1">{one.number}</PMID><Article><Journal><JournalIssue>'
        f"<Volume>7</Volume><Issue>2</Issue><PubDate><Year>{one.year}</Year><Month>{_MONTHS[int(one.day[5:7])]}</Month>"
        f"<Day>{int(one.day[8:])}</Day></PubDate></JournalIssue><Title>{one.venue}</Title></Journal>\n"
        f"<ArticleTitle><b>{escape(one.title[:4])}</b>{escape(one.title[4:])}</ArticleTitle>"
        f'<Abstract><AbstractText Label="AIM">{escape(one.abstract[:half])}</AbstractText>'
        f"<AbstractText>{escape(one.abstract[half:])}</AbstractText>"
        f"{f'<CopyrightInformation>{rights}</CopyrightInformation>' if rights else ''}</Abstract>"
        f"<AuthorList>{authors}</AuthorList><Language>eng</Language><PublicationTypeList><PublicationType>Review</PublicationType>"
        "<PublicationType>Journal Article</PublicationType></PublicationTypeList></Article></MedlineCitation>\n<PubmedData>"
        f'<ArticleIdList><ArticleId IdType="doi">{one.doi}</ArticleId></ArticleIdList><ReferenceList>{cited}</ReferenceList>'
        "</PubmedData></PubmedArticle>\n"
    )


def dblp(papers: list[Paper]) -> str:
    """Return the papers as dblp.xml in ASCII: other characters are entities, with home pages between the papers."""
    head = '<?xml version="1.0" encoding="ISO-8859-1"?>\n<!DOCTYPE dblp SYSTEM "dblp.dtd">\n<dblp>\n'
    text = "".join(_record(one) for one in papers)
    return head + text.encode("ascii", "xmlcharrefreplace").decode().replace("&#239;", "&iuml;") + "</dblp>\n"


def _record(one: Paper) -> str:
    authors = "".join(f"<author>{escape(name)}</author>\n" for name in one.authors)
    cited = "".join(f"<cite>journals/x/{number}</cite>" for number in one.references) + "<cite>...</cite>"
    return (
        f'<article mdate="2024-01-01" key={quoteattr(f"journals/x/{one.number}")}>\n{authors}<title>{escape(one.title)}.</title>\n'
        f"<pages>1-9</pages><year>{one.year}</year><volume>7</volume><journal>{one.venue}</journal><number>2</number>"
        f"<ee>https://doi.org/{one.doi}</ee>{cited}\n</article>"
        f'<www mdate="2024-01-01" key="homepages/{one.number}"><author>Ann Ames</author><title>Home Page</title></www>\n'
    )


WRITERS: dict[str, Callable[[list[Paper]], str]] = {
    "openalex": openalex,
    "semanticscholar": semanticscholar,
    "semanticscholar-abstracts": abstracts,
    "arxiv": arxiv,
    "s2orc": s2orc,
    "s2orc-text": s2orc_text,
    "pubmed": pubmed,
    "dblp-xml": dblp,
}
