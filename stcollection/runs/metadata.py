"""Read, check and write ir_metadata, the YAML description of how a run was made.

We walk PyYAML's nodes and never construct objects from them, so that a file cannot create arbitrary objects. Aliases are refused,
because a short text can expand to a huge one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from stcollection.counts import counted
from stcollection.errors import BadInput
from stcollection.io.files import blocks, clip
from stcollection.runs.faults import RunFault
from stcollection.runs.names import stem
from stcollection.runs.schema import ANY, BOOLEAN, SCALAR, SCALARS, SECTIONS, plain

START, END = "ir_metadata.start", "ir_metadata.end"
_LARGEST = 256 * 1024  # characters
_DEEPEST = 20
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")
_BREAKS = re.compile("[\x85\u2028\u2029]")  # line breaks in YAML 1.1, which PyYAML writes
_TAG = "tag:yaml.org,2002:"
_TYPES = {f"{_TAG}{kind}" for kind in ("map", "seq", "str", "int", "float", "bool", "null", "timestamp", "merge", "value")}
_INTEGER = re.compile(r"-?(0|[1-9][0-9]{0,17})")


class _Refused(Exception):
    def __init__(self, line: int, what: str) -> None:
        super().__init__(what)
        self.line, self.what = line, what


class _Loader(yaml.SafeLoader):
    """Compose nodes; refuse aliases and nesting deeper than 20 levels."""

    depth = 0

    def _line(self) -> int:
        return int(self.peek_event().start_mark.line) + 1  # type: ignore[no-untyped-call]

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            raise _Refused(self._line(), "an alias (*name): write the value out")
        self.depth += 1
        if self.depth > _DEEPEST:
            raise _Refused(self._line(), f"nested more than {_DEEPEST} levels deep")
        node = super().compose_node(parent, index)
        self.depth -= 1
        return node


def parse(text: str, *, first: int = 1) -> tuple[dict[str, Any], list[RunFault]]:
    """Parse metadata from YAML, with or without start and end markers, and list its faults by line.

    :param first: the line of the file at which the text begins.
    :returns: the readable part as JSON-compatible values, and the faults.
    """
    lines = text.split("\n")
    text = "\n".join("" if line.strip("# \r") in (START, END) else line for line in lines)
    faults: list[RunFault] = []
    try:
        if len(text) > _LARGEST:
            raise _Refused(1, f"{counted(len(text), 'character')} of metadata; at most {_LARGEST:,} are allowed")
        node = yaml.compose(text, _Loader)
        if not isinstance(node, yaml.MappingNode):
            raise _Refused(1, "not a mapping of sections (platform, research goal, implementation, method, actor, data)")
        metadata = dict(_pairs(node, SECTIONS, faults, top=True))
    except _Refused as error:
        faults.append(RunFault(error.line, error.what))
        metadata = {}
    except yaml.reader.ReaderError as error:
        faults.append(
            RunFault(text.count("\n", 0, error.position) + 1, f"a character that YAML does not allow: {error.character!r}")
        )
        metadata = {}
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        faults.append(RunFault(mark.line + 1 if mark else 1, f"not YAML ({' '.join(str(error.problem or error.context).split())})"))
        metadata = {}
    return metadata, sorted(RunFault(fault.line + first - 1, f"metadata: {fault.what}") for fault in faults)


def _pairs(node: yaml.MappingNode, spec: Any, faults: list[RunFault], *, top: bool = False) -> Iterator[tuple[str, Any]]:
    seen: set[str] = set()
    for key, value in node.value:
        line = key.start_mark.line + 1
        if not isinstance(key, yaml.ScalarNode) or _UNSTORABLE.search(key.value):
            faults.append(RunFault(line, "a name that is not text"))
        elif plain(key.value) in seen:
            faults.append(RunFault(line, f"{clip(key.value)} is repeated"))
        elif top and plain(key.value) not in SECTIONS:
            faults.append(RunFault(line, f"unknown section {clip(key.value)}; the sections are {', '.join(SECTIONS)}"))
        else:
            inner = spec.get(plain(key.value), ANY) if isinstance(spec, dict) else ANY
            yield key.value, _value(value, inner, key.value, faults)
        if isinstance(key, yaml.ScalarNode):
            seen.add(plain(key.value))


def _value(node: yaml.Node, spec: Any, name: str, faults: list[RunFault]) -> Any:
    line = node.start_mark.line + 1
    if node.tag not in _TYPES:
        faults.append(RunFault(line, f"{clip(name)} has the type {clip(node.tag)}, which metadata cannot have"))
        return None
    expected = "a mapping" if isinstance(spec, dict) else spec
    if not _fits(node, spec):
        faults.append(RunFault(line, f"{clip(name)} is {_kind(node)}, not {expected}"))
    if isinstance(node, yaml.MappingNode):
        return dict(_pairs(node, spec, faults))
    if isinstance(node, yaml.SequenceNode):
        return [_value(item, ANY, name, faults) for item in node.value]
    if _UNSTORABLE.search(node.value):
        faults.append(RunFault(line, f"{clip(name)} contains U+0000 or half a surrogate pair"))
    return _scalar(node)


def _fits(node: yaml.Node, spec: Any) -> bool:
    if spec == ANY or node.tag == f"{_TAG}null":
        return True
    if isinstance(spec, dict):
        return isinstance(node, yaml.MappingNode)
    if spec in (SCALAR, BOOLEAN):
        return isinstance(node, yaml.ScalarNode) and (spec == SCALAR or node.tag == f"{_TAG}bool")
    inner = yaml.ScalarNode if spec == SCALARS else yaml.MappingNode
    return isinstance(node, yaml.SequenceNode) and all(isinstance(item, inner) for item in node.value)


def _kind(node: yaml.Node) -> str:
    if isinstance(node, yaml.MappingNode):
        return "a mapping"
    return f"the scalar {clip(node.value)}" if isinstance(node, yaml.ScalarNode) else "a sequence"


def _scalar(node: yaml.Node) -> Any:
    """Convert a scalar to JSON. Values that would not be written back unchanged stay text (dates, octals, 6.10, 1:30, .nan)."""
    kind, text = str(node.tag).removeprefix(_TAG), str(node.value)
    if kind == "bool":
        return text.lower() in ("yes", "true", "on")
    if kind == "int" and _INTEGER.fullmatch(text):
        return int(text)
    if kind == "float" and text[-1:].isdigit() and ":" not in text and yaml.safe_dump(float(text)).split("\n")[0] == text:
        return float(text)
    return None if kind == "null" else text


def read(path: Path) -> dict[str, Any]:
    """Return the metadata of a YAML file.

    :raises BadInput: the first fault, with file and line.
    """
    return _first_fault(path, *parse_file(path))


def parse_file(path: Path) -> tuple[dict[str, Any], list[RunFault]]:
    """Parse a file with :func:`parse`, reading at most the allowed size.

    :raises BadInput: the file is not text.
    """
    pieces: list[bytes] = []
    for _, block in blocks(path):
        pieces.append(block)
        if sum(map(len, pieces)) > 4 * _LARGEST:
            break
    return parse(b"".join(pieces).decode())


def in_header(path: Path) -> tuple[dict[str, Any] | None, list[RunFault]]:
    """Return the metadata in the header comments of a TREC run, ``# ir_metadata.start`` to ``# ir_metadata.end``, or None.

    :raises BadInput: the file is not text.
    """
    lines: list[str] = []
    first = 0
    for number, block in blocks(path):
        for line, raw in enumerate(block.split(b"\n"), number):
            text = raw.strip()
            if text and not text.startswith(b"#"):
                return None, [RunFault(first, f"metadata: {START} without {END}")] if first else []
            comment = text.decode().removeprefix("#")
            if comment.strip() == END and first:
                return parse("\n".join(lines), first=first + 1)
            if first:
                lines.append(comment)
            elif comment.strip() == START:
                first = line
        if sum(map(len, lines)) > _LARGEST:
            break
    return None, [RunFault(first, f"metadata: {START} without {END}")] if first else []


def read_header(path: Path) -> dict[str, Any] | None:
    """Read the metadata in the header of a run file with :func:`in_header`.

    :raises BadInput: the first fault, with file and line.
    """
    metadata, faults = in_header(path)
    return _first_fault(path, metadata, faults) if metadata is not None or faults else None


def sidecar(path: Path) -> Path | None:
    """Return the YAML file next to a run: ``mine.yml`` or ``mine.run.yml`` (or .yaml) for ``mine.run``; None without one."""
    names = [f"{name}{ending}" for name in dict.fromkeys((stem(path), path.name)) for ending in (".yml", ".yaml")]
    return next((beside for name in names if (beside := path.with_name(name)).is_file() and beside != path), None)


def of_file(path: Path, *, layout: str, given: Path | None = None) -> dict[str, Any] | None:
    """Return the metadata of a run file: from the given YAML file, else the YAML file next to it, else its header, or None.

    :raises BadInput: the first fault, with file and line.
    """
    if (beside := given or sidecar(path)) is not None:
        return read(beside)
    return read_header(path) if layout == "trec" else None


def entry(metadata: dict[str, Any], section: str, name: str) -> Any:
    """Return an entry of a section, by names normalised with :func:`~stcollection.runs.schema.plain`; None if missing or empty."""
    for key, value in metadata.items():
        if plain(key) == section and isinstance(value, dict):
            content = next((item for inner, item in value.items() if plain(inner) == name), None)
            return None if content == "" else content
    return None


def _first_fault(path: Path, metadata: dict[str, Any] | None, faults: list[RunFault]) -> dict[str, Any]:
    for fault in faults:
        raise BadInput(
            f"{path}:{fault.line}: {fault.what}",
            hint="Correct the file or name another; see https://www.ir-metadata.org. Nothing was stored.",
        )
    return metadata or {}


class _Dumper(yaml.SafeDumper):
    """Quote text that contains these line breaks, so that reading it back returns the same text."""


def _text(dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
    return dumper.represent_scalar(f"{_TAG}str", value, style='"' if _BREAKS.search(value) else None)


_Dumper.add_representer(str, _text)


def dump(metadata: dict[str, Any]) -> str:
    """Return metadata as YAML, with sections and entries in the order of the schema."""
    return yaml.dump(_ordered(metadata, SECTIONS), Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=4096)


def as_header(metadata: dict[str, Any]) -> str:
    """Return metadata as the header comments of a TREC run."""
    lines = [START, *dump(metadata).rstrip("\n").split("\n"), END]
    return "".join(f"# {line}\n" for line in lines)


def _ordered(value: Any, spec: Any) -> Any:
    if isinstance(value, list):
        return [_ordered(item, ANY) for item in value]
    if not isinstance(value, dict):
        return value
    places = {name: place for place, name in enumerate(spec)} if isinstance(spec, dict) else {}
    names = sorted(value, key=lambda name: (places.get(plain(name), len(places)), 0 if name == "name" else 1))
    return {name: _ordered(value[name], spec.get(plain(name), ANY) if isinstance(spec, dict) else ANY) for name in names}
