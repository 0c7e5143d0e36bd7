"""Update the message files of the page (``stcollection/web/messages``) from the code: ``.venv/bin/python -m tools.messages``.

Translations stay, new texts are added empty, and texts that the code no longer has are removed. Prints what is untranslated.
"""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Any

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po, write_po

from stcollection.retrieval import SYSTEMS
from stcollection.web.words import LANGUAGES, MESSAGES

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "stcollection"
_CALLS: dict[str, Any] = {"t": None, "n": (1, 2), "meant": (1, (2, "c")), "later": None, "woven": None}
METHODS: list[tuple[str, str, dict[str, Any]]] = [
    ("explore/**.py", "python", _CALLS),
    ("explore/**.html", "jinja2", _CALLS),
    ("studies/*/page/**.py", "python", _CALLS),
    ("studies/*/page/**.html", "jinja2", _CALLS),
    ("web/**.py", "python", _CALLS),
    ("site/**.py", "python", _CALLS),
    ("analysis/**.py", "python", {"later": None}),
    ("evaluation/judging.py", "python", {"later": None}),
    ("qrels/**.py", "python", {"later": None}),
    ("retrieval/**.py", "python", {"later": None}),
    ("db/relations.py", "python", {"later": None}),
    ("qrels/guidelines.py", "python", {"t": None}),
]
_DATED = (b'"POT-Creation', b'"PO-Revision', b'"Last-Translator', b'"Language-Team', b'"Report-Msgid', b'"Generated-By')


def extracted() -> Catalog:
    """Return the texts of the code, in the order of the files."""
    found = Catalog(fuzzy=False)
    for files, method, keywords in METHODS:
        rows = extract_from_dir(str(PACKAGE), [(files, method)], {}, keywords=keywords, comment_tags=())
        for file, _, text, _, context in sorted(rows, key=lambda row: row[:2]):
            found.add(text, locations=[(file, 0)], context=context)
    for title in SYSTEMS.values():
        found.add(title, locations=[("systems.toml", 0)])
    return found


def updated(language: str, texts: Catalog) -> Catalog:
    """Return the message file of a language with exactly the texts of the code."""
    path = MESSAGES / f"{language}.po"
    known = read_po(path.open("rb"), locale=language) if path.exists() else Catalog(locale=language)
    made = Catalog(locale=language, project="stcollection", charset="utf-8", fuzzy=False, header_comment=_header(language))
    for message in texts:
        if message.id:
            before = known.get(message.id if isinstance(message.id, str) else message.id[0], message.context)
            places = list(dict.fromkeys(message.locations))
            string = before.string if before and before.id == message.id else ""
            made.add(message.id, string, locations=places, context=message.context)
    return made


def _header(language: str) -> str:
    return (
        f"# {LANGUAGES[language]}: texts of the page of stcollection. Written by tools/messages.py, which keeps the translations."
    )


def written(catalog: Catalog) -> bytes:
    """Return a message file without dates, so that it changes only with its texts. A place is named before its first text."""
    out, kept, place = BytesIO(), [], b""
    write_po(out, catalog, width=132, include_lineno=False)
    for line in out.getvalue().splitlines(keepends=True):
        if line.startswith(b"#:"):
            if line == place:
                continue
            place = line
        if not line.startswith(_DATED):
            kept.append(line)
    return b"".join(kept)


def main() -> None:
    texts = extracted()
    for language in LANGUAGES:
        if language == "en":
            continue
        catalog = updated(language, texts)
        (MESSAGES / f"{language}.po").write_bytes(written(catalog))
        empty = [message.id for message in catalog if message.id and not (message.string and all(message.string))]
        print(f"{language}: {len(catalog)} texts, {len(empty)} without a translation", *empty, sep="\n  ")


if __name__ == "__main__":
    main()
