"""SVG for embedding in HTML: no XML prologue, ids unique within the page, no external resources."""

from __future__ import annotations

import re
from html import escape
from xml.etree import ElementTree

_SVG, _XLINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
_HREFS = (f"{{{_XLINK}}}href", "href")
_DROPPED = ("metadata", "script", "foreignObject", "a", "style", "title")
_URL = re.compile(r"url\(#([^)]*)\)")
_STYLE = "stroke-linejoin:round;stroke-linecap:butt"  # matplotlib's style sheet, which would affect the whole page


def inline(svg: bytes, *, prefix: str, label: str) -> str:
    """Return an SVG file as an HTML element; it scales with the page, down to its own width on a narrow one.

    :param prefix: prefix of its ids.
    :param label: text alternative for screen readers.
    """
    # Written by matplotlib from this database's data, so it contains no document type with entities to expand.
    root = ElementTree.fromstring(svg)  # noqa: S314
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag.rpartition("}")[2] in _DROPPED:
                parent.remove(child)
    for element in root.iter():
        for name, value in list(element.attrib.items()):
            if name == "id":
                element.set(name, f"{prefix}-{value}")
            elif name in _HREFS:
                if value.startswith("#"):
                    element.set(name, f"#{prefix}-{value[1:]}")
                elif not value.startswith("data:image/png;base64,"):
                    del element.attrib[name]
            elif name.startswith("on"):
                del element.attrib[name]
            else:
                element.set(name, _URL.sub(rf"url(#{prefix}-\1)", value))
    width = root.attrib.pop("width", "")
    for name in ("height", "version"):
        root.attrib.pop(name, None)
    root.set("role", "img")
    root.set("aria-label", label)
    root.set("style", f"width:{_points(width):g}pt;{_STYLE}")
    return _serialised(root)


def _points(width: str) -> float:
    match = re.fullmatch(r"([\d.]+)(pt|px)?", width)
    return float(match[1]) if match else 504.0


def _serialised(element: ElementTree.Element) -> str:
    """Serialise an element as HTML writes SVG: without namespaces, ``xlink:href`` by that name."""
    tag = element.tag.rpartition("}")[2]
    attributes = "".join(
        f' {name.replace(f"{{{_XLINK}}}", "xlink:").rpartition("}")[2]}="{escape(value)}"' for name, value in element.attrib.items()
    )
    inside = escape(element.text or "", quote=False) + "".join(
        _serialised(child) + escape(child.tail or "", quote=False) for child in element
    )
    return f"<{tag}{attributes}>{inside}</{tag}>"
