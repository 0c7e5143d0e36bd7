"""What the tables are described with: the metadata, and columns that come again."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

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
