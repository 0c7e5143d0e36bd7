"""Addresses of the view Judging: the pool, the annotator, the queries to judge, and the document."""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import urlencode

from starlette.datastructures import QueryParams

from stcollection.plugins import sections
from stcollection.qrels.judging import SheetPlace
from stcollection.topics.sets import ALL
from stcollection.web.desk import Guest

PATH = "/judging"
PANELS = ("pairs", "disagreements", "progress", "pools", "corrections")
_LONGEST_SET = 500  # characters of a typed set of queries


class JudgingState(NamedTuple):
    """State of the view in its address.

    :param of: the only query to judge. :param only: a set of queries. :param doc: token of the document, in the query ``at``.
    :param review: only documents with this review status.
    :param last: id of the decision that undo removes, for browsers without scripts.
    :param lang: the language that the address names.
    """

    pool: str = ""
    annotator: str = ""
    of: str = ""
    only: str = ""
    doc: str = ""
    at: str = ""
    last: str = ""
    review: str = ""
    lang: str = ""

    @property
    def queries(self) -> str:
        return self.only or ALL

    @property
    def place(self) -> SheetPlace | None:
        """Return the document that the address names."""
        return SheetPlace(self.at, self.doc) if self.doc and self.at else None

    def link(self, panel: str = "", **changes: str | None) -> str:
        """Return the address of a panel. :param changes: parameters that differ from the state; None removes one."""
        path = f"{PATH}/{panel}" if panel else PATH
        given = {name: value for name, value in {**self._asdict(), **changes}.items() if value}
        return f"{path}?{urlencode(given)}" if given else path

    def sheet(self) -> JudgingState:
        """Return the state without a document."""
        return self._replace(doc="", at="", last="")


def former(params: QueryParams) -> str:
    """Return the address of what ``/?tab=judging`` showed. :param params: of the former address."""
    rest = {name: params[name] for name in ("pool", "of", "only", "lang") if params.get(name)}
    panel = params.get("panel", "")
    path = f"{PATH}/{panel}" if panel in (*PANELS, *(part.name for part in sections("judging"))) else PATH
    return f"{path}?{urlencode(rest)}" if rest else path


def read_state(params: QueryParams, guest: Guest | None = None) -> JudgingState:
    """Return the state of an address. :param guest: an invited assessor, whose pool and name replace those of the address."""
    given = {name: params.get(name, "").strip() for name in JudgingState._fields}
    given["only"] = given["only"][:_LONGEST_SET]
    if guest is not None:
        given |= {"pool": guest.pool, "annotator": guest.annotator}
    return JudgingState(**given)
