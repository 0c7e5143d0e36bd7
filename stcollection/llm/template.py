"""Prompt files: sections of text with slots. Texts put into slots cannot be read as part of the prompt.

::

    # Comments, before the first section.
    [grades]
    0 1 2
    [system]
    The role of the model.
    [prefix]
    Its input: {query} {title} {abstract}
    [prompt]
    The required answer.

``[system]`` becomes the system message; ``[prefix]`` and ``[prompt]`` together become the user's message. A slot is replaced by the
text between tags named after it, ``<title>`` … ``</title>``. In the text, brackets of tags and of the models' control words are
replaced. ``{{`` and ``}}`` are braces. A file without sections is a ``[prompt]``. A prompt without slots gets those of its purpose.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from stcollection.counts import counted
from stcollection.errors import BadArgument, BadInput, UnknownObject

SECTIONS = ("grades", "system", "prefix", "prompt")
_LARGEST = 100_000  # bytes

_SECTION = re.compile(r"\[([A-Za-z_]+)\]\s*")
_SLOT = re.compile(r"\{\{|\}\}|\{([^{}\n]*)\}|[{}]")
# The start of a tag of a template, of a thinking block, or of a control word such as <|im_end|>, but not "p < 0.05" or "a<5".
_TAG = re.compile(r"<(?=\s*/|[|!?_\w｜])(?!\d)")
_CONTROL = re.compile(r"\[(?=/?(?:INST|SYS|AVAILABLE_TOOLS|TOOL_CALLS|SYSTEM_PROMPT)\b)", re.IGNORECASE)
_SILENT = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f\ud800-\udfff]")

Message = dict[str, str]


@dataclass(frozen=True, kw_only=True)
class Template:
    """A parsed prompt file.

    :param name: name of the file, without its extension. :param text: content; unchanged, if nothing had to be added to it.
    :param sha256: digest of the content. :param sections: sections by name, stripped.
    :param slots: names of the slots, each once, in order of occurrence.
    """

    name: str
    text: str
    sha256: str
    sections: Mapping[str, str]
    slots: tuple[str, ...]

    @property
    def grades(self) -> tuple[int, ...]:
        """The grades of the scale, ascending; by default 0, 1, 2."""
        return tuple(sorted(int(word) for word in self.sections.get("grades", "0 1 2").split()))

    def fill(self, values: Mapping[str, str | None]) -> list[Message]:
        """Return the messages with the slots filled; missing and empty values become '(none)'.

        Each section is processed once, so braces in values have no special meaning.
        """

        def put(match: re.Match[str]) -> str:
            name = match.group(1)
            return match.group()[0] if name is None else f"<{name}>\n{defuse(values.get(name)) or '(none)'}\n</{name}>"

        text = {name: _SLOT.sub(put, body) for name, body in self.sections.items() if name != "grades"}
        user = "\n\n".join(text[name] for name in ("prefix", "prompt") if text.get(name))
        system = [{"role": "system", "content": text["system"]}] if text.get("system") else []
        return [*system, {"role": "user", "content": user}]


def defuse(value: str | None) -> str:
    """Remove tags, control words and invisible characters from a text."""
    return _CONTROL.sub("⟦", _TAG.sub("‹", _SILENT.sub(" ", value or ""))).strip()


def list_built_in(folder: Path) -> list[str]:
    """Return the names of the built-in prompts."""
    return sorted(file.stem for file in folder.glob("*.txt"))


def find_template(
    name: str, *, slots: Sequence[str], folder: Path, needed: Sequence[str] = (), appended: Sequence[str] = ()
) -> Template:
    """Return a built-in prompt by name, or a prompt file by path.

    :param slots: slots that it may use. :param folder: folder of the built-in prompts. :param needed: slots that it must use.
    :param appended: slots that a prompt without any slot gets.
    :raises UnknownObject: neither exists. :raises BadInput: the file is not a valid prompt file.
    """
    own = folder / f"{name}.txt"
    path = own if name in list_built_in(folder) else Path(name)
    if not path.is_file():
        close = get_close_matches(name, list_built_in(folder), n=1)
        meant = f"Did you mean {close[0]!r}? " if close else ""
        raise UnknownObject(
            f"there is no prompt {name!r}", hint=f"{meant}Give a file, or a built-in prompt: {', '.join(list_built_in(folder))}."
        )
    return read_template(path.read_bytes(), name=path.stem, where=str(path), slots=slots, needed=needed, appended=appended)


def read_template(
    data: bytes, *, name: str, where: str, slots: Sequence[str], needed: Sequence[str] = (), appended: Sequence[str] = ()
) -> Template:
    """Parse the bytes of a prompt file.

    :param where: the file, for messages. :param appended: slots that are added to the end of [prefix], or of [prompt] without
        [prefix], if the file has no slot. The text and the digest of the result include them.
    :raises BadInput: not UTF-8, unknown or missing sections, unknown slots, a single brace, or invalid grades.
    """
    if len(data) > _LARGEST:
        raise BadInput(f"{where} has {counted(len(data), 'byte')}", hint=f"The maximum for a prompt file is {_LARGEST:,} bytes.")
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise BadInput(f"{where}: byte {error.start + 1} is not UTF-8", hint="Save the file as UTF-8.", sqlstate="IR303") from None
    lines = text.removeprefix("\ufeff").splitlines()
    bare = bool(text.strip()) and not any(map(_SECTION.fullmatch, lines))
    bodies: dict[str, list[str]] = {"prompt": []} if bare else {}
    used: dict[str, None] = {}
    current = "prompt" if bare else None
    for number, line in enumerate(lines, 1):
        at = f"{where}:{number}"
        if "\0" in line:
            raise _bad(f"{at}: NUL character", "Save the file as text.")
        if section := _SECTION.fullmatch(line):
            current = section.group(1).lower()
            if current not in SECTIONS or current in bodies:
                what = "duplicate section" if current in bodies else "unknown section"
                raise _bad(
                    f"{at}: {what} [{section.group(1)}]", f"Use each of {', '.join(f'[{s}]' for s in SECTIONS)} at most once."
                )
            bodies[current] = []
        elif current is not None:
            used |= dict.fromkeys(_slots(line, at, slots) if current != "grades" else ())
            bodies[current].append(line)
        elif line.strip() and not line.startswith("#"):
            raise _bad(f"{at}: text before the first section", "Start a section with a line such as [system], or a comment with #.")
    sections = {section: "\n".join(body).strip() for section, body in bodies.items()}
    if not sections.get("prompt"):
        raise _bad(f"{where}: no section [prompt]", "Add one that tells the model what to answer.")
    if (appended and not used) or bare:
        lines = [*(["[prompt]"] if bare else ()), *lines]
        complete = "\n".join(lines if used else _appended(lines, appended)) + "\n"
        return read_template(complete.encode(), name=name, where=where, slots=slots, needed=needed)
    if missing := [slot for slot in needed if slot not in used]:
        without = f", or use no slots; then {_listed(appended)} are appended" if appended else ""
        raise _bad(f"{where}: no slot {{{missing[0]}}}", f"Add the slot to [prefix] or [prompt]{without}.")
    _check_grades(sections, where)
    return Template(name=name, text=text, sha256=hashlib.sha256(data).hexdigest(), sections=sections, slots=tuple(used))


def _appended(lines: Sequence[str], slots: Sequence[str]) -> list[str]:
    """Return the lines of a prompt with slots at the end of [prefix], or of [prompt] without [prefix]."""
    names = _section_names(lines)
    start = names.index("prefix" if "prefix" in names else "prompt") + 1
    end = next((number for number, name in enumerate(names) if number >= start and name), len(lines))
    body = "\n".join(lines[:end]).rstrip().splitlines()
    return [*body, *(line for slot in slots for line in ("", f"{{{slot}}}")), "", *lines[end:]]


def _section_names(lines: Sequence[str]) -> list[str]:
    """Return for each line the name of the section that starts there, else an empty string."""
    return [match[1].lower() if (match := _SECTION.fullmatch(line)) else "" for line in lines]


def _listed(slots: Sequence[str]) -> str:
    return ", ".join(f"{{{slot}}}" for slot in slots)


def add_slot(template: Template, slot: str, *, intro: str, comment: str, slots: Sequence[str]) -> Template:
    """Return a prompt that also shows the text of a slot, at the beginning of [prefix], or of [prompt] without [prefix].

    Its text contains the addition, so that its digest differs; its name gets ``+slot``.

    :param intro: line before the slot; not used if the prompt has the slot. :param comment: first line of the new prompt.
    """
    lines = template.text.removeprefix("\ufeff").splitlines()
    if slot not in template.slots:
        sections = _section_names(lines)
        at = sections.index("prefix" if "prefix" in sections else "prompt") + 1
        lines[at:at] = [intro, "", f"{{{slot}}}", ""]
    text = "\n".join([f"# {comment}", *lines]) + "\n"
    return read_template(text.encode(), name=f"{template.name}+{slot}", where=template.name, slots=slots)


def _slots(line: str, at: str, allowed: Sequence[str]) -> list[str]:
    names = []
    for slot in _SLOT.finditer(line):
        name = slot.group(1)
        if name is None:
            if len(slot.group()) == 1:
                raise _bad(f"{at}: single brace", "Write {{ or }} for a literal brace.")
            continue
        if name not in allowed:
            close = get_close_matches(name, allowed, n=1)
            meant = f"Did you mean {{{close[0]}}}? " if close else ""
            raise _bad(f"{at}: unknown slot {{{name}}}", f"{meant}Slots: {_listed(allowed)}.")
        names.append(name)
    return names


def _check_grades(sections: Mapping[str, str], where: str) -> None:
    words = sections.get("grades", "0 1 2").split()
    if not all(re.fullmatch(r"[0-9]{1,3}", word) for word in words) or len({int(word) for word in words}) < max(2, len(words)):
        raise _bad(f"{where}: the grades are {' '.join(words) or 'missing'}", "List two or more distinct integers: 0 1 2.")


def _bad(message: str, hint: str) -> BadInput:
    return BadInput(message, hint=hint)


def check_slots(slots: Sequence[str], *, any_of: Sequence[str], where: str) -> None:
    """Check that a prompt uses at least one of the given slots.

    :raises BadArgument: it uses none of them.
    """
    if not set(slots) & set(any_of):
        raise BadArgument(f"{where} does not use the document's text", hint=f"Use {' or '.join(f'{{{slot}}}' for slot in any_of)}.")
