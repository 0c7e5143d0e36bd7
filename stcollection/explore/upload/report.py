"""What the page says about an uploaded file: as sentences, and as tables."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from stcollection.errors import StcError
from stcollection.explore.faults import error_text
from stcollection.io.datasets import edition_name
from stcollection.runs.faults import as_line, brief, summary
from stcollection.texts import later
from stcollection.web.uploads.examine import MEASURES, SUBTOPICS, Examined, RunReport
from stcollection.web.uploads.loading import LoadProgress
from stcollection.web.uploads.storing import Stored, StoredDocuments, StoredJudgments, StoredRun
from stcollection.web.words import english, n, t

_MOST = 1000  # messages shown
_CUT = "; --all shows them"  # the option of the command line; here a link shows them


class FileMessage(NamedTuple):
    """A message on a file. :param lang: attribute of texts that are not in the page's language, else None."""

    text: str
    hint: str | None
    lang: str | None = None


class FaultLine(NamedTuple):
    """A message on a line of a run. :param note: it is no fault."""

    note: bool
    text: str


class ScoreTable(NamedTuple):
    caption: str
    headers: tuple[str, ...]
    rows: list[tuple[object, ...]]


def failure(error: StcError, name: str) -> FileMessage:
    """Return an error. A message that begins with the name of the file keeps its case."""
    if error.message.startswith(name):
        return FileMessage(f"{error.message}.", error.hint, english())
    return FileMessage(*error_text(error))


def verdict(found: Examined) -> tuple[bool, list[str]]:
    """Return whether the file passes, and in sentences what it is."""
    if found.run is not None:
        checked = found.run.checked
        bad = t("The run cannot be stored. Correct its faults and upload it again.")
        sign, result = ("✗", bad) if checked.bad else ("✓", t("The run passes the check."))
        return not checked.bad, [f"{sign} {summary(checked, found.file.name)}", result]
    assert found.data is not None  # noqa: S101
    text = later("more than {count:,} {things}") if found.data.more else later("{count:,} {things}")
    counts = ", ".join(t(text, count=number, things=t(what)) for what, number in found.data.counts if number)
    return True, [t("Read as {format}: {counts}.", format=found.data.format, counts=counts)]


def has_more(found: Examined) -> bool:
    """Return True if messages of a run are omitted by default."""
    return found.run is not None and any(fault.what.endswith(_CUT) for fault in brief(found.run.checked.faults))


def messages(found: Examined, *, every: bool) -> tuple[list[FaultLine], str | None]:
    """Return the messages on a run, as 'stc runs check' prints them, and a note if there are more.

    :param every: not only the first ones of each kind.
    """
    faults = [] if found.run is None else found.run.checked.faults
    shown = [
        FaultLine(fault.note, as_line(fault, found.file.name).removesuffix(_CUT))
        for fault in (faults[:_MOST] if every else brief(faults))
    ]
    more = t("The first {count:,} of {all:,} messages.", count=_MOST, all=len(faults)) if every and len(faults) > _MOST else None
    return shown, more


def scores(run: RunReport) -> list[ScoreTable]:
    """Return a table of the editions with judgments of documents, and one of those with judgments of subtopics."""
    captions = {
        MEASURES: t("Means over the judged queries; a query without documents counts as 0"),
        SUBTOPICS: t("Measures of subtopics, over the queries with judgments of subtopics"),
    }
    made = []
    for measures, caption in captions.items():
        rows: list[tuple[object, ...]] = [
            (one.edition, t("{count:,} of {all:,}", count=one.answered, all=one.queries), *(f"{mean:.4f}" for mean in one.means))
            for one in run.scores
            if one.measures == measures
        ]
        if rows:
            made.append(ScoreTable(caption, (t("edition"), t("queries answered"), *map(str, measures)), rows))
    return made


def rejects(rows: list[tuple[int, str | None, str]], total: int) -> ScoreTable | None:
    """Return a table of the records that cannot be stored."""
    if not rows:
        return None
    caption = t("Rejects")
    if total > len(rows):
        caption = t("Rejects, the first {count:,} of {all:,}", count=len(rows), all=total)
    return ScoreTable(
        caption, (t("line"), t("document"), t("reason")), [(str(line), docno, reason) for line, docno, reason in rows]
    )


def refused(found: Examined) -> FileMessage | None:
    """Return why a file that passes cannot be stored, None if it can."""
    rights = found.rights
    if found.run is not None and found.run.stored is not None:
        why, hint = t("this file is already stored as run {run}", run=found.run.stored), t("The leaderboard shows it.")
    elif found.run is not None and rights.why_no_runs:
        why, hint = rights.why_no_runs, t("Sign in as a participant with a team, or send the file to the organisers.")
    elif found.run is None and rights.why_no_data:
        why, hint = rights.why_no_data, t("Sign in as an organiser, or load the file with the command line.")
    else:
        return None
    return FileMessage(t("Not stored: {reason}.", reason=why), hint)


def storable(found: Examined) -> bool:
    """Return True if the page has a form to store the file."""
    if refused(found) is not None:
        return False
    if found.run is not None:
        return not found.run.checked.bad
    return not (found.kind == "qrels" and found.data is not None and found.data.problem is not None)


def suggested_edition(found: Examined) -> str:
    return edition_name(Path(found.file.safe_name))


def progress(now: LoadProgress) -> tuple[str, int | None]:
    """Return how far a load is, and this in per cent if the size is known."""
    share = None if not now.total else round(100 * now.read / now.total)
    text = n("{count:,} document", "{count:,} documents", now.documents) if now.documents else t("working …")
    return text, share


def cancelled(documents: int) -> str:
    """Return the result of a cancelled load. :param documents: that were stored before."""
    if not documents:
        return t("Cancelled. Nothing was stored.")
    return n(
        "Cancelled after {count:,} document, which stays stored. Load the file again to continue.",
        "Cancelled after {count:,} documents, which stay stored. Load the file again to continue.",
        documents,
    )


def result(done: Stored) -> list[str]:
    """Return the result of storing a file, in sentences."""
    if isinstance(done, StoredRun):
        return [t("Run {run} of team {team} is stored.", run=done.run, team=done.team)]
    if isinstance(done, StoredJudgments):
        return [_judgments(done)]
    if isinstance(done, StoredDocuments):
        return _documents(done)
    unchanged = done.queries - done.added - done.filled - done.changed
    counts = {
        t("{count:,} added", count=done.added): done.added,
        t("{count:,} filled", count=done.filled): done.filled,
        t("{count:,} changed", count=done.changed): done.changed,
        t("{count:,} unchanged", count=unchanged): unchanged,
    }
    changes = ", ".join(what for what, count in counts.items() if count)
    return [n("{count:,} query: {changes}.", "{count:,} queries: {changes}.", done.queries, changes=changes)]


def _documents(done: StoredDocuments) -> list[str]:
    counts = done.counts
    if counts.state == "already loaded":
        return [
            n(
                "{file} was loaded before: {count:,} document. Nothing changed.",
                "{file} was loaded before: {count:,} documents. Nothing changed.",
                counts.documents,
                file=counts.path,
            )
        ]
    told = {"duplicates": counts.duplicates, "replaced": counts.replaced, "rejects": counts.rejects}
    documents = n("{count:,} document", "{count:,} documents", counts.documents)
    loaded = (
        t(
            "{documents} loaded; duplicates: {duplicates:,} ({replaced:,} replaced); rejects: {rejects:,}.",
            documents=documents,
            **told,
        )
        if counts.replaced
        else t("{documents} loaded; duplicates: {duplicates:,}; rejects: {rejects:,}.", documents=documents, **told)
    )
    following = t("Searches find new documents after {index} and {vectors}.", index="'stc index'", vectors="'stc vectors embed'")
    return [loaded, following]


def _judgments(stored: StoredJudgments) -> str:
    done = stored.counts
    text = n(
        "{count:,} judgment on {queries}: {added:,} added to the edition {edition}",
        "{count:,} judgments on {queries}: {added:,} added to the edition {edition}",
        done.judgments,
        queries=n("{count:,} query", "{count:,} queries", done.queries),
        added=done.added,
        edition=stored.edition,
    )
    if done.unchanged:
        text += t(", {count:,} stored already", count=done.unchanged)
    if done.new_documents:
        text += n(
            "; {count:,} document is stored by name only",
            "; {count:,} documents are stored by name only",
            done.new_documents,
        )
    return f"{text}."
