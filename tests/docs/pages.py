"""The pages that a reader follows, as the blocks that are in them.

A fenced block of ``sh``, ``sql`` or ``python`` is run; one of ``text`` shows something and is compared only where a mark says so.
Marks are HTML comments before a block, which no reader sees:

``<!-- not run: why -->``     the block behind is not run; the tests list it with the reason
``<!-- page not run: why -->``  the same of every block from here to the end of the page
``<!-- prepare: commands -->``  commands of a shell that put there what the page takes as given, as a file of the reader's own
``<!-- beside: command -->``    a command that goes on until the page ends; the page goes on once it has said ``ready``
``<!-- output -->``           the ``text`` block behind is what the block before it printed; ``…`` stands for anything
``<!-- owner: why -->``       the ``sql`` block behind is for ``stc db psql --owner``
``<!-- file: name -->``       the block behind is the content of that file
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
RUN = ("sh", "sql", "python")
SHOWN = ("text", "csv", "json", "yaml")
MARKS = ("not run", "page not run", "prepare", "beside", "output", "owner", "file")
# Written by scripts, and run by the tests of what they are written from.
GENERATED = ("commands.md", "reference.md")

_FENCE = re.compile(r"```(?P<language>\S*)\n(?P<body>.*?)^```$", re.DOTALL | re.MULTILINE)
_COMMENT = re.compile(r"<!--\s*(?P<mark>[a-z ]+?)\s*(?::\s*(?P<what>.*?))?\s*-->", re.DOTALL)


@dataclass(frozen=True)
class Block:
    """What a page has at a line.

    :param kind: a language, or a mark that stands for itself: ``prepare``, ``beside``; ``file`` is a block that is only written.
    :param mark: what is said of the block: the reason it is not run, the name of the file, '' where nothing is.
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
    """README.md and the pages of docs/ that people wrote."""
    written = [page for page in sorted((REPOSITORY / "docs").rglob("*.md")) if page.name not in GENERATED]
    return [REPOSITORY / "README.md", *(page for page in written if page.parent.name != "reference")]


def name(page: Path) -> str:
    return str(page.relative_to(REPOSITORY))


def blocks(text: str) -> list[Block]:
    """The blocks of a page, in order.

    :raises ValueError: a mark or a language that nobody knows, a mark with nothing behind it, a block not run without a reason.
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
                raise ValueError(f"line {line}: the mark before it has no block")
            if match["mark"] not in MARKS:
                raise ValueError(f"line {line}: no mark is called {match['mark']!r}; there are {', '.join(MARKS)}")
            if match["mark"] != "output" and not match["what"]:
                raise ValueError(f"line {line}: {match['mark']!r} wants a colon, and words behind it")
            if match["mark"] == "page not run":
                none_runs = match["what"]
            elif match["mark"] in ("prepare", "beside"):
                found.append(Block(line, match["mark"], match["what"]))
            else:
                waiting = match
            continue
        if match["language"] not in RUN + SHOWN and waiting is None:
            raise ValueError(f"line {line}: a block of {match['language'] or 'no language'}; there are {', '.join(RUN + SHOWN)}")
        if waiting is not None and text[waiting.end() : match.start()].strip():
            raise ValueError(f"line {line}: the mark {waiting['mark']!r} is not right before its block")
        mark, marked = (waiting["mark"], waiting["what"] or "") if waiting is not None else ("", "")
        if none_runs and not mark and match["language"] in RUN:
            mark, marked = "not run", none_runs
        found.append(Block(line, match["language"], match["body"], mark, marked))
        waiting = None
    if waiting is not None:
        raise ValueError("the last mark has no block")
    return found
