"""The tables of evaluation."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql as pg

from stcollection.db.tables.columns import (
    BigInteger,
    Double,
    Integer,
    Name,
    Text,
    finite,
    hidden,
    metadata,
    named,
    needed,
    of_edition,
)

st1_scores = sa.Table(
    "st1_scores", metadata,
    needed("edition", Integer),
    needed("run", Integer, sa.ForeignKey("st1_runs.id", ondelete="CASCADE"), index=True),
    needed("query", Integer, sa.ForeignKey("st1_queries.id")),
    needed("measure", Name, comment="by trec_eval's name"),
    needed("value", Double),
    sa.Column("source", Text, comment="the file they came in"),
    hidden(),
    of_edition("st1_scores", ondelete="CASCADE"),
    sa.PrimaryKeyConstraint("edition", "measure", "run", "query", "hidden"),
    *named("measure"),
    *finite("value"),
    comment="Scores computed by others, as trec_eval prints them: of systems whose runs are not here",
    postgresql_partition_by="LIST (hidden)",
)  # fmt: skip

judged_runs = sa.Table(
    "judged_runs", metadata,
    sa.Column("edition", Integer, sa.ForeignKey("qrels_editions.id", ondelete="CASCADE"), primary_key=True),
    # No key of st1_runs: who drops a run would delete these rows, and EXPLAIN (ANALYZE, BUFFERS, WAL) tells how large they are.
    sa.Column("run", Integer, primary_key=True, autoincrement=False, comment="st1_runs.id; judge_runs removes dropped ones"),
    needed("edition_version", BigInteger, comment="of what it was made; judged_rankings hold while it is the edition's"),
    needed("run_version", BigInteger),
    needed("code", Text, comment="fingerprint of the code that computed them: score_code"),
    comment="Derived: the runs whose judged documents are stored, and from which versions they were made",
)  # fmt: skip

judged_queries = sa.Table(
    "judged_queries", metadata,
    sa.Column("edition", Integer, sa.ForeignKey("qrels_editions.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("query", Integer, sa.ForeignKey("st1_queries.id"), primary_key=True),
    needed("edition_version", BigInteger, comment="of what it was made"),
    needed("code", Text, comment="fingerprint of the code that computed it: score_code"),
    needed("rels", pg.ARRAY(sa.SmallInteger()), comment="the grades of its judged documents, best first"),
    comment="Derived: the grades an edition gives for each query",
)  # fmt: skip

judged_rankings = sa.Table(
    "judged_rankings", metadata,
    needed("edition", Integer),
    needed("run", Integer),
    needed("query", Integer),
    needed("retrieved", Integer, comment="documents the run has for the query, 0 for none"),
    needed("relevant", pg.ARRAY(Integer), comment="ranks of documents of a grade of 1 or more, ascending"),
    needed("grades", pg.ARRAY(sa.SmallInteger()), comment="the grade at each of these ranks"),
    needed("irrelevant", pg.ARRAY(Integer), comment="ranks of documents of grade 0, ascending"),
    needed("pooled", pg.ARRAY(Integer), comment="ranks of documents of a negative grade, ascending"),
    sa.PrimaryKeyConstraint("edition", "run", "query"),
    sa.ForeignKeyConstraint(
        ["edition", "run"], ["judged_runs.edition", "judged_runs.run"], name="judged_rankings_run_fkey", ondelete="CASCADE"
    ),
    comment="Derived: where a run ranks judged documents, what every measure is computed from",
)  # fmt: skip

judged_scores = sa.Table(
    "judged_scores", metadata,
    needed("edition", Integer),
    needed("run", Integer),
    needed("query", Integer),
    needed("scores", pg.ARRAY(Double), comment="in the order of the SQL function stored_measures"),
    sa.PrimaryKeyConstraint("edition", "run", "query"),
    sa.ForeignKeyConstraint(
        ["edition", "run"], ["judged_runs.edition", "judged_runs.run"], name="judged_scores_run_fkey", ondelete="CASCADE"
    ),
    comment="Derived: values of the measures that are asked for most",
)  # fmt: skip
