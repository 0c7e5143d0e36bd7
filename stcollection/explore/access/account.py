"""The signed-in reader in the bar of tabs, and the button that signs out."""

from __future__ import annotations

from typing import Any, cast

from shiny import Outputs, Session, render, ui
from starlette.types import Scope

from stcollection.explore.access.desks import WHO
from stcollection.web.words import t


def form() -> ui.Tag:
    """Return the name and the button. The form works without JavaScript."""
    return ui.tags.form(
        ui.span(ui.output_text("account_name", inline=True), class_="stc-account-name"),
        ui.tags.button(t("Sign out"), type="submit", class_="stc-sign-out"),
        method="post",
        action="sign-out",
        class_="stc-account",
    )


def files() -> tuple[ui.Tag, ...]:
    """Return the elements that load style and script."""
    return ui.tags.link(rel="stylesheet", href="explore/account.css"), ui.tags.script(src="explore/account.js")


def scope_of(session: Session) -> Scope:
    """Return the ASGI scope of a page's websocket. Shiny has it in an attribute that its types do not name."""
    return cast("Scope", cast("Any", session).http_conn.scope)


def serve(output: Outputs, scope: Scope) -> None:
    """Show the name of the reader."""

    @output(suspend_when_hidden=False)  # on narrow screens the bar is closed at first
    @render.text
    def account_name() -> str:
        return t("Signed in as {name}", name=scope.get(WHO, ""))
