"""Find queries of a file that the topics do not have, or spell in another way: 51 and 051, Q1 and q1, q-12 and 12."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from itertools import islice

from stcollection.counts import counted
from stcollection.errors import BadInput
from stcollection.io.files import clip

_SHOWN = 3
_ZEROS = re.compile(r"(?<![0-9])0+(?=[0-9])")
_DECIMAL = re.compile(r"([0-9]+)\.0+")  # pandas writes 51.0 if a value is missing
_JOINT = re.compile(r"(?<=[a-z])[-_.:#/]+(?=[0-9])")
_PREFIX = re.compile(r"[a-z][a-z0-9]*[-_:#/]+(?=[a-z0-9])|[a-z]+(?=[0-9])")
HINT = (
    "Spell the ids alike in both files. If they are other queries, use --unknown-queries stub to store them without text, or skip"
    " to omit their lines. Nothing was stored."
)


def check_queries(place: str, queries: Collection[str], known: Collection[str]) -> None:
    """Check that the queries of a file are those of the topics.

    Queries without topics are accepted if most queries are known, or most topics occur: topics can be a part of the judged ones.

    :param place: the file, for messages. :param queries: its queries. :param known: the queries of the topics.
    :raises BadInput: some ids differ from those of topics, not in the file, only by zeros, case, prefix or blanks; or at least
        half of the queries are unknown, and the file has less than half of the topics.
    """
    queries, known = set(queries), set(known)
    unknown, matched = queries - known, len(queries & known)
    if not unknown or not known:
        return
    if pairs := other_spellings(unknown, known - queries):
        listing = ", ".join(f"{clip(mine)} is {clip(theirs)}" for mine, theirs in islice(sorted(pairs.items()), _SHOWN))
        rest = ", …" if len(pairs) > _SHOWN else ""
        raise BadInput(
            f"{place}: {_count(unknown, queries)} in the topics, which spell ids in another way: {listing}{rest} in the topics",
            hint=HINT,
        )
    if 2 * len(unknown) >= len(queries) and 2 * matched < len(known):
        raise BadInput(
            f"{place}: {_count(unknown, queries)} in the topics: {_some(unknown)}; the topics have {_some(known - queries)}",
            hint=HINT,
        )


def _count(unknown: Collection[str], queries: Collection[str]) -> str:
    if len(unknown) == len(queries):
        return "none of its queries is"
    return f"{len(unknown):,} of its {counted(len(queries), 'query')} {'is' if len(unknown) == 1 else 'are'} not"


def other_spellings(unknown: Iterable[str], known: Iterable[str]) -> dict[str, str]:
    """Return the known id for each unknown one that differs from it only by zeros, case, prefix or blanks."""
    by_key = {_key(name): name for name in known}
    bare = {_PREFIX.sub("", key, count=1): name for key, name in by_key.items() if _PREFIX.match(key)}
    spellings: dict[str, str] = {}
    for name in unknown:
        key = _key(name)
        prefixed = _PREFIX.match(key) is not None
        other = by_key.get(key) or (by_key.get(_PREFIX.sub("", key, count=1)) if prefixed else bare.get(key))
        if other is not None:
            spellings[name] = other
    return spellings


def _key(name: str) -> str:
    """Return an id in lower case, without blanks, zeros in front of numbers and signs between letters and a number."""
    text = _ZEROS.sub("", "".join(name.lower().split()))
    whole = _DECIMAL.fullmatch(text)
    return whole[1] if whole else _JOINT.sub("", text)


def _some(names: Iterable[str]) -> str:
    return f"{', '.join(map(clip, sorted(names)[:_SHOWN]))} …"
