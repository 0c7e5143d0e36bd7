-- build_text_vectors: compute dblp_text.tsv with the given configuration and separation of words, and build its GIN
-- index and that of passages. index_text calls it and holds the lock.
CREATE OR REPLACE PROCEDURE build_text_vectors(config regconfig, words text, rebuild boolean)
LANGUAGE plpgsql
SET search_path = stc_all, stc, public, pg_temp
AS $$
BEGIN
    IF text_recomputed(build_text_vectors.config, build_text_vectors.words) THEN
        PERFORM refuse_distributed('another text search configuration or separation of words');
        CALL compute_text(build_text_vectors.config, build_text_vectors.words);
    END IF;
    -- Every write updates a GIN index, so an existing one is current. Up to revision 0040 it had one column.
    IF build_text_vectors.rebuild
       OR (SELECT x.indnatts = 1 FROM pg_index x WHERE x.indexrelid = to_regclass('dblp_text_tsv_gin'))
    THEN
        DROP INDEX IF EXISTS dblp_text_tsv_gin;
    END IF;
    -- The words of the titles once more, for minimum_search. They are fewer, so they stand first: the index looks the
    -- others up only in what they match.
    IF to_regclass('dblp_text_tsv_gin') IS NULL THEN
        CREATE INDEX dblp_text_tsv_gin ON dblp_text USING gin (ts_filter(tsv, '{a}'), tsv);
    END IF;
    CALL index_passages(build_text_vectors.config,
                        build_text_vectors.rebuild OR text_index_outdated() IS NOT NULL);
END
$$;
COMMENT ON PROCEDURE build_text_vectors(regconfig, text, boolean) IS
'Part of index_text: compute tsv with a configuration, and build its GIN index';
