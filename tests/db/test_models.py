"""The SQLAlchemy models: the columns of the migrated tables, and queries through the relationships."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import psycopg
import pytest
from pgvector.sqlalchemy import VECTOR
from sqlalchemy import inspect, select
from sqlalchemy.orm import Session, configure_mappers

from stcollection.db import models
from stcollection.db.models import (
    CollectionRow,
    DocumentRow,
    EditionRow,
    JudgmentRow,
    QueryRow,
    RankingRow,
    RunRow,
    TopicRow,
    VectorsRow,
    open_session,
)
from stcollection.db.settings import Settings
from stcollection.errors import UnknownObject
from tests import databases
from tests.qrels.test_expand import judge
from tests.vectors.worlds import put_vectors, vector

pytestmark = pytest.mark.slow
# Public tables that describe the installation, caches, and tables of results that SQL functions compute.
OTHERS = {
    "alembic_version",
    "stc_objects",
    "stc_catalogue",
    "dblp_p",
    "query_v",
    "st1_scores",
    "qrels_preferences",
    "qrels_subtopics",
}


@databases.world
def filled(conn: psycopg.Connection) -> psycopg.Connection:
    conn.execute('INSERT INTO dblp (id, doc) VALUES (1, \'{"id": "d1", "title": "Voice assistants", "year": 2021}\')')
    put_vectors(conn, title={1: vector(1)})
    judge(conn, [("q", 1, 2, "human"), ("q", 2, 0, "human")])
    conn.execute(
        "INSERT INTO st1_runs (run) VALUES ('mine');"
        " INSERT INTO stc.st1_rankings (run, query, doc, rank, rel_score)"
        " SELECT r.id, q.id, 1, 1, .5 FROM st1_runs r, st1_queries q"
    )
    return conn


@pytest.fixture
def session(filled: psycopg.Connection, settings: Settings) -> Iterator[Session]:
    with open_session(settings) as opened:
        yield opened


def test_all_columns_are_those_of_the_tables(session: Session, filled: psycopg.Connection) -> None:
    mapped = {(one.local_table.schema, one.class_.__tablename__): {*one.columns.keys()} for one in CollectionRow.registry.mappers}
    for (schema, table), columns in mapped.items():
        found = filled.execute(
            "SELECT attname FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0 AND NOT attisdropped",
            [f"{schema or 'public'}.{table}"],
        ).fetchall()
        assert columns == {name for (name,) in found}
    tables = filled.execute("SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'").fetchall()
    assert {name for (name,) in tables} - OTHERS == {name for schema, name in mapped if schema is None}


def test_every_relationship_is_read_only(session: Session) -> None:
    configure_mappers()
    for mapper in CollectionRow.registry.mappers:
        assert all(one.viewonly for one in inspect(mapper.class_).relationships)


def test_a_document(session: Session) -> None:
    one = session.scalars(select(DocumentRow).where(~DocumentRow.stub)).one()  # type: ignore[attr-defined]
    assert (one.id, one.docno, one.doc["year"], one.text.title, one.facts.year) == (1, "d1", 2021, "Voice assistants", 2021)  # type: ignore[attr-defined, union-attr]
    assert np.allclose(one.vectors.title_v, vector(1))  # type: ignore[union-attr]
    assert (one.readability, one.passages) == (None, [])


def test_vectors_are_compared(session: Session) -> None:
    assert isinstance(VectorsRow.__table__.c.title_v.type, VECTOR)
    nearest = select(VectorsRow.id).order_by(VectorsRow.title_v.max_inner_product(vector(1)))  # type: ignore[attr-defined]
    assert session.scalars(nearest.limit(1)).all() == [1]


def test_runs_and_judgments(session: Session) -> None:
    ranked = session.scalars(select(RankingRow).join(RankingRow.of_run).where(RunRow.run == "mine")).one()  # type: ignore[attr-defined]
    assert (ranked.rank, ranked.of_query.query, ranked.document.docno, len(ranked.of_run.rankings)) == (1, "q", "d1", 1)  # type: ignore[attr-defined]
    edition = session.scalars(select(EditionRow)).one()
    assert sorted((one.document.docno, one.rel, one.of_query.of_topic.topic) for one in edition.judgments) == [  # type: ignore[attr-defined, union-attr]
        ("2", 0, "T"),
        ("d1", 2, "T"),
    ]
    assert [one.query for one in session.scalars(select(TopicRow)).one().queries] == ["q"]  # type: ignore[attr-defined]
    assert session.scalars(select(JudgmentRow.rel).join(JudgmentRow.of_query).where(QueryRow.query == "q")).all() == [2, 0]  # type: ignore[attr-defined]


def test_a_collection_that_does_not_exist(settings: Settings) -> None:
    with pytest.raises(UnknownObject, match="missing"):
        open_session(Settings(db="missing", home=settings.home, dsn=settings.dsn))


def test_every_class_is_documented() -> None:
    assert all(one.__doc__ for one in vars(models).values() if isinstance(one, type) and issubclass(one, CollectionRow))
