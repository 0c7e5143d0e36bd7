"""What a participant's login may never do: statements, files, the network, objects of others."""

from __future__ import annotations

import psycopg
import pytest

from tests.roles.seen import value
from tests.roles.worlds import Login, collection

_ = collection

# Statements that write a table or change its definition: tests/security/test_no_change.py, for every table.
FORBIDDEN = [
    "SELECT * FROM stc_all.qrels_judgments_hidden",
    "SELECT * FROM stc_all.qrels_judgments",
    "SELECT * FROM agreement('pool:depth')",
    "SELECT stc.correct_edition('train', '[{\"line\": 1}]')",
    "SELECT stc.copy_edition('mine', 'train', NULL)",
    "SELECT * FROM stc_all.qrels_editions",
    "SELECT * FROM stc_all.qrels",
    "INSERT INTO stc.removals VALUES ('run', 1)",
    "INSERT INTO stc.removals VALUES ('edition', 1)",
    "SELECT * FROM stc_all.qrels_preferences_hidden",
    "SELECT * FROM stc_all.qrels_subtopics_hidden",
    "SELECT * FROM stc_all.st1_scores_hidden",
    "SELECT * FROM stc_all.query_cuts_hidden",
    "SELECT * FROM stc_all.answer_gold_hidden",
    "SELECT * FROM stc_all.answer_pairs_hidden",
    "SELECT * FROM stc_all.judged_rankings",
    "SELECT * FROM stc_all.judged_scores",
    "SELECT * FROM stc_all.judged_queries",
    "SELECT * FROM stc_all.judged_runs",
    "SELECT * FROM stc_all.qrels_assessments",
    "SELECT * FROM stc_all.qrels_comparisons",
    "SELECT * FROM stc_all.qrels_decisions",
    "SELECT * FROM stc.pair_progress('p')",
    "SELECT * FROM stc_all.llm_answers",
    "SELECT * FROM stc_all.ask_rankings",
    "SELECT * FROM stc_all.stc_settings",
    "SELECT * FROM pg_statistic",
    "SELECT * FROM pg_authid",
    "SELECT * FROM stc_all.run_receipts",
    "SELECT * FROM stc_all.annotations",
    "SELECT * FROM stc_all.synth_candidates",
    "SELECT * FROM stc_all.synth_subtopics",
    "SET ROLE stc_owner",
    "SET ROLE stc_organiser",
    "SET SESSION AUTHORIZATION postgres",
    "SELECT set_config('role', 'stc_owner', false)",
    "GRANT stc_organiser TO CURRENT_USER",
    "ALTER ROLE CURRENT_USER CREATEROLE",
    "ALTER ROLE CURRENT_USER BYPASSRLS",
    "ALTER FUNCTION my_team() SECURITY DEFINER",
    "ALTER FUNCTION asked_scores(text, text) RESET ALL",
    "CREATE OR REPLACE FUNCTION public.my_team() RETURNS text LANGUAGE sql AS $$ SELECT 'blue' $$",
    "CREATE TABLE public.mine (x integer)",
    "CREATE FUNCTION public.f() RETURNS integer LANGUAGE sql AS 'SELECT 1'",
    "SELECT stc.release_edition('train')",
    "SELECT stc.hide_edition('train')",
    "SELECT stc.allow_asks('train', 9)",
    "SELECT * FROM qrels_judgments FOR UPDATE",
    "LOCK TABLE qrels_judgments IN EXCLUSIVE MODE",
    "COPY stc_all.qrels_judgments_hidden TO STDOUT",
    "COPY dblp TO PROGRAM 'cat'",
    "COPY dblp TO '/tmp/x'",
    "COPY dblp FROM '/etc/passwd'",
    "COPY (SELECT 1) TO PROGRAM 'id'",
    "SELECT lo_import('/etc/passwd')",
    "SELECT lo_export(1, '/tmp/x')",
    "SELECT pg_read_file('PG_VERSION')",
    "SELECT pg_ls_dir('.')",
    "SELECT pg_stat_file('base')",
    "CREATE EXTENSION dblink",
    "CREATE EXTENSION file_fdw",
    "CREATE EXTENSION pageinspect",
    "CREATE LANGUAGE plpython3u",
    "LOAD 'auto_explain'",
    "SET session_preload_libraries = 'auto_explain'",
    "SET log_statement = 'all'",
    "SET session_replication_role = replica",
    "ALTER SYSTEM SET log_statement = 'all'",
    "SELECT pg_reload_conf()",
    "SELECT pg_read_binary_file('global/pg_control')",
    "CREATE SERVER s FOREIGN DATA WRAPPER w",
    "CREATE PUBLICATION p FOR ALL TABLES",
    "VACUUM FULL stc_all.qrels_judgments_hidden; SELECT 1/0",
    "CREATE STATISTICS s ON edition, rel FROM qrels_judgments",
    "CREATE SCHEMA other",
    "CREATE EVENT TRIGGER e ON ddl_command_end EXECUTE FUNCTION stc.count_rankings()",
    "CREATE DATABASE other",
    "DROP FUNCTION my_team()",
    "SECURITY LABEL ON TABLE qrels IS 'x'",
    # Code that our tables, or commands of others, would evaluate.
    "CREATE TABLE child PARTITION OF stc_all.qrels_judgments FOR VALUES IN (true)",
    "CREATE TABLE k (doc bigint REFERENCES dblp (id))",
    "CREATE CAST (bigint AS jsonb) WITH INOUT AS IMPLICIT",
    "CREATE OPERATOR CLASS o DEFAULT FOR TYPE bigint USING btree AS OPERATOR 1 <, FUNCTION 1 btint8cmp(bigint, bigint)",
    "CREATE OPERATOR FAMILY o USING btree",
    "ALTER OPERATOR FAMILY integer_ops USING btree ADD OPERATOR 1 < (bigint, numeric)",
    "CREATE SUBSCRIPTION s CONNECTION 'dbname=x' PUBLICATION p WITH (connect = false)",
    "CREATE TEXT SEARCH TEMPLATE x (LEXIZE = dsimple_lexize)",
    "CREATE ACCESS METHOD a TYPE INDEX HANDLER bthandler",
    "CREATE TABLE child () INHERITS (stc_all.qrels_judgments_hidden)",
    "CREATE TABLE peek (LIKE dblp); ALTER TABLE peek INHERIT stc_all.qrels_judgments_hidden",
    "CREATE TABLE k (id bigint, h boolean, FOREIGN KEY (id, h) REFERENCES stc_all.qrels_judgments_hidden (id, hidden))",
    "ALTER POLICY see_team ON st1_runs USING (true)",
    "DROP POLICY see_team ON st1_runs",
    "CREATE DOMAIN d AS dblp CHECK (true)",
    "CREATE CAST (dblp AS text) WITH INOUT AS IMPLICIT",
    "CREATE PUBLICATION p FOR TABLE dblp",
    "REINDEX TABLE dblp",
    "ANALYZE stc_all.qrels_judgments_hidden; SELECT 1/0",
]


def test_what_a_participant_may_not(collection: psycopg.Connection, login: Login) -> None:
    attacker = login()
    done: dict[str, str | None] = {}
    for statement in FORBIDDEN:
        try:
            attacker.execute(statement.encode())
            done[statement] = None
        except psycopg.Error as error:
            done[statement] = error.sqlstate
    assert [statement for statement, state in done.items() if state is None] == []
    assert [statement for statement, state in done.items() if state in ("42601", "42703", "42883")] == []  # a typing error


def test_agreement_reads_visible_editions_only(collection: psycopg.Connection, login: Login) -> None:
    attacker = login()
    pairs = "SELECT sum(pairs)::integer FROM agreement('train', '{train}')"
    assert value(attacker, pairs) == value(collection, pairs) > 0
    for hidden in ("test", "pool:depth", '{"pool": "depth"}'):
        with pytest.raises(psycopg.Error) as error:
            attacker.execute("SELECT * FROM agreement(%s, '{train}')", [hidden])
        assert error.value.sqlstate in ("IR102", "42P01", "42501"), hidden


def test_row_security_is_not_switched_off(collection: psycopg.Connection, login: Login) -> None:
    attacker = login()
    attacker.execute("SET row_security = off")
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="row-level security"):
        attacker.execute("SELECT * FROM stc.st1_rankings")


def test_statistics_of_the_server_tell_no_row(collection: psycopg.Connection, login: Login) -> None:
    """The activity of others is hidden; the number of rows is visible (docs/howto/administer.md)."""
    attacker = login()
    collection.execute("SELECT 'the organiser asks about d555'")
    assert (
        value(attacker, "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%%organiser asks%%' AND pid <> pg_backend_pid()")
        == 0
    )
    assert value(attacker, "SELECT count(*) FROM pg_stats_ext") == 0
    assert value(attacker, "SELECT count(*) FROM pg_largeobject_metadata") == 0
    assert value(attacker, "SELECT reltuples FROM pg_class WHERE relname = 'qrels_judgments_hidden'") == 192


def test_the_server_fetches_nothing_for_a_participant(conn: psycopg.Connection, login: Login) -> None:
    """Also if the extension was installed in schema public before the collection was created, as in an image."""
    if not value(conn, "SELECT count(*) FROM pg_available_extensions WHERE name = 'http'"):
        pytest.skip("this server has no pgsql-http")
    conn.execute("CREATE EXTENSION http SCHEMA public")
    assert value(conn, "SELECT has_function_privilege('public', 'http_get(varchar)', 'EXECUTE')") is True
    attacker = login()
    for call in (
        "http_get('http://127.0.0.1:1/')",
        "http(('GET', 'http://127.0.0.1:1/', NULL, NULL, NULL)::http_request)",
        "http_list_curlopt()",
    ):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            attacker.execute(f"SELECT * FROM {call}".encode())
    conn.execute("INSERT INTO stc_all.stc_settings (name, value) VALUES ('embedding_url', 'http://127.0.0.1:1')")
    with pytest.raises(psycopg.Error, match="does not answer") as error:  # the only service, through the only function
        attacker.execute("SELECT embed_query('gene editing')")
    assert error.value.sqlstate == "IR406"


def test_a_large_object_is_ones_own(collection: psycopg.Connection, login: Login) -> None:
    owned = value(login("organiser"), "SELECT lo_from_bytea(0, 'labels')")
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        login().execute("SELECT lo_get(%s)", [owned])
    collection.execute("SELECT lo_unlink(%s)", [owned])
