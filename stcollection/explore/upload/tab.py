"""The tab for uploads: a file is checked, previewed and scored, and stored after that."""

from __future__ import annotations

from shiny import Inputs, Outputs, Session, module, reactive, render, ui

from stcollection.errors import StcError
from stcollection.explore import address
from stcollection.explore.task import PageTask
from stcollection.explore.upload import parts
from stcollection.web.desk import Desk
from stcollection.web.uploads.examine import KINDS, Examined, examine
from stcollection.web.uploads.files import UploadedFile, Uploads
from stcollection.web.uploads.loading import LoadCancelled, LoadProgress
from stcollection.web.uploads.storing import StoreForm, store
from stcollection.web.words import t

NAME = "upload"
_REFRESH_SECONDS = 0.5
_KIND = "upload"  # parameter of the URL: the kind of file that is selected


@module.ui
def tab() -> ui.Tag:
    kinds = {"": t("recognise it")} | {str(kind): t(what) for kind, what in KINDS.items()}
    return ui.div(
        ui.h1(t("Upload a file")),
        ui.output_ui("drop"),
        ui.input_select("kind", t("Kind of file"), kinds),
        ui.div(ui.output_ui("verdict"), aria_live="polite"),
        ui.output_ui("messages"),
        ui.output_ui("more"),
        ui.output_ui("contents"),
        ui.output_ui("form"),
        ui.output_ui("progress"),
        ui.output_ui("stopping"),
        ui.div(ui.output_ui("result"), aria_live="polite"),
        class_="stc-upload",
        data_ns=module.resolve_id("x")[:-1],
    )


@module.server
def serve(input: Inputs, output: Outputs, session: Session, desk: Desk) -> None:  # noqa: A002
    uploads = Uploads.of(desk)
    ticket = uploads.admit()
    session.on_ended(lambda: uploads.dismiss(ticket))
    file: reactive.Value[UploadedFile | None] = reactive.Value(None, name="file")
    job: reactive.Value[str] = reactive.Value("", name="job")  # key of the file that is or was stored last
    stored: reactive.Value[str] = reactive.Value("", name="stored")  # key of the file that was stored last
    loads = [LoadProgress()]  # the last one is that of the job

    async def look(key: str, kind: str) -> Examined:
        return await examine(desk, uploads, uploads.find(ticket, key), kind)

    checking = PageTask(look)

    async def stored_and_drawn(found: Examined, form: StoreForm, progress: LoadProgress) -> ui.TagChild:
        try:
            return parts.stored(await store(desk, uploads, found, form, progress))
        except LoadCancelled:
            return parts.cancelled(progress.documents)

    storing = PageTask(stored_and_drawn)

    def checked() -> Examined | None:
        """Return the examined file; None while there is none."""
        if file() is None or checking.status() != "success":
            return None
        return checking.result()

    def is_job() -> bool:
        """Return True if the file on the page is the one that is or was stored."""
        now = file()
        return now is not None and now.key == job()

    @render.ui
    def drop() -> ui.Tag:
        return parts.drop(uploads, ticket)

    _follow_address(input, session)

    @reactive.effect
    @reactive.event(input.arrived)
    def _() -> None:
        """Take the file that has arrived, in place of an earlier one."""
        key, before = input.arrived(), file()
        try:
            now = uploads.find(ticket, key if isinstance(key, str) else "")
        except StcError:
            return
        if before is not None and before.key != now.key:
            uploads.remove(before)
        file.set(now)

    @reactive.effect
    def _() -> None:
        now, kind = file(), str(input.kind() or "")
        with reactive.isolate():
            if now is not None and not (is_job() and storing.status() in ("running", "success")):
                checking.invoke(now.key, kind)

    @render.ui
    def verdict() -> ui.TagChild:
        now = file()
        if now is None:
            return None
        try:
            return (
                ui.p(t("Checking {name} …", name=now.name)) if checking.status() == "running" else parts.verdict(checking.result())
            )
        except StcError as error:
            return parts.failure(error, now.name)

    @render.ui
    def messages() -> ui.TagChild:
        found = checked()
        every = found is not None and parts.has_more(found) and "every" in input and bool(input.every())
        return None if found is None else parts.messages(found, every=every)

    @render.ui
    def more() -> ui.TagChild:
        found = checked()
        return ui.input_checkbox("every", t("Show all messages")) if found is not None and parts.has_more(found) else None

    @render.ui
    def contents() -> ui.TagChild:
        found = checked()
        return None if found is None else parts.contents(found)

    @render.ui
    def form() -> ui.TagChild:
        found = checked()
        return None if found is None or found.file.key == stored() else parts.form(found)

    @reactive.effect
    def _() -> None:
        if storing.status() == "success":
            stored.set(job())

    def start(form: StoreForm) -> None:
        found = checked()
        if found is not None and storing.status() != "running":
            loads.append(LoadProgress())
            job.set(found.file.key)
            storing.invoke(found, form, loads[-1])

    @reactive.effect
    @reactive.event(input.store)
    def _() -> None:
        start(StoreForm(name=str(input.run()), team=str(input.team()) if "team" in input else ""))

    @reactive.effect
    @reactive.event(input.load)
    def _() -> None:
        found = checked()
        if found is not None and found.kind == "qrels":
            start(StoreForm(edition=str(input.edition()), split=str(input.split()), best_first=bool(input.best_first())))
        elif found is not None:
            start(StoreForm(replace=bool(input.replace())))

    @reactive.effect
    @reactive.event(input.stop)
    def _() -> None:
        loads[-1].stop.set()
        found = checked()
        if found is None or found.kind != "corpus":  # documents are stored chunk by chunk; the load ends after the current one
            storing.cancel()

    @render.ui
    def progress() -> ui.TagChild:
        if storing.status() != "running":
            return None
        reactive.invalidate_later(_REFRESH_SECONDS)
        return parts.running(loads[-1])

    @render.ui
    def stopping() -> ui.TagChild:
        if storing.status() != "running":
            return None
        return ui.input_action_button("stop", t("Cancel"), class_="btn-outline-secondary")

    @render.ui
    def result() -> ui.TagChild:
        now = file()
        if now is None or not is_job():
            return None
        try:
            return ui.p(t("Cancelled. Nothing was stored.")) if storing.status() == "cancelled" else storing.result()
        except StcError as error:
            return parts.failure(error, now.name)


def _follow_address(input: Inputs, session: Session) -> None:  # noqa: A002
    """Keep the selected kind of file in the URL, and select it after back and forward."""

    @reactive.effect
    def _() -> None:
        kind = address.read(session).get(_KIND, "")
        if kind in KINDS:
            ui.update_select("kind", selected=kind)

    @reactive.effect
    def _() -> None:
        place = address.visited(session)
        if place is not None:
            ui.update_select("kind", selected=place.get(_KIND, ""))

    @reactive.effect
    @reactive.event(input.kind, ignore_init=True)
    async def _() -> None:
        await address.write(session, push=True, **{_KIND: str(input.kind() or "")})
