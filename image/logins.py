"""Lets the services and the participant in: python logins.py SECRETS, as the superuser, on the collection that the settings name.

The loader is one of the owners, since it makes indexes; the page reads, or is an organiser's where STC_EXPLORE_ROLE says so; both
come by the socket, where their system user counts and no password does. The participant's password is made here, once, and kept in
the folder SECRETS, which the database's own user alone can read.
"""

from __future__ import annotations

import os
import secrets
import sys
from pathlib import Path

import psycopg

from stcollection.db.connection import connect
from stcollection.db.members import Kind, add_member, drop_member, members
from stcollection.db.settings import read_settings
from stcollection.errors import BadArgument, StcError

_SERVICES = ("postgres", "loader", "explorer", "embedding")


def kept(folder: Path, user: str) -> str:
    """The password of a login; a new one where it has none yet."""
    file = folder / user
    if not file.exists():
        fresh = folder / f"{user}.new"
        fresh.touch(mode=0o600)
        fresh.write_text(secrets.token_urlsafe(24) + "\n")
        fresh.rename(file)  # whole or not at all
    return file.read_text().strip()


def let_in(conn: psycopg.Connection, folder: Path) -> None:
    user, team = os.environ.get("STC_USER") or "participant", os.environ.get("STC_TEAM") or "team"
    if user in _SERVICES:
        raise BadArgument(f"STC_USER is {user!r}, which is the name of a service", hint="Take another name.")
    page: Kind = "organiser" if os.environ.get("STC_EXPLORE_ROLE") == "organiser" else "reader"
    conn.execute("CREATE EXTENSION IF NOT EXISTS pg_textsearch")  # which owners may not make
    add_member(conn, "loader", kind="owner", password=secrets.token_urlsafe(24))
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
