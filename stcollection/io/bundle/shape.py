"""Check the shapes of what a bundle contains, so that a file with correct checksums and wrong content is refused with its place.

Everything that later steps read is checked here; entries with other names are ignored.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator, Mapping
from datetime import date, datetime
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from stcollection.counts import counted
from stcollection.errors import BadInput

ASK = "Have the bundle made again, or do not trust it."
TEXTS, REFERENCES = "documents/texts.jsonl", "documents/references.jsonl"
_REQUIRED = ("README.md", REFERENCES, "queries.jsonl", "topics.jsonl")


class ValueKind(NamedTuple):
    """A kind of value. :param name: in messages: "year is not a number"."""

    name: str
    fits: Callable[[Any], bool]


def _text(value: Any) -> bool:
    return isinstance(value, str) and "\0" not in value


def _number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**63


def _parsed(parse: Callable[[str], object]) -> Callable[[Any], bool]:
    def fits(value: Any) -> bool:
        try:
            return isinstance(value, str) and bool(parse(value))
        except ValueError:
            return False

    return fits


def _or_null(kind: ValueKind) -> ValueKind:
    return ValueKind(f"{kind.name} or null", lambda value: value is None or kind.fits(value))


TEXT = ValueKind("text", _text)
NAME = ValueKind("a name", lambda value: _text(value) and bool(value))
COUNT = ValueKind("a number", _number)
YEAR = ValueKind("a year", lambda value: _number(value) and value <= 9999)
TRUTH = ValueKind("true or false", lambda value: isinstance(value, bool))
MAPPING = ValueKind("a mapping", lambda value: isinstance(value, dict))
COUNTS = ValueKind("a mapping of numbers", lambda value: isinstance(value, dict) and all(map(_number, value.values())))
FILES = ValueKind("a mapping of files", lambda value: isinstance(value, dict) and all(map(_text, value.values())))
TIME = ValueKind("a time with a time zone", _parsed(lambda value: datetime.fromisoformat(value).utcoffset() is not None))
DAY = ValueKind("a date", _parsed(date.fromisoformat))
SHA256 = ValueKind("a SHA-256", _parsed(re.compile("[0-9a-f]{64}").fullmatch))

# A shape is a ValueKind, [shape of each element], or {name: shape of the entry}; names with ? may be missing.
_RUN = {
    "run": NAME,
    **dict.fromkeys(("team", "tag", "family"), _or_null(TEXT)),
    **dict.fromkeys(("manual", "shared"), TRUTH),
    "params": _or_null(MAPPING),
    "sha256?": _or_null(SHA256),
    "metadata": MAPPING,
    "made": TIME,
    "files": FILES,
}
_EDITION = {
    "edition": NAME,
    **dict.fromkeys(("description", "split"), _or_null(TEXT)),
    "year": _or_null(YEAR),
    "scale": _or_null(MAPPING),
    "simulated": TRUTH,
    "made": TIME,
    "sealed": _or_null(TIME),
    "fingerprint": _or_null(SHA256),
    "sha256?": SHA256,
    "judgments": COUNT,
    "origins": COUNTS,
    "files": FILES,
}
MANIFEST_SHAPE = {
    "collection": NAME,
    "documents": {
        "references": COUNT,
        "texts": COUNT,
        "sha256?": SHA256,
        "licences": [{"licence": _or_null(TEXT), "documents": COUNT}],
    },
    "topics": COUNT,
    "queries": COUNT,
    "sets": [{"name": NAME, "expression": TEXT, "description": _or_null(TEXT)}],
    "runs": [_RUN],
    "editions": [_EDITION],
    "hidden": [{"edition": NAME, "fingerprint?": _or_null(SHA256)}],
    "measures": [NAME],
    "own_measures?": [{"ir": NAME, "value": TEXT}],
}
TOPIC = {
    "topic": NAME,
    "published?": DAY,
    **dict.fromkeys(("text?", "url?", "abstract_url?", "title?", "article?", "source?"), TEXT),
}
QUERY = {"query": NAME, "text": TEXT, "origin": NAME, "topic?": NAME, "model?": TEXT, "excluded?": [NAME]}
REFERENCE = {"docno": NAME, "sha256": SHA256, "source?": TEXT, "licence?": TEXT}
DOCUMENT = {"docno": NAME, "title?": _or_null(TEXT), "abstract?": _or_null(TEXT)}


def fault(value: Any, shape: Any, place: str = "") -> str | None:
    """Return what is wrong with a value, for instance ``editions[0].files is not a mapping of files``; None if nothing is."""
    if isinstance(shape, ValueKind):
        return None if shape.fits(value) else f"{place or 'it'} is not {shape.name}"
    if isinstance(shape, list):
        if not isinstance(value, list):
            return f"{place} is not a list"
        return next((wrong for number, part in enumerate(value) if (wrong := fault(part, shape[0], f"{place}[{number}]"))), None)
    if not isinstance(value, dict):
        return f"{place or 'it'} is not a mapping"
    for name, inner in shape.items():
        plain = name.removesuffix("?")
        inside = f"{place}.{plain}" if place else plain
        if plain in value:
            if wrong := fault(value[plain], inner, inside):
                return wrong
        elif plain == name:
            return f"{inside} is missing"
    return None


def manifest_fault(manifest: Mapping[str, Any], files: Mapping[str, str]) -> str | None:
    """Return what is wrong with the content of bundle.json; None if nothing is. :param files: those of the bundle."""
    if wrong := fault(manifest, MANIFEST_SHAPE):
        return wrong
    for kind, names in (
        ("run", [run["run"] for run in manifest["runs"]]),
        ("edition", [edition["edition"] for edition in manifest["editions"] + manifest["hidden"]]),
        ("file", [name for entry in manifest["runs"] + manifest["editions"] for name in entry["files"].values()]),
    ):
        if twice := next((name for name in names if names.count(name) > 1), None) if len(set(names)) < len(names) else None:
            return f"it names the {kind} {twice!r} twice"
    for run in manifest["runs"]:
        if run["files"] and not {"run", "metadata"} <= run["files"].keys():
            return f"the run {run['run']!r} has no files run and metadata"
    for edition in manifest["editions"]:
        if len({"means", "scores"} & edition["files"].keys()) == 1 or len({"qrels", "judgments"} & edition["files"].keys()) == 1:
            return f"the edition {edition['edition']!r} lacks one of the files qrels and judgments, means and scores"
    needed = [*_REQUIRED, *([TEXTS] if manifest["documents"]["texts"] else [])]
    named = [name for entry in manifest["runs"] + manifest["editions"] for name in entry["files"].values()]
    lacks = next((name for name in (*needed, *named) if name not in files), None)
    return None if lacks is None else f"it needs the file {lacks!r}, which is missing"


def read_records(path: Path, shape: Any, where: str) -> Iterator[dict[str, Any]]:
    """Yield the JSON lines of a file. :param where: its name in messages. :raises BadInput: a line has another shape."""
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            try:
                record = orjson.loads(line)
                wrong = fault(record, shape)
            except orjson.JSONDecodeError as error:
                record, wrong = {}, f"not JSON: {error}"
            if wrong:
                raise BadInput(f"{where}, line {number:,}: {wrong}", hint=ASK)
            yield record


def read_columns(path: Path, where: str, *, columns: int, between: str) -> list[list[str]]:
    """Return the rows of a table; one with spaces has no quotes.

    :raises BadInput: a row has another number of columns, or is not UTF-8.
    """
    try:
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.reader(file, delimiter=between, quoting=csv.QUOTE_NONE if between == " " else csv.QUOTE_MINIMAL))
    except (UnicodeDecodeError, csv.Error) as error:
        raise BadInput(f"{where}: not a table: {error}", hint=ASK) from error
    for number, row in enumerate(rows, 1):
        if len(row) != columns:
            raise BadInput(f"{where}, line {number:,}: {counted(len(row), 'column')} instead of {columns}", hint=ASK)
    return rows
