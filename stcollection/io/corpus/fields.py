"""Names of the fields of records, and of the columns of tables, that hold the parts of documents and queries (``--map``)."""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Literal

from stcollection.errors import BadArgument, BadInput

IDS = ("id", "docno", "_id", "doc_id", "docid")
TEXTS = ("text", "abstract", "contents")
_APART = re.compile(r"[\W_]+")
_LIKE_ID = re.compile(r"(id|no|num|number|key|code)$")
_LIKE_TITLE = re.compile(r"title|headline|heading|subject", re.IGNORECASE)
Role = Literal["documents", "queries"]


def folded(name: str) -> str:
    """Return a name for comparison: ``query-id``, ``QueryID`` and ``query_id`` are equal."""
    return _APART.sub("", name.lower())


@dataclass(frozen=True)
class FieldNames:
    """Accepted names of fields; of several, the first with a value is read.

    :param docno, title, text, year, venue, authors, doi, url, date: parts of a document. Without a name for one of the last six,
        the record is kept unchanged.
    :param query, desc, narr: id, description and narrative of a query; its text is in ``text``. () accepts the usual names.
    """

    docno: tuple[str, ...] = IDS
    title: tuple[str, ...] = ("title",)
    text: tuple[str, ...] = TEXTS
    year: tuple[str, ...] = ()
    venue: tuple[str, ...] = ()
    authors: tuple[str, ...] = ()
    doi: tuple[str, ...] = ()
    url: tuple[str, ...] = ()
    date: tuple[str, ...] = ()
    query: tuple[str, ...] = ()
    desc: tuple[str, ...] = ()
    narr: tuple[str, ...] = ()

    @property
    def known(self) -> frozenset[str]:
        """All names for the id, title and text of documents."""
        return frozenset((*self.docno, *self.title, *self.text))

    def given(self, role: Role | None = None) -> dict[str, str]:
        """Return the name that differs from the default, by part. :param role: only parts of documents, or of queries."""
        names = {part.name: getattr(self, part.name) for part in fields(self) if getattr(self, part.name) != part.default}
        return {part: accepted[0] for part, accepted in names.items() if role is None or part in PARTS[role]}

    def numbered(self, role: Role, names: Collection[str], width: int) -> bool:
        """Return True if the map numbers the columns of a table with this first row, from 1, because it has no header."""
        own = set(self.given(role).values())
        return bool(own) and not own <= set(names) and all(name.isdigit() and 0 < int(name) <= width for name in own)

    def foreign(self, role: Role) -> list[str]:
        """Return the parts that the map names and that documents, or queries, do not have."""
        either = ("docno", "query") if self.docno == self.query else ()  # the map names the id of both
        return [part for part in self.given() if part not in (*PARTS[role], *either)]

    def check(self, role: Role) -> None:
        """Check that the map names parts of documents, or of queries, only.

        :raises BadArgument: it names another part.
        """
        if wrong := self.foreign(role):
            raise BadArgument(
                f"--map names {', '.join(wrong)}, which {role} do not have",
                hint=f"The parts of {role} are {', '.join(PARTS[role])}.",
            )

    def resolved(self, names: Sequence[str], place: str) -> FieldNames:
        """Return the names for documents as a file spells them.

        Names are equal regardless of case and separators, so the default ``docid`` accepts ``DocID``. A map that also names parts
        of queries is for several files: what this file lacks is then read by its default names.

        :param names: those of the fields of the file; [] if unknown. :param place: the file, for messages.
        :raises BadInput: a name of the map is not in the file.
        """
        by_folded = {folded(name): name for name in reversed(names)}
        spellings: dict[str, tuple[str, ...]] = {}
        for part, name in self.given("documents").items() if names else ():
            spelled = name if name in names else by_folded.get(folded(name))
            if spelled is None and not self.foreign("documents"):
                raise BadInput(
                    f"{place}: there is no field {name}", hint=f"The fields are {', '.join(names)}. Correct --map {part}={name}."
                )
            spellings[part] = getattr(DEFAULT, part) if spelled is None else (spelled,)
        for part in ("docno", "title", "text") if names else ():
            usual: tuple[str, ...] = getattr(DEFAULT, part)
            if spellings.get(part, getattr(self, part)) == usual and set(usual).isdisjoint(names):
                spellings[part] = tuple(by_folded[key] for key in dict.fromkeys(map(folded, usual)) if key in by_folded) or usual
        return replace(self, **spellings)

    def __str__(self) -> str:
        """Return the names of parts of documents that differ from the default, in the syntax of ``--map``; '' if none differs."""
        return ",".join(f"{part}={name}" for part, name in self.given("documents").items())


MORE = ("year", "venue", "authors", "doi", "url", "date")
PARTS: dict[Role, tuple[str, ...]] = {
    "documents": ("docno", "title", "text", *MORE),
    "queries": ("query", "title", "text", "desc", "narr"),
}
DEFAULT = FieldNames()
_KNOWN = {folded(name) for name in (*IDS, *TEXTS, "title", "query", "qid", "query_id")}
_ALIASES: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("id", "_id"), ("docno", "query")),
    **dict.fromkeys(("docno", "doc_id", "docid"), ("docno",)),
    **dict.fromkeys(("query", "query_id", "qid"), ("query",)),
    **dict.fromkeys(TEXTS, ("text",)),
    **{name: (name,) for name in ("title", *MORE, "desc", "narr")},
    "description": ("desc",),
    "narrative": ("narr",),
}


def read_map(text: str) -> FieldNames:
    """Parse field names such as ``title=headline,text=body``, or ``query=question_id,text=utterance``.

    :raises BadArgument: invalid syntax, or a part is repeated.
    """
    names: dict[str, tuple[str, ...]] = {}
    for pair in text.split(","):
        ours, equals, theirs = (part.strip() for part in pair.partition("="))
        parts = _ALIASES.get(ours.lower(), ())
        if not equals or not theirs or not parts:
            hint = (
                f"Write it like this: --map docno=key,title=headline,text=body. The parts of documents are "
                f"{', '.join(PARTS['documents'])}; those of queries are {', '.join(PARTS['queries'])}."
            )
            raise BadArgument(f"{pair.strip()!r} does not name a field", hint=hint)
        for part in parts:
            if part in names:
                raise BadArgument(f"the map names the {part} twice: {text!r}", hint="Name each part once.")
            names[part] = (theirs,)
    return replace(DEFAULT, **names)


def unread(
    place: str,
    role: Role,
    missing: Mapping[str, str],
    names: Sequence[str],
    sample: Iterable[Mapping[str, Any]] = (),
    *,
    what: str = "field",
    advice: str = "",
) -> BadInput:
    """Return the error for a file whose records lack a field for a part.

    :param place: the file, or file and line. :param missing: parts, with their names in messages: ``{"query": "id"}``.
    :param names: names of its fields. :param sample: some of its records, to propose a map.
    :param what: ``field`` or ``column``. :param advice: a further hint.
    """
    listed = ", ".join(name or "(no name)" for name in names) or "nothing"
    proposed = _proposal(missing, names, list(sample))
    hint = f"Name the right {what}s, for example {proposed}." if proposed else f"Give the file a {what} for each."
    return BadInput(
        f"{place}: no {what} for the {' and the '.join(missing.values())} of {role}; the {what}s are {listed}",
        hint=" ".join(filter(None, (hint, advice, "Nothing was stored."))),
    )


def _proposal(missing: Collection[str], names: Sequence[str], sample: Sequence[Mapping[str, Any]]) -> str:
    """Return the option ``--map`` that reads the likely fields; '' if there are none."""
    left = [name for name in names if name and not re.search("[,=]", name)]
    if len(missing) == 1:  # the others have their fields already
        left = [name for name in left if folded(name) not in _KNOWN] or left
        missing = missing if len(left) < len(names) else [*missing, "text"]
    proposed: dict[str, str] = {}
    for part in missing:
        if not left:
            break
        if part in ("docno", "query"):
            proposed[part] = next((name for name in left if _LIKE_ID.search(folded(name))), left[0])
        else:
            if "docno" in missing and len(left) > 1 and (title := next(filter(_LIKE_TITLE.search, left), None)) is not None:
                proposed["title"] = title
                left.remove(title)
            texts = [name for name in left if not _LIKE_ID.search(folded(name))] or left
            proposed[part] = max(texts, key=lambda name: sum(len(str(record.get(name) or "").split()) for record in sample))
        left.remove(proposed[part])
    pairs = ",".join(f"{part}={name}" for part, name in proposed.items())
    return f"--map {shlex.quote(pairs)}" if pairs else ""
