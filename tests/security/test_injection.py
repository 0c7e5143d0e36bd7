"""Script and HTML in the data, in a real browser: every tab, neighbours, links, figures and reports show them as text.

The page's Content-Security-Policy is bypassed, because these tests check escaping. The policy is a second defence, which
tests/explore/test_page.py tests.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from html import unescape
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Dialog, Locator, Page, expect

from stcollection.db.collections import drop
from stcollection.db.connection import conninfo
from stcollection.db.sessions import open_session
from stcollection.db.settings import Settings
from stcollection.qrels.pools import PoolRules, make_pool
from tests.acceptance.conftest import runner
from tests.explore.conftest import REFUSED, serving
from tests.explore.judged import sit
from tests.security.model.arguments import HOSTILE

pytestmark = pytest.mark.slow

NAME = """<x-owned><img src=x onerror=window.owned=1><b>{}</b>'"&amp;"""  # valid in a name
TEXT = """<script>window.owned=1</script></textarea></title><svg onload="window.owned=1"></svg>""" + NAME
BREAKOUT = """"><x-owned><img src=x onerror=window.owned=1>"""  # escapes from an attribute
QUERY = NAME.format("qid") + ".C1"  # the name of a long query
ESCAPE = "javascript:window.owned=1"
# Elements that only the hostile texts could create.
MADE = """() => [...document.querySelectorAll('x-owned, img, svg[onload], script, iframe, [onerror], a[href^="javascript" i]')]
  .map(one => one.outerHTML).filter(html => html.includes('owned'))"""
POISON = [
    ("UPDATE dblp_text SET title = title || %s, abstract = abstract || ' ' || %s", (TEXT.format("title"), TEXT.format("abstract"))),
    (
        "UPDATE dblp SET doc = doc || jsonb_build_object('title', (doc ->> 'title') || %s::text, 'authors',"
        " jsonb_build_array(jsonb_build_object('name', %s::text, 'org', %s::text)), 'venue', jsonb_build_object('raw', %s::text))",
        [NAME.format(word) for word in ("title", "author", "org", "venue")],
    ),
    ("UPDATE dblp_facts SET venue = %s", [NAME.format("venue")]),
    ("UPDATE st1_topics SET text = %s || text, url = %s, abstract_url = %s", (TEXT.format("topic"), ESCAPE, ESCAPE)),
    ("UPDATE stc.st1_queries SET text = text || %s", [TEXT.format("query")]),
    ("UPDATE stc.st1_queries SET query = %s WHERE query = 'D01.C1'", [QUERY]),
    ("UPDATE st1_runs SET family = %s, team = %s", [NAME.format("family"), NAME.format("team")]),
    ("UPDATE st1_runs SET run = run || %s", [NAME.format("run")]),
    ("UPDATE stc.st1_rankings SET passage = %s", [TEXT.format("passage")]),
    ("UPDATE qrels_editions SET edition = edition || %s, description = %s", (NAME.format("edition"), TEXT.format("description"))),
    ("UPDATE public.qrels_judgments SET annotator = annotator || %s, note = %s", (NAME.format("annotator"), TEXT.format("note"))),
    (
        "UPDATE stc_all.annotators SET annotator = annotator || %s, annotator_group = %s",
        (NAME.format("grader"), NAME.format("group")),
    ),
    ("UPDATE stc_all.annotations SET annotator = annotator || %s, source = %s", (NAME.format("grader"), NAME.format("source"))),
    ("UPDATE stc.corpus_files SET path = '/tmp/' || replace(%s, '/', '')", [NAME.format("file")]),
    ("UPDATE stc_all.qrels_pools SET pool = %s WHERE pool = 'pool'", [NAME.format("pool")]),
]


@pytest.fixture(scope="module")
def poisoned(server: Settings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Settings]:
    """The demo collection with HTML in all text fields, and a pool of it."""
    settings = replace(server, db="stc_injection")
    done = runner(settings)("demo")
    assert done.returncode == 0, done.stderr + done.stdout
    with open_session(conninfo(settings), autocommit=True) as conn:
        make_pool(conn, "pool", rules=PoolRules(depth=2))
        conn.execute("SET session_replication_role = replica")  # without triggers and foreign keys
        for statement, values in POISON:
            conn.execute(statement.encode(), values)
    yield settings
    drop(settings)


@pytest.fixture(scope="module")
def address(poisoned: Settings) -> Iterator[str]:
    yield from serving(poisoned)


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    """A page of the explorer. A dialog, an error or an element created by a text fails the test."""
    context = browser.new_context(base_url=address, viewport={"width": 1300, "height": 1000}, bypass_csp=True)
    page = context.new_page()
    page.set_default_timeout(30_000)
    expect.set_options(timeout=30_000)
    faults: list[str] = []

    def dismiss(dialog: Dialog) -> None:
        faults.append(dialog.message)
        dialog.dismiss()

    page.on("dialog", dismiss)
    page.on(
        "console",
        lambda message: faults.append(message.text) if message.type == "error" and not REFUSED.search(message.text) else None,
    )
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.goto("/collection")
    yield page
    unhurt(page)
    context.close()
    assert faults == []


def unhurt(page: Page) -> None:
    """No text has become part of the page."""
    assert page.evaluate("() => window.owned") is None
    assert page.evaluate(MADE) == []


def shown(place: Page | Locator, text: str) -> None:
    """A hostile text is shown literally."""
    found = place.get_by_text(text).filter(visible=True).first
    expect(found).to_be_visible(timeout=30_000)


def test_what_counts_as_harm(browser: Browser) -> None:
    """Both checks detect an element and a script created by a text."""
    page = browser.new_page()
    page.set_content("<p></p>")
    unhurt(page)
    page.evaluate("html => document.body.insertAdjacentHTML('beforeend', html)", TEXT.format("x"))
    assert page.evaluate(MADE) != []
    page.wait_for_function("() => window.owned === 1")
    page.close()


def test_collection(page: Page) -> None:
    page.goto("/collection")
    for word in ("edition", "run", "team", "family"):
        shown(page.get_by_role("table"), NAME.format(word))
    shown(page.get_by_role("table"), NAME.format("file").replace("/", ""))
    labels = page.get_by_role("figure", name="Judgments by edition").locator("text > title")
    assert set(labels.all_text_contents()) == {f"{one}{NAME.format('edition')}" for one in ("test", "train")}


def test_search_its_reasons_and_neighbours(page: Page) -> None:
    page.goto("/search")
    box = page.get_by_role("textbox", name="Query", exact=True)
    box.fill(f"pedestrian detection {BREAKOUT} {TEXT.format('typed')}")
    box.press("Enter")
    found = page.get_by_role("status").filter(has_text="20 documents")
    expect(found).to_be_visible(timeout=120_000)  # the first search of a process loads the model
    results = page.locator(".stc-results")
    expect(results).to_contain_text(NAME.format("author"))
    expect(results).to_contain_text(unescape(NAME.format("venue")))
    expect(results).to_contain_text("<script>window.owned=1</script>")
    unhurt(page)
    page.get_by_role("button", name="Why").first.click()
    results.get_by_text("reading grade (Flesch-Kincaid)").first.wait_for()
    unhurt(page)
    page.get_by_role("button", name="Abstract", exact=True).first.click()
    expect(page.locator(".stc-panel").first).to_contain_text(unescape(NAME.format("abstract")))
    unhurt(page)
    page.get_by_text("Show SQL").click()
    expect(page.locator("#stc-statement")).to_contain_text(f"pedestrian detection {BREAKOUT}")
    unhurt(page)
    page.get_by_role("link", name="Like this").first.click()
    heading = page.get_by_role("heading", name="Neighbours of")
    expect(heading).to_contain_text("<script>window.owned=1</script>")


def test_stored_queries(page: Page) -> None:
    page.goto("/search")
    page.locator("summary").get_by_text("Stored queries and articles").click()
    page.get_by_role("searchbox").press_sequentially(QUERY)
    stored = page.locator("#stored-queries a")
    expect(stored).to_have_count(1)
    unhurt(page)
    stored.click()
    expect(page.get_by_role("textbox", name="Query", exact=True)).to_have_value(re.compile(re.escape(TEXT.format("query"))))
    shown(page.locator(".stc-results"), f"for {QUERY}")


def test_tables(page: Page) -> None:
    page.goto("/tables")
    unhurt(page)
    for name, text in (
        ("documents", TEXT.format("title")),
        ("st1_runs", NAME.format("run")),
        ("judgments", NAME.format("annotator")),
    ):
        page.goto(f"/tables/{name}?_size=100")
        shown(page.locator(".stc-rows"), text[:40])
        unhurt(page)
    page.goto(f"/tables/st1_runs?run={quote(TEXT, safe='')}&{quote(BREAKOUT, safe='')}__contains={quote(BREAKOUT, safe='')}")
    page.locator(".alert").wait_for()
    unhurt(page)


def test_links(page: Page) -> None:
    """Others can send any link, so every value in the address is tested."""
    for hostile in (TEXT.format("link"), f"{BREAKOUT}</script>'-alert(1)-'", *(one[1:-1] for one in HOSTILE)):
        told = quote(hostile, safe="")
        page.goto(f"/?tab={told}")
        unhurt(page)
        page.goto(f"/search?q={told}&system=bm25")
        expect(page.get_by_role("textbox", name="Query", exact=True)).to_have_value(hostile)
        page.locator(".stc-found").wait_for()
        unhurt(page)
        wrong = "&".join(f"{name}={told}" for name in ("system", "k", "model", "venue", "first"))
        for rest in (f"{wrong}", f"system=bm25&near={told}&field={told}"):
            page.goto(f"/search?q=voice&{rest}")
            page.locator(".alert:visible, .stc-results:visible").first.wait_for()
            unhurt(page)


def test_leaderboard(page: Page) -> None:
    edition, run = f"test{NAME.format('edition')}", f"hybrid{NAME.format('run')}"
    page.goto(f"/leaderboard?edition={quote(edition)}")
    table = page.get_by_role("table", name="Leaderboard of edition test")
    shown(table, run)
    assert edition in page.locator("select[name=edition]").inner_text()
    page.get_by_text("Show command and SQL").click()
    unhurt(page)
    for place, text in (("pairs", run), ("figures", "hybrid"), ("hard?below=2", TEXT.format("query"))):
        page.goto(f"/leaderboard/{place}")
        shown(page.locator("main"), text)
        unhurt(page)
    page.get_by_role("link", name="Table", exact=True).click()
    page.get_by_role("link", name=run).click()
    expect(page.locator("main")).to_contain_text(TEXT.format("query"))
    unhurt(page)
    # Compare two runs by query, down to the documents.
    page.goto("/leaderboard/compare")
    page.locator(".board-queries tbody th a").first.click()
    expect(page.locator(".board-ranked").first).to_contain_text("<script>window.owned=1</script>")
    shown(page, TEXT.format("query"))
    page.locator(".board-bin").last.hover()
    unhurt(page)
    for hostile in (TEXT.format("link"), BREAKOUT):
        for name in ("edition", "by", "pair", "on", "filter", "below", "team", "run", "baseline", "measures", "set", "sort"):
            page.goto(f"/leaderboard?{name}={quote(hostile, safe='')}")
            page.locator("main").wait_for()
            unhurt(page)


def test_coverage(page: Page) -> None:
    page.goto("/coverage")
    page.get_by_text("Options", exact=True).click()
    page.get_by_label("Nearest abstracts").fill("40")
    page.get_by_label("LDA topics").fill("6")
    page.get_by_label("Source text").select_option(QUERY)
    page.get_by_role("button", name="Find topics").click()
    expect(page.get_by_text("topics in 40 abstracts")).to_be_visible(timeout=60_000)
    expect(page.locator("textarea")).to_have_value(re.compile(re.escape(TEXT.format("query"))))
    page.locator(".stc-topic").first.click()
    held = page.locator(".stc-held li")
    expect(held.first).to_contain_text("<script>window.owned=1</script>")
    unhurt(page)
    page.get_by_role("link", name="Concepts").click()
    page.get_by_role("figure", name="Lattice of concepts").locator("text").first.wait_for()


def test_map(page: Page) -> None:
    page.goto("/map?colour=venue")
    spots = page.locator(".stc-spot")
    expect(spots.first).to_contain_text("<script>window.owned=1</script>", timeout=60_000)
    expect(page.get_by_role("list", name="Legend")).to_contain_text(unescape(NAME.format("venue")))
    unhurt(page)
    spots.first.click()
    expect(page.locator(".stc-map-open")).to_contain_text(unescape(TEXT.format("abstract")))
    canvas = page.locator("canvas[data-ready]")
    canvas.wait_for()
    box = canvas.bounding_box()
    assert box is not None
    sent = page.request.get("/map/points.json?colour=venue").json()
    shares = [sent[axis][0] / sent["side"] for axis in "xy"]
    page.mouse.move(box["x"] + 16 + shares[0] * (box["width"] - 32), box["y"] + 16 + shares[1] * (box["height"] - 32))
    expect(page.locator(".stc-map-title")).to_contain_text("<script>wi")


def test_judging(page: Page) -> None:
    page.goto("/judging")
    page.locator("[name=pool] option", has_text=NAME.format("pool")).wait_for(state="attached")
    unhurt(page)
    sit(page, NAME.format("pool"), NAME.format("me"))
    paper = page.locator(".stc-paper")
    for text in (TEXT.format("query"), TEXT.format("topic"), TEXT.format("title")):
        expect(paper).to_contain_text(text)
    unhurt(page)
    page.locator(".stc-note").fill(BREAKOUT)
    page.get_by_role("button", name=re.compile("^1 ")).click()
    expect(page.locator(".stc-status")).to_contain_text("Graded 1.")
    page.get_by_role("button", name=re.compile("Previous$")).click()
    expect(page.locator(".stc-note")).to_have_value(BREAKOUT)
    unhurt(page)
    for panel in ("Pairs", "Progress", "Corrections", "Proposed queries", "Disagreements"):
        page.get_by_role("link", name=panel, exact=True).click()
        page.get_by_role("link", name=panel, exact=True).and_(page.locator("[aria-current]")).wait_for()
        unhurt(page)
    expect(page.get_by_text(NAME.format("me")).first).to_be_attached()


def test_addresses_for_programs_are_never_pages_of_theirs(page: Page, address: str) -> None:
    text, breakout = quote(TEXT, safe=""), quote(BREAKOUT, safe="")
    targets = ["api/runs", "api/editions", f"api/search?q={text}&system=bm25", f"api/search?q=a&system={text}"]
    targets += [f"api/documents/{breakout}", f"dblp1/_search?q={text}", f"stvir_test?corpus={text}&phrase=a", breakout]
    for target in targets:
        answer = page.request.get(address + target)
        assert "json" in answer.headers["content-type"] or "text/plain" in answer.headers["content-type"], target
        assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (["systems", "--edition", "test{edition}"], ["run"]),
        (["differences", "hybrid{run}", "bm25{run}", "--edition", "test{edition}"], ["run"]),
        (["grades"], ["edition"]),
        (["annotations"], ["group"]),
        (["history"], ["edition"]),
        (["readable", "--edition", "test{edition}"], ["run"]),
    ],
)
def test_figures_opened_in_the_browser(
    poisoned: Settings, browser: Browser, tmp_path: Path, kind: list[str], words: list[str]
) -> None:
    names = {word: NAME.format(word) for word in ("edition", "run", "group")}
    file = tmp_path / "figure.svg"
    done = runner(poisoned)("analysis", "plot", *(part.format(**names) for part in kind), "--out", file)
    assert done.returncode == 0, done.stderr
    opened(browser, file)
    text = re.sub(r"\s+", " ", file.read_text())
    assert any("&lt;x-own" in text for _ in words)


def test_a_report_opened_in_the_browser(poisoned: Settings, browser: Browser, tmp_path: Path) -> None:
    done = runner(poisoned)("synth", "report", f"train{NAME.format('edition')}", "--out", tmp_path / "study")
    assert done.returncode == 0, done.stderr
    opened(browser, tmp_path / "study" / "report.html", NAME.format("edition"))


def opened(browser: Browser, file: Path, *texts: str) -> None:
    """Open a file in the browser with its own policy bypassed."""
    context = browser.new_context(bypass_csp=True)
    page = context.new_page()
    faults: list[str] = []

    def dismiss(dialog: Dialog) -> None:
        faults.append(dialog.message)
        dialog.dismiss()

    page.on("dialog", dismiss)
    page.goto(file.as_uri())
    unhurt(page)
    for text in texts:
        expect(page.get_by_text(text).first).to_be_attached()
    context.close()
    assert faults == []
