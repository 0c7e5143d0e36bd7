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

# Which server built an existing text index is unknown. If it tokenises documents to what is stored, it may have been this one.
COMPARE = f"""
DO $$
DECLARE
    one regconfig;
    differing bigint;
BEGIN
    SELECT x.config INTO one FROM text_index x WHERE coalesce(current_setting('stc.differing', true), '') = '';
    IF FOUND THEN
        SELECT count(*) INTO differing
          FROM (SELECT title, abstract, tsv FROM dblp_text LIMIT {_DOCUMENTS}) t
         WHERE t.tsv <> setweight(to_tsvector(one, coalesce(title, '')), 'A')
               || setweight(to_tsvector(one, coalesce(abstract, '')), 'B');
        PERFORM set_config('stc.differing', differing::text, true);
    END IF;
END $$
"""  # noqa: S608
MARK = f"""
UPDATE text_index x
   SET stale = x.stale OR d.differing > 0,
       server_major = CASE d.differing WHEN 0 THEN {_MAJOR} END,
       dictionaries = CASE d.differing WHEN 0 THEN ({_DICTIONARIES}) END
  FROM (SELECT nullif(current_setting('stc.differing', true), '')::bigint) AS d (differing)
"""  # noqa: S608
# Revision 0016 moves the functions, so their signatures are read before.
SIGNATURES = f"""
SELECT set_config('stc.signatures', (SELECT jsonb_object_agg(r.file, r.signatures)::text
                                       FROM ({REGISTERED_BY_NAME}) AS r (file, signatures)), true)
 WHERE coalesce(current_setting('stc.signatures', true), '') = ''
"""  # noqa: S608
STORE = """
UPDATE stc_objects o SET signatures = ARRAY(SELECT jsonb_array_elements_text(r.signatures))
  FROM jsonb_each(nullif(current_setting('stc.signatures', true), '')::jsonb) AS r (file, signatures)
 WHERE r.file = o.file
"""
# An upgrade executes these before it locks tables. Afterwards they do nothing.
EARLY = (COMPARE, SIGNATURES)


def upgrade() -> None:
    for statement in EARLY:
        op.execute(statement)
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
    op.execute(STORE)
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
    op.execute(MARK)


def downgrade() -> None:
    raise NotImplementedError("restore a dump instead: revisions only go forward")
