"""How much an endpoint may send, and how long it wants to be left alone."""

from __future__ import annotations

import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime

LONGEST_BODY = 4 * 2**20  # bytes


class TooLongError(Exception):
    """A body above LONGEST_BODY."""


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that a response asks to wait: Retry-After as a number or a date; None where it does not say."""
    value = headers.get("retry-after", "").strip()
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    except (ValueError, TypeError, IndexError):
        return None
