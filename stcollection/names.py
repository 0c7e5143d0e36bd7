"""The rule for names: runs, teams, editions, models, people, pools, queries, topics, measures.

A name has 1 to 200 printable characters and neither begins nor ends with a space. The tables enforce this by a CHECK constraint
whose name ends with ``_name_check``; the SQL function ``is_name`` tests the same rule. The rule lists code points, because
Unicode categories differ between versions of Python and PostgreSQL. Document ids (docno) come from elsewhere: they are stored
unchanged and escaped on output.
"""

from __future__ import annotations

import re

LONGEST = 200
# Control characters, format characters (zero width, direction of text), every space except U+0020, invisible characters,
# surrogates, private use, and noncharacters of the basic plane.
UNPRINTABLE = (
    (0x01, 0x1F), (0x7F, 0xA0), (0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C), (0x115F, 0x1160), (0x1680, 0x1680), (0x17B4, 0x17B5),
    (0x180B, 0x180F), (0x2000, 0x200F), (0x2028, 0x202F), (0x205F, 0x206F), (0x2800, 0x2800), (0x3000, 0x3000), (0x3164, 0x3164),
    (0xD800, 0xF8FF), (0xFDD0, 0xFDEF), (0xFEFF, 0xFEFF), (0xFFA0, 0xFFA0), (0xFFF0, 0xFFFB), (0xFFFE, 0xFFFF),
    (0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A), (0xE0000, 0x10FFFF),
)  # fmt: skip


def _code(point: int) -> str:
    """Return the escape of a code point that regular expressions of both Python and PostgreSQL understand."""
    return f"\\u{point:04X}" if point <= 0xFFFF else f"\\U{point:08X}"


_CLASS = "".join(_code(first) if first == last else f"{_code(first)}-{_code(last)}" for first, last in UNPRINTABLE)
PATTERN = f"^ | $|[{_CLASS}]"  # what a name must not match, in Python and in SQL
RULE = f"A name has 1 to {LONGEST} printable characters and no space at either end."
_REFUSED = re.compile(rf"\0|{PATTERN.replace('$', chr(92) + 'Z')}")


def is_name(name: str) -> bool:
    """Return True if the text can be a name."""
    return 1 <= len(name) <= LONGEST and _REFUSED.search(name) is None


def check(column: str) -> str:
    """Return the SQL condition of a CHECK constraint for a column of names."""
    return f"length({column}) BETWEEN 1 AND {LONGEST} AND {column} !~ '{PATTERN}'"
