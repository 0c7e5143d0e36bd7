"""Prompt files: sections of text with slots, filled so that no text can leave its slot.

::

    # Comments, before the first section.
    [grades]
    0 1 2
    [system]
    Who the model is.
    [prefix]
    What it is shown: {query} {title} {abstract}
    [prompt]
    What it is to answer.

``[system]`` becomes the system message, ``[prefix]`` and ``[prompt]`` together the user's. A slot is filled with the text between
tags of its name, ``<title>`` … ``</title>``; in the text whatever looks like a tag, or like the control words models are trained
with, loses its bracket. ``{{`` and ``}}`` are braces.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from stcollection.errors import BadArgument, BadInput, UnknownObject

SECTIONS = ("grades", "system", "prefix", "prompt")
_LARGEST = 100_000  # bytes

_SECTION = re.compile(r"\[([A-Za-z_]+)\]\s*")
_SLOT = re.compile(r"\{\{|\}\}|\{([^{}\n]*)\}|[{}]")
# What opens a tag of a template, of a thinking block, or a control word such as <|im_end|>; "p < 0.05" and "a<5" stay.
_TAG = re.compile(r"<(?=\s*/|[|!?_\w｜])(?!\d)")
_CONTROL = re.compile(r"\[(?=/?(?:INST|SYS|AVAILABLE_TOOLS|TOOL_CALLS|SYSTEM_PROMPT)\b)", re.IGNORECASE)
_SILENT = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f\ud800-\udfff]")

Message = dict[str, str]


@dataclass(frozen=True, kw_only=True)
class Template:
    """A prompt file that can be filled.

    :param name: the file's, without its ending. :param text: the file, as it is. :param sha256: of the file's bytes.
    :param sections: by name, stripped. :param slots: their names, each once, as they occur.
    """

    name: str
    text: str
    sha256: str
    sections: Mapping[str, str]
    slots: tuple[str, ...]

    @property
    def grades(self) -> tuple[int, ...]:
        """Those it asks for, ascending; 0, 1, 2 where it does not say."""
        return tuple(sorted(int(word) for word in self.sections.get("grades", "0 1 2").split()))

    def fill(self, values: Mapping[str, str | None]) -> list[Message]:
        """The messages, with a value for each slot; a value that is missing or empty is given as none.

        Each section is gone through once, so that braces in a value mean nothing.
        """

        def put(found: re.Match[str]) -> str:
            name = found.group(1)
            return found.group()[0] if name is None else f"<{name}>\n{harmless(values.get(name)) or '(none)'}\n</{name}>"

        text = {name: _SLOT.sub(put, body) for name, body in self.sections.items() if name != "grades"}
        user = "\n\n".join(text[name] for name in ("prefix", "prompt") if text.get(name))
        system = [{"role": "system", "content": text["system"]}] if text.get("system") else []
        return [*system, {"role": "user", "content": user}]


def harmless(value: str | None) -> str:
    """A text that can only be read as text: no tags, no control words, no invisible characters."""
    return _CONTROL.sub("⟦", _TAG.sub("‹", _SILENT.sub(" ", value or ""))).strip()


def built_in(folder: Path) -> list[str]:
    """The names of the prompt files that come with the package."""
    return sorted(file.stem for file in folder.glob("*.txt"))


def find_template(name: str, *, slots: Sequence[str], folder: Path, needed: Sequence[str] = ()) -> Template:
    """A prompt file by the name of one that comes with the package, else by its path.

    :param slots: the names it may use. :param folder: of the prompt files that come with the package.
    :param needed: the slots it must use.
    :raises UnknownObject: there is neither. :raises BadInput: it is no prompt file.
    """
    own = folder / f"{name}.txt"
    path = own if name in built_in(folder) else Path(name)
    if not path.is_file():
        close = get_close_matches(name, built_in(folder), n=1)
        meant = f"Did you mean {close[0]!r}? " if close else ""
        raise UnknownObject(
            f"there is no prompt {name!r}", hint=f"{meant}Name a file, or one that comes along: {', '.join(built_in(folder))}."
        )
    return read_template(path.read_bytes(), name=path.stem, where=str(path), slots=slots, needed=needed)


def read_template(data: bytes, *, name: str, where: str, slots: Sequence[str], needed: Sequence[str] = ()) -> Template:
    """A prompt file from its bytes.

    :param where: the file, for messages.
    :raises BadInput: not UTF-8, no sections or unknown ones, none for the prompt, an unknown slot, a lone brace, no grades.
    """
    if len(data) > _LARGEST:
        raise BadInput(f"{where} has {len(data):,} bytes", hint=f"A prompt file has {_LARGEST:,} at most.")
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise BadInput(f"{where}: byte {error.start + 1} is not UTF-8", hint="Save the file as UTF-8.", sqlstate="IR303") from None
    bodies: dict[str, list[str]] = {}
    found: dict[str, None] = {}
    current: str | None = None
    for number, line in enumerate(text.removeprefix("\ufeff").splitlines(), 1):
        at = f"{where}:{number}"
        if "\0" in line:
            raise _bad(f"{at}: a NUL character", "Save the file as text.")
        if section := _SECTION.fullmatch(line):
            current = section.group(1).lower()
            if current not in SECTIONS or current in bodies:
                what = "a second section" if current in bodies else "there is no section"
                raise _bad(
                    f"{at}: {what} [{section.group(1)}]", f"The sections are {', '.join(f'[{s}]' for s in SECTIONS)}, once each."
                )
            bodies[current] = []
        elif current is not None:
            found |= dict.fromkeys(_slots(line, at, slots) if current != "grades" else ())
            bodies[current].append(line)
        elif line.strip() and not line.startswith("#"):
            raise _bad(f"{at}: text before the first section", "Begin a section by a line such as [system], or a comment by #.")
    sections = {section: "\n".join(lines).strip() for section, lines in bodies.items()}
    if not sections.get("prompt"):
        raise _bad(f"{where}: no section [prompt]", "It says what the model is to answer.")
    if missing := [slot for slot in needed if slot not in found]:
        raise _bad(f"{where}: no slot {{{missing[0]}}}", "The model would not see it; put the slot into [prefix] or [prompt].")
    _check_grades(sections, where)
    return Template(name=name, text=text, sha256=hashlib.sha256(data).hexdigest(), sections=sections, slots=tuple(found))


def _slots(line: str, at: str, known: Sequence[str]) -> list[str]:
    names = []
    for slot in _SLOT.finditer(line):
        name = slot.group(1)
        if name is None:
            if len(slot.group()) == 1:
                raise _bad(f"{at}: a lone brace", "Write {{ or }} where a brace is meant.")
            continue
        if name not in known:
            close = get_close_matches(name, known, n=1)
            meant = f"Did you mean {{{close[0]}}}? " if close else ""
            raise _bad(f"{at}: there is no slot {{{name}}}", f"{meant}There are {', '.join(f'{{{one}}}' for one in known)}.")
        names.append(name)
    return names


def _check_grades(sections: Mapping[str, str], where: str) -> None:
    words = sections.get("grades", "0 1 2").split()
    if not all(re.fullmatch(r"[0-9]{1,3}", word) for word in words) or len({int(word) for word in words}) < max(2, len(words)):
        raise _bad(f"{where}: the grades are {' '.join(words) or 'none'}", "They are two or more whole numbers, each once: 0 1 2.")


def _bad(message: str, hint: str) -> BadInput:
    return BadInput(message, hint=hint, sqlstate="IR301")


def asked_for(slots: Sequence[str], *, any_of: Sequence[str], where: str) -> None:
    """Check that a prompt uses at least one of some slots.

    :raises BadArgument: none of some slots is used.
    """
    if not set(slots) & set(any_of):
        raise BadArgument(f"{where} shows nothing of the document", hint=f"Use {' or '.join(f'{{{one}}}' for one in any_of)}.")
