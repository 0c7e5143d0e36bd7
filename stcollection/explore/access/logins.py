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
from psycopg.pq import ConnStatus, ExecStatus, Ping, version

from stcollection.db.roles import ROLES
from stcollection.db.sessions import answers, attempt, pinned
from stcollection.web.desk import Desk
from stcollection.web.shares import LoginShare, TimedOut

MOST_DESKS = 25  # logins at the same time; each has at most three connections
_AT_ONCE = 4  # passwords checked at the same time, half of them for one address
_TURN_SECONDS = 10.0
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
    BUSY = auto()
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
    conn, state = attempt(make_conninfo(dsn, password=secrets.token_urlsafe()))
    try:
        if (
            conn.status != ConnStatus.OK
            and not conn.used_password
            and ((state is not None and state[:2] == "53") or answers(dsn) != Ping.OK)
        ):
            raise psycopg.OperationalError("the database server cannot be reached, or has no free connection")
        return conn.status != ConnStatus.OK and conn.used_password
    finally:
        conn.finish()


def check(dsn: str) -> SignInOutcome:
    """Connect as a login. The connection counts only if the server asked for the password."""
    dsn = pinned(dsn)
    conn, state = attempt(dsn)
    try:
        if conn.status != ConnStatus.OK:
            if state is not None and state[:2] == "53":
                return SignInOutcome.BUSY
            if state is not None and state[:2] == "57":
                return SignInOutcome.UNREACHABLE
            return SignInOutcome.REFUSED if conn.used_password or answers(dsn) == Ping.OK else SignInOutcome.UNREACHABLE
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
    """The place of a login. :param digest: of its password."""

    desk: Desk
    name: str
    digest: str
    users: int = 0


class Logins:
    """The desks of the signed-in logins. One is opened at the first sign-in of a login and closed with its last session.

    A login has one desk. A sign-in with a new password ends the sessions of the old one.

    :param dsn: of the collection; user and password are replaced. :param home: the page's own desk.
    :param lost: called with the desk of a login whose password the server no longer accepts; ends its sessions.
    """

    def __init__(self, dsn: str, home: Desk, *, most: int = MOST_DESKS, lost: Callable[[Desk], object] = lambda _: None) -> None:
        self._dsn, self._home, self._most = dsn, home, most
        self._secret = secrets.token_bytes(32)
        self._desks: dict[str, _Shared] = {}
        self._turns = LoginShare("place for a sign-in", total=_AT_ONCE, each=_AT_ONCE // 2, wait=_TURN_SECONDS, seconds=None)
        self.lost = lost

    def __len__(self) -> int:
        return len(self._desks)

    async def sign_in(self, name: str, password: str, *, address: str = "") -> tuple[SignInOutcome, Desk | None]:
        """Try a name and a password. :param address: of the browser; an address has a share of the attempts.

        :returns: the outcome; if WELCOME, the desk, to be released with :meth:`release`.
        """
        if not possible(name, password):
            return SignInOutcome.REFUSED, None
        dsn = self._of(name, password)
        try:
            async with self._turns.take(f"address {address}"):
                outcome = await asyncio.to_thread(check, dsn)
        except TimedOut:
            return SignInOutcome.BUSY, None
        if outcome is not SignInOutcome.WELCOME:
            return outcome, None
        digest = self._digest(name, password)
        shared = self._desks.get(name)
        if shared is not None and shared.digest != digest:
            self.lost(shared.desk)
            self._close(shared)
            shared = None
        if shared is None:
            if len(self._desks) >= self._most:
                return SignInOutcome.FULL, None
            shared = self._desks[name] = _Shared(self._desk(dsn, name), name, digest)
            shared.desk.open()
        shared.users += 1
        return outcome, shared.desk

    def release(self, desk: Desk) -> None:
        """A session of the desk has ended."""
        for shared in list(self._desks.values()):
            if shared.desk is desk:
                shared.users -= 1
                if shared.users <= 0:
                    self._close(shared)

    def _close(self, shared: _Shared) -> None:
        if self._desks.get(shared.name) is shared:
            del self._desks[shared.name]
            asyncio.get_running_loop().run_in_executor(None, shared.desk.close)

    def _desk(self, dsn: str, name: str) -> Desk:
        loop = asyncio.get_running_loop()

        def failed() -> None:
            if check(dsn) in (SignInOutcome.REFUSED, SignInOutcome.SUPERUSER):
                loop.call_soon_threadsafe(self.lost, desk)

        desk = Desk(dsn, at_once=2, writing=1, origin=self._home, role=name, failed=failed)
        return desk

    def _of(self, name: str, password: str) -> str:
        required = {"require_auth": _METHODS} if version() >= _REQUIRE_AUTH else {}
        return make_conninfo(self._dsn, user=name, password=password, **required)

    def _digest(self, name: str, password: str) -> str:
        """Tell whether the password has changed, without keeping it."""
        return hmac.new(self._secret, f"{name}\0{password}".encode(), hashlib.sha256).hexdigest()
