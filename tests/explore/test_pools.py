"""The panel Pools over HTTP: from a pool to an edition, wrong input, and refused roles."""

from __future__ import annotations

import html
import re
from urllib.parse import parse_qs, urlsplit

import httpx
import psycopg
import pytest

from stcollection.db.settings import Settings
from stcollection.qrels.invitations import Invitations
from stcollection.qrels.pools import make_pool, pools
from stcollection.qrels.reviews import reviews
from stcollection.web.guard import read_origin
from tests.http.test_writing import invited, sign_in

pytestmark = pytest.mark.slow


def send(client: httpx.Client, status: int = 200, pool: str = "", **fields: str) -> str:
    """Send a form of the panel, and return the text of the answer."""
    answer = client.post("/judging/pools", params={"pool": pool} if pool else {}, data=fields)
    assert answer.status_code == status, answer.text
    return html.unescape(re.sub(r"<[^>]+>", "", answer.text))


def test_from_a_pool_to_an_edition(signed: str, walled: Settings, boss: psycopg.Connection) -> None:
    olga = sign_in(signed, "olga")
    told = send(olga, do="make", name="by page", depth="3", runs="bm25\nhybrid", queries="long", without="train")
    [made] = [pool for pool in pools(boss) if pool.pool == "by page"]
    long = [query for (query,) in boss.execute("SELECT query FROM st1_queries WHERE query LIKE '%.C%'")]
    documents = boss.execute(
        "SELECT documents FROM stc.make_pool('by sql', '{bm25,hybrid}', 3, queries => %s, without_edition => 'train')", [long]
    ).fetchone()
    assert (made.documents,) == documents
    assert f"Pool by page: {made.documents} documents" in told
    told = send(olga, pool="by page", do="order", batch="3")
    assert f"Assessors judge {documents[0] if documents else 0} documents in" in told
    assert "in random order" in send(olga, pool="by page", do="shuffle")
    assert "divided among 2 assessors" in send(olga, pool="by page", do="share", annotators="anna\r\nbert\r\n", overlap="50")
    [(own,)] = boss.execute("SELECT count(*) FROM stc.pool_sheet('by page', 'anna')").fetchall()
    assert 0 < own < made.documents

    shown = olga.post("/judging/pools", params={"pool": "by page"}, data={"do": "invite", "annotator": "anna", "days": "2"}).text
    [link] = re.findall(r'<code id="stc-link">([^<]+)</code>', shown)
    assert link.startswith(signed)
    [token] = parse_qs(urlsplit(html.unescape(link)).query)["invitation"]
    invitation = Invitations(walled.home, walled.db).read(token)
    assert not isinstance(invitation, str)
    assert (invitation.pool, invitation.annotator) == ("by page", "anna")
    assert 1.9 * 86400 < invitation.seconds_left() <= 2 * 86400
    anna = invited(signed, token)
    assert "anna judges by page" in anna.get("/judging").text

    for (place,) in boss.execute("SELECT token FROM stc.pool_sheet('by page', 'anna')").fetchall():
        boss.execute("SELECT stc.assess('by page', 'anna', %s, 1::smallint, NULL)", [place])
    assert "box is not ticked" in send(olga, 400, pool="by page", do="submit", edition="page")
    assert f"page: {own} judgments added" in send(olga, pool="by page", do="submit", edition="page", sure="1")
    rows = boss.execute("SELECT count(*), min(annotator) FROM stc_all.judgments WHERE edition = 'page'").fetchone()
    assert rows == (own, "anna")


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"do": "make"}, "The pool has no name"),
        ({"do": "make", "name": "demo"}, "already exists"),
        ({"do": "make", "name": "x", "depth": "ten"}, "epth is 'ten'"),
        ({"do": "make", "name": "x", "runs": "bm52"}, "bm52"),
        ({"do": "share"}, "No assessor is named"),
        ({"do": "share", "annotators": "a", "overlap": "101"}, "overlap"),
        ({"do": "order", "batch": "0"}, "atch is 0"),
        ({"do": "invite", "annotator": "zoe", "days": "9999"}, "at most 366 days"),
        ({"do": "submit", "edition": ""}, "No edition is named"),
        ({"do": "drop"}, "Press one of the buttons"),
        ({"do": ""}, "Press one of the buttons"),
    ],
)
def test_wrong_input_is_a_sentence_and_stays_in_the_form(signed: str, fields: dict[str, str], words: str) -> None:
    olga = sign_in(signed, "olga")
    answer = olga.post("/judging/pools", params={"pool": "demo"}, data=fields)
    assert 400 <= answer.status_code < 410, answer.text
    text = html.unescape(answer.text)
    assert words in text
    for value in fields.values():
        assert value in ("drop", "make", "share", "invite", "submit", "") or value in text


def test_only_organisers_change_pools(signed: str, walled: Settings, boss: psycopg.Connection) -> None:
    before = boss.execute("SELECT pool, params FROM stc_all.qrels_pools ORDER BY 1").fetchall()
    for name in ("petra", "rita"):
        client = sign_in(signed, name)
        assert "/judging/pools" not in client.get("/judging").text
        for fields in (
            {"do": "make", "name": "theirs"},
            {"do": "share", "annotators": name},
            {"do": "invite", "annotator": name},
            {"do": "metadata", "year": "1"},
        ):
            assert "only organisers" in send(client, 403, pool="demo", **fields).lower()
    guest = invited(signed, Invitations(walled.home, walled.db).make("demo", "first", days=1))
    for fields in (
        {"do": "make", "name": "theirs"},
        {"do": "invite", "annotator": "first"},
        {"do": "submit", "edition": "x", "sure": "1"},
        {"do": "metadata", "authors": "1"},
    ):
        assert guest.post("/judging/pools", params={"pool": "demo"}, data=fields).status_code in (403, 404)
    assert guest.get("/judging/pools").status_code in (403, 404)
    olga = sign_in(signed, "olga")
    refused = olga.post("/judging/pools", data={"do": "make", "name": "x"}, headers={"origin": "http://elsewhere.example"})
    assert refused.status_code == 403
    assert boss.execute("SELECT pool, params FROM stc_all.qrels_pools ORDER BY 1").fetchall() == before


def test_assessors_see_the_fields_that_the_organiser_chose(signed: str, walled: Settings, boss: psycopg.Connection) -> None:
    make_pool(boss, "fields")
    olga = sign_in(signed, "olga")
    anna = invited(signed, Invitations(walled.home, walled.db).make("fields", "anna", days=1))

    def shown() -> tuple[str, str, dict[str, object]]:
        sheet, pair = anna.get("/judging").text, anna.get("/judging/pairs").text
        claimed = anna.post("/api/sheet/claim", json={"pool": "fields", "annotator": "anna"}).json()["document"]
        return sheet, pair, claimed["metadata"]

    sheet, pair, metadata = shown()
    assert "stc-metadata" not in sheet + pair
    assert metadata == {}
    assert "Assessors see: title, abstract, year, citations." in send(olga, pool="fields", do="metadata", citations="1", year="1")
    listed = olga.get("/judging/pools", params={"pool": "fields"}).text
    assert re.findall(r'name="(\w+)" value="1" checked', listed) == ["year", "citations"]
    sheet, pair, metadata = shown()
    assert metadata.keys() == {"year", "citations"}
    assert re.search(r'stc-metadata" dir="auto">\d{4} · [\d,]+ citations?</p>', sheet)
    assert pair.count("stc-metadata") == 2
    assert "authors" not in metadata
    answer = olga.post("/api/pools/metadata", json={"pool": "fields", "fields": ["venue"]})
    assert answer.json() == {"pool": "fields", "fields": ["venue"]}
    assert olga.post("/api/pools/metadata", json={"pool": "fields", "fields": ["editor"]}).status_code == 400
    for client in (anna, sign_in(signed, "petra"), sign_in(signed, "rita")):
        assert client.post("/api/pools/metadata", json={"pool": "fields", "fields": []}).status_code in (403, 404)
    assert shown()[2].keys() == {"venue"}


def test_review_status_on_the_page(signed: str, walled: Settings, boss: psycopg.Connection) -> None:
    olga = sign_in(signed, "olga")
    found = olga.get("/judging/disagreements.json", params={"pool": "demo"}).json()["grades"]
    query, docno = found[0]["query"], found[0]["docno"]

    def mark(client: httpx.Client, **fields: str) -> httpx.Response:
        sent = {"query": query, "docno": docno, "adjudicator": "olga", "review": "in-review", **fields}
        return client.post("/judging/disagreements", params={"pool": "demo"}, data=sent)

    before = boss.execute("SELECT * FROM stc_all.qrels_assessments ORDER BY pool, query, doc, annotator").fetchall()
    assert mark(olga, note="ask <b>ben</b>").status_code == 303
    assert boss.execute("SELECT * FROM stc_all.qrels_assessments ORDER BY pool, query, doc, annotator").fetchall() == before
    listed = olga.get("/judging/disagreements", params={"pool": "demo", "review": "in-review"}).text
    assert listed.count('class="stc-dispute"') == 1
    assert "Status: in review, by olga" in listed
    assert "ask &lt;b&gt;ben" in listed
    record = olga.get("/judging/disagreements.json", params={"pool": "demo", "review": "settled"}).json()
    assert record["grades"] == []
    assert (
        "No document visible to you has this review status"
        in olga.get("/judging/disagreements", params={"pool": "demo", "review": "settled"}).text
    )
    assert olga.get("/judging/disagreements", params={"pool": "demo", "review": "done"}).status_code == 400
    assert [one["reviewer"] for one in olga.get("/judging/reviews.json", params={"pool": "demo"}).json()["reviews"]] == ["olga"]
    assert f"{query},{docno},in-review,olga,ask <b>ben</b>," in olga.get("/judging/reviews.csv", params={"pool": "demo"}).text
    assert ",in-review,olga\r\n" in olga.get("/judging/decisions.csv", params={"pool": "demo"}).text

    guest = invited(signed, Invitations(walled.home, walled.db).make("demo", "anna", days=1))
    for client in (guest, sign_in(signed, "petra"), sign_in(signed, "rita")):
        assert mark(client, review="settled").status_code in (403, 404)
        for path in ("reviews.json", "reviews.csv", "disagreements.json"):
            refused = client.get(f"/judging/{path}", params={"pool": "demo"})
            assert refused.status_code in (403, 404)
            assert "in-review" not in refused.text
    assert mark(olga, adjudicator=" ").status_code == 400
    assert mark(olga, docno="x").status_code == 400
    assert [one.state for one in reviews(boss, "demo")] == ["in-review"]


def test_the_link_behind_a_proxy_has_its_address() -> None:
    shown = [read_origin(text).address() for text in ("https://st.example", "https://st.example:8443", "http://[::1]:80")]
    assert shown == ["https://st.example", "https://st.example:8443", "http://[::1]"]
