"""The tables of the code of sql/."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql as pg

from stcollection.db.tables.columns import Text, metadata, needed

stc_objects = sa.Table(
    "stc_objects", metadata,
    sa.Column("file", Text, primary_key=True, comment="path in sql/"),
    needed("creates", pg.ARRAY(sa.Text()), comment="kind and name of each object it creates"),
    needed("fingerprint", Text, comment="SHA-256 of the file"),
    needed("catalogue", Text, comment="SHA-256 of the objects as the server holds them: tells drift"),
    comment="The functions and views of sql/ as they were put into this database",
)  # fmt: skip
