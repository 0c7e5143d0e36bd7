"""What the tables are described with: the metadata, and columns that come again."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from stcollection.names import check

metadata = sa.MetaData(
    naming_convention={
        "pk": "%(table_name)s_pkey",
        "uq": "%(table_name)s_%(column_0_N_name)s_key",
        "fk": "%(table_name)s_%(column_0_name)s_fkey",
        "ix": "%(table_name)s_%(column_0_N_name)s_idx",
        "ck": "%(table_name)s_%(constraint_name)s_check",
    }
)

Text, Integer, BigInteger, Boolean = sa.Text(), sa.Integer(), sa.BigInteger(), sa.Boolean()
Double: sa.Double[float] = sa.Double()
Name = sa.Text(collation="C")  # a name of the outside world: compared and ordered as a string of bytes
Moment = sa.TIMESTAMP(timezone=True)


def identity(kind: Any = Integer) -> sa.Column[Any]:
    return sa.Column("id", kind, sa.Identity(always=True), primary_key=True)


def needed(name: str, kind: Any, *more: Any, **options: Any) -> sa.Column[Any]:
    return sa.Column(name, kind, *more, nullable=False, **options)


def now(name: str) -> sa.Column[Any]:
    return needed(name, Moment, server_default=sa.text("now()"))


def zero(name: str, kind: Any, **options: Any) -> sa.Column[Any]:
    return needed(name, kind, server_default=sa.text("0"), **options)


def named(*columns: str, empty: bool = False) -> list[sa.CheckConstraint]:
    """Checks of columns that hold names (stcollection/names.py).

    :param empty: an empty text is allowed too.
    """
    conditions = {column: f"{column} = '' OR {check(column)}" if empty else check(column) for column in columns}
    return [sa.CheckConstraint(condition, name=f"{column}_name") for column, condition in conditions.items()]


def finite(*columns: str, kind: str = "double precision") -> list[sa.CheckConstraint]:
    """Checks of columns whose numbers are neither infinite nor NaN, which PostgreSQL sorts above infinity."""
    return [
        sa.CheckConstraint(f"{column} > '-Infinity'::{kind} AND {column} < 'Infinity'::{kind}", name=f"{column}_finite")
        for column in columns
    ]


def sized(*columns: str) -> list[sa.CheckConstraint]:
    """Checks of columns that participants fill: at most 16 MB, since COPY, and so a dump, fails on a row above 1 GB."""
    return [sa.CheckConstraint(f"octet_length({column}::text) <= 16777216", name=f"{column}_size") for column in columns]


def hidden(of: str = "edition") -> sa.Column[Any]:
    """What a table is partitioned by, so that what is hidden lies apart and is not touched for those who may not see it.

    :param of: what the row belongs to; a foreign key holds it to the same.
    """
    return needed("hidden", Boolean, server_default=sa.false(), comment=f"as its {of} is: the partition")


def of_edition(table: str, **options: Any) -> sa.ForeignKeyConstraint:
    """The key of the edition, which a row is hidden with."""
    return sa.ForeignKeyConstraint(
        ["edition", "hidden"], ["qrels_editions.id", "qrels_editions.hidden"], name=f"{table}_edition_fkey",
        onupdate="CASCADE", **options,
    )  # fmt: skip


def partition(name: str) -> bool:
    """Whether a table of the database is a part of one that is described, not one of its own."""
    for part in ("_open", "_hidden"):
        table = metadata.tables.get(name.removesuffix(part))
        if name.endswith(part) and table is not None:
            return table.dialect_options["postgresql"].get("partition_by") is not None
    return False
