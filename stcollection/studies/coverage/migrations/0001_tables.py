"""The tables of topic coverage."""

from __future__ import annotations

from alembic import op

from stcollection.db.rules import is_finite, is_name

revision = "0001"
down_revision = None

TABLES = f"""
CREATE TABLE stc.coverages (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    coverage text COLLATE "C" NOT NULL UNIQUE
        CONSTRAINT coverages_coverage_name_check CHECK ({is_name("coverages", "coverage")}),
    query integer REFERENCES stc.st1_queries ON DELETE SET NULL,
    text text NOT NULL,
    model text COLLATE "C" NOT NULL
        CONSTRAINT coverages_model_name_check CHECK ({is_name("coverages", "model")}),
    docs bigint[] NOT NULL,
    params jsonb NOT NULL DEFAULT '{{}}',
    made timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX coverages_query_idx ON stc.coverages (query);

CREATE TABLE stc.coverage_topics (
    coverage integer REFERENCES stc.coverages ON DELETE CASCADE,
    kind text CHECK (kind IN ('lda', 'itemset', 'concept')),
    place integer,
    words text[] NOT NULL,
    weight double precision
        CONSTRAINT coverage_topics_weight_finite_check CHECK ({is_finite("weight")}),
    count bigint NOT NULL,
    PRIMARY KEY (coverage, kind, place)
);
"""


def upgrade() -> None:
    op.execute(TABLES)
