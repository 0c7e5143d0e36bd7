"""One login changes nothing that another sees, and stops nothing that another does: page, HTTP API and assistants."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

import httpx
import psycopg
import pytest
from psycopg import sql

from stcollection.db.connection import conninfo
from stcollection.db.embedded import EmbeddedServer
from stcollection.db.settings import Settings
from stcollection.explore.access.logins import MOST_DESKS
from stcollection.mcp import AnswerLimits
from stcollection.mcp.answers import LimitedReader
from stcollection.mcp.login import reader_login
from stcollection.mcp.tools import make_server
from stcollection.retrieval.search import unembedded_chunks
from stcollection.retrieval.settings import CHUNK
from stcollection.web.uploads.files import AT_ONCE
from tests.at_once import until
from tests.explore.conftest import serving, walled  # noqa: F401
from tests.explore.walled import as_login, password
from tests.mcp.conftest import answers

pytestmark = pytest.mark.slow

TEXT = "words that nobody has searched for"
FALSE = "Zwq"
TOPIC, ARTICLE = "D08", "Farmers hang microphones above the wheat. Drones count weeds and sensors measure the soil."
BROWSER = {
    **{f".clientdata_url_{part}": "" for part in ("search", "protocol", "hostname", "port", "pathname", "hash")},
    ".clientdata_pixelratio": 1,
    ".clientdata_singletons": "",
}
# What petra sets for her own role; her objects are in the schema own.
ROLE = {
    "row_security": "off",
    "statement_timeout": "60s",
    "DateStyle": "German, DMY",
    "client_encoding": "LATIN1",
    "TimeZone": "Asia/Tokyo",
    "IntervalStyle": "iso_8601",
    "standard_conforming_strings": "off",
    "array_nulls": "off",
}


@pytest.fixture(scope="module")
def address(walled: Settings) -> Iterator[str]:  # noqa: F811
    yield from serving(walled, "--sign-in")


@pytest.fixture
def boss(walled: Settings) -> Iterator[psycopg.Connection]:  # noqa: F811
    with psycopg.connect(conninfo(as_login(walled, "boss")), autocommit=True) as conn:
        yield conn


def sign_in(address: str, name: str, secret: str | None = None) -> httpx.Client:
    answer = httpx.post(f"{address}sign-in", data={"name": name, "password": secret or password(name)}, timeout=120)
    assert answer.status_code == 303, answer.text
    return httpx.Client(base_url=address, timeout=120, cookies=answer.cookies)


@pytest.fixture(scope="module")
def hostile(walled: Settings, address: str) -> Iterator[None]:  # noqa: F811
    """Petra gives her role settings, and makes tables and functions of her own with our names."""
    with psycopg.connect(conninfo(as_login(walled, "boss")), autocommit=True) as conn:
        conn.execute("CREATE SCHEMA own AUTHORIZATION petra")
        conn.execute("UPDATE st1_topics SET article = %s WHERE topic = %s", [ARTICLE, TOPIC])
    with psycopg.connect(conninfo(as_login(walled, "olga")), autocommit=True) as conn:
        chunks = unembedded_chunks(conn, TOPIC, None)
    with psycopg.connect(conninfo(as_login(walled, "petra")), autocommit=True) as conn:
        conn.execute("CREATE TABLE own.query_v AS TABLE public.query_v WITH NO DATA")
        conn.execute(
            "INSERT INTO own.query_v (model, text, digest, v) SELECT m.model, t, md5(t), array_fill(1::real, ARRAY[m.dim])::vector"
            "  FROM stc.vector_models m, unnest(%s::text[]) t",
            [[TEXT, *chunks]],
        )
        conn.execute(
            f"CREATE VIEW own.documents AS SELECT doc, docno, '{FALSE}' AS title, '{FALSE}' AS abstract FROM public.documents"
        )
        conn.execute(f"CREATE VIEW own.qrels_editions AS SELECT id, '{FALSE}' AS edition FROM public.qrels_editions")
        conn.execute("CREATE VIEW own.st1_runs AS SELECT id, 'Zwq' AS run, team FROM public.st1_runs")
        conn.execute("CREATE FUNCTION own.set_config(text, text, boolean) RETURNS text LANGUAGE sql AS $$SELECT '0'$$")
        for setting, value in ROLE.items():
            conn.execute(sql.SQL("ALTER ROLE petra SET {} = {}").format(sql.Identifier(setting), value))
        conn.execute("ALTER ROLE petra SET search_path = own, public, pg_catalog")
    yield
    with psycopg.connect(conninfo(as_login(walled, "boss")), autocommit=True) as conn:
        conn.execute("ALTER ROLE petra RESET ALL")
        conn.execute("DROP SCHEMA own CASCADE")


def test_a_login_s_own_vectors_are_used_for_nobody(address: str, hostile: None, walled: Settings) -> None:  # noqa: F811
    def search(name: str) -> list[str]:
        with sign_in(address, name) as client:
            found = client.get("/api/search", params={"q": TEXT, "system": "dense-title"}).raise_for_status().json()
        return [one["docno"] for one in found["documents"]]

    theirs, readers = search("petra"), search("rita")
    false = "SELECT d.docno FROM dense_search(array_fill(1::real, ARRAY[%s])::vector, 10, 'title') s JOIN dblp d ON d.id = s.doc"
    with psycopg.connect(conninfo(as_login(walled, "olga"))) as conn:
        [(dim,)] = conn.execute("SELECT dim FROM stc.vector_models LIMIT 1").fetchall()
        forged = [docno for (docno,) in conn.execute(false.encode() + b" ORDER BY s.rank", [dim])]
    assert theirs == readers != forged


def test_a_login_s_own_vectors_are_stored_by_nobody(address: str, hostile: None, boss: psycopg.Connection) -> None:
    for name in ("petra", "olga"):
        with sign_in(address, name) as client:
            answer = client.get(f"/api/articles/{TOPIC}/documents", params={"system": "dense-title"})
            assert answer.status_code == (200 if name == "olga" else 409), answer.text  # petra may not store vectors
    found = boss.execute(
        "SELECT count(*) FILTER (WHERE q.v = array_fill(1::real, ARRAY[m.dim])::vector), count(*) > 0"
        "  FROM public.query_v q JOIN stc.vector_models m USING (model)"
        "  JOIN unnest(stc.article_chunks(stc.needed_article(%s), %s)) c ON c = q.text",
        [TOPIC, CHUNK],
    )
    assert found.fetchall() == [(0, True)]


def test_a_login_s_own_documents_are_on_no_map(address: str, hostile: None) -> None:
    for name in ("petra", "rita"):
        with sign_in(address, name) as client:
            found = client.get("/api/map").raise_for_status().text
        assert '"clusters"' in found
        assert FALSE.lower() not in found.lower()


@pytest.mark.parametrize("path", ["overview", "editions", "runs", "contents", "queries", "leaderboard?edition=train"])
def test_a_login_s_settings_change_no_answer(address: str, hostile: None, path: str) -> None:
    found = []
    for name in ("rita", "petra", "rita"):
        with sign_in(address, name) as client:
            answer = client.get(f"/api/{path}")
            assert answer.status_code == 200, answer.text
            found.append(answer.json())
    assert found[0] == found[2]
    assert FALSE not in json.dumps(found)


def test_a_login_s_settings_change_no_answer_to_an_assistant(walled: Settings, hostile: None) -> None:  # noqa: F811
    texts = []
    for name in ("rita", "petra"):
        with reader_login(as_login(walled, name), AnswerLimits(rows=100, size=50_000, seconds=20)) as where:
            call = answers(make_server(LimitedReader(where, AnswerLimits(rows=100, size=50_000, seconds=20)), title="demo"))
            for tool in ("list_editions", "list_runs"):
                failed, text, _ = call(tool)
                assert not failed, text
                texts.append(text)
            failed, text, _ = call("sql", statement="SELECT current_setting('search_path'), current_setting('statement_timeout')")
            assert not failed, text
            assert "stc_all, public, pg_temp" in text
    assert FALSE not in "".join(texts)
    assert texts[0] == texts[2]


def test_a_full_server_is_no_wrong_password(address: str, boss: psycopg.Connection) -> None:
    boss.execute("DROP ROLE IF EXISTS narrow")
    boss.execute("CREATE ROLE narrow LOGIN PASSWORD 'right' CONNECTION LIMIT 0 IN ROLE stc_reader")
    boss.execute("GRANT CONNECT ON DATABASE demo TO narrow")
    for secret, status, words in (("right", 503, "no free connection"), ("wrong", 403, "Name or password is wrong")):
        answer = httpx.post(f"{address}sign-in", data={"name": "narrow", "password": secret}, timeout=60)
        assert (answer.status_code, words in answer.text) == (status, True)
    boss.execute("DROP OWNED BY narrow")
    boss.execute("DROP ROLE narrow")


def test_a_password_changed_often_takes_one_place(address: str, boss: psycopg.Connection) -> None:
    boss.execute("DROP ROLE IF EXISTS changing")
    boss.execute("CREATE ROLE changing LOGIN IN ROLE stc_reader")
    boss.execute("GRANT CONNECT ON DATABASE demo TO changing")
    clients = []
    for number in range(MOST_DESKS + 1):
        boss.execute(sql.SQL("ALTER ROLE changing PASSWORD {}").format(f"secret {number}"))
        clients.append(sign_in(address, "changing", f"secret {number}"))
    with sign_in(address, "rita") as rita:
        assert rita.get("/api/editions").status_code == 200
    assert clients[-1].get("/api/editions").status_code == 200
    assert {one.get("/api/editions").status_code for one in clients[:-1]} == {401}, "the sessions of the old passwords have ended"
    until(lambda: boss.execute("SELECT count(*) <= 3 FROM pg_stat_activity WHERE usename = 'changing'").fetchall() == [(True,)])
    clients[-1].post("/sign-out")
    until(lambda: boss.execute("SELECT count(*) FROM pg_stat_activity WHERE usename = 'changing'").fetchall() == [(0,)])
    boss.execute("DROP OWNED BY changing")
    boss.execute("DROP ROLE changing")


def waiting(boss: psycopg.Connection, name: str) -> int:
    """Return how many statements of a login wait for a lock."""
    [(count,)] = boss.execute(
        "SELECT count(*) FROM pg_stat_activity WHERE usename = %s AND wait_event_type = 'Lock'", [name]
    ).fetchall()
    return int(count)


def test_requests_that_wait_hold_no_thread_of_others(address: str, boss: psycopg.Connection, walled: Settings) -> None:  # noqa: F811
    with sign_in(address, "petra") as petra, sign_in(address, "rita") as rita, ThreadPoolExecutor(30) as threads:
        assert rita.get("/api/editions").status_code == 200
        with psycopg.connect(conninfo(as_login(walled, "boss"))) as holder:
            holder.execute("LOCK TABLE st1_runs IN ACCESS EXCLUSIVE MODE")
            requests = [threads.submit(petra.get, "/api/runs") for _ in range(30)]
            until(lambda: waiting(boss, "petra") == 2)
            answer = rita.get("/api/editions")
            assert (answer.status_code, [one.done() for one in requests]) == (200, [False] * 30)
        codes = sorted({one.result().status_code for one in requests})
        assert codes[0] == 200
        assert set(codes) <= {200, 503}


def test_the_end_of_a_session_ends_its_statements(address: str, boss: psycopg.Connection, walled: Settings) -> None:  # noqa: F811
    with sign_in(address, "petra") as petra, sign_in(address, "petra") as other, ThreadPoolExecutor(2) as threads:
        with psycopg.connect(conninfo(as_login(walled, "boss"))) as holder:
            holder.execute("LOCK TABLE st1_runs IN ACCESS EXCLUSIVE MODE")
            ended, kept = threads.submit(petra.get, "/api/runs"), threads.submit(other.get, "/api/runs")
            until(lambda: waiting(boss, "petra") == 2)
            cookie = dict(petra.cookies)
            httpx.post(f"{address}sign-out", cookies=cookie, timeout=60)
            assert ended.result().status_code == 401
            until(lambda: waiting(boss, "petra") == 1)
            assert not kept.done(), "the other session of the login goes on"
        assert kept.result().status_code == 200


def test_the_end_of_a_session_ends_the_statements_of_its_pages(
    address: str,
    boss: psycopg.Connection,
    walled: Settings,  # noqa: F811
) -> None:
    log = EmbeddedServer(walled.home).log

    async def story(petra: httpx.Client) -> None:
        opened = asyncio.create_task(asyncio.to_thread(petra.get, "/collection"))
        await asyncio.to_thread(until, lambda: waiting(boss, "petra") > 0)
        before = log.read_text().count("canceling statement due to user request")
        await asyncio.to_thread(httpx.post, f"{address}sign-out", cookies=dict(petra.cookies), timeout=60)
        await asyncio.to_thread(until, lambda: waiting(boss, "petra") == 0)
        assert log.read_text().count("canceling statement due to user request") > before
        assert (await opened).status_code == 401

    with sign_in(address, "petra") as petra, psycopg.connect(conninfo(as_login(walled, "boss"))) as holder:
        holder.execute("LOCK TABLE qrels_editions IN ACCESS EXCLUSIVE MODE")
        asyncio.run(story(petra))


class SlowUpload:
    """An upload that has sent its headers and one byte."""

    def __init__(self, address: str, client: httpx.Client) -> None:
        where = urlsplit(address)
        assert where.hostname is not None
        self._socket = socket.create_connection((where.hostname, where.port), timeout=120)
        [(name, value)] = client.cookies.items()
        lines = (
            "POST /api/uploads/check HTTP/1.1", f"Host: {where.netloc}", f"Cookie: {name}={value}",
            "Content-Type: application/octet-stream", "Content-Length: 1000", "Expect: 100-continue", "", "",
        )  # fmt: skip
        self._socket.sendall("\r\n".join(lines).encode())

    def read(self) -> bytes:
        """Return what the server sends next; nothing at its end."""
        return self._socket.recv(10_000)

    def send(self) -> None:
        self._socket.sendall(b"q")

    def close(self) -> None:
        self._socket.close()


def test_a_slow_upload_takes_one_place_and_ends_with_its_session(address: str) -> None:
    with sign_in(address, "petra") as petra, sign_in(address, "rita") as rita:
        slow = [SlowUpload(address, petra)]
        assert slow[0].read().startswith(b"HTTP/1.1 100 "), "the server reads the file"
        slow += [SlowUpload(address, petra) for _ in range(AT_ONCE)]
        for one in slow:
            one.send()
        run = b"q1 Q0 d1 1 2.0 team_1_run\n"
        answer = rita.post(
            "/api/uploads/check", params={"kind": "runs"}, content=run, headers={"content-type": "application/octet-stream"}
        )
        assert answer.status_code == 200, answer.text
        httpx.post(f"{address}sign-out", cookies=dict(petra.cookies), timeout=60)
        ends = [b"".join(iter(one.read, b"")) for one in slow]
        assert all(b" 401 " in text or b" 429 " in text for text in ends), ends
        assert any(b" 401 " in text for text in ends)
        for one in slow:
            one.close()
