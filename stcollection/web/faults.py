"""Errors of the collection as HTTP errors."""

from __future__ import annotations

from stcollection.errors import BadArgument, BadInput, DatabaseError, StateError, StcError, UnknownObject
from stcollection.web.shares import TimedOut
from stcollection.web.uploads.files import UploadRefused

_FORBIDDEN = ("IR410", "42501")  # this role lacks the right


def status(problem: StcError) -> int:
    """Return the HTTP status for an error."""
    if isinstance(problem, UploadRefused):
        return problem.status
    if problem.sqlstate in _FORBIDDEN:
        return 403
    if isinstance(problem, UnknownObject):
        return 404
    if isinstance(problem, BadArgument | BadInput):
        return 400
    if isinstance(problem, StateError):
        return 503 if isinstance(problem, TimedOut) or problem.sqlstate == "IR406" else 409
    return 503


def timely(problem: StcError, seconds: float) -> StcError:
    """Convert PostgreSQL's errors for timeouts and invalid values into errors about the request.

    :param seconds: statement timeout.
    """
    state = problem.sqlstate or ""
    if isinstance(problem, DatabaseError) and state == "57014":
        return TimedOut(f"the search took longer than {seconds:g} s", hint="Use rarer words or a longer prefix.")
    if isinstance(problem, DatabaseError) and state[:2] in ("22", "54"):
        return BadArgument(f"PostgreSQL cannot read the query: {problem.message}", hint=problem.hint, sqlstate=state)
    return problem
