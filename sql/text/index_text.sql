-- index_text: build the text indexes of dblp_text: GIN over tsv, the statistics of the portable BM25, and the BM25
-- index of pg_textsearch if the server has it.
--
--   CALL index_text();                     -- english, k1 1.2, b 0.75, the best engine available
--   CALL index_text(config => 'simple');
--
-- The build is one transaction: an interrupted build changes nothing. Other sessions can read but not write dblp_text
-- during the build. They cannot read either during a first build that must sort the rows (order_text).
-- A current index is not rebuilt unless rebuild is true; built is true if the index was built.
--
-- words: how words are separated, split or published (text_words); NULL keeps it. Another configuration or separation
-- changes the expressions of dblp_text, which rewrites the table. The BM25 index must then be dropped before, in its
-- own transaction, as 'stc text index' does.
-- engine: pg_textsearch, or portable (needs no extension, slower); NULL: pg_textsearch if it is available.
--
-- Rolling back the DROP of a bm25 index leaves other sessions with a pointer to freed memory, and they hang or crash
-- (timescale/pg_textsearch issue 506). Therefore the new index is built first, and the old one is dropped in the last
-- step. Do not rebuild inside a transaction block that you might roll back.
--
-- verify: look up every document in the new index (verify_text_index). Readers wait meanwhile, because this follows the
-- drop: pg_textsearch searches reliably only while a table has one index. 'stc text index' does it after the commit
-- instead. If documents are missing, their rows are moved (move_texts), and the index is stale until the next CALL. A
-- failed or cancelled lookup is a warning, because an error would roll back the drop. A call that creates the extension
-- leaves the lookup to the next one: until the commit, pg_textsearch computes the score of every document again, which
-- takes minutes.
--
-- If the collection is distributed, each shard gets an index of pg_textsearch if all workers have it (bm25_on_shards),
-- and the configuration stays the one of dblp_text.tsv, because Citus cannot change the expression of a column.
--
-- Raises IR202 k1, b or engine out of range, IR404 pg_textsearch requested but not available, IR405 no text to index,
-- IR415 the collection is distributed, and another configuration or separation is
-- requested.
CREATE OR REPLACE PROCEDURE index_text(
    config regconfig DEFAULT 'english',
    k1 double precision DEFAULT 1.2,
    b double precision DEFAULT 0.75,
    engine text DEFAULT NULL,
    rebuild boolean DEFAULT false,
    words text DEFAULT NULL,
    verify boolean DEFAULT true,
    INOUT built boolean DEFAULT NULL
)
LANGUAGE plpgsql
SET search_path = stc_all, stc, public, pg_temp
AS $$
DECLARE
    memory text := current_setting('maintenance_work_mem');
    workers text := current_setting('max_parallel_maintenance_workers');
    verify boolean := index_text.verify;
    lost bigint[];
BEGIN
    PERFORM check_text_index(index_text.k1, index_text.b, index_text.engine, index_text.words);
    engine := coalesce(index_text.engine,
                       CASE WHEN pg_textsearch_ready() THEN 'pg_textsearch' ELSE 'portable' END);
    words := coalesce(index_text.words, text_words());
    LOCK TABLE dblp_text IN SHARE ROW EXCLUSIVE MODE;

    SELECT index_text.rebuild OR NOT s.sound OR to_regclass('dblp_text_tsv_gin') IS NULL
           OR (s.config, s.words, s.k1, s.b, s.engine)
              IS DISTINCT FROM (index_text.config, index_text.words, index_text.k1, index_text.b, index_text.engine)
      INTO built
      FROM text_status(verify => true) s;
    IF NOT index_text.built THEN
        PERFORM verify_text_index();
        RAISE NOTICE 'the text index is current, nothing was changed';
        RETURN;
    ELSIF NOT EXISTS (SELECT 1 FROM dblp_text) THEN
        RAISE EXCEPTION USING ERRCODE = 'IR405', MESSAGE = 'there is no text to index',
            HINT = 'Load documents first: stc corpus load PATH.';
    END IF;

    IF pg_size_bytes(memory) < pg_size_bytes('512MB') THEN
        PERFORM set_config('maintenance_work_mem', '512MB', true);
    END IF;
    IF index_text.engine = 'pg_textsearch' THEN
        CALL order_text();
    END IF;
    CALL build_text_vectors(index_text.config, index_text.words, index_text.rebuild);
    INSERT INTO text_index AS stored (config, k1, b, documents, tokens, engine, built, server_major, dictionaries,
                                      anchors)
    SELECT index_text.config, index_text.k1, index_text.b, n.documents, n.tokens, index_text.engine, clock_timestamp(),
           current_setting('server_version_num')::integer / 10000, text_config_dictionaries(index_text.config),
           CASE index_text.engine WHEN 'pg_textsearch' THEN n.anchors END
      FROM build_text_statistics() n
    ON CONFLICT (single) DO UPDATE
       SET config = excluded.config, k1 = excluded.k1, b = excluded.b, documents = excluded.documents,
           tokens = excluded.tokens, engine = excluded.engine, stale = false, built = excluded.built,
           server_major = excluded.server_major, dictionaries = excluded.dictionaries, anchors = excluded.anchors,
           sealed = NULL;
    IF index_text.engine = 'pg_textsearch' THEN
        IF NOT EXISTS (SELECT FROM pg_extension WHERE extname = 'pg_textsearch') THEN
            CREATE EXTENSION pg_textsearch SCHEMA public;
            IF index_text.verify THEN
                verify := false;
                RAISE NOTICE 'this call created pg_textsearch; the next CALL index_text() verifies the new BM25 index';
            END IF;
        END IF;
        -- With one worker, pg_textsearch leaves the whole build to it. That is no faster than none (441,000 documents:
        -- 53 and 44 s) and takes more memory (583 and 494 MB; both grow with the documents, see issue 498).
        IF workers = '1' THEN
            PERFORM set_config('max_parallel_maintenance_workers', '0', true);
        END IF;
        -- Index options must be literals.
        EXECUTE format('CREATE INDEX dblp_text_bm25_next ON dblp_text USING bm25 (content) WITH (text_config = %L, k1 '
                       '= %s, b = %s)',
            text_config_name(index_text.config), index_text.k1, index_text.b);
        PERFORM seal_text_index('dblp_text_bm25_next');
    END IF;
    PERFORM set_config('maintenance_work_mem', memory, true),
            set_config('max_parallel_maintenance_workers', workers, true);
    PERFORM pg_stat_force_next_flush();  -- else text_mark_stale could count rows loaded before the build

    IF to_regclass('dblp_text_bm25') IS NOT NULL THEN
        DROP INDEX dblp_text_bm25;
    END IF;
    IF index_text.engine = 'pg_textsearch' THEN
        ALTER INDEX dblp_text_bm25_next RENAME TO dblp_text_bm25;
    END IF;
    IF verify THEN
        BEGIN
            lost := verify_text_index();
            IF lost <> '{}' THEN
                CALL move_texts(lost);
                RAISE WARNING 'the new BM25 index does not find % of %', counted(cardinality(lost)),
                    (SELECT counted(i.documents, 'document') FROM text_index i)
                    USING HINT = 'Run the same command again: their rows were moved, so the next build finds them.';
            END IF;
        EXCEPTION WHEN others OR query_canceled THEN
            UPDATE text_index SET stale = true WHERE lost <> '{}';
            RAISE WARNING 'the new BM25 index was not verified: %', SQLERRM
                USING HINT = 'Run the same command again: it looks up every document.';
        END;
    END IF;
END
$$;
COMMENT ON PROCEDURE index_text(regconfig, double precision, double precision, text, boolean, text, boolean, boolean) IS
'Build the text indexes (GIN, BM25) of dblp_text unless they are current';
