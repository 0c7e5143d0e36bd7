"""Generate the reference of the Python API from signatures and docstrings. Only methods from declarations are imported."""

from __future__ import annotations

import ast
import inspect
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import is_dataclass
from importlib import import_module
from pathlib import Path
from textwrap import fill

from stcollection.evaluation.measures import Measure

PACKAGE = Path(__file__).resolve().parents[1] / "stcollection"
SHARED = 2  # methods that describe a parameter in the same words
WIDTH = 80  # of a signature
_FIELD = re.compile(r"\s*:(param|returns|raises)\s*([^:]*):\s*")
_ROLE = re.compile(r":\w+:`~?([^`]+)`")

Function = ast.FunctionDef | ast.AsyncFunctionDef


class Described(str):
    """The description of a method that is a command too, whose options have the parameters."""


def markdown(docstring: str | None, *, details: bool = True) -> str:
    """Convert a docstring to Markdown, with fields as a list and literals in single backticks.

    :param details: with the paragraphs after the first.
    """
    if not docstring:
        return ""
    prose, *fields = re.split(r"(?=\s:(?:param|returns|raises)\b)", " " + docstring)
    paragraphs = [_example(part) if part.lstrip().startswith(">>> ") else " ".join(part.split()) for part in prose.split("\n\n")]
    if not details:
        paragraphs = [*paragraphs[:1], *(part for part in paragraphs[1:] if part.startswith("Example: "))]
    items = []
    for field in fields:
        _, kind, name, text = _FIELD.split(field, maxsplit=1)
        name, text = name.strip(), " ".join(text.split())
        title = {"param": f"`{name}`:", "returns": "returns", "raises": f"raises `{name}`:"}[kind]
        if text or kind == "raises":  # the signature has the names without a description
            items.append(f"- {title} {text}".rstrip(": "))
    text = "\n\n".join([*filter(None, paragraphs), *(["\n".join(items)] if items else [])])
    return _ROLE.sub(r"`\1`", text).replace("``", "`")


def _example(part: str) -> str:
    return "Example: " + ", ".join(f"`{line.strip().removeprefix('>>> ')}`" for line in part.strip().splitlines()) + "."


def signature(node: Function) -> str:
    """Return ``search(query, *, k=10) -> Frame``, without the types of parameters; a property has no brackets."""
    returns = f" -> {ast.unparse(node.returns)}" if node.returns and ast.unparse(node.returns) not in ("None", "Any") else ""
    if any(isinstance(d, ast.Name) and d.id in ("property", "cached_property") for d in node.decorator_list):
        return f"{node.name}{returns}"
    parameters = node.args
    parameters.args = [parameter for parameter in parameters.args if parameter.arg not in ("self", "cls")]
    for parameter in (*parameters.args, *parameters.kwonlyargs, *filter(None, (parameters.vararg, parameters.kwarg))):
        parameter.annotation = None
    return f"{node.name}({ast.unparse(parameters)}){returns}"


def _public(body: list[ast.stmt]) -> Iterator[Function | ast.ClassDef]:
    for node in body:
        if isinstance(node, Function | ast.ClassDef) and not node.name.startswith("_") and not _is_overload(node):
            yield node


def _is_overload(node: Function | ast.ClassDef) -> bool:
    return any(isinstance(one, ast.Name) and one.id == "overload" for one in node.decorator_list)


def _parts(node: ast.ClassDef, module: str) -> Iterator[str]:
    yield f"### {node.name}"
    yield markdown(ast.get_docstring(node))
    fields = [
        f"`{one.target.id}: {ast.unparse(one.annotation)}`"
        for one in node.body
        if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name) and not one.target.id.startswith("_")
    ]
    if fields:
        yield "Fields: " + ", ".join(fields) + "."
    for inner in node.body:
        if isinstance(inner, ast.Assign) and isinstance(inner.value, ast.Call) and _named(inner.value.func) in ("framed", "called"):
            yield from _declared(getattr(import_module(module), node.name), _named(inner.targets[0]))
        if isinstance(inner, ast.Assign) and isinstance(inner.value, ast.Attribute):
            yield f"#### `{_named(inner.targets[0])}`"
            yield f"The same as `{ast.unparse(inner.value)}`."
    for inner in _public(node.body):
        if isinstance(inner, Function):
            yield from _heading("####", inner.name, signature(inner))
            yield markdown(ast.get_docstring(inner), details=False)


def _named(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else ""


def _declared(owner: type, name: str) -> Iterator[str]:
    """Return a method that is a declared function of the library. It is imported, because shared types describe its parameters."""
    method = getattr(owner, name)
    shown = []
    for one in inspect.signature(method).parameters.values():
        if one.name == "self":
            continue
        if one.kind is one.KEYWORD_ONLY and "*" not in shown:
            shown.append("*")
        shown.append(one.name if one.default is one.empty else f"{one.name}={_default(one.default)}")
    yield from _heading("####", name, f"{name}({', '.join(shown)})")
    yield Described(markdown(inspect.getdoc(method), details=False))


def _default(value: object) -> str:
    """Return a default as a reader types it."""
    if isinstance(value, tuple):
        return f"[{', '.join(map(repr, map(str, value)))}]"
    if isinstance(value, Measure):
        return repr(str(value))
    return f"{type(value).__name__}()" if is_dataclass(value) else repr(value)


_HEAD = """\
# Python

Look up a method, its parameters and its errors. `stcollection.open("demo")` returns a collection; its attributes `corpus`, `text`,
`vectors`, `topics`, `runs`, `qrels`, `analysis`, `complexity` and `plot` have the methods of the classes below. `help(c.run)`
prints more.
[The first hour of a researcher](../start/researcher.md) shows most of them at work.
"""
_SHARED_HEAD = """\
## Parameters of several methods

A method that has such a parameter does not describe it again. `filter.year` is a key of `filter`. Other parameters of
methods that are commands too have the names of the [options](commands.md)."""


def shared_parameters(paragraphs: list[str]) -> list[str]:
    """Return the most frequent line of each parameter that several methods describe in the same words."""
    lines = Counter(line for part in paragraphs for line in part.splitlines() if line.startswith("- `"))
    shared: dict[str, str] = {}
    for line, methods in lines.most_common():
        if methods >= SHARED:
            shared.setdefault(line.split("`")[1], line)
    return sorted(shared.values())


def _shortened(paragraph: str, shared: list[str]) -> str:
    """Return a paragraph without shared parameters, which the call before it names; of a command, without all parameters."""
    of_command = isinstance(paragraph, Described)
    left_out = ("- `",) if of_command else ()
    return "\n".join(line for line in paragraph.splitlines() if line not in shared and not line.startswith(left_out))


def page() -> str:
    """Return the page: functions of the package, classes of api/, and errors.

    Functions in api/ are not listed, since users get its classes from :func:`stcollection.open`.
    """
    parts = ["## stcollection"]
    for node in _public(_tree("__init__.py").body):
        if isinstance(node, Function):
            parts += _heading("###", "stcollection." + node.name, signature(node))
            parts.append(markdown(ast.get_docstring(node)))
    api = sorted((PACKAGE / "api").glob("*.py"), key=lambda path: (path.stem != "collection", path.stem))
    for title, paths in (("stcollection.api", api), ("stcollection.errors", [PACKAGE / "errors.py"])):
        parts.append(f"## {title}")
        for path in paths:
            for node in _public(_tree(str(path.relative_to(PACKAGE))).body):
                if isinstance(node, ast.ClassDef):
                    parts += _parts(node, title if path.stem == "errors" else f"{title}.{path.stem}")
    shared = shared_parameters(parts)
    parts = [_HEAD, _SHARED_HEAD, "\n".join(shared), *(_shortened(part, shared) for part in parts)]
    return "\n\n".join(filter(None, parts)) + "\n"


def _heading(level: str, name: str, call: str) -> tuple[str, str]:
    """Return a heading and the call in a block, wrapped, with the default values as Python prints them."""
    return f"{level} {name}", "```text\n" + fill(call, WIDTH, subsequent_indent="    ", break_on_hyphens=False) + "\n```"


def _tree(path: str) -> ast.Module:
    return ast.parse((PACKAGE / path).read_text(encoding="utf-8"))
