"""Names and passwords, tried as logins of PostgreSQL, and the connections of each login."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto

import psycopg
from psycopg.conninfo import make_conninfo
from psycopg.pq import ConnStatus, ExecStatus, PGconn, Ping, version

from stcollection.db.roles import ROLES
from stcollection.explore.desk import Desk

MOST_DESKS = 25  # logins at the same time; each has at most three connections
_AT_ONCE = 4  # passwords checked at the same time
_LONGEST_NAME, _LONGEST_PASSWORD = 63, 1000  # bytes; PostgreSQL would cut a longer name
_METHODS = "scram-sha-256,md5,password"  # 'password' also means LDAP, PAM and RADIUS
_REQUIRE_AUTH = 160000  # libpq's version that has require_auth
_KIND = (
    "SELECT r.rolsuper, EXISTS (SELECT FROM pg_catalog.pg_roles m WHERE m.rolname = ANY ($1::text[])"
    " AND pg_catalog.pg_has_role(r.oid, m.oid, 'MEMBER')) FROM pg_catalog.pg_roles r WHERE r.rolname = session_user"
)


class SignInOutcome(Enum):
    """Result of a sign-in. REFUSED does not tell a wrong password from an unknown name or a login without access."""

    WELCOME = auto()
    REFUSED = auto()
    SUPERUSER = auto()
    UNREACHABLE = auto()
    FULL = auto()


def possible(name: str, password: str) -> bool:
    """Return True if PostgreSQL can have a login with this name and password.

    libpq reads C strings, which end at U+0000, and would take an empty password from its password file or environment.
    """
    try:
        sizes = len(name.encode()), len(password.encode())
    except UnicodeEncodeError:
        return False
    if not (1 <= sizes[0] <= _LONGEST_NAME and 1 <= sizes[1] <= _LONGEST_PASSWORD):
        return False
    return not any(ord(one) < 32 or ord(one) == 127 for one in name) and "\0" not in password


def asks_for_passwords(dsn: str) -> bool:
    """Return True if the server checks passwords on this connection: it requests one and refuses a random one.

    :raises OperationalError: the server cannot be reached.
    """
    conn = PGconn.connect(make_conninfo(dsn, password=secrets.token_urlsafe()).encode())
    try:
        if conn.status != ConnStatus.OK and not conn.used_password and PGconn.ping(dsn.encode()) != Ping.OK:
            raise psycopg.OperationalError("the database server cannot be reached")
        return conn.status != ConnStatus.OK and conn.used_password
    finally:
        conn.finish()


def check(dsn: str) -> SignInOutcome:
    """Connect as a login. The connection counts only if the server asked for the password."""
    conn = PGconn.connect(dsn.encode())
    try:
        if conn.status != ConnStatus.OK:
            return (
                SignInOutcome.REFUSED if conn.used_password or PGconn.ping(dsn.encode()) == Ping.OK else SignInOutcome.UNREACHABLE
            )
        if not conn.used_password:
            return SignInOutcome.REFUSED
        array = "{" + ",".join(ROLES) + "}"
        found = conn.exec_params(_KIND.encode(), [array.encode()])
        if found.status != ExecStatus.TUPLES_OK or found.ntuples != 1:
            return SignInOutcome.REFUSED
        superuser, member = (found.get_value(0, column) == b"t" for column in (0, 1))
        if superuser:
            return SignInOutcome.SUPERUSER
        return SignInOutcome.WELCOME if member else SignInOutcome.REFUSED
    finally:
        conn.finish()


@dataclass(eq=False)
class _Shared:
    desk: Desk
    name: str
    users: int = 0


class Logins:
    """The desks of the signed-in logins. One is opened at the first sign-in of a login and closed with its last session.

    :param dsn: of the collection; user and password are replaced. :param home: the page's own desk.
    :param lost: called with the key of a desk whose password the server no longer accepts.
    """

    def __init__(self, dsn: str, home: Desk, *, most: int = MOST_DESKS, lost: Callable[[str], object] = lambda _: None) -> None:
        self._dsn, self._home, self._most = dsn, home, most
        self._secret = secrets.token_bytes(32)
        self._desks: dict[str, _Shared] = {}
        self._turns = asyncio.Semaphore(_AT_ONCE)
        self.lost = lost

    def __len__(self) -> int:
        return len(self._desks)

    async def sign_in(self, name: str, password: str) -> tuple[SignInOutcome, str, Desk | None]:
        """Try a name and a password. :returns: the outcome; if WELCOME, the desk and its key for :meth:`release`."""
        if not possible(name, password):
            return SignInOutcome.REFUSED, "", None
        dsn = self._of(name, password)
        async with self._turns:
            outcome = await asyncio.to_thread(check, dsn)
        if outcome is not SignInOutcome.WELCOME:
            return outcome, "", None
        key = self._key(name, password)
        shared = self._desks.get(key)
        if shared is None:
            if len(self._desks) >= self._most:
                return SignInOutcome.FULL, "", None
            shared = self._desks[key] = _Shared(self._desk(dsn, key, name), name)
            shared.desk.open()
        shared.users += 1
        return outcome, key, shared.desk

    def release(self, key: str) -> None:
        """A session of the desk has ended."""
        shared = self._desks.get(key)
        if shared is None:
            return
        shared.users -= 1
        if shared.users <= 0:
            del self._desks[key]
            asyncio.get_running_loop().run_in_executor(None, shared.desk.close)

    def _desk(self, dsn: str, key: str, name: str) -> Desk:
        loop = asyncio.get_running_loop()

        def failed() -> None:
            if check(dsn) in (SignInOutcome.REFUSED, SignInOutcome.SUPERUSER):
                loop.call_soon_threadsafe(self.lost, key)

        return Desk(dsn, at_once=2, writing=1, origin=self._home, role=name, failed=failed)

    def _of(self, name: str, password: str) -> str:
        required = {"require_auth": _METHODS} if version() >= _REQUIRE_AUTH else {}
        return make_conninfo(self._dsn, user=name, password=password, **required)

    def _key(self, name: str, password: str) -> str:
        """Tell the desks of a login before and after a change of its password apart, without keeping the password."""
        return hmac.new(self._secret, f"{name}\0{password}".encode(), hashlib.sha256).hexdigest()
