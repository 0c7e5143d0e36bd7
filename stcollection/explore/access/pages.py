"""Plain HTML pages that work without JavaScript: sign in, accept an invitation, and what went wrong."""

from __future__ import annotations

from starlette.responses import HTMLResponse

from stcollection.explore import assets
from stcollection.web.markup import Html, el
from stcollection.web.words import language, t

STYLE, ICON = assets.address("page.css"), assets.address("icon.svg")


def sign_in(title: str, *, problem: str | None = None, name: str = "", where: str = "", status: int = 200) -> HTMLResponse:
    """Return the form for name and password. :param where: query string of the page to open afterwards."""
    wrong = {"aria_describedby": "problem", "aria_invalid": "true"} if problem else {}
    return _page(
        t("{collection}: sign in", collection=title),
        el("h1", t("Sign in to {collection}", collection=title)),
        _problem(problem),
        _form(
            "/sign-in",
            el("label", t("Name"), for_="name"),
            _input("name", name, autocomplete="username", autocapitalize="none", spellcheck="false", maxlength=63, **wrong),
            el("label", t("Password"), for_="password"),
            _input("password", "", type_="password", autocomplete="current-password", **wrong),
            _hidden("next", where),
            el("button", t("Sign in"), type="submit", class_="main"),
        ),
        el("p", t("Use your login of the database. Its administrator can set a new password."), class_="stc-about"),
        status=status,
    )


def invitation(title: str, pool: str, annotator: str, token: str) -> HTMLResponse:
    """Return the page that an invitation link opens. Only its button signs in: programs that check links use nothing up."""
    return _page(
        t("{collection}: invitation", collection=title),
        el("h1", t("You are invited to judge documents")),
        el("dl", el("dt", t("Pool")), el("dd", pool), el("dt", t("Your name")), el("dd", annotator)),
        _form("/invited", _hidden("invitation", token), el("button", t("Start judging"), type="submit", class_="main")),
        el("p", t("Your grades are stored with this name. Do not share the link."), class_="stc-about"),
    )


def notice(title: str, heading: str, text: str, *, status: int) -> HTMLResponse:
    """Return a page with one message."""
    return _page(f"{title}: {heading[:1].lower()}{heading[1:]}", el("h1", heading), el("p", text, role="alert"), status=status)


def again(title: str, path: str) -> HTMLResponse:
    """Return a page that opens a path of this server.

    Browsers send no strict cookie with a link from another site. They send it with the request that this page makes.
    """
    refresh = _void("meta", http_equiv="refresh", content=f"0;url={path}")
    return _page(title, el("p", el("a", t("Continue"), href=path)), head=refresh)


def _page(title: str, *body: str | None, head: str = "", status: int = 200) -> HTMLResponse:
    meta = (
        _void("meta", charset="utf-8"),
        _void("meta", name_="viewport", content="width=device-width, initial-scale=1"),
        _void("meta", name_="color-scheme", content="light dark"),
        _void("link", rel="icon", href=ICON, type="image/svg+xml"),
        _void("link", rel="stylesheet", href=STYLE),
    )
    html = el(
        "html", el("head", *meta, Html(head), el("title", title)), el("body", el("main", *body), class_="door"), lang=language()
    )
    return HTMLResponse(f"<!DOCTYPE html>\n{html}", status, {"cache-control": "no-store"})


def _problem(text: str | None) -> Html | None:
    return el("p", text, id="problem", role="alert") if text else None


def _form(action: str, *fields: str) -> Html:
    return el("form", *fields, method="post", action=action)


def _input(name: str, value: str, *, type_: str = "text", **more: str | int) -> Html:
    return _void("input", id=name, name_=name, type=type_, value=value, required="", **more)


def _hidden(name: str, value: str) -> Html:
    return _void("input", type="hidden", name_=name, value=value)


def _void(name: str, **attributes: str | int) -> Html:
    return Html(el(name, **attributes).removesuffix(f"</{name}>"))
