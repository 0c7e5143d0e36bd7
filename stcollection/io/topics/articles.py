"""Read press articles: text and HTML files named after their topic, and JSON lines."""

from __future__ import annotations

import codecs
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from stcollection.errors import BadArgument, BadInput
from stcollection.io.corpus.documents import storable
from stcollection.io.files import bad_line, clip, pieces, read_text
from stcollection.io.records import ArticleRecord
from stcollection.io.topics.records import records
from stcollection.io.topics.simpletext import read_date
from stcollection.io.topics.webpage import declared_encoding, read_page

_MOST = 2**24  # maximum bytes of a text or HTML file
_MOST_JSON = 2**28
_PLAIN, _WEB, _JSON = (".txt", ".text"), (".html", ".htm", ".xhtml"), (".jsonl", ".json", ".ndjson")
_MARKDOWN = (".md", ".markdown")
_PREFIX = re.compile(r"(topic|article)[-_ ]?(?=.)", re.IGNORECASE)
_NOT_ARTICLES = re.compile(r"readme|licen[cs]e|changelog|citation|requirements", re.IGNORECASE)
_TOPIC = ("topic_id", "topic", "id", "_id")
_TEXT = ("article", "topic_article", "topic_text", "text", "body", "content")
_OTHERS = {
    "title": ("title", "topic_title", "headline"),
    "url": ("url", "topic_url"),
    "source": ("source", "topic_source", "publisher", "site"),
    "published": ("published", "date", "topic_date"),
}


def read_articles(paths: Sequence[Path], *, encoding: str | None = None) -> tuple[list[ArticleRecord], list[Path]]:
    """Return the articles of files and folders, and the files of the folders that are not articles.

    A text, Markdown or HTML file contains one article and is named after its topic: ``G01.txt``. Folders below a folder
    are not read.

    :param encoding: encoding of text and HTML files. None means UTF-8; HTML files that are not UTF-8 may declare another one.
    :raises BadInput: a file is not in its encoding, or without text; a folder without articles; two articles of a topic.
    :raises BadArgument: unknown encoding.
    """
    if encoding is not None:
        _check_encoding(encoding)
    articles: list[ArticleRecord] = []
    others: list[Path] = []
    for path in paths:
        if not path.is_dir():
            articles += _of_file(path, encoding)
            continue
        files = sorted(file for file in path.iterdir() if file.is_file() and not file.name.startswith("."))
        article_files = [file for file in files if _is_article(file)]
        if not article_files:
            raise BadInput(f"{path}: contains no article", hint="Name text and HTML files after their topic: G01.txt, G02.html.")
        others += [file for file in files if file not in article_files]
        for file in article_files:
            articles += _of_file(file, encoding)
    return drop_repeats(articles), others


def article_topic(path: Path, topics: Collection[str]) -> str | None:
    """Return the topic, of several, that a file is named after: ``G01.txt``, or ``topicG01.md``; None if it is no article."""
    return _named_after(path.stem, topics) if _is_article(path) else None


def _is_article(path: Path) -> bool:
    return path.suffix.lower() in (*_PLAIN, *_MARKDOWN, *_WEB) and not _NOT_ARTICLES.match(path.stem)


def _named_after(name: str, topics: Collection[str]) -> str | None:
    return next((topic for topic in (name, _PREFIX.sub("", name, count=1)) if topic in topics), None)


def name_after_topics(articles: Sequence[ArticleRecord], topics: Collection[str]) -> list[ArticleRecord]:
    """Return articles with the names of these topics; one of another topic is unchanged.

    :raises BadInput: two articles of a topic.
    """
    return drop_repeats([replace(article, topic=_named_after(article.topic, topics) or article.topic) for article in articles])


def _check_encoding(encoding: str) -> None:
    try:
        known = "Aé".encode(encoding)
    except (LookupError, UnicodeEncodeError):
        known = b""
    if not known.startswith(b"A") or known.startswith(b"A\0"):
        raise BadArgument(
            f"{encoding!r} is not an encoding that can be read",
            hint="Use a name such as latin-1, cp1252 or iso-8859-15. Convert UTF-16 with iconv.",
        )


def _of_file(path: Path, encoding: str | None) -> Iterator[ArticleRecord]:
    kind = path.suffix.lower()
    if kind in _JSON or str(path) == "-":
        yield from _json(path)
    elif kind in _WEB:
        page = read_page(_text(path, encoding, declared=True))
        yield _article(path, page.text, {"title": page.title, "url": page.url, "source": page.source, "published": page.published})
    elif kind in _MARKDOWN:
        title, text = _headed(_text(path, encoding))
        yield _article(path, text, {"title": title})
    elif kind in _PLAIN:
        yield _article(path, _text(path, encoding), {})
    else:
        raise BadInput(
            f"{path}: not an article file",
            hint=f"Use {', '.join((*_PLAIN[:1], *_MARKDOWN[:1], *_WEB[:1], *_JSON[:1]))}. 'stc load --as topics' reads CSV.",
        )


def _headed(text: str) -> tuple[str | None, str]:
    """Return the heading of a text in Markdown, if it begins with one, and the text after it."""
    first, _, rest = text.strip().partition("\n")
    return (first.lstrip("#").strip() or None, rest) if first.startswith("#") and rest.strip() else (None, text)


def _text(path: Path, encoding: str | None, *, declared: bool = False) -> str:
    try:
        return read_text(path, most=_MOST, encoding=encoding or "utf-8")
    except BadInput as error:
        if error.sqlstate != "IR303" or ": not " not in error.message:
            raise
        other = declared_encoding(b"".join(pieces(path))) if declared and encoding is None else None
        if other is not None and _known(other):
            return read_text(path, most=_MOST, encoding=other)
        error.hint = "Name the encoding of the files, for example --encoding latin-1. Nothing was stored."
        raise


def _known(encoding: str) -> bool:
    try:
        return codecs.lookup(encoding).name != "utf-8"
    except LookupError:
        return False


def _article(path: Path, text: str, others: Mapping[str, Any]) -> ArticleRecord:
    text = storable(text).strip()
    if not any(map(str.isalnum, text)):
        raise BadInput(f"{path}: an article without text", hint="Add the text or remove the file. Nothing was stored.")
    return ArticleRecord(place=str(path), topic=path.stem, text=text, **others)


def _json(path: Path) -> Iterator[ArticleRecord]:
    for line, record in records(path, read_text(path, most=_MOST_JSON)):
        values = {name: storable(str(value)).strip() for name, value in record.items() if isinstance(value, str | int)}
        topic, text = _first(values, _TOPIC), _first(values, _TEXT)
        if topic is None:
            raise bad_line(path, line, "an article without topic", hint=f"Add the field {_TOPIC[0]}. Nothing was stored.")
        if text is None or not any(map(str.isalnum, text)):
            raise bad_line(
                path, line, f"the article of topic {clip(topic)} has no text", hint=f"Add the field {_TEXT[0]}. Nothing was stored."
            )
        others: dict[str, Any] = {name: _first(values, names) for name, names in _OTHERS.items()}
        others["published"] = read_date(path, line, others["published"])
        yield ArticleRecord(place=f"{path}:{line}", topic=topic, text=text, **others)


def _first(values: Mapping[str, str], names: Sequence[str]) -> str | None:
    return next((values[name] for name in names if values.get(name)), None)


def drop_repeats(articles: Sequence[ArticleRecord]) -> list[ArticleRecord]:
    """Return one article per topic; the track's JSON repeats it for each query."""
    by_topic: dict[str, ArticleRecord] = {}
    for article in articles:
        other = by_topic.setdefault(article.topic, article)
        if other is not article and (other.text, other.title) != (article.text, article.title):
            raise BadInput(
                f"{article.place}: topic {article.topic} has another article in {other.place}",
                hint="Keep one of the two. Nothing was stored.",
                sqlstate="IR302",
            )
    return list(by_topic.values())
