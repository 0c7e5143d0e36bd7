"""Judgments know whether they are final: the decision of an adjudicator, or a correction.

Final grades that were submitted before are marked, except in sealed editions, whose judgments do not change.
"""

from __future__ import annotations

from alembic import op

revision = "0038"
down_revision = "0037"
branch_labels = None
depends_on = None

LOCKS = {"qrels_judgments": "ACCESS EXCLUSIVE"}

# Few rows: documents for which an adjudicator decided. No version changes, because the upgrade replaces the view qrels, so that
# stored scores are computed again.
MARK = """
UPDATE stc_all.qrels_judgments j SET final = true
  FROM stc_all.qrels_assessments a, stc_all.qrels_editions e
 WHERE a.final AND a.submitted IS NOT NULL AND e.id = j.edition AND e.sealed IS NULL AND j.origin = 'human'
   AND (j.query, j.doc, j.annotator, j.rel) = (a.query, a.doc, a.annotator, a.rel)
"""


def upgrade() -> None:
    op.execute("ALTER TABLE stc_all.qrels_judgments ADD COLUMN IF NOT EXISTS final boolean DEFAULT false NOT NULL")
    op.execute("ALTER TABLE stc_all.qrels_judgments DISABLE TRIGGER USER")
    op.execute(MARK)
    op.execute("ALTER TABLE stc_all.qrels_judgments ENABLE TRIGGER USER")


def downgrade() -> None:
    raise NotImplementedError("restore a dump instead: revisions only go forward")
