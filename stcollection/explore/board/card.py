"""The page of a run: provenance, checks, scores by edition, best and worst queries, and what it misses there."""

from __future__ import annotations

from typing import Any, NamedTuple

import psycopg

from stcollection.analysis.run_card import CARD_MEASURES, QueryValue, RunCard, RunFacts, run_card
from stcollection.analysis.worst import WorstQuery, worst_queries
from stcollection.cells import shown
from stcollection.evaluation.measures import Judged
from stcollection.explore.board.marks import written
from stcollection.explore.board.request import BoardState
from stcollection.web.words import t, whole

_BEST, _WORST = 5, 10  # queries listed
_MOST_REASONS = 20
_JUDGED = str(Judged @ 10)


class RunPage(NamedTuple):
    """A run, and its queries of the edition of the address by its measure."""

    card: RunCard
    best: list[QueryValue]
    worst: list[WorstQuery]


def run_page(conn: psycopg.Connection, here: BoardState, run: str) -> RunPage:
    """Return what is stored about a run. :raises UnknownObject: the run, the edition or the set does not exist."""
    card, asked = run_card(conn, run, measures=list(dict.fromkeys((here.by, *CARD_MEASURES)))), here.request
    worst = worst_queries(conn, run, edition=asked.edition, measure=here.by, limit=_WORST, queries=asked.queries)
    return RunPage(card, card.values.get(asked.edition, [])[:_BEST], list(worst))


def facts(card: RunCard) -> list[tuple[str, str]]:
    """Return the provenance of a run, as names and texts."""
    about = card.facts
    rows = [
        (t("Team"), about.team),
        (t("Family"), about.family),
        (t("Tag"), about.tag),
        (t("Made by"), t("manual run") if about.manual else t("automatic run")),
        (t("System"), about.params.get("system")),
        (t("Parameters"), _parameters(about)),
        (t("Imported from"), about.source),
        (t("Stored"), f"{about.made:%Y-%m-%d %H:%M %Z}"),
        (t("Queries"), whole(about.queries)),
        (t("Documents"), t("{count:,}, at most {depth:,} per query", count=about.ranked, depth=about.depth)),
        (t("SHA-256 of the file"), about.sha256),
        (t("Made with"), about.commit),
    ]
    return [(name, shown(str(value))) for name, value in rows if value]


def _parameters(about: RunFacts) -> str:
    """Return the parameters on one line; nested ones only by name, because the provenance below has them."""
    return ", ".join(
        f"{name} …" if isinstance(value, dict | list) else f"{name}={value}"
        for name, value in about.params.items()
        if name != "system"
    )


def scores(card: RunCard) -> tuple[list[str], list[list[Any]]]:
    """Return headings and rows of the scores by edition."""
    names = [name for measure in card.measures if (name := str(measure)) != _JUDGED]
    rows = [
        [
            edition.edition,
            edition.queries,
            *(written(edition.means.get(name), 3) for name in names),
            f"{1 - edition.means[_JUDGED]:.0%}" if _JUDGED in edition.means else "–",
        ]
        for edition in card.scores
    ]
    return [t("edition"), t("queries"), *names, t("unjudged in the first 10")], rows


def checks(card: RunCard) -> list[tuple[str, list[str]]] | None:
    """Return the receipts of the run's file and the notes and faults of each; None if this login cannot read them."""
    if card.receipts is None:
        return None
    made = []
    for receipt in card.receipts:
        state = t("accepted") if receipt.accepted else t("rejected")
        reasons = [
            (t("Note") if reason.get("note") else t("Fault"))
            + (t(", line {number}", number=line) if (line := reason.get("line")) else "")
            + f": {shown(str(reason.get('what')))}"
            for reason in receipt.reasons[:_MOST_REASONS]
        ]
        more = len(receipt.reasons) - _MOST_REASONS
        reasons += [t("{count:,} more", count=more)] if more > 0 else []
        none = "" if reasons else t(", no fault and no note")
        made.append((f"{shown(receipt.file)}: {state} {receipt.received:%Y-%m-%d %H:%M}{none}", reasons))
    return made
