"""Store and show the press articles that topics come from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated

import psycopg

from stcollection.cells import HtmlFields
from stcollection.db.rows import records
from stcollection.declared import INTERNAL, Option
from stcollection.errors import UnknownObject, translate
from stcollection.io.topics.articles import name_after_topics, read_articles
from stcollection.topics.load import STORE_TOPICS, call_loader


@dataclass(frozen=True, kw_only=True)
class LoadedArticles(HtmlFields):
    """Counts of a load of articles.

    :param added: topics that received an article, or that were added with it. :param changed: other topics that changed.
    :param ignored: files of the folders that are not text or HTML.
    """

    articles: int
    added: int
    changed: int
    ignored: tuple[str, ...] = ()

    @property
    def unchanged(self) -> int:
        return self.articles - self.added - self.changed


@dataclass(frozen=True, kw_only=True)
class TopicOverview:
    """A topic. :param words: number of words of its article; 0 without one. :param queries: number of its queries with a text.

    :param example: text of the first query by name; None without one.
    """

    topic: str
    title: str | None
    source: str | None
    published: date | None
    words: int
    queries: int
    example: str | None


@dataclass(frozen=True, kw_only=True)
class TopicSource:
    """Queries of one source. :param type: short or long. :param topics: topics with one. :param example: the first by name."""

    source: str | None
    type: str
    topics: int
    queries: int
    example: str


@dataclass(frozen=True, kw_only=True)
class TopicArticle:
    """A topic with its article, as assessors see it.

    :param title: title of the article, or text of the topic. :param origin: source, date and URL, separated by commas.
    :param article: full text, or text of the topic; None without one. :param queries: names and texts of its queries.
    """

    topic: str
    title: str | None
    origin: str | None
    article: str | None
    queries: list[tuple[str, str]]


@translate()
def load_articles(
    conn: psycopg.Connection,
    paths: Annotated[Sequence[Path], INTERNAL],
    *,
    encoding: Annotated[str | None, Option(metavar="NAME", default="utf-8; HTML files may declare another")] = None,
    add: bool = False,
    replace: bool = False,
) -> LoadedArticles:
    """Store the articles of topics, all or none; loading the same files again changes nothing.

    A file may be named after its topic with a prefix: topicG01.md.

    :param encoding: Encoding of text and HTML files, such as latin-1.
    :param add: Add topics that are not stored; otherwise they are an error.
    :param replace: Replace stored articles that differ; otherwise that is an error.
    :raises BadInput: an invalid file, an article without text, or a topic with another stored article.
    :raises UnknownObject: a topic is not stored.
    """
    articles, ignored = read_articles(paths, encoding=encoding)
    with conn.transaction():
        before: dict[str, bool] = dict(conn.execute("SELECT topic, article IS NOT NULL FROM st1_topics").fetchall())
        articles = name_after_topics(articles, before)
        unknown = [article for article in articles if article.topic not in before]
        if unknown and not add:
            close = get_close_matches(unknown[0].topic, before, n=1)
            meant = f"Did you mean {close[0]}? " if close else ""
            others = f", and {len(unknown) - 1:,} more are not stored" if len(unknown) > 1 else ""
            raise UnknownObject(
                f"{unknown[0].place}: there is no topic {unknown[0].topic}{others}",
                hint=f"{meant}Load topics first with 'stc load --as topics', or use --add. Nothing was stored.",
                sqlstate="IR109",
            )
        rows = [(row.topic, None, row.url, None, row.title, row.text, row.source, row.published, row.place) for row in articles]
        added, changed = call_loader(conn, STORE_TOPICS, rows, [replace])
    lacking = sum(not before[article.topic] for article in articles if article.topic in before)
    return LoadedArticles(
        articles=len(articles), added=added + lacking, changed=changed - lacking, ignored=tuple(file.name for file in ignored)
    )


def topics_with_article(conn: psycopg.Connection) -> list[tuple[str, str]]:
    """Return the topics that have an article, with its title, by name."""
    return [(row.topic, row.title or "") for row in topic_overview(conn) if row.words]


@translate()
def topic_overview(conn: psycopg.Connection) -> list[TopicOverview]:
    """Return the topics with the sizes of their articles (sql/topics/topic_overview.sql)."""
    return records(conn, TopicOverview, "SELECT * FROM stc.topic_overview()")


@translate()
def topic_sources(conn: psycopg.Connection) -> list[TopicSource]:
    """Return the numbers of topics and queries by source (sql/topics/topic_sources.sql)."""
    return records(conn, TopicSource, "SELECT * FROM stc.topic_sources()")


@translate()
def topic_article(conn: psycopg.Connection, topic: Annotated[str, Option("TOPIC")]) -> TopicArticle:
    """Return a topic with its article (sql/topics/topic_article.sql).

    :raises UnknownObject: the topic is not stored.
    """
    [row] = records(conn, TopicArticle, "SELECT * FROM stc.topic_article(%s)", [topic])
    return row
