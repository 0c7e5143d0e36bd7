"""Write docs/reference/errors.md: every error that Python and SQL raise, with its next step.

python -m tools.errors            write it
python -m tools.errors --check    fail if it is not current
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from stcollection.cells import markdown_cell

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "reference" / "errors.md"
#: The classes of stcollection/errors.py and their subclasses of the page, and the errors of click for arguments of commands.
CLASSES = {
    "UnknownObject": "IR1",
    "BadArgument": "IR2",
    "UsageError": "IR2",
    "BadParameter": "IR2",
    "BadInput": "IR3",
    "StateError": "IR4",
    "TimedOut": "IR4",
    "Conflict": "IR4",
    "DatabaseError": "",
    "ProgramFailed": "",
    "StcError": "",
}
_OF_CLICK = ("UsageError", "BadParameter")  # click prints how to get help
_HELP = ast.Constant("The command's --help lists its options.")
TITLES = {
    "IR1": ("Unknown names", "`UnknownObject`, exit code 2: a name that is not stored."),
    "IR2": ("Wrong arguments", "`BadArgument`, exit code 2: a value out of range, or options that exclude each other."),
    "IR3": ("Unreadable input", "`BadInput`, exit code 3: a file or record that cannot be read."),
    "IR4": ("Wrong state", "`StateError`, exit code 4: the collection lacks something that the call needs."),
    "": ("Other errors", "`DatabaseError`, exit code 5: PostgreSQL refused a statement or cannot be reached. Others: exit code 1."),
}
HEAD = """\
# Errors

Written by `tools/errors.py` from the code.

An error says what is wrong, with the value, and then what to do next. A terminal shows the next step as the second line, psql as
the HINT. In Python it is the attribute `hint`, which names calls of Python.

Each SQL error has a code of class `IR` (SQLSTATE). Its first digit is the family, which is also the class of the Python exception
and the exit code of `stc`. `…` or a name in `{}` is the place of a value.
"""
_RAISE = re.compile(r"RAISE EXCEPTION\s+USING\s+(.*?);[ \t]*$", re.DOTALL | re.MULTILINE)
_CONSTANT = re.compile(r"(\w+) CONSTANT text := (.*?);[ \t]*$", re.DOTALL | re.MULTILINE)
_PART = re.compile(r"\b(ERRCODE|MESSAGE|DETAIL|HINT)\s*=\s*")
_TOKEN = re.compile(r"'((?:[^']|'')*)'|--[^\n]*")  # a literal, or a comment


@dataclass(frozen=True, order=True)
class Raised:
    """One error of the code.

    :param family: first characters of its SQLSTATE; '' for none. :param code: the SQLSTATE, '' in Python.
    :param message: the text, with placeholders; '' if it is composed elsewhere. :param hint: the next step, '' for none.
    :param place: path below the repository. :param line: the first one.
    """

    family: str
    code: str
    message: str
    hint: str
    place: str
    line: int


def raised() -> list[Raised]:
    """Every error that the package and sql/ raise, by family, code and message."""
    found: set[Raised] = set()
    for path in sorted((ROOT / "stcollection").rglob("*.py")):
        found.update(_in_python(path))
    for path in sorted((ROOT / "sql").rglob("*.sql")):
        found.update(_in_sql(path))
    return sorted(found)


def _in_python(path: Path) -> Iterator[Raised]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    assigned = sorted(
        (
            (node.lineno, target.id, node.value)
            for node in ast.walk(tree)
            if isinstance(node, ast.Assign)
            for target in node.targets
            if isinstance(target, ast.Name)
        ),
        key=lambda one: one[0],
    )
    before = 0  # line of the error before
    calls = sorted((node for node in ast.walk(tree) if isinstance(node, ast.Call)), key=lambda node: node.lineno)
    for node in calls:
        name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
        if name not in CLASSES:
            continue
        hint = next((keyword.value for keyword in node.keywords if keyword.arg == "hint"), _HELP if name in _OF_CLICK else None)
        if not node.args or isinstance(node.args[0], ast.Starred):
            continue
        constants = _values(assigned, before, node.lineno)
        before = node.lineno
        for message in _texts(node.args[0], constants):
            for step in _texts(hint, constants) if hint is not None else [""]:
                yield Raised(CLASSES[name], "", message, step, str(path.relative_to(ROOT)), node.lineno)


def _values(assigned: list[tuple[int, str, ast.expr]], before: int, line: int) -> dict[str, list[ast.expr]]:
    """What each name can be at a line: all values it got since the error before; else the last one earlier, or the first later.

    :param assigned: line, name and value of each assignment, by line.
    """
    values = {name: [value] for at, name, value in reversed(assigned) if at > line}
    values |= {name: [value] for at, name, value in assigned if at < line}
    recent: dict[str, list[ast.expr]] = {}
    for at, name, value in assigned:
        if before < at < line:
            recent.setdefault(name, []).append(value)
    return values | recent


def _texts(node: ast.expr, constants: dict[str, list[ast.expr]], depth: int = 3) -> list[str]:
    """The texts that an expression can be: the branches of a condition, f-strings with placeholders; '…' for any other."""
    match node:
        case ast.Constant(value=str(text)):
            return [text]
        case ast.Constant(value=None):
            return [""]
        case ast.JoinedStr(values=parts):
            return ["".join(_part(part) for part in parts)]
        case ast.IfExp(body=body, orelse=other):
            return [*_texts(body, constants, depth), *_texts(other, constants, depth)]
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return [a + b for a in _texts(left, constants, depth) for b in _texts(right, constants, depth)]
        case ast.Call(func=ast.Attribute(value=inner, attr="format")):
            return _texts(inner, constants, depth)
        case ast.Call(func=ast.Name(id="later"), args=[inner]):
            return _texts(inner, constants, depth)
        case ast.Name(id=name) if name in constants and depth:
            return [text for value in constants[name] for text in _texts(value, constants, depth - 1)]
        case _:
            return [f"{{{_name(node)}}}"]


def _part(part: ast.expr) -> str:
    if isinstance(part, ast.FormattedValue):
        return f"{{{_name(part.value)}}}"
    return str(part.value) if isinstance(part, ast.Constant) else "…"


def _name(node: ast.expr) -> str:
    """A short name for the value of an expression."""
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(attr=name):
            return name
        case ast.Subscript(value=inner) | ast.Call(args=[inner, *_]) | ast.Call(func=ast.Attribute(value=inner)):
            return _name(inner)
        case _:
            return "…"


def _in_sql(path: Path) -> Iterator[Raised]:
    text = path.read_text(encoding="utf-8")
    constants = dict(_CONSTANT.findall(text))
    for match in _RAISE.finditer(text):
        parts = _PART.split(match[1])
        given = {name: value.strip().rstrip(",") for name, value in zip(parts[1::2], parts[2::2], strict=True)}
        given = {name: constants.get(value, value) for name, value in given.items()}
        code = (_TOKEN.search(given.get("ERRCODE", "")) or [None, ""])[1] or "…"
        line = text.count("\n", 0, match.start()) + 1
        family = code[:3] if code[:3] in TITLES else ""
        place = str(path.relative_to(ROOT))
        yield Raised(family, code, _said(given.get("MESSAGE", "")), _said(given.get("HINT", "")), place, line)


def _said(expression: str) -> str:
    """The text of a SQL expression: its literals, placeholders for what is put between and into them."""
    literals = [one[1].replace("''", "'") for one in _TOKEN.finditer(expression) if one[1] is not None]
    kept = [one for one in literals if len(one) > 2 or not expression.lstrip().startswith("format(")]
    text = "".join(kept) if "\n" in expression and "||" not in expression else "…".join(kept)
    return re.sub(r"%%", "%", re.sub(r"%[sLI]", "…", text))


def page(errors: list[Raised]) -> str:
    """The text of the page."""
    lines = [HEAD]
    for family, (title, about) in TITLES.items():
        lines += [f"## {title}", "", about, "", "| code | message | next step | raised in |", "|---|---|---|---|"]
        chosen = [one for one in errors if one.family == family and one.message.strip("{…}")]
        for (code, message, hint), same in groupby(sorted(chosen), key=lambda one: (one.code, one.message, one.hint)):
            places = sorted({one.place for one in same})
            cells = [code and f"`{code}`", message, hint, ", ".join(f"`{place}`" for place in places)]
            lines.append(f"| {' | '.join(str(markdown_cell(cell)) for cell in cells)} |")
        lines.append("")
    return "\n".join(lines)


def main() -> int:
    """Write the page, or compare it."""
    text = page(raised())
    if "--check" in sys.argv[1:]:
        return 0 if PAGE.read_text(encoding="utf-8") == text else 1
    PAGE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
