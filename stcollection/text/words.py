"""Read the word files of a text search configuration (thesaurus, synonyms, stop words) with line numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from stcollection.errors import BadArgument, BadInput

# Thesauri shipped with stcollection, by name.
SHIPPED = {"computing": Path(__file__).parent / "computing.ths"}


@dataclass(frozen=True)
class DictionaryLine:
    """A line of a word file. :param words: words to replace; in a stop list, the stop word. :param by: their replacement."""

    line: int
    words: tuple[str, ...]
    by: tuple[str, ...] = ()


def find(name: str) -> Path:
    """Return the path of a file, given as a path or as the name of a shipped file.

    :raises BadArgument: neither exists.
    """
    path = Path(name)
    if path.is_file():
        return path
    if name in SHIPPED:
        return SHIPPED[name]
    raise BadArgument(f"there is no file {name}", hint=f"Give a path, or use {', '.join(SHIPPED)}, which comes with stcollection.")


def thesaurus(path: Path) -> list[DictionaryLine]:
    """Read lines ``some words : other words``; ``#`` starts a comment.

    :raises BadInput: a line without both sides, or repeated words; with its line number.
    """
    entries = []
    for line, text in _lines(path):
        sides = text.split(":")
        if len(sides) != 2 or not all(side.strip() for side in sides):
            raise BadInput(f"{path}, line {line}: {text!r}", hint="Write each line of a thesaurus as 'some words : other words'.")
        entries.append(DictionaryLine(line, *(tuple(side.lower().split()) for side in sides)))
    return _once(path, entries)


def synonyms(path: Path) -> list[DictionaryLine]:
    """Read lines ``word synonym``; ``#`` starts a comment.

    :raises BadInput: a line that does not have two words, or a repeated word; with its line number.
    """
    entries = []
    for line, text in _lines(path):
        words = text.lower().split()
        if len(words) != 2:
            raise BadInput(
                f"{path}, line {line}: {text!r}", hint="Write each line as 'word synonym'; for several words use a thesaurus."
            )
        entries.append(DictionaryLine(line, (words[0],), (words[1],)))
    return _once(path, entries)


def stop_words(path: Path) -> list[DictionaryLine]:
    """Read lines of one word each; ``#`` starts a comment.

    :raises BadInput: a line of several words, with its line number.
    """
    entries = []
    for line, text in _lines(path):
        if len(text.split()) != 1:
            raise BadInput(f"{path}, line {line}: {text!r}", hint="Write one word per line in a stop list.")
        entries.append(DictionaryLine(line, (text.lower(),)))
    return entries


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise BadInput(f"{path}, line {line}: not UTF-8", hint="Save the file as UTF-8.") from error
    any_words = False
    for number, line_text in enumerate(text.splitlines(), 1):
        stripped = line_text.split("#", 1)[0].strip()
        if stripped:
            any_words = True
            yield number, stripped
    if not any_words:
        raise BadInput(f"{path} contains no words", hint="Write one entry per line.")


def _once(path: Path, entries: list[DictionaryLine]) -> list[DictionaryLine]:
    seen: dict[tuple[str, ...], int] = {}
    for entry in entries:
        if seen.setdefault(entry.words, entry.line) != entry.line:
            raise BadInput(
                f"{path}, line {entry.line}: {' '.join(entry.words)!r} is already in line {seen[entry.words]}", hint="Remove one."
            )
    return entries
