"""The logins of the model, and copies of its collection that only differ in what the test changes."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

import psycopg
from psycopg import sql

from stcollection.db.connection import conninfo
from stcollection.db.members import Kind, add_member
from stcollection.db.settings import Settings
from tests.databases import Databases
from tests.security.model.catalogue import Catalogue, read_catalogue
from tests.security.model.world import model_world

PASSWORD = "not for the embedded server"  # noqa: S105
# Each role of a login; a stranger has no role of the collection, but may connect and create temporary tables.
ROLES: dict[str, tuple[Kind, str | None] | None] = {
    "participant": ("participant", "red"),
    "rival": ("participant", "blue"),
    "reader": ("reader", None),
    "organiser": ("organiser", None),
    "stranger": None,
}


@dataclass
class Walls:
    """Copies of one collection. :param logins: names of logins by role. :param original: the database that is copied."""

    server: Settings
    admin: psycopg.Connection
    databases: Databases
    original: str
    logins: dict[str, str]
    catalogue: Catalogue
    copies: list[str] = field(default_factory=list)

    def settings(self, database: str, role: str | None = None) -> Settings:
        """Settings of a copy, as the superuser or as a login."""
        there = replace(self.server, db=database)
        return there if role is None else replace(there, dsn=conninfo(there) + f" user={self.logins[role]} password='{PASSWORD}'")

    def connect(self, database: str, role: str | None = None) -> psycopg.Connection:
        """Connect to a copy in autocommit mode, as the superuser or as a login."""
        return psycopg.connect(conninfo(self.settings(database, role)), autocommit=True, prepare_threshold=None)

    def copy(self) -> str:
        """Make a copy of the collection and return its name. Object ids are the same in all copies."""
        name = f"{self.original}_{len(self.copies) + 1}"
        self.databases.clone(self.original, name)
        self.copies.append(name)
        self.admin.execute(sql.SQL("COMMENT ON DATABASE {} IS 'stcollection'").format(sql.Identifier(name)))
        self.admin.execute(sql.SQL("REVOKE ALL ON DATABASE {} FROM PUBLIC").format(sql.Identifier(name)))
        for login in self.logins.values():
            self.admin.execute(
                sql.SQL("GRANT CONNECT, TEMPORARY ON DATABASE {} TO {}").format(sql.Identifier(name), sql.Identifier(login))
            )
        return name

    def remove(self) -> None:
        """Drop the copies, then the logins."""
        for name in [*self.copies, self.original]:
            self.admin.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))
        for login in self.logins.values():
            self.admin.execute(sql.SQL("DROP OWNED BY {}").format(sql.Identifier(login)))
            self.admin.execute(sql.SQL("DROP ROLE {}").format(sql.Identifier(login)))


@contextmanager
def build_walls(server: Settings, admin: psycopg.Connection, databases: Databases, template: str) -> Iterator[Walls]:
    """Make the collection and its logins; remove them at the end."""
    original = f"stc_walls_{os.getpid()}"
    logins = {role: f"w{os.getpid()}_{role}" for role in ROLES}
    databases.clone(template, original)
    with psycopg.connect(conninfo(replace(server, db=original)), autocommit=True) as conn:
        model_world(conn)
        for role, member in ROLES.items():
            if member is None:
                conn.execute(sql.SQL("CREATE ROLE {} LOGIN PASSWORD {}").format(sql.Identifier(logins[role]), PASSWORD))
            else:
                add_member(conn, logins[role], kind=member[0], team=member[1], password=PASSWORD)
        conn.execute("VACUUM (ANALYZE)")
        walls = Walls(server, admin, databases, original, logins, read_catalogue(conn))
    try:
        yield walls
    finally:
        walls.remove()
