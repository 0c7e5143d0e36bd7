"""Sign-in with logins of a server that requires passwords: rights, sessions, and attacks on them."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import psycopg
import pytest
from playwright.sync_api import Browser, expect

from stcollection.db.connection import conninfo
from stcollection.db.embedded import EmbeddedServer
from stcollection.db.sessions import open_session
from stcollection.db.settings import Settings
from stcollection.explore import assets
from tests.acceptance.conftest import environment, runner
from tests.explore.conftest import serving
from tests.explore.judged import press, settled
from tests.explore.walled import ODD, as_login, password

pytestmark = pytest.mark.slow

CLOSED = [
    "api",
    "api/editions",
    "api/search?q=x",
    "dblp1/_search",
    "stvir_test",
    "openapi.json",
    "session/x/download/y",
    "lib/x",
    "explore/explore.js",
    "inline/x.js",
    "explore/access.css",
    assets.address("page.css").lstrip("/"),
    f"{assets.address('access.css')}/..%2fpage.js".lstrip("/"),
    assets.address("access.css").replace("static/", "static//").lstrip("/"),
    "sign-in/",
    "./sign-in/../api",
    "%2e%2e/api",
    "//api/editions",
]  # paths that need a session
PLACES = {
    "/search?q=a%26b": "/search?q=a%26b",
    "/search": "/search",
    "tab=judging": "/?tab=judging",
    "/map?colour=year": "/map?colour=year",
    "/sign-out?q=a": "/?sign-out%3Fq=a",
    "//x/search?q=a": "/?%2Fx%2Fsearch%3Fq=a",
}  # where sign-in leads, by what the form names


@pytest.fixture(scope="module")
def address(walled: Settings) -> Iterator[str]:
    yield from serving(walled, "--sign-in")


def sign_in(address: str, name: str, secret: str | None = None, **more: str) -> httpx.Client:
    client = httpx.Client(base_url=address, timeout=30)
    answer = client.post("/sign-in", data={"name": name, "password": secret or password(name), **more})
    assert answer.status_code == 303, answer.text
    return client


def cookie_of(client: httpx.Client) -> str:
    [(name, value)] = client.cookies.items()
    return f"{name}={value}"


def editions(client: httpx.Client) -> set[str]:
    return {one["edition"] for one in client.get("/api/editions").raise_for_status().json()}


def test_without_a_session_there_is_only_the_form(address: str) -> None:
    answer = httpx.get(address + "?tab=search&q=a%26b")
    assert answer.status_code == 303
    assert answer.headers["location"] == "/sign-in?next=tab%3Dsearch%26q%3Da%2526b"
    answer = httpx.get(address + "search?q=a%26b")
    assert answer.headers["location"] == "/sign-in?next=%2Fsearch%3Fq%3Da%2526b"
    answer = httpx.get(address + "search/queries")
    assert answer.headers["location"] == "/sign-in?next=%2Fsearch%2Fqueries"
    assert httpx.get(address + "search/queries", headers={"hx-request": "true"}).status_code == 401
    form = httpx.get(address + "sign-in?next=tab%3Dmap")
    assert 'type="password"' in form.text
    assert form.headers["cache-control"] == "no-store"
    for name in ("access.css", "icon.svg"):
        assert httpx.get(address.rstrip("/") + assets.address(name)).status_code == 200
    for path in CLOSED:
        assert httpx.get(address + path).status_code == 401, path
    for method in ("POST", "PUT", "DELETE", "OPTIONS", "TRACE"):
        assert httpx.request(method, address).status_code in (401, 405), method


def test_rights_are_those_of_the_login(address: str) -> None:
    olga, rita, odd = sign_in(address, "olga"), sign_in(address, "rita"), sign_in(address, ODD)
    assert editions(olga) == {"train", "test"}
    assert editions(rita) == {"train"}
    assert editions(odd) == {"train"}
    query = olga.get("/api/queries").json()[0]["query"]
    hybrid = {"run": "hybrid", "query": query}
    for path, given in (
        ("/api/leaderboard", {}),
        ("/api/judgments", {"query": query}),
        ("/api/rankings", hybrid),
        ("/api/scores", {"run": "hybrid"}),
        ("/api/compare", {"run": "hybrid", "against": "bm25"}),
    ):
        assert rita.get(path, params={"edition": "test", **given}).status_code == 404, path
        assert olga.get(path, params={"edition": "test", **given}).status_code == 200, path
    assert [one["edition"] for one in rita.get("/api/runs/hybrid").json()["scores"]] == ["train"]


def test_the_cookie_and_signing_out(address: str) -> None:
    client = sign_in(address, "rita", next="tab=search")
    answer = client.post("/sign-in", data={"name": "rita", "password": password("rita"), "next": "//evil.example/?a=b"})
    assert answer.headers["location"].startswith("/?")
    answer_to = {
        place: client.post("/sign-in", data={"name": "rita", "password": password("rita"), "next": place}) for place in PLACES
    }
    assert {place: there.headers["location"] for place, there in answer_to.items()} == PLACES
    set_cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in set_cookie
    assert "SameSite=strict" in set_cookie
    assert "Path=/" in set_cookie
    stolen = {"cookie": cookie_of(client)}
    assert httpx.get(address + "api/editions", headers=stolen).status_code == 200
    assert client.post("/sign-out").status_code == 303
    assert httpx.get(address + "api/editions", headers=stolen).status_code == 401, "the cookie is replayed after signing out"


def test_a_cookie_set_by_others_is_not_adopted(address: str) -> None:
    name = cookie_of(sign_in(address, "rita")).partition("=")[0]
    planted = "A" * 43
    answer = httpx.post(
        address + "sign-in", data={"name": "rita", "password": password("rita")}, headers={"cookie": f"{name}={planted}"}
    )
    assert answer.status_code == 303
    assert planted not in answer.headers["set-cookie"]
    assert httpx.get(address + "api/editions", headers={"cookie": f"{name}={planted}"}).status_code == 401


def test_a_new_sign_in_ends_the_browsers_earlier_session(address: str) -> None:
    client = sign_in(address, "olga")
    before = {"cookie": cookie_of(client)}
    client.post("/sign-in", data={"name": "rita", "password": password("rita")})
    assert editions(client) == {"train"}
    assert httpx.get(address + "api/editions", headers=before).status_code == 401


def test_other_hosts_and_pages_cannot_sign_in(address: str) -> None:
    data = {"name": "rita", "password": password("rita")}
    for headers, status in (
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Host": "evil.example"}, 421),
        ({"Host": "evil.example:80@127.0.0.1"}, 400),
        ({"X-Forwarded-Host": "evil.example"}, 303),
    ):
        answer = httpx.post(address + "sign-in", data=data, headers=headers)
        assert answer.status_code == status, headers
        assert "evil" not in answer.headers.get("location", "")


def test_failures_look_alike(address: str, boss: psycopg.Connection) -> None:
    tried = {
        "wrong password": ("rita", "wrong"),
        "unknown name": ("nobody", "wrong"),
        "no role of the collection": ("stranger", "stranger's secret"),
        "cannot log in": ("stc_reader", "x"),
        "injection": ("rita host=evil.example user=postgres", password("rita")),
        "quotes": ("rita' user='boss", "boss's secret"),
        "NUL": ("rita\0", password("rita")),
        "long": ("r" * 5000, "x"),
        "empty password": ("olga", ""),
        "trusted without password": ("open", "anything"),
    }
    _trusted(boss)
    answers = {}
    for what, (name, secret) in tried.items():
        began = time.monotonic()
        answer = httpx.post(address + "sign-in", data={"name": name, "password": secret}, timeout=30)
        assert answer.status_code == 403, what
        assert "set-cookie" not in answer.headers
        assert time.monotonic() - began >= 0.5, what
        assert len(secret) < 8 or secret not in answer.text
        answers[what] = answer.text.replace(f'value="{name}"', 'value=""')
    assert answers["wrong password"] == answers["unknown name"] == answers["no role of the collection"] == answers["NUL"]
    superuser = httpx.post(address + "sign-in", data={"name": "boss", "password": "boss's secret"})
    assert superuser.status_code == 403
    assert "Superusers cannot sign in" in superuser.text


def test_html_in_a_name_is_text(address: str) -> None:
    hostile = """"><script>alert(1)</script>'"""
    answer = httpx.post(address + "sign-in", data={"name": hostile, "password": "x", "next": hostile})
    assert "<script" not in answer.text
    assert "<script" not in httpx.get(address + "sign-in", params={"next": hostile}).text


def test_malformed_forms_are_refused(address: str) -> None:
    kind = {"content-type": "application/x-www-form-urlencoded"}
    for body, headers, status in (
        (b"name=" + b"a" * 100_000, kind, 413),
        (b"name=a&name=b", kind, 400),
        (b"\xff\xfe", kind, 400),
        (b'{"name": "rita"}', {"content-type": "application/json"}, 415),
    ):
        assert httpx.post(address + "sign-in", content=body, headers=headers).status_code == status
    assert httpx.post(address + "sign-in", content=b"", headers=kind).status_code == 403


def test_a_page_opened_from_another_site_gets_its_cookie_on_the_second_request(address: str) -> None:
    answer = httpx.get(address + "?q=<x>", headers={"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"})
    assert answer.status_code == 200
    assert 'content="0;url=/?q=%3Cx%3E"' in answer.text


def test_connections_are_the_logins_and_close_after_the_last_session(address: str, boss: psycopg.Connection) -> None:
    def connections() -> int:
        [(count,)] = boss.execute("SELECT count(*) FROM pg_stat_activity WHERE usename = 'petra'").fetchall()
        return int(count)

    first, second = sign_in(address, "petra"), sign_in(address, "petra")
    first.get("/api/editions").raise_for_status()
    assert connections() >= 1
    first.post("/sign-out")
    assert second.get("/api/editions").status_code == 200
    second.post("/sign-out")
    _until(lambda: connections() == 0)


def test_a_changed_password_and_a_dropped_login_end_sessions(address: str, boss: psycopg.Connection) -> None:
    boss.execute("DROP ROLE IF EXISTS temporary")
    boss.execute("CREATE ROLE temporary LOGIN PASSWORD 'first one' IN ROLE stc_reader")
    boss.execute("GRANT CONNECT ON DATABASE demo TO temporary")
    client = sign_in(address, "temporary", "first one")
    assert editions(client) == {"train"}
    boss.execute("ALTER ROLE temporary PASSWORD 'second one'")
    boss.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'temporary'")
    later = sign_in(address, "temporary", "second one")
    assert editions(later) == {"train"}, "the new password has connections of its own"
    _until(lambda: client.get("/api/editions").status_code == 401)
    assert editions(later) == {"train"}
    assert httpx.post(address + "sign-in", data={"name": "temporary", "password": "first one"}).status_code == 403
    later.post("/sign-out")


def test_passwords_are_in_no_log_and_no_process(walled: Settings, address: str) -> None:
    sign_in(address, "petra")
    httpx.post(address + "sign-in", data={"name": "petra", "password": "wrong-horse"})
    log = EmbeddedServer(walled.home).log.read_text()
    processes = "".join(one.read_text(errors="replace") for one in Path("/proc").glob("[0-9]*/cmdline") if _readable(one))
    for text in (log, processes):
        assert "petra's secret" not in text
        assert "wrong-horse" not in text


def test_many_failures_must_wait(walled: Settings) -> None:
    server = serving(walled, "--sign-in")
    address = next(server)
    client = httpx.Client()  # quick enough that the waits do not pass
    try:
        answers = [client.post(address + "sign-in", data={"name": "rita", "password": "wrong"}) for _ in range(9)]
        codes = [one.status_code for one in answers]
        assert codes[:5] == [403] * 5
        assert codes[-1] == 429
        while (wait := int(answers[-1].headers["retry-after"])) < 8:  # long enough for a busy machine to try once more in it
            time.sleep(wait)
            answers += [client.post(address + "sign-in", data={"name": "rita", "password": "wrong"}) for _ in range(2)]
        assert client.post(address + "sign-in", data={"name": "rita", "password": password("rita")}).status_code == 429
        assert client.post(address + "sign-in", data={"name": "olga", "password": password("olga")}).status_code == 303
    finally:
        for _ in server:
            pass


def test_a_restart_and_the_idle_limit_end_sessions(walled: Settings) -> None:
    server = serving(walled, "--sign-in", "--idle-minutes", "0.03")
    address = next(server)
    client = sign_in(address, "rita")
    assert client.get("/api/editions").status_code == 200
    time.sleep(2.5)
    assert client.get("/api/editions").status_code == 401
    again = sign_in(address, "rita")
    port = address.rstrip("/").rpartition(":")[2]
    for _ in server:
        pass
    restarted = serving(walled, "--sign-in", "--port", port)
    assert next(restarted) == address
    assert again.get("/api/editions").status_code == 401
    for _ in restarted:
        pass


def test_without_passwords_sign_in_is_refused(walled: Settings) -> None:
    for settings, message in (
        (Settings(db="demo", home=walled.home, dsn=None), "embedded server trusts everyone"),
        (as_login(walled, "open", "x"), "requires no password"),
    ):
        with open_session(conninfo(as_login(walled, "boss")), autocommit=True) as conn:
            _trusted(conn)
        if settings.dsn is None:
            continue  # its message is tested in test_access_units.py: this server's socket has another port
        done = subprocess.run(
            [sys.executable, "-m", "stcollection", "serve", "page", "--sign-in", "--port", "0"],
            env=environment(settings), capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip
        assert done.returncode == 2
        assert message in done.stderr


def test_the_page_in_a_browser(browser: Browser, address: str) -> None:
    context = browser.new_context(base_url=address, java_script_enabled=True)
    page = context.new_page()
    page.set_default_timeout(20_000)
    page.goto("/collection")
    page.get_by_label("Name").fill("rita")
    page.get_by_label("Password").fill("wrong")
    page.get_by_label("Password").press("Enter")
    page.get_by_role("alert").filter(has_text="Name or password is wrong").wait_for()
    page.get_by_label("Password").fill(password("rita"))
    page.get_by_label("Password").press("Enter")
    page.get_by_text("Signed in as rita").wait_for()
    assert page.url.endswith("/collection")
    other = context.new_page()
    other.goto("/search")
    other.get_by_text("Signed in as rita").wait_for()
    page.get_by_role("button", name="Sign out").click()
    page.get_by_role("heading", name="Sign in to demo").wait_for()
    other.get_by_role("heading", name="Sign in to demo").wait_for()  # the browser tells its other pages
    assert "%2Fsearch" in other.url
    page.go_back()
    page.get_by_role("heading", name="Sign in to demo").wait_for()
    context.close()


def test_an_invitation_opens_one_sheet_only(browser: Browser, walled: Settings, tmp_path: Path) -> None:
    stc = runner(walled)
    done = stc("qrels", "pool", "make", "invited", "--depth", "2")
    assert done.returncode == 0, done.stderr
    audit = tmp_path / "audit.jsonl"
    server = serving(walled, "--sign-in", "--audit", str(audit))
    address = next(server)
    try:
        made = stc("qrels", "pool", "invite", "invited", "--annotator", "anna <b>", "--page", address)
        assert made.returncode == 0, made.stderr
        link = made.stdout.strip()
        context = browser.new_context(base_url=address)
        page = context.new_page()
        page.set_default_timeout(20_000)
        page.goto(link)
        page.get_by_text("anna <b>").wait_for()
        assert context.cookies() == [], "opening the link alone signs nobody in"
        page.get_by_role("button", name="Start judging").click()
        page.locator(".stc-paper").wait_for()
        assert page.get_by_role("navigation").locator("a").all_inner_texts() == ["Judging", "Judge", "Pairs"]
        settled(page)
        press(page, "1")
        expect(page.locator(".stc-status")).to_contain_text("Graded 1.")
        assert page.evaluate("async () => (await fetch('/api/editions')).status") == 404
        for panel in ("disagreements", "progress", "decisions.csv", "assessors.csv", "corrections", "proposals"):
            refused = page.request.get(f"/judging/{panel}?pool=invited")
            assert refused.status >= 400, panel
            assert "this invitation is for judging" in refused.text().lower()
        assert page.request.get("/search").status == 404
        own = page.request.get("/judging.json?pool=demo&annotator=ben").json()["session"]
        assert (own["pool"], own["annotator"]) == ("invited", "anna <b>")
        page.get_by_role("link", name="Pairs").click()
        page.locator(".stc-comparison").wait_for()
        _until(lambda: '"judgment"' in audit.read_text())
        [line] = [line for line in map(json.loads, audit.read_text().splitlines()) if line["kind"] == "judgment"]
        assert (line["role"], line["annotator"], line["pool"], line["old"], line["new"]) == ("olga", "anna <b>", "invited", None, 1)
        assert set(line) == {"time", "kind", "role", "annotator", "pool", "query", "document", "old", "new"}
        assert stc("qrels", "pool", "invite", "--revoke-all").returncode == 0
        _until(lambda: page.request.get("/session").status == 401)
        page.keyboard.press("1")  # its answer is that the session has ended
        page.get_by_role("heading", name="Sign in to demo").wait_for()
        assert page.goto(link).status == 410  # type: ignore[union-attr]
        page.get_by_role("alert").filter(has_text="revoked").wait_for()
        context.close()
    finally:
        for _ in server:
            pass
    for arguments in (["nope", "--annotator", "anna"], ["invited"], ["invited", "--annotator", "a", "--days", "0"]):
        assert stc("qrels", "pool", "invite", *arguments).returncode == 2


def _trusted(conn: psycopg.Connection) -> None:
    """Create the login that the server trusts without a password."""
    if conn.execute("SELECT FROM pg_roles WHERE rolname = 'open'").fetchone() is None:
        conn.execute("CREATE ROLE open LOGIN IN ROLE stc_reader")
    conn.execute("GRANT CONNECT ON DATABASE demo TO open")


def _until(holds: Callable[[], bool]) -> None:
    until = time.monotonic() + 40
    while not holds():
        assert time.monotonic() < until
        time.sleep(0.2)


def _readable(path: Path) -> bool:
    try:
        path.read_bytes()
    except OSError:
        return False
    return True
