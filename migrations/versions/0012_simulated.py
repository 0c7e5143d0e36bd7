"""Simulated data is marked in its table."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for table, comment in (
        ("qrels_editions", "some of its judgments were made up; simulated_note says so wherever they are shown"),
        ("llm_judges", "a program that stands in for the model"),
        ("annotators", "an invented person"),
    ):
        op.add_column(table, sa.Column("simulated", sa.Boolean(), server_default=sa.false(), nullable=False, comment=comment))
    _mark_the_demo()


def _mark_the_demo() -> None:
    """Mark the demo's editions, those derived from them, and its annotators: their files have names that nothing else has.

    Editions of revisions before 0003 have no ledger of their files. There the corpus tells.
    Triggers are off meanwhile, since a sealed edition may not change otherwise.
    """
    op.execute("ALTER TABLE qrels_editions DISABLE TRIGGER USER")
    op.execute(
        r"""
        WITH RECURSIVE made_up (id) AS (
           (SELECT f.edition FROM qrels_files f WHERE f.path ~ '(^|[/\\])demo\.(train|test|synthetic|sparse)(\.second)?\.qrels$'
             UNION
            SELECT e.id FROM qrels_editions e
             WHERE e.edition IN ('train', 'test') AND NOT EXISTS (SELECT FROM qrels_files f WHERE f.edition = e.id)
               AND EXISTS (SELECT FROM corpus_files c WHERE c.path ~ '(^|[/\\])demo\.dblp\.v12\.json$'))
             UNION
            SELECT f.edition FROM made_up m JOIN qrels_editions e ON e.id = m.id
              JOIN qrels_files f ON f.path = 'edition:' || e.edition)
        UPDATE qrels_editions e SET simulated = true FROM made_up m WHERE m.id = e.id
        """
    )
    op.execute("ALTER TABLE qrels_editions ENABLE TRIGGER USER")
    op.execute(
        r"""
        UPDATE annotators a SET simulated = true
         WHERE EXISTS (SELECT FROM annotations g WHERE g.annotator = a.annotator AND g.source ~ '(^|[/\\])demo\.annotations\.csv$')
        """
    )


def downgrade() -> None:
    raise NotImplementedError("restore a dump instead: revisions only go forward")
