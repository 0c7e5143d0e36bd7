"""Limits of an endpoint: maximum length of a response, and Retry-After."""

from __future__ import annotations

import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime

LONGEST_BODY = 4 * 2**20  # bytes


class TooLongError(Exception):
    """A response body longer than LONGEST_BODY."""


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds in Retry-After, which is a number or a date; None if the header is missing or invalid."""
    value = headers.get("retry-after", "").strip()
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    except (ValueError, TypeError, IndexError):
        return None
