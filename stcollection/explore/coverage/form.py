"""The form of the topic coverage tab, and its state in the URL."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from shiny import Inputs, ui

from stcollection.studies.coverage.records import CoverageOptions
from stcollection.studies.coverage.store import CoverageRequest, make_request
from stcollection.texts import later
from stcollection.web.words import t

OWN = "(custom text)"  # value of the choice
WITHIN = {"text": later("title or abstract"), "abstract": later("abstract")}
COMMON = {"omit": later("leave out"), "keep": later("keep")}
_WHOLE = ("documents", "topics", "words")
_DEFAULT = CoverageOptions()
_LONGEST = 4000  # characters of a text in the URL
_FORM: Any = {"sm": 6, "lg": 4}  # twelfths of the width


def sources(names: Iterable[str] = ()) -> dict[str, str]:
    """Return the choices of the source text. :param names: of stored queries."""
    return {OWN: t("(custom text)")} | {name: name for name in names}


def form() -> ui.Tag:
    return ui.div(
        ui.input_select("query", t("Source text"), sources(), width="100%"),
        ui.input_text_area("text", t("Text"), rows=4, width="100%"),
        ui.tags.details(
            ui.tags.summary(t("Options")),
            ui.layout_columns(
                ui.input_numeric("documents", t("Nearest abstracts"), _DEFAULT.documents, min=1, max=1000),
                ui.input_numeric("topics", t("LDA topics"), _DEFAULT.topics, min=1, max=100),
                ui.input_numeric("words", t("Words per topic"), _DEFAULT.words, min=1, max=6),
                ui.input_select("within", t("Count words in"), {name: t(said) for name, said in WITHIN.items()}),
                ui.input_select(
                    "common", t("Words such as paper, method, results"), {name: t(said) for name, said in COMMON.items()}
                ),
                ui.input_numeric(
                    "max_df",
                    t("Leave out words of more than this share of the documents"),
                    _DEFAULT.max_df,
                    min=0.01,
                    max=1,
                    step=0.05,
                ),
                col_widths=_FORM,
            ),
            class_="stc-options",
        ),
        ui.div(
            ui.input_task_button("go", t("Find topics"), label_busy=t("Finding topics …")),
            ui.input_action_button("cancel", t("Cancel"), class_="btn-secondary"),
            class_="d-flex gap-2 my-3",
        ),
    )


def wanted(input: Inputs) -> CoverageOptions:  # noqa: A002
    """Return the form's options. A value that is not a number becomes 0, which :meth:`CoverageOptions.checked` rejects."""
    whole = {name: value if isinstance(value := input[name](), int) else 0 for name in _WHOLE}
    share = input.max_df()
    return CoverageOptions(
        **whole,
        within=input.within(),
        stop_words=input.common() != "keep",
        max_df=float(share) if isinstance(share, int | float) else 0.0,
    )


def written(asked: CoverageRequest, options: CoverageOptions) -> dict[str, str | None]:
    """Return the URL's parameters. Defaults are omitted, and texts that are too long for a URL."""
    state: dict[str, str | None] = {
        "source": asked.query,
        "text": None if asked.query is not None or len(asked.text) > _LONGEST else asked.text,
        "common": None if options.stop_words else "keep",
        "max_df": None if options.max_df == _DEFAULT.max_df else f"{options.max_df:g}",
        "within": None if options.within == _DEFAULT.within else options.within,
    }
    return state | {name: None if (value := getattr(options, name)) == getattr(_DEFAULT, name) else str(value) for name in _WHOLE}


def read(place: Mapping[str, str], texts: Mapping[str, str]) -> tuple[CoverageRequest | None, CoverageOptions]:
    """Return the request and the options in the URL; no request without a text.

    :param texts: of the stored queries. A value that is not a number becomes 0, as in :func:`wanted`.
    """
    whole = {name: _number(place.get(name), getattr(_DEFAULT, name)) for name in _WHOLE}
    options = CoverageOptions(
        **{name: int(value) if value == int(value) else 0 for name, value in whole.items()},
        within=place.get("within", _DEFAULT.within),
        stop_words=place.get("common") != "keep",
        max_df=_number(place.get("max_df"), _DEFAULT.max_df),
    )
    name, text = place.get("source", ""), place.get("text", "")
    if name in texts:
        return CoverageRequest(name, name, texts[name]), options
    return (make_request(text) if text.strip() else None), options


def fill(asked: CoverageRequest | None, options: CoverageOptions) -> None:
    """Show a request and its options in the form."""
    ui.update_select("query", selected=asked.query if asked is not None and asked.query is not None else OWN)
    ui.update_text_area("text", value="" if asked is None else asked.text)
    for name in (*_WHOLE, "max_df"):
        ui.update_numeric(name, value=getattr(options, name))
    ui.update_select("within", selected=options.within)
    ui.update_select("common", selected="omit" if options.stop_words else "keep")


def _number(text: str | None, default: float) -> float:
    try:
        number = default if text is None else float(text)
    except ValueError:
        return 0
    return number if abs(number) < 1e9 else 0
