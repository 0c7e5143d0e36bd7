"""Strata of sampled pools: which stratum each document of an edition is in, judged or not, and the documents a pool did not draw.

Estimates from samples need the documents that were not drawn too: a run retrieves them, and a stratum's size counts them.
"""

from __future__ import annotations

from alembic import op

from stcollection.names import check

revision = "0050"
down_revision = "0049"
branch_labels = None
depends_on = None

# Foreign keys lock the tables that they refer to.
LOCKS = dict.fromkeys(("qrels_editions", "qrels_pools", "st1_queries", "dblp"), "SHARE ROW EXCLUSIVE")

TABLES = """
CREATE TABLE stc_all.qrels_strata (
    edition integer,
    query integer REFERENCES stc.st1_queries,
    doc bigint REFERENCES public.dblp,
    stratum text COLLATE "C" NOT NULL
        CONSTRAINT qrels_strata_stratum_name_check CHECK (<name>),
    drawn boolean NOT NULL,
    hidden boolean DEFAULT false,
    PRIMARY KEY (edition, query, doc, hidden),
    CONSTRAINT qrels_strata_edition_fkey FOREIGN KEY (edition, hidden)
        REFERENCES stc_all.qrels_editions (id, hidden) ON UPDATE CASCADE ON DELETE CASCADE
) PARTITION BY LIST (hidden);
CREATE TABLE stc.qrels_strata PARTITION OF stc_all.qrels_strata FOR VALUES IN (false);
CREATE TABLE stc_all.qrels_strata_hidden PARTITION OF stc_all.qrels_strata FOR VALUES IN (true);
CREATE INDEX qrels_strata_doc_idx ON stc_all.qrels_strata (doc);
CREATE INDEX qrels_strata_query_idx ON stc_all.qrels_strata (query);

CREATE TABLE stc_all.qrels_pool_undrawn (
    pool integer REFERENCES stc_all.qrels_pools ON DELETE CASCADE,
    query integer REFERENCES stc.st1_queries,
    doc bigint REFERENCES public.dblp,
    stratum text NOT NULL,
    PRIMARY KEY (pool, query, doc)
);
CREATE INDEX qrels_pool_undrawn_doc_idx ON stc_all.qrels_pool_undrawn (doc);
CREATE INDEX qrels_pool_undrawn_query_idx ON stc_all.qrels_pool_undrawn (query);
"""


def upgrade() -> None:
    op.execute(TABLES.replace("<name>", check("stratum")))


def downgrade() -> None:
    raise NotImplementedError("restore a dump instead: revisions only go forward")
