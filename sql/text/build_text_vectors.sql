-- build_text_vectors: compute dblp_text.tsv with the given configuration, and build its GIN index and that of passages.
-- index_text calls it and holds the lock.
--
-- The title has weight A and the abstract weight B, for ts_rank and for filters. BM25 ignores weights.
CREATE OR REPLACE PROCEDURE build_text_vectors(config regconfig, rebuild boolean)
LANGUAGE plpgsql
SET search_path = stc_all, stc, public, pg_temp
AS $$
BEGIN
    IF strpos((SELECT pg_get_expr(d.adbin, d.adrelid)
                 FROM pg_attrdef d JOIN pg_attribute a ON a.attrelid = d.adrelid AND a.attnum = d.adnum
                WHERE d.adrelid = 'dblp_text'::regclass AND a.attname = 'tsv'),
              format('%L::regconfig', build_text_vectors.config)) = 0
       OR text_index_outdated() IS NOT NULL  -- the stored tsv was computed by other stemmers
    THEN
        PERFORM refuse_distributed('another text search configuration');
        -- The expression must be immutable, so it contains the configuration as a literal.
        EXECUTE format(
            $sql$ALTER TABLE dblp_text ALTER COLUMN tsv SET EXPRESSION AS (
                setweight(to_tsvector(%1$L::regconfig, coalesce(title, '')), 'A')
                || setweight(to_tsvector(%1$L::regconfig, coalesce(abstract, '')), 'B'))$sql$,
            build_text_vectors.config);
    END IF;
    IF build_text_vectors.rebuild THEN
        DROP INDEX IF EXISTS dblp_text_tsv_gin;
    END IF;
    -- Every write updates a GIN index, so an existing one is current.
    IF to_regclass('dblp_text_tsv_gin') IS NULL THEN
        CREATE INDEX dblp_text_tsv_gin ON dblp_text USING gin (tsv);
    END IF;
    CALL index_passages(build_text_vectors.config,
                        build_text_vectors.rebuild OR text_index_outdated() IS NOT NULL);
END
$$;
COMMENT ON PROCEDURE build_text_vectors(regconfig, boolean) IS
'Part of index_text: compute tsv with a configuration, and build its GIN index';
