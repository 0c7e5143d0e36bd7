-- index_text: build the text indexes of dblp_text: GIN over tsv, the statistics of the portable BM25, and the BM25 index of
-- pg_textsearch where the server has it.
--
--   CALL index_text();                     -- english, k1 1.2, b 0.75, the best engine there is
--   CALL index_text(config => 'simple');
--
-- One transaction: an interrupted build leaves what was there before. Other sessions may read but not write dblp_text meanwhile.
-- What is current already is left alone unless rebuild; built tells which it was.
--
-- Another configuration changes the expression of dblp_text.tsv, which rewrites the table.
-- engine: pg_textsearch, portable (needs no extension, slower), or NULL for pg_textsearch where it can be had.
--
-- Raises IR202 k1, b or engine out of range, IR404 pg_textsearch wanted but not to be had, IR405 no text to index.
CREATE OR REPLACE PROCEDURE index_text(
    config regconfig DEFAULT 'english',
    k1 double precision DEFAULT 1.2,
    b double precision DEFAULT 0.75,
    engine text DEFAULT NULL,
    rebuild boolean DEFAULT false,
    INOUT built boolean DEFAULT NULL
)
LANGUAGE plpgsql
SET search_path = public, pg_temp
AS $$
DECLARE
    state text_index;
    memory text := current_setting('maintenance_work_mem');
BEGIN
    PERFORM check_text_index(index_text.k1, index_text.b, index_text.engine);
    engine := coalesce(index_text.engine, CASE WHEN pg_textsearch_ready() THEN 'pg_textsearch' ELSE 'portable' END);
    LOCK TABLE dblp_text IN SHARE ROW EXCLUSIVE MODE;

    SELECT * INTO state FROM text_index;
    built := index_text.rebuild OR state IS NULL OR state.stale
        OR (state.config, state.k1, state.b, state.engine)
           IS DISTINCT FROM (index_text.config, index_text.k1, index_text.b, index_text.engine)
        OR to_regclass('dblp_text_tsv_gin') IS NULL
        OR (index_text.engine = 'pg_textsearch' AND to_regclass('dblp_text_bm25') IS NULL);
    IF NOT index_text.built THEN
        RAISE NOTICE 'the text index is current, nothing was changed';
        RETURN;
    END IF;
    IF NOT EXISTS (SELECT FROM dblp_text) THEN
        RAISE EXCEPTION USING ERRCODE = 'IR405', MESSAGE = 'there is no text to index',
            HINT = 'Load documents first: stc corpus load PATH.';
    END IF;

    IF pg_size_bytes(memory) < pg_size_bytes('512MB') THEN
        PERFORM set_config('maintenance_work_mem', '512MB', true);
    END IF;
    DROP INDEX IF EXISTS dblp_text_bm25;
    CALL build_text_vectors(index_text.config, index_text.rebuild);
    INSERT INTO text_index AS stored (config, k1, b, documents, tokens, engine, built)
    SELECT index_text.config, index_text.k1, index_text.b, n.documents, n.tokens, index_text.engine, clock_timestamp()
      FROM build_text_statistics() n
    ON CONFLICT (single) DO UPDATE
       SET config = excluded.config, k1 = excluded.k1, b = excluded.b, documents = excluded.documents,
           tokens = excluded.tokens, engine = excluded.engine, stale = false, built = excluded.built;
    IF index_text.engine = 'pg_textsearch' THEN
        CREATE EXTENSION IF NOT EXISTS pg_textsearch SCHEMA public;
        -- Options of an index are literals.
        EXECUTE format('CREATE INDEX dblp_text_bm25 ON dblp_text USING bm25 (content) WITH (text_config = %L, k1 = %s, b = %s)',
            index_text.config, index_text.k1, index_text.b);
    END IF;
    PERFORM set_config('maintenance_work_mem', memory, true);
    PERFORM pg_stat_force_next_flush();  -- so that text_mark_stale does not take rows loaded just before for later ones
END
$$;
COMMENT ON PROCEDURE index_text(regconfig, double precision, double precision, text, boolean, boolean) IS
'Build the text indexes (GIN, BM25) of dblp_text unless they are current';
