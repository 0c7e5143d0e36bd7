"""SQLAlchemy models of the collection's published tables.

Each class names its table and its relationships. The columns are read from the database, so that they are those that the
migrations created::

    from sqlalchemy import select
    from stcollection.db.models import DocumentRow, open_session

    with open_session() as session:
        for document in session.scalars(select(DocumentRow).where(~DocumentRow.stub).limit(5)):
            print(document.docno, document.text.title)

Relationships are read only. Use the functions of the package to store runs and judgments, because they check names, compute ranks
and keep provenance.
"""

from __future__ import annotations

from typing import Any

import pgvector.sqlalchemy  # noqa: F401  registers the types of vectors
from sqlalchemy import Engine, ForeignKey, create_engine
from sqlalchemy.ext.declarative import DeferredReflection
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column, relationship
from sqlalchemy.pool import NullPool

from stcollection.db import sessions
from stcollection.db.connection import connect, conninfo
from stcollection.db.settings import Settings, read_settings

_INTERNAL = {"schema": "stc"}  # tables that the schema public has a view of, without keys


class CollectionRow(DeferredReflection, DeclarativeBase):
    """Base class of the models."""

    __abstract__ = True


def _one(of: str, **more: Any) -> Any:
    return relationship(of, uselist=False, viewonly=True, **more)


def _many(of: str, **more: Any) -> Any:
    return relationship(of, viewonly=True, **more)


class DocumentRow(CollectionRow):
    """A document, or a stub: named by a run or judgment, but not in the corpus."""

    __tablename__ = "dblp"
    text: Mapped[TextRow | None] = _one("TextRow")
    facts: Mapped[FactsRow | None] = _one("FactsRow")
    vectors: Mapped[VectorsRow | None] = _one("VectorsRow")
    readability: Mapped[ReadabilityRow | None] = _one("ReadabilityRow")
    passages: Mapped[list[PassageRow]] = _many("PassageRow")


class TextRow(CollectionRow):
    """Title and abstract of a document."""

    __tablename__ = "dblp_text"


class FactsRow(CollectionRow):
    """Year, venue, type and numbers of citations and references of a document."""

    __tablename__ = "dblp_facts"


class VectorsRow(CollectionRow):
    """Embeddings of a document by the default model."""

    __tablename__ = "dblp_v"


class PassageRow(CollectionRow):
    """A passage of an abstract."""

    __tablename__ = "dblp_passages"
    document: Mapped[DocumentRow] = _one("DocumentRow", overlaps="passages")


class ReadabilityRow(CollectionRow):
    """Measures of readability of a document's abstract."""

    __tablename__ = "st1_complexity_metrics"
    __table_args__ = _INTERNAL


class TopicRow(CollectionRow):
    """A topic, with its press article."""

    __tablename__ = "st1_topics"
    queries: Mapped[list[QueryRow]] = _many("QueryRow")


class QueryRow(CollectionRow):
    """A query of a topic."""

    __tablename__ = "st1_queries"
    __table_args__ = _INTERNAL
    of_topic: Mapped[TopicRow | None] = _one("TopicRow", overlaps="queries")


class RunRow(CollectionRow):
    """A run with its provenance."""

    __tablename__ = "st1_runs"
    rankings: Mapped[list[RankingRow]] = _many("RankingRow")


class RankingRow(CollectionRow):
    """A ranked document of a run."""

    __tablename__ = "st1_rankings"
    __table_args__ = _INTERNAL
    run: Mapped[int] = mapped_column(ForeignKey("st1_runs.id"), primary_key=True)
    query: Mapped[int] = mapped_column(ForeignKey("stc.st1_queries.id"), primary_key=True)
    doc: Mapped[int] = mapped_column(ForeignKey("dblp.id"), primary_key=True)
    of_run: Mapped[RunRow] = _one("RunRow", overlaps="rankings")
    of_query: Mapped[QueryRow] = _one("QueryRow")
    document: Mapped[DocumentRow] = _one("DocumentRow")


class EditionRow(CollectionRow):
    """An edition of the judgments."""

    __tablename__ = "qrels_editions"
    judgments: Mapped[list[JudgmentRow]] = _many("JudgmentRow")


class JudgmentRow(CollectionRow):
    """A judgment of a document for a query."""

    __tablename__ = "qrels_judgments"
    of_edition: Mapped[EditionRow] = _one("EditionRow", overlaps="judgments")
    of_query: Mapped[QueryRow] = _one("QueryRow")
    document: Mapped[DocumentRow] = _one("DocumentRow", foreign_keys="JudgmentRow.doc")


def prepare(engine: Engine) -> None:
    """Read the columns of all models from a collection. The first call of a process counts; later calls change nothing."""
    CollectionRow.prepare(engine, views=True)


def open_session(settings: Settings | None = None) -> Session:
    """Return a session on a collection, with the models prepared. Close it, or use it in a ``with`` block.

    :param settings: the collection; default as for the command line (``STC_DB``, ``STC_DSN``).
    :raises UnknownObject: the collection does not exist. :raises StateError: it has another version.
    """
    where = settings or read_settings()
    connect(where).close()  # starts the server, and checks the collection's version
    engine = create_engine("postgresql+psycopg://", creator=lambda: sessions.open_session(conninfo(where)), poolclass=NullPool)
    prepare(engine)
    return Session(engine)
