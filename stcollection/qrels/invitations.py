"""Invitations of assessors: signed links that name a pool, an annotator and an expiry.

Nothing is stored for an invitation. Its signature is an HMAC-SHA256 with a secret in the home folder, which only its owner can
read. A new secret revokes all invitations of the collection.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import os
import secrets
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from stcollection.errors import BadArgument, StateError

_LONGEST = 2000  # characters of a token
_BYTES = 32
LONGEST_DAYS = 366


@dataclass(frozen=True, kw_only=True)
class Invitation:
    """An invitation to judge a pool. :param expires: seconds since 1970."""

    pool: str
    annotator: str
    expires: int

    def seconds_left(self) -> float:
        return self.expires - time.time()


@dataclass(frozen=True)
class Invitations:
    """The invitations of a collection. :param home: folder of the secret. :param db: name of the collection."""

    home: Path
    db: str
    clock: Callable[[], float] = time.time

    @property
    def _file(self) -> Path:
        return self.home / "invitations" / f"{hashlib.sha256(self.db.encode()).hexdigest()[:16]}.key"

    def make(self, pool: str, annotator: str, *, days: float) -> str:
        """Return the token of a new invitation; create the secret if it is missing.

        :raises BadArgument: the number of days is out of range. :raises StateError: the secret cannot be stored.
        """
        if not 0 < days <= LONGEST_DAYS:
            raise BadArgument(
                f"an invitation lasts more than 0 and at most {LONGEST_DAYS} days, not {days:g}", hint="Use --days 14."
            )
        secret = self._secret() or self._store(new=False)
        body = json.dumps([pool, annotator, int(self.clock() + days * 86400)], ensure_ascii=False).encode()
        return f"{_text(body)}.{_text(self._sign(secret, body))}"

    def read(self, token: str) -> Invitation | str:
        """Return the invitation of a token, or why it is not valid."""
        refused = "This link is not a valid invitation, or it was revoked. Ask the organiser for a new link."
        body, _, signature = token.partition(".")
        secret = self._secret()
        if secret is None or not token.isascii() or len(token) > _LONGEST:
            return refused
        try:
            raw = _bytes(body)
            if not hmac.compare_digest(self._sign(secret, raw), _bytes(signature)):
                return refused
        except ValueError:
            return refused
        pool, annotator, expires = json.loads(raw)
        if self.clock() >= expires:
            return "This invitation has expired. Ask the organiser for a new link."
        return Invitation(pool=pool, annotator=annotator, expires=expires)

    def revoke(self) -> None:
        """Make all invitations of the collection invalid. Sessions that they began end. :raises StateError: no new secret."""
        self._store(new=True)

    def _sign(self, secret: bytes, body: bytes) -> bytes:
        return hmac.new(secret, b"stc invitation\0" + self.db.encode() + b"\0" + body, hashlib.sha256).digest()

    def _secret(self) -> bytes | None:
        try:
            secret = self._file.read_bytes()
        except OSError:
            return None
        return secret if len(secret) == _BYTES else None

    def _store(self, *, new: bool) -> bytes:
        """Store a secret under another name first, so that nobody reads half of it. :param new: replace a stored one."""
        path = self._file
        temporary = path.with_suffix(f".{secrets.token_hex(8)}")
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            secret = secrets.token_bytes(_BYTES)
            with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                file.write(secret)
            if new:
                temporary.replace(path)
                return secret
            with suppress(FileExistsError):  # another command has just stored one
                os.link(temporary, path)
            return path.read_bytes()
        except OSError as error:
            raise StateError(
                f"cannot store the secret of the invitations in {path.parent}: {error.strerror}",
                hint="Set STC_HOME to a folder that you can write to; 'stc serve page' must use the same.",
            ) from error
        finally:
            temporary.unlink(missing_ok=True)


def _text(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _bytes(text: str) -> bytes:
    return base64.b64decode(text.encode() + b"=" * (-len(text) % 4), altchars=b"-_", validate=True)
