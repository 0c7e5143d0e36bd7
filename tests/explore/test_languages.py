"""The page in German and French, in real browsers."""

from __future__ import annotations

from collections.abc import Callable

import httpx
import pytest
from playwright.sync_api import Page, expect

from stcollection.explore.views import views
from tests.explore.conftest import Opens

pytestmark = pytest.mark.slow
PLACES = {view.name: view.name for view in views()} | {
    "home": "",
    "judging": "judging?pool=demo&annotator=carla",
    "search": "search?q=voice+assistants&system=bm25",
    "leaderboard-run": "leaderboard/run?run=bm25",
    "leaderboard-compare": "leaderboard/compare?pair=bm25&against=hybrid",
}
Opener = Callable[..., Page]


@pytest.fixture
def opened(opens: Opens, explorer: str) -> Opener:
    """Opens a page in a browser of its own, which asks for a language."""

    def opened(locale: str, path: str = "", *, width: int = 1200) -> Page:
        page = opens(explorer, width, 844, locale=locale)
        page.goto(f"/{path}")
        return page

    return opened


def spoken(page: Page) -> object:
    return page.evaluate("() => document.documentElement.lang")


def test_two_browsers_speak_two_languages_at_once(opened: Opener) -> None:
    german, french = opened("de-DE", "search"), opened("fr-FR", "search")
    assert [spoken(german), spoken(french)] == ["de", "fr"]
    for page, name in ((german, "Anfrage"), (french, "Requête")):
        page.get_by_role("textbox", name=name, exact=True).fill("voice assistants")
        page.locator("select[name=system]").select_option("bm25")
    german.get_by_role("button", name="Suchen", exact=True).click()
    french.get_by_role("button", name="Rechercher", exact=True).click()
    expect(german.get_by_text("Dokumente, nach bm25, in")).to_be_visible()
    expect(french.get_by_text("documents, par bm25, en")).to_be_visible()
    expect(german.get_by_text("Dokumente passen zur Anfrage.")).to_be_visible()
    expect(french.get_by_text("documents répondent à la requête.")).to_be_visible()
    for page, name, said in (
        (german, "Warum", "Wörter der Anfrage in diesem Dokument"),
        (french, "Pourquoi", "Mots de la requête dans ce document"),
        (german, "Zitieren", "BibTeX kopieren"),
    ):
        page.get_by_role("button", name=name).first.click()
        expect(page.get_by_text(said).first).to_be_visible()


def test_a_reader_chooses_a_language_which_the_browser_keeps(opened: Opener) -> None:
    page = opened("en-GB", "leaderboard?baseline=bm25")
    expect(page.get_by_role("heading", name="Leaderboard")).to_be_visible()
    page.get_by_label("Language").select_option("Français")
    expect(page.get_by_role("heading", name="Classement", exact=True)).to_be_visible()
    expect(page.locator("select[name=baseline]")).to_have_value("bm25")
    page.goto("/")
    expect(page.get_by_role("heading", name="Cette collection")).to_be_visible()
    page.goto("/?lang=de")
    expect(page.get_by_role("heading", name="Diese Sammlung")).to_be_visible()
    page.get_by_role("link", name="Rangliste").first.click()
    expect(page.get_by_role("heading", name="Rangliste", exact=True)).to_be_visible()
    assert "lang=de" in page.url
    page.get_by_label("Sprache").select_option("English")
    expect(page.get_by_role("heading", name="Leaderboard")).to_be_visible()
    assert "lang=" not in page.url


def test_scripts_speak_the_language_too(opened: Opener) -> None:
    page = opened("de", "leaderboard")
    page.get_by_label("Runs filtern").fill("bm25")
    page.get_by_role("button", name="Anzeigen").click()
    expect(page.get_by_text("1 von 5 Runs angezeigt")).to_be_visible()
    expect(page.get_by_role("button", name="Design: System")).to_be_visible()
    page.get_by_role("link", name="Rangintervall").click()
    page.wait_for_url("**sort=ranks**")  # the same address in every language


def test_a_text_of_the_reader_stays_as_it_is(opened: Opener) -> None:
    page = opened("de", "search?q=%3Cb%3EHome%3C/b%3E+{count}&system=boolean&venue={0.__class__}")
    expect(page.get_by_text("Publikationsorgan: {0.__class__}")).to_be_visible()
    expect(page.get_by_role("textbox", name="Anfrage", exact=True)).to_have_value("<b>Home</b> {count}")


@pytest.mark.parametrize("name", PLACES)
def test_long_words_need_no_scrolling_to_the_side(opened: Opener, name: str) -> None:
    page = opened("de", PLACES[name], width=390)
    page.wait_for_load_state("networkidle")
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 390


def test_a_language_that_does_not_exist_is_english(explorer: str) -> None:
    for asked in ("?lang=%3Cscript%3E", "?lang=de&lang=xx", ""):
        assert httpx.get(explorer + asked).headers["content-language"] == "en"


def test_an_address_without_a_page_has_the_menu(explorer: str) -> None:
    answer = httpx.get(f"{explorer}nope", headers={"accept": "text/html", "accept-language": "de"})
    assert (answer.status_code, answer.text.count('href="/search"')) == (404, 1)
    assert "Es gibt keine Seite /nope." in answer.text
    assert httpx.get(f"{explorer}nope").text == "not found\n"
