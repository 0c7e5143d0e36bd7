"""Figures in paragraphs and tables: compared with commands that print them, or counted until they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.output import figures, unprinted
from tests.docs.pages import blocks, name, pages, unmarked

#: Paragraphs, tables and text blocks with figures that have no mark yet: times, versions, results on public collections. A new one
#: needs a mark (``shown by`` or ``measured``); lower the count of a page when you mark an old one.
UNMARKED = {
    "README.md": 3,
    "docs/background/durability.md": 4,
    "docs/background/evaluation.md": 1,
    "docs/background/internals.md": 3,
    "docs/background/security.md": 4,
    "docs/howto/administer.md": 9,
    "docs/howto/bundles.md": 1,
    "docs/howto/check-reliability.md": 7,
    "docs/howto/cluster.md": 6,
    "docs/howto/compare-runs.md": 10,
    "docs/howto/docker.md": 1,
    "docs/howto/editions.md": 1,
    "docs/howto/expand-judgments.md": 2,
    "docs/howto/explore.md": 3,
    "docs/howto/figures.md": 1,
    "docs/howto/improve-rankings.md": 8,
    "docs/howto/judge.md": 3,
    "docs/howto/llm-judges.md": 5,
    "docs/howto/load.md": 11,
    "docs/howto/programs.md": 2,
    "docs/howto/psql.md": 1,
    "docs/howto/readability.md": 9,
    "docs/howto/score.md": 2,
    "docs/howto/search.md": 8,
    "docs/howto/simpletext.md": 7,
    "docs/howto/submit.md": 1,
    "docs/howto/synthetic-queries.md": 3,
    "docs/howto/vectors.md": 11,
    "docs/howto/verify-answers.md": 4,
    "docs/start/install.md": 3,
}


@pytest.mark.parametrize("page", pages(), ids=name)
def test_figures_are_computed_by_a_command_or_marked(page: Path) -> None:
    found = unmarked(page.read_text(encoding="utf-8"))
    assert len(found) <= UNMARKED.get(name(page), 0), "\n\n".join(found)


TABLE = "| a | .971 | 12 |\n| b | −.5 | 3.14 |"


@pytest.mark.parametrize(
    ("shown", "printed", "missing"),
    [
        (TABLE, "a 0.9708\nb -0.4996 3.1416", []),
        (TABLE, "a 0.9808\nb -0.5 3.14", [".971"]),
        (TABLE, "a 0.971\nb 0.5 3.14", ["−.5"]),
        ("| a | .1 | .2 | .3 |", "0.1\n0.2\n0.3", [".3"]),  # of three lines
        ("Tau is .97, as in `0.5` and [b](c.1.md).", "x\n0.9701", []),
        ("It fell by 3.7 %.", "-3.68", []),
    ],
)
def test_figures_are_compared(shown: str, printed: str, missing: list[str]) -> None:
    told = unprinted(shown, printed)
    assert bool(told) == bool(missing)
    assert all(f"{one} in: " in told for one in missing)


def test_a_mark_has_a_paragraph() -> None:
    [block] = blocks("Text.\n\n<!-- shown by: echo 0.97 -->\nTau is .97\nhere.\n\nMore .5.\n")
    assert (block.kind, block.mark, block.marked, block.body) == ("paragraph", "shown by", "echo 0.97", "Tau is .97\nhere.")
    assert unmarked("<!-- measured: once -->\nTau is .97.\n\nMore .5.\n\n```text\n0.25\n```\n") == ["More .5.", "0.25\n"]
    with pytest.raises(ValueError, match="does not directly precede a paragraph"):
        blocks("<!-- measured: once -->\n\nText.\n")
    assert figures("version 1.2.3, .5 and −0.25 of x.5") == [("", ".5"), ("\N{MINUS SIGN}", "0.25")]
