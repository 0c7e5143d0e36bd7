"""The runner of pages reports each failure with its line."""

from __future__ import annotations

import pytest

from tests.docs.output import differs
from tests.docs.pages import blocks
from tests.docs.walk import Walk

PAGE = """\
Make it:

```sh
export WHO=reader
mkdir -p there && cd there
```

<!-- not run: needs a second machine -->
```sh
exit 7
```

<!-- prepare:
echo given > file
-->
```sh
echo "$WHO"
cat file
```
<!-- output -->
```text
reader
given
```

```text
any text
```
"""


def test_blocks_have_lines_languages_and_marks() -> None:
    found = [(block.line, block.kind, block.mark, block.marked) for block in blocks(PAGE)]
    assert found == [
        (3, "sh", "", ""),
        (9, "sh", "not run", "needs a second machine"),
        (13, "prepare", "", ""),
        (16, "sh", "", ""),
        (21, "text", "output", ""),
        (26, "text", "", ""),
    ]


def test_the_rest_of_a_page_can_be_skipped() -> None:
    text = "```sh\n:\n```\n<!-- page not run: wants Docker -->\n```sh\n:\n```\n```text\n:\n```\n```sql\n:\n```\n"
    assert [(block.mark, block.marked) for block in blocks(text)] == [
        ("", ""),
        ("not run", "wants Docker"),
        ("", ""),
        ("not run", "wants Docker"),
    ]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("<!-- skip: no -->\n```sh\n:\n```\n", "unknown mark 'skip'"),
        ("<!-- not run -->\n```sh\n:\n```\n", "needs a colon"),
        ("```bash\n:\n```\n", "a block of bash"),
        ("<!-- not run: why -->\n", "has no block"),
        ("<!-- not run: why -->\nWords.\n```sh\n:\n```\n", "does not directly precede"),
    ],
)
def test_an_unknown_mark_is_an_error(text: str, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        blocks(text)


@pytest.mark.parametrize(
    ("shown", "printed", "same"),
    [
        ("a 0.7014\nb 0.5684", "head\na   0.7015\nb 0.568\n", True),
        ("a 0.7014", "a 0.7214", False),
        ("a 12", "a 13", False),
        ("first\n…\nlast", "first\nx\ny\nlast", True),
        ("first\nlast", "first\nx\nlast", False),
        ("done in … s", "done in 3.5 s", True),
        ("pid=…", "pid=33", True),
        ("anything", "", False),
    ],
)
def test_output_is_compared(shown: str, printed: str, same: bool) -> None:
    assert (differs(shown, printed) == "") is same


@pytest.mark.slow
def test_a_page_is_followed_in_one_folder_with_one_environment(walk: Walk) -> None:
    assert list(walk.follow(blocks(PAGE))) == []


@pytest.mark.slow
def test_a_failure_is_reported_with_its_line_and_the_rest_runs(walk: Walk) -> None:
    text = (
        "```sh\nstc runs list --no-such\n```\n"
        "```sql\nSELECT no_such FROM dblp;\nSELECT 1;\n```\n"
        "```python\nx = 1\n```\n```python\nassert x == 2, x\n```\n"
        "```sh\nfalse | true\n```\n"
        "```sh\necho other\n```\n<!-- output -->\n```text\nthis\n```\n"
        "<!-- beside: stc serve embeddings --no-such -->\n```sh\ntrue\n```\n"
    )
    failed = {block.line: told for block, told in walk.follow(blocks(text))}
    assert list(failed) == [1, 4, 11, 14, 21, 24]
    assert "No such option" in failed[1]
    assert 'column "no_such" does not exist' in failed[4]
    assert "AssertionError: 1" in failed[11]
