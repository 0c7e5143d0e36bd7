"""Files of words for a text search configuration: thesaurus, synonyms, stop words; read with the line each came from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from stcollection.errors import BadArgument, BadInput

# Thesauri that come with stcollection, by name.
SHIPPED = {"computing": Path(__file__).parent / "computing.ths"}


@dataclass(frozen=True)
class DictionaryLine:
    """One line. :param words: what is replaced; of a stop list, the stop word. :param by: what stands for it."""

    line: int
    words: tuple[str, ...]
    by: tuple[str, ...] = ()


def find(name: str) -> Path:
    """A file by its path, or one that is shipped by its name.

    :raises BadArgument: there is neither.
    """
    path = Path(name)
    if path.is_file():
        return path
    if name in SHIPPED:
        return SHIPPED[name]
    raise BadArgument(f"there is no file {name}", hint=f"Give a path; {', '.join(SHIPPED)} comes with stcollection.")


def thesaurus(path: Path) -> list[DictionaryLine]:
    """Lines ``some words : other words``; ``#`` starts a comment.

    :raises BadInput: a line without both sides, or words given twice; with its number.
    """
    entries = []
    for line, text in _lines(path):
        sides = text.split(":")
        if len(sides) != 2 or not all(side.strip() for side in sides):
            raise BadInput(f"{path}, line {line}: {text!r}", hint="A line of a thesaurus is 'some words : other words'.")
        entries.append(DictionaryLine(line, *(tuple(side.lower().split()) for side in sides)))
    return _once(path, entries)


def synonyms(path: Path) -> list[DictionaryLine]:
    """Lines ``word synonym``; ``#`` starts a comment.

    :raises BadInput: a line of another number of words, or a word given twice; with its number.
    """
    entries = []
    for line, text in _lines(path):
        words = text.lower().split()
        if len(words) != 2:
            raise BadInput(
                f"{path}, line {line}: {text!r}", hint="A line of synonyms is 'word synonym'; for several words take a thesaurus."
            )
        entries.append(DictionaryLine(line, (words[0],), (words[1],)))
    return _once(path, entries)


def stop_words(path: Path) -> list[DictionaryLine]:
    """Lines of one word each; ``#`` starts a comment.

    :raises BadInput: a line of several words, with its number.
    """
    entries = []
    for line, text in _lines(path):
        if len(text.split()) != 1:
            raise BadInput(f"{path}, line {line}: {text!r}", hint="A line of a stop list is one word.")
        entries.append(DictionaryLine(line, (text.lower(),)))
    return entries


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise BadInput(f"{path}, line {line}: not UTF-8", hint="Save the file as UTF-8.") from error
    found = False
    for number, line_text in enumerate(text.splitlines(), 1):
        stripped = line_text.split("#", 1)[0].strip()
        if stripped:
            found = True
            yield number, stripped
    if not found:
        raise BadInput(f"{path} holds no words", hint="Write one entry a line.")


def _once(path: Path, entries: list[DictionaryLine]) -> list[DictionaryLine]:
    seen: dict[tuple[str, ...], int] = {}
    for entry in entries:
        if seen.setdefault(entry.words, entry.line) != entry.line:
            raise BadInput(
                f"{path}, line {entry.line}: {' '.join(entry.words)!r} is in line {seen[entry.words]} already", hint="Remove one."
            )
    return entries
