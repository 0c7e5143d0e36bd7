"""Which fields of a record are the id, the title and the text of its document."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from stcollection.errors import BadArgument

IDS = ("id", "docno", "_id", "doc_id", "docid")
TEXTS = ("text", "abstract", "contents")


@dataclass(frozen=True)
class FieldNames:
    """The names that fields may have; of several the first that has a value is read."""

    docno: tuple[str, ...] = IDS
    title: tuple[str, ...] = ("title",)
    text: tuple[str, ...] = TEXTS

    @property
    def known(self) -> frozenset[str]:
        """All of them."""
        return frozenset((*self.docno, *self.title, *self.text))

    def __str__(self) -> str:
        """The names that differ from the usual ones, as ``--map`` takes them; '' if none does."""
        usual = FieldNames()
        pairs = (("docno", self.docno, usual.docno), ("title", self.title, usual.title), ("text", self.text, usual.text))
        return ",".join(f"{ours}={names[0]}" for ours, names, other in pairs if names != other)


DEFAULT = FieldNames()
_PARTS = {**dict.fromkeys(IDS, "docno"), "title": "title", **dict.fromkeys(TEXTS, "text")}


def read_map(text: str) -> FieldNames:
    """The field names that ``title=headline,abstract=body`` gives.

    :raises BadArgument: it is no such list, or names a part of a document twice.
    """
    found: dict[str, tuple[str, ...]] = {}
    for pair in text.split(","):
        ours, equals, theirs = (part.strip() for part in pair.partition("="))
        part = _PARTS.get(ours.lower())
        if not equals or not theirs or part is None:
            hint = "Like this: --map docno=key,title=headline,text=body. On the left are docno, title and text."
            raise BadArgument(f"{pair.strip()!r} does not name a field", hint=hint, sqlstate="IR202")
        if part in found:
            raise BadArgument(
                f"the map names the {part} twice: {text!r}", hint="Name each part of a document once.", sqlstate="IR202"
            )
        found[part] = (theirs,)
    return replace(DEFAULT, **found)


def map_hint(names: Iterable[str]) -> str:
    """How to name the fields of a file that has others."""
    return f"Its fields are {', '.join(names)}. Name the right ones, for example --map docno=FIELD,title=FIELD,text=FIELD."
