"""What belongs to the collection on a shared server: objects by signature, their definitions, the server of the text index."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from stcollection.db.objects import REGISTERED_BY_NAME

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

_DOCUMENTS = 500  # that are tokenised again to see whether a text index of unknown origin fits this server

_MAJOR = "current_setting('server_version_num')::integer / 10000"
# Dictionaries as sql/text/text_config_dictionaries.sql describes them.
_DICTIONARIES = """
SELECT array_agg(DISTINCT concat_ws(' ', d.dictnamespace::regnamespace::text || '.' || d.dictname, t.tmplname, d.dictinitoption))
  FROM pg_ts_config_map m JOIN pg_ts_dict d ON d.oid = m.mapdict JOIN pg_ts_template t ON t.oid = d.dicttemplate
 WHERE m.mapcfg = x.config
"""


def upgrade() -> None:
    op.add_column(
        "stc_objects",
        sa.Column(
            "signatures",
            postgresql.ARRAY(sa.Text()),
            server_default="{}",
            nullable=False,
            comment="as creates, with the types of arguments: what an upgrade may replace or drop",
        ),
    )
    op.get_bind().exec_driver_sql(
        f"UPDATE stc_objects o SET signatures = r.signatures FROM ({REGISTERED_BY_NAME}) AS r (file, signatures)"  # noqa: S608
        " WHERE r.file = o.file"
    )
    op.create_table(
        "stc_catalogue",
        sa.Column(
            "kind", sa.Text(collation="C"), nullable=False, comment="column, constraint, index, trigger, policy, owner, grants …"
        ),
        sa.Column("name", sa.Text(collation="C"), nullable=False, comment="as the server writes it"),
        sa.Column("definition", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("kind", "name", name=op.f("stc_catalogue_pkey")),
        comment="The tables and rights of the collection as the last upgrade left them: tells drift",
    )
    op.add_column(
        "text_index",
        sa.Column(
            "server_major",
            sa.Integer(),
            nullable=True,
            comment="the PostgreSQL that built it: stemmers differ between major versions",
        ),
    )
    op.add_column(
        "text_index",
        sa.Column(
            "dictionaries", postgresql.ARRAY(sa.Text()), nullable=True, comment="of the configuration then, with their options"
        ),
    )
    # Nobody wrote down what built an index that is there. Where documents tokenise to what is stored, this server may have.
    bind = op.get_bind()
    row = bind.exec_driver_sql("SELECT config::text FROM text_index").fetchone()
    if row is None:
        return
    [differing] = bind.execute(
        sa.text(
            "SELECT count(*) FROM (SELECT title, abstract, tsv FROM dblp_text LIMIT :documents) t WHERE t.tsv <>"
            " setweight(to_tsvector(CAST(:config AS regconfig), coalesce(title, '')), 'A')"
            " || setweight(to_tsvector(CAST(:config AS regconfig), coalesce(abstract, '')), 'B')"
        ),
        {"documents": _DOCUMENTS, "config": row[0]},
    ).one()
    if differing:
        op.execute("UPDATE text_index SET stale = true")
    else:
        op.execute(
            f"UPDATE text_index x SET server_major = {_MAJOR}, dictionaries = ({_DICTIONARIES})"  # noqa: S608
        )


def downgrade() -> None:
    raise NotImplementedError("restore a dump instead: revisions only go forward")
