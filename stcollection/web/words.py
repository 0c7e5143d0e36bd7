"""The page's texts in the reader's language. The code has them in English, and ``messages/LANGUAGE.po`` translates them.

Studies of other packages have theirs in ``translations/LANGUAGE.po``; they cannot change the texts of the page.

A page is written in the language of its request, and a session goes on in the language of its page. A text without a translation
stays English. Values are put in after the translation, so that a reader's own text is never translated.
"""

from __future__ import annotations

import gettext
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from string import Formatter
from typing import Any, NamedTuple
from urllib.parse import parse_qs

from starlette.datastructures import Headers
from starlette.requests import cookie_parser
from starlette.types import ASGIApp, Receive, Scope, Send

from stcollection.plugins import studies
from stcollection.texts import MarkedText

LANGUAGES = {"en": "English", "de": "Deutsch", "fr": "Français"}
MESSAGES = Path(__file__).parent / "messages"
CHOICE = "stc_language"  # the cookie with the reader's choice, and the input with the language of a page
_ENGLISH = "en"
_THOUSANDS = "\u202f"  # a narrow space: a comma or a point would be read as the decimal sign of the other language
_current: ContextVar[str] = ContextVar("language", default=_ENGLISH)


def t(text: str, **values: object) -> str:
    """Return a text in the reader's language. :param values: for the placeholders of the text."""
    if isinstance(text, MarkedText):
        values, text = text.values, text.text
    spoken = language()
    if spoken == _ENGLISH:
        return text.format(**values) if values else text
    found = _catalog(spoken).texts.get(text, text)
    return _written(found, values) if values else found


def n(one: str, many: str, count: int, **values: object) -> str:
    """Return the text for a number, which is also the value ``count``. :param one: the text for 1. :param many: for others."""
    spoken, values = language(), {"count": count, **values}
    if spoken == _ENGLISH:
        return (one if count == 1 else many).format(**values)
    known = _catalog(spoken)
    forms = known.plurals.get(one)
    return _written((one if count == 1 else many) if forms is None else forms[known.form(count)], values)


def meant(text: str, sense: str) -> str:
    """Return a text with several meanings in the reader's language. :param sense: the meaning; translators read it."""
    return text if language() == _ENGLISH else _catalog(language()).texts.get(_in_sense(text, sense), text)


def is_known(text: str) -> bool:
    """Return True if :func:`t` returns the text in the reader's language."""
    return language() == _ENGLISH or (text.text if isinstance(text, MarkedText) else text) in _catalog(language()).texts


def woven(text: str, **parts: Any) -> list[Any]:
    """Return a text in the reader's language as a list, with elements in place of the placeholders."""
    made: list[Any] = []
    for before, name, _, _ in Formatter().parse(t(text)):
        made += [*([before] if before else []), *([] if name is None else [parts[name]])]
    return made


def whole(number: int) -> str:
    """Return an integer with a separator between groups of three digits."""
    return f"{number:,}" if language() == _ENGLISH else f"{number:,}".replace(",", _THOUSANDS)


def language() -> str:
    """Return the language of the request."""
    return _current.get()


def english() -> str | None:
    """Return the attribute ``lang`` of a text that is English on every page, such as an error; None on an English page."""
    return None if language() == _ENGLISH else _ENGLISH


@contextmanager
def speaking(name: str) -> Iterator[None]:
    """Write in a language. :param name: one of LANGUAGES."""
    token = _current.set(name)
    try:
        yield
    finally:
        _current.reset(token)


def wanted(scope: Scope) -> str:
    """Return the language of a request: of its address, else the reader's choice, else the best that the browser asks for."""
    headers = Headers(scope=scope)
    asked = parse_qs(scope.get("query_string", b"").decode("latin-1")).get("lang", [""])[-1]
    picked = cookie_parser(headers.get("cookie", "")).get(CHOICE, "")
    return next((one for one in (asked, picked, *_accepted(headers.get("accept-language", ""))) if one in LANGUAGES), _ENGLISH)


def _accepted(header: str) -> list[str]:
    """Return the languages of an Accept-Language header, the best first, without regions."""
    found: list[tuple[float, str]] = []
    for part in header.lower().split(","):
        name, _, quality = part.partition(";")
        try:
            weight = float(quality.strip().removeprefix("q=") or 1)
        except ValueError:
            continue
        if weight > 0:
            found.append((-weight, name.strip().partition("-")[0]))
    return [name for _, name in sorted(found, key=lambda one: one[0])]


class Spoken:
    """ASGI middleware that answers each request in its language."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        with speaking(wanted(scope)):
            await self._app(scope, receive, send)


class _Catalog(NamedTuple):
    """The translations of one language.

    :param plurals: by the text for 1. :param form: index of the plural form for a number.
    """

    texts: dict[str, str]
    plurals: dict[str, tuple[str, ...]]
    form: Callable[[int], int]


@cache
def _catalog(name: str) -> _Catalog:
    own = _read(MESSAGES / f"{name}.po", name)
    for study in studies():
        path = study.folder / "translations" / f"{name}.po"
        if path.exists():
            try:
                theirs = _read(path, name)
            except Exception as error:
                warnings.warn(f"{path} of the study {study.name} is left out: {error}", RuntimeWarning, stacklevel=2)
                continue
            forms = {one: known for one, known in theirs.plurals.items() if len(known) == len(next(iter(own.plurals.values())))}
            own = _Catalog(theirs.texts | own.texts, forms | own.plurals, own.form)
    return own


def _read(path: Path, name: str) -> _Catalog:
    """Read a message file. :raises Exception: it is not one."""
    from babel.messages.pofile import read_po

    with path.open("rb") as file:
        read = read_po(file, locale=name, abort_invalid=True)
    texts: dict[str, str] = {}
    plurals: dict[str, tuple[str, ...]] = {}
    for message in read:
        if isinstance(message.id, str) and message.id and message.string:
            texts[_in_sense(message.id, message.context)] = str(message.string)
        elif isinstance(message.id, tuple) and all(forms := tuple(message.string or ())):
            plurals[message.id[0]] = forms
    return _Catalog(texts, plurals, gettext.c2py(read.plural_expr))


class _Written(Formatter):
    """Formats as English does, except that a narrow space separates groups of digits."""

    def format_field(self, value: Any, format_spec: str) -> str:
        shown = str(super().format_field(value, format_spec))
        return shown.replace(",", _THOUSANDS) if "," in format_spec else shown


def _in_sense(text: str, sense: str | None) -> str:
    """Return the key of a text in the catalogue; gettext separates the meaning by the same character."""
    return f"{sense}\x04{text}" if sense else text


def _written(text: str, values: dict[str, object]) -> str:
    return _Written().vformat(text, (), values)
