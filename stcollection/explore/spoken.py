"""The language of a session of the Shiny page: that of the page from which it was opened."""

from __future__ import annotations

from typing import Any, cast

from shiny import Session, reactive
from shiny.session import get_current_session
from shiny.types import SilentException

from stcollection.web.words import CHOICE, LANGUAGES, language, set_session_language

_KEY = "stc.language"  # key of an ASGI scope: the language of a session


def follow(session: Session) -> None:
    """Let a session speak the language in which its page was written."""
    with reactive.isolate():
        try:
            sent = session.root_scope().input[CHOICE]()
        except SilentException:
            sent = None
    _scope(session)[_KEY] = sent if sent in LANGUAGES else language()


def _language() -> str | None:
    """Return the language of the current session; None outside of sessions."""
    session = get_current_session()
    return None if session is None else _scope(session).get(_KEY)


def _scope(session: Session) -> dict[str, Any]:
    """Return the ASGI scope of a page's websocket. Shiny has it in an attribute that its types do not name."""
    return cast("dict[str, Any]", cast("Any", session.root_scope()).http_conn.scope)


set_session_language(_language)
