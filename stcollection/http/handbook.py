"""Documentation of the endpoints for programs: plain HTML from the OpenAPI description, without scripts."""

from __future__ import annotations

import hashlib
from base64 import b64encode
from typing import Any

from stcollection.web.markup import Html, el, join

_STYLE = """
:root { color-scheme: light dark }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
code { overflow-wrap: anywhere } th { text-align: left; padding-right: 1rem; vertical-align: top } td { vertical-align: top }
"""
_DIGEST = b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
POLICY = f"default-src 'none'; style-src 'sha256-{_DIGEST}'; base-uri 'none'; frame-ancestors 'none'"  # the page's own style only


def handbook(description: dict[str, Any]) -> str:
    """Return the page. :param description: the OpenAPI description."""
    bodies = description.get("components", {}).get("schemas", {})
    parts = [
        _address(method.upper(), path, one, bodies)
        for path, methods in description["paths"].items()
        for method, one in methods.items()
    ]
    head = el(
        "head",
        el("meta", charset="utf-8"),
        el("meta", name="viewport", content="width=device-width, initial-scale=1"),
        el("title", description["info"]["title"]),
        el("style", Html(_STYLE)),
    )
    body = el(
        "body",
        el("h1", "Search service"),
        el(
            "p",
            "GET requests only read; POST requests store what the login may store. Responses are JSON. ",
            el("a", "openapi.json", href="openapi.json"),
        ),
        *parts,
        el("h2", "GET /dblp1/_search"),
        el(
            "p",
            "Search in the format of ElasticSearch 7, for scripts and its Python client. ",
            el("code", "q"),
            " is a Lucene query string; ",
            el("code", "size"),
            " and ",
            el("code", "from"),
            " select a page of results. The body can contain the query instead. ",
            el("a", "Example", href="dblp1/_search?q=privacy&size=3&pretty=true"),
        ),
    )
    return f"<!doctype html>{el('html', head, body, lang='en')}"


def _address(method: str, path: str, operation: dict[str, Any], models: dict[str, Any]) -> Html:
    rows = [_parameter(one) for one in operation.get("parameters", ())]
    kinds = operation.get("requestBody", {}).get("content", {})
    fields = [
        _parameter({"name": name, "schema": schema, "required": name in model.get("required", ()), **schema})
        for kind in kinds.values()
        if (model := models.get(kind["schema"].get("$ref", "").rpartition("/")[2]))
        for name, schema in model.get("properties", {}).items()
    ]
    return join(
        el("h2", f"{method} {path}"),
        el("p", operation["summary"] + "."),
        el("table", el("caption", "Parameters"), el("tbody", *rows)) if rows else None,
        el("table", el("caption", "Fields of the body, a JSON object"), el("tbody", *fields)) if fields else None,
        el("p", f"The body is a file, sent as {next(iter(kinds))}.") if kinds and "application/json" not in kinds else None,
    )


def _parameter(one: dict[str, Any]) -> Html:
    schema = one["schema"]
    some = (part.get("type", "") for part in schema.get("anyOf", ()))
    kinds = schema.get("type") or " or ".join(kind for kind in some if kind != "null")
    told = [
        kinds,
        "required" if one.get("required") else f"default {schema['default']}" if schema.get("default") is not None else "",
        f"one of {', '.join(schema['enum'])}" if "enum" in schema else "",
        f"at most {schema['maximum']:,}" if "maximum" in schema else "",
        one.get("description", ""),
    ]
    return el("tr", el("th", el("code", one["name"]), scope="row"), el("td", "; ".join(part for part in told if part)))
