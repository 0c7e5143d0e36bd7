"""Draw the parts of the upload tab: the place to drop a file, the report on it, the form to store it, and the result."""

from __future__ import annotations

from pathlib import Path

from shiny import ui

from stcollection.corpus.load import LoadedFile
from stcollection.errors import StcError
from stcollection.explore.pieces import alert, simulated, table
from stcollection.io.datasets import edition_name
from stcollection.qrels.load import ImportedQrels
from stcollection.runs.faults import as_line, brief, summary
from stcollection.texts import later
from stcollection.topics.load import LoadedTopics
from stcollection.web.uploads.examine import KINDS, MEASURES, SUBTOPICS, Examined, RunReport
from stcollection.web.uploads.files import MB, Uploads
from stcollection.web.uploads.loading import REJECTS, LoadProgress
from stcollection.web.uploads.storing import Stored, StoredDocuments, StoredJudgments, StoredRun
from stcollection.web.words import english, n, t

_MOST = 1000  # messages shown
_CUT = "; --all shows them"  # the option of the command line; here a checkbox shows them


def drop(uploads: Uploads, ticket: str) -> ui.Tag:
    """Draw the place to drop a file. upload.js sends the file and shows how far it is."""
    if not uploads.limit:
        return ui.p(
            t(
                "Uploads are disabled on this server. Start it with {command} to allow 200 MB.",
                command="'stc serve page --upload-limit 200'",
            )
        )
    return ui.div(
        # Without id and name: Shiny would send the file over the websocket, which the server closes then.
        ui.tags.label(
            ui.span(t("Choose a file, or drop it here"), class_="form-label fw-bold"),
            ui.tags.input(type="file", class_="form-control"),
        ),
        ui.p(
            t("Runs, topics, judgments or documents, plain or compressed, up to {limit:,} MB.", limit=uploads.limit // MB),
            " ",
            t("The file is checked first. Nothing is stored until you confirm."),
            class_="small text-body-secondary mb-0",
        ),
        ui.div(
            ui.tags.progress(max="100", value="0", aria_label=t("Upload progress")),
            ui.tags.button(t("Cancel upload"), type="button", class_="btn btn-outline-secondary btn-sm stc-drop-cancel"),
            class_="stc-drop-running",
            hidden="",
        ),
        ui.div(role="status", class_="stc-drop-state small"),
        ui.div(role="alert", class_="stc-drop-error"),
        class_="stc-drop",
        data_ticket=ticket,
        data_limit=str(uploads.limit),
    )


def failure(error: StcError, name: str) -> ui.Tag:
    """Draw an error. A message that begins with the name of the file keeps its case."""
    if not error.message.startswith(name):
        return alert(error)
    return ui.div(
        ui.strong(f"{error.message}."),
        ui.p(error.hint, class_="mb-0") if error.hint else None,
        class_="alert alert-warning",
        role="alert",
        lang=english(),
    )


def verdict(found: Examined) -> ui.TagChild:
    """Draw the name of an examined file, and in a sentence what it is."""
    heading = ui.h2(f"{found.file.name}: {t(KINDS[found.kind])}")
    if found.run is not None:
        checked = found.run.checked
        bad = t("The run cannot be stored. Correct its faults and upload it again.")
        sign, told = ("✗", bad) if checked.bad else ("✓", t("The run passes the check."))
        kind = "stc-verdict stc-fails" if checked.bad else "stc-verdict"
        return ui.TagList(heading, ui.div(f"{sign} {summary(checked, found.file.name)}", ui.tags.br(), told, class_=kind))
    assert found.data is not None  # noqa: S101
    text = later("more than {count:,} {things}") if found.data.more else later("{count:,} {things}")
    counts = ", ".join(t(text, count=number, things=t(what)) for what, number in found.data.counts if number)
    return ui.TagList(
        heading, ui.div(t("Read as {format}: {counts}.", format=found.data.format, counts=counts), class_="stc-verdict")
    )


def has_more(found: Examined) -> bool:
    """Return True if messages of a run are omitted by default."""
    return found.run is not None and any(fault.what.endswith(_CUT) for fault in brief(found.run.checked.faults))


def messages(found: Examined, *, every: bool) -> ui.TagChild:
    """Draw the messages on a run, as 'stc runs check' prints them. :param every: not only the first ones of each kind."""
    if found.run is None or not found.run.checked.faults:
        return None
    faults = found.run.checked.faults
    shown = [
        (fault.note, as_line(fault, found.file.name).removesuffix(_CUT)) for fault in (faults[:_MOST] if every else brief(faults))
    ]
    return ui.TagList(
        ui.tags.ul(*(ui.tags.li(line, class_="stc-note" if note else "stc-fault") for note, line in shown), class_="stc-messages"),
        ui.p(t("The first {count:,} of {all:,} messages.", count=_MOST, all=len(faults)))
        if every and len(faults) > _MOST
        else None,
    )


def contents(found: Examined) -> ui.TagChild:
    """Draw the scores of a run, or the first rows of other data."""
    if found.run is not None:
        run = found.run
        return ui.TagList(
            ui.h3(t("Scores on open editions")),
            _scores(run) if run.scores else ui.p(run.no_scores),
            simulated(run.simulated),
        )
    assert found.data is not None  # noqa: S101
    data = found.data
    return ui.TagList(
        *(ui.p(note, class_="mb-1") for note in data.notes),
        failure(data.problem, found.file.name) if data.problem is not None else None,
        table(data.headers, data.rows, caption=n("First {count} row", "First {count} rows", len(data.rows))),
        rejects(data.rejects, dict(data.counts).get("rejects", 0)),
    )


def _scores(run: RunReport) -> ui.TagList:
    """Draw a table of the editions with judgments of documents, and one of those with judgments of subtopics."""
    captions = {
        MEASURES: t("Means over the judged queries; a query without documents counts as 0"),
        SUBTOPICS: t("Measures of subtopics, over the queries with judgments of subtopics"),
    }
    drawn: list[ui.Tag] = []
    for measures, caption in captions.items():
        rows = [
            (one.edition, t("{count:,} of {all:,}", count=one.answered, all=one.queries), *(f"{mean:.4f}" for mean in one.means))
            for one in run.scores
            if one.measures == measures
        ]
        if rows:
            headers = (t("edition"), t("queries answered"), *map(str, measures))
            drawn.append(table(headers, rows, caption=caption, numbers=tuple(range(1, len(headers)))))
    return ui.TagList(*drawn)


def rejects(rows: list[tuple[int, str | None, str]], total: int) -> ui.Tag | None:
    """Draw the records that cannot be stored."""
    if not rows:
        return None
    caption = t("Rejects")
    if total > len(rows):
        caption = t("Rejects, the first {count:,} of {all:,}", count=len(rows), all=total)
    return table(
        (t("line"), t("document"), t("reason")), [(str(line), docno, reason) for line, docno, reason in rows], caption=caption
    )


def form(found: Examined) -> ui.TagChild:
    """Draw the form that stores a file, or why it cannot be stored."""
    if found.run is not None:
        return _run_form(found, found.run)
    why = found.rights.why_no_data
    if why:
        return _refused(why, t("Sign in as an organiser, or load the file with the command line."))
    if found.data is not None and found.data.problem is not None and found.kind == "qrels":
        return ui.p(t("These judgments cannot be stored."))
    fields: list[ui.TagChild] = []
    if found.kind == "qrels":
        splits = {"": t("none"), "train": t("train (open)"), "test": t("test (hidden until released)")}
        fields = [
            ui.input_text("edition", t("Edition"), value=edition_name(Path(found.file.safe_name))),
            ui.input_select("split", t("Split of a new edition"), splits),
            ui.input_checkbox("best_first", t("1 is the best grade"), value=False),
        ]
    else:
        documents, queries = t("Replace stored documents that differ"), t("Replace stored queries that differ")
        fields = [ui.input_checkbox("replace", documents if found.kind == "corpus" else queries, value=False)]
    button = ui.input_action_button("load", t("Load {what}", what=t(KINDS[found.kind])), class_="btn-primary")
    return ui.TagList(ui.h2(t("Load")), ui.div(*fields, class_="stc-controls"), button)


def _run_form(found: Examined, run: RunReport) -> ui.TagChild:
    if run.stored is not None:
        return _refused(t("this file is already stored as run {run}", run=run.stored), t("The leaderboard shows it."))
    if run.checked.bad:
        return None
    if found.rights.why_no_runs:
        return _refused(found.rights.why_no_runs, t("Sign in as a participant with a team, or send the file to the organisers."))
    team = found.rights.team
    return ui.TagList(
        ui.h2(t("Store")),
        ui.div(
            ui.input_text("team", t("Team"), value=team or run.team)
            if team is None
            else ui.div(ui.div(t("Team"), class_="form-label mb-2"), ui.p(team, class_="fw-bold"), class_="shiny-input-container"),
            ui.input_text("run", t("Name of the run"), value=run.run),
            class_="stc-controls",
        ),
        ui.input_action_button("store", t("Store run"), class_="btn-primary"),
    )


def _refused(why: str, hint: str) -> ui.Tag:
    return ui.div(
        ui.strong(t("Not stored: {reason}.", reason=why)), ui.p(hint, class_="mb-0"), class_="alert alert-info", role="status"
    )


def running(progress: LoadProgress) -> ui.Tag:
    """Draw how far a load is."""
    share = None if not progress.total else str(round(100 * progress.read / progress.total))
    return ui.div(
        ui.tags.progress(max="100", value=share, aria_label=t("Progress of the load")),
        ui.span(n("{count:,} document", "{count:,} documents", progress.documents) if progress.documents else t("working …")),
        class_="stc-load",
    )


def stored(done: Stored) -> ui.TagChild:
    """Draw the result of storing a file."""
    if isinstance(done, StoredRun):
        return stored_run(done.run, done.team)
    if isinstance(done, StoredJudgments):
        return loaded_qrels(done.counts, done.edition)
    if isinstance(done, StoredDocuments):
        return loaded_documents(done.counts, done.rejects)
    return loaded_topics(done)


def cancelled(documents: int) -> ui.Tag:
    """Draw the result of a cancelled load of documents."""
    return ui.p(
        n(
            "Cancelled after {count:,} document, which stays stored. Load the file again to continue.",
            "Cancelled after {count:,} documents, which stay stored. Load the file again to continue.",
            documents,
        ),
        role="status",
    )


def loaded_documents(done: LoadedFile, rows: list[tuple[int, str | None, str]]) -> ui.TagChild:
    """Draw the result of loading documents."""
    if done.state == "already loaded":
        return ui.p(
            n(
                "{file} was loaded before: {count:,} document. Nothing changed.",
                "{file} was loaded before: {count:,} documents. Nothing changed.",
                done.documents,
                file=done.path,
            )
        )
    counts = {"duplicates": done.duplicates, "replaced": done.replaced, "rejects": done.rejects}
    documents = n("{count:,} document", "{count:,} documents", done.documents)
    told = (
        t(
            "{documents} loaded; duplicates: {duplicates:,} ({replaced:,} replaced); rejects: {rejects:,}.",
            documents=documents,
            **counts,
        )
        if done.replaced
        else t("{documents} loaded; duplicates: {duplicates:,}; rejects: {rejects:,}.", documents=documents, **counts)
    )
    return ui.TagList(
        ui.p(told),
        ui.p(
            t(
                "Searches find new documents after {index} and {vectors}.",
                index="'stc index'",
                vectors="'stc vectors embed'",
            )
        ),
        rejects(rows, done.rejects) if done.rejects <= REJECTS else rejects(rows[:REJECTS], done.rejects),
    )


def stored_run(run: str, team: str) -> ui.TagChild:
    """Draw the result of storing a run."""
    return ui.div(
        ui.strong(t("Run {run} of team {team} is stored.", run=run, team=team)),
        " ",
        ui.a(t("Open the leaderboard"), href="/leaderboard"),
        class_="alert alert-success",
    )


def loaded_topics(done: LoadedTopics) -> ui.Tag:
    """Draw the result of loading topics."""
    unchanged = done.queries - done.added - done.filled - done.changed
    counts = {
        t("{count:,} added", count=done.added): done.added,
        t("{count:,} filled", count=done.filled): done.filled,
        t("{count:,} changed", count=done.changed): done.changed,
        t("{count:,} unchanged", count=unchanged): unchanged,
    }
    told = ", ".join(what for what, count in counts.items() if count)
    text = n("{count:,} query: {changes}.", "{count:,} queries: {changes}.", done.queries, changes=told)
    return ui.div(text, class_="alert alert-success")


def loaded_qrels(done: ImportedQrels, edition: str) -> ui.Tag:
    """Draw the result of importing judgments."""
    told = n(
        "{count:,} judgment on {queries}: {added:,} added to the edition {edition}",
        "{count:,} judgments on {queries}: {added:,} added to the edition {edition}",
        done.judgments,
        queries=n("{count:,} query", "{count:,} queries", done.queries),
        added=done.added,
        edition=edition,
    )
    if done.unchanged:
        told += t(", {count:,} stored already", count=done.unchanged)
    if done.new_documents:
        told += n(
            "; {count:,} document is stored by name only",
            "; {count:,} documents are stored by name only",
            done.new_documents,
        )
    return ui.div(f"{told}.", class_="alert alert-success")
