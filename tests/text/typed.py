"""Realistic and malicious input for a search box."""

from __future__ import annotations

from hypothesis import strategies as st

HOSTILE = [
    "-" * 3000, '"' * 3001, "(-" * 3000, "!-" * 2000, "x" * 5000, "<" * 5000, "'" * 2000, "\\" * 2000, "or " * 2000, '-"a ' * 2000,
    '"' + "a " * 4000, "-voice " * 1000, "voice -" * 1000, "&amp;" * 1000, "http://a.b/c?d=e@f " * 300, "\x01\x02\x7f",
    "-é –voice 𝔘", "-".join(f"word{n}" for n in range(2000)), " ".join(f"w{n}" for n in range(20000)),
    " ".join(f"word{n}" for n in range(300)), "=+women +computer -games", 'voice "assist', "voice:assist", "a:b:c voice:voice",
    "voice's", "'voice' \\'", "1990 +1990 -1990 -5.3e7", "-voice or -voice or -voice", '"-a" -"-b" +-"c"',
]  # fmt: skip

_PIECES = st.sampled_from(
    ["-", "+", '"', "'", "!", "&", "|", "(", ")", "<", ">", "<->", ":*", ":", "\\", " ", "or", "voice", "-voice", "+voices",
     '"assistants', "listen", "a-b", "C++", "-1990", "x@y.z", "http://a.b/c", "</b>", "&amp;", "é", "\x01", "the", "women",
     "-games"]
)  # fmt: skip

TYPED = st.one_of(
    st.lists(_PIECES, max_size=40).map("".join),
    st.lists(_PIECES, max_size=40).map(" ".join),
    st.text(st.characters(blacklist_characters="\0", blacklist_categories=["Cs"]), max_size=100),
)
