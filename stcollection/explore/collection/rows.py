"""The parts of the collection as rows of tables and as figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any, NamedTuple

from markupsafe import Markup

from stcollection.analysis.contents import Corpus, EditionCounts, Indexes
from stcollection.explore.charts import Chart, column_chart, stacked_chart
from stcollection.explore.navigation import link
from stcollection.qrels.editions import EditionOverview
from stcollection.runs.listing import RunOverview
from stcollection.texts import later
from stcollection.vectors.audit import Status
from stcollection.web.words import t, whole

# What the status commands call the counts and the columns of the ledger, and what the page calls them.
_STATED = (later("authors"), later("path"), later("format"), later("duplicates"), later("seconds"), later("finished"))
_MEASURED = {"computed": later("abstracts with measures"), "lacking": later("abstracts without measures")}
_RESOURCES = "by resources "
_INDEX, _EXTENSION = "'stc index'", "pg_textsearch"


class TableRows(NamedTuple):
    """A table of the view. :param numbers: indexes of columns of numbers."""

    caption: str
    headers: Sequence[str]
    rows: Sequence[Sequence[object]]
    numbers: Sequence[int] = ()


def tiles(documents: Corpus | None, stored: EditionCounts | None) -> dict[str, int]:
    """Return the counts at a glance, those that could be read."""
    shown: dict[str, int] = {}
    if documents is not None:
        shown |= {t("documents"): documents.counts.get("documents", 0), t("abstracts"): documents.counts.get("abstracts", 0)}
    if stored is not None:
        judgments = sum(edition.judgments for edition in stored.editions)
        shown |= {t("editions"): len(stored.editions), t("judgments"): judgments, t("runs"): len(stored.runs)}
    return shown


def counted(found: Corpus) -> list[tuple[str, int, str | None]]:
    """Return rows (item, count, note); the notes are the share with abstracts and the span of years."""
    all_, abstracts = found.counts.get("documents", 0), found.counts.get("abstracts", 0)
    dated = sum(count for _, count in found.years)
    share = later("{share:.1%} of the documents, estimated") if found.estimated else later("{share:.1%} of the documents")
    notes = {"abstracts": t(share, share=abstracts / all_) if all_ else None}
    rows = [(t(what), count, notes.get(what)) for what, count in found.counts.items()]
    span = t("{first} to {last}", first=found.years[0][0], last=found.years[-1][0]) if found.years else None
    return [*rows, (t("with a year"), dated, span)]


def statistics(found: Corpus) -> TableRows:
    return TableRows(t("Corpus statistics"), (t("item"), t("count"), t("note")), counted(found), (1,))


def files(found: Corpus) -> TableRows:
    headers, rows = found.files
    return TableRows(t("Loaded files"), [t(name) for name in headers], [_file(row) for row in rows], (3, 4, 5, 6))


def editions(stored: EditionCounts) -> TableRows:
    headers = (t("edition"), t("split"), t("queries"), t("judgments"), t("grades"), t("origins"), t("state"))
    rows = [(_linked("edition", edition.edition), *edition_facts(edition)) for edition in stored.editions]
    return TableRows(t("Editions; select one for its leaderboard"), headers, rows, (2, 3))


def runs(stored: EditionCounts) -> TableRows:
    headers = (t("run"), t("team"), t("family"), t("queries"), t("ranked documents"), t("depth"), t("created"))
    return TableRows(t("Runs; select one for its scores"), headers, [_run(run) for run in stored.runs], (3, 4, 5))


def text_index(found: Indexes) -> TableRows:
    return TableRows(t("Text index"), (t("property"), t("value")), index_facts(found.text))


def vectors(found: Indexes) -> TableRows:
    headers = (
        t("model"), t("field"), t("index"), t("effort"), t("recall at last audit"), t("vectors"), t("state"), t("next step"),
    )  # fmt: skip
    return TableRows(t("Vectors and their indexes"), headers, [_indexed(index) for index in found.vectors], (3, 5))


def readability(found: Indexes) -> TableRows:
    rows = [(_measured(what), count, note) for what, count, note in found.readability]
    return TableRows(t("Readability measures"), (t("readability"), t("documents"), t("note")), rows, (1,))


def years(found: Corpus) -> Chart:
    """Draw the documents per year. The corpus has documents with a year."""
    return column_chart(found.years, label=t("Documents per year"))


def grades(stored: EditionCounts) -> Chart:
    """Draw the judgments by edition and grade."""
    known = sorted({int(grade) for edition in stored.editions for grade in edition.grades})
    rows = {edition.edition: [edition.grades.get(str(grade), 0) for grade in known] for edition in stored.editions}
    return stacked_chart(rows, [t("grade {grade}", grade=grade) for grade in known], label=t("Judgments by edition and grade"))


def grade_rows(stored: EditionCounts) -> list[tuple[str, int, int]]:
    """Return the rows of :func:`grades` as a table: edition, grade, judgments."""
    return [
        (edition.edition, int(grade), edition.grades[grade])
        for edition in stored.editions
        for grade in sorted(edition.grades, key=int)
    ]


def index_facts(found: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return rows (property, value) of the text index. :param found: as text_status returns it."""
    engine = str(found["engine"])
    broken = later("stale: run {command}") if found["stale"] else later("inconsistent: run {command}")
    return [
        (t("state"), t("up to date") if found["sound"] else t(broken, command=_INDEX)),
        (t("BM25 implementation"), t("{name} (extension)", name=engine) if engine == _EXTENSION else engine),
        (t("configuration"), str(found["config"])), (t("k1 and b"), t("{k1:g} and {b:g}", k1=found["k1"], b=found["b"])),
        (t("documents with words"), whole(found["documents"])), (t("tokens"), whole(found["tokens"])),
        (t("built"), f"{found['built']:%Y-%m-%d %H:%M}"),
    ]  # fmt: skip


def edition_facts(edition: EditionOverview) -> tuple[object, ...]:
    """Return split, counts, grades, origins and state of an edition."""
    shares = ", ".join(f"{grade}: {whole(edition.grades[grade])}" for grade in sorted(edition.grades, key=int))
    origins = ", ".join(f"{origin} {whole(count)}" for origin, count in sorted(edition.origins.items()))
    sealed = edition.sealed and t("sealed {date}", date=f"{edition.sealed:%Y-%m-%d}")
    states = [state for state in (edition.hidden and t("hidden"), sealed) if state] or [t("open")]
    if edition.simulated:
        states.append(t("simulated"))
    return edition.split, edition.queries, edition.judgments, shares, origins, ", ".join(states)


def _file(row: Sequence[object]) -> list[object]:
    """Format a row of the ledger, with the file's name instead of its path and a shortened digest."""
    path, form, state, documents, duplicates, rejects, seconds, digest, finished = row
    return [
        PurePath(str(path)).name, form, state, documents, duplicates, rejects,
        None if seconds is None else f"{seconds:,.1f}", None if digest is None else f"{str(digest)[:12]}…",
        None if finished is None else f"{finished:%Y-%m-%d %H:%M}",
    ]  # fmt: skip


def _run(run: RunOverview) -> tuple[object, ...]:
    return _linked("run", run.run), run.team, run.family, run.queries, run.ranked, run.depth, f"{run.made:%Y-%m-%d}"


def _indexed(index: Status) -> tuple[object, ...]:
    kind = index.kind or t("none (exact search)")
    if index.half:
        kind = t("{index} in half precision", index=kind)
    recall = t("not audited")
    if index.recall is not None:
        date = f"{index.audited:%Y-%m-%d}"
        recall = t("{recall:.3f} of the first {count}, {date}", recall=index.recall, count=index.recall_k, date=date)
    state = t("no index") if index.stale is None else t("stale") if index.stale else t("fresh")
    return index.model, index.field, kind, index.effort, recall, index.rows_now, state, index.advice


def _measured(what: str) -> str:
    if what.startswith(_RESOURCES):
        return t("by resources {name}", name=what.removeprefix(_RESOURCES))
    return t(_MEASURED.get(what, what))


def _linked(kind: str, name: str) -> Markup:
    """Return a link of an edition or a run to the leaderboard. :param kind: ``edition`` or ``run``."""
    return Markup('<a href="{}">{}</a>').format(link("leaderboard/run" if kind == "run" else "leaderboard", **{kind: name}), name)
