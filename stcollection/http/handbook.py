"""Documentation of the endpoints for programs: plain HTML from the OpenAPI description, without scripts."""

from __future__ import annotations

from typing import Any

from htmltools import HTMLDocument, Tag, TagList, tags

_STYLE = """
:root { color-scheme: light dark }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
code { overflow-wrap: anywhere } th { text-align: left; padding-right: 1rem; vertical-align: top } td { vertical-align: top }
"""


def handbook(description: dict[str, Any]) -> str:
    """Return the page. :param description: the OpenAPI description."""
    bodies = description.get("components", {}).get("schemas", {})
    parts = [
        _address(method.upper(), path, one, bodies)
        for path, methods in description["paths"].items()
        for method, one in methods.items()
    ]
    page = tags.html(
        tags.head(
            tags.meta(name="viewport", content="width=device-width, initial-scale=1"),
            tags.title(description["info"]["title"]),
            tags.style(_STYLE),
        ),
        tags.body(
            tags.h1("Search service"),
            tags.p(
                "GET requests only read; POST requests store what the login may store. Responses are JSON. ",
                tags.a("openapi.json", href="openapi.json"),
            ),
            *parts,
            tags.h2("GET /dblp1/_search"),
            tags.p(
                "Search in the format of ElasticSearch 7, for scripts and its Python client. ",
                tags.code("q"),
                " is a Lucene query string; ",
                tags.code("size"),
                " and ",
                tags.code("from"),
                " select a page of results. The body can contain the query instead. ",
                tags.a("Example", href="dblp1/_search?q=privacy&size=3&pretty=true"),
            ),
        ),
        lang="en",
    )
    return HTMLDocument(page).render()["html"]


def _address(method: str, path: str, operation: dict[str, Any], models: dict[str, Any]) -> TagList:
    rows = [_parameter(one) for one in operation.get("parameters", ())]
    kinds = operation.get("requestBody", {}).get("content", {})
    fields = [
        _parameter({"name": name, "schema": schema, "required": name in model.get("required", ()), **schema})
        for kind in kinds.values()
        if (model := models.get(kind["schema"].get("$ref", "").rpartition("/")[2]))
        for name, schema in model.get("properties", {}).items()
    ]
    return TagList(
        tags.h2(f"{method} {path}"),
        tags.p(operation["summary"] + "."),
        tags.table(tags.caption("Parameters"), tags.tbody(*rows)) if rows else None,
        tags.table(tags.caption("Fields of the body, a JSON object"), tags.tbody(*fields)) if fields else None,
        tags.p(f"The body is a file, sent as {next(iter(kinds))}.") if kinds and "application/json" not in kinds else None,
    )


def _parameter(one: dict[str, Any]) -> Tag:
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
    return tags.tr(tags.th(tags.code(one["name"]), scope="row"), tags.td("; ".join(part for part in told if part)))
