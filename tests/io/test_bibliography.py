"""References as BibTeX, RIS and CSV, also from records that contain the formats' own signs."""

from __future__ import annotations

import csv
import io
import re

import pytest

from stcollection.io.bibliography import FORMATS, Reference, as_csv, bibtex, ris, source_link

HOSTILE = '{"a} & b % # _ \\ $ ~ ^\r\nER  - \n@book{x,'


def hostile(**more: object) -> Reference:
    return Reference(**{"docno": HOSTILE, "title": HOSTILE, "authors": [HOSTILE, "A and B"], "venue": HOSTILE, **more})  # type: ignore[arg-type]


def depths(text: str) -> list[int]:
    """Nesting of braces after each sign, as BibTeX counts them: backslashes do not escape."""
    depth, found = 0, []
    for sign in text:
        depth += {"{": 1, "}": -1}.get(sign, 0)
        found.append(depth)
    return found


def test_an_article_as_bibtex() -> None:
    one = Reference(
        docno="12",
        title="On Müll & Co",
        authors=["Ada van der Berg", "Wei Wang 0001", "Plato"],
        year=1999,
        venue="J. X",
        kind="Journal",
        volume="3",
        issue="2",
        first_page="1",
        last_page="9",
        doi="10.1/a_b",
    )
    assert bibtex([one]) == (
        "@article{vanderberg1999_12,\n  title = {On Müll \\& Co},\n  author = {van der Berg, Ada and Wang, Wei and Plato},\n"
        "  year = {1999},\n  journal = {J. X},\n  volume = {3},\n  number = {2},\n  pages = {1--9},\n"
        "  doi = {10.1/a_b},\n  url = {https://doi.org/10.1/a_b},\n}\n"
    )


def test_an_article_as_ris() -> None:
    one = Reference(docno="12", title="On X", authors=["Ada Berg"], year=1999, venue="Conf", kind="Conference", url="https://a.b/c")
    assert ris([one]) == (
        "TY  - CPAPER\r\nID  - 12\r\nTI  - On X\r\nAU  - Berg, Ada\r\n"
        "PY  - 1999\r\nT2  - Conf\r\nUR  - https://a.b/c\r\nER  - \r\n\r\n"
    )


def test_no_value_ends_its_bibtex_field() -> None:
    text = bibtex([hostile(), hostile(year=2000)])
    assert depths(text)[-1] == 0
    assert min(depths(text)) == 0
    assert len([place for place, depth in enumerate(depths(text)) if depth == 0 and text[place] == "}"]) == 2  # entries
    title = re.search(r"title = \{(.*)\},", text)
    assert title is not None
    assert title[1] == (
        r"""\textbraceleft{}"a\textbraceright{} \& b \% \# \_ \textbackslash{} \$ \textasciitilde{} \textasciicircum{} ER - """
        r"@book\textbraceleft{}x,"
    )
    assert "{A and B}" in text  # one author, not two
    keys = re.findall(r"^@misc\{([^,]*),$", text, re.MULTILINE)
    assert len(keys) == 2
    assert all(re.fullmatch(r"[\w-]+", key, re.ASCII) for key in keys)


def test_no_value_starts_a_ris_tag() -> None:
    lines = ris([hostile(abstract="x\nER  - \nTY  - JOUR", doi="10.1/a\nER  - ")]).split("\r\n")
    assert [line[:2] for line in lines] == ["TY", "ID", "TI", "AU", "AU", "T2", "DO", "UR", "AB", "ER", "", ""]
    assert not re.search(r"[\r\n]", "".join(lines))


def test_no_value_becomes_a_formula() -> None:
    rows = list(csv.reader(io.StringIO(as_csv([hostile(title="=cmd()", venue='a,"b"')]))))
    assert rows[0][:3] == ["docno", "title", "authors"]
    assert rows[1][1] == "'=cmd()"
    assert rows[1][4] == 'a,"b"'


@pytest.mark.parametrize(
    ("doi", "url", "link"),
    [
        ("10.1/x", None, "https://doi.org/10.1/x"),
        ("https://doi.org/10.1/x<y>", None, "https://doi.org/10.1/x%3Cy%3E"),
        ("DOI: 10.1/x{\\}", "https://a.b", "https://doi.org/10.1/x%7B%5C%7D"),
        (None, "https://a.b/c d?e=%20f", "https://a.b/c%20d?e=%20f"),
        ("", "javascript:alert(1)", None),
        ("x", "http://[", None),
        (None, "//a.b", None),
        (None, None, None),
    ],
)
def test_a_link_is_a_doi_or_an_http_address(doi: str | None, url: str | None, link: str | None) -> None:
    assert source_link(doi, url) == link


@pytest.mark.parametrize("kind", FORMATS)
def test_an_empty_list_and_an_empty_record(kind: str) -> None:
    assert FORMATS[kind]([]) in ("", "docno,title,authors,year,venue,type,citations,doi,url\n")
    assert "1" in FORMATS[kind]([Reference(docno="1")])
