"""Figures in paragraphs and tables are compared with commands that print them, or the page records how they were measured."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.output import figures, unprinted
from tests.docs.pages import BENCHMARK, blocks, name, pages, unmarked


@pytest.mark.parametrize("page", [page for page in pages() if page != BENCHMARK], ids=name)
def test_figures_are_computed_by_a_command_or_marked(page: Path) -> None:
    assert unmarked(page.read_text(encoding="utf-8")) == []


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
    assert figures("PostgreSQL before 17.1, [repro_eval](x) 0.5 and pgvector 0.8.2 take 0.4 s") == [("", "0.4")]
    assert blocks("<!-- measured: once -->\n```text\n0.25\n```\n")[0].marked == "once"
