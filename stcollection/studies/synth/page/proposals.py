"""The panel Proposed queries of the view Judging: review what a language model proposed from articles, and publish it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from stcollection.errors import BadArgument, StcError
from stcollection.explore.access.audit import StudyDeeds
from stcollection.explore.access.form import read_form
from stcollection.explore.judging.panels import DIGITS, FIELDS, LONGEST_FORM, LONGEST_NOTE, NAME, frame
from stcollection.explore.judging.request import PATH, read_state
from stcollection.explore.judging.texts import paragraphs
from stcollection.explore.views import Site, StudySection, page
from stcollection.qrels.sheets import plain as one_line
from stcollection.studies.synth.review import publish_reviewed, review_subtopic
from stcollection.studies.synth.subtopics import Subtopic, subtopic_list
from stcollection.texts import later
from stcollection.topics.articles import topic_article
from stcollection.web.faults import status, timely
from stcollection.web.words import n, t

_VERDICTS = (
    ("accepted", "a", later("Accept")),
    ("off-topic", "o", later("Off topic")),
    ("duplicate", "d", later("Duplicate")),
)
_STATES = {
    "accepted": later("accepted"), "off-topic": later("off topic"), "duplicate": later("duplicate"),
    "set aside": later("near-duplicate"), "published": later("published"),
}  # fmt: skip
_REVIEWED = ("waiting", *_STATES)
DEEDS = StudyDeeds(
    {
        review_subtopic: ("proposal", {"annotator": "reviewer", "proposal": "subtopic", "new": "verdict"}),
        publish_reviewed: ("proposals-published", {}),
    },
    {"proposal": later("proposed query reviewed"), "proposals-published": later("proposed queries published")},
)


class ProposalPages:
    """Answers the requests for the panel."""

    def __init__(self, site: Site) -> None:
        self._site = site

    def routes(self) -> Sequence[BaseRoute]:
        """Return the routes of the panel."""
        return [
            Route(f"{PATH}/proposals", self.proposals),
            Route(f"{PATH}/proposals", self.review, methods=["POST"]),
        ]

    async def proposals(
        self, request: Request, *, error: StcError | None = None, told: str = "", topic: str = "", reviewer: str = ""
    ) -> Response:
        """Answer with the proposed queries of a topic, next to its article."""
        desk = self._site.desk(request)
        given = request.query_params
        reviewer = reviewer or given.get("reviewer", "")[:200]
        verdict = given.get("done", "")
        every = [one for one in await desk.ask(subtopic_list) if one.state in _REVIEWED]
        waiting = Counter({one.topic: 0 for one in every})
        waiting.update(one.topic for one in every if one.state == "waiting")
        topic = topic or given.get("topic", "")
        topic = topic if topic in waiting else next((name for name, _ in waiting.most_common()), "")
        article = await desk.ask(topic_article, topic) if topic else None
        values = await frame(desk, read_state(given, desk.guest), "proposals")
        return await page(
            self._site,
            request,
            "synth/proposals.html",
            code=status(error) if error else 200,
            title=t("Proposed queries"),
            view=NAME,
            error=error,
            told=told or (t("Stored: {decision}.", decision=t(_STATES[verdict])) if verdict in _STATES else ""),
            reviewer=reviewer,
            topic=topic,
            topics=waiting.most_common(),
            proposals=[one for one in every if one.topic == topic],
            accepted=sum(one.state == "accepted" for one in every),
            article=article,
            verdicts=_VERDICTS,
            near=_near,
            state_of=_state,
            paragraphs=paragraphs,
            plain=one_line,
            **values,
        )

    async def review(self, request: Request) -> Response:
        """Store the decision on a proposed query, or publish the accepted ones."""
        desk, given = self._site.desk(request), request.query_params
        sent = await read_form(request.scope, request.receive, fields=FIELDS, longest=LONGEST_FORM)
        reviewer, key, verdict = sent.get("reviewer", "").strip(), sent.get("id", ""), sent.get("verdict", "")
        try:
            if sent.get("publish") == "1":
                made = await desk.write(publish_reviewed)
                names = ", ".join(one_line(one.query) for one in made)
                told = n("{count:,} query published: {names}", "{count:,} queries published: {names}", len(made), names=names)
                return await self.proposals(request, told=told)
            if not reviewer:
                raise BadArgument(
                    later("the reviewer's name is empty"), hint=later("Enter it above: it is stored with each decision.")
                )
            if not DIGITS.fullmatch(key):
                raise BadArgument(later("{key!r} is not a proposed query", key=key[:20]), hint=later("Press one of the buttons."))
            await desk.write(
                review_subtopic,
                int(key),
                verdict,
                reviewer=reviewer,
                reworded=sent.get("reworded", ""),
                note=sent.get("note", "")[:LONGEST_NOTE],
            )
        except StcError as error:
            return await self.proposals(request, error=timely(error, desk.seconds), reviewer=reviewer)
        place = {"topic": given.get("topic", ""), "reviewer": reviewer, "done": verdict}
        return RedirectResponse(f"{PATH}/proposals?{urlencode(place)}", 303)


def _near(one: Subtopic) -> str:
    values = {"name": one_line(one.nearest_query) or t("another proposal"), "nearest": one_line(one.nearest)}
    if one.cosine is None:
        return t("Nearest query, {name}: {nearest} (common words {words:.0%})", words=one.words or 0.0, **values)
    return t(
        "Nearest query, {name}: {nearest} (common words {words:.0%}, cosine {cosine:.2f})",
        words=one.words or 0.0,
        cosine=one.cosine,
        **values,
    )


def _state(one: Subtopic) -> str:
    if one.state == "waiting":
        return t("to review")
    if one.query:
        return t("published as {query}", query=one_line(one.query))
    state = t(_STATES[one.state])
    return t("{state}, says {reviewer}", state=state, reviewer=one_line(one.reviewer)) if one.reviewer else state


PANEL = StudySection(name="proposals", title=later("Proposed queries"), routes=lambda site: ProposalPages(site).routes())
