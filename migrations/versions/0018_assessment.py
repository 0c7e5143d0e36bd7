"""Sheets record "cannot decide", the time that a decision took, and final grades; pools carry guidelines."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None

POOLS: tuple[sa.Column[Any], ...] = (
    sa.Column("guidelines", sa.Text(), nullable=True, comment="guidelines for assessors, plain text; NULL: the default text"),
    sa.Column(
        "simulated",
        sa.Boolean(),
        server_default=sa.false(),
        nullable=False,
        comment="true: grades on its sheets are invented; an edition they are submitted to is marked as simulated",
    ),
)
ASSESSMENTS: tuple[sa.Column[Any], ...] = (
    sa.Column(
        "undecided",
        sa.Boolean(),
        server_default=sa.false(),
        nullable=False,
        comment="true: the assessor cannot decide; rel is then NULL",
    ),
    sa.Column(
        "seconds",
        sa.REAL(),
        nullable=True,
        comment="seconds from showing the document to the last decision, at most 600; NULL: not measured",
    ),
    sa.Column(
        "decision", sa.Text(), nullable=True, comment="id of the last decision on the page, so that sending it twice stores it once"
    ),
    sa.Column(
        "final",
        sa.Boolean(),
        server_default=sa.false(),
        nullable=False,
        comment="true: final grade of a document with different grades, by an adjudicator",
    ),
)
# A sheet has at most some ten thousand rows.
CHECKS = (
    "-- squawk-ignore constraint-missing-not-valid\nALTER TABLE stc.qrels_assessments"
    " ADD CONSTRAINT qrels_assessments_undecided_check CHECK (rel IS NULL OR NOT undecided)",
    "-- squawk-ignore constraint-missing-not-valid\nALTER TABLE stc.qrels_assessments"
    " ADD CONSTRAINT qrels_assessments_seconds_check CHECK (seconds BETWEEN 0 AND 600)",
)


def upgrade() -> None:
    for table, columns in (("qrels_pools", POOLS), ("qrels_assessments", ASSESSMENTS)):
        for column in columns:
            op.add_column(table, column, schema="stc")
    for check in CHECKS:
        op.execute(check)


def downgrade() -> None:
    raise NotImplementedError("restore a dump instead: revisions only go forward")
