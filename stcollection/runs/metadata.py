"""How a run was made, as ir_metadata describes it: read from YAML, checked by line, and written.

The YAML is never constructed as PyYAML would: its nodes are walked, so that nothing in it can make an object, and aliases (by which
a short text can stand for a huge one) are refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from stcollection.errors import BadInput
from stcollection.io.files import blocks, clip
from stcollection.runs.faults import RunFault
from stcollection.runs.names import stem
from stcollection.runs.schema import ANY, BOOLEAN, SCALAR, SCALARS, SECTIONS, plain

START, END = "ir_metadata.start", "ir_metadata.end"
_LARGEST = 256 * 1024  # characters
_DEEPEST = 20
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")
_BREAKS = re.compile("[\x85\u2028\u2029]")  # lines end there in YAML 1.1, which PyYAML writes
_TAG = "tag:yaml.org,2002:"
_TYPES = {f"{_TAG}{kind}" for kind in ("map", "seq", "str", "int", "float", "bool", "null", "timestamp", "merge", "value")}
_INTEGER = re.compile(r"-?(0|[1-9][0-9]{0,17})")


class _Refused(Exception):
    def __init__(self, line: int, what: str) -> None:
        super().__init__(what)
        self.line, self.what = line, what


class _Loader(yaml.SafeLoader):
    """Composes nodes; no aliases, no nests deeper than 20."""

    depth = 0

    def _line(self) -> int:
        return int(self.peek_event().start_mark.line) + 1  # type: ignore[no-untyped-call]

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            raise _Refused(self._line(), "an alias (*name): write it out")
        self.depth += 1
        if self.depth > _DEEPEST:
            raise _Refused(self._line(), f"a nest more than {_DEEPEST} deep")
        node = super().compose_node(parent, index)
        self.depth -= 1
        return node


def parse(text: str, *, first: int = 1) -> tuple[dict[str, Any], list[RunFault]]:
    """Metadata from YAML, with all that is wrong with it by line; the markers of start and end may be there.

    :param first: the line of the file that the text begins on.
    :returns: what could be read, as JSON has it, and the faults.
    """
    lines = text.split("\n")
    text = "\n".join("" if line.strip("# \r") in (START, END) else line for line in lines)
    faults: list[RunFault] = []
    try:
        if len(text) > _LARGEST:
            raise _Refused(1, f"{len(text):,} characters of metadata; {_LARGEST:,} are the most")
        node = yaml.compose(text, _Loader)
        if not isinstance(node, yaml.MappingNode):
            raise _Refused(1, "no mapping of sections (platform, research goal, implementation, method, actor, data)")
        found = dict(_pairs(node, SECTIONS, faults, top=True))
    except _Refused as error:
        faults.append(RunFault(error.line, error.what))
        found = {}
    except yaml.reader.ReaderError as error:
        faults.append(
            RunFault(text.count("\n", 0, error.position) + 1, f"a character that YAML does not know: {error.character!r}")
        )
        found = {}
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        faults.append(RunFault(mark.line + 1 if mark else 1, f"not YAML ({' '.join(str(error.problem or error.context).split())})"))
        found = {}
    return found, sorted(RunFault(fault.line + first - 1, f"metadata: {fault.what}") for fault in faults)


def _pairs(node: yaml.MappingNode, spec: Any, faults: list[RunFault], *, top: bool = False) -> Iterator[tuple[str, Any]]:
    seen: set[str] = set()
    for key, value in node.value:
        line = key.start_mark.line + 1
        if not isinstance(key, yaml.ScalarNode) or _UNSTORABLE.search(key.value):
            faults.append(RunFault(line, "a name that is no text"))
        elif plain(key.value) in seen:
            faults.append(RunFault(line, f"{clip(key.value)} a second time"))
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
    wanted = "a mapping" if isinstance(spec, dict) else spec
    if not _fits(node, spec):
        faults.append(RunFault(line, f"{clip(name)} is {_kind(node)}, not {wanted}"))
    if isinstance(node, yaml.MappingNode):
        return dict(_pairs(node, spec, faults))
    if isinstance(node, yaml.SequenceNode):
        return [_value(one, ANY, name, faults) for one in node.value]
    if _UNSTORABLE.search(node.value):
        faults.append(RunFault(line, f"{clip(name)} holds U+0000 or half a surrogate pair"))
    return _scalar(node)


def _fits(node: yaml.Node, spec: Any) -> bool:
    if spec == ANY or node.tag == f"{_TAG}null":
        return True
    if isinstance(spec, dict):
        return isinstance(node, yaml.MappingNode)
    if spec in (SCALAR, BOOLEAN):
        return isinstance(node, yaml.ScalarNode) and (spec == SCALAR or node.tag == f"{_TAG}bool")
    inner = yaml.ScalarNode if spec == SCALARS else yaml.MappingNode
    return isinstance(node, yaml.SequenceNode) and all(isinstance(one, inner) for one in node.value)


def _kind(node: yaml.Node) -> str:
    if isinstance(node, yaml.MappingNode):
        return "a mapping"
    return f"the scalar {clip(node.value)}" if isinstance(node, yaml.ScalarNode) else "a sequence"


def _scalar(node: yaml.Node) -> Any:
    """A scalar as JSON has it; what would not be written as it was stays text (dates, octals, 6.10, 1:30, .nan)."""
    kind, text = str(node.tag).removeprefix(_TAG), str(node.value)
    if kind == "bool":
        return text.lower() in ("yes", "true", "on")
    if kind == "int" and _INTEGER.fullmatch(text):
        return int(text)
    if kind == "float" and text[-1:].isdigit() and ":" not in text and yaml.safe_dump(float(text)).split("\n")[0] == text:
        return float(text)
    return None if kind == "null" else text


def read(path: Path) -> dict[str, Any]:
    """The metadata of a YAML file.

    :raises BadInput: the first fault, with file and line.
    """
    return _first_fault(path, *parse_file(path))


def parse_file(path: Path) -> tuple[dict[str, Any], list[RunFault]]:
    """As :func:`parse`, of a file; no more of it is read than metadata may have.

    :raises BadInput: bytes that are no text.
    """
    pieces: list[bytes] = []
    for _, block in blocks(path):
        pieces.append(block)
        if sum(map(len, pieces)) > 4 * _LARGEST:
            break
    return parse(b"".join(pieces).decode())


def in_header(path: Path) -> tuple[dict[str, Any] | None, list[RunFault]]:
    """The metadata in comments at the head of a TREC run, ``# ir_metadata.start`` to ``# ir_metadata.end``; None where none is.

    :raises BadInput: bytes that are no text.
    """
    lines: list[str] = []
    first = 0
    for number, block in blocks(path):
        for line, raw in enumerate(block.split(b"\n"), number):
            text = raw.strip()
            if text and not text.startswith(b"#"):
                return None, [RunFault(first, f"metadata: {START} without {END}")] if first else []
            told = text.decode().removeprefix("#")
            if told.strip() == END and first:
                return parse("\n".join(lines), first=first + 1)
            if first:
                lines.append(told)
            elif told.strip() == START:
                first = line
        if sum(map(len, lines)) > _LARGEST:
            break
    return None, [RunFault(first, f"metadata: {START} without {END}")] if first else []


def read_header(path: Path) -> dict[str, Any] | None:
    """Read the metadata in the header of a run file.

    :func:`in_header`.

    :raises BadInput: the first fault, with file and line.
    """
    found, faults = in_header(path)
    return _first_fault(path, found, faults) if found is not None or faults else None


def sidecar(path: Path) -> Path | None:
    """The YAML file beside a run file that has its name: ``mine.yml`` or ``mine.run.yml`` (or .yaml) for ``mine.run``."""
    names = [f"{name}{ending}" for name in dict.fromkeys((stem(path), path.name)) for ending in (".yml", ".yaml")]
    return next((one for name in names if (one := path.with_name(name)).is_file() and one != path), None)


def of_file(path: Path, *, layout: str, given: Path | None = None) -> dict[str, Any] | None:
    """The metadata of a run file: of the file that is given, else of the one beside it, else of its head; None where there is none.

    :raises BadInput: the first fault, with file and line.
    """
    if (beside := given or sidecar(path)) is not None:
        return read(beside)
    return read_header(path) if layout == "trec" else None


def entry(metadata: dict[str, Any], section: str, name: str) -> Any:
    """An entry of a section, by names as :func:`~stcollection.runs.schema.plain` has them; None where it is not there, or empty."""
    for key, value in metadata.items():
        if plain(key) == section and isinstance(value, dict):
            found = next((one for inner, one in value.items() if plain(inner) == name), None)
            return None if found == "" else found
    return None


def _first_fault(path: Path, found: dict[str, Any] | None, faults: list[RunFault]) -> dict[str, Any]:
    for fault in faults:
        raise BadInput(
            f"{path}:{fault.line}: {fault.what}",
            sqlstate="IR301",
            hint="Correct it, or name another file (--metadata); https://www.ir-metadata.org tells the format. Nothing was stored.",
        )
    return found or {}


class _Dumper(yaml.SafeDumper):
    """Quotes text with such line breaks so that it is read again as it was."""


def _text(dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
    return dumper.represent_scalar(f"{_TAG}str", value, style='"' if _BREAKS.search(value) else None)


_Dumper.add_representer(str, _text)


def dump(metadata: dict[str, Any]) -> str:
    """YAML, the sections and their entries in the order of the schema."""
    return yaml.dump(_ordered(metadata, SECTIONS), Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=4096)


def as_header(metadata: dict[str, Any]) -> str:
    """The comment lines at the head of a TREC run."""
    lines = [START, *dump(metadata).rstrip("\n").split("\n"), END]
    return "".join(f"# {line}\n" for line in lines)


def _ordered(value: Any, spec: Any) -> Any:
    if isinstance(value, list):
        return [_ordered(one, ANY) for one in value]
    if not isinstance(value, dict):
        return value
    places = {name: place for place, name in enumerate(spec)} if isinstance(spec, dict) else {}
    names = sorted(value, key=lambda name: (places.get(plain(name), len(places)), 0 if name == "name" else 1))
    return {name: _ordered(value[name], spec.get(plain(name), ANY) if isinstance(spec, dict) else ANY) for name in names}
