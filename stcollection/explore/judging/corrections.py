"""Correct a judgment of an edition on the page, as ``stc publish correct`` does, after showing what the correction changes."""

from __future__ import annotations

import re
import shlex
from contextlib import suppress
from dataclasses import dataclass

import psycopg
from shiny import Inputs, Session, reactive, render, ui

from stcollection.analysis.impact import Shift, impact
from stcollection.errors import BadArgument, StateError, StcError
from stcollection.evaluation.measures import nDCG
from stcollection.explore import address
from stcollection.explore.pieces import alert, table
from stcollection.qrels import judging as work
from stcollection.qrels.corrections import Correction, correct
from stcollection.qrels.diff import JudgmentChange, changes
from stcollection.qrels.sheets import plain
from stcollection.texts import later
from stcollection.web.desk import Desk
from stcollection.web.words import n, t

PANEL = "corrections"
_GRADE = re.compile(r"-?[0-9]{1,4}")
_MEASURE = nDCG @ 10
_NO_EDITION = "(none)"  # select boxes have no empty choice


@dataclass(frozen=True, kw_only=True)
class Form:
    """The values of the form. :param unjudged: also accept a document that the edition does not judge."""

    edition: str
    query: str
    doc: str
    rel: str
    why: str
    unjudged: bool


@dataclass(frozen=True, kw_only=True)
class Effect:
    """What a correction changes. :param version: name of the new version. :param stored: False for a preview.

    :param runs: the stored runs, by the edition and by the version.
    """

    form: Form
    version: str
    judgments: list[JudgmentChange]
    runs: list[Shift]
    stored: bool


def organises(conn: psycopg.Connection) -> bool:
    """Return True if this role can correct editions: organisers and owners, on a server that can write."""
    return conn.execute(
        "SELECT CASE WHEN stc.sees_all_rows() THEN has_any_column_privilege('stc_all.qrels_editions', 'INSERT')"
        "   AND has_any_column_privilege('stc_all.qrels_judgments', 'INSERT') AND NOT pg_is_in_recovery() ELSE false END"
    ).fetchone() == (True,)


def corrected(conn: psycopg.Connection, form: Form, *, keep: bool) -> Effect:
    """Correct a judgment in a new version of the edition. :param keep: False returns the effect and stores nothing.

    :raises StateError: the role is no organiser's. :raises BadArgument: the correction does not fit the edition.
    """
    if not organises(conn):
        raise StateError(
            later("only organisers can correct judgments"),
            hint=later("Send the query, the document, the right grade and the reason to an organiser."),
            sqlstate="IR410",
        )
    if not (form.query and form.doc and form.rel and form.why):
        raise BadArgument(
            later("the correction is incomplete"), hint=later("Enter a query, a document, the right grade and the reason.")
        )
    if not _GRADE.fullmatch(form.rel):
        raise BadArgument(
            later("{grade!r} is not a grade", grade=form.rel[:20]),
            hint=later("Enter an integer of the edition's scale, such as 1."),
        )
    with conn.transaction(force_rollback=not keep):
        given = Correction(1, form.query, form.doc, int(form.rel), form.why)
        version = correct(conn, form.edition, [given], unjudged=form.unjudged)
        runs: list[Shift] = []
        with suppress(StateError), conn.transaction():  # no run is stored, or none has a score with both
            runs = impact(conn, form.edition, version, measure=_MEASURE).runs
        judgments = changes(conn, form.edition, version)
    return Effect(form=form, version=version, judgments=judgments, runs=runs, stored=keep)


def _shown(editions: list[str]) -> ui.TagList:
    """Return the elements of the panel."""
    choices = {name: plain(name) for name in editions} or {_NO_EDITION: t("no edition")}
    return ui.TagList(
        ui.p(t("A correction makes a new version of an edition. The edition itself and its seal do not change.")),
        ui.input_select("corrected_edition", t("Edition"), choices),
        ui.div(
            ui.input_text("corrected_query", t("Query")),
            ui.input_text("corrected_doc", t("Document")),
            ui.input_text("corrected_rel", t("Right grade")),
            class_="stc-begin",
        ),
        ui.input_text_area("corrected_why", t("Reason"), rows=2, width="40rem"),
        ui.input_checkbox("corrected_unjudged", t("Also judge a document that the edition does not judge (--add)"), width="40rem"),
        ui.input_action_button("corrected_preview", t("Show changes"), class_="btn-outline-secondary btn-sm"),
        ui.output_ui("correction"),
    )


def serve(input: Inputs, session: Session, desk: Desk) -> None:  # noqa: A002
    """Add the panel for organisers. Each request checks the role again."""
    drawn: reactive.Value[Effect | StcError | None] = reactive.Value(None, name="correction")

    @reactive.effect
    async def _() -> None:
        with suppress(StcError):  # the panel Judge shows it
            if await desk.ask(organises):
                here = address.read(session).get("panel") == PANEL
                panel = ui.nav_panel(t("Corrections"), _shown(await desk.ask(work.editions)), value=PANEL)
                ui.insert_nav_panel(id="view", nav_panel=panel, target="progress", position="after", select=here)

    def filled() -> Form:
        return Form(
            edition=str(input.corrected_edition()),
            query=str(input.corrected_query()).strip(),
            doc=str(input.corrected_doc()).strip(),
            rel=str(input.corrected_rel()).strip(),
            why=plain(str(input.corrected_why())),
            unjudged=input.corrected_unjudged() is True,
        )

    @reactive.effect
    @reactive.event(input.corrected_preview)
    async def _() -> None:
        try:
            drawn.set(await desk.write(corrected, filled(), keep=False))
        except StcError as error:
            drawn.set(error)

    @reactive.effect
    @reactive.event(input.corrected_store)
    async def _() -> None:
        """Store the correction whose effect is shown."""
        at = drawn()
        if not isinstance(at, Effect) or at.stored or at.form != filled():
            return
        try:
            drawn.set(await desk.write(corrected, at.form, keep=True))
        except StcError as error:
            drawn.set(error)
            return
        with suppress(StcError):  # only the list lacks the version
            names = await desk.ask(work.editions)
            ui.update_select("corrected_edition", choices={name: plain(name) for name in names}, selected=at.form.edition)

    @render.ui
    def correction() -> ui.Tag | None:
        at = drawn()
        if isinstance(at, StcError):
            return alert(at)
        if at is None or not (at.stored or at.form == filled()):
            return None
        return _effect(at)


def _effect(at: Effect) -> ui.Tag:
    """Draw what a correction changes, and the button that stores it."""
    edition, version, measure = plain(at.form.edition), plain(at.version), str(_MEASURE)
    moved = [one for one in at.runs if one.shift or one.rank_a != one.rank_b]
    same = len(at.runs) - len(moved)
    unmoved = n(
        "{count:,} run with the same {measure} and rank.", "{count:,} runs with the same {measure} and rank.", same, measure=measure
    )
    if at.stored:
        told = t("{version} is stored: {edition} with this correction. To publish it:", version=version, edition=edition)
        end = ui.div(ui.p(told, role="status"), ui.pre(ui.tags.code(f"stc publish seal {shlex.quote(version)}")))
    else:
        label = t("Create {version}", version=version)
        end = ui.input_action_button("corrected_store", label, class_="btn-primary")
    return ui.div(
        table(
            (t("query"), t("document"), t("grade in {edition}", edition=edition), t("in {edition}", edition=version), t("reason")),
            [(plain(one.query), plain(one.doc), one.rel_a, one.rel_b, ui.span(plain(one.why), dir="auto")) for one in at.judgments],
            caption=t("Judgments that change"),
            numbers=(2, 3),
        ),
        table(
            (
                t("run"),
                t("{measure} by {edition}", measure=measure, edition=edition),
                t("by {edition}", edition=version),
                t("shift"),
                t("rank by {edition}", edition=edition),
                t("by {edition}", edition=version),
            ),
            [
                (plain(one.run), f"{one.value_a:.4f}", f"{one.value_b:.4f}", f"{one.shift:+.4f}", one.rank_a, one.rank_b)
                for one in moved
            ],
            caption=t("Scores and ranks that change"),
            numbers=(1, 2, 3, 4, 5),
        )
        if moved
        else None,
        ui.p(unmoved) if same else None,
        None if at.runs else ui.p(t("No stored run can be scored with both.")),
        end,
    )
