"""Read the files in sql/ as text, without a database: header comments, signatures and COMMENTs."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from stcollection.db.objects import folders

REPOSITORY = Path(__file__).resolve().parents[1]

_OBJECT = re.compile(
    r"^CREATE OR REPLACE (?P<kind>FUNCTION|PROCEDURE|VIEW|TRIGGER) (?P<public>public\.)?(?P<name>\w+)\s*(?P<rest>.*?)"
    r"(?=^CREATE OR REPLACE |\Z)",
    re.DOTALL | re.MULTILINE,
)
# SQL concatenates literals separated only by a line break.
_LITERAL = re.compile(r"'((?:[^']|'')*)'")
_COMMENT_ON = re.compile(
    rf"^COMMENT ON (?:FUNCTION|PROCEDURE|VIEW) (?:public\.)?(\w+)[^;']*? IS\s+({_LITERAL.pattern}(?:\s*\n\s*{_LITERAL.pattern})*)",
    re.DOTALL | re.MULTILINE,
)
_DEFINER = re.compile(r"^\s*(?:LANGUAGE .*)?SECURITY DEFINER", re.MULTILINE)
_NOTE = re.compile(r"--[^\n]*")


@dataclass(frozen=True)
class SqlObject:
    """A function, procedure or view.

    :param head: the header comment of its file, without dashes; '' if there is none.
    :param definer: the function runs with its owner's rights.
    :param public: the object is in the schema public, for users; else in stc.
    """

    kind: str
    name: str
    stage: str
    arguments: str
    returns: str
    comment: str
    head: str
    definer: bool = False
    public: bool = False

    @cached_property
    def safe_because(self) -> str:
        """Return the text after ``Safe because:`` in the header of a function that runs with its owner's rights, else ''."""
        _, found, rest = self.head.partition("Safe because: ")
        return " ".join(rest.partition("\n\n")[0].partition("\nRaises ")[0].split()) if found else ""

    @cached_property
    def signature(self) -> str:
        name = self.name if self.public else f"stc.{self.name}"
        return name if self.kind == "view" else f"{name}({self.arguments})"

    @property
    def trigger(self) -> bool:
        return self.returns == "trigger"


def objects(folder: Path | None = None) -> list[SqlObject]:
    """Return the objects in sql/ and of studies, by stage or study and name. :raises LookupError: an object has no COMMENT."""
    roots = folders().values() if folder is None else [folder]
    return [one for root in roots for path in sorted(root.rglob("*.sql")) for one in _objects(path)]


def _objects(path: Path) -> list[SqlObject]:
    text = path.read_text(encoding="utf-8")
    head = []
    for line in text.splitlines():
        if not line.startswith("--"):
            break
        head.append(line.removeprefix("--").removeprefix(" ").rstrip())
    comments: dict[str, list[str]] = {}  # by name; for several signatures, in their order
    for name, literals, *_ in _COMMENT_ON.findall(text):
        comments.setdefault(name, []).append(" ".join("".join(_LITERAL.findall(literals)).replace("''", "'").split()))
    found = []
    for match in _OBJECT.finditer(text):
        if match["kind"] == "TRIGGER":
            continue
        arguments, behind = _bracketed(match["rest"]) if match["kind"] != "VIEW" else ("", "")
        if not comments.get(match["name"]):
            raise LookupError(f"{path}: {match['name']} has no COMMENT")
        found.append(
            SqlObject(
                match["kind"].lower(),
                match["name"],
                path.parent.name if path.parent.name != "sql" else path.parents[1].name,
                arguments,
                _returns(behind),
                comments[match["name"]].pop(0),
                "\n".join(head),
                _DEFINER.search(behind) is not None,
                match["public"] is not None,
            )
        )
    return found


def _bracketed(text: str) -> tuple[str, str]:
    """Return the text inside the brackets at the start, on one line, and the text after them."""
    text = _NOTE.sub("", text)
    depth, quoted = 0, False
    for place, character in enumerate(text):
        quoted ^= character == "'"
        if not quoted:
            depth += {"(": 1, ")": -1}.get(character, 0)
        if depth == 0:
            return " ".join(text[1:place].split()), text[place + 1 :]
    raise ValueError("a bracket is not closed")


def _returns(behind: str) -> str:
    """Return ``TABLE (doc bigint, …)``, ``double precision`` and so on; '' for a procedure."""
    found = re.match(r"\s*RETURNS\s+", behind)
    if found is None:
        return ""
    behind = behind[found.end() :]
    if table := re.match(r"TABLE\s*", behind):
        return f"TABLE ({_bracketed(behind[table.end() :])[0]})"
    words = re.split(
        r"\s+(?=LANGUAGE|IMMUTABLE|STABLE|VOLATILE|STRICT|PARALLEL|SECURITY|SET|COST|ROWS|AS)\b|\n", behind, maxsplit=1
    )
    return " ".join(words[0].split())
