-- build_text_vectors: dblp_text.tsv by the given configuration, and the GIN index over it. Part of index_text, which
-- holds the lock.
--
-- title has weight A, abstract weight B: for ts_rank and for filters; BM25 does not see them.
CREATE OR REPLACE PROCEDURE build_text_vectors(config regconfig, rebuild boolean)
LANGUAGE plpgsql
SET search_path = stc, public, pg_temp
AS $$
BEGIN
    IF strpos((SELECT pg_get_expr(d.adbin, d.adrelid)
                 FROM pg_attrdef d JOIN pg_attribute a ON a.attrelid = d.adrelid AND a.attnum = d.adnum
                WHERE d.adrelid = 'dblp_text'::regclass AND a.attname = 'tsv'),
              format('%L::regconfig', build_text_vectors.config)) = 0
       OR text_index_outdated() IS NOT NULL  -- what is stored comes from other stemmers
    THEN
        -- The expression must be immutable, so the configuration is a literal of it.
        EXECUTE format(
            $sql$ALTER TABLE dblp_text ALTER COLUMN tsv SET EXPRESSION AS (
                setweight(to_tsvector(%1$L::regconfig, coalesce(title, '')), 'A')
                || setweight(to_tsvector(%1$L::regconfig, coalesce(abstract, '')), 'B'))$sql$,
            build_text_vectors.config);
    END IF;
    IF build_text_vectors.rebuild THEN
        DROP INDEX IF EXISTS dblp_text_tsv_gin;
    END IF;
    -- GIN is kept up by every write, so one that is there is good.
    IF to_regclass('dblp_text_tsv_gin') IS NULL THEN
        CREATE INDEX dblp_text_tsv_gin ON dblp_text USING gin (tsv);
    END IF;
END
$$;
COMMENT ON PROCEDURE build_text_vectors(regconfig, boolean) IS
'Part of index_text: tsv by a configuration, and its GIN index';
