"""Parts of sign-in without a server: sessions, limits on failures, forms, invitations, and the audit log."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, StateError
from stcollection.explore.access.attempts import Attempts, network
from stcollection.explore.access.audit import Audit
from stcollection.explore.access.desks import GuestDesk
from stcollection.explore.access.form import FormError, read_form
from stcollection.explore.access.gate import _query
from stcollection.explore.access.logins import SignInOutcome, check, possible
from stcollection.explore.access.sessions import BrowserSession, Sessions
from stcollection.explore.judging.decisions import flush
from stcollection.qrels import judging as work
from stcollection.qrels.invitations import Invitation, Invitations
from stcollection.qrels.judging import SentDecision
from stcollection.qrels.simulated import collection_note
from stcollection.site import server
from stcollection.site.app import cookie_name
from stcollection.site.server import ExplorerOptions
from stcollection.web.desk import Desk, Guest
from stcollection.web.shares import Visit


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def session(sessions: Sessions, key: str = "rita", **more: Any) -> BrowserSession:
    desk: Any = None
    return BrowserSession(who=key, visit=Visit(key), desk=desk, until=sessions.until(), seen=sessions.now(), **more)


def test_a_session_ends_when_it_is_idle_or_old() -> None:
    clock, ended = Clock(), []
    sessions = Sessions(idle=100, longest=250, clock=clock)
    cookie = sessions.add(session(sessions, left=lambda: ended.append(1)))
    for _ in range(2):
        clock.now += 99
        assert sessions.find(cookie) is not None
    clock.now += 99
    assert sessions.find(cookie) is None
    assert ended == [1]
    cookie = sessions.add(session(sessions))
    clock.now += 100
    sessions.sweep()
    assert len(sessions) == 0
    assert sessions.find(cookie) is None


def test_cookies_are_new_and_never_adopted() -> None:
    sessions = Sessions()
    first, second = sessions.add(session(sessions)), sessions.add(session(sessions))
    assert first != second
    assert len(first) == 43  # 256 bits in base64
    for made_up in ("", "0", first[:-1], first + "=", "\0", "\ud800"[:0]):
        assert sessions.find(made_up) is None


def test_a_login_has_a_limited_number_of_sessions() -> None:
    sessions = Sessions()
    cookies = [sessions.add(session(sessions)) for _ in range(25)]
    other = sessions.add(session(sessions, "olga"))
    assert [sessions.find(cookie) is not None for cookie in cookies] == [False] * 5 + [True] * 20
    assert sessions.find(other) is not None


def test_a_session_ends_when_its_reason_ends() -> None:
    sessions, good = Sessions(), [True]
    cookie = sessions.add(session(sessions, valid=lambda: good[0]))
    assert sessions.find(cookie) is not None
    good[0] = False
    assert sessions.find(cookie) is None


def test_failures_make_the_next_attempt_wait_ever_longer() -> None:
    clock = Clock()
    attempts = Attempts(clock)
    assert [attempts.begin("1.2.3.4", "rita") for _ in range(6)] == [0, 0, 0, 0, 0, 1.0]
    waits = []
    for _ in range(12):
        waits.append(attempts.begin("1.2.3.4", "rita"))
        clock.now += waits[-1]
        assert attempts.begin("1.2.3.4", "rita") == 0
    assert waits[:4] == [1.0, 2.0, 4.0, 8.0]
    assert max(waits) == 900
    assert attempts.begin("9.9.9.9", "rita") == 0, "her own address is not affected by 17 failures elsewhere"
    clock.now += 3601
    assert attempts.begin("1.2.3.4", "rita") == 0


def test_a_name_is_protected_from_many_addresses_without_locking_it_for_long() -> None:
    clock = Clock()
    attempts = Attempts(clock)
    for number in range(20):
        assert attempts.begin(f"10.0.0.{number}", "rita") == 0
    assert 0 < attempts.begin("10.0.1.1", "rita") <= 60
    for number in range(300):
        clock.now += attempts.begin(f"10.0.2.{number}", "rita")
        attempts.begin(f"10.0.2.{number}", "rita")
    assert attempts.begin("10.0.3.1", "rita") <= 60


def test_an_address_is_limited_over_all_names_and_success_takes_back_one_attempt_only() -> None:
    attempts = Attempts(Clock())
    for number in range(20):
        assert attempts.begin("1.2.3.4", f"name{number}") == 0
    assert attempts.begin("1.2.3.4", "rita") > 0
    attempts.succeeded("1.2.3.4", "name0")
    assert attempts.begin("1.2.3.4", "rita") == 0
    assert attempts.begin("1.2.3.4", "rita") > 0


def test_counters_take_a_limited_amount_of_memory() -> None:
    attempts = Attempts(Clock())
    for number in range(12_000):
        attempts.begin(f"2001:db8:{number:x}::1", f"n{number}")
    assert len(attempts) == 10_000


def test_addresses_of_one_customer_count_together() -> None:
    assert network("2001:db8:1:2:3::4") == network("2001:db8:1:2:ffff::1") != network("2001:db8:1:3::1")
    assert network("::ffff:10.1.2.3") == "10.1.2.3"
    assert network("x" * 500) == "x" * 64


def read(body: bytes, kind: str = "application/x-www-form-urlencoded", *, more: int = 0) -> dict[str, str]:
    parts = [body] * (more + 1)

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": parts.pop(), "more_body": bool(parts)}

    scope = {"type": "http", "headers": [(b"content-type", kind.encode())]}
    return asyncio.run(read_form(scope, receive))


def test_forms_are_read_within_limits() -> None:
    assert read(b"name=r%C3%ADta&password=a+b%26") == {"name": "ríta", "password": "a b&"}
    assert read(b"") == {}
    for body, kind, more, status in (
        (b"name=a", "application/json", 0, 415),
        (b"name=a", "multipart/form-data; boundary=x", 0, 415),
        (b"name=" + b"a" * 9000, "application/x-www-form-urlencoded", 0, 413),
        (b"a" * 1000, "application/x-www-form-urlencoded", 10**6, 413),
        (b"name=%ff", "application/x-www-form-urlencoded", 0, 400),
        (b"name=a&name=b", "application/x-www-form-urlencoded", 0, 400),
        (b"&".join(b"n%d=1" % number for number in range(100)), "application/x-www-form-urlencoded", 0, 400),
        ("name=ü".encode(), "application/x-www-form-urlencoded", 0, 400),
    ):
        with pytest.raises(FormError) as error:
            read(body, kind, more=min(more, 20))
        assert error.value.status == status, body[:20]


def test_a_slow_form_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stcollection.explore.access.form._SECONDS", 0.05)

    async def receive() -> dict[str, Any]:
        await asyncio.sleep(0.02)
        return {"type": "http.request", "body": b"a", "more_body": True}

    with pytest.raises(FormError) as error:
        asyncio.run(read_form({"headers": [(b"content-type", b"application/x-www-form-urlencoded")]}, receive))
    assert error.value.status == 408


@given(st.text(max_size=200))
def test_the_page_after_sign_in_is_a_query_string(text: str) -> None:
    assert all(one not in _query(text) for one in ("/", "\\", ":", "\r", "\n", "#", " "))


def test_names_that_libpq_would_cut_or_replace_are_refused() -> None:
    assert possible("rita", "x")
    assert possible('o"dd name\\', "' host=evil '")
    for name, secret in (("rita", ""), ("", "x"), ("rita\0", "x"), ("rita", "x\0"), ("a" * 64, "x"), ("a\n", "x"), ("\ud800", "x")):
        assert not possible(name, secret)


def test_a_server_that_does_not_answer_is_unreachable() -> None:
    assert check("host=127.0.0.1 port=1 user=a password=b dbname=c") is SignInOutcome.UNREACHABLE


def test_invitations_expire_and_are_revoked_and_cannot_be_forged(tmp_path: Path) -> None:
    clock = Clock()
    invitations = Invitations(tmp_path, "demo", clock)
    assert isinstance(invitations.read("x.y"), str), "without a secret there is no invitation"
    token = invitations.make("first 'pool'", "ánna", days=2)
    found = invitations.read(token)
    assert isinstance(found, Invitation)
    assert (found.pool, found.annotator) == ("first 'pool'", "ánna")
    [secret] = (tmp_path / "invitations").iterdir()
    assert secret.stat().st_mode & 0o777 == 0o600
    body, _, signature = token.partition(".")
    other, _, _ = invitations.make("first 'pool'", "bert", days=2).partition(".")
    for forged in ("", ".", token[:-1], f"{other}.{signature}", f"{body}.", f"{body}.{signature}.{signature}", "é.é", "A" * 5000):
        assert isinstance(invitations.read(forged), str), forged
    elsewhere = Invitations(tmp_path, "other", clock)
    elsewhere._file.parent.mkdir(exist_ok=True)
    elsewhere._file.write_bytes(secret.read_bytes())
    assert isinstance(elsewhere.read(token), str), "the collection is signed too"
    clock.now += 2 * 86400
    assert "expired" in str(invitations.read(token))
    token = invitations.make("p", "a", days=1)
    invitations.revoke()
    assert "revoked" in str(invitations.read(token))
    for days in (0, -1, 400, float("nan")):
        with pytest.raises(BadArgument):
            invitations.make("p", "a", days=days)


def test_a_guest_can_call_only_the_own_sheet() -> None:
    asked: list[Any] = []

    class Home(Desk):
        def __init__(self) -> None:
            self.seconds, self.role, self.origin = 1.0, "page", self

        async def ask(self, question: Any, /, *args: Any, **kwargs: Any) -> Any:
            asked.append((question, args))

        async def write(self, deed: Any, /, *args: Any, **kwargs: Any) -> Any:
            asked.append((deed, args))

        async def ask_often(self, question: Any, *, seconds: float) -> Any:
            asked.append((question, seconds))

    desk = GuestDesk(Home(), Guest(pool="p", annotator="anna"))
    own = SentDecision(
        id=None,
        pool="p",
        annotator="anna",
        token="t",  # noqa: S106
        rel=1,
        undecided=False,
        note=None,
        seconds=None,
        seen=None,
    )
    other = SentDecision(**{**own.__dict__, "annotator": "bert"})

    async def story() -> None:
        await desk.ask(work.paper, "p", "anna", "t")
        await desk.write(work.decide, own)
        await desk.write(flush, [own, own])
        await desk.ask_often(collection_note, seconds=5)
        for call in (
            lambda: desk.ask(work.paper, "p", "bert", "t"),
            lambda: desk.ask(work.paper, "q", "anna", "t"),
            lambda: desk.ask(work.disagreements, "p", None),
            lambda: desk.ask(work.agreement, "p", "anna"),
            lambda: desk.ask(work.mine, "p", "anna"),
            lambda: desk.ask(work.sheet_page, "p", "bert"),
            lambda: desk.ask(work.history, "p", []),
            lambda: desk.ask(work.abstracts, []),
            lambda: desk.write(work.store_decision, other),
            lambda: desk.write(work.decide, other),
            lambda: desk.write(flush, [own, other]),
            lambda: desk.ask(work.editions),
            lambda: desk.ask_often(work.editions, seconds=5),
            lambda: desk.ask(collection_note),
        ):
            with pytest.raises(StateError, match="this invitation is for judging"):
                await call()

    asyncio.run(story())
    assert len(asked) == 4


def test_the_audit_log_is_private_and_refused_where_it_cannot_be_written(tmp_path: Path) -> None:
    Audit(tmp_path / "audit.jsonl")
    assert (tmp_path / "audit.jsonl").stat().st_mode & 0o777 == 0o600
    with pytest.raises(BadArgument, match="cannot write the audit log"):
        Audit(tmp_path)
    with pytest.raises(BadArgument, match="cannot write the audit log"):
        Audit(tmp_path / "no" / "folder")
    for target in ("audit.jsonl", "nothing"):
        (tmp_path / f"to-{target}").symlink_to(tmp_path / target)
        with pytest.raises(BadArgument, match="it is a symbolic link"):
            Audit(tmp_path / f"to-{target}")
    assert not (tmp_path / "nothing").exists()


def test_each_page_has_a_cookie_of_its_own() -> None:
    names = {cookie_name(*one, secure=False) for one in (("a", "http://h:1"), ("a", "http://h:2"), ("b", "http://h:1"))}
    assert len(names) == 3
    assert cookie_name("ä b", "x", secure=True).startswith("__Host-stc_session_")
    assert cookie_name("ä b; =", "x", secure=True).isascii()


@pytest.mark.parametrize(
    ("dsn", "options", "message"),
    [
        (None, {}, "the embedded server trusts everyone"),
        ("host=h", {"token": "t"}, "exclude each other"),
        ("host=h", {"host": "0.0.0.0"}, "needs TLS"),  # noqa: S104
        ("host=h", {"host": "192.0.2.1"}, "needs TLS"),
        ("host=h", {"public_url": "http://collection.example"}, "must begin with https"),
    ],
)
def test_sign_in_is_refused_where_it_protects_nothing(
    tmp_path: Path, dsn: str | None, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(BadArgument, match=message) as error:
        server._check_sign_in(
            Settings(db="d", home=tmp_path, dsn=dsn),
            ExplorerOptions(**{"host": "127.0.0.1", "port": 0, "sign_in": True, **options}),
        )
    assert error.value.hint
