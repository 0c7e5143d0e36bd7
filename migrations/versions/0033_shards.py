"""BM25 indexes on the shards of a distributed collection: facts about all of them that a search needs."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0033"
down_revision = "0032"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """The columns are NULL until the text index of a distributed collection is built again."""
    numbers = postgresql.ARRAY(sa.BigInteger())
    anchors = "a document of each shard that has a BM25 index; NULL: the shards have none"
    op.add_column("text_index", sa.Column("anchors", numbers, comment=anchors), schema="stc")
    sealed = "size in bytes of the BM25 index of each shard after the build; 0: an empty shard"
    op.add_column("text_index", sa.Column("sealed", numbers, comment=sealed), schema="stc")
    beside = "shard of text_lengths with the documents of each shard; searches need not look it up"
    op.add_column("text_index", sa.Column("lengths", postgresql.ARRAY(sa.Text()), comment=beside), schema="stc")
    least = "smallest idf of the lexeme in the BM25 index of a shard, for the average length of all; NULL: not distributed"
    op.add_column("text_lexemes", sa.Column("least_idf", sa.Double(), comment=least), schema="stc")


def downgrade() -> None:
    raise NotImplementedError("restore a dump instead: revisions only go forward")
