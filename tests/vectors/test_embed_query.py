"""embed_query with a real HTTP service: caching, refusals, and protection of the service's address."""

from __future__ import annotations

import json
import os
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import numpy as np
import psycopg
import pytest
from psycopg import sql

from stcollection.db.backup import programs
from stcollection.errors import BadArgument, StateError
from stcollection.serve.server import register
from stcollection.vectors.convert import convert
from stcollection.vectors.embed import embed
from stcollection.vectors.index import IndexOptions, index
from stcollection.vectors.model import Vectors
from tests.at_once import until
from tests.serve.services import Stranger, free_port, never, says, serving, slowly, stranger
from tests.text.documents import build, put
from tests.vectors.worlds import BagOfWords, clustered, put_vectors

pytestmark = pytest.mark.slow

QUERY = "gene editing ethics"
Reply = Callable[[BaseHTTPRequestHandler], None]


@pytest.fixture
def conn(dsn: str) -> Iterator[psycopg.Connection]:
    """Return the usual connection; skip the test if the server lacks pgsql-http."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        if connection.execute("SELECT 1 FROM pg_available_extensions WHERE name = 'http'").fetchone() is None:
            pytest.skip("this server has no pgsql-http")
        yield connection


@pytest.fixture
def encoder(conn: psycopg.Connection) -> BagOfWords:
    """Return the model of a small embedded collection."""
    put(conn, {1: ("gene editing", "ethics of gene editing"), 2: ("voice assistants", None), 3: ("ethics", "of machines")})
    build(conn, "portable")
    made = BagOfWords()
    embed(conn, model=made)
    made.seen.clear()
    return made


@pytest.fixture
def served(conn: psycopg.Connection, encoder: BagOfWords) -> Iterator[BagOfWords]:
    """Serve the model and register the service in the collection."""
    with serving(encoder) as url:
        register(conn, url)
        encoder.seen.clear()
        yield encoder


@pytest.fixture
def reader(conn: psycopg.Connection, dsn: str) -> Iterator[psycopg.Connection]:
    """Return a connection of a role that may only read documents and embed queries."""
    name = sql.Identifier(f"stc_reader_{os.getpid()}")
    conn.execute(sql.SQL("CREATE ROLE {}").format(name))
    conn.execute(sql.SQL("GRANT SELECT ON dblp, dblp_text, dblp_v, stc.vector_models TO {}").format(name))
    conn.execute(sql.SQL("GRANT EXECUTE ON FUNCTION embed_query(text, text) TO {}").format(name))
    try:
        with psycopg.connect(dsn, autocommit=True) as connection:
            connection.execute(sql.SQL("SET SESSION AUTHORIZATION {}").format(name))
            yield connection
    finally:
        conn.execute(sql.SQL("DROP OWNED BY {}; DROP ROLE {}").format(name, name))


def vector(conn: psycopg.Connection, text: str | None = QUERY) -> Vectors:
    row = conn.execute("SELECT embed_query(%s)::real[]", [text]).fetchone()
    assert row is not None
    return np.array(row[0], dtype=np.float32)


def remembered(conn: psycopg.Connection) -> set[str]:
    return {text for (text,) in conn.execute("SELECT text FROM query_v")}


def refused(conn: psycopg.Connection, state: str, text: str | None = QUERY) -> str:
    with pytest.raises(psycopg.Error) as error:
        vector(conn, text)
    assert error.value.sqlstate == state, error.value
    assert error.value.diag.message_hint
    return str(error.value.diag.message_primary)


def name_service(conn: psycopg.Connection, url: str, patience: str = "20000") -> None:
    register(conn, url)
    conn.execute("INSERT INTO stc_all.stc_settings VALUES ('embedding_timeout_ms', %s)", [patience])


# results and cache ---- --------------------------------------------------------------------------------------------


def test_a_new_query_is_embedded_and_remembered(conn: psycopg.Connection, served: BagOfWords) -> None:
    expected = BagOfWords().encode([QUERY])[0]
    assert np.array_equal(vector(conn), expected)
    assert np.array_equal(vector(conn), expected)
    assert served.seen == [QUERY]
    assert remembered(conn) == {QUERY}
    vector(conn, QUERY + " ")
    assert remembered(conn) == {QUERY, QUERY + " "}


def test_a_search_in_plain_sql(conn: psycopg.Connection, served: BagOfWords) -> None:
    rows = conn.execute("SELECT doc FROM hybrid_search(%s, 10)", [QUERY]).fetchall()
    assert rows[0] == (1,)
    assert {doc for (doc,) in rows} == {1, 2, 3}
    [(nearest,)] = conn.execute("SELECT doc FROM dense_search(embed_query('voice'), 1, 'title')").fetchall()
    assert nearest == 2
    assert remembered(conn) == {QUERY, "voice"}


def test_what_stands_behind_a_minus_is_not_sent(conn: psycopg.Connection, served: BagOfWords) -> None:
    vector(conn, "+women +computer -games")
    assert [text.split() for text in served.seen] == [["women", "computer"]]
    assert remembered(conn) == {"+women +computer -games"}


@pytest.mark.parametrize(
    "text", ['"quotes" and \\ and 100%', "naïve Γράφος 検索 🙂", "two\nlines\tand a tab", "'; DROP TABLE dblp; --"]
)
def test_any_text_arrives_to_the_letter(conn: psycopg.Connection, served: BagOfWords, text: str) -> None:
    assert np.array_equal(vector(conn, text), BagOfWords().encode([text])[0])
    assert served.seen == [text]
    assert remembered(conn) == {text}


def test_a_read_only_transaction_gets_its_vector_and_writes_nothing(conn: psycopg.Connection, dsn: str, served: BagOfWords) -> None:
    with psycopg.connect(dsn) as own:
        own.read_only = True
        assert own.execute("SELECT count(*) FROM hybrid_search(%s)", [QUERY]).fetchone() == (3,)
    assert served.seen == [QUERY]
    assert remembered(conn) == set()


def test_plans_that_go_parallel(conn: psycopg.Connection, served: BagOfWords) -> None:
    settings = "debug_parallel_query = on", "parallel_setup_cost = 0", "parallel_tuple_cost = 0", "min_parallel_table_scan_size = 0"
    for setting in settings:
        conn.execute(f"SET {setting}".encode())
    row = conn.execute(
        "SELECT count(*) FROM dblp_text t JOIN hybrid_search(%s, 10) h ON h.doc = t.id WHERE t.title IS NOT NULL", [QUERY]
    ).fetchone()
    assert row == (3,)
    assert remembered(conn) == {QUERY}


def test_nobody_waits_for_another_s_open_transaction(conn: psycopg.Connection, dsn: str, served: BagOfWords) -> None:
    with psycopg.connect(dsn) as other:
        expected = vector(other)
        conn.execute("SET statement_timeout = '10s'")
        assert np.array_equal(vector(conn), expected)
        assert remembered(conn) == set()
    assert remembered(conn) == {QUERY}


def test_a_transaction_of_many_queries_takes_few_locks(dsn: str, served: BagOfWords) -> None:
    with psycopg.connect(dsn) as own:
        own.execute("SELECT embed_query('query ' || n) FROM generate_series(1, 400) n")
        [(locks,)] = own.execute("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()").fetchall()
        assert locks <= 256
        assert len(remembered(own)) == 400


def test_the_default_model_that_is_not_registered_yet(conn: psycopg.Connection) -> None:
    encoder = BagOfWords()
    encoder.name = "sentence-transformers/all-MiniLM-L6-v2"
    with serving(encoder) as url:
        register(conn, url)
        assert np.array_equal(vector(conn), encoder.encode([QUERY])[0])
    assert remembered(conn) == set()


# plain statements on the table of vectors -----------------------------------------------------------------------------

NEAREST = "SELECT id FROM dblp_v ORDER BY abstract_v <#> embed_query('gene editing ethics') LIMIT 10"


@pytest.fixture
def many(conn: psycopg.Connection) -> Iterator[BagOfWords]:
    """Serve a model for 3,000 vectors."""
    put_vectors(conn, abstract=dict(enumerate(clustered(3000, seed=1))))
    encoder = BagOfWords()
    encoder.name = "sentence-transformers/all-MiniLM-L6-v2"
    with serving(encoder) as url:
        register(conn, url)
        encoder.seen.clear()
        yield encoder


def psql(dsn: str, *statements: str) -> list[list[str]]:
    """Return the rows that each statement prints in psql, which reads no settings of ours."""
    options = [part for one in statements for part in ("-c", one, "-c", r"\echo ;")]
    program = programs.find("pg_dump", server=17)
    done = subprocess.run(
        [Path(program).with_name("psql"), "-XAtq", "-v", "ON_ERROR_STOP=1", "-d", dsn, *options],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return [part.splitlines() for part in done.stdout.split(";\n")[:-1]]


@pytest.mark.parametrize("kind", ["ivfflat", "hnsw"])
def test_psql_searches_the_index_at_its_effort(conn: psycopg.Connection, dsn: str, many: BagOfWords, kind: str) -> None:
    options = IndexOptions(lists=60, effort=9) if kind == "ivfflat" else IndexOptions(kind="hnsw", effort=15)
    index(conn, fields=["abstract"], options=options)
    setting = "ivfflat.probes" if kind == "ivfflat" else "hnsw.ef_search"
    found, plan, again, value = psql(
        dsn,
        NEAREST,
        f"EXPLAIN {NEAREST}",
        "SELECT doc FROM knn(embed_query('gene editing ethics'), 10, 'abstract')",
        f"SHOW {setting}",
    )
    assert found == again
    assert any(f"Index Scan using dblp_v_abstract_{kind}" in line for line in plan)
    assert value == [str(options.effort)]
    assert many.seen == [QUERY]


def test_a_filter_and_a_long_list_are_not_cut(conn: psycopg.Connection, dsn: str, many: BagOfWords) -> None:
    filtered = NEAREST.replace("ORDER", "WHERE id % 100 = 7 ORDER").replace("LIMIT 10", "LIMIT 20")
    for options in (IndexOptions(lists=60, effort=1), IndexOptions(kind="hnsw", effort=10)):
        index(conn, fields=["abstract"], options=options)
        plan, few, long = psql(dsn, f"EXPLAIN {filtered}", filtered, NEAREST.replace("LIMIT 10", "LIMIT 500"))
        assert any("Index Scan using dblp_v_abstract_" in line for line in plan)
        assert (len(few), len(long)) == (20, 500), options


def test_half_precision_is_searched_too(conn: psycopg.Connection, dsn: str, many: BagOfWords) -> None:
    index(conn, fields=["abstract"], options=IndexOptions(half=True, lists=60, effort=60))
    half = NEAREST.replace("abstract_v", "abstract_v::halfvec(384)").replace("')", "')::halfvec(384)")
    [plan] = psql(dsn, f"EXPLAIN {half}")
    assert any("Index Scan using dblp_v_abstract_ivfflat" in line for line in plan)
    convert(conn, half=True)
    [plan] = psql(dsn, f"EXPLAIN {NEAREST}")
    assert any("Index Scan using dblp_v_abstract_ivfflat" in line for line in plan)


def test_a_read_only_statement_calls_the_service_once(conn: psycopg.Connection, dsn: str, many: BagOfWords) -> None:
    assert len(psql(dsn, f"BEGIN READ ONLY; {NEAREST}")[0]) == 10  # no index: every row is compared
    assert many.seen == [QUERY]
    assert remembered(conn) == set()
    psql(dsn, f"BEGIN READ ONLY; {NEAREST}; {NEAREST.replace('gene', 'genome')}")
    assert many.seen == [QUERY, QUERY, QUERY.replace("gene", "genome")]


# refusals ------------------------------------------------------------------------------------------------------------


def test_blank_and_endless_queries(conn: psycopg.Connection, served: BagOfWords) -> None:
    for text in (None, "", " \n\t "):
        assert "blank" in refused(conn, "IR202", text)
    assert "100,000 characters" in refused(conn, "IR202", "x" * 100_000)
    assert served.seen == []
    long = "word " * 2000
    assert np.array_equal(vector(conn, long), BagOfWords().encode([long])[0])
    assert remembered(conn) == {long}


def test_without_a_service_the_next_step_is_told(conn: psycopg.Connection, encoder: BagOfWords) -> None:
    assert f"no vector of the query '{QUERY}' by minilm" in refused(conn, "IR405")
    conn.execute("INSERT INTO stc_all.stc_settings VALUES ('embedding_url', 'http://127.0.0.1:1')")
    assert "extension http" in refused(conn, "IR404")


def test_a_service_that_is_away(conn: psycopg.Connection, encoder: BagOfWords) -> None:
    url = f"http://127.0.0.1:{free_port()}"
    register(conn, url)
    assert url in refused(conn, "IR406")
    conn.execute("SELECT 1")


def embedding(*values: object) -> bytes:
    return json.dumps({"object": "list", "data": [{"index": 0, "embedding": list(values)}]}).encode()


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (says(b"oops", 500), "status 500"),
        (says(b'{"error": {"message": "no memory"}}', 500), "status 500: no memory"),
        (says(b'{"error": "\xff"}', 400), "status 400"),
        (says(b"", 204), "status 204"),
        (says(b"<html>welcome</html>", kind="text/html; charset=latin1"), "something that is not an embedding"),
        (says(b""), "something that is not an embedding"),
        (says(b"\xff\xfe\x00"), "something that is not an embedding"),
        (says(b"[1, 2]"), "something that is not an embedding"),
        (says(b'{"data": []}'), "something that is not an embedding"),
        (says(b'{"data": [{"embedding": "AAAA"}]}'), "something that is not an embedding"),
        (says(b'{"data": [{"embedding": [[1]]}]}'), "something that is not an embedding"),
        (says(embedding(*[float("nan")] * 384)), "something that is not an embedding"),
        (says(embedding(*[None] * 384)), "something that is not an embedding"),
        (says(embedding(*["NaN"] * 384)), "something that is not an embedding"),
        (says(embedding(*[0.5] * 383, 0).replace(b" 0]", b" 1e400]")), "something that is not an embedding"),
        (says(embedding(*[0.5] * 8)), "a vector of 8 dimensions, but those of minilm have 384"),
        (says(embedding(*[0] * 384)), "a vector of zeros"),
    ],
)  # fmt: skip
def test_a_service_that_answers_nonsense(conn: psycopg.Connection, encoder: BagOfWords, reply: Reply, said: str) -> None:
    with stranger(reply) as other:
        register(conn, other.url)
        assert refused(conn, "IR406") == f"the embedding service at {other.url} returned {said}"
        assert len(other.asked) == 1
    assert remembered(conn) == set()


@pytest.mark.parametrize("reply", [never, slowly], ids=["never", "slowly"])
def test_a_service_that_takes_too_long(conn: psycopg.Connection, encoder: BagOfWords, reply: Reply) -> None:
    with stranger(reply) as other:
        name_service(conn, other.url, "300")
        assert "does not answer" in refused(conn, "IR406")


@pytest.mark.parametrize("reply", [never, slowly], ids=["never", "slowly"])
def test_a_statement_timeout_and_a_cancel_come_through(conn: psycopg.Connection, encoder: BagOfWords, reply: Reply) -> None:
    with stranger(reply) as other:
        name_service(conn, other.url, "120000")
        conn.execute("SET statement_timeout = 300")
        with pytest.raises(psycopg.errors.QueryCanceled, match="statement timeout"):
            vector(conn)
        conn.execute("SET statement_timeout = '100s'")

        def cancel() -> None:
            until(lambda: len(other.asked) == 2)
            time.sleep(0.1)
            conn.cancel_safe()

        canceller = threading.Thread(target=cancel)
        canceller.start()
        with pytest.raises(psycopg.errors.QueryCanceled, match="user request"):
            vector(conn)
        canceller.join()


@pytest.mark.parametrize(
    "url",
    [
        "", "127.0.0.1:8765", "https://127.0.0.1:8765", "file:///etc/passwd", "gopher://127.0.0.1:70/", "http://me:secret@127.0.0.1/",
        "http://127.0.0.1:8765/?to=http://elsewhere", "http://127.0.0.1:8765/#x", "http://127.0.0.1:8765/a b", "http://127.0.0.1:0",
        "http://127.0.0.1:8765\r\nX: y", "http://", None,
    ],
)  # fmt: skip
def test_what_is_no_address_of_a_service(conn: psycopg.Connection, encoder: BagOfWords, url: str | None) -> None:
    with pytest.raises(BadArgument, match="cannot be the address") as error:
        register(conn, url)  # type: ignore[arg-type]
    assert error.value.hint
    register(conn, "http://localhost:1/some/path/")
    assert conn.execute("SELECT value FROM stc_all.stc_settings").fetchall() == [("http://localhost:1/some/path",)]
    if url is not None:
        conn.execute("UPDATE stc_all.stc_settings SET value = %s", [url])
        assert "cannot be the address" in refused(conn, "IR202")


def test_a_time_out_that_is_none(conn: psycopg.Connection, served: BagOfWords) -> None:
    conn.execute("INSERT INTO stc_all.stc_settings VALUES ('embedding_timeout_ms', 'soon')")
    assert "embedding_timeout_ms is 'soon'" in refused(conn, "IR202")


# rights ---------------------------------------------------------------------------------------------------------------


def test_any_role_may_embed_and_its_vector_is_remembered(
    conn: psycopg.Connection, reader: psycopg.Connection, served: BagOfWords
) -> None:
    assert np.array_equal(vector(reader), BagOfWords().encode([QUERY])[0])
    assert remembered(conn) == {QUERY}


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT stc_http.http_get('http://127.0.0.1:1')",
        "SELECT stc_http.http_post('http://127.0.0.1:1', '', 'text/plain')",
        "SELECT stc_http.http(('GET', 'http://127.0.0.1:1', NULL, NULL, NULL)::stc_http.http_request)",
        "SELECT stc_http.http_set_curlopt('CURLOPT_PROXY', 'http://127.0.0.1:1')",
        "SELECT stc_http.http_reset_curlopt()",
        "SELECT stc.call_embedding_service('x', stc.vector_model())",
        "CALL connect_embedding_service('http://127.0.0.1:1')",
        "INSERT INTO stc_all.stc_settings VALUES ('embedding_url', 'http://127.0.0.1:1')",
        "UPDATE stc_all.stc_settings SET value = 'http://127.0.0.1:1'",
        "INSERT INTO query_v VALUES ('minilm', 'x', '[1]')",
        "CREATE FUNCTION public.embed_query(query text) RETURNS text LANGUAGE sql RETURN 'mine'",
    ],
)
def test_a_reader_reaches_no_other_address(reader: psycopg.Connection, served: BagOfWords, statement: str) -> None:
    with pytest.raises((psycopg.errors.InsufficientPrivilege, psycopg.errors.UndefinedTable)):
        reader.execute(statement.encode())


FUNCTIONS = """
SELECT p.oid::regprocedure::text FROM pg_proc p
  JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
  JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND e.oid = d.refobjid AND e.extname = 'http'
"""


@pytest.mark.parametrize("before", [False, True], ids=["made here", "there before"])
def test_no_function_of_the_extension_is_everybody_s(conn: psycopg.Connection, encoder: BagOfWords, before: bool) -> None:
    if before:
        conn.execute("CREATE EXTENSION http SCHEMA public")
        assert conn.execute(f"{FUNCTIONS} WHERE has_function_privilege('public', p.oid, 'EXECUTE')".encode()).fetchall()
    with serving(encoder) as url:
        register(conn, url)
        register(conn, url)
        assert vector(conn).shape == (384,)
    assert len(conn.execute(FUNCTIONS.encode()).fetchall()) > 10
    assert conn.execute(f"{FUNCTIONS} WHERE has_function_privilege('public', p.oid, 'EXECUTE')".encode()).fetchall() == []


@pytest.fixture
def elsewhere() -> Iterator[Stranger]:
    with stranger(says(embedding(1, *[0] * 383))) as other:
        yield other


def test_no_setting_turns_it_to_another_address(
    conn: psycopg.Connection, reader: psycopg.Connection, served: BagOfWords, elsewhere: Stranger
) -> None:
    hostile = {
        "http.curlopt_proxy": elsewhere.url,
        "http.curlopt_pre_proxy": elsewhere.url.replace("http:", "socks5:"),
        "http.curlopt_proxyport": elsewhere.url.rpartition(":")[2],
        "http.curlopt_proxyusername": "me",
        "http.curlopt_userpwd": "me:secret",
        "http.curlopt_timeout": "600",
        "http.curlopt_timeout_ms": "1",
        "http.timeout_msec": "1",
        "http.keepalive": "on",
        "embedding_url": elsewhere.url,
        "stc.embedding_url": elsewhere.url,
    }
    # First before the library is loaded, which then adopts the settings; then one by one; then all.
    reader.execute("SET http.curlopt_proxy = %s".replace("%s", f"'{elsewhere.url}'").encode())
    vector(reader, "before it was loaded")
    for name, value in hostile.items():
        reader.execute("RESET ALL")
        if "." in name:
            reader.execute("SELECT set_config(%s, %s, false)", [name, value])
        assert np.array_equal(vector(reader, name), BagOfWords().encode([name])[0])
    for name, value in hostile.items():
        if "." in name:
            reader.execute("SELECT set_config(%s, %s, false)", [name, value])
    reader.execute("CREATE TEMP TABLE stc_settings AS SELECT 'embedding_url' AS name, %s AS value", [elsewhere.url])
    vector(reader, "all")
    assert elsewhere.asked == []
    assert len(served.seen) == len(hostile) + 2
    # And they have the session's values.
    for name, value in hostile.items():
        if "." in name:
            assert reader.execute("SELECT current_setting(%s)", [name]).fetchone() == (value,)


def test_settings_that_nobody_has_set_stay_so(conn: psycopg.Connection, served: BagOfWords) -> None:
    def settings() -> list[tuple[str, str]]:
        return conn.execute("SELECT name, setting FROM pg_settings WHERE name LIKE 'http.%' ORDER BY name").fetchall()

    conn.execute("SELECT stc_http.urlencode('it loads the library')")
    before = settings()
    assert len(before) > 20
    with conn.transaction():
        vector(conn)
        assert settings() == before
    assert settings() == before


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_is_not_followed_to_elsewhere(
    conn: psycopg.Connection, encoder: BagOfWords, elsewhere: Stranger, status: int
) -> None:
    with stranger(says(b"", status, Location=f"{elsewhere.url}/v1/embeddings")) as other:
        register(conn, other.url)
        refused(conn, "IR406")
    with stranger(says(b"", status, Location="https://127.0.0.1:" + elsewhere.url.rpartition(":")[2])) as other:
        register(conn, other.url)
        refused(conn, "IR406")
    assert elsewhere.asked == []


def test_what_comes_after_a_redirect_is_no_answer(conn: psycopg.Connection, encoder: BagOfWords) -> None:
    def once(handler: BaseHTTPRequestHandler) -> None:
        if "again" in handler.path:
            says(embedding(1, *[0] * 383))(handler)
        else:
            says(b"", 307, Location="/again")(handler)

    with stranger(once) as other:
        register(conn, other.url)
        assert "redirect" in refused(conn, "IR406")


def test_a_role_that_may_not_make_the_extension_is_told(conn: psycopg.Connection, reader: psycopg.Connection) -> None:
    conn.execute(
        sql.SQL("GRANT INSERT, UPDATE, SELECT ON stc_all.stc_settings TO {}").format(sql.Identifier(f"stc_reader_{os.getpid()}"))
    )
    with pytest.raises(StateError, match="may not create it") as error:
        register(reader, "http://127.0.0.1:1")
    assert error.value.sqlstate == "IR404"
    assert conn.execute("SELECT count(*) FROM stc_all.stc_settings").fetchone() == (0,)
