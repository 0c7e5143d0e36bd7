"""Texts of the view Judging: states, progress and the end of a sheet. No database access."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence, Set
from typing import Any, NamedTuple

from markupsafe import Markup

from stcollection.qrels.judging import BlindDocument, OfSheet, SheetCounts
from stcollection.qrels.labels import ShownLabel
from stcollection.qrels.metadata import described
from stcollection.qrels.pools import PoolOverview
from stcollection.qrels.sheets import plain
from stcollection.texts import later
from stcollection.topics.sets import ALL
from stcollection.web.words import n, t

SHORT_ARTICLE = 600  # characters that are shown at once
TIMED = 10  # decisions with a measured time before the speed is shown
# Default keys of the sheet by action, and their descriptions.
KEYS = {
    "back": ("p", later("go back to the previous document, to review or correct it")),
    "undo": ("u", later("undo the last decision; press it again to undo the one before")),
    "undecided": ("c", later("cannot decide; the document does not come back")),
    "skip": ("s", later("skip; the document comes back after the others")),
    "note": ("n", later("write a note; press Esc to leave the field")),
    "query": ("q", later("show the whole query, or one line of it")),
    "guide": ("g", later("show or hide the guidelines")),
    "article": ("a", later("show or hide the article")),
    "help": ("?", later("show or hide this list")),
}
_SCALE = {0: later("not relevant"), 1: later("relevant"), 2: later("very relevant")}  # the default of sql/qrels/make_pool.sql
_STATES = {"skipped": later("skipped before"), "undecided": later("you could not decide")}
_WORDS = re.compile(r"\w+|\W+")


class Finished(NamedTuple):
    """The end of a sheet, or of what is to judge now. :param submit: command that makes the judgments final, or None."""

    heading: str
    text: str
    submit: str | None


def scale(grades: Mapping[int, str]) -> dict[int, str]:
    """Return the grades of a pool with their meanings. Those of the default scale are in the reader's language."""
    return {grade: t(meaning) if meaning == _SCALE.get(grade) else meaning for grade, meaning in grades.items()}


def said(paper: BlindDocument) -> str:
    """Return the state of a document on its sheet, in words."""
    if paper.state == "submitted":
        return t("submitted with grade {grade}, which can no longer be changed", grade=paper.rel)
    if paper.rel is not None:
        return t("graded {grade}", grade=paper.rel)
    return t(_STATES[paper.state]) if paper.state in _STATES else t("not judged yet")


def announced(paper: BlindDocument) -> str:
    """Return what a screen reader says when a document is shown."""
    return t(
        "Document {number} of {of} of query {query}, {state}.",
        number=paper.number,
        of=paper.of,
        query=plain(paper.query),
        state=said(paper),
    )


def labelled(label: ShownLabel | None) -> str:
    """Return the label of a language model in words; '' if none is shown."""
    return t("Label of a language model ({judge}): {grade}", judge=plain(label.judge), grade=label.rel) if label else ""


def metadata(fields: Mapping[str, Any]) -> str:
    """Return what the pool shows of a document besides title and abstract, on one line; '' if nothing."""
    return " · ".join(described(fields, cited=lambda count: n("{count:,} citation", "{count:,} citations", count)))


def marked(text: str | None, words: Set[str]) -> Markup:
    """Return a text with some words in <mark> elements."""
    pieces = _WORDS.findall(plain(text))
    return Markup().join(Markup("<mark>{}</mark>").format(piece) if piece in words else piece for piece in pieces)


def paragraphs(text: str | None) -> list[str]:
    """Return the paragraphs of an article."""
    return [plain(paragraph) for paragraph in (text or "").split("\n\n") if plain(paragraph)]


def progress_text(counts: SheetCounts) -> str:
    """Return progress and, after some decisions, speed."""
    done = n(
        "{judged:,} of {count:,} document judged",
        "{judged:,} of {count:,} documents judged",
        counts.documents,
        judged=counts.judged,
    )
    parts = [done]
    parts += [t("{count:,} cannot be decided", count=counts.undecided)] if counts.undecided else []
    parts += [t("{count:,} skipped", count=counts.skipped)] if counts.skipped else []
    return f"{', '.join(parts)}.{_speed(counts)}"


def _speed(counts: SheetCounts) -> str:
    seconds = counts.seconds
    if counts.timed < TIMED or not seconds or seconds < 1:
        return ""
    speed = 3600 / seconds
    if not counts.open:
        return " " + t("{speed:,.0f} an hour.", speed=speed)
    return " " + t("{speed:,.0f} an hour; about {duration} left.", speed=speed, duration=_duration(counts.open * seconds))


def _duration(seconds: float) -> str:
    minutes = max(1, round(seconds / 60))
    return n("{count} minute", "{count} minutes", minutes) if minutes < 100 else t("{hours:.1f} hours", hours=minutes / 60)


def division(pool: PoolOverview) -> str:
    """Return how a pool is divided among annotators."""
    shares = pool.params.get("shares")
    if not shares:
        return t("Every annotator judges the whole pool.")
    people, overlap = ", ".join(map(plain, shares["annotators"])), float(shares.get("overlap", 0))
    if overlap:
        return t("Shared among {people}: {overlap:.0%} of it is judged by two of them.", people=people, overlap=overlap)
    return t("Shared among {people}: each judges a part.", people=people)


def simulated(pools: Sequence[PoolOverview]) -> str | None:
    """Name the pools whose grades are invented; None without such pools."""
    names = [f"{plain(pool.pool)} ({', '.join(map(plain, pool.annotators))})" for pool in pools if pool.simulated]
    return t("Simulated grades: pool {pools}.", pools="; ".join(names)) if names else None


def finished(rows: Sequence[OfSheet], *, pool: str, query: str | None, queries: str = ALL) -> Finished:
    """Return what to say if no document is left to judge. :param queries: the set of queries that is judged."""
    left = sum(row.open for row in rows if query is None or row.query == query)
    others = sum(row.open for row in rows)
    undecided = sum(row.undecided for row in rows)
    total = sum(row.documents for row in rows)
    if left:
        told = n(
            "The remaining document is open in another tab or terminal of yours.",
            "The remaining {count:,} documents are open in another tab or terminal of yours.",
            left,
        )
    elif not total:
        told = t("You have no documents to judge in this pool.")
    elif others:
        told = t("All documents of query {query} are judged.", query=plain(query))
        told += " " + n(
            "{count:,} document of another query remains: select the query below.",
            "{count:,} documents of other queries remain: select one below.",
            others,
        )
    elif queries != ALL:
        told = n(
            "The only document of the set {set} is judged.",
            "All {count:,} documents of the set {set} are judged.",
            total,
            set=plain(queries),
        )
        told += " " + t("Clear the field of the query set to judge the others.")
    else:
        told = n("The only document is judged. Thank you!", "All {count:,} documents are judged. Thank you!", total)
        told += " " + t("{count:,} of them could not be decided.", count=undecided) if undecided else ""
    more = bool(left or others or queries != ALL)
    submit = None if more else f"stc pool submit {shlex.quote(pool)} --edition …"
    return Finished(t("Nothing left to judge here") if more else t("Done"), told, submit)
