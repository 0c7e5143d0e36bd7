"""Write docs/formats.md, the formats of files, from the registry and the examples.

python -m scripts.formats            write it
python -m scripts.formats --check    fail if it is not current
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from stcollection.cells import markdown_cell
from stcollection.io.formats import Format, Kind
from stcollection.io.registry import KINDS, formats

DOCS = Path(__file__).resolve().parents[1] / "docs"
PAGE = DOCS / "formats.md"
EXAMPLES = DOCS / "examples"
HEAD = """\
# File formats

Written by `scripts/formats.py` from the registry, `stcollection/io/registry.py`.

`stc formats` prints this list, `stc formats topics` that of one kind. You need not name a format: files are recognised by their
content, whatever their names. Where that fails, `--format` names it. The first format that recognises a file reads it.

`stc load` recognises a whole data set: which of its files are documents, topics and judgments ([loading.md](loading.md)).

A file may be plain, `.gz`, `.zst`, `.bz2`, `.xz` or `.zip`; `-` is standard input, and `irds:NAME` the documents, queries or
judgments of a collection of [ir_datasets](https://ir-datasets.com). `stc corpus load` reads every file of a `.zip`; elsewhere it
must hold one file. Topics, judgments and runs unpack to 2 GB at most, and to 200 times their size or 64 MB, if that is more;
`STC_MAX_UNPACKED` sets another limit. Text is UTF-8; lines end with LF, CR LF or CR.

Parquet is read as JSON lines: each row is an object with the names of the columns. It needs
`pip install 'stcollection[parquet]'`.

Tables are separated by commas, semicolons or tabs. A cell in quotes may hold separators and line ends; any other quote is part of
its text.

A record that cannot be read is an error with file and line, and nothing of the file is stored; a document that cannot be read is
rejected, and the load goes on (`stc corpus rejects`).
"""
TITLES: dict[Kind, tuple[str, str]] = {
    "corpus": ("Documents", "`stc corpus load`"),
    "topics": ("Topics and queries", "`stc topics load`"),
    "qrels": ("Judgments", "`stc qrels import`, `stc qrels export`; `--columns` names the columns of any other table"),
    "runs": ("Runs", "`stc runs import`, `stc runs export`, `stc runs check`"),
}


def _table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join(f"| {' | '.join(str(markdown_cell(cell)) for cell in line)} |" for line in lines)


def _code(text: str) -> str:
    return f"`{text}`"


def _section(one: Format) -> str:
    example = (EXAMPLES / one.example).read_text(encoding="utf-8").rstrip("\n")
    fields = _table(("field", "becomes"), [(_code(name), what) for name, what in one.fields.items()])
    head = f"### {one.kind}: {one.name}\n\n{one.title}. [{one.example}](examples/{one.example}):"
    return f"{head}\n\n```text\n{example}\n```\n\n{fields}\n"


def text() -> str:
    """The page."""
    parts = [HEAD]
    for kind in KINDS:
        title, commands = TITLES[kind]
        rows = [
            (_code(one.name), one.title, " ".join(one.extensions), one.recognised.replace("<", "&lt;"), "yes" if one.writes else "")
            for one in formats(kind)
        ]
        table = _table(("format", "what it is", "extensions", "recognised by", "written"), rows)
        parts.append(f"## {title}\n\n{commands}.\n\n{table}\n")
        parts += [_section(one) for one in formats(kind)]
    return "\n".join(parts)


if __name__ == "__main__":
    if sys.argv[1:] == ["--check"]:
        current = PAGE.exists() and PAGE.read_text(encoding="utf-8") == text()
        sys.exit(0 if current else f"{PAGE.name} is not current: python -m scripts.formats writes it")
    PAGE.write_text(text(), encoding="utf-8")
