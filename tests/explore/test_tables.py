"""The view Tables over HTTP: the list, conditions, order, pages, downloads, and queries of logins."""

from __future__ import annotations

import csv
import io

import httpx
import psycopg
import pytest
from psycopg import sql

from stcollection.db.connection import conninfo
from stcollection.db.relations import relations
from stcollection.db.sessions import open_session
from stcollection.db.settings import Settings
from stcollection.qrels.invitations import Invitations
from stcollection.qrels.pools import make_pool
from tests.explore.walled import as_login
from tests.http.test_writing import invited, sign_in

pytestmark = pytest.mark.slow


def test_published_tables_are_listed(client: httpx.Client) -> None:
    page = client.get("/tables").text
    for name in ("dblp", "documents", "st1_rankings", "dblp_v"):
        assert f'href="/tables/{name}"' in page
    assert "pg_" not in page
    assert "Write a query" not in page  # the page's role is not the reader's


def test_conditions_order_and_pages_equal_sql(client: httpx.Client, demo_conn: psycopg.Connection) -> None:
    ours = demo_conn.execute(
        "SELECT doc, year FROM documents WHERE year >= 2015 AND strpos(lower(title), 'news') > 0 ORDER BY year DESC NULLS LAST"
    ).fetchall()
    assert len(ours) > 2
    answer = client.get("/tables/documents.json", params={"year__gte": "2015", "title__contains": "NEWS", "_sort_desc": "year"})
    rows = answer.json()["rows"]
    assert [row["year"] for row in rows] == [year for _, year in ours][:20]
    assert {row["doc"] for row in rows} <= {doc for doc, _ in ours}
    pages = [client.get("/tables/dblp.json", params={"_size": "100", "_page": str(page)}).json() for page in (1, 2, 3)]
    ids = [row["id"] for page in pages for row in page["rows"]]
    assert ids == [one for (one,) in demo_conn.execute("SELECT id FROM dblp ORDER BY id")]
    assert [page["more"] for page in pages] == [True, True, False]
    shown = demo_conn.execute(pages[0]["statement"]).fetchall()
    assert [row[0] for row in shown] == ids[:100]


def test_the_page_has_links_for_all_of_it(client: httpx.Client) -> None:
    page = client.get("/tables/documents?year=2019&_sort=title").text
    assert "year is 2019" in page
    assert 'href="/tables/documents?_sort=title"' in page  # without the condition
    assert 'aria-sort="ascending"' in page
    assert "_sort_desc=title" in page
    assert "ORDER BY" in page
    moved = client.get("/tables/documents", params={"year": "2019", "_column": "title", "_condition": "contains", "_value": "a&b"})
    assert moved.status_code == 303
    assert moved.headers["location"] == "/tables/documents?year__exact=2019&title__contains=a%26b".replace("year__exact", "year")
    table = list(csv.reader(io.StringIO(client.get("/tables/documents.csv?year=2019").text)))
    assert len(table) - 1 == client.get("/tables/documents.json?year=2019&_size=500").text.count('"doc":')


@pytest.mark.parametrize(
    ("path", "status", "words"),
    [
        ("/tables/documentz", 404, "Did you mean 'documents'?"),
        ("/tables/documents?yeer=1", 404, "Did you mean 'year'?"),
        ("/tables/documents?_page=0", 400, "_page is '0'"),
        ("/tables/documents?_page=99999&_size=500", 400, "Filter the rows"),
        ("/tables/documents?_size=5000", 400, "Use a number from 1 to 1,000."),
        ("/tables/documents?year=this", 400, "this"),
        ("/tables/pg_authid", 404, "no table or view"),
        ("/tables/documents?year__%27%29%3B--=1", 404, "no column"),
        ("/tables/documents?title=%27%3B%20DROP%20TABLE%20dblp%3B--", 200, "No rows meet"),
        ("/tables/documents?_sort=year%22%3B", 404, "no column"),
        ("/tables/sql?sql=SELECT+1", 400, "ueries need a login"),
        ("/tables/sql.json?sql=SELECT+1", 400, "ueries need a login"),
    ],
)
def test_wrong_addresses_are_sentences(client: httpx.Client, path: str, status: int, words: str) -> None:
    answer = client.get(path)
    assert (answer.status_code, words in answer.text.replace("&#39;", "'")) == (status, True), answer.text[:2000]


def test_a_reader_sees_what_the_login_sees(signed: str, walled: Settings) -> None:
    for name in ("olga", "petra", "rita"):
        with open_session(conninfo(as_login(walled, name))) as conn:
            listed = [relation for relation in relations(conn) if relation.schema == "public"]
            counts = {
                relation.name: conn.execute(sql.SQL("SELECT count(*) FROM {}").format(sql.Identifier(relation.name))).fetchone()
                for relation in listed
                if relation.name in ("judgments", "st1_runs", "qrels_editions")
            }
        client = sign_in(signed, name)
        assert f'"/tables/{listed[0].name}"' in client.get("/tables").text
        assert len(counts) == 3
        for relation, count in counts.items():
            assert (len(client.get(f"/tables/{relation}.json?_size=1000").json()["rows"]),) == count


def test_a_login_writes_queries_that_change_nothing(signed: str, walled: Settings) -> None:
    petra = sign_in(signed, "petra")

    def ask(statement: str, kind: str = ".json") -> httpx.Response:
        return petra.get(f"/tables/sql{kind}", params={"sql": statement})

    assert ask("SELECT current_user AS who, '50%' AS part").json()["rows"] == [{"who": "petra", "part": "50%"}]
    assert "Write a query" in petra.get("/tables").text
    assert "<td" in ask("TABLE documents", "").text
    for statement, said in (
        ("SELECT 1; SELECT 2", "syntax error"),
        ("SELECT 1) q; COMMIT; DROP TABLE dblp; --", "syntax error"),
        ("WITH gone AS (DELETE FROM st1_runs RETURNING 1) SELECT * FROM gone", "data-modifying"),
        ("SELECT pg_read_file('/etc/passwd')", "permission denied"),
        ("SELECT * FROM stc_all.qrels_judgments", "permission denied"),
        ("SELECT nothing", "nothing"),
        ("", "the query is empty"),
    ):
        answer = ask(statement)
        assert answer.status_code in (400, 403, 409), (statement, answer.text)
        assert said in answer.json()["error"]["message"], (statement, answer.text)
    # Settings and locks of one query are gone in the next.
    ask("SELECT set_config('statement_timeout', '7', false), set_config('search_path', 'x', false), pg_advisory_lock(77)")
    assert ask("SELECT current_setting('statement_timeout') AS t, count(*) AS n FROM documents").json()["rows"][0]["t"] != "7ms"
    assert ask("SELECT count(*) AS n FROM pg_locks WHERE locktype = 'advisory' AND objid = 77").json()["rows"] == [{"n": "0"}]
    # A spreadsheet computes no text of a file.
    assert ask("SELECT '=1+1' AS a, '-2' AS b, 'x' AS c", ".csv").text.splitlines() == ["a,b,c", "'=1+1,-2,x"]
    # What one answer can have: rows, characters of a row, bytes of whole values.
    rows = ask("SELECT repeat('x', 100000) AS long FROM generate_series(1, 2000)").json()
    assert (len(rows["rows"]), rows["more"], len(rows["rows"][0]["long"])) == (1000, True, 4000)


def test_rows_that_are_too_large_are_refused(signed: str, walled: Settings) -> None:
    with open_session(conninfo(as_login(walled, "petra")), autocommit=True) as conn:
        conn.execute("CREATE TABLE petra.large AS SELECT repeat('x', 5000000) AS value FROM generate_series(1, 20)")
    petra = sign_in(signed, "petra")
    refused = petra.get("/tables/petra.large.json")
    assert (refused.status_code, refused.json()["error"]["message"]) == (400, "the values of these rows have 95 MB")
    assert len(petra.get("/tables/petra.large.json?_size=2").json()["rows"][0]["value"]) == 5_000_000
    assert petra.get("/tables/petra.large").text.count("<td") == 20
    assert sign_in(signed, "rita").get("/tables/petra.large").status_code == 404


def test_an_invited_assessor_has_no_tables(signed: str, walled: Settings) -> None:
    with open_session(conninfo(walled), autocommit=True) as conn:
        make_pool(conn, "tables")
    guest = invited(signed, Invitations(walled.home, walled.db).make("tables", "anna", days=1))
    assert guest.get("/tables").status_code in (403, 404)
    assert guest.get("/tables/documents.json").status_code in (403, 404)
