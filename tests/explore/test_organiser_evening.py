"""An organiser's evening: a pool for two assessors, their progress, final grades, an edition that is released, its leaderboard."""

from __future__ import annotations

import csv
import re
import shlex
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest
from playwright.sync_api import Browser, Locator, Page, expect
from psycopg.conninfo import make_conninfo

from stcollection.db.connection import conninfo
from stcollection.db.members import add_member, drop_member
from stcollection.db.settings import Settings
from stcollection.evaluation.measures import nDCG
from stcollection.evaluation.score import leaderboard
from stcollection.qrels.assess import AssessorSheet
from tests.acceptance.conftest import runner
from tests.explore.conftest import serving
from tests.explore.judged import press, query_at, sit
from tests.homes import demo_collection

pytestmark = pytest.mark.slow

POOL, READER = "evening", "evening_reader"


@pytest.fixture(scope="module")
def own(server: Settings, made_demo: Callable[[], Path]) -> Iterator[Settings]:
    """A demo collection of this file."""
    with demo_collection(server, made_demo, "stc_explore_evening") as settings:
        yield settings


@pytest.fixture
def page(browser: Browser, own: Settings) -> Iterator[Page]:
    """The organiser's page; an error of a script fails the test."""
    complaints: list[str] = []
    for address in serving(own):
        page = browser.new_context(viewport={"width": 1280, "height": 900}, base_url=address).new_page()
        page.set_default_timeout(20_000)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        yield page
        page.context.close()
    assert complaints == []


@pytest.fixture
def participant(browser: Browser, own: Settings, store: psycopg.Connection) -> Iterator[Page]:
    """The page of a reader, who sees no hidden edition."""
    add_member(store, READER, kind="reader", password="correct horse")  # noqa: S106
    for address in serving(replace(own, dsn=make_conninfo(conninfo(own), user=READER, password="correct horse"))):  # noqa: S106
        page = browser.new_page(base_url=address)
        page.set_default_timeout(20_000)
        yield page
        page.close()
    drop_member(store, READER)


def test_assign_adjudicate_and_publish(
    page: Page, participant: Page, own: Settings, store: psycopg.Connection, tmp_path: Path
) -> None:
    stc = runner(own)

    def done(command: str) -> None:
        ran = stc(*shlex.split(command)[1:])
        assert ran.returncode == 0, f"{command}\n{ran.stderr}"

    # A pool, every document for both assessors.
    done(f"stc pool make {POOL} --depth 3 --queries D01.1,D09.1")
    done(f"stc export pool {POOL} --annotators anna,ben --overlap 1 --out {tmp_path / 'sheets'}")
    page.goto(f"/judging?pool={POOL}")
    expect(page.get_by_text("Shared among anna, ben: 100% of it is judged by two of them.")).to_be_visible()

    # The address of a panel opens it, with the pool.
    page.goto(f"/?tab=judging&pool={POOL}&panel=progress")  # a former address
    [documents] = store.execute("SELECT count(*) FROM stc.pool_sheet(%s, 'anna')", [POOL]).fetchone() or ()
    expect(work_of(page, "ben")).to_have_text([str(documents), "0", "0", "0", str(documents), "0", "", "not started"])

    # Anna judges on the page, Ben at home; they differ on every document of one query, and both give reasons for one.
    anna = page.context.new_page()
    sit(anna, POOL, "anna")
    reasoned = ""
    for _ in range(documents):
        if not reasoned and query_at(anna) == "D01.1":
            anna.keyboard.press("n")
            anna.keyboard.type("only the household, no assistant")
            anna.keyboard.press("Escape")
            reasoned = press(anna, "0")
        else:
            press(anna, "0")
    expect(anna.get_by_role("heading", name="Done")).to_be_visible()
    anna.close()
    page.reload()
    expect(page.get_by_text(f"{documents} decisions remain; assessors: 2.")).to_be_visible()
    for token, query in store.execute("SELECT token, query FROM stc.pool_sheet(%s, 'ben')", [POOL]).fetchall():
        note = "=about speakers, which are assistants" if token == reasoned else None
        AssessorSheet(store, POOL, "ben").decide(token, 2 if query == "D01.1" else 0, note, seconds=12)

    # The organiser sees that the work is done and how far they agree, and downloads both tables.
    page.reload()
    expect(page.get_by_text("0 decisions remain; assessors: 2. Krippendorff's alpha (ordinal)")).to_be_visible()
    expect(work_of(page, "ben")).to_have_text([str(documents), str(documents), "0", "0", "0", "1", "12", re.compile(r"UTC\s*$")])
    work = downloaded(page, "Work by assessor as CSV", tmp_path)
    assert [(row["annotator"], row["judged"]) for row in work] == [("anna", str(documents)), ("ben", str(documents))]
    rows = downloaded(page, "Decisions as CSV", tmp_path)
    graded = store.execute(
        "SELECT q.query, d.docno, a.annotator, a.rel::text FROM stc_all.qrels_assessments a JOIN st1_queries q ON q.id = a.query"
        "  JOIN dblp d ON d.id = a.doc WHERE a.pool = stc.pool_key(%s)",
        [POOL],
    ).fetchall()
    assert {(row["query"], row["docno"], row["annotator"], row["grade"]) for row in rows} == set(graded)
    assert len(rows) == 2 * documents
    assert "'=about speakers, which are assistants" in {row["note"] for row in rows}  # no formula

    # Each disagreement gets a final grade, with both notes in view.
    page.get_by_role("link", name="Disagreements", exact=True).click()
    disputes = page.locator(".stc-dispute")
    [differing] = store.execute("SELECT count(DISTINCT docno) FROM pool_disagreements(%s)", [POOL]).fetchone() or ()
    expect(disputes).to_have_count(differing)
    both = disputes.filter(has_text="only the household")
    expect(both.locator(".stc-grades").get_by_role("listitem")).to_have_text(
        [re.compile("anna: 0.*only the household, no assistant"), re.compile("ben: 2.*=about speakers")]
    )
    page.get_by_label("Adjudicator's name").fill("olga")
    both.get_by_label("Reason").fill("the assistant is in the abstract")
    both.get_by_role("button", name="2 very relevant").click()
    expect(page.get_by_text("With a final grade: 1.")).to_be_visible()
    disputes.first.focus()
    for settled in range(2, differing + 1):
        expect(disputes.first).to_be_focused()
        page.keyboard.press("1")
        expect(page.get_by_text(f"With a final grade: {settled}.")).to_be_visible()

    # The commands that the page shows make the edition. It stays hidden until it is released.
    shown = page.locator(".stc-judging pre").filter(has_text="derive settled").inner_text()
    for command in shown.splitlines():
        done(command)
    for edition in ("raw", "settled"):
        done(f"stc publish hide {edition}")
    finals = store.execute(
        "SELECT docno, rel FROM stc_all.qrels_assessments a JOIN dblp d ON d.id = a.doc WHERE a.final"
    ).fetchall()
    stored = store.execute("SELECT docno, rel FROM judgments WHERE edition = 'settled' AND query = 'D01.1'").fetchall()
    assert len(finals) == differing
    assert sorted(rel for _, rel in finals) == [*[1] * (differing - 1), 2]
    assert dict(stored) == dict(finals)
    participant.goto("/leaderboard?edition=settled")
    expect(participant.get_by_role("alert")).to_contain_text("There is no edition 'settled'.")
    participant.goto("/leaderboard")
    expect(participant.locator("select[name=edition]")).to_have_value("train")
    assert "settled" not in participant.locator("body").inner_text()
    done("stc publish release settled --yes")

    # Everybody sees the leaderboard, with the scores that SQL returns.
    [best, *_] = leaderboard(store, edition="settled", measures=[nDCG @ 10])
    for one in (page, participant):
        one.goto("/leaderboard?edition=settled")
        board = one.get_by_role("table", name="Leaderboard of edition settled")
        board.wait_for()
        row = board.get_by_role("row").filter(has=one.get_by_role("link", name=best.run, exact=True))
        expect(row).to_contain_text(f"{best.values[0]:.2f}")
    options = participant.locator("select[name=edition] option").all_inner_texts()
    assert sorted(options) == ["settled, 2 queries", "train, 16 queries"]


def work_of(page: Page, assessor: str) -> Locator:
    return page.get_by_role("table", name="Work by assessor").get_by_role("row", name=assessor).get_by_role("cell")


def downloaded(page: Page, link: str, folder: Path) -> list[dict[str, str]]:
    """Download a CSV file; returns its rows."""
    with page.expect_download() as waiting:
        page.get_by_role("link", name=link).click()
    path = folder / waiting.value.suggested_filename
    waiting.value.save_as(path)
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))
