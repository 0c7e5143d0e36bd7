"""Generate the reference of the Python API from signatures and docstrings. Only methods from declarations are imported.

Classes that users never name are not listed: protocols, and those in INTERNAL.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from dataclasses import is_dataclass
from importlib import import_module
from pathlib import Path
from textwrap import fill

from stcollection.evaluation.measures import Measure

PACKAGE = Path(__file__).resolve().parents[1] / "stcollection"
WIDTH = 80  # of a signature
#: Base classes, and classes of type checkers and progress.
INTERNAL = {"CalledMethod", "Framed", "FramedMethod", "FramedNamesMethod", "NotebookBar", "PythonFace", "Stage"}
#: Classes whose methods have the names and descriptions of commands, which the page of commands has.
COMMANDS = {"Plots"}
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
    if _is_property(node):
        return f"{node.name}{returns}"
    parameters = node.args
    parameters.args = [parameter for parameter in parameters.args if parameter.arg not in ("self", "cls")]
    for parameter in (*parameters.args, *parameters.kwonlyargs, *filter(None, (parameters.vararg, parameters.kwarg))):
        parameter.annotation = None
    return f"{node.name}({ast.unparse(parameters)}){returns}"


def _is_property(node: Function) -> bool:
    return any(isinstance(one, ast.Name) and one.id in ("property", "cached_property") for one in node.decorator_list)


def _is_listed(node: ast.ClassDef) -> bool:
    return node.name not in INTERNAL and all("Protocol" not in ast.unparse(base) for base in node.bases)


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
    methods = [inner for inner in _public(node.body) if isinstance(inner, Function)]
    properties = [inner for inner in methods if _is_property(inner)]
    yield "\n".join(f"- `{signature(inner)}` {markdown(ast.get_docstring(inner), details=False)}".rstrip() for inner in properties)
    assigned = [inner for inner in node.body if isinstance(inner, ast.Assign)]
    same: dict[str, list[str]] = {}  # names of methods of another class, by its name
    for inner in assigned:
        if isinstance(inner.value, ast.Attribute):
            name, theirs = _named(inner.targets[0]), inner.value.attr
            words = f"`{name}`" if name == theirs else f"`{name}` (there `{theirs}`)"
            same.setdefault(ast.unparse(inner.value.value), []).append(words)
    for owner, names in same.items():
        yield f"The same as in `{owner}`: {', '.join(names)}."
    for inner in assigned:
        if isinstance(inner.value, ast.Call) and _named(inner.value.func) in ("framed", "called"):
            heading, call, text = _declared(getattr(import_module(module), node.name), _named(inner.targets[0]))
            yield from (heading, call) if node.name in COMMANDS else (heading, call, text)
    for method in methods:
        if not _is_property(method):
            yield from _heading("####", method.name, signature(method))
            yield markdown(ast.get_docstring(method), details=False)


def _named(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else ""


def _declared(owner: type, name: str) -> tuple[str, str, str]:
    """Return a method that is a declared function of the library. It is imported, because shared types describe its parameters."""
    method = getattr(owner, name)
    shown = []
    for one in inspect.signature(method).parameters.values():
        if one.name == "self":
            continue
        if one.kind is one.KEYWORD_ONLY and "*" not in shown:
            shown.append("*")
        shown.append(one.name if one.default is one.empty else f"{one.name}={_default(one.default)}")
    return *_heading("####", name, f"{name}({', '.join(shown)})"), Described(markdown(inspect.getdoc(method), details=False))


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
`vectors`, `topics`, `runs`, `qrels`, `analysis`, `complexity` and `plot` have the methods of the classes below. Parameters of
methods that are commands too are the [options](commands.md) of the command; `help(c.run)` describes them.
[The first hour of a researcher](../start/researcher.md) shows most methods at work.
"""


def _shortened(paragraph: str) -> str:
    """Return a paragraph; of a method that is a command too, without its parameters."""
    if not isinstance(paragraph, Described):
        return paragraph
    return "\n".join(line for line in paragraph.splitlines() if not line.startswith("- `"))


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
                if isinstance(node, ast.ClassDef) and _is_listed(node):
                    parts += _parts(node, title if path.stem == "errors" else f"{title}.{path.stem}")
    return "\n\n".join(filter(None, [_HEAD, *map(_shortened, parts)])) + "\n"


def _heading(level: str, name: str, call: str) -> tuple[str, str]:
    """Return a heading and the call in a block, wrapped, with the default values as Python prints them."""
    return f"{level} {name}", "```text\n" + fill(call, WIDTH, subsequent_indent="    ", break_on_hyphens=False) + "\n```"


def _tree(path: str) -> ast.Module:
    return ast.parse((PACKAGE / path).read_text(encoding="utf-8"))
