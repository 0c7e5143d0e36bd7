"""Set a collection back to revision 0035, in which rows of hidden editions were partitions of tables that everybody reads."""

from __future__ import annotations

import re

import psycopg

_VIEWS = """
SELECT format('CREATE OR REPLACE VIEW %I.%I WITH (%s) AS %s', c.relnamespace::regnamespace, c.relname,
              array_to_string(c.reloptions, ', '),
              pg_get_viewdef(c.oid))
  FROM pg_class a JOIN pg_class c ON c.relname = a.relname AND c.relkind = 'v' AND c.oid <> a.oid
 WHERE a.relnamespace = 'stc_all'::regnamespace AND a.relkind = 'v'
 ORDER BY c.relname LIKE '%overview' OR c.relname LIKE 'st1%knn', c.relname <> 'qrels'
"""
_TRIGGERS = """
SELECT format('DROP TRIGGER %I ON %s', g.tgname, c.oid::regclass) FROM pg_trigger g JOIN pg_class c ON c.oid = g.tgrelid
 WHERE g.tgname ~ '(_visible|_visible_truncate|_copy)$' AND NOT g.tgisinternal
"""
_TABLES = """
DO $$
DECLARE
    one record;
    part record;
BEGIN
    FOR one IN SELECT format('DROP VIEW stc_all.%I CASCADE', c.relname) AS statement FROM pg_class c
                WHERE c.relkind = 'v' AND c.relnamespace = 'stc_all'::regnamespace
                  AND obj_description(c.oid, 'pg_class') LIKE '%(hidden editions included)'
                ORDER BY c.relname LIKE 'st1%knn' DESC, c.relname LIKE 'st1%' DESC, c.relname LIKE '%overview' DESC LOOP
        EXECUTE replace(one.statement, 'VIEW', 'VIEW IF EXISTS');
    END LOOP;
    FOR one IN SELECT p.relname AS name, v.relnamespace::regnamespace AS schema
                 FROM pg_class p JOIN pg_class v ON v.relname = p.relname AND v.oid <> p.oid
                WHERE p.relnamespace = 'stc_all'::regnamespace AND p.relkind = 'p' AND p.relname <> 'qrels_files' LOOP
        FOR part IN SELECT i.indexrelid::regclass AS named, x.relname AS name
                      FROM pg_index i JOIN pg_class x ON x.oid = i.indexrelid
                     WHERE i.indrelid = to_regclass(format('%I.%I', one.schema, one.name)) LOOP
            EXECUTE format('ALTER INDEX %s RENAME TO %I', part.named, replace(part.name, one.name, one.name || '_open'));
        END LOOP;
        EXECUTE format('ALTER TABLE %1$I.%2$I RENAME TO %2$s_open', one.schema, one.name);
        IF one.schema = 'public'::regnamespace THEN
            EXECUTE format('ALTER TABLE public.%s_open SET SCHEMA stc', one.name);
        END IF;
        EXECUTE format('ALTER TABLE stc_all.%s_hidden SET SCHEMA stc', one.name);
        EXECUTE format('ALTER TABLE stc_all.%I SET SCHEMA %I', one.name, one.schema);
        EXECUTE format('ALTER TABLE %I.%I ENABLE ROW LEVEL SECURITY', one.schema, one.name);
        EXECUTE format('CREATE POLICY see_open ON %I.%I FOR SELECT TO PUBLIC USING (NOT hidden)', one.schema, one.name);
        EXECUTE format('GRANT SELECT ON %I.%I TO stc_participant, stc_reader, stc_organiser', one.schema, one.name);
        EXECUTE format('REVOKE ALL ON stc.%s_open FROM stc_participant, stc_reader, stc_organiser', one.name);
    END LOOP;
    FOR one IN SELECT c.relname AS name, c.relkind AS kind FROM pg_class c
                WHERE c.relnamespace = 'stc_all'::regnamespace AND c.relkind IN ('r', 'v') AND NOT c.relispartition
                  AND c.relname <> 'qrels_editions' LOOP
        EXECUTE format('ALTER %s stc_all.%I SET SCHEMA stc', CASE one.kind WHEN 'v' THEN 'VIEW' ELSE 'TABLE' END, one.name);
    END LOOP;
END $$;
CREATE TRIGGER qrels_no_truncate BEFORE TRUNCATE ON stc.qrels_judgments_open
    FOR EACH STATEMENT EXECUTE FUNCTION stc.qrels_append_only();
ALTER TABLE stc.qrels_files RENAME TO qrels_files_parted;
ALTER INDEX stc.qrels_files_edition_idx RENAME TO qrels_files_parted_edition_idx;
ALTER INDEX stc.qrels_files_pkey RENAME TO qrels_files_parted_pkey;
CREATE TABLE stc.qrels_files (id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, edition integer NOT NULL, path text NOT NULL,
    sha256 text, judgments bigint NOT NULL, added bigint NOT NULL, imported timestamptz NOT NULL DEFAULT now(), rows bigint[]);
CREATE INDEX qrels_files_edition_idx ON stc.qrels_files (edition);
INSERT INTO stc.qrels_files OVERRIDING SYSTEM VALUE
SELECT id, edition, path, sha256, judgments, added, imported, rows FROM stc_all.qrels_files;
SELECT setval('stc.qrels_files_id_seq', max(id)) FROM stc.qrels_files;
ALTER TABLE public.qrels_editions RENAME TO qrels_editions_visible;
ALTER TABLE stc_all.qrels_editions SET SCHEMA public;
ALTER TABLE stc.qrels_files ADD FOREIGN KEY (edition) REFERENCES public.qrels_editions (id) ON DELETE CASCADE;
ALTER TABLE public.qrels_editions ENABLE ROW LEVEL SECURITY;
CREATE POLICY see_open ON public.qrels_editions FOR SELECT TO PUBLIC USING (NOT hidden);
GRANT SELECT ON public.qrels_editions, stc.qrels_files TO stc_participant, stc_reader, stc_organiser;
"""
_REST = (
    "ALTER TABLE public.qrels_judgments DROP COLUMN final",
    "DROP TABLE stc_all.qrels_files, public.qrels_editions_visible, stc.removals, stc.ask_calls, stc.hidden_names",
    "DROP SCHEMA stc_all",
    "UPDATE public.stc_objects SET fingerprint = '' WHERE EXISTS (SELECT FROM unnest(creates) c WHERE c LIKE 'trigger %')",
    "UPDATE public.stc_objects SET fingerprint = '', creates = ARRAY[replace(creates[1], 'stc_all.', 'stc.')],"
    " signatures = ARRAY[replace(signatures[1], 'stc_all.', 'stc.')] WHERE creates[1] LIKE 'view stc\\_all.%'",
    "UPDATE public.alembic_version SET version_num = '0035'",
)
# Revision 0041 made a view of this table.
_LISTS = """
CREATE TABLE stc.st1_rankings_0040 AS
SELECT run, query, doc, rank, file_rank, rel_score, comb_score, passage FROM stc.st1_rankings;
UPDATE public.stc_objects o SET fingerprint = ''
 WHERE EXISTS (SELECT FROM pg_depend d JOIN pg_rewrite r ON r.oid = d.objid JOIN pg_class c ON c.oid = r.ev_class
                WHERE d.refobjid = 'stc.st1_rankings'::regclass AND d.classid = 'pg_rewrite'::regclass
                  AND format('view %s.%s', c.relnamespace::regnamespace, c.relname) = ANY (o.creates));
DROP VIEW stc.st1_rankings CASCADE;
DROP FUNCTION stc.stage_changes, stc.write_ranking, stc.store_changes, stc.check_rankings, stc.count_rankings,
              stc.keep_ranked CASCADE;
DELETE FROM public.stc_objects
 WHERE file ~ '/(st1_rankings|stage_changes|write_ranking|store_changes|check_rankings|count_rankings|keep_ranked)\\.sql$';
DROP TABLE stc.ranked_lists;
ALTER TABLE stc.st1_rankings_0040 RENAME TO st1_rankings;
ALTER TABLE stc.st1_rankings ALTER run SET NOT NULL, ALTER query SET NOT NULL, ALTER doc SET NOT NULL, ALTER rank SET NOT NULL,
    ALTER rel_score SET NOT NULL, ADD CONSTRAINT st1_rankings_pkey PRIMARY KEY (query, doc, run) INCLUDE (rank),
    ADD CONSTRAINT st1_rankings_run_query_rank_key UNIQUE (run, query, rank) INCLUDE (doc),
    ADD CONSTRAINT st1_rankings_doc_fkey FOREIGN KEY (doc) REFERENCES public.dblp (id),
    ADD CONSTRAINT st1_rankings_query_fkey FOREIGN KEY (query) REFERENCES stc.st1_queries (id),
    ADD CONSTRAINT st1_rankings_run_fkey FOREIGN KEY (run) REFERENCES public.st1_runs (id) ON DELETE CASCADE;
CREATE INDEX st1_rankings_doc_idx ON stc.st1_rankings (doc);
GRANT SELECT ON stc.st1_rankings TO stc_participant, stc_reader, stc_organiser;
ALTER TABLE stc.st1_rankings ENABLE ROW LEVEL SECURITY;
CREATE POLICY organise ON stc.st1_rankings TO stc_organiser USING (true) WITH CHECK (true);
CREATE POLICY see_team ON stc.st1_rankings FOR SELECT TO PUBLIC USING (run = ANY (ARRAY(SELECT n.id FROM public.st1_runs n)));
UPDATE public.alembic_version SET version_num = '0040'
"""
# Revision 0044 partitioned these tables.
_SCORES = """
DROP TABLE stc_all.judged_scores, stc_all.judged_rankings, stc_all.judged_runs, stc_all.judged_queries;
CREATE TABLE stc_all.judged_queries (edition integer REFERENCES stc_all.qrels_editions ON DELETE CASCADE,
    query integer REFERENCES stc.st1_queries, edition_version bigint NOT NULL, rels smallint[] NOT NULL, code text NOT NULL,
    PRIMARY KEY (edition, query));
CREATE INDEX judged_queries_query_idx ON stc_all.judged_queries (query);
CREATE TABLE stc_all.judged_runs (edition integer REFERENCES stc_all.qrels_editions ON DELETE CASCADE, run integer,
    edition_version bigint NOT NULL, run_version bigint NOT NULL, code text NOT NULL, measures text[] NOT NULL,
    PRIMARY KEY (edition, run));
CREATE TABLE stc_all.judged_rankings (edition integer, run integer, query integer, retrieved integer NOT NULL,
    relevant integer[] NOT NULL, grades smallint[] NOT NULL, irrelevant integer[] NOT NULL, pooled integer[] NOT NULL,
    PRIMARY KEY (edition, run, query), CONSTRAINT judged_rankings_run_fkey FOREIGN KEY (edition, run)
        REFERENCES stc_all.judged_runs (edition, run) ON DELETE CASCADE);
CREATE TABLE stc_all.judged_scores (edition integer, run integer, query integer, scores double precision[] NOT NULL,
    PRIMARY KEY (edition, run, query), CONSTRAINT judged_scores_run_fkey FOREIGN KEY (edition, run)
        REFERENCES stc_all.judged_runs (edition, run) ON DELETE CASCADE);
"""
# Judgments had the checks of their keys only, row by row.
_KEYS = """
DROP FUNCTION stc.check_judgments CASCADE;
DELETE FROM public.stc_objects WHERE file = 'qrels/check_judgments.sql';
ALTER TABLE stc_all.qrels_judgments ENABLE TRIGGER ALL;
ALTER TABLE stc_all.qrels_files ALTER rows SET STORAGE EXTENDED;
"""
# Revision 0039 moved these tables.
_NAMES = """
DROP VIEW public.st1_queries, public.st1_complexity_metrics;
DROP FUNCTION stc.write_query;
ALTER TABLE stc.st1_queries SET SCHEMA public;
ALTER TABLE stc.st1_rankings SET SCHEMA public;
ALTER TABLE stc.st1_complexity_metrics SET SCHEMA public;
ALTER TABLE stc.vector_models DROP COLUMN recipe, DROP CONSTRAINT vector_models_storage_check,
    ADD CONSTRAINT vector_models_storage_check CHECK (storage IN ('vector', 'halfvec'));
DROP TABLE stc.vector_terms;
DELETE FROM public.stc_objects WHERE file ~ '/(st1_queries|st1_complexity_metrics|write_query)\\.sql$';
UPDATE public.alembic_version SET version_num = '0038'
"""


def move_back(conn: psycopg.Connection) -> None:
    """Set the collection back to the revision before 0039. :param conn: of a superuser."""
    _fix_rights(conn)
    conn.execute("DROP VIEW public.systems, stc.measure_registry CASCADE; DROP TABLE stc.own_systems, stc.own_measures CASCADE")
    conn.execute("DROP TABLE stc_all.build_recipes, stc_all.build_steps, stc_all.qrels_strata, stc_all.qrels_pool_undrawn")
    conn.execute("DROP TABLE stc_all.study_rows, stc.studies, stc_all.qrels_reviews")
    conn.execute("ALTER TABLE stc_all.qrels_pool_documents DROP COLUMN annotators, DROP COLUMN batch")
    conn.execute("DROP VIEW public.excluded_documents; ALTER TABLE stc.st1_queries DROP COLUMN excluded")
    conn.execute("ALTER TABLE stc_all.qrels_comparisons DROP COLUMN answers; ALTER TABLE stc.vector_indexes DROP COLUMN idf")
    conn.execute(_SCORES.encode())
    conn.execute(_KEYS.encode())
    conn.execute(_LISTS.encode())
    conn.execute(_NAMES.encode())


def _fix_rights(conn: psycopg.Connection) -> None:
    """Let stc_rights list the tables of studies itself, as it did before revision 0045."""
    rows = conn.execute("SELECT * FROM stc.stc_rights() WHERE relation NOT IN ('studies', 'study_rows')").fetchall()
    listed = ", ".join(f"({', '.join(f'{cell!r}' for cell in row)})" for row in rows)
    [(definition,)] = conn.execute("SELECT pg_get_functiondef('stc.stc_rights()'::regprocedure)").fetchall()
    head = definition[: definition.index("AS $function$")]
    conn.execute(f"{head} AS $function$ VALUES {listed} $function$".encode())
    conn.execute("UPDATE public.stc_objects SET fingerprint = '' WHERE file = 'db/stc_rights.sql'")


def set_back(conn: psycopg.Connection) -> None:
    """Set the collection back, with its rows. :param conn: of a superuser, in autocommit mode."""
    with conn.transaction():
        conn.execute("SET LOCAL search_path = stc, public, pg_temp")
        move_back(conn)
        views = [text for (text,) in conn.execute(_VIEWS.encode()).fetchall()]
        for (statement,) in conn.execute(_TRIGGERS.encode()).fetchall():
            conn.execute(statement.encode())
        conn.execute(_TABLES.encode())
        for text in views:
            text = re.sub(r"\(NOT (?:\w+\.)?final\), ", "", text)  # a column of revision 0038
            text = re.sub(r"CASE\s+WHEN (?:\w+\.)?final THEN \(- ((?:\w+\.)?id)\)\s+ELSE (?:\w+\.)?id\s+END", r"\1", text)
            conn.execute(text.encode())
        for statement in _REST:
            conn.execute(statement.encode())
