"""Names of the fields of a record for id, title and text of its document."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from stcollection.errors import BadArgument

IDS = ("id", "docno", "_id", "doc_id", "docid")
TEXTS = ("text", "abstract", "contents")


@dataclass(frozen=True)
class FieldNames:
    """Accepted names of fields; of several, the first with a value is read."""

    docno: tuple[str, ...] = IDS
    title: tuple[str, ...] = ("title",)
    text: tuple[str, ...] = TEXTS

    @property
    def known(self) -> frozenset[str]:
        """All names."""
        return frozenset((*self.docno, *self.title, *self.text))

    def __str__(self) -> str:
        """Return the names that differ from the default in the syntax of ``--map``; '' if none differs."""
        usual = FieldNames()
        pairs = (("docno", self.docno, usual.docno), ("title", self.title, usual.title), ("text", self.text, usual.text))
        return ",".join(f"{ours}={names[0]}" for ours, names, other in pairs if names != other)


DEFAULT = FieldNames()
_PARTS = {**dict.fromkeys(IDS, "docno"), "title": "title", **dict.fromkeys(TEXTS, "text")}


def read_map(text: str) -> FieldNames:
    """Parse field names such as ``title=headline,abstract=body``.

    :raises BadArgument: invalid syntax, or a part of a document is repeated.
    """
    found: dict[str, tuple[str, ...]] = {}
    for pair in text.split(","):
        ours, equals, theirs = (part.strip() for part in pair.partition("="))
        part = _PARTS.get(ours.lower())
        if not equals or not theirs or part is None:
            hint = "Write it like this: --map docno=key,title=headline,text=body, with docno, title or text on the left."
            raise BadArgument(f"{pair.strip()!r} does not name a field", hint=hint, sqlstate="IR202")
        if part in found:
            raise BadArgument(
                f"the map names the {part} twice: {text!r}", hint="Name each part of a document once.", sqlstate="IR202"
            )
        found[part] = (theirs,)
    return replace(DEFAULT, **found)


def map_hint(names: Iterable[str]) -> str:
    """Return a hint on how to name the fields of a file with other field names."""
    return f"Its fields are {', '.join(names)}. Name the right ones, for example --map docno=FIELD,title=FIELD,text=FIELD."
