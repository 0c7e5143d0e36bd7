"""Jinja2 templates of the server-rendered views. Each value is escaped, unless it is Markup made here."""

from __future__ import annotations

import re
from functools import cache
from html import unescape
from pathlib import Path

from jinja2 import ChoiceLoader, Environment, FileSystemLoader, PrefixLoader, StrictUndefined
from markupsafe import Markup, escape

from stcollection.explore import assets
from stcollection.explore.faults import error_text
from stcollection.explore.marks import MARKED
from stcollection.plugins import studies
from stcollection.web import words
from stcollection.web.words import english, meant, n, t, whole

_FOLDER = Path(__file__).parent
_PROCEEDINGS = re.compile(r"^proceedings of (the )?", re.IGNORECASE)
_SEPARATOR = re.compile(r"(?<=[-_./:+@,=])(?=\w)")


def render(name: str, **values: object) -> str:
    """Fill in a template. :param name: its path, such as ``search/page.html``, after the name of a study if it has one."""
    return _environment().get_template(name).render(values)


def marked(text: str | None) -> Markup:
    """Return a text with <mark> elements instead of U+E000 and U+E001."""
    pieces = MARKED.split(text or "")
    return Markup().join(Markup("<mark>{}</mark>").format(piece) if at % 2 else piece for at, piece in enumerate(pieces))


def decoded(text: str | None) -> str | None:
    """Return a text of the corpus with characters instead of HTML entities, which some sources contain."""
    return unescape(text) if text and "&" in text else text


def venue_name(text: str | None) -> str | None:
    """Return the name of a venue without 'Proceedings of the', with which too many begin. Its whole name is for the tooltip."""
    return _PROCEEDINGS.sub("", decoded(text) or "") or decoded(text)


def breakable(name: str) -> Markup:
    """Return a name that browsers may break after its separators."""
    return Markup("<wbr>").join(_SEPARATOR.split(name))


def woven(text: str, **parts: object) -> Markup:
    """Return a translated text whose placeholders are replaced by values, which may be Markup."""
    return Markup().join(escape(part) for part in words.woven(text, **parts))


def quoted(text: str) -> Markup:
    """Return a text as <q>."""
    return Markup("<q>{}</q>").format(text)


def code(text: str) -> Markup:
    """Return a text as <code>."""
    return Markup("<code>{}</code>").format(text)


@cache
def _environment() -> Environment:
    ours = PrefixLoader(
        {study.name: FileSystemLoader(study.folder / "page") for study in studies() if study.page or study.sections}
    )
    made = Environment(
        loader=ChoiceLoader([FileSystemLoader(_FOLDER), ours]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals |= {
        "t": t,
        "n": n,
        "meant": meant,
        "whole": whole,
        "woven": woven,
        "code": code,
        "english": english,
        "asset": assets.address,
        "error_text": error_text,
    }
    made.filters |= {"marked": marked, "decoded": decoded, "venue_name": venue_name, "breakable": breakable}
    return made
