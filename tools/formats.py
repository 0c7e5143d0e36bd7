"""The reference of file formats, from the registry and the examples."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from stcollection.cells import markdown_cell
from stcollection.io.formats import Format, Kind
from stcollection.io.registry import KINDS, formats

DOCS = Path(__file__).resolve().parents[1] / "docs"
EXAMPLES = DOCS / "examples"
LINES, WIDTH = 8, 200  # of an example; the file has all of it
HEAD = """\
# File formats

Find what a file must look like, and which fields are read. `stc show formats` prints this list, `stc show formats topics` those of
topics. [Load data](../howto/load.md) has the commands.

- **Recognition** is by content, not by name. The first format that recognises a file reads it; `--format` names another one.
- **Compression**: plain, `.gz`, `.zst`, `.bz2`, `.xz` or `.zip`. A `.zip` must contain a single file, except of documents.
- **Other sources**: `-` is standard input, `irds:NAME` a dataset of [ir_datasets](https://ir-datasets.com). A pipe such as
  `<(zcat FILE)` can replace any file.
- **Size**: unpacked topics, judgments and runs may have 2 GB, but not more than 200 times their packed size or 64 MB, whichever is
  larger. `STC_MAX_UNPACKED` sets another limit.
- **Text** is UTF-8; lines end with LF, CR LF or CR. A byte order mark is skipped.
- **Comments**: in runs and judgments a line that begins with `#`, as in trec_eval. A warning names comments that could be rows.
- **Tables** are separated by commas, semicolons or tabs. Quoted cells can contain separators and line breaks.
- **Parquet** is read like JSON lines, each row as an object. It needs `pip install 'stcollection[parquet]'`.
- **Errors** name file and line, and nothing of the file is stored. Malformed documents are rejected instead (`stc show rejects`).
"""
TITLES: dict[Kind, tuple[str, str]] = {
    "corpus": ("Documents", "`stc load --as corpus`"),
    "topics": ("Topics and queries", "`stc load --as topics`"),
    "qrels": ("Judgments", "`stc load --as qrels`, `stc export qrels`; `--columns` gives the columns of any other table"),
    "runs": ("Runs", "`stc load --as runs`, `stc export run`, `stc runs check`"),
}


def _table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join(f"| {' | '.join(str(markdown_cell(cell)) for cell in line)} |" for line in lines)


def _code(text: str) -> str:
    return f"`{text}`"


def _section(one: Format, like: str | None) -> str:
    """Return the section of a format. :param like: another format with the same fields."""
    lines = (EXAMPLES / one.example).read_text(encoding="utf-8").rstrip("\n").splitlines()
    shown = [line if len(line) <= WIDTH else f"{line[:WIDTH]} …" for line in lines[:LINES]]
    example = "\n".join([*shown, *(["…"] if lines[LINES:] else [])])
    fields = f"Fields as for {like}." if like else "; ".join(f"`{name}` → {what}" for name, what in one.fields.items()) + "."
    head = f"### {one.kind}: {one.name}\n\n[{one.example}](../examples/{one.example}):"
    return f"{head}\n\n```text\n{example}\n```\n\n{fields}\n"


def text() -> str:
    """Return the page."""
    parts = [HEAD]
    for kind in KINDS:
        title, commands = TITLES[kind]
        rows = [
            (_code(one.name), one.title, " ".join(one.extensions), one.recognised.replace("<", "&lt;"), "yes" if one.writes else "")
            for one in formats(kind)
        ]
        table = _table(("format", "what it is", "extensions", "recognised by", "written"), rows)
        parts.append(f"## {title}\n\n{commands}.\n\n{table}\n")
        first: dict[tuple[tuple[str, str], ...], str] = {}  # format by its fields
        for one in formats(kind):
            parts.append(_section(one, first.get(fields := tuple(one.fields.items()))))
            first.setdefault(fields, _code(one.name))
    return "\n".join(parts)
