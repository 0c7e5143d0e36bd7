"""Documents can leave a collection and come back: the snapshots between that lack them are stored.

The column is nullable without a default. Only rows of documents that came back are written. The index on first_date is built after
the upgrade (stcollection/db/online.py).
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0030"
down_revision = "0029"
branch_labels = None
depends_on = None


# The ledger of loaded files has the documents of each snapshot.
_FILL = """
WITH present AS MATERIALIZED (
    SELECT DISTINCT s.day, u.id
      FROM stc.corpus_snapshots s JOIN stc.corpus_chunks k ON k.file = s.file CROSS JOIN unnest(k.docs) AS u (id)
)
UPDATE public.dblp_facts f SET absent = m.days
  FROM (SELECT g.id, array_agg(d.day ORDER BY d.day) AS days
          FROM (SELECT DISTINCT s.day FROM stc.corpus_snapshots s) d
          JOIN public.dblp_facts g ON g.first_date < d.day AND g.last_date > d.day
         WHERE NOT EXISTS (SELECT FROM present p WHERE p.day = d.day AND p.id = g.id)
         GROUP BY g.id) m
 WHERE f.id = m.id AND (SELECT count(DISTINCT s.day) FROM stc.corpus_snapshots s) > 2
"""


def upgrade() -> None:
    comment = "dates of snapshots between first_date and last_date that lack the document; NULL: none"
    op.add_column("dblp_facts", sa.Column("absent", postgresql.ARRAY(sa.Date()), comment=comment), schema="public")
    op.execute(_FILL)


def downgrade() -> None:
    raise NotImplementedError("restore a dump instead: revisions only go forward")
