"""The tables of the code of sql/."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql as pg

from stcollection.db.tables.columns import Name, Text, metadata, needed

stc_objects = sa.Table(
    "stc_objects", metadata,
    sa.Column("file", Text, primary_key=True, comment="path in sql/"),
    needed("creates", pg.ARRAY(sa.Text()), comment="kind and name of each object it creates"),
    needed("fingerprint", Text, comment="SHA-256 of the file"),
    needed("catalogue", Text, comment="SHA-256 of the objects as the server holds them: tells drift"),
    sa.Column(
        "signatures", pg.ARRAY(sa.Text()), nullable=False, server_default="{}",
        comment="as creates, with the types of arguments: what an upgrade may replace or drop",
    ),
    comment="The functions and views of sql/ as they were put into this database",
)  # fmt: skip

stc_catalogue = sa.Table(
    "stc_catalogue", metadata,
    sa.Column("kind", Name, primary_key=True, comment="column, constraint, index, trigger, policy, owner, grants …"),
    sa.Column("name", Name, primary_key=True, comment="as the server writes it"),
    needed("definition", Text),
    comment="The tables and rights of the collection as the last upgrade left them: tells drift",
)  # fmt: skip
