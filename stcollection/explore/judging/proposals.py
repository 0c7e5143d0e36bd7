"""Review of queries that a language model proposed from articles: each next to its article and the nearest other query."""

from __future__ import annotations

from collections import Counter

from shiny import Inputs, reactive, render, ui

from stcollection.errors import BadArgument, StcError
from stcollection.explore.judging.decisions import part
from stcollection.explore.judging.sheet import article_text
from stcollection.explore.pieces import alert, tells
from stcollection.qrels.sheets import plain
from stcollection.studies.synth.review import publish_reviewed, review_subtopic
from stcollection.studies.synth.subtopics import Subtopic, subtopic_list
from stcollection.texts import later
from stcollection.topics.articles import TopicArticle, topic_article
from stcollection.web.desk import Desk
from stcollection.web.words import n, t

_NONE = "(none)"  # no topic: select boxes have no empty choice
_KEYS = {"accepted": "a", "off-topic": "o", "duplicate": "d"}
_VERDICTS = {"accepted": later("Accept"), "off-topic": later("Off topic"), "duplicate": later("Duplicate")}
_STATES = {
    "accepted": later("accepted"), "off-topic": later("off topic"), "duplicate": later("duplicate"),
    "set aside": later("near-duplicate"), "published": later("published"),
}  # fmt: skip
_SHOWN = ("waiting", *_STATES)
_LONGEST_NOTE = 1000


def shown() -> ui.TagList:
    """Return the elements of the panel."""
    return ui.TagList(
        ui.p(t("Queries that a language model proposed from the articles of topics. Only accepted ones can become queries.")),
        ui.input_text("reviewer", t("Reviewer's name")),
        ui.input_select("of_topic", t("Topic"), {_NONE: t("no query was proposed")}),
        ui.p(
            t("j and k move between queries; a accepts the selected one, o and d reject it as off topic or as a duplicate."),
            class_="text-body-secondary",
        ),
        ui.output_ui("unreviewed"),
        ui.output_ui("reviewed"),
        ui.div(ui.output_ui("proposals"), ui.output_ui("of_article", class_="stc-beside"), class_="stc-desk"),
    )


def serve(input: Inputs, desk: Desk) -> None:  # noqa: A002
    """Show the proposed queries of a topic, and store decisions."""
    done: reactive.Value[int] = reactive.Value(0, name="reviews")
    refusal: reactive.Value[StcError | None] = reactive.Value(None, name="unreviewed")
    told: reactive.Value[str] = reactive.Value("", name="reviewed")

    @reactive.calc
    async def found() -> list[Subtopic]:
        done()
        return [one for one in await desk.ask(subtopic_list) if one.state in _SHOWN]

    @reactive.effect
    async def _() -> None:
        """Offer the topics, those with most to review first."""
        with reactive.isolate():
            chosen = input.of_topic()
        try:
            every = await found()
        except StcError:  # the list shows it
            return
        waiting = Counter({one.topic: 0 for one in every})
        waiting.update(one.topic for one in every if one.state == "waiting")
        names = {
            topic: n("{topic}: {count:,} query to review", "{topic}: {count:,} queries to review", count, topic=plain(topic))
            for topic, count in waiting.most_common()
        }
        ui.update_select(
            "of_topic",
            choices=names or {_NONE: t("no query was proposed")},
            selected=chosen if chosen in names else next(iter(names), _NONE),
        )

    @render.ui
    @tells
    async def proposals() -> ui.Tag:
        every = await found()
        mine = [one for one in every if one.topic == input.of_topic()]
        accepted = sum(one.state == "accepted" for one in every)
        if not every:
            return ui.p(
                t("No query was proposed yet. Load articles and let a language model propose queries:"),
                ui.pre(ui.tags.code("stc load --as articles FOLDER\nstc synth generate --from topics --model MODEL")),
            )
        return ui.div(*(_proposal(one) for one in mine), _publish(accepted) if accepted else None)

    @render.ui
    @tells
    async def of_article() -> ui.Tag | None:
        topic = input.of_topic()
        return None if topic == _NONE else _article(await desk.ask(topic_article, topic))

    @render.ui
    def unreviewed() -> ui.Tag | None:
        error = refusal()
        return alert(error) if error else None

    @render.ui
    def reviewed() -> ui.Tag | None:
        return ui.p(told(), role="status") if told() else None

    @reactive.effect
    @reactive.event(input.review)
    async def _() -> None:
        sent = input.review()
        refusal.set(None)
        told.set("")
        try:
            reviewer, key = part(sent, "reviewer").strip(), part(sent, "id")
            if not reviewer:
                raise BadArgument(
                    later("the reviewer's name is empty"), hint=later("Enter it above: it is stored with each decision.")
                )
            if not (key.isdecimal() and key.isascii() and len(key) <= 18):
                raise BadArgument(later("{key!r} is not a proposed query", key=key[:20]), hint=later("Press one of the buttons."))
            await desk.write(
                review_subtopic,
                int(key),
                part(sent, "verdict"),
                reviewer=reviewer,
                reworded=part(sent, "reworded"),
                note=part(sent, "note")[:_LONGEST_NOTE],
            )
        except StcError as error:
            refusal.set(error)
            return
        told.set(t("Stored: {decision}.", decision=t(_STATES[part(sent, "verdict")])))
        done.set(done() + 1)

    @reactive.effect
    @reactive.event(input.publish)
    async def _() -> None:
        """Make queries of the accepted ones."""
        refusal.set(None)
        try:
            made = await desk.write(publish_reviewed)
        except StcError as error:
            refusal.set(error)
            return
        names = ", ".join(plain(one.query) for one in made)
        told.set(n("{count:,} query published: {names}", "{count:,} queries published: {names}", len(made), names=names))
        done.set(done() + 1)


def _proposal(one: Subtopic) -> ui.Tag:
    """Draw a proposed query with what is known of it and the buttons."""
    published = one.state == "published"
    return ui.tags.section(
        ui.tags.textarea(
            plain(one.text),
            rows="2",
            maxlength="1000",
            class_="form-control stc-reworded",
            aria_label=t("Text of the query"),
            dir="auto",
            disabled="" if published else None,
        ),
        ui.p(_near(one), class_="text-body-secondary small mb-1", dir="auto") if one.nearest else None,
        ui.p(t("proposed by {model}", model=plain(one.model)), " · ", _state(one), class_="small mb-2"),
        None if published else _buttons(one),
        class_="stc-proposal",
        tabindex="0",
        aria_label=plain(one.text),
        data_id=str(one.id),
    )


def _near(one: Subtopic) -> str:
    values = {"name": plain(one.nearest_query) or t("another proposal"), "nearest": plain(one.nearest)}
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
        return t("published as {query}", query=plain(one.query))
    state = t(_STATES[one.state])
    return t("{state}, says {reviewer}", state=state, reviewer=plain(one.reviewer)) if one.reviewer else state


def _buttons(one: Subtopic) -> ui.Tag:
    return ui.div(
        *(
            ui.tags.button(
                ui.tags.kbd(_KEYS[verdict]),
                " ",
                t(label),
                type="button",
                data_verdict=verdict,
                data_key=_KEYS[verdict],
                aria_pressed="true" if one.state == verdict else "false",
                class_=f"btn btn-sm {'btn-primary' if one.state == verdict else 'btn-outline-primary'}",
            )
            for verdict, label in _VERDICTS.items()
        ),
        ui.tags.input(
            type="text",
            value=plain(one.note),
            class_="form-control form-control-sm stc-why",
            maxlength=str(_LONGEST_NOTE),
            placeholder=t("Reason"),
            aria_label=t("Reason"),
        ),
        class_="stc-settle",
    )


def _publish(accepted: int) -> ui.Tag:
    return ui.div(
        ui.tags.button(
            n("Publish {count:,} accepted query", "Publish {count:,} accepted queries", accepted),
            type="button",
            data_publish="",
            class_="btn btn-primary",
        ),
        ui.p(t("Published queries get names and can no longer be changed."), class_="small mt-1"),
        class_="mt-4",
    )


def _article(found: TopicArticle) -> ui.Tag:
    """Draw the article of a topic, whole: it is what the queries are compared with."""
    return ui.tags.article(
        ui.h2(plain(found.title) or plain(found.topic), dir="auto"),
        *article_text(found.origin, found.article or ""),
        tabindex="0",
        aria_label=t("Article"),
    )
