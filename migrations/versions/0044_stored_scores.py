"""Stored scores of visible editions move to the schema stc, so that participants and readers score with them.

The tables are partitioned by hidden, like the judgments from which they are computed. Their rows are derived, and the functions
that compute them change with this version, so the tables start empty: the first scoring by an organiser fills them.
"""

from __future__ import annotations

from alembic import op

revision = "0044"
down_revision = "0043"
branch_labels = None
depends_on = None

# Dropping and creating foreign keys locks the tables that they refer to.
LOCKS = {
    **dict.fromkeys(
        ("judged_runs", "judged_queries", "judged_rankings", "judged_scores", "qrels_editions", "st1_queries"), "ACCESS EXCLUSIVE"
    ),
    "stc_catalogue": "ROW EXCLUSIVE",
}

# The key of the query has another name than before. On several servers, an upgrade from 0.2 would take a key of the same name and
# definition for the older one, and not record it.
TABLES = """
CREATE TABLE stc_all.judged_queries (
    edition integer,
    query integer CONSTRAINT judged_queries_query_id_fkey REFERENCES stc.st1_queries,
    hidden boolean,
    edition_version bigint NOT NULL,
    rels smallint[] NOT NULL,
    code text NOT NULL,
    PRIMARY KEY (edition, query, hidden),
    CONSTRAINT judged_queries_edition_fkey FOREIGN KEY (edition, hidden)
        REFERENCES stc_all.qrels_editions (id, hidden) ON UPDATE CASCADE ON DELETE CASCADE
) PARTITION BY LIST (hidden);

CREATE TABLE stc_all.judged_runs (
    edition integer,
    run integer,
    hidden boolean,
    edition_version bigint NOT NULL,
    run_version bigint NOT NULL,
    code text NOT NULL,
    measures text[] NOT NULL,
    PRIMARY KEY (edition, run, hidden),
    CONSTRAINT judged_runs_edition_fkey FOREIGN KEY (edition, hidden)
        REFERENCES stc_all.qrels_editions (id, hidden) ON UPDATE CASCADE ON DELETE CASCADE
) PARTITION BY LIST (hidden);

CREATE TABLE stc_all.judged_rankings (
    edition integer,
    run integer,
    query integer,
    hidden boolean,
    retrieved integer NOT NULL,
    relevant integer[] NOT NULL,
    grades smallint[] NOT NULL,
    irrelevant integer[] NOT NULL,
    pooled integer[] NOT NULL,
    PRIMARY KEY (edition, run, query, hidden),
    CONSTRAINT judged_rankings_run_fkey FOREIGN KEY (edition, run, hidden)
        REFERENCES stc_all.judged_runs (edition, run, hidden) ON UPDATE CASCADE ON DELETE CASCADE
) PARTITION BY LIST (hidden);

CREATE TABLE stc_all.judged_scores (
    edition integer,
    run integer,
    query integer,
    hidden boolean,
    scores double precision[] NOT NULL,
    PRIMARY KEY (edition, run, query, hidden),
    CONSTRAINT judged_scores_run_fkey FOREIGN KEY (edition, run, hidden)
        REFERENCES stc_all.judged_runs (edition, run, hidden) ON UPDATE CASCADE ON DELETE CASCADE
) PARTITION BY LIST (hidden);
"""


def upgrade() -> None:
    # If the collection is distributed, the catalogue has the keys of the former tables.
    op.execute(
        "DELETE FROM public.stc_catalogue WHERE kind = 'constraint' AND definition LIKE 'FOREIGN KEY%'"
        " AND name ~ ' on (stc_all\\.)?judged_(runs|queries|rankings|scores)$'"
    )
    op.execute(
        "-- squawk-ignore ban-drop-table\n"
        "DROP TABLE stc_all.judged_scores, stc_all.judged_rankings, stc_all.judged_runs, stc_all.judged_queries"
    )
    op.execute(TABLES)
    for table in ("judged_queries", "judged_runs", "judged_rankings", "judged_scores"):
        op.execute(f"CREATE TABLE stc.{table} PARTITION OF stc_all.{table} FOR VALUES IN (false)")
        op.execute(f"CREATE TABLE stc_all.{table}_hidden PARTITION OF stc_all.{table} FOR VALUES IN (true)")


def downgrade() -> None:
    raise NotImplementedError("restore a dump instead: revisions only go forward")
