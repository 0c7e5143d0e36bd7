"""``stc judge`` with lines from a pipe, and in a pseudo-terminal."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator

import psycopg
import pytest

from stcollection.analysis.columns import columns
from stcollection.cli.qrels._screen import page, wrapped
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument
from stcollection.qrels.assess import AssessorSheet, SheetDocument, SheetProgress
from stcollection.qrels.pools import make_pool
from stcollection.qrels.sheets import submit_pool
from tests.acceptance.conftest import environment, runner
from tests.qrels.pooled import put_documents, put_queries, put_run

HOSTILE = "Listening \x1b]0;owned\x07\x1b[2J\x9b31m homes \u202egnp.exe"
ABSTRACT = "Voice assistants listen at home. " * 6 + "界" * 45 + " " + "w" * 90 + "\x1b[31m end"
COMMAND = [sys.executable, "-m", "stcollection", "judge", "p", "--annotator", "anna"]
_STYLES = re.compile(r"\x1b\[(?:0|1|2|4)m|\x1b\[2J|\x1b\[1;1H")


@pytest.fixture
def pool(conn: psycopg.Connection) -> None:
    docs = [f"d{number}" for number in range(8)]
    put_documents(conn, {doc: (f"{HOSTILE} {doc}", ABSTRACT) for doc in docs[:-1]} | {docs[-1]: (None, None)})
    put_queries(conn, {"q1": "voice +assistants -homes", "q2": "another"}, topic_text="A \x1b[31mtopic")
    put_run(conn, "r", {"q1": docs[:6], "q2": docs[6:]})
    make_pool(conn, "p")


def sheet(conn: psycopg.Connection, annotator: str = "anna") -> list[tuple[str, int | None, str | None, str]]:
    return conn.execute("SELECT docno, rel, note, state FROM stc.pool_sheet('p', %s)", [annotator]).fetchall()


class Console:
    """The command in a pseudo-terminal with a given number of columns."""

    def __init__(self, settings: Settings, width: int) -> None:
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 30, width, 0, 0))
        env = environment(settings) | {"TERM": "xterm"}
        env.pop("COLUMNS", None)  # parallel test runs set it, and it takes precedence over the terminal
        self.process = subprocess.Popen(COMMAND, stdin=slave, stdout=slave, stderr=slave, env=env, start_new_session=True)
        os.close(slave)
        self.seen = ""

    def read(self, until: str) -> str:
        """Read output until it ends with a text."""
        got = b""
        ends = time.monotonic() + 60
        while not got.decode(errors="replace").endswith(until):
            ready, _, _ = select.select([self.master], [], [], max(0, ends - time.monotonic()))
            assert ready, f"no {until!r} in {got!r}"
            try:
                piece = os.read(self.master, 4096)
            except OSError:  # the other end is closed
                break
            if not piece:
                break
            got += piece
        self.seen += got.decode()
        return got.decode()

    def press(self, keys: str) -> None:
        os.write(self.master, keys.encode())

    def close(self) -> int:
        """Wait for the end of the process; return its exit code."""
        self.read("\0")
        return self.process.wait(timeout=60)


@pytest.fixture
def console(settings: Settings) -> Iterator[list[Console]]:
    opened: list[Console] = []
    yield opened
    for one in opened:
        if one.process.poll() is None:
            one.process.kill()
            one.process.wait()
        os.close(one.master)


PROMPT = "? q: "


@pytest.mark.slow
@pytest.mark.usefixtures("pool")
def test_in_a_terminal_of_forty_columns_killed_in_the_middle(
    settings: Settings, conn: psycopg.Connection, console: list[Console]
) -> None:
    one = Console(settings, 40)
    console.append(one)
    first = one.read(PROMPT)
    assert "0 of 8 judged" in first
    one.press("2")
    one.read(PROMPT)
    order = [row[0] for row in sheet(conn)]
    assert [row[1] for row in sheet(conn)][:2] == [2, None]
    one.press("n")
    one.read("away): ")
    one.press("a \x1b[31mnote\n")
    assert "The note is stored." in one.read(PROMPT)
    one.press("1")
    one.read(PROMPT)
    one.press("\x1b[A")  # an arrow key and the rest of its escape sequence decide nothing
    assert "not one of the keys" in one.read(PROMPT)
    one.press("9")
    assert "2 very relevant" in one.read(PROMPT)
    one.press("222")  # pasted text judges only the displayed document
    one.read(PROMPT)
    os.kill(one.process.pid, signal.SIGKILL)
    one.process.wait(timeout=30)
    stored = {row[0]: row[1:3] for row in sheet(conn)}
    assert [stored[doc][0] for doc in order] == [2, 1, 2, None, None, None, None, None]
    assert stored[order[1]][1] == "a [31mnote"

    two = Console(settings, 40)
    console.append(two)
    again = two.read(PROMPT)
    assert "3 of 8 judged" in again  # resumes where the killed one stopped, whose locks are gone
    two.press("b")
    assert "judged 2" in two.read(PROMPT)
    two.press("b")
    assert "judged 1" in two.read(PROMPT)
    two.press("0")
    two.read(PROMPT)
    two.press("s")
    two.read(PROMPT)
    for _ in range(4):
        two.press("1")
        last = two.read(PROMPT)
    assert "skipped before" in last
    two.press("0")
    assert two.close() == 0
    assert "All documents are judged" in two.seen
    assert [row[1] for row in sheet(conn)] == [2, 0, 2, 0, 1, 1, 1, 1]

    for output in (one.seen, two.seen):
        bare = _STYLES.sub("", output)
        assert not re.search(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", bare)
        pages = bare.replace("\r", "").split("\n")
        assert max(columns(line) for line in pages) <= 40
        assert "\x1b[4m" in output  # the words of the query are highlighted


@pytest.mark.slow
@pytest.mark.usefixtures("pool")
def test_ctrl_c_and_the_end_of_input_lose_nothing(settings: Settings, conn: psycopg.Connection, console: list[Console]) -> None:
    for key, code in (("\x04", 0), ("q", 0)):
        one = Console(settings, 80)
        console.append(one)
        one.read(PROMPT)
        one.press("1")
        one.read(PROMPT)
        one.press(key)
        assert one.close() == code
    assert [row[1] for row in sheet(conn)].count(1) == 2


@pytest.mark.slow
@pytest.mark.usefixtures("pool")
def test_by_lines_from_a_pipe(settings: Settings, conn: psycopg.Connection) -> None:
    stc = runner(settings)
    done = stc("qrels", "judge", "p", "--annotator", "anna", stdin=b"2 on \xfftopic\ns\n\nn only a note\nx\n0\nb\n1\n")
    assert done.returncode == 0, done.stderr
    assert "\x1b" not in done.stdout
    assert "3 decisions. 2 of 8 documents are judged." in done.stdout
    rows = sheet(conn)
    assert rows[0][1:] == (2, "on \ufffdtopic", "draft")
    assert rows[1][1:] == (None, None, "skipped")
    assert rows[2][1:] == (1, "only a note", "draft")
    assert (
        stc("qrels", "judge", "p", "--annotator", "anna", stdin=b"0\n" * 20)
        .stdout.rstrip()
        .splitlines()[-1]
        .startswith("All documents are judged")
    )
    assert sheet(conn)[1][1] == 0
    assert "8 of 8" in stc("qrels", "judge", "p", "--annotator", "anna", stdin=b"1\n").stdout
    submit_pool(conn, "p", edition="e")

    for arguments, code, told in (
        (("nil", "--annotator", "anna"), 2, "there is no pool 'nil'"),
        (("p", "--annotator", " "), 2, "the name of the annotator is empty"),
        (("p", "--annotator", "anna", "--grades", "0-1"), 2, "which the scale lacks"),
        (("p", "--annotator", "anna", "--grades", "many"), 2, "'many' is not a scale"),
    ):
        refused = stc("qrels", "judge", *arguments, stdin=b"1\n")
        assert (refused.returncode, refused.stdout) == (code, "")
        assert told in refused.stderr
        assert "Traceback" not in refused.stderr


@pytest.mark.usefixtures("pool")
def test_two_terminals_of_one_annotator_get_different_documents(dsn: str, conn: psycopg.Connection) -> None:
    with psycopg.connect(dsn, autocommit=True) as other:
        one, two = AssessorSheet(conn, "p", "anna"), AssessorSheet(other, "p", "anna")
        shown: list[str] = []
        for _ in range(4):
            for terminal in (one, two):
                document = terminal.next()
                assert document is not None
                shown.append(document.token)
            for terminal, token in ((one, shown[-2]), (two, shown[-1])):
                terminal.decide(token, 1)
                terminal.release(token)
        assert len(set(shown)) == 8
        assert one.next() is None
        # Another annotator is not blocked.
        assert AssessorSheet(other, "p", "ben").next() is not None


@pytest.mark.usefixtures("pool")
def test_what_one_terminal_holds_the_other_passes_over_until_it_is_gone(dsn: str, conn: psycopg.Connection) -> None:
    with psycopg.connect(dsn, autocommit=True) as other:
        held = AssessorSheet(other, "p", "anna").next()
        assert held is not None
        mine = AssessorSheet(conn, "p", "anna")
        for _ in range(7):
            document = mine.next()
            assert document is not None
            mine.decide(document.token, 0)
            mine.release(document.token)
        assert mine.next() is None
    deadline = time.monotonic() + 30
    while (document := mine.next()) is None:  # the server notices the end of the other session
        assert time.monotonic() < deadline
    assert document.token == held.token


@pytest.mark.usefixtures("pool")
def test_a_submitted_judgment_stays(conn: psycopg.Connection) -> None:
    mine = AssessorSheet(conn, "p", "anna")
    document = mine.next()
    assert document is not None
    mine.decide(document.token, 1)
    submit_pool(conn, "p", edition="e")
    for rel, note in ((2, None), (1, "new"), (None, "new")):
        with pytest.raises(BadArgument, match="was submitted"):
            mine.decide(document.token, rel, note)
    mine.decide(document.token, 1)
    with pytest.raises(BadArgument, match="7 is not a grade of pool 'p'"):
        mine.decide(document.token, 7)
    with pytest.raises(BadArgument, match="'k0' is not on the sheet of anna"):
        mine.decide("k0", 1)


def test_lines_are_broken_by_columns() -> None:
    assert wrapped("aa bb ccccc", width=5) == ["aa bb", "ccccc"]
    assert wrapped("界界界", width=4) == ["界界", "界"]
    assert wrapped("e\u0301" * 4, width=2) == ["e\u0301e\u0301"] * 2
    assert wrapped("", width=5) == [""]


def test_a_document_without_text_has_a_page() -> None:
    name = "k1"
    document = SheetDocument(
        token=name,
        topic=None,
        topic_text=None,
        article_title=None,
        article_origin=None,
        article=None,
        query="q",
        query_text=None,
        docno="d",
        title=None,
        abstract=" ",
        rel=None,
        note=None,
        state="open",
    )
    shown = page(document, SheetProgress(judged=0, skipped=0, documents=1, query_judged=0, query_documents=1), set(), width=20)
    assert "(no title)" in shown
    assert "(no abstract)" in shown


@pytest.mark.slow
@pytest.mark.usefixtures("pool")
def test_the_article_is_shown_in_part_and_by_a_key(settings: Settings, conn: psycopg.Connection) -> None:
    judge = ("qrels", "judge", "p", "--annotator", "anna")
    assert "article:" not in (none := runner(settings)(*judge, stdin=b"a\nq\n")).stdout
    assert "This topic has no article." in none.stdout
    conn.execute(
        "UPDATE st1_topics SET title = 'Homes', source = 'The Gazette', published = '2019-05-22',"
        " article = repeat('Voices \x1b[2J everywhere. ', 30) || E'\\n\\nThe end.'"
    )
    shown = runner(settings)(*judge, stdin=b"q\n").stdout
    assert "topic: Homes" in shown
    assert "article: Voices [2J everywhere." in shown
    assert "… (a shows the article)" in shown
    assert "The end." not in shown
    whole = runner(settings)(*judge, stdin=b"a\nq\n").stdout
    assert "\nThe Gazette, 2019-05-22\n\n" in whole
    assert "\n\nThe end.\n" in whole
    assert "\x1b[2J" not in whole


@pytest.mark.slow
@pytest.mark.usefixtures("pool")
def test_cannot_decide_is_stored_and_does_not_come_back(settings: Settings, conn: psycopg.Connection) -> None:
    done = runner(settings)("qrels", "judge", "p", "--annotator", "anna", stdin=b"c\n" + b"1\n" * 20)
    assert done.returncode == 0, done.stderr
    assert "All documents are judged. 1 cannot be decided." in " ".join(done.stdout.split())
    assert [row[3] for row in sheet(conn)] == ["undecided", *["draft"] * 7]
