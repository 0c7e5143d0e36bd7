"""Uploads in a real browser: checked and previewed before anything is stored, then stored; refused files leave nothing behind."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest
from playwright.sync_api import Page, expect

from stcollection.db.settings import Settings
from stcollection.evaluation.measures import nDCG
from stcollection.evaluation.score import leaderboard
from stcollection.qrels.editions import editions
from tests.acceptance.conftest import runner
from tests.evaluation.ndeval import expected, store_subtopics
from tests.explore.conftest import Opens, serving
from tests.homes import demo_collection

pytestmark = pytest.mark.slow

Open = Callable[[], Page]


@pytest.fixture(scope="module")
def own(server: Settings, made_demo: Callable[[], Path]) -> Iterator[Settings]:
    """A demo collection of this file; its edition 'test' is hidden."""
    with demo_collection(server, made_demo, "stc_explore_upload") as settings:
        yield settings


@pytest.fixture(scope="module")
def place(own: Settings) -> Iterator[str]:
    yield from serving(own, "--upload-limit", "4", "--team-limit", "2")


@pytest.fixture
def tab(opens: Opens, place: str) -> Open:
    """Opens the upload tab, each time in a new browser context; an error of a script fails the test."""

    def opened() -> Page:
        page = opens(place, console=False)
        page.goto("/upload")
        page.locator(".stc-drop").wait_for()
        return page

    return opened


@pytest.fixture(scope="module")
def lines(own: Settings) -> list[str]:
    """The lines of the stored run bm25."""
    return runner(own)("runs", "export", "bm25").stdout.splitlines()


def put(folder: Path, name: str, rows: list[str], *, packed: bool = False) -> Path:
    content = "".join(f"{row}\n" for row in rows).encode()
    (folder / name).write_bytes(gzip.compress(content) if packed else content)
    return folder / name


def choose(page: Page, path: Path) -> None:
    page.get_by_label("Choose a file").set_input_files(path)


def upload(page: Page, path: Path) -> None:
    """Send a file, and wait for the page of the file."""
    before = page.url
    choose(page, path)
    page.wait_for_url(lambda url: "file=" in url and url != before)


def stored(store: psycopg.Connection) -> list[str]:
    return [run for (run,) in store.execute("SELECT run FROM st1_runs ORDER BY run")]


def test_a_good_run_is_scored_before_it_is_stored(tab: Open, store: psycopg.Connection, lines: list[str], tmp_path: Path) -> None:
    before = stored(store)
    page = tab()
    upload(page, put(tmp_path, "mine.run.gz", lines[:-20], packed=True))
    page.get_by_text(f"✓ mine.run.gz: {len(lines) - 20:,} documents ranked (trec), no faults").wait_for()
    row = page.get_by_role("row", name="train 16 of 16")
    value = float(row.get_by_role("cell").nth(1).inner_text())
    assert stored(store) == before
    page.get_by_role("textbox", name="Team").fill("red")
    expect(page.get_by_label("Name of the run")).to_have_value("mine")
    page.get_by_role("button", name="Store run").click()
    page.get_by_text("Run mine of team red is stored.").wait_for()
    [(source, team)] = store.execute("SELECT source, team FROM st1_runs WHERE run = 'mine'").fetchall()
    assert (source, team) == ("mine.run.gz", "red")
    [standing] = leaderboard(store, runs=["mine"], edition="train", measures=[nDCG @ 10])
    assert value == pytest.approx(standing.values[0], abs=5e-5)


def test_measures_of_subtopics_are_shown_for_editions_that_have_them(
    tab: Open, store: psycopg.Connection, lines: list[str], tmp_path: Path
) -> None:
    query, _, docno, *_ = lines[0].split()
    store_subtopics(store, [(query, "1", docno, 1), (query, "2", "nowhere to be found", 1)], "aspects")
    page = tab()
    upload(page, put(tmp_path, "subtopics.run", lines[:-25]))
    row = page.get_by_role("row", name="aspects 1 of 1")
    row.wait_for()
    cells = row.get_by_role("cell")
    shown = [cells.nth(number).inner_text() for number in range(1, cells.count())]
    theirs = expected("StRecall", {query: {docno: 1.0}}, [(query, "1", docno, 1), (query, "2", "x", 1)], cutoff=10)
    assert f"{theirs[query]:.4f}" == "0.5000" == shown[-3]
    expect(page.get_by_role("columnheader", name="alpha_nDCG@10")).to_have_count(1)
    store.execute("SELECT stc.drop_edition('aspects')")


def test_a_stored_file_is_known_again(tab: Open, store: psycopg.Connection, lines: list[str], tmp_path: Path) -> None:
    page = tab()
    path = put(tmp_path, "again.run", lines[:-30])
    upload(page, path)
    page.get_by_role("textbox", name="Team").fill("blue")
    page.get_by_role("button", name="Store run").click()
    page.get_by_text("Run again of team blue is stored.").wait_for()
    upload(page, path.rename(tmp_path / "other.run"))
    page.get_by_text("this file is already stored as run again").wait_for()
    expect(page.get_by_role("button", name="Store run")).to_have_count(0)


def test_names_and_limits_of_a_team(tab: Open, store: psycopg.Connection, lines: list[str], tmp_path: Path) -> None:
    page = tab()
    for number in (1, 2, 3):
        upload(page, put(tmp_path, f"limit{number}.run", lines[: -40 - number]))
        page.get_by_text(f"✓ limit{number}.run").wait_for()
        page.get_by_role("textbox", name="Team").fill("green")
        if number == 1:
            page.get_by_label("Name of the run").fill("bm25")
            page.get_by_role("button", name="Store run").click()
            page.get_by_role("alert").filter(has_text="Run bm25 already exists, from another file").wait_for()
            page.get_by_label("Name of the run").fill("limit1")
        page.get_by_role("button", name="Store run").click()
        if number < 3:
            page.get_by_text(f"Run limit{number} of team green is stored.").wait_for()
    page.get_by_role("alert").filter(has_text="limit of runs: 2 stored, 2 allowed").wait_for()
    assert "limit3" not in stored(store)


def test_messages_are_those_of_the_command_line(tab: Open, own: Settings, lines: list[str], tmp_path: Path) -> None:
    unknown = [f"D01.1 Q0 999{number} 5 1.0 x" for number in range(8)]
    rows = [*lines[:40], *unknown, "D01.1 Q0 a 1", "<script>window.owned = 1</script>", *lines[3:5]]
    path = put(tmp_path, "bad.run", rows)
    printed = runner(own)("runs", "check", str(path), "--in-collection").stdout.replace(f"{path}:", "bad.run:").splitlines()
    page = tab()
    upload(page, path)
    page.get_by_text("✗ bad.run: 50 documents ranked (trec), 12 faults").wait_for()
    expect(page.locator(".stc-messages li")).to_have_text([line.removesuffix("; --all shows them") for line in printed[:-1]])
    assert printed[-1] in page.locator(".stc-verdict").inner_text()
    expect(page.get_by_role("button", name="Store run")).to_have_count(0)
    page.get_by_role("link", name="Show all messages").click()
    expect(page.locator(".stc-messages li")).to_have_count(len(printed) + 1)
    assert page.evaluate("window.owned") is None


def test_a_hidden_edition_is_not_shown(tab: Open, store: psycopg.Connection, lines: list[str], tmp_path: Path) -> None:
    assert {one.edition: one.hidden for one in editions(store)} == {"train": False, "test": True}
    page = tab()
    upload(page, put(tmp_path, "hidden.run", lines))
    page.get_by_role("row", name="train 16 of 16").wait_for()
    assert "test" not in page.locator(".stc-upload table").inner_text()
    [(query,)] = store.execute(
        "SELECT q.query FROM st1_queries q JOIN qrels j ON j.query = q.id JOIN qrels_editions e ON e.id = j.edition"
        " WHERE e.hidden LIMIT 1"
    ).fetchall()
    upload(page, put(tmp_path, "only.run", [line for line in lines if line.startswith(f"{query} ")]))
    page.get_by_text("The run has no query in common with an open edition.").wait_for()
    upload(page, put(tmp_path, "more.qrels", [f"{query} 0 {lines[0].split()[2]} 1"]))
    page.locator(".stc-upload").get_by_label("Edition", exact=True).fill("test")
    page.get_by_role("button", name="Load judgments").click()
    page.get_by_role("alert").filter(has_text="The edition 'test' is hidden").wait_for()


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("bomb.run.gz", gzip.compress(bytes(200 << 20), mtime=0), "bomb.run.gz: the file unpacks to more than 4,194,304 bytes"),
        ("twice.run.gz", gzip.compress(gzip.compress(b"q 0 d 1\n", mtime=0), mtime=0), "twice.run.gz is compressed twice"),
        ("cut.run.gz", gzip.compress(b"q 0 d 1\n" * 999, mtime=0)[:-9], "cut.run.gz is damaged"),
        ("picture.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "picture.png is a binary file, not text"),
        ("letter.txt", b"Dear Sir or Madam\n", "letter.txt is neither a run nor topics, judgments or documents"),
        ("../../etc/x<b>.txt", b" \n", "x<b>.txt is empty"),
    ],
)
def test_refused_files(tab: Open, name: str, content: bytes, told: str) -> None:
    page = tab()
    page.get_by_label("Choose a file").set_input_files({"name": name, "mimeType": "text/plain", "buffer": content})
    page.get_by_role("alert").filter(has_text=told).wait_for()
    assert "/tmp" not in page.locator(".stc-upload").inner_text()  # noqa: S108
