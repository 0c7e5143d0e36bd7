"""Create the logins of the services and of the participant: python logins.py SECRETS, as the superuser.

The loader is an owner, since it creates indexes. Owners own the database too, to set the search effort of its vector indexes. The
explorer is a reader, or an organiser if STC_EXPLORE_ROLE is 'organiser'. Both connect over the socket and are authenticated by
their system user, without a password. The participant's password is generated once and stored in the folder SECRETS, which only the
database's system user can read.
"""

from __future__ import annotations

import os
import secrets
import sys
from pathlib import Path

import psycopg
from psycopg.sql import SQL, Identifier

from stcollection.db.connection import connect
from stcollection.db.members import Kind, add_member, drop_member, members
from stcollection.db.settings import read_settings
from stcollection.errors import BadArgument, StcError

_SERVICES = ("postgres", "loader", "explorer", "embedding")


def kept(folder: Path, user: str) -> str:
    """Return the password of a login; generate one if it has none."""
    file = folder / user
    if not file.exists():
        fresh = folder / f"{user}.new"
        fresh.touch(mode=0o600)
        fresh.write_text(secrets.token_urlsafe(24) + "\n")
        fresh.rename(file)  # atomic
    return file.read_text().strip()


def let_in(conn: psycopg.Connection, folder: Path) -> None:
    user, team = os.environ.get("STC_USER") or "participant", os.environ.get("STC_TEAM") or "team"
    if user in _SERVICES:
        raise BadArgument(f"STC_USER is {user!r}, which is the name of a service", hint="Choose another name.")
    page: Kind = "organiser" if os.environ.get("STC_EXPLORE_ROLE") == "organiser" else "reader"
    conn.execute("CREATE EXTENSION IF NOT EXISTS pg_textsearch SCHEMA public")  # owners cannot create it
    add_member(conn, "loader", kind="owner", password=secrets.token_urlsafe(24))
    conn.execute(SQL("ALTER DATABASE {} OWNER TO stc_owner").format(Identifier(conn.info.dbname)))
    if any(one.name == "explorer" and one.kinds != [page] for one in members(conn)):
        drop_member(conn, "explorer")
    add_member(conn, "explorer", kind=page, password=secrets.token_urlsafe(24))
    add_member(conn, user, kind="participant", team=team, password=kept(folder, user))
    conn.execute("CALL connect_embedding_service(%s)", [os.environ.get("STC_EMBEDDING_URL") or "http://embedding:8765"])


def main() -> None:
    try:
        with connect(read_settings()) as conn:
            let_in(conn, Path(sys.argv[1]))
    except StcError as error:
        sys.exit(f"database: {error.message}\n          {error.hint or ''}")


if __name__ == "__main__":
    main()
