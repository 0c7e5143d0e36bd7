"""Parse README.md and the hand-written pages of docs/ into fenced blocks.

Blocks of ``sh``, ``sql`` and ``python`` are run. A ``text`` block is compared with printed output only if it is marked as output.
Marks are HTML comments before a block, invisible to readers. CONTRIBUTING.md ("Pages") explains them:

``<!-- not run: why -->``       do not run the next block; the tests list it with the reason
``<!-- page not run: why -->``  do not run any block from here to the end of the page
``<!-- prepare: commands -->``  run these shell commands; they make files that the page takes as the reader's own
``<!-- beside: command -->``    start a command that runs until the page ends; continue once it has printed ``ready``
``<!-- output -->``             the next ``text`` block is the output of the block before; ``…`` matches anything
``<!-- owner: why -->``         run the next ``sql`` block with ``stc psql --owner``
``<!-- file: name -->``         write the next block to that file
``<!-- shown by: commands -->`` these commands print the figures of the next paragraph or table; skipped if they use $STC_TEST_DATA
                                and it does not exist
``<!-- measured: how -->``      the figures of the next paragraph, table or block cannot be computed again by a test
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from tests.docs.output import figures

REPOSITORY = Path(__file__).resolve().parents[2]
RUN = ("sh", "sql", "python")
SHOWN = ("text", "csv", "json", "yaml")
MARKS = ("not run", "page not run", "prepare", "beside", "output", "owner", "file", "shown by", "measured")
OF_TEXT = ("shown by", "measured")  # marks of a paragraph or table
GENERATED = REPOSITORY / "docs" / "reference"  # written by make docs
BENCHMARK = REPOSITORY / "docs" / "background" / "scale.md"  # written by make bench-full

_FENCE = re.compile(r"```(?P<language>\S*)\n(?P<body>.*?)^```$", re.DOTALL | re.MULTILINE)
_COMMENT = re.compile(r"<!--\s*(?P<mark>[a-z ]+?)\s*(?::\s*(?P<what>.*?))?\s*-->", re.DOTALL)


@dataclass(frozen=True)
class Block:
    """A fenced block of a page, or a mark that contains commands.

    :param kind: a language, ``prepare``, ``beside``, or ``paragraph`` for a paragraph or table.
    :param mark: the mark before the block, '' if it has none.
    :param marked: the text of the mark: the reason why the block is not run, or the name of a file.
    """

    line: int
    kind: str
    body: str
    mark: str = ""
    marked: str = ""

    @property
    def first_line(self) -> str:
        return self.body.strip().partition("\n")[0][:70]


def pages() -> list[Path]:
    """Return README.md and the hand-written pages of docs/."""
    return [REPOSITORY / "README.md", *(page for page in sorted((REPOSITORY / "docs").rglob("*.md")) if page.parent != GENERATED)]


def name(page: Path) -> str:
    return str(page.relative_to(REPOSITORY))


def blocks(text: str) -> list[Block]:
    """Return the blocks of a page, in order.

    :raises ValueError: an unknown mark or language, a mark without a block, a block that is not run without a reason.
    """
    found: list[Block] = []
    fences = list(_FENCE.finditer(text))
    comments = [c for c in _COMMENT.finditer(text) if not any(f.start() < c.start() < f.end() for f in fences)]
    waiting: re.Match[str] | None = None
    none_runs = ""
    for match in sorted([*fences, *comments], key=lambda match: match.start()):
        line = text.count("\n", 0, match.start()) + 1
        if match.re is _COMMENT:
            if waiting is not None:
                raise ValueError(f"line {line}: the mark before this one has no block")
            if match["mark"] not in MARKS:
                raise ValueError(f"line {line}: unknown mark {match['mark']!r}; marks are {', '.join(MARKS)}")
            if match["mark"] != "output" and not match["what"]:
                raise ValueError(f"line {line}: {match['mark']!r} needs a colon and a text after it")
            if match["mark"] == "page not run":
                none_runs = match["what"]
            elif match["mark"] in ("prepare", "beside"):
                found.append(Block(line, match["mark"], match["what"]))
            elif match["mark"] in OF_TEXT and not (match["mark"] == "measured" and text.startswith("\n```", match.end())):
                found.append(Block(line, "paragraph", _paragraph(text, match.end(), line), match["mark"], match["what"]))
            else:
                waiting = match
            continue
        if match["language"] not in RUN + SHOWN and waiting is None:
            raise ValueError(f"line {line}: a block of {match['language'] or 'no language'}; use {', '.join(RUN + SHOWN)}")
        if waiting is not None and text[waiting.end() : match.start()].strip():
            raise ValueError(f"line {line}: the mark {waiting['mark']!r} does not directly precede its block")
        mark, marked = (waiting["mark"], waiting["what"] or "") if waiting is not None else ("", "")
        if none_runs and not mark and match["language"] in RUN:
            mark, marked = "not run", none_runs
        found.append(Block(line, match["language"], match["body"], mark, marked))
        waiting = None
    if waiting is not None:
        raise ValueError("the last mark has no block")
    return found


def _paragraph(text: str, at: int, line: int) -> str:
    """Return the paragraph or table that begins on the line after a mark."""
    paragraph = text[at:].removeprefix("\n").partition("\n\n")[0]
    if not paragraph.strip() or paragraph.startswith(("\n", "```", "<!--")):
        raise ValueError(f"line {line}: the mark does not directly precede a paragraph or table")
    return paragraph


def unmarked(text: str) -> list[str]:
    """Return the paragraphs, tables and text blocks of a page that have figures and no mark."""
    shown = [block.body for block in blocks(text) if block.kind in SHOWN and not block.mark]
    marked = {block.body.strip("\n") for block in blocks(text) if block.kind == "paragraph"}
    prose = _COMMENT.sub("", _FENCE.sub("", text))
    return [part for part in [*prose.split("\n\n"), *shown] if part.strip("\n") not in marked and figures(part)]
