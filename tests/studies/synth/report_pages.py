"""Test reports: a hostile text, a small report, and a parser that checks the contents of a page."""

from __future__ import annotations

from html.parser import HTMLParser

HOSTILE = '<script>alert("x")</script> | `code` | [a](javascript:b) *b* &amp; $x$ \u202e \\'
HOSTILE_NAME = HOSTILE.replace("\u202e ", "")  # names in the collection do not allow this character
SVG = b'<svg xmlns="http://www.w3.org/2000/svg" width="10pt" viewBox="0 0 10 10"><path d="M 0 0"/></svg>'
VOID = {"meta", "br", "img", "hr", "link", "input"}


class Page(HTMLParser):
    """Checks that tags are balanced, and collects everything that the page would fetch or run, and duplicate ids."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.seen: list[str] = []
        self.outside: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.text = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)
        if tag not in VOID:
            self.open.append(tag)
        for name, value in attrs:
            if name in ("src", "href", "xlink:href", "srcset", "data", "action") and not (value or "").startswith("#"):
                self.outside.append(f"{tag} {name} {value}")
            elif name in ("href", "xlink:href"):
                self.links.append((value or "")[1:])
            if name == "id":
                self.ids.append(value or "")
            assert not name.startswith("on"), (tag, name)

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def checked(text: str) -> Page:
    page = Page(text)
    assert page.open == []
    assert page.outside == []
    assert "script" not in page.seen
    assert len(page.ids) == len(set(page.ids))
    assert set(page.links) <= set(page.ids)
    assert "url(http" not in text.replace(" ", "")
    return page
