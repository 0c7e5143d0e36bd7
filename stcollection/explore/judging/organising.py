"""The panel Pools of organisers: make a pool, divide it among assessors, invite them, and submit their grades."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any
from urllib.parse import urlencode

import psycopg
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from stcollection.analysis.next_labels import order_pool
from stcollection.errors import BadArgument, StateError, StcError
from stcollection.explore.access.form import read_form
from stcollection.explore.judging.corrections import organises
from stcollection.explore.judging.panels import NAME, frame
from stcollection.explore.judging.request import PATH, JudgingState, read_state
from stcollection.explore.views import Site, page
from stcollection.qrels.assess import AssessorSheet
from stcollection.qrels.metadata import FIELDS, Field, set_metadata
from stcollection.qrels.pools import PoolRules, make_pool, pools, share_pool
from stcollection.qrels.sheets import plain as one_line
from stcollection.qrels.sheets import submit_pool
from stcollection.texts import later
from stcollection.topics.sets import ALL
from stcollection.web.desk import Desk
from stcollection.web.faults import status, timely
from stcollection.web.words import n, t

_FIELDS, _LONGEST_FORM = 12, 65_536
_WHOLE = re.compile("[0-9]{1,6}")
_TEXTS = ("name", "runs", "queries", "without", "annotators", "annotator", "edition")
FIELD_NAMES: dict[Field, str] = {
    "authors": later("authors"),
    "year": later("year"),
    "venue": later("venue"),
    "type": later("type"),
    "citations": later("citations"),
    "source": later("source"),
}
USUAL = {**dict.fromkeys(_TEXTS, ""), "depth": "10", "teams": "1", "overlap": "0", "days": "14", "batch": "50"}


class PoolPages:
    """Answers the requests for the panel."""

    def __init__(self, site: Site) -> None:
        self._site = site

    def routes(self) -> Sequence[BaseRoute]:
        """Return the routes of the panel."""
        return [Route(f"{PATH}/pools", self.listed), Route(f"{PATH}/pools", self.act, methods=["POST"])]

    async def listed(self, request: Request) -> Response:
        """Answer with the pools, and with what can be done to the one that the address names."""
        desk = self._site.desk(request)
        return await self._answer(request, desk, read_state(request.query_params, desk.guest), {})

    async def act(self, request: Request) -> Response:
        """Do what a form asks, and answer with the result."""
        desk = self._site.desk(request)
        state = read_state(request.query_params, desk.guest)
        sent = await read_form(request.scope, request.receive, fields=_FIELDS, longest=_LONGEST_FORM)
        deeds = {
            "make": self._make,
            "share": self._share,
            "invite": self._invite,
            "metadata": self._metadata,
            "order": self._order,
            "shuffle": self._order,
            "submit": self._submit,
        }
        try:
            await _check_organiser(desk)
            deed = deeds.get(sent.get("do", ""))
            if deed is None:
                raise BadArgument(later("the form is incomplete"), hint=later("Press one of the buttons."))
            told, shown, state = await deed(request, desk, state, sent)
        except StcError as error:
            return await self._answer(request, desk, state, sent, error=timely(error, desk.seconds))
        return await self._answer(request, desk, state, {}, told=told, shown=shown)

    async def _make(
        self, _: Request, desk: Desk, state: JudgingState, sent: Mapping[str, str]
    ) -> tuple[str, str | None, JudgingState]:
        name = sent.get("name", "").strip()
        if not name:
            raise BadArgument(later("the pool has no name"), hint=later("Enter a name, such as pool-2026."))
        rules = PoolRules(depth=_whole(sent, "depth"), teams=_whole(sent, "teams"))
        made = await desk.write(
            make_pool,
            name,
            runs=_lines(sent.get("runs", "")),
            rules=rules,
            queries=sent.get("queries", "").strip() or ALL,
            without=sent.get("without") or None,
        )
        told = n(
            "Pool {pool}: {count:,} document for {queries}.",
            "Pool {pool}: {count:,} documents for {queries}.",
            made.documents,
            pool=one_line(name),
            queries=n("{count:,} query", "{count:,} queries", made.pooled_queries),
        )
        return told, None, state._replace(pool=name)

    async def _share(
        self, _: Request, desk: Desk, state: JudgingState, sent: Mapping[str, str]
    ) -> tuple[str, str | None, JudgingState]:
        names = _lines(sent.get("annotators", ""))
        if not names:
            raise BadArgument(later("no assessor is named"), hint=later("Enter one name per line."))
        share = Decimal(_whole(sent, "overlap")) / 100
        await desk.write(share_pool, state.pool, annotators=names, overlap=share)
        told = n("The pool is divided among {count:,} assessor.", "The pool is divided among {count:,} assessors.", len(names))
        return told, None, state

    async def _invite(
        self, request: Request, desk: Desk, state: JudgingState, sent: Mapping[str, str]
    ) -> tuple[str, str | None, JudgingState]:
        name = sent.get("annotator", "").strip()
        if self._site.invitations is None:
            raise StateError(
                later("this page makes no invitations"), hint=later("Use 'stc pool invite' on its machine."), sqlstate="IR410"
            )
        if not name:
            raise BadArgument(later("no assessor is named"), hint=later("Enter one name."))
        await desk.ask(_has_sheet, state.pool, name)
        token = self._site.invitations.make(state.pool, name, days=_whole(sent, "days"))
        desk.note("assessor-invited", pool=state.pool, annotator=name)
        place = (self._site.public or str(request.base_url)).rstrip("/")
        told = t("Send this link to {annotator} in private. Whoever has it can judge under this name.", annotator=one_line(name))
        return told, f"{place}/invited?{urlencode({'invitation': token})}", state

    async def _metadata(
        self, _: Request, desk: Desk, state: JudgingState, sent: Mapping[str, str]
    ) -> tuple[str, str | None, JudgingState]:
        fields = [field for field in FIELDS if sent.get(field)]
        await desk.write(set_metadata, state.pool, fields=fields)
        names = ", ".join([t("title"), t("abstract"), *(t(FIELD_NAMES[field]) for field in fields)])
        return t("Assessors see: {fields}.", fields=names), None, state

    async def _order(
        self, _: Request, desk: Desk, state: JudgingState, sent: Mapping[str, str]
    ) -> tuple[str, str | None, JudgingState]:
        random = sent.get("do") == "shuffle"
        order = await desk.write(order_pool, state.pool, batch=_whole(sent, "batch"), random=random)
        if random:
            return t("Assessors judge the documents in random order."), None, state
        told = n(
            "Assessors judge {count:,} document in {batches:,} batches.",
            "Assessors judge {count:,} documents in {batches:,} batches.",
            order.documents,
            batches=order.batches,
        )
        return told, None, state

    async def _submit(
        self, _: Request, desk: Desk, state: JudgingState, sent: Mapping[str, str]
    ) -> tuple[str, str | None, JudgingState]:
        edition = sent.get("edition", "").strip()
        if not edition:
            raise BadArgument(later("no edition is named"), hint=later("Enter the name of the edition."))
        if not sent.get("sure"):
            raise BadArgument(later("the box is not ticked"), hint=later("Submitted grades can no longer change: tick it."))
        done = await desk.write(submit_pool, state.pool, edition=edition)
        told = n(
            "{edition}: {count:,} judgment added.",
            "{edition}: {count:,} judgments added.",
            done.added,
            edition=one_line(edition),
        )
        return told, None, state

    async def _answer(
        self,
        request: Request,
        desk: Desk,
        state: JudgingState,
        sent: Mapping[str, str],
        *,
        told: str | None = None,
        shown: str | None = None,
        error: StcError | None = None,
    ) -> Response:
        await _check_organiser(desk)
        listed = await desk.ask(pools)
        editions = await desk.ask(_editions)
        values = await frame(desk, state, "pools")
        chosen = next((pool for pool in listed if pool.pool == state.pool), None)
        return await page(
            self._site,
            request,
            "judging/pools.html",
            code=200 if error is None else status(error),
            view=NAME,
            title=t("Pools"),
            listed=listed,
            chosen=chosen,
            shares=list(chosen.params.get("shares", {}).get("annotators", [])) if chosen else [],
            fields=[(field, t(name)) for field, name in FIELD_NAMES.items()],
            seen=chosen.params.get("metadata", []) if chosen else [],
            editions=editions,
            sent=USUAL | dict(sent),
            told=told,
            shown=shown,
            error=error,
            plain=one_line,
            **values,
        )


async def _check_organiser(desk: Desk) -> None:
    if not await desk.ask(organises):
        raise StateError(
            later("only organisers can change pools"), hint=later("Ask an organiser of the collection."), sqlstate="IR410"
        )


def _has_sheet(conn: psycopg.Connection, pool: str, annotator: str) -> Any:
    """Return the progress of a sheet. :raises StcError: the pool is not stored, or not shared with the annotator."""
    return AssessorSheet(conn, pool, annotator).progress()


def _editions(conn: psycopg.Connection) -> list[str]:
    return [edition for (edition,) in conn.execute("SELECT edition FROM qrels_editions ORDER BY edition")]


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def _whole(sent: Mapping[str, str], name: str) -> int:
    text = sent.get(name, "").strip() or USUAL[name]
    if not _WHOLE.fullmatch(text):
        raise BadArgument(
            later("{name} is {value!r}", name=name, value=text[:50]), hint=later("Use a whole number from 1."), sqlstate="IR201"
        )
    return int(text)
